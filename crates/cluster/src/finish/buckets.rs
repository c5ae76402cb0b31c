//! Trees of facets: which buckets are shown and in which order, and what is shown of each.
//!
//! In: what all shards counted, merged, and the facets of the plan; out: results that `solr` writes. Order
//! and cut are made here once; shards cut before only where there is one of them and the plan says so
//! (`CutDepth`). How a statistic orders buckets is `ranks`'.

use std::cmp::Reverse;

use plan::partial::{BucketPartial, ByValue, StatPartial, SubFacetPartial, TermsPartial};
use plan::{
    BucketPlan, BucketResult, Buckets, HeatmapFacet, HeatmapResult, Prelim, RangesFacet, StatValue, SubFacet,
    SubFacetKind, SubFacetResult, TermsFacet, TermsSort, Value,
};

use super::ranks::{Rank, rank};
use super::stats::{finish_stat, nothing};

/// What `plan` shows of one bucket.
pub(super) fn finish_bucket(plan: &BucketPlan, merged: BucketPartial) -> BucketResult {
    let BucketPartial { count, stats, facets } = merged;
    let empty = count == 0 && !plan.process_empty;
    let facets = plan.facets.iter().zip(facets).filter(|(facet, _)| !empty || facet.outgrows_nothing());
    let facets = facets.filter_map(|(facet, merged)| Some((facet.key.clone(), sub_facet(facet, merged?)?)));
    BucketResult {
        count,
        facets: facets.collect(),
        stats: if empty { Vec::new() } else { finish_stats(plan, stats) },
    }
}

fn finish_stats(plan: &BucketPlan, merged: Vec<StatPartial>) -> Vec<(String, StatValue)> {
    let stats = plan.stats.iter().zip(merged);
    stats.map(|(named, merged)| (named.key.clone(), finish_stat(&named.stat, merged))).collect()
}

/// `None` where the parts are not of the plan's kind.
fn sub_facet(facet: &SubFacet, merged: SubFacetPartial) -> Option<SubFacetResult> {
    let below = &facet.below;
    Some(match (&facet.kind, merged) {
        (SubFacetKind::Query(_), SubFacetPartial::Query(merged)) => {
            SubFacetResult::Query(finish_bucket(below, merged))
        }
        (SubFacetKind::Terms(plan), SubFacetPartial::Terms(merged)) => {
            SubFacetResult::Buckets(terms(plan, below, merged))
        }
        (SubFacetKind::Ranges(plan), SubFacetPartial::Ranges(merged)) => {
            SubFacetResult::Buckets(ranges(plan, below, merged))
        }
        (SubFacetKind::Heatmap(plan), SubFacetPartial::Heatmap(counts)) => {
            SubFacetResult::Heatmap(heatmap_result(plan, counts))
        }
        _ => return None,
    })
}

/// Its key is shown beside it.
pub(super) fn heatmap_result(facet: &HeatmapFacet, counts: Vec<u32>) -> HeatmapResult {
    HeatmapResult { map: facet.map, form: facet.form, counts }
}

fn ranges(plan: &RangesFacet, below: &BucketPlan, merged: Vec<BucketPartial>) -> Buckets {
    let mut merged = merged.into_iter();
    let own = plan.buckets.iter().zip(merged.by_ref()).filter(|(_, merged)| merged.count >= plan.count_min);
    let list = own.map(|((value, _), merged)| (value.clone(), finish_bucket(below, merged))).collect();
    let others = plan.others.iter().zip(merged);
    let others = others.map(|((which, _), merged)| (*which, finish_bucket(below, merged))).collect();
    Buckets { list, others, ..Buckets::default() }
}

