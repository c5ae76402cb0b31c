//! What each shard of a search found, by the address of its core (`shards.info`). Shape recorded from a cloud
//! of Solr 9.10.1. Solr differs: of groups it tells of two rounds, and calls the greatest score of the second
//! no number.

use plan::ShardFound;

use super::node::{Name, Node};

/// A core that was asked.
pub struct AskedShard {
    pub core: String,
    pub found: ShardFound,
    /// What of the shard could not be read, and so not be asked.
    pub missing: Option<String>,
}

/// `base_url` is the node's, with its context.
pub fn shards_info(base_url: &str, shards: &[AskedShard]) -> Node {
    let one = |AskedShard { core, found, missing }: &AskedShard| {
        let address = format!("{base_url}/{core}");
        let mut facts = vec![
            ("numFound".into(), Node::count(found.total)),
            ("numFoundExact".into(), Node::Bool(found.total_exact)),
            ("maxScore".into(), found.score_max.map_or(Node::Null, Node::Float)),
            ("shardAddress".into(), Node::Str(address.clone().into())),
            ("time".into(), Node::count(found.elapsed_ms)),
        ];
        if let Some(missing) = missing {
            facts.push(("partialResults".into(), Node::Bool(true)));
            facts.push(("partialResultsDetails".into(), Node::from(missing.clone())));
        }
        (Name::Owned(format!("{address}/")), Node::Map(facts))
    };
    Node::Map(shards.iter().map(one).collect())
}
