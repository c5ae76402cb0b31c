//! Why a search does not show a document: what keeps it out first, clause by clause, with what the document
//! has instead. Worked out by the engine for one document, written by `crates/solr/src/why_not.rs`. It
//! explains a search and takes no part in one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::query::tree::Query;
use crate::value::Value;

/// What a plan makes of one document.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct WhyNot {
    /// Whether searches see the document at all.
    pub visible: bool,
    /// The filters that leave it out, by their place in the plan.
    pub filters: Vec<(usize, Miss)>,
    /// What the query lacks in it.
    pub query: Option<Miss>,
}

/// The clause that decides, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Miss {
    pub clause: Query,
    pub kind: MissKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MissKind {
    /// The field does not hold what the clause asks for.
    Absent(Absent),
    /// It matches, and must not.
    Prohibited,
    /// Too few of several match.
    TooFew { matched: usize, minimum: usize, missing: Vec<Miss> },
    /// None of several fields or queries matches.
    NoneOf(Vec<Miss>),
    /// Nothing that can be decided for one document.
    Other,
}

/// What a field holds in place of what was asked for.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Absent {
    pub field: Option<Arc<str>>,
    /// The terms asked for.
    pub wanted: Vec<String>,
    /// The document's terms or values, the first of them; `None` where they are not stored.
    pub has: Option<Vec<Value>>,
    /// A term asked for, and one like it that the document has.
    pub nearest: Option<(String, String)>,
}
