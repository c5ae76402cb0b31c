//! What a member says of the cluster (`CLUSTERSTATUS`): who lives, who leads what, and whether all is as it
//! is to be when nobody is broken.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::ask;

const PATIENCE_S: u64 = 5;

#[derive(Debug, Default, PartialEq)]
pub struct ClusterStatus {
    /// Names of nodes.
    live: BTreeSet<String>,
    /// By collection, of each shard: the node that leads it and is active, if one does.
    leaders: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

impl ClusterStatus {
    /// `url` is a member's, such as `http://127.0.0.1:8983/solr`.
    pub fn ask(url: &str) -> Result<Self> {
        let answer = ask::get(&format!("{url}/admin/collections?action=CLUSTERSTATUS&wt=json"), PATIENCE_S);
        if !answer.is_ok() {
            bail!("CLUSTERSTATUS at {url}: {} {}", answer.label(), answer.text);
        }
        let answer = answer.json().context("the answer is no JSON")?;
        Self::parse(&answer).with_context(|| format!("cannot understand CLUSTERSTATUS at {url}: {answer}"))
    }

    fn parse(answer: &Value) -> Option<Self> {
        let cluster = answer.get("cluster")?;
        let live = cluster.get("live_nodes")?.as_array()?;
        let live = live.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        let mut leaders = BTreeMap::new();
        for (name, collection) in cluster.get("collections")?.as_object()? {
            let mut shards = BTreeMap::new();
            for (shard, value) in collection.get("shards")?.as_object()? {
                let mut replicas = value.get("replicas")?.as_object()?.values();
                let leader = replicas.find(|it| it["leader"] == "true" && it["state"] == "active");
                let leader = leader.and_then(|it| it["node_name"].as_str()).map(str::to_owned);
                shards.insert(shard.clone(), leader);
            }
            leaders.insert(name.clone(), shards);
        }
        Some(Self { live, leaders })
    }

    /// The node that leads a collection's first shard.
    pub fn leader(&self, collection: &str) -> Option<&str> {
        self.leaders.get(collection)?.values().next()?.as_deref()
    }

    /// What is not as it is to be, where these collections are all there is, on so many nodes.
    pub fn wrong(&self, collections: &[String], nodes: usize) -> Option<String> {
        if self.live.len() != nodes {
            return Some(format!("{} of {nodes} nodes live", self.live.len()));
        }
        for name in collections {
            let Some(shards) = self.leaders.get(name).filter(|shards| !shards.is_empty()) else {
                return Some(format!("there is no collection `{name}`"));
            };
            for (shard, leader) in shards {
                match leader {
                    Some(node) if self.live.contains(node) => {}
                    Some(node) => return Some(format!("`{name}/{shard}` is led by `{node}`, which is gone")),
                    None => return Some(format!("nobody leads `{name}/{shard}`")),
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(live: &[&str], leader: &Value) -> ClusterStatus {
        let replica = |node: &str| json!({"node_name": node, "state": "active"});
        let mut led = replica("b:1_solr");
        led["leader"] = leader.clone();
        let shards = json!({"shard1": {"replicas": {"core_node1": replica("a:1_solr"), "core_node2": led}}});
        let answer = json!({"cluster": {"live_nodes": live, "collections": {"films": {"shards": shards}}}});
        ClusterStatus::parse(&answer).unwrap()
    }

    #[test]
    fn a_cluster_is_well_when_all_live_and_all_is_led() {
        let films = ["films".to_owned()];
        let check = |status: &ClusterStatus, part: Option<&str>| {
            let wrong = status.wrong(&films, 2);
            assert_eq!(wrong.is_some(), part.is_some(), "{wrong:?}");
            assert!(part.is_none_or(|part| wrong.as_ref().unwrap().contains(part)), "{wrong:?}");
        };
        let (both, leads) = (["a:1_solr", "b:1_solr"], json!("true"));
        let well = status(&both, &leads);
        assert_eq!(well.leader("films"), Some("b:1_solr"));
        check(&well, None);
        check(&status(&["a:1_solr"], &leads), Some("1 of 2"));
        check(&status(&["a:1_solr", "c:1_solr"], &leads), Some("which is gone"));
        check(&status(&both, &Value::Null), Some("nobody leads `films/shard1`"));
        assert!(well.wrong(&["songs".to_owned()], 2).unwrap().contains("`songs`"));
    }

    #[test]
    fn what_is_no_status_is_none() {
        assert_eq!(ClusterStatus::parse(&json!({"cluster": {"live_nodes": []}})), None);
        assert_eq!(ClusterStatus::parse(&json!({"error": {"msg": "x"}})), None);
    }
}
