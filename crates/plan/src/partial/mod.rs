//! What one shard answers, before it is cut, ordered and averaged: parts that merge with those of other shards in any order
//! and grouping. Made by `engine` from one snapshot; merged, and turned into the result that writers read, in `cluster`.
//! Here are the types and their `merge`; nothing here decides what a page shows.

mod facets;

use crate::component::Component;
use crate::highlight::Highlights;
use crate::result::Hit;
use crate::shape::ShapeResult;

pub use facets::FacetPartials;

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
    pub facets: FacetPartials,
    pub shape: ShapeResult,
    /// Of the hits shown, when the plan asks for them.
    pub highlights: Vec<Highlights>,
    /// The first of the handler's steps that was not done because the request's allowance was used up.
    pub cut_before: Option<Component>,
}
