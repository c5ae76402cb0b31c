//! Statistics of fields and terms as a snapshot keeps them: what is counted once serves every search of it.
//! Counting is `search`'s (`search/stats.rs`). Fields are few, behind a lock that is read at nearly every
//! search and written at the first that asks for one; of terms those stay that are asked for often.

use std::sync::{Arc, PoisonError, RwLock};

use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use crate::cache::Cache;

/// 1 / (k1 · (1 - b + b · length / average)) by norm id.
pub(crate) type Inverse = Arc<[f32; 256]>;

/// Of one field in one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SegmentFieldStats {
    /// Documents with at least one term.
    pub(crate) doc_count: u64,
    /// Terms counted as often as they occur.
    pub(crate) total_term_freq: u64,
}

/// Of one field in a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FieldStats {
    pub(crate) doc_count: u64,
    pub(crate) total_term_freq: u64,
}

impl FieldStats {
    /// Lucene's `avgdl`: divided in double, kept in single precision.
    pub(crate) fn average_length(self) -> f32 {
        if self.doc_count == 0 {
            return 1.0;
        }
        (self.total_term_freq as f64 / self.doc_count as f64) as f32
    }
}

/// The statistics of a snapshot's fields, and what their lengths are worth in BM25: of each field that was
/// asked for.
#[derive(Default)]
pub(crate) struct KnownFields(RwLock<Vec<(Field, FieldStats, Inverse)>>);

impl KnownFields {
    pub(crate) fn get(&self, field: Field) -> Option<(FieldStats, Inverse)> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(own, ..)| *own == field).map(|(_, stats, inverse)| (*stats, inverse.clone()))
    }

    pub(crate) fn keep(&self, field: Field, stats: FieldStats, inverse: Inverse) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Two searches may have asked at once.
        if known.iter().all(|(own, ..)| *own != field) {
            known.push((field, stats, inverse));
        }
    }
}

/// What each segment's dictionary says of a term, in the order of a snapshot's segments.
pub(crate) type TermInfos = Arc<[Option<TermInfo>]>;

/// What the terms of a snapshot come to: each look into a dictionary costs as much as a short search, and a
/// search over several shards asks twice, for the statistics of all shards and for the hits.
pub(crate) struct KnownTerms(Cache<Term, TermInfos>);

/// Some thousands of terms.
const KNOWN_TERMS_BYTES: u64 = 1 << 20;

impl Default for KnownTerms {
    fn default() -> Self {
        Self(Cache::new(KNOWN_TERMS_BYTES))
    }
}

impl KnownTerms {
    pub(crate) fn get(&self, term: &Term) -> Option<TermInfos> {
        self.0.get(term)
    }

    pub(crate) fn keep(&self, term: &Term, infos: TermInfos) {
        let bytes = term.serialized_value_bytes().len() + size_of_val(&*infos);
        self.0.insert(term.clone(), infos, bytes as u64);
    }
}
