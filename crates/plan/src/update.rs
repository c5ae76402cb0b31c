//! Updates after the update chain: ids known, values typed, queries resolved. The engine applies them in order.

use std::sync::Arc;

use crate::commit::Commit;
use crate::document::Document;
use crate::nested::{NestedEdit, NestedField};
use crate::query::Query;
use crate::value::Value;

/// The operations of one request, in its order.
#[derive(Clone, Debug, Default)]
pub struct UpdateBatch {
    pub operations: Vec<Operation>,
    /// `false` skips an operation whose version expectation fails, instead of ending the batch there
    /// (Solr's `failOnVersionConflicts`).
    pub conflicts_skip: bool,
}

#[derive(Clone, Debug)]
pub enum Operation {
    Add(Add),
    Modify(Modify),
    Delete {
        id: String,
        expect: Expect,
        commit_within_ms: Option<u64>,
    },
    /// `text` is the query as sent, for messages.
    DeleteByQuery {
        query: Query,
        text: String,
        commit_within_ms: Option<u64>,
    },
    Commit(Commit),
    /// Answered with an error where a log is the durability: what is acknowledged stays.
    Rollback,
}

/// A whole document, which replaces any with its id.
#[derive(Clone, Debug)]
pub struct Add {
    pub id: String,
    /// Without `_version_`, which the engine assigns.
    pub document: Document,
    /// The documents below it, with which it is replaced and deleted as one.
    pub children: Vec<NestedField>,
    pub expect: Expect,
    /// `false`: the sender swears that no document has this id (Solr's `overwrite=false`).
    pub overwrite: bool,
    pub commit_within_ms: Option<u64>,
}

/// An atomic update: edits to the stored document; on a document that is not there, the edits make a new one.
#[derive(Clone, Debug)]
pub struct Modify {
    pub id: String,
    /// The root of the document's block, where that is named (Solr's `_root_`).
    pub root: Option<String>,
    pub edits: Vec<FieldEdit>,
    pub nested: Vec<NestedEdit>,
    pub expect: Expect,
    pub commit_within_ms: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct FieldEdit {
    pub field: Arc<str>,
    pub op: AtomicOp,
    /// Typed by the field; for `RemoveRegex` the patterns; for `Inc` one number.
    pub values: Vec<Value>,
}

/// Solr's modifiers of an atomic update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// With no values: removes the field.
    Set,
    Add,
    AddDistinct,
    Remove,
    RemoveRegex,
    Inc,
}

/// What the sender expects of the document's present version (Solr's `_version_`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Expect {
    #[default]
    Anything,
    /// `_version_=1`.
    Exists,
    /// `_version_` above 1.
    Exactly(i64),
    /// `_version_` below 0.
    Absent(i64),
}

impl Expect {
    /// Solr's table: 0 nothing, 1 exists, above 1 exactly, below 0 absent.
    pub fn from_version(version: i64) -> Self {
        match version {
            0 => Expect::Anything,
            1 => Expect::Exists,
            2.. => Expect::Exactly(version),
            _ => Expect::Absent(version),
        }
    }

    /// The number as sent, for messages.
    pub fn as_version(self) -> i64 {
        match self {
            Expect::Anything => 0,
            Expect::Exists => 1,
            Expect::Exactly(version) | Expect::Absent(version) => version,
        }
    }
}
