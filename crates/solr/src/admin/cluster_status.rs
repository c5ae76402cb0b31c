//! `CLUSTERSTATUS`: nodes and collections as cloud clients read them. A lone node shows itself as a cluster of one.

use crate::response::{Name, Node};

/// One collection with its one shard and replica.
#[derive(Clone, Debug, Default)]
pub struct CollectionFacts {
    pub name: String,
    pub core: String,
    pub configset: String,
    pub created_ms: i64,
    /// Grows with each change of the collection's state.
    pub state_version: u64,
}

/// The value of `cluster`. `node` is the node's name, `host:port_solr`.
pub fn cluster_status(node: &str, collections: &[CollectionFacts]) -> Node {
    let entries = collections.iter().map(|facts| (Name::Owned(facts.name.clone()), collection(node, facts)));
    Node::map([
        ("collections", Node::Map(entries.collect())),
        ("live_nodes", Node::Array(vec![Node::Str(node.to_owned().into())])),
    ])
}

fn collection(node: &str, facts: &CollectionFacts) -> Node {
    let version = i32::try_from(facts.state_version).unwrap_or(i32::MAX);
    let shard = Node::map([
        ("range", Node::str("80000000-7fffffff")),
        ("state", Node::str("active")),
        ("replicas", Node::map([("core_node2", replica(node, facts))])),
        ("health", Node::str("GREEN")),
    ]);
    Node::map([
        ("pullReplicas", Node::Int(0)),
        ("configName", Node::Str(facts.configset.clone().into())),
        ("replicationFactor", Node::Int(1)),
        ("router", Node::map([("name", Node::str("compositeId"))])),
        ("nrtReplicas", Node::Int(1)),
        ("tlogReplicas", Node::Int(0)),
        ("shards", Node::map([("shard1", shard)])),
        ("health", Node::str("GREEN")),
        ("znodeVersion", Node::Int(version)),
        ("creationTimeMillis", Node::Long(facts.created_ms)),
    ])
}

/// Flags are strings: that is how clients compare them.
fn replica(node: &str, facts: &CollectionFacts) -> Node {
    Node::map([
        ("core", Node::Str(facts.core.clone().into())),
        ("node_name", Node::Str(node.to_owned().into())),
        ("base_url", Node::Str(base_url(node).into())),
        ("state", Node::str("active")),
        ("type", Node::str("NRT")),
        ("force_set_state", Node::str("false")),
        ("leader", Node::str("true")),
    ])
}

/// `h:8983_solr` to `http://h:8983/solr`, by Solr's rule: the first `_` separates the context.
fn base_url(node: &str) -> String {
    let (address, context) = node.split_once('_').unwrap_or((node, "solr"));
    format!("http://{address}/{context}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_names_become_urls() {
        assert_eq!(base_url("127.0.0.1:8983_solr"), "http://127.0.0.1:8983/solr");
    }
}
