//! `replicas`: what a second replica costs while documents go in. Of a cluster on this machine: one shard
//! with a follower against one without, by the processor time of the node that leads; and two nodes that
//! each lead a shard, with and without following the other's, by that of both.
//!
//! In: a node of a cluster; out: figures and what they say. Collections are made for it and deleted behind
//! it. Documents go to one node, in equal parts, into both collections of a comparison in turn.

use std::sync::Arc;
use std::time::Duration;

use client::{SolrClient, SolrUrl};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::load::Processes;
use crate::run::index::{self, Batches, Feed};
use crate::run::{Indexing, Watch};
use crate::side::{LiveNode, Side, live_nodes};
use crate::statistics::Interval;
use crate::verdict::BoundVerdict;
use crate::workload::{self, Workload};

const WORKLOAD: &str = "zipf";
/// What a follower may add to its leader's processor time for a document.
const FOLLOWED_COST_MAX: f64 = 0.05;
/// Documents a CPU second of all nodes, with two replicas as a share of those with one.
const CROSSED_SHARE_MIN: f64 = 0.90;

#[derive(Clone, Copy, Debug)]
pub struct ReplicasOptions {
    pub docs: u64,
    pub seed: u64,
    /// Parts that count.
    pub pairs: usize,
}

/// Collections of as many shards, with one replica of each and with two.
#[derive(Clone, Debug, Serialize)]
pub struct ReplicasCompared {
    pub shards: u32,
    pub one: Indexing,
    pub two: Indexing,
    /// CPU time of a document with one replica divided by that with two, of the nodes that count.
    pub cpu_ratio: Option<Interval>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Replicas {
    /// By the node that leads.
    pub followed: ReplicasCompared,
    /// By all nodes.
    pub crossed: ReplicasCompared,
    pub traffic: ReplicasTraffic,
    pub verdicts: Vec<BoundVerdict>,
}

/// Of one shard with a follower, for all documents, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReplicasTraffic {
    /// As they were sent to be indexed.
    pub documents: u64,
    /// What the leader answered other nodes, and what the follower read from the store.
    pub answered: u64,
    pub from_store: u64,
}

/// One node of the cluster.
#[derive(Clone)]
struct ClusterNode {
    /// As the cluster calls it: `host:port_solr`.
    name: String,
    url: SolrUrl,
    processes: Processes,
}

/// Errors: it is no cluster of two nodes or more on this machine; what indexing meets.
pub async fn replicas(
    options: ReplicasOptions,
    url: SolrUrl,
    watch: Arc<dyn Watch>,
) -> Result<Replicas, Error> {
    let workload = workload::by_name(WORKLOAD, options.docs, options.seed)?;
    let nodes = nodes(&url).await?;
    let cluster = Cluster { nodes, workload, options, watch };
    let made = cluster.compare().await;
    // Whatever came of it; what is left behind is in the way of the next run alone.
    for name in NAMES {
        let _ = cluster.delete(name).await;
    }
    made
}

const NAMES: [&str; 4] =
    ["lab_replicas_followed", "lab_replicas_alone", "lab_replicas_crossed", "lab_replicas_spread"];

struct Cluster {
    nodes: [ClusterNode; 2],
    workload: Arc<dyn Workload>,
    options: ReplicasOptions,
    watch: Arc<dyn Watch>,
}

impl Cluster {
    async fn compare(&self) -> Result<Replicas, Error> {
        let [followed, alone, crossed, spread] = NAMES;
        for name in NAMES {
            // Of a run that was ended in the middle.
            let _ = self.delete(name).await;
        }
        let both: Vec<&ClusterNode> = self.nodes.iter().collect();
        self.create(followed, (1, 2), &both).await?;
        let leader = self.leader_of(followed).await?;
        let follower = self.nodes.iter().find(|it| it.name != leader.name).unwrap_or(leader);
        self.create(alone, (1, 1), &[leader]).await?;
        let before = (answered(leader).await?, from_store(follower).await?);
        let own = |name| side(leader, name, &[leader]);
        let compared = self.index(1, own(alone), own(followed)).await?;
        let traffic = ReplicasTraffic {
            documents: self.document_bytes(),
            answered: answered(leader).await? - before.0,
            from_store: from_store(follower).await? - before.1,
        };
        self.create(crossed, (2, 2), &both).await?;
        self.create(spread, (2, 1), &both).await?;
        let all = |name| side(&self.nodes[0], name, &both);
        let all_compared = self.index(2, all(spread), all(crossed)).await?;
        Ok(measured(compared, all_compared, traffic))
    }

