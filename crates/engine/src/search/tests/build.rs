//! Short ways to write queries and plans.

use std::ops::Bound;
use std::sync::Arc;

use cluster::{ShardSnapshot, SnapshotAnswer, SnapshotRequest};
use meter::Meters;
use plan::partial::{
    ExpandRequest, FetchRequest, Fetched, GroupPartial, GroupsPartial, HeadsStep, HitRef, Merge,
    SearchStatistics, ShardResult,
};
use plan::{
    Clause, Error, FacetResult, Filter, Occur, Page, Phrase, PhrasePosition, Query, Range, Result,
    SearchPlan, SearchResult, SortBy, SortKey, Value,
};

use crate::search::context::SearchContext;
use crate::search::{self, Rounds, SearchCaches};
use crate::snapshot::Snapshot;

/// A search that nobody meters.
pub(super) fn search(snapshot: &Snapshot, plan: &SearchPlan, caches: &SearchCaches) -> Result<SearchResult> {
    metered(snapshot, plan, caches, &Meters::default())
}

/// A search of a collection of one shard.
pub(super) fn metered(
    snapshot: &Snapshot,
    plan: &SearchPlan,
    caches: &SearchCaches,
    meters: &Meters,
) -> Result<SearchResult> {
    cluster::search_shards(&[Arc::new(Pinned::new(snapshot, caches))], plan, meters)
}

/// A snapshot of a test as what is above the engine knows it.
pub(super) struct Pinned<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) caches: &'a SearchCaches,
    rounds: Rounds,
}

impl<'p> Pinned<'p> {
    pub(super) fn new(snapshot: &'p Snapshot, caches: &'p SearchCaches) -> Self {
        Self { snapshot, caches, rounds: Rounds::default() }
    }

    fn context<'a>(&'a self, plan: &'a SearchPlan, meters: &Meters) -> SearchContext<'a> {
        let context = crate::search::context_of(self.snapshot, self.caches).within(meters).of_plan(plan);
        SearchContext { explains: plan.explain, ..context }
    }
}

impl ShardSnapshot for Pinned<'_> {
    fn statistics(&self, plan: &SearchPlan, meters: &Meters) -> Result<SearchStatistics> {
        search::statistics(self.snapshot, plan, self.caches, meters)
    }

    fn heads(&self, plan: &SearchPlan, step: &HeadsStep, meters: &Meters) -> Result<GroupsPartial> {
        search::heads(self.snapshot, (plan, step), self.caches, meters)
    }

    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult> {
        search::search_in_rounds(self.snapshot, (plan, &self.rounds), self.caches, meters)
    }

    fn group_values(
        &self,
        plan: &SearchPlan,
        hits: &[&HitRef],
        meters: &Meters,
    ) -> Result<Vec<Option<Value>>> {
        let expand = plan.shape.expand.as_ref().unwrap();
        search::group_values(&self.context(plan, meters), expand, hits)
    }

    fn expand(
        &self,
        plan: &SearchPlan,
        request: &ExpandRequest<'_>,
        meters: &Meters,
    ) -> Result<Vec<GroupPartial>> {
        let expand = plan.shape.expand.as_ref().unwrap();
        search::expand(&self.context(plan, meters), (plan, expand), (request.values, request.page))
    }

    fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, meters: &Meters) -> Result<Fetched> {
        let context = self.context(plan, meters);
        let hits = search::fetch_hits(&context, plan, request.hits)?;
        let expanded = search::fetch_expanded(&context, plan, request.expanded)?;
        Ok(Fetched { hits, expanded, highlights: Vec::new() })
    }

    fn read(&self, _: SnapshotRequest<'_>, _: &Meters) -> Result<SnapshotAnswer> {
        Err(Error::internal("a snapshot of these tests is only searched"))
    }
}

pub(super) fn term(field: &str, word: &str) -> Query {
    Query::Term { field: Arc::from(field), value: Value::Str(word.into()) }
}

pub(super) fn value(field: &str, value: Value) -> Query {
    Query::Term { field: Arc::from(field), value }
}

pub(super) fn boolean<const N: usize>(clauses: [(Occur, Query); N]) -> Query {
    at_least(0, clauses)
}

pub(super) fn at_least<const N: usize>(minimum_should_match: usize, clauses: [(Occur, Query); N]) -> Query {
    let clauses = clauses.into_iter().map(|(occur, query)| Clause { occur, query }).collect();
    Query::Boolean { clauses, minimum_should_match }
}

pub(super) fn any<const N: usize>(queries: [Query; N]) -> Query {
    boolean(queries.map(|query| (Occur::Should, query)))
}

pub(super) fn all<const N: usize>(queries: [Query; N]) -> Query {
    boolean(queries.map(|query| (Occur::Must, query)))
}

pub(super) fn boost(boost: f32, query: Query) -> Query {
    Query::Boost { query: Box::new(query), boost }
}

pub(super) fn phrase(field: &str, words: &str, slop: u32) -> Query {
    let positions = (0u32..)
        .zip(words.split(' '))
        .map(|(position, word)| PhrasePosition { position, terms: vec![word.into()] })
        .collect();
    Query::Phrase(Phrase { field: Arc::from(field), positions, slop })
}

pub(super) fn range(field: &str, lower: Bound<Value>, upper: Bound<Value>) -> Query {
    Query::Range(Range { field: Arc::from(field), lower, upper })
}

pub(super) fn filter(query: Query) -> Filter {
    Filter { query, cache: true, cost: 0, tags: Vec::new() }
}

pub(super) fn by(field: &str, descending: bool) -> SortKey {
    SortKey { by: SortBy::Field(Arc::from(field)), descending }
}

/// What the facets of a plan show of all shards together.
pub(super) fn shown(shards: &[Snapshot], plan: &SearchPlan, pairs: &[usize]) -> FacetResult {
    let count = |shard| {
        let counted = search::search(shard, plan, &SearchCaches::default(), &Meters::default());
        counted.unwrap().facets.unwrap()
    };
    cluster::finish_facets(&plan.facets, merged(shards.iter().map(count), pairs))
}

/// Parts as one, merged pair by pair: always the one at a place of `pairs` with the one behind it; in their
/// order where there are none.
pub(super) fn merged<T: Merge>(parts: impl Iterator<Item = T>, pairs: &[usize]) -> T {
    let mut parts: Vec<T> = parts.collect();
    let mut pairs = pairs.iter().copied().cycle();
    while parts.len() > 1 {
        let at = pairs.next().unwrap_or(0) % (parts.len() - 1);
        let (own, other) = (parts.remove(at), parts.remove(at));
        // Either way round.
        parts.insert(at, if at.is_multiple_of(2) { own.merge(other) } else { other.merge(own) });
    }
    parts.remove(0)
}

/// By score, the first hundred, with scores, without stored fields.
pub(super) fn plan(query: Query) -> SearchPlan {
    SearchPlan {
        sort: vec![SortKey { by: SortBy::Score, descending: true }],
        page: Page { start: 0, rows: 100 },
        scores: true,
        cache: true,
        ..SearchPlan::count(query)
    }
}
