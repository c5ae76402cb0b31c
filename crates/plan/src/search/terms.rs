//! The terms of a field, listed: which, in what order, how many. Asked by the terms component and by
//! suggesters; each shard lists its own and `cluster` merges counts, so a shard cuts only where it is alone.
//! Only the dictionary is read: dead documents are counted until a merge forgets them, as in Lucene.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::partial::CutDepth;
use crate::value::Value;

/// What to list of one field's dictionary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub depth: CutDepth,
}

impl TermsPlan {
    /// Whether a term of this many documents is listed.
    pub fn lists(&self, documents: u64) -> bool {
        documents >= self.count_min && self.count_max.is_none_or(|most| documents <= most)
    }
}

/// A term with how many documents have it, dead ones included as in Lucene, and how often it occurs in them,
/// if asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermCount {
    pub term: String,
    pub documents: u64,
    pub occurrences: Option<u64>,
}

/// How frequent the terms of a field are, for the schema browser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopTerms {
    /// (term, documents), most documents first; ties as Solr's Luke has them.
    pub top: Vec<(Value, u64)>,
    pub distinct: u64,
    /// How many terms are in 1, 2, up to 4, up to 8, … documents: as far as there are any.
    pub histogram: Vec<u64>,
}
