//! `CLUSTERSTATUS` and `COLSTATUS`, and the nodes of ZooKeeper: members and collections as cloud clients read
//! them. A lone node shows itself as a cluster of one. SolrJ before 9.9 reads the collections as a named
//! list, later ones as a map: a simple ordered map is both. What is within a collection is a Java map to all
//! of them.

use super::system::SOLR_VERSION;
use crate::response::{Entries, Name, Node};

/// One collection with its shards.
#[derive(Clone, Debug, Default)]
pub struct CollectionFacts {
    pub name: String,
    pub configset: String,
    pub created_ms: i64,
    /// Grows with each change of the collection's state.
    pub state_version: u32,
    /// As Solr names it, with the field that places documents where one does.
    pub router: (&'static str, Option<String>),
    pub shards: Vec<ShardFacts>,
    /// It takes no updates.
    pub read_only: bool,
    /// What `MODIFYCOLLECTION` set, with its prefix.
    pub properties: Vec<(String, String)>,
    /// The aliases that name it, where they are to be shown.
    pub aliases: Vec<String>,
}

/// A shard with its replicas.
#[derive(Clone, Debug)]
pub struct ShardFacts {
    pub name: String,
    /// That of its leader first, behind it those that follow.
    pub replicas: Vec<ReplicaFacts>,
    /// As Solr spells it; `None` where shards are named.
    pub range: Option<String>,
    /// What `COLSTATUS` shows of its leader's files, where that is asked for.
    pub segments: Option<Node>,
    /// What of the shard cannot be read; it takes no updates then.
    pub missing: Option<String>,
    /// Where its index was found to say otherwise than its documents.
    pub wrong_index: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct ReplicaFacts {
    pub core: String,
    /// Whose it is, as `host:port_solr`.
    pub node: String,
    /// N of `core_nodeN`.
    pub node_number: u32,
    /// As Solr spells it.
    pub kind: &'static str,
    /// What was set for it, without the prefix.
    pub properties: Vec<(String, String)>,
    /// Of a follower, where it is known to whoever answers.
    pub lag: Option<Lag>,
}

/// How many milliseconds old what a follower shows may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lag {
    Ms(u64),
    Unknown,
}

impl ReplicaFacts {
    fn core_node(&self) -> String {
        core_node(self.node_number)
    }
}

fn core_node(number: u32) -> String {
    format!("core_node{number}")
}

/// Solr's words, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Health {
    Green,
    /// With replicas that are down.
    Yellow,
    /// It answers searches and takes no updates.
    Orange,
    Red,
}

impl Health {
    fn name(self) -> &'static str {
        match self {
            Self::Green => "GREEN",
            Self::Yellow => "YELLOW",
            Self::Orange => "ORANGE",
            Self::Red => "RED",
        }
    }
}

impl ShardFacts {
    fn health(&self, live_nodes: &[String]) -> Health {
        let is_live = |it: &ReplicaFacts| live_nodes.contains(&it.node);
        let (leads, up) = (self.replicas.first().is_some_and(is_live), self.live_replicas(live_nodes));
        match (leads, up) {
            (false, 0) => Health::Red,
            (false, _) => Health::Orange,
            (true, _) if self.missing.is_some() || self.wrong_index.is_some() => Health::Orange,
            (true, up) if up < self.replicas.len() => Health::Yellow,
            (true, _) => Health::Green,
        }
    }

    fn live_replicas(&self, live_nodes: &[String]) -> usize {
        self.replicas.iter().filter(|it| live_nodes.contains(&it.node)).count()
    }

    fn range(&self) -> Node {
        self.range.as_deref().map_or(Node::Null, text)
    }
}

/// What of the cluster is asked for.
#[derive(Clone, Debug, Default)]
pub struct ClusterFacts {
    /// All of them, as `host:port_solr`; what is on others is shown as down.
    pub live_nodes: Vec<String>,
    pub with_live_nodes: bool,
    pub collections: Option<Vec<CollectionFacts>>,
    /// By name, comma-separated collections.
    pub aliases: Vec<(String, String)>,
    pub properties: Option<Vec<(String, String)>>,
    pub roles: bool,
    /// Nodes that have replicas and do not live.
    pub gone: Vec<GoneFacts>,
}

/// A node that is gone.
#[derive(Clone, Debug, Default)]
pub struct GoneFacts {
    pub node: String,
    /// For how long, as whoever tells it saw.
    pub gone_ms: i64,
    /// When others are to have its replicas; `None`: never.
    pub replaced_in_ms: Option<i64>,
}

/// The entry that tells a client that its state of a collection is not the present one.
pub fn state_version(collection: &str, version: u32) -> (Name, Node) {
    let version = Node::Int(i32::try_from(version).unwrap_or(i32::MAX));
    ("_stateVer_".into(), Node::JavaMap(vec![(Name::Owned(collection.to_owned()), version)]))
}

