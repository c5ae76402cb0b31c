//! The terms of a field, listed: which, in what order, how many.

use std::sync::Arc;

/// What to list of one field's dictionary.
#[derive(Clone, Debug, PartialEq)]
pub struct TermsPlan {
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
    pub field: Arc<str>,
    /// From this term on; the flag includes it.
    pub lower: Option<(String, bool)>,
    /// Up to this term; the flag includes it.
    pub upper: Option<(String, bool)>,
    pub prefix: Option<String>,
    /// Expressions that a whole term must match, all of them.
    pub expressions: Vec<String>,
    /// Just these terms.
    pub among: Option<Vec<String>>,
    pub count_min: u64,
    pub count_max: Option<u64>,
    /// `None` is all.
    pub limit: Option<usize>,
    /// Most documents first, equal ones in order of terms; else in order of terms.
    pub by_count: bool,
    /// Also count occurrences.
    pub occurrences: bool,
}

/// A term with how many documents have it, dead ones included as in Lucene, and how often it occurs in them, if asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermCount {
    pub term: String,
    pub documents: u64,
    pub occurrences: Option<u64>,
}
