//! The hits that a search found and how many there were, kept for the same search of the same snapshot: of a
//! page of them, or a shorter one, only the second step is left. What is kept has no documents, no facets and
//! no explanations. A search is found by the fingerprint of what decides its hits, and compared whole.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use plan::partial::{HitRef, RankedHits, SearchStatistics, ShardResult, SortValue};
use plan::{CacheStats, CutDepth, Fingerprint, MatchScope, Query, SearchPlan, SortKey, Value};
use quick_cache::Equivalent;

use crate::cache::Cache;
use crate::snapshot::Snapshot;

pub(crate) struct ResultCache(Cache<ResultKey, Arc<KeptResult>>);

/// What decides the hits of a search: the snapshot, the query, the filters in whatever order, the sort.
#[derive(PartialEq)]
struct ResultKey {
    snapshot: u64,
    fingerprint: u64,
    query: Query,
    /// In order of their fingerprints.
    filters: Vec<Query>,
    sort: Vec<SortKey>,
    /// What its scores depend on in other shards.
    statistics: Option<Arc<SearchStatistics>>,
}

/// The same of a plan, which is copied only when its result is kept.
pub(crate) struct ResultLookup<'a> {
    snapshot: u64,
    fingerprint: u64,
    plan: &'a SearchPlan,
    filters: Vec<&'a Query>,
    /// About what the key takes.
    bytes: usize,
}

pub(crate) struct KeptResult {
    /// The best, or all if there are fewer.
    hits: RankedHits,
    /// Whether they have the values that they are sorted by.
    compares: bool,
    total: u64,
    /// Of a search that wanted scores.
    score_max: Option<f32>,
}

/// A key with a number that is none is never found again, which is what a query with such a number deserves.
impl Eq for ResultKey {}

impl Hash for ResultKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.snapshot, self.fingerprint).hash(state);
    }
}

impl Hash for ResultLookup<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.snapshot, self.fingerprint).hash(state);
    }
}

impl Equivalent<ResultKey> for ResultLookup<'_> {
    fn equivalent(&self, key: &ResultKey) -> bool {
        (self.snapshot, self.fingerprint) == (key.snapshot, key.fingerprint)
            && self.plan.sort == key.sort
            && self.plan.query == key.query
            && self.plan.statistics == key.statistics
            && self.filters.iter().copied().eq(&key.filters)
    }
}

impl<'a> ResultLookup<'a> {
    fn of(snapshot: u64, plan: &'a SearchPlan) -> Self {
        // Most searches are by score and of one shard: what these share is left out. Keys are compared whole.
        let own = match (SortKey::are_by_score(&plan.sort), &plan.statistics) {
            (true, None) => Fingerprint::of(&plan.query),
            _ => Fingerprint::of(&(&plan.query, &plan.sort, &plan.statistics)),
        };
        let fingerprinted = plan.filters.iter().map(|filter| (Fingerprint::of(&filter.query), &filter.query));
        let mut filters: Vec<_> = fingerprinted.collect();
        filters.sort_unstable_by_key(|(fingerprint, _)| *fingerprint);
        // Each of them counts by its turn, so that two alike do not cancel out.
        let mix = |all: u64, (one, _): &(Fingerprint, _)| all.rotate_left(5).wrapping_add(one.hash);
        let fingerprint = filters.iter().fold(own.hash, mix);
        let bytes = own.bytes + filters.iter().map(|(fingerprint, _)| fingerprint.bytes).sum::<usize>();
        let filters = filters.into_iter().map(|(_, query)| query).collect();
        Self { snapshot, fingerprint, plan, filters, bytes }
    }

    fn to_key(&self) -> ResultKey {
        let Self { snapshot, fingerprint, plan, ref filters, bytes: _ } = *self;
        let filters = filters.iter().copied().cloned().collect();
        let (query, sort) = (plan.query.clone(), plan.sort.clone());
        ResultKey { snapshot, fingerprint, query, filters, sort, statistics: plan.statistics.clone() }
    }
}

impl KeptResult {
    /// What of the plan's whole result is kept. A shard that is alone has its hits in order: nobody compares
    /// them, so that they need no values, each of which would be an allocation here and again for every hit
    /// of every page taken from them.
    pub(crate) fn of(plan: &SearchPlan, result: &ShardResult) -> Arc<Self> {
        let RankedHits { limit, list } = &result.hits;
        let merges = plan.facets.depth == CutDepth::Whole;
        let kept = |hit: &HitRef| if merges { hit.clone() } else { HitRef { sort: Vec::new(), ..*hit } };
        let compares = merges || list.iter().all(|hit| hit.sort.is_empty());
        let hits = RankedHits { limit: *limit, list: list.iter().map(kept).collect() };
        Arc::new(Self { hits, compares, total: result.total, score_max: result.score_max })
    }

