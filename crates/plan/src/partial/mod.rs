//! What one shard answers, before it is cut, ordered and averaged: parts that merge with those of other shards in any order
//! and grouping. Made by `engine` from one snapshot; merged, and turned into the result that writers read, in `cluster`.
//! Here are the types and how they merge; nothing here decides what a page shows.
//!
//! Invariant: parts made at [`crate::CutDepth::Whole`] merge to what one shard with all their documents would have given, but
//! for sums of reals ([`Sum`]), for the best hits of groups (`group.truncate`), for parents and runs that a split tears apart
//! (`crates/engine/src/search/tests`), and for suggestions whose order hangs on that of documents (`crates/engine/src/suggest`).

mod bucket;
mod by_value;
mod facets;
mod index;
mod like;
mod moments;
mod related;
mod sorted;
mod stat;
mod suggest;
mod units;

use crate::component::Component;
use crate::highlight::Highlights;
use crate::result::Hit;
use crate::shape::ShapeResult;

pub use bucket::{BucketPartial, SubFacetPartial, TermsPartial};
pub use by_value::{ByValue, LeftOut};
pub use facets::{FacetPartials, FieldCounts, FieldPartial, PivotLevel, PivotPartial};
pub use index::{IndexedField, IndexedFields, TermCounts, WordCounts};
pub use like::{FieldWords, LikeCounts, LikeFieldCounts, LikeWord, LikeWords};
pub use moments::{Moments, Sum};
pub use related::RelatedCounts;
pub use stat::{DistinctValues, Extreme, Samples, StatPartial};
pub use suggest::{
    EntryOrder, NextWords, SameTexts, SuggestPartial, SuggestedEntries, SuggestedEntry, WordSequences,
};
pub use units::{GroupSet, UnitCount};

/// Parts of a whole. Merging is associative and commutative.
pub trait Merge {
    #[must_use]
    fn merge(self, other: Self) -> Self;
}

/// Counts add up.
impl Merge for u64 {
    fn merge(self, other: Self) -> Self {
        self + other
    }
}

/// As many as can be shown.
impl Merge for u32 {
    fn merge(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

/// Where one has nothing to add.
impl<T: Merge> Merge for Option<T> {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Some(own), Some(other)) => Some(own.merge(other)),
            (own, other) => own.or(other),
        }
    }
}

impl<T: Merge> Merge for Box<T> {
    fn merge(self, other: Self) -> Self {
        Box::new((*self).merge(*other))
    }
}

/// Place by place, in the plan's order; an empty list has nothing to add.
impl<T: Merge> Merge for Vec<T> {
    fn merge(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => self.into_iter().zip(other).map(|(own, other)| own.merge(other)).collect(),
        }
    }
}

/// One shard's part of a search.
#[derive(Clone, Debug, Default)]
pub struct ShardResult {
    pub total: u64,
    /// Whether `total` is exact or a lower bound.
    pub total_exact: bool,
    /// Present when scores were computed; 0 when nothing matched.
    pub score_max: Option<f32>,
    /// The shard's hits up to the end of the page, in order.
    pub hits: Vec<Hit>,
    /// `None` where the plan asks for none, or the shard had to stop before they were counted: half a count is none.
    pub facets: Option<FacetPartials>,
    pub shape: ShapeResult,
    /// Of the hits shown, when the plan asks for them.
    pub highlights: Vec<Highlights>,
    /// The first of the handler's steps that was not done because the request's allowance was used up.
    pub cut_before: Option<Component>,
}
