//! What a search asks of documents that are not its shard's: joins ask other collections (Solr's `fromIndex`)
//! and the other shards of their own, graphs and likes those shards. A shard knows how to ask, its owner
//! knows where they are.

use plan::partial::Merge;
use plan::{Join, LikeTerm, MoreLike, Result};

use serde::{Deserialize, Serialize};

use crate::search::tallies::Tallies;

/// The values that some documents have in a field, with what they score: how many documents, the sum of their
/// scores, the least and the greatest, from which any of Solr's score modes follows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct JoinedValues(pub(crate) Tallies);

/// Scores are sums of single precision in double precision: their order shows only where they are of sizes
/// 2^29 times apart.
impl Merge for JoinedValues {
    fn merge(mut self, other: Self) -> Self {
        for (key, tally) in other.0 {
            self.0.entry(key).or_default().join(tally);
        }
        self
    }
}

/// The collections of the node.
pub trait Peers: Send + Sync {
    /// What the documents of `join.query` have in `join.from`, in the collection of this name; `scored` asks
    /// for scores too. Errors: `BadRequest` when there is no such collection.
    fn joined(&self, collection: &str, join: &Join, scored: bool) -> Result<JoinedValues>;

    /// The words by which documents of `like.collections` are like another, which any of them may have, by
    /// the counts of all their shards. Errors: `BadRequest` when there is no such collection, or no such
    /// document in any.
    fn like_terms(&self, like: &MoreLike) -> Result<Vec<LikeTerm>>;
}
