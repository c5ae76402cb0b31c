//! Parts of queries that hold no query themselves: phrases, ranges, fuzzy terms, and what a clause or a
//! relation says of the query in it. The tree is made of them; they know nothing of it. All of it is typed
//! and analysed: texts became terms and bounds became values in `solr/query`. What a part matches is the
//! engine's.

use std::ops::Bound;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Occur {
    Must,
    Should,
    MustNot,
    /// Must match, adds nothing to the score.
    Filter,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phrase {
    pub field: Arc<str>,
    /// In ascending order of position.
    pub positions: Vec<PhrasePosition>,
    pub slop: u32,
}

/// The terms that may stand at one position of a phrase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhrasePosition {
    pub position: u32,
    pub terms: Vec<String>,
}

/// Bounds are of the field's type; `Unbounded` on both sides is [`crate::Query::Exists`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub field: Arc<str>,
    pub lower: Bound<Value>,
    pub upper: Bound<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fuzzy {
    pub field: Arc<str>,
    pub term: String,
    /// 0, 1 or 2, a transposition counting as one.
    pub edits_max: u8,
    /// Leading characters that must match exactly.
    pub prefix_length: usize,
    /// Whether two letters in each other's place count as one edit, not two.
    pub transpositions: bool,
    /// Terms that it may stand for, the nearest.
    pub terms_max: usize,
}

impl Fuzzy {
    /// Lucene's `FuzzyQuery.defaultMaxExpansions`.
    pub const TERMS_MAX: usize = 50;

    /// With everything else as Lucene has it by default.
    pub fn new(field: Arc<str>, term: String, edits_max: u8) -> Self {
        Self { field, term, edits_max, prefix_length: 0, transpositions: true, terms_max: Self::TERMS_MAX }
    }
}

/// What becomes of the scores of several related documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelatedScore {
    None,
    Average,
    Max,
    Min,
    Total,
}

impl RelatedScore {
    /// Lucene's name.
    pub fn name(self) -> &'static str {
        match self {
            RelatedScore::None => "None",
            RelatedScore::Average => "Avg",
            RelatedScore::Max => "Max",
            RelatedScore::Min => "Min",
            RelatedScore::Total => "Total",
        }
    }
}
