//! What is counted of the hits. Classic facets, resolved: boundaries computed, options given their defaults.
//! Counts are over the hits of the query and all filters but those that a facet excludes by tag. In: what
//! `solr/facet` resolved; out for `engine/search/facet`, whose parts (`plan/partial`) have the plan's order.
//! Trees of facets with statistics are `bucket.rs`, maps `heatmap.rs`.

pub(crate) mod bucket;
pub(crate) mod heatmap;
pub(crate) mod listing;
pub(crate) mod range;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facet::bucket::{BucketPlan, SubFacet};
use crate::facet::heatmap::HeatmapFacet;
use crate::facet::listing::{ShardListing, ShownValues};
use crate::facet::range::{OtherRange, RangeBucket};
use crate::function::operand::CurrencyOf;
use crate::partial::CutDepth;
use crate::query::tree::Query;
use crate::value::Value;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FacetPlan {
    /// Whether the response carries facet counts at all.
    pub enabled: bool,
    pub queries: Vec<QueryFacet>,
    pub fields: Vec<FieldFacet>,
    pub ranges: Vec<RangeFacet>,
    pub intervals: Vec<IntervalFacet>,
    pub pivots: Vec<PivotFacet>,
    pub heatmaps: Vec<HeatmapFacet>,
    /// Fields, queries, ranges and pivots count the groups of this field that have hits, those without a
    /// value being one, and not the hits (Solr's `group.facet`).
    pub groups_of: Option<Arc<str>>,
    /// A tree of facets with statistics; its outermost bucket is the hits.
    pub tree: Option<BucketPlan>,
    /// Statistics of fields: one sub-facet for each, without a query.
    pub stats: Option<BucketPlan>,
    pub depth: CutDepth,
}

impl FacetPlan {
    /// As shards get it that are several.
    #[must_use]
    pub(crate) fn for_several_shards(&self) -> Self {
        let mut plan = Self { depth: CutDepth::Whole, ..self.clone() };
        // Groups are counted by their values: what a shard has of them says little of all.
        let counts_hits = self.groups_of.is_none();
        for facet in plan.fields.iter_mut().filter(|_| counts_hits) {
            facet.listing = facet.first_listing();
        }
        for facet in plan.tree.iter_mut().flat_map(|tree| &mut tree.facets) {
            if let Some(shown) = facet.shown_values() {
                *facet = facet.listing(ShardListing::leading(shown));
            } else if facet.ranked_by().is_some() {
                *facet = facet.listing(ShardListing::Ranked);
            }
        }
        plan
    }

    /// Whether shards may be asked once more for what they keep back of the values.
    pub(crate) fn may_be_asked_again(&self) -> bool {
        let outermost = self.tree.iter().flat_map(|tree| &tree.facets).filter_map(SubFacet::terms);
        let listings = outermost.map(|facet| &facet.listing);
        let mut listings = self.fields.iter().map(|facet| &facet.listing).chain(listings);
        self.depth == CutDepth::Whole && listings.any(ShardListing::keeps_back)
    }

    /// Whether anything is computed of all hits.
    pub fn reads_hits(&self) -> bool {
        self.enabled || self.tree.is_some() || self.stats.is_some()
    }
}

/// Counts over intervals of one field, which may overlap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalFacet {
    pub key: String,
    /// One query for each interval; its key is the interval's label.
    pub intervals: Vec<QueryFacet>,
    pub exclude_tags: Vec<String>,
}

/// Values of a first field, below each those of a second, and so on (Solr's pivots).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PivotFacet {
    pub key: String,
    /// Never empty. Keys and excluded tags of the levels mean nothing.
    pub levels: Vec<FieldFacet>,
    pub exclude_tags: Vec<String>,
    /// Statistics of each value's hits: one sub-facet for each field, without a query.
    pub stats: Option<BucketPlan>,
    /// Queries and ranges counted of each value's hits. Their excluded tags mean nothing.
    pub queries: Vec<QueryFacet>,
    pub ranges: Vec<RangeFacet>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryFacet {
    /// The name in the response.
    pub key: String,
    pub query: Query,
    pub exclude_tags: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldFacet {
    pub key: String,
    pub field: Arc<str>,
    pub sort: FacetSort,
    /// `None` is all (Solr's `-1`).
    pub limit: Option<usize>,
    pub offset: usize,
    pub count_min: u64,
    /// Also count the hits without a value.
    pub missing: bool,
    pub prefix: Option<String>,
    /// Only values that hold this text; the flag ignores case.
    pub contains: Option<(String, bool)>,
    /// Only values that match this regular expression as a whole.
    pub matches: Option<String>,
    /// Values left out (`facet.excludeTerms`).
    pub exclude_terms: Vec<String>,
    /// Just these values, in this order (`{!terms=a,b}`): each as it is written, and what finds it.
    pub terms: Option<Vec<(String, Query)>>,
    /// Count by the terms of the index, also where a field may not be uninverted (`facet.method=enum`).
    pub by_terms: bool,
    /// Count at most one: whether any hit has the value (`facet.exists`).
    pub exists: bool,
    pub exclude_tags: Vec<String>,
    pub listing: ShardListing,
}

impl FieldFacet {
    fn first_listing(&self) -> ShardListing {
        let end = self.limit.map(|limit| self.offset.saturating_add(limit));
        match (self.sort, end) {
            // Of those that any shard has each is among the first of its own shard.
            (FacetSort::Index, Some(end)) if self.count_min <= 1 && self.terms.is_none() => {
                ShardListing::First(end)
            }
            _ => self.shown_values().map_or(ShardListing::All, ShardListing::leading),
        }
    }

    /// `None` where the page is not of the most frequent values.
    pub fn shown_values(&self) -> Option<ShownValues> {
        let by_count = self.sort == FacetSort::Count && self.terms.is_none() && !self.exists;
        let reach = self.offset.saturating_add(self.limit.filter(|limit| by_count && *limit > 0)?);
        Some(ShownValues { reach, count_min: self.count_min, more_than_count: false })
    }

    /// All values with hits, most first, under the field's name.
    pub fn of(field: &Arc<str>) -> Self {
        Self {
            key: field.to_string(),
            field: field.clone(),
            sort: FacetSort::Count,
            limit: None,
            offset: 0,
            count_min: 1,
            missing: false,
            prefix: None,
            contains: None,
            matches: None,
            exclude_terms: Vec::new(),
            terms: None,
            by_terms: false,
            exists: false,
            exclude_tags: Vec::new(),
            listing: ShardListing::All,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FacetSort {
    /// Most hits first, ties in value order.
    Count,
    /// Value order.
    Index,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeFacet {
    pub key: String,
    pub field: Arc<str>,
    /// Of a field of prices: what is counted, bounds being amounts as it gives them.
    pub money: Option<Box<CurrencyOf>>,
    /// As shown.
    pub start: Value,
    /// The end that applies, after `hardend`.
    pub end: Value,
    /// The gap as sent, for the response.
    pub gap: String,
    pub buckets: Vec<RangeBucket>,
    pub others: Vec<(OtherRange, RangeBucket)>,
    pub count_min: u64,
    pub exclude_tags: Vec<String>,
}
