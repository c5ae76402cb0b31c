//! Counts of one shard's hits by classic facets, each in the order of its plan; trees are in
//! [`super::bucket`]. A shard counts all values where a count could still grow elsewhere, and as many as the
//! page needs where it is alone (`CutDepth`). Cutting, ordering and offsets are `cluster/finish`'s.

use serde::{Deserialize, Serialize};

use super::bucket::BucketPartial;
use super::by_value::ByValue;
use super::merge::Merge;
use super::units::UnitCount;

/// What a shard counted of its hits, for all facets of a plan, in the plan's order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FacetPartials {
    pub queries: Vec<UnitCount>,
    pub fields: Vec<FieldPartial>,
    /// By facet the counts of its ranges, those of the others last.
    pub ranges: Vec<Vec<UnitCount>>,
    /// By facet the counts of its intervals.
    pub intervals: Vec<Vec<UnitCount>>,
    pub pivots: Vec<PivotLevel>,
    /// By facet the counts of its cells; none where no cell has a hit.
    pub heatmaps: Vec<Vec<u32>>,
    pub tree: Option<BucketPartial>,
    pub stats: Option<BucketPartial>,
}

impl Merge for FacetPartials {
    fn merge(self, other: Self) -> Self {
        let Self { queries, fields, ranges, intervals, pivots, heatmaps, tree, stats } = other;
        Self {
            queries: self.queries.merge(queries),
            fields: self.fields.merge(fields),
            ranges: self.ranges.merge(ranges),
            intervals: self.intervals.merge(intervals),
            pivots: self.pivots.merge(pivots),
            heatmaps: self.heatmaps.merge(heatmaps),
            tree: self.tree.merge(tree),
            stats: self.stats.merge(stats),
        }
    }
}

/// The values of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldPartial {
    pub counts: FieldCounts,
    /// Hits without a value, when asked for.
    pub missing: Option<UnitCount>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FieldCounts {
    /// Of the values that the plan names, in its order: hits, whatever else is counted.
    Named(Vec<u64>),
    Values(ByValue<UnitCount>),
}

impl Merge for FieldPartial {
    fn merge(self, other: Self) -> Self {
        let counts = match (self.counts, other.counts) {
            (FieldCounts::Named(own), FieldCounts::Named(other)) => FieldCounts::Named(own.merge(other)),
            (FieldCounts::Values(own), FieldCounts::Values(other)) => FieldCounts::Values(own.merge(other)),
            // One plan names values or does not.
            (own, _) => own,
        };
        Self { counts, missing: self.missing.merge(other.missing) }
    }
}

/// The values of one level of a pivot, below one value of the level above.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PivotLevel {
    pub values: ByValue<PivotPartial>,
    /// Those without a value, when asked for.
    pub missing: Option<Box<PivotPartial>>,
}

impl Merge for PivotLevel {
    fn merge(self, other: Self) -> Self {
        Self { values: self.values.merge(other.values), missing: self.missing.merge(other.missing) }
    }
}

/// The hits of one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PivotPartial {
    pub count: UnitCount,
    /// `None` at the last level, and of no hits.
    pub below: Option<PivotLevel>,
    pub stats: Option<BucketPartial>,
    pub queries: Vec<UnitCount>,
    pub ranges: Vec<Vec<UnitCount>>,
}

impl PivotPartial {
    /// With nothing below it.
    pub fn of(count: UnitCount) -> Self {
        Self { count, ..Self::default() }
    }
}

impl Merge for PivotPartial {
    fn merge(self, other: Self) -> Self {
        let Self { count, below, stats, queries, ranges } = other;
        Self {
            count: self.count.merge(count),
            below: self.below.merge(below),
            stats: self.stats.merge(stats),
            queries: self.queries.merge(queries),
            ranges: self.ranges.merge(ranges),
        }
    }
}

impl FieldPartial {
    /// How many values are listed.
    pub fn len(&self) -> usize {
        match &self.counts {
            FieldCounts::Named(counts) => counts.len(),
            FieldCounts::Values(values) => values.list.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values with their counts; of named ones there are none.
    pub fn into_values(self) -> ByValue<UnitCount> {
        match self.counts {
            FieldCounts::Values(values) => values,
            FieldCounts::Named(_) => ByValue::default(),
        }
    }
}
