//! What was learnt of a cluster. Absent is what could not be learnt; a lint without its fact is silent. No
//! judgement here. Filled by `ask.rs`, `replicas.rs` and `certificates.rs` from answers of nodes, or by a
//! bundle that is read again; read by `lints/` and by the page that a terminal shows. Plain data with serde,
//! so that a bundle of one machine can be judged on another.

use serde::{Deserialize, Serialize};

use crate::host::HostFinding;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterFacts {
    /// The node that was asked.
    pub url: String,
    /// The clock here, once all was asked.
    pub asked_ms: i64,
    pub nodes: Vec<NodeFacts>,
    /// Names of the nodes that take part; empty of a single server.
    pub live_nodes: Vec<String>,
    pub collections: Vec<CollectionFacts>,
    /// Of every address that is asked by TLS, the server's own certificate first.
    pub certificates: Vec<CertificateFacts>,
    /// What the nodes keep of their logs, warnings and worse.
    pub log: Vec<LogLine>,
    /// Between two looks at what grows; 0 where there was one.
    pub watched_ms: u64,
    /// What was asked for and not answered, with the reason.
    pub unseen: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeFacts {
    pub name: String,
    pub version: Option<String>,
    pub clock: Option<ClockFacts>,
    /// What its operator calls the part of the data centre that fails as one (`-Davailability_zone`).
    pub zone: Option<String>,
    pub disk: DiskFacts,
    /// What it has found on its own host, and stuck in itself; absent where it does not look.
    #[serde(default)]
    pub own: Option<Vec<HostFinding>>,
}

/// A node's clock against the one here, as the middle of the request had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockFacts {
    /// Negative where the node's is behind.
    pub ahead_ms: i64,
    /// What that may be wrong by.
    pub unsure_ms: u64,
    pub read: ClockRead,
}

/// How a node's clock was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockRead {
    /// As it is now.
    Now,
    /// As it was when the JVM started, with the time since then: steps of the clock since then do not show.
    Start,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskFacts {
    pub total_bytes: Option<u64>,
    pub free_bytes: Option<u64>,
    /// At the first of two looks.
    pub free_bytes_before: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CollectionFacts {
    pub name: String,
    /// Where it is shared with other collections of that name.
    pub configset: Option<String>,
    pub shards: Vec<ShardFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShardFacts {
    pub name: String,
    pub state: String,
    pub replicas: Vec<ReplicaFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicaFacts {
    pub core: String,
    pub node: String,
    pub base_url: Option<String>,
    pub state: String,
    pub leader: bool,
    pub kind: ReplicaKind,
    /// A hash of schema and configuration as the replica itself has them: equal where they are.
    pub settings: Option<u64>,
    /// Searches and updates since its core was opened.
    pub requests: Option<u64>,
    /// At the first of two looks.
    pub requests_before: Option<u64>,
    /// When the newest commit that it has was made, by the clock of whoever made it.
    pub committed_ms: Option<i64>,
}

impl ClusterFacts {
    /// With what they are of.
    pub fn replicas(&self) -> impl Iterator<Item = (&CollectionFacts, &ShardFacts, &ReplicaFacts)> {
        let shards = self.collections.iter().flat_map(|one| one.shards.iter().map(move |shard| (one, shard)));
        shards.flat_map(|(one, shard)| shard.replicas.iter().map(move |replica| (one, shard, replica)))
    }

    pub fn replicas_mut(&mut self) -> impl Iterator<Item = &mut ReplicaFacts> {
        let shards = self.collections.iter_mut().flat_map(|collection| &mut collection.shards);
        shards.flat_map(|shard| &mut shard.replicas)
    }

    pub fn node(&self, name: &str) -> Option<&NodeFacts> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// Whether a replica serves: the cluster's state is the last that its node wrote, which one that has gone
    /// cannot correct.
    pub fn serves(&self, replica: &ReplicaFacts) -> bool {
        replica.state == "active" && (self.live_nodes.is_empty() || self.live_nodes.contains(&replica.node))
    }
}

impl CollectionFacts {
    /// Collections of one such name have the same settings.
    pub fn settings_name(&self) -> &str {
        self.configset.as_deref().unwrap_or(&self.name)
    }
}

/// How a replica gets its documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplicaKind {
    /// By itself, each one: `NRT`, and whatever else is said.
    #[default]
    Indexes,
    /// Its files from the leader: `TLOG`, `PULL`.
    Fetches,
}

impl ReplicaFacts {
    /// `host:8983_solr` without port and context. Names of hosts may have underscores (those of containers).
    pub fn host(&self) -> &str {
        self.node.rsplit_once(':').map_or(self.node.as_str(), |(host, _)| host)
    }
}

/// One certificate of those that a server shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateFacts {
    /// Host and port.
    pub address: String,
    /// Whom it names.
    pub subject: String,
    pub ends_ms: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub node: String,
    /// As the node writes it, in ISO 8601.
    pub time: String,
    pub level: String,
    pub logger: String,
    pub message: String,
}
