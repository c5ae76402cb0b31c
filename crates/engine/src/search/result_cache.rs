//! The hits that a search found and how many there were, kept for the same search of the same snapshot: a page of them, or a
//! shorter one, is then only loaded. What is kept has no documents, no facets and no explanations.

use std::sync::Arc;

use plan::{CacheStats, SearchPlan, SortBy, SortKey};

use super::collect::Found;
use crate::cache::Cache;
use crate::snapshot::Snapshot;

pub(crate) struct ResultCache(Cache<ResultKey, Arc<KeptResult>>);

/// A snapshot's number, and what was asked of it.
pub(crate) type ResultKey = (u64, Arc<str>);

/// The best `limit` hits in order, or all if there are fewer.
pub(crate) struct KeptResult {
    pub(crate) found: Vec<Found>,
    pub(crate) limit: usize,
    pub(crate) total: u64,
    /// Of a search that wanted scores.
    pub(crate) score_max: Option<f32>,
}

impl KeptResult {
    fn serves(&self, plan: &SearchPlan) -> bool {
        let reaches = plan.page.end() <= self.limit || self.found.len() as u64 == self.total;
        reaches && (!plan.scores || self.score_max.is_some())
    }
}

impl ResultCache {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self(Cache::new(bytes_max))
    }

    /// What identifies the search; `None` when its result is not to be kept.
    pub(crate) fn key(&self, snapshot: &Snapshot, plan: &SearchPlan) -> Option<ResultKey> {
        let by_score = matches!(plan.sort.as_slice(), [] | [SortKey { by: SortBy::Score, .. }]);
        let plain = plan.shape.is_plain();
        let whole = plain && !plan.facets.reads_hits() && !plan.explain && (by_score || !plan.scores);
        if !self.0.is_on() || !plan.cache || !whole {
            return None;
        }
        let mut filters: Vec<String> = plan.filters.iter().map(|it| format!("{:?}", it.query)).collect();
        filters.sort_unstable();
        Some((snapshot.number(), format!("{:?} {filters:?} {:?}", plan.query, plan.sort).into()))
    }

    /// Hits that the plan's page can be taken from.
    pub(crate) fn get(&self, key: &ResultKey, plan: &SearchPlan) -> Option<Arc<KeptResult>> {
        self.0.get_if(key, |kept| kept.serves(plan))
    }

    pub(crate) fn insert(&self, key: ResultKey, kept: Arc<KeptResult>) {
        let bytes = size_of_val(kept.found.as_slice()) + key.1.len();
        self.0.insert(key, kept, bytes as u64);
    }

    /// Forgets other snapshots.
    pub(crate) fn retain(&self, snapshot: u64) {
        self.0.retain(|(number, _)| *number == snapshot);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.0.stats()
    }
}
