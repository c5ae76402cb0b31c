//! One shard's part of a tree of facets: what it computed of the documents of a bucket that it has, by the
//! places of the [`crate::BucketPlan`]. Filled by `engine/search/facet/tree`, merged here bucket by bucket,
//! made into numbers by `cluster/finish`: an average of averages would be wrong, a sum of sums is not.

use serde::{Deserialize, Serialize};

use super::by_value::ByValue;
use super::merge::Merge;
use super::stat::StatPartial;

/// What was computed of one bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BucketPartial {
    pub count: u64,
    /// In the order of the plan, or none at all: then there is nothing to add.
    pub stats: Vec<StatPartial>,
    /// In the order of the plan, `None` where nothing was computed because the bucket is empty; or none at
    /// all.
    pub facets: Vec<Option<SubFacetPartial>>,
}

impl Merge for BucketPartial {
    fn merge(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            stats: self.stats.merge(other.stats),
            facets: self.facets.merge(other.facets),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SubFacetPartial {
    Query(BucketPartial),
    Terms(TermsPartial),
    /// All ranges, those of the others last.
    Ranges(Vec<BucketPartial>),
    /// The counts of the cells; none where no cell has a hit.
    Heatmap(Vec<u32>),
}

impl Merge for SubFacetPartial {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Self::Query(own), Self::Query(other)) => Self::Query(own.merge(other)),
            (Self::Terms(own), Self::Terms(other)) => Self::Terms(own.merge(other)),
            (Self::Ranges(own), Self::Ranges(other)) => Self::Ranges(own.merge(other)),
            (Self::Heatmap(own), Self::Heatmap(other)) => Self::Heatmap(own.merge(other)),
            // One place of one plan is of one kind.
            (own, _) => own,
        }
    }
}

/// The buckets of the values of a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermsPartial {
    /// How many documents were cut into buckets, with or without a value.
    pub docs: u64,
    /// Whether the values are strings or truths: with fewer documents than a bucket needs these are not
    /// looked at.
    pub enumerable: bool,
    pub values: ByValue<BucketPartial>,
    /// When asked for.
    pub missing: Option<BucketPartial>,
    /// When asked for: each document as often as it has values.
    pub all_buckets: Option<BucketPartial>,
}

impl Merge for TermsPartial {
    fn merge(self, other: Self) -> Self {
        let Self { docs, enumerable, values, missing, all_buckets } = other;
        Self {
            docs: self.docs + docs,
            enumerable: self.enumerable || enumerable,
            values: self.values.merge(values),
            missing: self.missing.merge(missing),
            all_buckets: self.all_buckets.merge(all_buckets),
        }
    }
}
