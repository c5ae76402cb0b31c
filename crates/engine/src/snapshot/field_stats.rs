//! Statistics of fields and terms as a snapshot keeps them: what is counted once serves every search of it.
//! Counting is `search`'s (`search/stats.rs`). Fields are few, behind a lock that is read at nearly every
//! search and written at the first that asks for one; of terms those stay that are asked for often.

use std::sync::{Arc, PoisonError, RwLock};

use plan::Similarity;
use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use crate::cache::Cache;

/// What lengths are worth by a similarity, by norm id.
pub(crate) type LengthWorths = Arc<[f32; 256]>;

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

/// The statistics of a snapshot's fields, and what their lengths are worth: of each field that was asked for,
/// by each similarity, which an edit of the schema may change while the snapshot stays.
#[derive(Default)]
pub(crate) struct KnownFields(RwLock<Vec<(Field, Similarity, FieldStats, LengthWorths)>>);

impl KnownFields {
    pub(crate) fn get(&self, field: Field, by: Similarity) -> Option<(FieldStats, LengthWorths)> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(own, own_by, ..)| (*own, *own_by) == (field, by));
        found.map(|(.., stats, worths)| (*stats, worths.clone()))
    }

    pub(crate) fn keep(&self, field: Field, by: Similarity, (stats, worths): (FieldStats, LengthWorths)) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Two searches may have asked at once.
        if known.iter().all(|(own, own_by, ..)| (*own, *own_by) != (field, by)) {
            known.push((field, by, stats, worths));
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
