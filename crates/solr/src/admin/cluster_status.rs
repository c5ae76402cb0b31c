//! `CLUSTERSTATUS` and `COLSTATUS`: nodes and collections as cloud clients read them. A lone node shows
//! itself as a cluster of one. SolrJ before 9.9 reads the collections as a named list, later ones as a map: a
//! simple ordered map is both. What is within a collection is a Java map to all of them.

use crate::response::{Entries, Name, Node};

const SHARD: &str = "shard1";
const CORE_NODE: &str = "core_node2";

/// One collection with its one shard and replica.
#[derive(Clone, Debug, Default)]
pub struct CollectionFacts {
    pub name: String,
    pub core: String,
    pub configset: String,
    pub created_ms: i64,
    /// Grows with each change of the collection's state.
    pub state_version: u32,
    /// What `MODIFYCOLLECTION` set, with its prefix.
    pub properties: Vec<(String, String)>,
    /// The aliases that name it, where they are to be shown.
    pub aliases: Vec<String>,
}

/// What of the cluster is asked for.
#[derive(Clone, Debug, Default)]
pub struct ClusterFacts {
    pub live_nodes: bool,
    pub collections: Option<Vec<CollectionFacts>>,
    /// By name, comma-separated collections.
    pub aliases: Vec<(String, String)>,
    pub properties: Option<Vec<(String, String)>>,
    pub roles: bool,
}

/// The entry that tells a client that its state of a collection is not the present one.
pub fn state_version(collection: &str, version: u32) -> (Name, Node) {
    let version = Node::Int(i32::try_from(version).unwrap_or(i32::MAX));
    ("_stateVer_".into(), Node::JavaMap(vec![(Name::Owned(collection.to_owned()), version)]))
}

/// The value of `cluster`. `node` is the node's name, `host:port_solr`, `scheme` that of its URLs.
pub fn cluster_status(node: &str, scheme: &str, facts: ClusterFacts) -> Node {
    let ClusterFacts { live_nodes, collections, aliases, properties, roles } = facts;
    let mut entries = Entries::new();
    if live_nodes {
        entries.push(("live_nodes".into(), Node::Array(vec![text(node)])));
    }
    if let Some(collections) = collections {
        let each = collections
            .iter()
            .map(|facts| (Name::Owned(facts.name.clone()), collection(node, scheme, facts)));
        entries.push(("collections".into(), Node::Map(each.collect())));
    }
    if !aliases.is_empty() {
        entries.push(("aliases".into(), pairs(aliases)));
    }
    if let Some(properties) = properties {
        entries.push(("properties".into(), pairs(properties)));
    }
    if roles {
        entries.push(("roles".into(), Node::Map(vec![])));
    }
    Node::Map(entries)
}

/// A map of texts.
pub fn pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Node {
    Node::Map(pairs.into_iter().map(|(name, value)| (name.into(), Node::Str(value.into()))).collect())
}

fn collection(node: &str, scheme: &str, facts: &CollectionFacts) -> Node {
    let shard = Node::JavaMap(vec![
        ("range".into(), Node::str("80000000-7fffffff")),
        ("replicas".into(), one(CORE_NODE, Node::JavaMap(replica(node, scheme, facts)))),
        ("state".into(), Node::str("active")),
        ("health".into(), Node::str("GREEN")),
    ]);
    let mut entries = settings(facts);
    entries.extend(facts.properties.iter().map(|(name, value)| (name.clone().into(), text(value))));
    entries.extend([
        ("shards".into(), one(SHARD, shard)),
        ("health".into(), Node::str("GREEN")),
        version(facts),
        ("creationTimeMillis".into(), Node::Long(facts.created_ms)),
    ]);
    if !facts.aliases.is_empty() {
        let aliases = facts.aliases.iter().map(|alias| text(alias));
        entries.push(("aliases".into(), Node::Array(aliases.collect())));
    }
    Node::JavaMap(entries)
}

fn one(name: &'static str, node: Node) -> Node {
    Node::JavaMap(vec![(name.into(), node)])
}

fn settings(facts: &CollectionFacts) -> Entries {
    vec![
        ("pullReplicas".into(), Node::Int(0)),
        ("configName".into(), text(&facts.configset)),
        ("replicationFactor".into(), Node::Int(1)),
        ("router".into(), one("name", Node::str("compositeId"))),
        ("nrtReplicas".into(), Node::Int(1)),
        ("tlogReplicas".into(), Node::Int(0)),
    ]
}

/// An integer: clients compare it as one.
fn version(facts: &CollectionFacts) -> (Name, Node) {
    ("znodeVersion".into(), Node::Int(i32::try_from(facts.state_version).unwrap_or(i32::MAX)))
}

/// Flags are strings: that is how clients compare them.
fn replica(node: &str, scheme: &str, facts: &CollectionFacts) -> Entries {
    vec![
        ("core".into(), text(&facts.core)),
        ("node_name".into(), text(node)),
        ("base_url".into(), Node::Str(base_url(node, scheme).into())),
        ("state".into(), Node::str("active")),
        ("type".into(), Node::str("NRT")),
        ("force_set_state".into(), Node::str("false")),
        ("leader".into(), Node::str("true")),
    ]
}

/// `COLSTATUS` of one collection. `segments` goes with its leader where it is asked for.
pub fn collection_status(node: &str, scheme: &str, facts: &CollectionFacts, segments: Option<Node>) -> Node {
    let mut leader: Entries = vec![("coreNode".into(), Node::str(CORE_NODE))];
    leader.extend(replica(node, scheme, facts));
    leader.extend(segments.map(|segments| ("segInfos".into(), segments)));
    let counts = [("total", 1), ("active", 1), ("down", 0), ("recovering", 0), ("recovery_failed", 0)];
    let shard = Node::map([
        ("state", Node::str("active")),
        ("range", Node::str("80000000-7fffffff")),
        ("replicas", Node::map(counts.map(|(name, count)| (name, Node::Int(count))))),
        ("leader", Node::Map(leader)),
    ]);
    Node::Map(vec![
        version(facts),
        ("creationTimeMillis".into(), Node::Long(facts.created_ms)),
        ("properties".into(), Node::Map(settings(facts))),
        ("activeShards".into(), Node::Int(1)),
        ("inactiveShards".into(), Node::Int(0)),
        ("schemaNonCompliant".into(), Node::Array(vec![Node::str("(NONE)")])),
        ("shards".into(), Node::map([(SHARD, shard)])),
    ])
}

/// `h:8983_solr` to `http://h:8983/solr`, by Solr's rule: the first `_` separates the context.
fn base_url(node: &str, scheme: &str) -> String {
    let (address, context) = node.split_once('_').unwrap_or((node, "solr"));
    format!("{scheme}://{address}/{context}")
}

fn text(text: &str) -> Node {
    Node::Str(text.to_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_names_become_urls() {
        assert_eq!(base_url("127.0.0.1:8983_solr", "http"), "http://127.0.0.1:8983/solr");
    }
}
