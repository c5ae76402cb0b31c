//! Classic facets: values ordered and cut, ranges with hits enough, pivots level by level.
//!
//! In: the merged parts of all shards, in the order of the plan's facets, values in their own order; out:
//! results that `solr` writes. Trees and statistics are handed to `buckets`.

use std::cmp::Reverse;

use plan::partial::{
    BucketPartial, ByValue, FacetPartials, FieldCounts, FieldPartial, PivotLevel, PivotPartial, UnitCount,
};
use plan::{
    BucketPlan, BucketResult, FacetPlan, FacetResult, FacetSort, FieldFacet, FieldFacetResult, HeatmapFacet,
    HeatmapResult, IntervalFacet, IntervalFacetResult, PivotCount, PivotFacet, PivotFacetResult, QueryFacet,
    RangeFacet, RangeFacetResult, Value,
};

use super::buckets::{finish_bucket, heatmap_result};

/// What the facets of `plan` show of what all shards counted.
pub fn finish_facets(plan: &FacetPlan, merged: FacetPartials) -> FacetResult {
    let FacetPartials { queries, fields, ranges, intervals, pivots, heatmaps, tree, stats } = merged;
    let tree_of = |plan: &Option<BucketPlan>, merged: Option<BucketPartial>| -> Option<BucketResult> {
        plan.as_ref().zip(merged).map(|(plan, merged)| finish_bucket(plan, merged))
    };
    FacetResult {
        queries: query_counts(&plan.queries, queries),
        fields: plan.fields.iter().zip(fields).map(|(facet, merged)| field(plan, facet, merged)).collect(),
        ranges: plan.ranges.iter().zip(ranges).map(|(facet, counts)| range(facet, counts)).collect(),
        intervals: plan
            .intervals
            .iter()
            .zip(intervals)
            .map(|(facet, counts)| interval(facet, counts))
            .collect(),
        pivots: plan.pivots.iter().zip(pivots).map(|(facet, merged)| pivot(facet, merged)).collect(),
        heatmaps: plan.heatmaps.iter().zip(heatmaps).map(|(facet, counts)| heatmap(facet, counts)).collect(),
        tree: tree_of(&plan.tree, tree),
        stats: tree_of(&plan.stats, stats),
    }
}

fn query_counts(queries: &[QueryFacet], counts: Vec<UnitCount>) -> Vec<(String, u64)> {
    queries.iter().map(|facet| facet.key.clone()).zip(numbers(counts)).collect()
}

fn interval(facet: &IntervalFacet, counts: Vec<UnitCount>) -> IntervalFacetResult {
    IntervalFacetResult { key: facet.key.clone(), counts: query_counts(&facet.intervals, counts) }
}

fn numbers(counts: Vec<UnitCount>) -> impl Iterator<Item = u64> {
    counts.into_iter().map(|count| count.count())
}

fn range(facet: &RangeFacet, counts: Vec<UnitCount>) -> RangeFacetResult {
    let mut counts = numbers(counts);
    let own = facet.buckets.iter().zip(counts.by_ref());
    let own = own.filter(|(_, count)| *count >= facet.count_min);
    let own = own.map(|(bucket, count)| (bucket.label.clone(), count)).collect();
    RangeFacetResult {
        key: facet.key.clone(),
        gap: facet.gap.clone(),
        start: facet.start.clone(),
        end: facet.end.clone(),
        counts: own,
        others: facet.others.iter().map(|(which, _)| *which).zip(counts).collect(),
    }
}

fn heatmap(facet: &HeatmapFacet, counts: Vec<u32>) -> (String, HeatmapResult) {
    (facet.key.clone(), heatmap_result(facet, counts))
}

fn field(plan: &FacetPlan, facet: &FieldFacet, merged: FieldPartial) -> FieldFacetResult {
    // Groups are counted one by one, whether a hit has the value or not.
    let exists = facet.exists && plan.groups_of.is_none();
    let counts = match (merged.counts, &facet.terms) {
        (FieldCounts::Named(counts), Some(terms)) => {
            terms.iter().map(|(text, _)| Value::Str(text.clone())).zip(counts).collect()
        }
        (FieldCounts::Named(_), None) => Vec::new(),
        (FieldCounts::Values(values), _) => {
            page(facet, values, |count| seen(exists, count)).map(|(value, _, count)| (value, count)).collect()
        }
    };
    FieldFacetResult { key: facet.key.clone(), counts, missing: merged.missing.map(|count| count.count()) }
}

/// Where one hit is as good as many, each shard has counted at most one.
fn seen(exists: bool, count: &UnitCount) -> u64 {
    if exists { count.count().min(1) } else { count.count() }
}

/// The values of the page in order, each with its part and its count.
fn page<T>(
    facet: &FieldFacet,
    values: ByValue<T>,
    count: impl Fn(&T) -> u64,
) -> impl Iterator<Item = (Value, T, u64)> {
    let ByValue { list, left_out, .. } = values;
    let counted = list.into_iter().map(|(value, part)| {
        let count = count(&part);
        (value, part, count)
    });
    let mut shown: Vec<_> = counted.filter(|(.., count)| *count >= facet.count_min).collect();
    if facet.sort == FacetSort::Count {
        // Values come in their order, which stays between equal counts. Cached keys, so that pairs of numbers
        // are moved and not values with all that belongs to them.
        shown.sort_by_cached_key(|(.., count)| Reverse(*count));
    }
    let before = usize::try_from(left_out.before).unwrap_or(usize::MAX);
    let skipped = facet.offset.saturating_sub(before);
    shown.into_iter().skip(skipped).take(facet.limit.unwrap_or(usize::MAX))
}

fn pivot(facet: &PivotFacet, merged: PivotLevel) -> PivotFacetResult {
    let counts = level(facet, &facet.levels, merged).unwrap_or_default();
    PivotFacetResult { key: facet.key.clone(), counts }
}

/// `None` where there is nothing to list.
fn level(facet: &PivotFacet, levels: &[FieldFacet], merged: PivotLevel) -> Option<Vec<PivotCount>> {
    let (level, rest) = levels.split_first()?;
    let PivotLevel { values, missing } = merged;
    let counts_missing = missing.is_some();
    let values = page(level, values, |part| seen(level.exists, &part.count));
    let mut shown: Vec<PivotCount> = values
        .map(|(value, part, count)| pivot_count(facet, (level, rest), (Some(value), count), part))
        .collect();
    if shown.is_empty() && !counts_missing {
        return None;
    }
    // Those without a value need as many hits as a value does, and some.
    let missing = missing.filter(|part| part.count.count() >= level.count_min.max(1));
    shown.extend(missing.map(|part| pivot_count(facet, (level, rest), (None, part.count.count()), *part)));
    Some(shown)
}

fn pivot_count(
    facet: &PivotFacet,
    (level, rest): (&FieldFacet, &[FieldFacet]),
    (value, count): (Option<Value>, u64),
    part: PivotPartial,
) -> PivotCount {
    let PivotPartial { count: _, below, stats, queries, ranges } = part;
    let shown = PivotCount::of(&level.field, value, count);
    if count == 0 {
        return shown;
    }
    PivotCount {
        below: below.and_then(|below| self::level(facet, rest, below)),
        stats: facet.stats.as_ref().zip(stats).map(|(plan, stats)| finish_bucket(plan, stats)),
        queries: query_counts(&facet.queries, queries),
        ranges: facet.ranges.iter().zip(ranges).map(|(facet, counts)| range(facet, counts)).collect(),
        ..shown
    }
}
