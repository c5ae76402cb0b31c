//! Searches whose allowance is used up after this many looks: they find nothing that a whole search does not,
//! say that they were cut short, and leave nothing half in the caches.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use meter::{Allowance, Clock, Limits, Meters};
use plan::{Component, FacetPlan, FacetResult, FieldFacet, Query, SearchPlan, SearchResult, SortBy, SortKey};
use proptest::prelude::*;

use super::brute_force::{doc, query, shard};
use super::build::{by, filter, metered, plan, search};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;

/// A millisecond goes by with every look.
#[derive(Default)]
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now_ms(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// An allowance for this many looks.
fn looks(count: u64) -> Meters {
    let limits = Limits { time_ms: Some(count), ..Limits::default() };
    let allowance = Allowance::new(limits, Arc::new(Ticking::default()), 0);
    Meters { allowance, ..Meters::default() }
}

fn ids(result: &SearchResult) -> Vec<&str> {
    result.hits.iter().map(|hit| hit.id.as_str()).collect()
}

fn with_facets(plan: SearchPlan) -> SearchPlan {
    let fields = ["c_s", "n_i", "e_ss"].map(|field| FieldFacet::of(&Arc::from(field)));
    SearchPlan { facets: FacetPlan { enabled: true, fields: fields.into(), ..FacetPlan::default() }, ..plan }
}

/// What a search within this many looks finds, and that the same caches serve a whole one afterwards.
fn check(snapshot: &Snapshot, plan: &SearchPlan, count: u64) -> Result<(), TestCaseError> {
    let caches = SearchCaches::new(&crate::config::CacheSizes::default());
    let whole = search(snapshot, plan, &SearchCaches::default()).unwrap();
    let meters = looks(count);
    let cut = metered(snapshot, plan, &caches, &meters).unwrap();
    let all: BTreeSet<&str> = ids(&whole).into_iter().collect();
    prop_assert!(ids(&cut).iter().all(|id| all.contains(id)));
    prop_assert!(cut.total <= whole.total);
    match cut.cut_before {
        None => {
            prop_assert_eq!((ids(&cut), cut.total), (ids(&whole), whole.total));
            prop_assert_eq!(&cut.facets, &whole.facets);
        }
        Some(_) => prop_assert!(meters.allowance.was_used_up()),
    }
    if cut.cut_before == Some(Component::Facet) {
        prop_assert_eq!(cut.facets, FacetResult::default());
        // Counts of nothing finish to the same, but say that nothing is there.
        let part = crate::search::search(snapshot, plan, &SearchCaches::default(), &looks(count)).unwrap();
        prop_assert!(part.facets.is_none());
    }
    let again = search(snapshot, plan, &caches).unwrap();
    prop_assert_eq!((ids(&again), again.total), (ids(&whole), whole.total));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_search_cut_short_finds_some_of_the_hits(
        docs in prop::collection::vec(doc(), 0..40),
        (main, restriction) in (query(), query()),
        count in 0u64..24,
        (sorted, faceted) in (any::<bool>(), any::<bool>()),
    ) {
        let shard = shard(&docs);
        let plan = SearchPlan { filters: vec![filter(restriction)], ..plan(main) };
        let plan = if sorted { SearchPlan { sort: vec![by("n_i", true)], ..plan } } else { plan };
        check(&shard, &if faceted { with_facets(plan) } else { plan }, count)?;
    }
}

#[test]
fn nothing_is_begun_with_nothing_allowed() {
    let docs = vec![];
    let plan = SearchPlan { sort: vec![SortKey { by: SortBy::Score, descending: true }], ..plan(Query::All) };
    let found = metered(&shard(&docs), &plan, &SearchCaches::default(), &looks(0)).unwrap();
    assert_eq!((found.total, found.total_exact, found.cut_before), (0, false, Some(Component::Facet)));
}
