//! Other collections, as joins ask them (Solr's `fromIndex`): a shard knows how to ask, its owner knows where they are.

use plan::{Join, Result};

use crate::search::Tallies;

/// The values that some documents have in a field, with what they score.
#[derive(Debug, Default)]
pub struct JoinedValues(pub(crate) Tallies);

/// The collections of the node.
pub trait Peers: Send + Sync {
    /// What the documents of `join.query` have in `join.from`, in the collection of this name; `scored` asks for scores too.
    /// Errors: `BadRequest` when there is no such collection.
    fn joined(&self, collection: &str, join: &Join, scored: bool) -> Result<JoinedValues>;
}
