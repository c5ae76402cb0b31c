//! What comes back up: hits, facets, explanations, outcomes of updates. Finished, as `cluster` makes it from
//! the parts of shards (`partial`); `solr` writes it, and nothing below `cluster` names it (`cargo xtask
//! tidy`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::component::Component;
use crate::error::{Error, Result};
use crate::facet::bucket::BucketResult;
use crate::facet::heatmap::HeatmapResult;
use crate::facet::range::OtherRange;
use crate::search::highlight::Highlights;
use crate::search::hit::Hit;
use crate::search::shape_result::ShapeResult;
use crate::update::Refusal;
use crate::value::Value;

/// What is shown. Its hits are [`crate::partial::HitRef`] until they are fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult<H = Hit> {
    pub total: u64,
    /// Whether `total` is exact or a lower bound.
    pub total_exact: bool,
    /// Present when scores were computed; 0 when nothing matched.
    pub score_max: Option<f32>,
    /// The page asked for, in order.
    pub hits: Vec<H>,
    pub facets: FacetResult,
    pub shape: ShapeResult<H>,
    /// Of the hits shown, when the plan asks for them.
    pub highlights: Vec<Highlights>,
    /// The first of the handler's steps that was not done because the request's allowance was used up.
    pub cut_before: Option<Component>,
    /// What each shard found, in the order of those that were asked; empty where one alone was.
    pub by_shard: Vec<ShardFound>,
}

/// What one of several shards found (Solr's `shards.info`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardFound {
    pub total: u64,
    pub total_exact: bool,
    pub score_max: Option<f32>,
    pub elapsed_ms: u64,
}

impl<H> Default for SearchResult<H> {
    fn default() -> Self {
        Self {
            total: 0,
            total_exact: false,
            score_max: None,
            hits: Vec::new(),
            facets: FacetResult::default(),
            shape: ShapeResult::default(),
            highlights: Vec::new(),
            cut_before: None,
            by_shard: Vec::new(),
        }
    }
}

impl<H> SearchResult<H> {
    /// The page's hits and those in groups, in the order in which they are shown.
    pub fn shown(&self) -> impl Iterator<Item = &H> {
        let groups = self.shape.groups.iter().flat_map(|one| &one.groups);
        self.hits.iter().chain(groups.flat_map(|group| &group.hits))
    }

    /// The other members of the page's groups, likewise.
    pub fn expanded(&self) -> impl Iterator<Item = &H> {
        self.shape.expanded.iter().flat_map(|group| &group.hits)
    }

    /// With each hit turned into what `turn` makes of it: first all of [`Self::shown`], then those of
    /// [`Self::expanded`].
    pub fn try_map<T>(self, mut turn: impl FnMut(H) -> Result<T>) -> Result<SearchResult<T>> {
        let Self { total, total_exact, score_max, hits, facets, shape, highlights, cut_before, by_shard } =
            self;
        let hits = hits.into_iter().map(&mut turn).collect::<Result<_>>()?;
        let shape = shape.try_map(&mut turn)?;
        Ok(SearchResult {
            total,
            total_exact,
            score_max,
            hits,
            facets,
            shape,
            highlights,
            cut_before,
            by_shard,
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FacetResult {
    pub queries: Vec<(String, u64)>,
    pub fields: Vec<FieldFacetResult>,
    pub ranges: Vec<RangeFacetResult>,
    pub intervals: Vec<IntervalFacetResult>,
    pub pivots: Vec<PivotFacetResult>,
    /// By the key of each.
    pub heatmaps: Vec<(String, HeatmapResult)>,
    pub tree: Option<BucketResult>,
    pub stats: Option<BucketResult>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct IntervalFacetResult {
    pub key: String,
    /// (label, hits).
    pub counts: Vec<(String, u64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PivotFacetResult {
    pub key: String,
    pub counts: Vec<PivotCount>,
}

/// A value of one field, and below it the values of the next among the hits that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct PivotCount {
    pub field: Arc<str>,
    /// `None` stands for the hits without a value.
    pub value: Option<Value>,
    pub count: u64,
    /// `None` where nothing is listed, not even that none has a value.
    pub below: Option<Vec<PivotCount>>,
    pub stats: Option<BucketResult>,
    /// As those of [`FacetResult`], of this value's hits.
    pub queries: Vec<(String, u64)>,
    /// Likewise.
    pub ranges: Vec<RangeFacetResult>,
}

impl PivotCount {
    /// With nothing below it.
    pub fn of(field: &Arc<str>, value: Option<Value>, count: u64) -> Self {
        let (queries, ranges) = (Vec::new(), Vec::new());
        Self { field: field.clone(), value, count, below: None, stats: None, queries, ranges }
    }
}

/// (value, hits).
pub type FacetCounts = Vec<(Value, u64)>;

#[derive(Clone, Debug, PartialEq)]
pub struct FieldFacetResult {
    pub key: String,
    pub counts: FacetCounts,
    /// Hits without a value, when asked for.
    pub missing: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RangeFacetResult {
    pub key: String,
    pub gap: String,
    pub start: Value,
    pub end: Value,
    /// (label, hits).
    pub counts: Vec<(String, u64)>,
    pub others: Vec<(OtherRange, u64)>,
}

/// A document version: `max(last + 1, epoch milliseconds << 20)`, as Solr's.
pub type Version = i64;

/// What a batch did. Operations before a failure stay done, as in Solr.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateOutcome {
    /// (id, version) of each document added, in order.
    pub added: Vec<(String, Version)>,
    /// (id, version) of each delete by id.
    pub deleted: Vec<(String, Version)>,
    /// (query, version) of each delete by query.
    pub deleted_by_query: Vec<(String, Version)>,
    /// What was not done, of a batch that goes on after errors, in order.
    pub refused: Vec<Refusal>,
    /// Why the batch ended early.
    pub failure: Option<Error>,
}

impl UpdateOutcome {
    /// Whether anything was added or deleted.
    pub fn has_changes(&self) -> bool {
        !(self.added.is_empty() && self.deleted.is_empty() && self.deleted_by_query.is_empty())
    }
}