    async fn index(&self, shards: u32, one: Side, two: Side) -> Result<ReplicasCompared, Error> {
        self.watch.note(&format!("{shards} shard(s), one replica of each against two"));
        let feed: Arc<dyn Feed> =
            Arc::new(Batches { workload: self.workload.clone(), watch: self.watch.clone() });
        let parts = (self.options.pairs, self.options.seed);
        let indexed = index::index([Some(&two), Some(&one)], &feed, parts, &self.watch).await?;
        let cpu_ratio = indexed.ratio.and_then(|ratio| ratio.cpu);
        let rows: Result<[Indexing; 2], _> = indexed.rows.try_into();
        let [two, one] = rows.map_err(|_| Error::Task("a side was not measured".to_owned()))?;
        Ok(ReplicasCompared { shards, one, two, cpu_ratio })
    }

    async fn create(
        &self,
        name: &str,
        (shards, replicas): (u32, u32),
        on: &[&ClusterNode],
    ) -> Result<(), Error> {
        let on: Vec<&str> = on.iter().map(|node| node.name.as_str()).collect();
        let (on, shards, replicas) = (on.join(","), shards.to_string(), replicas.to_string());
        let params = [
            ("action", "CREATE"),
            ("name", name),
            ("numShards", &*shards),
            ("replicationFactor", &*replicas),
            ("createNodeSet", &*on),
            ("collection.configName", self.workload.configset()),
        ];
        self.admin(&params).await.map(drop)
    }

    async fn delete(&self, name: &str) -> Result<(), Error> {
        self.admin(&[("action", "DELETE"), ("name", name)]).await.map(drop)
    }

    async fn leader_of(&self, collection: &str) -> Result<&ClusterNode, Error> {
        let status = self.admin(&[("action", "CLUSTERSTATUS"), ("collection", collection)]).await?;
        let replicas = &status["cluster"]["collections"][collection]["shards"]["shard1"]["replicas"];
        let mut replicas = replicas.as_object().into_iter().flatten().map(|(_, replica)| replica);
        let leads = replicas.find(|replica| replica["leader"] == "true").map(|it| &it["node_name"]);
        let leader = self.nodes.iter().find(|node| leads.is_some_and(|name| name == node.name.as_str()));
        leader.ok_or_else(|| self.fault(&format!("`{collection}` has no leader on the nodes it was made on")))
    }

    async fn admin(&self, params: &[(&str, &str)]) -> Result<Value, Error> {
        admin(&self.nodes[0].url, params).await
    }

    fn fault(&self, reason: &str) -> Error {
        Error::Load { url: self.nodes[0].url.to_string(), reason: reason.to_owned() }
    }

    fn document_bytes(&self) -> u64 {
        let mut body = Vec::new();
        let bytes = |number| {
            body.clear();
            self.workload.write_document(number, &mut body);
            body.len() as u64
        };
        (0..self.workload.docs()).map(bytes).sum()
    }
}

/// A collection, asked at a node, whose work is that of `counted`.
fn side(node: &ClusterNode, collection: &str, counted: &[&ClusterNode]) -> Side {
    let processes = Processes::of_all(counted.iter().map(|node| &node.processes));
    Side { processes, ..Side::new(node.url.clone(), collection) }
}