/// The value of `cluster`. `scheme` is that of the nodes' URLs.
pub fn cluster_status(scheme: &str, facts: ClusterFacts) -> Node {
    let ClusterFacts { live_nodes, with_live_nodes, collections, aliases, properties, roles, gone } = facts;
    let mut entries = Entries::new();
    if with_live_nodes {
        let each = live_nodes.iter().map(|name| text(name));
        entries.push(("live_nodes".into(), Node::Array(each.collect())));
    }
    if let Some(collections) = collections {
        let each = collections
            .iter()
            .map(|facts| (Name::Owned(facts.name.clone()), collection(scheme, facts, &live_nodes)));
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
    // No entry of Solr's: clients pass over what they do not know.
    if !gone.is_empty() {
        let told = |it: GoneFacts| {
            let mut entries: Entries = vec![("goneMs".into(), Node::Long(it.gone_ms))];
            entries.extend(it.replaced_in_ms.map(|left_ms| ("replacedInMs".into(), Node::Long(left_ms))));
            (Name::Owned(it.node), Node::Map(entries))
        };
        entries.push(("gone_nodes".into(), Node::Map(gone.into_iter().map(told).collect())));
    }
    Node::Map(entries)
}

/// A map of texts.
pub fn pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Node {
    Node::Map(pairs.into_iter().map(|(name, value)| (name.into(), Node::Str(value.into()))).collect())
}

fn collection(scheme: &str, facts: &CollectionFacts, live_nodes: &[String]) -> Node {
    let is_live = |node: &str| live_nodes.iter().any(|live| live == node);
    let health = |shard: &ShardFacts| {
        let mut entries = vec![("health".into(), Node::str(shard.health(live_nodes).name()))];
        entries.extend(damage(shard));
        entries
    };
    let mut entries = state(scheme, facts, &is_live, &health);
    // Of the worst of its shards.
    let worst = facts.shards.iter().map(|shard| shard.health(live_nodes)).max().unwrap_or(Health::Green);
    entries.extend([
        ("health".into(), Node::str(worst.name())),
        version(facts),
        ("creationTimeMillis".into(), Node::Long(facts.created_ms)),
    ]);
    if !facts.aliases.is_empty() {
        let aliases = facts.aliases.iter().map(|alias| text(alias));
        entries.push(("aliases".into(), Node::Array(aliases.collect())));
    }
    Node::JavaMap(entries)
}

/// `state.json` of a collection. Whoever reads it looks himself who lives.
pub fn state_document(scheme: &str, facts: &CollectionFacts) -> Entries {
    vec![(facts.name.clone().into(), Node::JavaMap(state(scheme, facts, &|_| true, &|_| vec![])))]
}

/// What stands at `/collections/NAME/leaders/SHARD/leader`.
pub fn leader_document(scheme: &str, leader: &ReplicaFacts) -> Entries {
    let node = &*leader.node;
    vec![
        ("core".into(), text(&leader.core)),
        ("core_node_name".into(), leader.core_node().into()),
        ("base_url".into(), base_url(node, scheme).into()),
        ("node_name".into(), text(node)),
    ]
}

/// What stands at a live node.
pub fn live_node_document(node: &str) -> Entries {
    vec![("solrVersion".into(), Node::str(SOLR_VERSION)), ("nodeName".into(), text(node))]
}

/// What of a collection is the same however it is read; each shard says `beside` too.
fn state(
    scheme: &str,
    facts: &CollectionFacts,
    is_live: &dyn Fn(&str) -> bool,
    beside: &dyn Fn(&ShardFacts) -> Entries,
) -> Entries {
    let shard = |shard: &ShardFacts| {
        let replicas = shard.replicas.iter().enumerate().map(|(at, it)| {
            (it.core_node().into(), Node::JavaMap(replica(is_live(&it.node), scheme, (it, at == 0))))
        });
        let replicas = replicas.collect();
        let mut entries = vec![
            ("range".into(), shard.range()),
            ("replicas".into(), Node::JavaMap(replicas)),
            ("state".into(), Node::str("active")),
        ];
        entries.extend(beside(shard));
        (Name::Owned(shard.name.clone()), Node::JavaMap(entries))
    };
    let mut entries = settings(facts);
    entries.extend(facts.read_only.then(|| ("readOnly".into(), Node::str("true"))));
    entries.extend(facts.properties.iter().map(|(name, value)| (name.clone().into(), text(value))));
    entries.push(("shards".into(), Node::JavaMap(facts.shards.iter().map(shard).collect())));
    entries
}

/// No entries of Solr's: clients pass over what they do not know.
fn damage(shard: &ShardFacts) -> impl Iterator<Item = (Name, Node)> {
    let entry = |name: &'static str, told: &Option<String>| {
        told.as_deref().map(|told| (Name::from(name), text(told)))
    };
    [entry("missing", &shard.missing), entry("wrongIndex", &shard.wrong_index)].into_iter().flatten()
}

