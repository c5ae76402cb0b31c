//! The leaves of a query that read postings and are scored by a similarity: a term, terms that score as one,
//! a phrase. Each names its terms, its text as Lucene prints it, and its weight.
//!
//! Made by `lower` with the statistics of a snapshot; opened in a segment by `terms`, `synonym`, `phrase` and
//! `span`. How leaves combine is in `node`.

use plan::ScoredBy;
use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use super::bm25::Similarity;
use crate::snapshot::Views;
use crate::snapshot::field_stats::{FieldStats, TermInfos};

/// A term scored by a similarity.
pub(crate) struct TermNode {
    pub(crate) term: Term,
    /// Where the term's postings are, segment by segment.
    pub(crate) infos: TermInfos,
    pub(crate) label: String,
    pub(crate) scoring: TermWeight,
    /// Whether documents can differ in frequency or length; if not, all score the same.
    pub(crate) varies: bool,
}

impl TermNode {
    /// `None` when no document of the segment has the term.
    pub(crate) fn info_in(&self, segment: usize) -> Option<&TermInfo> {
        self.infos.get(segment)?.as_ref()
    }
}

/// What a similarity needs besides frequency and length.
#[derive(Clone)]
pub(crate) struct TermWeight {
    pub(crate) scored_by: ScoredBy,
    pub(crate) boost: f32,
    pub(crate) stats: FieldStats,
    /// (term, documents with it): one for a term, all for a phrase.
    pub(crate) terms: Vec<(String, u64)>,
    pub(crate) idf: f32,
    pub(crate) similarity: Similarity,
    /// The field whose lengths count, if it keeps any.
    pub(crate) norms: Option<Field>,
    /// Where the postings are.
    pub(crate) views: Views,
}

pub(crate) struct SynonymNode {
    /// (term, boost).
    pub(crate) terms: Vec<(Term, f32)>,
    pub(crate) label: String,
    pub(crate) scoring: TermWeight,
}

pub(crate) struct PhraseNode {
    /// (position relative to the first, the terms that may stand there), ascending.
    pub(crate) positions: Vec<(u32, Vec<Term>)>,
    pub(crate) slop: u32,
    /// Of each position, which others share a term with it; none without slop.
    pub(crate) groups: Vec<Option<usize>>,
    pub(crate) label: String,
    pub(crate) scoring: TermWeight,
}
