//! What one shard answers, before it is cut, ordered and averaged: parts that merge with those of other
//! shards in any order and grouping. Made by `engine` from one snapshot; merged, and turned into the result
//! that writers read, in `cluster`. Here are the types and how they merge; nothing here decides what a page
//! shows.
//!
//! Invariant: parts made at [`crate::CutDepth::Whole`] merge to what one shard with all their documents would
//! have given, but for sums of reals ([`Sum`]), for parents and runs that a split tears apart
//! (`crates/engine/src/search/tests`), and for suggestions whose order depends on that of documents
//! (`crates/engine/src/suggest`).

mod bucket;
mod by_value;
mod cut_depth;
mod distinct;
mod facets;
mod fetch;
mod fingerprint;
mod groups;
mod heads;
mod hits;
mod index;
mod like;
mod merge;
mod moments;
mod related;
mod sorted;
mod stat;
mod statistics;
mod suggest;
mod units;

use serde::{Deserialize, Serialize};

use crate::config::component::Component;

pub use bucket::{BucketPartial, SubFacetPartial, TermsPartial};
pub use by_value::{ByValue, LeftOut};
pub use cut_depth::CutDepth;
pub use distinct::DistinctValues;
pub use facets::{FacetPartials, FieldCounts, FieldPartial, PivotLevel, PivotPartial};
pub use fetch::{ExpandRequest, FetchRequest, Fetched};
pub use fingerprint::IndexFingerprint;
pub use groups::{GroupPartial, GroupsPartial};
pub use heads::{ChosenHeads, HeadsStep};
pub use hits::{HitRef, RankedHits, SortValue};
pub use index::{FieldBytes, IndexedField, IndexedFields, OneFieldBytes, TermCounts, WordCounts};
pub use like::{FieldWords, LikeCounts, LikeFieldCounts, LikeWord, LikeWords};
pub use merge::Merge;
pub use moments::{Moments, Sum};
pub use related::RelatedCounts;
pub use stat::{Extreme, Samples, StatPartial};
pub use statistics::{Extremes, FieldStatistics, SearchStatistics, StatisticsTerm};
pub use suggest::{
    EntryOrder, NextWords, SameTexts, SuggestPartial, SuggestedEntries, SuggestedEntry, WordSequences,
};
pub use units::{GroupSet, UnitCount};

/// One shard's part of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShardResult {
    pub total: u64,
    /// Whether `total` is exact or a lower bound.
    pub total_exact: bool,
    /// Present when scores were computed; 0 when nothing matched.
    pub score_max: Option<f32>,
    /// Up to the end of the page, or as many as get a second opinion if those are more.
    pub hits: RankedHits,
    /// `None` where the plan asks for none, or the shard had to stop before they were counted: half a count
    /// is none.
    pub facets: Option<FacetPartials>,
    /// As [`crate::GroupPlan::by`].
    pub groups: Vec<GroupsPartial>,
    /// The first of the handler's steps that was not done because the request's allowance was used up.
    pub cut_before: Option<Component>,
}

impl ShardResult {
    /// The same with its hits named as those of a shard among others.
    #[must_use]
    pub fn of_shard(mut self, number: u32) -> Self {
        self.groups = self.groups.into_iter().map(|groups| groups.of_shard(number)).collect();
        self.hits.name_shard(number);
        self
    }
}

impl Merge for ShardResult {
    /// Facets that one shard has not counted nobody has: a sum over the others would pass for the whole.
    fn merge(self, other: Self) -> Self {
        let cut_before = earliest(self.cut_before, other.cut_before);
        let uncounted = cut_before.as_ref().is_some_and(|cut| step(cut) <= step(&Component::Facet));
        Self {
            total: self.total + other.total,
            total_exact: self.total_exact && other.total_exact,
            score_max: groups::greatest(self.score_max, other.score_max),
            hits: self.hits.merge(other.hits),
            facets: self.facets.merge(other.facets).filter(|_| !uncounted),
            groups: self.groups.merge(other.groups),
            cut_before,
        }
    }
}

fn earliest(own: Option<Component>, other: Option<Component>) -> Option<Component> {
    match (own, other) {
        (Some(own), Some(other)) => Some(if step(&own) <= step(&other) { own } else { other }),
        (own, other) => own.or(other),
    }
}

/// When a component's turn comes.
fn step(component: &Component) -> usize {
    let known = Component::DEFAULT.iter().position(|one| one == component);
    known.unwrap_or(Component::DEFAULT.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(total: u64, cut_before: Option<Component>) -> ShardResult {
        let whole = cut_before.is_none();
        let counted = cut_before != Some(Component::Facet);
        let facets = FacetPartials { queries: vec![UnitCount::Number(total)], ..FacetPartials::default() };
        ShardResult {
            total,
            total_exact: whole,
            score_max: Some(total as f32),
            facets: counted.then_some(facets),
            cut_before,
            ..ShardResult::default()
        }
    }

    #[test]
    fn a_merge_of_results_is_the_result_of_all() {
        let merged = part(2, None).merge(part(3, None));
        assert_eq!((merged.total, merged.total_exact, merged.score_max), (5, true, Some(3.0)));
        assert_eq!((merged.facets.unwrap().queries, merged.cut_before), (vec![UnitCount::Number(5)], None));
    }

    #[test]
    fn half_a_count_of_one_is_none_of_all() {
        let cut = |at| part(1, Some(at));
        let check = |parts: [ShardResult; 3], cut: Component, counted: Option<u64>| {
            let [one, two, three] = parts;
            let left = one.clone().merge(two.clone()).merge(three.clone());
            assert_eq!(left, one.merge(two.merge(three)));
            assert_eq!((left.total_exact, left.cut_before), (false, Some(cut)));
            assert_eq!(
                left.facets.map(|facets| facets.queries),
                counted.map(|count| vec![UnitCount::Number(count)])
            );
        };
        check([part(1, None), cut(Component::Facet), part(1, None)], Component::Facet, None);
        check([cut(Component::Expand), cut(Component::Facet), part(1, None)], Component::Facet, None);
        check([part(1, None), part(1, None), cut(Component::Expand)], Component::Expand, Some(3));
    }
}
