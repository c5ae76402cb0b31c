//! What each shard of a search found, by the address of its core (`shards.info`). Shape recorded from a cloud
//! of Solr 9.10.1. Solr differs: of groups it tells of two rounds, and calls the greatest score of the second
//! no number.

use plan::ShardFound;

use super::node::{Name, Node};

/// A replica that was asked.
pub struct AskedShard {
    /// As clients reach it, with a slash at its end.
    pub address: String,
    pub found: ShardFound,
    /// What of the shard could not be read, and so not be asked.
    pub missing: Option<String>,
}

pub fn shards_info(shards: &[AskedShard]) -> Node {
    let one = |AskedShard { address, found, missing }: &AskedShard| {
        let mut facts = vec![
            ("numFound".into(), Node::count(found.total)),
            ("numFoundExact".into(), Node::Bool(found.total_exact)),
            ("maxScore".into(), found.score_max.map_or(Node::Null, Node::Float)),
            ("shardAddress".into(), Node::from(address.trim_end_matches('/').to_owned())),
            ("time".into(), Node::count(found.elapsed_ms)),
        ];
        if let Some(missing) = missing {
            facts.push(("partialResults".into(), Node::Bool(true)));
            facts.push(("partialResultsDetails".into(), Node::from(missing.clone())));
        }
        (Name::Owned(address.clone()), Node::Map(facts))
    };
    Node::Map(shards.iter().map(one).collect())
}