    /// As the search of a plan that this [serves](Self::serves) would find it.
    pub(crate) fn result(&self, plan: &SearchPlan) -> ShardResult {
        let limit = if plan.page.rows > 0 { plan.page.end() } else { 0 };
        let list = self.hits.list.iter().take(limit).cloned().collect();
        ShardResult {
            total: self.total,
            total_exact: true,
            score_max: self.score_max.filter(|_| plan.scores),
            hits: RankedHits { limit, list },
            ..ShardResult::default()
        }
    }

    fn serves(&self, plan: &SearchPlan) -> bool {
        let reaches = plan.page.end() <= self.hits.limit || self.hits.list.len() as u64 == self.total;
        let compares = self.compares || plan.facets.depth == CutDepth::Page;
        reaches && compares && (!plan.scores || self.score_max.is_some())
    }
}

/// What hits take, with the values that order them.
fn bytes_of(hits: &[HitRef]) -> usize {
    let text = |value: &SortValue| match value.value() {
        Some(Value::Str(text)) => text.len(),
        _ => 0,
    };
    let values = |hit: &HitRef| size_of_val(hit.sort.as_slice()) + hit.sort.iter().map(text).sum::<usize>();
    size_of_val(hits) + hits.iter().map(values).sum::<usize>()
}

impl ResultCache {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self(Cache::new(bytes_max))
    }

    /// What identifies the search; `None` when its result is not to be kept.
    pub(crate) fn lookup<'a>(&self, snapshot: &Snapshot, plan: &'a SearchPlan) -> Option<ResultLookup<'a>> {
        // Only the search for the best scores every hit on its way; elsewhere the page's alone have scores,
        // not those before it.
        let by_score = SortKey::are_by_score(&plan.sort);
        let plain = plan.shape.is_plain();
        let whole = plain && !plan.facets.reads_hits() && !plan.explain && (by_score || !plan.scores);
        // What other shards say changes without this one's snapshot.
        let is_own = |query: &Query| query.scope() < MatchScope::Collections;
        let all_own = || is_own(&plan.query) && plan.filters.iter().all(|filter| is_own(&filter.query));
        (self.0.is_on() && plan.cache && whole && all_own())
            .then(|| ResultLookup::of(snapshot.number(), plan))
    }

    /// Hits that the plan's page can be taken from.
    pub(crate) fn get(&self, lookup: &ResultLookup<'_>) -> Option<Arc<KeptResult>> {
        self.0.get_if(lookup, |kept| kept.serves(lookup.plan))
    }

    pub(crate) fn insert(&self, lookup: &ResultLookup<'_>, kept: Arc<KeptResult>) {
        let bytes = bytes_of(&kept.hits.list) + lookup.bytes;
        self.0.insert(lookup.to_key(), kept, bytes as u64);
    }

    /// Forgets other snapshots.
    pub(crate) fn retain(&self, snapshot: u64) {
        self.0.retain(|key| key.snapshot == snapshot);
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.0.stats()
    }
}

#[cfg(test)]
mod tests {
    use plan::{Filter, Value};

    use super::*;

    fn term(word: &str) -> Query {
        Query::Term { field: "name_s".into(), value: Value::Str(word.to_owned()) }
    }

    fn plan(query: Query, filters: &[&str]) -> SearchPlan {
        let filter = |word: &&str| Filter { query: term(word), cache: true, cost: 0, tags: Vec::new() };
        SearchPlan { filters: filters.iter().map(filter).collect(), ..SearchPlan::count(query) }
    }

    #[test]
    fn a_search_is_found_whatever_the_order_of_its_filters() {
        let known = plan(term("a"), &["b", "c", "c"]);
        let key = ResultLookup::of(1, &known).to_key();
        let check = |snapshot, other: &SearchPlan, expected| {
            assert_eq!(ResultLookup::of(snapshot, other).equivalent(&key), expected, "{other:?}");
        };
        check(1, &known, true);
        check(1, &plan(term("a"), &["c", "b", "c"]), true);
        check(1, &plan(term("a"), &["b", "b", "c"]), false);
        check(1, &plan(term("a"), &["b", "c"]), false);
        check(1, &plan(term("b"), &["a", "c", "c"]), false);
        check(2, &known, false);
    }

    #[test]
    fn equal_fingerprints_are_not_enough() {
        let (one, other) = (plan(term("a"), &[]), plan(term("b"), &[]));
        let key = ResultLookup::of(1, &one).to_key();
        let forged = ResultLookup { fingerprint: key.fingerprint, ..ResultLookup::of(1, &other) };
        assert!(!forged.equivalent(&key));
    }
}
