//! Which values of a facet a shard lists that is not alone. A list of all there are merges with any other,
//! but of a field with a hundred thousand values ten are shown: so shards list their most frequent values
//! first, and are asked again for what could still be among the first of all together.
//!
//! Set with the plan by `cluster` (`crates/cluster/src/gather/listing.rs`), which also decides what to ask
//! next; obeyed by `engine/search/facet`. A shard that is alone cuts to the page and does not look at it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// Which values a shard lists, and with what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum ShardListing {
    /// All that may be on the page, each with all that is asked of it.
    #[default]
    All,
    /// The first ones in value order, at most this many. None behind them can be on the page.
    First(usize),
    /// The most frequent ones, at most this many, those without hits behind the others where the page may
    /// show some; of a tree no more than their counts, unless these are all with hits.
    Leading(usize),
    /// Those with at least this many hits; of a tree no more than their counts, unless these are all.
    Least(u64),
    /// All that may be on the page, each with its count and the one statistic that orders them
    /// ([`crate::SubFacet::ranked_by`]): the rest costs more, and only what is shown needs it.
    Ranked,
    /// These, in value order: what is asked for once nothing else can be on the page.
    Named(Arc<[Value]>),
}

/// What a facet shows, as far as it decides which values are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownValues {
    /// How many values the page reaches to; one at least.
    pub reach: usize,
    pub count_min: u64,
    /// Whether more is shown of a value than its count.
    pub more_than_count: bool,
}

impl ShardListing {
    /// Whether a shard may be asked for more than it lists.
    pub(crate) fn keeps_back(&self) -> bool {
        matches!(self, Self::Leading(_) | Self::Least(_) | Self::Ranked)
    }

    /// What is asked for first where the page reaches so far, with more than it needs: what saves asking
    /// again (the default of Solr's `facet.overrequest` has the same figures).
    pub(crate) fn leading(shown: ShownValues) -> Self {
        Self::Leading(shown.reach.saturating_add(shown.reach / 2).saturating_add(10))
    }
}
