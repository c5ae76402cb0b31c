//! What restricts a search without scoring: a query, whether its matches are kept for others, when it runs,
//! and the tags by which a facet leaves it out. Resolved from `fq` by `solr`, kept by the engine. Two filters
//! are the same if their queries are equal, whatever their texts were: that is the key of the filter cache.

use serde::{Deserialize, Serialize};

use crate::query::tree::Query;

/// A filter query: restricts, never scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    pub query: Query,
    /// Whether its bitset may be kept (`{!cache=false}` says no).
    pub cache: bool,
    /// Uncached filters run in ascending order of cost.
    pub cost: i32,
    /// Names by which facets may exclude it (`{!tag=a,b}`).
    pub tags: Vec<String>,
}

impl Filter {
    pub fn has_tag(&self, tags: &[String]) -> bool {
        share_tag(&self.tags, tags)
    }
}

/// Whether a facet that excludes the one leaves out what has the others.
pub fn share_tag(own: &[String], excluded: &[String]) -> bool {
    own.iter().any(|tag| excluded.contains(tag))
}
