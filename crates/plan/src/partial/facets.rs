//! Counts of one shard's hits.

use crate::result::FacetResult;

/// What a shard counted of its hits, for all facets of a plan.
#[derive(Clone, Debug, Default)]
pub struct FacetPartials {
    /// Cut and ordered by the shard: right where there is one.
    pub counted: FacetResult,
}
