//! What a cut into buckets (`terms`, `ranges`) asks of the buckets that it makes: their statistics and
//! sub-facets. A sub-facet may be such a cut again, so that cuts know this interface alone; `tree/mod.rs`
//! implements it over the opened tree. Asked once a bucket, never for a document.

use plan::partial::{BucketPartial, SubFacetPartial};
use plan::{CutDepth, Result};

use super::docs::BucketDocs;
use super::path::{Path, PathTo};
use super::summary::OpenStats;
use crate::search::context::SearchContext;
use crate::search::facet::domains::Searched;
use crate::search::facet::room::BucketBudget;

/// What buckets are computed with.
#[derive(Clone, Copy)]
pub(super) struct TreeContext<'c> {
    pub(super) context: &'c SearchContext<'c>,
    pub(super) room: &'c BucketBudget,
    pub(super) depth: CutDepth,
    /// The search, of whose hits the outermost bucket is.
    pub(super) searched: &'c Searched<'c>,
}

impl TreeContext<'_> {
    /// Whether nothing is cut, since other shards have buckets as well.
    pub(super) fn is_whole(self) -> bool {
        self.depth == CutDepth::Whole
    }
}

/// What follows of a bucket from its statistics and sub-facets alone, whichever documents it has.
#[derive(Clone, Copy)]
pub(super) struct BucketNeeds {
    /// What one bucket takes of the room that there is.
    pub(super) places: usize,
    pub(super) sub_facets: bool,
    /// Whether a bucket is more than its count.
    pub(super) more_than_count: bool,
    /// Whether a bucket without documents here still has something to merge.
    pub(super) adds_to_absent: bool,
    /// Whether something below leads to documents of other shards.
    pub(super) asks_shards: bool,
    /// Whether what is computed of a bucket looks at other documents than the bucket's.
    pub(super) reaches_out: bool,
}

/// The buckets of one facet.
pub(super) trait BucketsBelow {
    fn stats(&self) -> &OpenStats<'_>;

    fn needs(&self) -> BucketNeeds;

    /// All of one bucket.
    fn bucket(&self, tree: TreeContext<'_>, docs: &BucketDocs<'_>, to: PathTo<'_>) -> Result<BucketPartial>;

    /// The sub-facets of a bucket of `count` documents.
    fn facets(
        &self,
        tree: TreeContext<'_>,
        docs: &BucketDocs<'_>,
        count: u64,
        path: Option<&Path<'_>>,
    ) -> Result<Vec<Option<SubFacetPartial>>>;
}
