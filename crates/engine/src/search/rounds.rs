//! What the rounds of one search have in common. A shard beside others is asked for values of facets up to
//! three times (ADR 17), and for groups twice, each time of the same hits: what it has counted in the first
//! round it keeps for the next ones, with the hits themselves. In: plans that differ in nothing but what is
//! counted and listed; out: hits and tables of counts. It is a pin's, so that it ends with the request and
//! never meets another snapshot.

use std::sync::{Arc, Mutex};

use plan::{DomainChange, FacetPlan, GroupListing, Page, SearchPlan};

use super::key_table::KeyTable;
use crate::lock::lock;
use crate::segment::bits::Bits;

/// The last search of a pin that may go on, if there was one.
#[derive(Default)]
pub(crate) struct Rounds(Mutex<Option<Arc<Round>>>);

/// One search, as far as it has come.
pub(super) struct Round {
    /// Without what is counted and shown.
    of: SearchPlan,
    pub(super) hits: Vec<Arc<Bits>>,
    counts: Mutex<Vec<(CountedOf, Arc<KeyTable>)>>,
}

/// What documents were counted of an outermost facet, and by which field.
#[derive(Clone, PartialEq)]
struct CountedOf {
    domain: DomainChange,
    field: Arc<str>,
}

impl Rounds {
    /// What an earlier round of this search has left.
    pub(super) fn before(&self, plan: &SearchPlan) -> Option<Arc<Round>> {
        let last = lock(&self.0).clone();
        last.filter(|round| round.of == without_counts(plan))
    }

    /// The first round of a search with these hits.
    pub(super) fn begin(&self, plan: &SearchPlan, hits: &[Arc<Bits>]) -> Arc<Round> {
        let (of, hits) = (without_counts(plan), hits.to_vec());
        let round = Arc::new(Round { of, hits, counts: Mutex::default() });
        *lock(&self.0) = Some(round.clone());
        round
    }
}

impl Round {
    /// What an earlier round has counted of an outermost facet, else what `count` comes to.
    pub(super) fn counts(
        &self,
        (domain, field): (&DomainChange, &Arc<str>),
        count: impl FnOnce() -> KeyTable,
    ) -> Arc<KeyTable> {
        let of = CountedOf { domain: domain.clone(), field: field.clone() };
        let mut counts = lock(&self.counts);
        if let Some((_, known)) = counts.iter().find(|(known, _)| *known == of) {
            return known.clone();
        }
        let counted = Arc::new(count());
        counts.push((of, counted.clone()));
        counted
    }
}

fn without_counts(plan: &SearchPlan) -> SearchPlan {
    SearchPlan {
        facets: FacetPlan::default(),
        page: Page { start: 0, rows: 0 },
        scores: false,
        shape: plan.shape.listing_groups(|| GroupListing::Leading),
        ..plan.clone()
    }
}

#[cfg(test)]
mod tests {
    use plan::{GroupBy, GroupPlan, Grouping, Query, Shape};

    use super::*;

    #[test]
    fn a_round_counts_what_none_before_it_has_counted() {
        let (rounds, plan) = (Rounds::default(), SearchPlan::count(Query::All));
        assert!(rounds.before(&plan).is_none());
        rounds.begin(&plan, &[]);
        let again = SearchPlan { page: Page { start: 3, rows: 1 }, scores: true, ..plan };
        let round = rounds.before(&again).unwrap();
        assert!(rounds.before(&SearchPlan { query: Query::Nothing, ..again }).is_none());

        let by = vec![Grouping::new("f", GroupBy::Field("f".into()), Page { start: 0, rows: 1 })];
        let groups = Page { start: 0, rows: 9 };
        let groups = GroupPlan { by, groups, sort: Vec::new(), count_groups: false, truncate: false };
        let shape = Shape { groups: Some(groups), ..Shape::default() };
        let first = SearchPlan { shape, ..SearchPlan::count(Query::All) }.for_several_shards();
        let of_page = first.shape.listing_groups(|| GroupListing::Counted(Arc::from([None])));
        let grouped = Rounds::default();
        grouped.begin(&first, &[]);
        assert!(grouped.before(&SearchPlan { shape: of_page, ..first }).is_some());

        let table = |count| {
            let mut table = KeyTable::new(None, 0);
            (0..count).for_each(|_| table.count(7));
            table
        };
        let (all, field, other) = (DomainChange::default(), Arc::from("f"), Arc::from("g"));
        let tagged = DomainChange { exclude_tags: vec!["t".to_owned()], ..DomainChange::default() };
        let counts = |domain, field, count| round.counts((domain, field), || table(count)).count_of(7);
        assert_eq!([counts(&all, &field, 1), counts(&tagged, &field, 2), counts(&all, &other, 3)], [1, 2, 3]);
        assert_eq!([counts(&all, &field, 9), counts(&tagged, &field, 9), counts(&all, &other, 9)], [1, 2, 3]);
    }
}