fn terms(plan: &TermsFacet, below: &BucketPlan, merged: TermsPartial) -> Buckets {
    let TermsPartial { docs, enumerable, mut values, missing, mut all_buckets } = merged;
    if enumerable && docs < plan.count_min {
        // Solr does not look at the documents then (see `TermsPartial::enumerable`).
        values = ByValue::default();
        all_buckets = all_buckets.map(|_| BucketPartial::default());
    }
    if plan.count_min > 0 {
        values.list.retain(|(_, bucket)| bucket.count > 0);
    }
    let left_out = values.left_out;
    let count = values.list.len() as u64 + left_out.before + left_out.others;
    let offset = plan.offset.saturating_sub(usize::try_from(left_out.before).unwrap_or(usize::MAX));
    let page = ordered(plan, below, values.list);
    let page = page.into_iter().skip(offset).take(plan.limit.unwrap_or(usize::MAX));
    Buckets {
        list: page.map(|(value, merged)| (value, finish_bucket(below, merged))).collect(),
        num_buckets: plan.num_buckets.then_some(count),
        all_buckets: all_buckets.map(|merged| all_values(below, merged)),
        missing: missing.map(|merged| finish_bucket(below, merged)),
        others: Vec::new(),
    }
}

/// The values up to the end of the page of a facet, of each of which shards have told its count and the
/// statistic `stat` alone ([`plan::ShardListing::Ranked`]).
pub(crate) fn values_to_page_end(facet: &SubFacet, stat: usize, merged: TermsPartial) -> Vec<Value> {
    let SubFacetKind::Terms(plan) = &facet.kind else { return Vec::new() };
    if merged.enumerable && merged.docs < plan.count_min {
        return Vec::new();
    }
    let stats = facet.below.stats.get(stat).cloned().into_iter().collect();
    let below = BucketPlan { stats, ..BucketPlan::default() };
    let plan = TermsFacet { sort: TermsSort::Stat(0), ..plan.clone() };
    let end = plan.limit.map_or(usize::MAX, |limit| plan.offset.saturating_add(limit));
    ordered(&plan, &below, merged.values.list).into_iter().take(end).map(|(value, _)| value).collect()
}

/// The bucket of all values has statistics even when it is empty, and nothing below it, as in Solr.
fn all_values(below: &BucketPlan, merged: BucketPartial) -> BucketResult {
    let stats = match merged.stats.is_empty() {
        true => below.stats.iter().map(|named| (named.key.clone(), nothing(&named.stat))).collect(),
        false => finish_stats(below, merged.stats),
    };
    BucketResult { count: merged.count, stats, facets: Vec::new() }
}

type Listed = Vec<(Value, BucketPartial)>;

/// The buckets that come into consideration for the page, in order.
fn ordered(plan: &TermsFacet, below: &BucketPlan, mut list: Listed) -> Listed {
    list.retain(|(_, bucket)| bucket.count >= plan.count_min);
    if let (Some(Prelim { sort, descending, extra }), Some(limit)) = (plan.prelim, plan.limit) {
        list = sorted(list, below, (sort, descending));
        list.truncate(plan.offset.saturating_add(limit).saturating_add(extra));
        // Between equals the order of values decides, as it came.
        list.sort_by(|left, right| left.0.order(&right.0));
    }
    sorted(list, below, (plan.sort, plan.descending))
}

/// `list` comes in the order of values, which stays between equals.
fn sorted(mut list: Listed, below: &BucketPlan, (sort, descending): (TermsSort, bool)) -> Listed {
    match (sort, descending) {
        (TermsSort::Index, false) => {}
        (TermsSort::Index, true) => list.reverse(),
        (TermsSort::Count, false) => list.sort_by_cached_key(|(_, bucket)| bucket.count),
        (TermsSort::Count, true) => list.sort_by_cached_key(|(_, bucket)| Reverse(bucket.count)),
        (TermsSort::Stat(at), false) => list.sort_by_cached_key(|(_, bucket)| rank_of(below, at, bucket)),
        (TermsSort::Stat(at), true) => {
            list.sort_by_cached_key(|(_, bucket)| Reverse(rank_of(below, at, bucket)));
        }
    }
    list
}

fn rank_of(below: &BucketPlan, stat: usize, bucket: &BucketPartial) -> Rank {
    let stat = below.stats.get(stat).zip(bucket.stats.get(stat));
    stat.map_or(Rank::BeforeAll, |(named, merged)| rank(&named.stat.function, merged))
}