/// The first two by name that are processes of this machine.
async fn nodes(url: &SolrUrl) -> Result<[ClusterNode; 2], Error> {
    let client = SolrClient::new(url.clone(), Duration::from_secs(60));
    let here = live_nodes(&client).await?.into_iter().filter_map(|LiveNode { name, authority }| {
        let processes = Processes::listening_on(&authority);
        let url = format!("http://{authority}/solr").parse().ok()?;
        processes.cpu_seconds()?;
        Some(ClusterNode { name, url, processes })
    });
    let found: Result<[ClusterNode; 2], _> = here.take(2).collect::<Vec<_>>().try_into();
    found.map_err(|_| Error::Load {
        url: url.to_string(),
        reason: "it is no node of a cluster of two or more on this machine; `parhelion cluster up --nodes 2 --dir DIR` starts one".to_owned(),
    })
}

async fn admin(url: &SolrUrl, params: &[(&str, &str)]) -> Result<Value, Error> {
    let client = SolrClient::new(url.clone(), Duration::from_secs(60));
    let params: Vec<(&str, &str)> = params.iter().copied().chain([("wt", "json")]).collect();
    Ok(client.get("admin/collections", &params).await?.ok()?.json()?)
}

async fn answered(node: &ClusterNode) -> Result<u64, Error> {
    figure(node, "MEMBERS.bytesAnswered").await
}

async fn from_store(node: &ClusterNode) -> Result<u64, Error> {
    figure(node, "STORE.bytesGot").await
}

async fn figure(node: &ClusterNode, name: &str) -> Result<u64, Error> {
    let client = SolrClient::new(node.url.clone(), Duration::from_secs(60));
    let params = [("group", "node"), ("prefix", name), ("wt", "json")];
    let answer: Value = client.get("admin/metrics", &params).await?.ok()?.json()?;
    answer["metrics"]["solr.node"][name].as_u64().ok_or_else(|| Error::Load {
        url: node.url.to_string(),
        reason: format!("it has no figure `{name}`; this experiment is of Parhelion's nodes alone"),
    })
}

/// What the figures say.
fn measured(followed: ReplicasCompared, crossed: ReplicasCompared, traffic: ReplicasTraffic) -> Replicas {
    let ratio = |compared: &ReplicasCompared| compared.cpu_ratio.map(|it| it.median);
    let unknown = || "unknown".to_owned();
    let cost = ratio(&followed).map(|ratio| 1.0 / ratio - 1.0);
    let share = ratio(&crossed);
    let verdicts = vec![
        BoundVerdict {
            then: format!(
                "a follower adds {:.0} % or less to its leader's processor time for a document",
                FOLLOWED_COST_MAX * 1e2
            ),
            now: cost.map_or_else(unknown, |cost| format!("{:+.1} %", cost * 1e2)),
            holds: cost.is_some_and(|cost| cost <= FOLLOWED_COST_MAX),
        },
        BoundVerdict {
            then: format!(
                "nodes that each follow what another leads index {:.0} % or more of the documents a CPU second",
                CROSSED_SHARE_MIN * 1e2
            ),
            now: share.map_or_else(unknown, |share| format!("{:.1} %", share * 1e2)),
            holds: share.is_some_and(|share| share >= CROSSED_SHARE_MIN),
        },
    ];
    Replicas { followed, crossed, traffic, verdicts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Whose;

    #[test]
    fn figures_become_verdicts() {
        let check = |followed: Option<f64>, crossed: Option<f64>, holds: [bool; 2]| {
            let row = Indexing {
                whose: Whose::Ours,
                docs: 1,
                seconds: 1.0,
                docs_per_second: 1.0,
                server_cpu_seconds: None,
                docs_per_cpu_second: None,
                generator_cpu_seconds: None,
                slices: vec![],
            };
            let compared = |ratio: Option<f64>| ReplicasCompared {
                shards: 1,
                one: row.clone(),
                two: row.clone(),
                cpu_ratio: ratio.map(|median| Interval { median, low: median, high: median }),
            };
            let traffic = ReplicasTraffic { documents: 1, answered: 1, from_store: 1 };
            let made = measured(compared(followed), compared(crossed), traffic);
            assert_eq!(made.verdicts.iter().map(|it| it.holds).collect::<Vec<_>>(), holds);
        };
        check(Some(0.96), Some(0.90), [true; 2]);
        check(Some(0.95), Some(0.89), [false; 2]);
        // What could not be measured holds nothing.
        check(None, None, [false; 2]);
    }
}