fn settings(facts: &CollectionFacts) -> Entries {
    let of_kinds = |kinds: &[&str]| {
        let of_shard =
            |shard: &ShardFacts| shard.replicas.iter().filter(|it| kinds.contains(&it.kind)).count();
        let most = facts.shards.iter().map(of_shard).max().unwrap_or_default();
        Node::Int(i32::try_from(most).unwrap_or(i32::MAX))
    };
    vec![
        ("pullReplicas".into(), of_kinds(&["PULL"])),
        ("configName".into(), text(&facts.configset)),
        ("replicationFactor".into(), of_kinds(&["NRT", "TLOG"])),
        ("router".into(), router(facts)),
        ("nrtReplicas".into(), of_kinds(&["NRT"])),
        ("tlogReplicas".into(), of_kinds(&["TLOG"])),
    ]
}

fn router(facts: &CollectionFacts) -> Node {
    let (name, field) = &facts.router;
    let mut entries = vec![("name".into(), Node::str(*name))];
    entries.extend(field.as_deref().map(|field| ("field".into(), text(field))));
    Node::JavaMap(entries)
}

/// An integer: clients compare it as one.
fn version(facts: &CollectionFacts) -> (Name, Node) {
    ("znodeVersion".into(), Node::Int(i32::try_from(facts.state_version).unwrap_or(i32::MAX)))
}

/// Flags are strings: that is how clients compare them.
fn replica(is_live: bool, scheme: &str, (facts, leads): (&ReplicaFacts, bool)) -> Entries {
    let mut entries: Entries = vec![
        ("core".into(), text(&facts.core)),
        ("node_name".into(), text(&facts.node)),
        ("base_url".into(), Node::Str(base_url(&facts.node, scheme).into())),
        ("state".into(), Node::str(if is_live { "active" } else { "down" })),
        ("type".into(), Node::str(facts.kind)),
        ("force_set_state".into(), Node::str("false")),
    ];
    let named = |(name, value): &(String, String)| (Name::Owned(format!("property.{name}")), text(value));
    entries.extend(facts.properties.iter().map(named));
    entries.extend(leads.then(|| ("leader".into(), Node::str("true"))));
    // No entries of Solr's.
    entries.extend(facts.lag.map(|lag| match lag {
        Lag::Ms(ms) => ("lagMs".into(), Node::count(ms)),
        Lag::Unknown => ("lag".into(), Node::str("unknown")),
    }));
    entries
}

/// `COLSTATUS` of one collection.
pub fn collection_status(scheme: &str, facts: &CollectionFacts, live_nodes: &[String]) -> Node {
    let shard = |shard: &ShardFacts| {
        let first = shard.replicas.first();
        let mut leads: Entries = Vec::new();
        if let Some(first) = first {
            leads.push(("coreNode".into(), first.core_node().into()));
            leads.extend(replica(live_nodes.contains(&first.node), scheme, (first, true)));
        }
        leads.extend(shard.segments.clone().map(|segments| ("segInfos".into(), segments)));
        let (total, up) = (shard.replicas.len(), shard.live_replicas(live_nodes));
        let counts = [
            ("total", total),
            ("active", up),
            ("down", total - up),
            ("recovering", 0),
            ("recovery_failed", 0),
        ];
        let counts = counts.map(|(name, count)| (name, i32::try_from(count).unwrap_or(i32::MAX)));
        let mut entries: Entries = vec![
            ("state".into(), Node::str("active")),
            ("range".into(), shard.range()),
            ("replicas".into(), Node::map(counts.map(|(name, count)| (name, Node::Int(count))))),
            ("leader".into(), Node::Map(leads)),
        ];
        entries.extend(damage(shard));
        (Name::Owned(shard.name.clone()), Node::Map(entries))
    };
    let active = i32::try_from(facts.shards.len()).unwrap_or(i32::MAX);
    Node::Map(vec![
        version(facts),
        ("creationTimeMillis".into(), Node::Long(facts.created_ms)),
        ("properties".into(), Node::Map(settings(facts))),
        ("activeShards".into(), Node::Int(active)),
        ("inactiveShards".into(), Node::Int(0)),
        ("schemaNonCompliant".into(), Node::Array(vec![Node::str("(NONE)")])),
        ("shards".into(), Node::Map(facts.shards.iter().map(shard).collect())),
    ])
}

/// `h:8983_solr` to `http://h:8983/solr`, by Solr's rule: the first `_` separates the context.
pub fn base_url(node: &str, scheme: &str) -> String {
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
