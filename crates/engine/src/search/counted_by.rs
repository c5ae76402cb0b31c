//! By whose statistics a search scores: its shard's own, or those of all shards of its collection, which came
//! with the plan; or the shard's own while each of them is noted, for the others. Counting is `stats`'.
//!
//! While statistics are noted no term counts as missing: a query that ends early because this shard lacks a
//! word would hide the words behind it, which other shards need counted here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plan::partial::{Extremes, FieldStatistics, SearchStatistics, StatisticsTerm, TermCounts};
use plan::{Function, Fuzzy, Result, TermCount};
use tantivy::Term;

use crate::layout::FieldLayout;
use crate::snapshot::field_stats::FieldStats;

/// By what a search counts.
#[derive(Default)]
pub(crate) enum CountedBy<'a> {
    /// What the snapshot holds.
    #[default]
    Shard,
    /// The same, and each count is noted.
    Noting(&'a Mutex<SearchStatistics>),
    /// What all shards hold together.
    Collection(&'a SearchStatistics),
}

impl CountedBy<'_> {
    /// Of a field, of which the shard knows its `own`.
    pub(crate) fn field(
        &self,
        layout: &FieldLayout,
        own: impl FnOnce() -> Result<FieldStats>,
    ) -> Result<FieldStats> {
        match self {
            Self::Shard => own(),
            Self::Noting(noted) => {
                let FieldStats { doc_count, total_term_freq } = own()?;
                let field = FieldStatistics { documents: doc_count, occurrences: total_term_freq };
                lock(noted).fields.insert(layout.name.clone(), field);
                Ok(FieldStats { doc_count, total_term_freq })
            }
            Self::Collection(given) => match given.fields.get(&layout.name) {
                Some(field) => {
                    Ok(FieldStats { doc_count: field.documents, total_term_freq: field.occurrences })
                }
                None => own(),
            },
        }
    }

    /// Documents with a term, of which the shard has `own`.
    pub(crate) fn documents(&self, layout: &FieldLayout, term: &Term, own: u64) -> u64 {
        match self {
            Self::Shard => own,
            Self::Noting(noted) => {
                lock(noted).terms.insert(key(layout, term), own);
                own.max(1)
            }
            Self::Collection(given) => given.terms.get(&key(layout, term)).copied().unwrap_or(own),
        }
    }

    /// How often a term occurs.
    pub(crate) fn occurrences(
        &self,
        layout: &FieldLayout,
        term: &Term,
        own: impl FnOnce() -> Result<u64>,
    ) -> Result<u64> {
        match self {
            Self::Shard => own(),
            Self::Noting(noted) => {
                let own = own()?;
                lock(noted).occurrences.insert(key(layout, term), own);
                Ok(own)
            }
            Self::Collection(given) => {
                given.occurrences.get(&key(layout, term)).map_or_else(own, |known| Ok(*known))
            }
        }
    }

    /// All documents, and those of them that live; of which the shard has its `own`.
    pub(crate) fn all_documents(&self, own: (u64, u64)) -> (u64, u64) {
        match self {
            Self::Shard | Self::Noting(_) => own,
            Self::Collection(given) => (given.documents, given.living),
        }
    }

    /// The least and the greatest value of a function, of which the shard has its `own`.
    pub(crate) fn extremes(
        &self,
        function: &Function,
        own: impl FnOnce() -> Result<Extremes>,
    ) -> Result<Extremes> {
        match self {
            Self::Shard => own(),
            Self::Noting(noted) => {
                let own = own()?;
                let mut noted = lock(noted);
                if noted.extremes.iter().all(|(known, _)| known != function) {
                    noted.extremes.push((function.clone(), own));
                }
                Ok(own)
            }
            Self::Collection(given) => match given.extremes.iter().find(|(known, _)| known == function) {
                Some((_, extremes)) => Ok(*extremes),
                None => own(),
            },
        }
    }

    /// The nearest terms of a word with their documents, of which the shard has its `own`; in order of terms.
    pub(crate) fn near(&self, fuzzy: &Fuzzy, own: impl FnOnce() -> Result<TermCounts>) -> Result<TermCounts> {
        match self {
            Self::Shard => own(),
            Self::Noting(noted) => {
                let own = own()?;
                let mut noted = lock(noted);
                // Once, however often the plan names it: parts of several shards are added up.
                if noted.near.iter().all(|(known, _)| known != fuzzy) {
                    noted.near.push((fuzzy.clone(), own.clone()));
                }
                Ok(own)
            }
            Self::Collection(given) => match given.near.iter().find(|(known, _)| known == fuzzy) {
                Some((_, counts)) => Ok(counts.clone()),
                None => own(),
            },
        }
    }
}

fn key(layout: &FieldLayout, term: &Term) -> StatisticsTerm {
    (layout.name.clone(), term.serialized_value_bytes().into())
}

fn lock(noted: &Mutex<SearchStatistics>) -> MutexGuard<'_, SearchStatistics> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Term counts as the fuzzy query orders and cuts them.
pub(crate) fn term_counts(near: impl IntoIterator<Item = (String, u64)>) -> TermCounts {
    let count = |(term, documents)| TermCount { term, documents, occurrences: None };
    TermCounts(near.into_iter().map(count).collect())
}
