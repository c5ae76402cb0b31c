//! Updates after the update chain: ids known, values typed, queries resolved. The engine applies them in
//! order. Made by `solr` (`crates/solr/src/update/chain.rs`), routed by `cluster`, done by `engine/write`. A
//! batch names itself, so that one that is sent again is done once; an operation that was refused stands in
//! it, so that it is counted in its order.

pub(crate) mod atomic_op;
pub(crate) mod commit;
pub(crate) mod nested;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::query::tree::Query;
use crate::update::atomic_op::AtomicOp;
use crate::update::commit::Commit;
use crate::update::nested::{NestedEdit, NestedField};
use crate::value::Value;
use crate::value::document::Document;

/// Names a batch, the same whenever it is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BatchId(pub [u8; 16]);

/// A place in the order of all that a shard's log ever had, through all its openings: positions of later ones
/// are higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LogPosition {
    pub epoch: u64,
    pub slot: u64,
}

/// The operations of one request, in its order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateBatch {
    /// By which it is known when it is sent again: what was done then is not done anew. `None` where nobody
    /// sends it twice.
    pub id: Option<BatchId>,
    /// Of a batch with a name: where the shard was before it was sent for the first time, the same in every
    /// send. Where the shard has forgotten batches that came later than this, it tells *unknown* of one that
    /// it does not know. An older one is as right, and the default the most careful: it is only told unknown
    /// more often.
    pub seen: LogPosition,
    /// What the request says of where its documents lie (Solr's `_route_`); heeded where there are several
    /// shards.
    pub route: Option<String>,
    pub operations: Vec<Operation>,
    /// Of the schema its values were typed by; `None` where it has none.
    pub schema_version: Option<u64>,
    /// `false` skips an operation whose version expectation fails, instead of ending the batch there
    /// (Solr's `failOnVersionConflicts`).
    pub conflicts_skip: bool,
    /// How many operations may fail before the batch ends; `None` ends it with the first, and tells of that
    /// one only.
    pub errors_max: Option<u64>,
    pub durable: Durable,
}

/// What is in the log for good when a batch has been applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Durable {
    /// Its own operations.
    #[default]
    Own,
    /// Nothing yet: it is a piece of a request of which more follows, and nobody is told before a batch with
    /// `All` is done.
    Later,
    /// All that the shard was given before, and its own operations.
    All,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    Add(Add),
    Modify(Modify),
    Delete {
        id: String,
        /// As [`UpdateBatch::route`], of this one.
        route: Option<String>,
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
    /// One that failed on its way; it counts among the errors of the batch.
    Refused(Refusal),
}

/// An operation that was not done, of a batch that went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    pub kind: RefusalKind,
    /// The id, or the text of the query.
    pub of: String,
    pub error: Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RefusalKind {
    Add,
    Delete,
    DeleteByQuery,
}

/// What else a document has to meet, checked when it is its turn. Most have no such thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    pub presence: Option<Presence>,
    pub revision: Option<Revision>,
    /// Documents that it replaces besides those of its id.
    pub replaced: Option<Query>,
    /// Whether only columns may change, of a document that is there.
    pub in_place: bool,
}

impl Conditions {
    /// `None` when there are none.
    pub fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// Which documents are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Whole ones that are there.
    pub inserts: bool,
    /// Edits of what is not.
    pub updates: bool,
}

/// Values that have to be above those of the document that is there, the first that differs counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    pub fields: Vec<(Arc<str>, Value)>,
    /// What is not above is passed over, not refused.
    pub ignore_old: bool,
    /// Whether a document without these fields may be replaced.
    pub missing_allowed: bool,
}

/// A whole document, which replaces any with its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Add {
    pub id: String,
    /// Without `_version_`, which the engine assigns.
    pub document: Document,
    /// The documents below it, with which it is replaced and deleted as one.
    pub children: Vec<NestedField>,
    pub expect: Expect,
    /// `false`: the sender swears that no document has this id (Solr's `overwrite=false`).
    pub overwrite: bool,
    pub conditions: Option<Box<Conditions>>,
    pub commit_within_ms: Option<u64>,
}

/// An atomic update: edits to the stored document; on a document that is not there, the edits make a new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modify {
    pub id: String,
    /// The root of the document's block, where that is named (Solr's `_root_`).
    pub root: Option<String>,
    pub edits: Vec<FieldEdit>,
    pub nested: Vec<NestedEdit>,
    pub expect: Expect,
    pub conditions: Option<Box<Conditions>>,
    pub commit_within_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldEdit {
    pub field: Arc<str>,
    pub op: AtomicOp,
    /// Typed by the field; for `RemoveRegex` the patterns; for `Inc` one number.
    pub values: Vec<Value>,
}

/// What the sender expects of the document's present version (Solr's `_version_`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
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
