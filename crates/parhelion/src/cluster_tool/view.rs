//! A cluster as it is at one moment, seen from outside: which processes run, which nodes answer, whom clients
//! find in ZooKeeper, and who leads what. In: the record; out: a view, as a table, as JSON, and as what is
//! wrong with it. It changes nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use client::{
    ClusterState, ClusterStateSource as _, EndpointSource as _, SolrClient, SolrUrl, ZooKeeperState,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::record::{ClusterRecord, NodeRecord};
use super::waiting::name_nodes;
use crate::output;

/// For one answer, of a node or of ZooKeeper.
const PATIENCE: Duration = Duration::from_secs(2);

pub struct ClusterView {
    pub zk: String,
    /// Whether the cluster has one of its own.
    owns_zookeeper: bool,
    zookeeper_pid: Option<u32>,
    /// What keeps it from telling the cluster's state.
    pub zookeeper_wrong: Option<String>,
    pub nodes: Vec<NodeView>,
    /// Of shards without a leader that lives, as `collection/shard`.
    leaderless: Vec<String>,
    /// What becomes of replicas of nodes that are gone, as one that answers tells it.
    gone: Vec<String>,
}

pub struct NodeView {
    pub node: u32,
    pub url: String,
    pub pid: Option<u32>,
    pub runs: bool,
    pub answers: bool,
    /// Whether it is among the live nodes in ZooKeeper; `None` where that does not tell.
    pub live: Option<bool>,
    /// Whether it says of itself that it knows fewer than those as living: it may take what a node that has
    /// just come makes for something that a dead one left behind.
    pub is_behind: bool,
    leads: Vec<String>,
    follows: Vec<String>,
}

/// Looks at one cluster, as often as it is asked to. Keeps its connections between the looks.
pub struct ClusterObserver {
    zookeeper: ZooKeeperState,
    /// By the node's URL.
    clients: BTreeMap<String, SolrClient>,
}

impl ClusterObserver {
    pub fn new(record: &ClusterRecord) -> anyhow::Result<Self> {
        let client = |node: &NodeRecord| -> anyhow::Result<_> {
            Ok((node.url.clone(), SolrClient::new(node.url.parse()?, PATIENCE)))
        };
        let clients = record.nodes.iter().map(client).collect::<anyhow::Result<_>>()?;
        Ok(Self { zookeeper: record.zookeeper.at.parse()?, clients })
    }

    pub async fn look(&self, record: &ClusterRecord) -> ClusterView {
        let (answers, state) = tokio::join!(self.ask_nodes(&record.nodes), self.read_state());
        let answering = record.nodes.iter().zip(&answers).find(|(_, answer)| answer.is_some());
        let gone = match answering.and_then(|(node, _)| self.clients.get(&node.url)) {
            Some(client) => ask_who_is_gone(client).await,
            None => Vec::new(),
        };
        ClusterView { gone, ..ClusterView::new(record, answers, state.as_ref()) }
    }

    /// What each node answers, in their order: whatever it says, a refused login as well.
    async fn ask_nodes(&self, nodes: &[NodeRecord]) -> Vec<Option<NodeAnswer>> {
        let mut asked = JoinSet::new();
        for (at, node) in nodes.iter().enumerate() {
            if let Some(client) = self.clients.get(&node.url).cloned() {
                asked.spawn(async move { (at, NodeAnswer::of(&client).await) });
            }
        }
        let mut answers: Vec<Option<NodeAnswer>> = nodes.iter().map(|_| None).collect();
        while let Some(answer) = asked.join_next().await {
            if let Ok((at, answer)) = answer
                && let Some(slot) = answers.get_mut(at)
            {
                *slot = answer;
            }
        }
        answers
    }

    /// Errors: why ZooKeeper tells nothing.
    async fn read_state(&self) -> Result<ToldState, String> {
        let live = self.zookeeper.watch();
        let late =
            |_| format!("ZooKeeper at {} does not answer within {} s", self.zookeeper, PATIENCE.as_secs());
        let cluster = timeout(PATIENCE, self.zookeeper.fetch()).await.map_err(late)?;
        let cluster = cluster.map_err(|error| error.to_string())?;
        let live = live.borrow().iter().map(|endpoint| endpoint.url.clone()).collect();
        Ok(ToldState { live, cluster })
    }
}

/// What a node that answers says.
struct NodeAnswer {
    /// Whom it knows as living, by their names; `None` where it does not say.
    living: Option<Vec<String>>,
}

impl NodeAnswer {
    async fn of(client: &SolrClient) -> Option<Self> {
        let params =
            [("action", "CLUSTERSTATUS"), ("liveNodes", "true"), ("includeAll", "false"), ("wt", "json")];
        let answer = client.get("admin/collections", &params).await.ok()?;
        let status: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let names = status["cluster"]["live_nodes"].as_array();
        let name = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        Some(Self { living: names.map(|names| names.iter().map(name).collect()) })
    }

    fn knows_all(&self, live: &[SolrUrl]) -> bool {
        let Some(living) = &self.living else { return true };
        let name = |url: &SolrUrl| {
            let url = url.to_string();
            let at = url.split_once("://").map_or(&*url, |(_, at)| at);
            at.trim_end_matches('/').replace('/', "_")
        };
        live.iter().all(|url| living.contains(&name(url)))
    }
}

/// Nothing where the node does not say.
async fn ask_who_is_gone(client: &SolrClient) -> Vec<String> {
    let params = [("action", "CLUSTERSTATUS"), ("wt", "json")];
    let Ok(answer) = client.get("admin/collections", &params).await else { return Vec::new() };
    let status: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let gone = status["cluster"]["gone_nodes"].as_object().cloned().unwrap_or_default();
    let seconds = |it: &Value| it.as_i64().unwrap_or_default().div_euclid(1_000);
    let told = |(node, it): (String, Value)| {
        let gone_s = seconds(&it["goneMs"]);
        match it.get("replacedInMs") {
            Some(left) => {
                format!("{node}: gone for {gone_s} s; others follow in its place in {} s", seconds(left))
            }
            None => format!("{node}: gone for {gone_s} s; its replicas wait for it (REPLACENODE moves them)"),
        }
    };
    gone.into_iter().map(told).collect()
}

/// What ZooKeeper tells of a cluster.
struct ToldState {
    live: Vec<SolrUrl>,
    cluster: ClusterState,
}

impl ClusterView {
    fn new(
        record: &ClusterRecord,
        answers: Vec<Option<NodeAnswer>>,
        state: Result<&ToldState, &String>,
    ) -> Self {
        let node = |(node, answer): (&NodeRecord, Option<NodeAnswer>)| {
            let is_it = |url: &SolrUrl| url.to_string() == node.url;
            NodeView {
                node: node.node,
                url: node.url.clone(),
                pid: node.pid().filter(|_| node.runs()),
                runs: node.runs(),
                answers: answer.is_some(),
                live: state.ok().map(|state| state.live.iter().any(is_it)),
                is_behind: state.is_ok_and(|state| answer.is_some_and(|it| !it.knows_all(&state.live))),
                leads: state.map_or_else(|_| Vec::new(), |state| replicas(&state.cluster, true, is_it)),
                follows: state.map_or_else(|_| Vec::new(), |state| replicas(&state.cluster, false, is_it)),
            }
        };
        Self {
            zk: record.zookeeper.at.clone(),
            owns_zookeeper: record.zookeeper.own.is_some(),
            zookeeper_pid: record.zookeeper_process().map(|it| it.pid),
            zookeeper_wrong: state.err().cloned(),
            nodes: record.nodes.iter().zip(answers).map(node).collect(),
            leaderless: state.map_or_else(|_| Vec::new(), |state| leaderless(&state.cluster)),
            gone: Vec::new(),
        }
    }

    /// What is not as it should be, each with the next step where there is one.
    pub fn wrong(&self, dir: &str) -> Vec<String> {
        let that = |is_it: fn(&NodeView) -> bool| -> Vec<u32> {
            self.nodes.iter().filter(|it| is_it(it)).map(|it| it.node).collect()
        };
        let mut wrong = Vec::new();
        let mut add = |nodes: &[u32], what: &str| {
            if !nodes.is_empty() {
                wrong.push(format!("{}: {what}", name_nodes(nodes)));
            }
        };
        add(
            &that(|it| !it.runs),
            &format!("gone; `parhelion cluster up --dir {dir}` starts what does not run"),
        );
        add(
            &that(|it| it.runs && !it.answers),
            "running, but without an answer; see `log` in the node's folder",
        );
        add(
            &that(|it| it.answers && it.live == Some(false)),
            "clients do not find it in ZooKeeper; see `log` in the node's folder",
        );
        if self.owns_zookeeper && self.zookeeper_pid.is_none() {
            wrong.push(format!("ZooKeeper: gone; `parhelion cluster up --dir {dir}` starts it"));
        } else {
            wrong.extend(self.zookeeper_wrong.clone());
        }
        if !self.leaderless.is_empty() {
            wrong.push(format!("nobody leads {}", self.leaderless.join(", ")));
        }
        wrong
    }

    pub fn print(&self) {
        let word = |is: bool, yes: &str, no: &str| if is { yes.to_owned() } else { no.to_owned() };
        let mut table = output::table();
        table.set_header(["node", "url", "pid", "process", "answers", "in ZooKeeper", "leads", "follows"]);
        for it in &self.nodes {
            let live = it.live.map_or_else(|| "?".to_owned(), |live| word(live, "live", "no"));
            table.add_row([
                it.node.to_string(),
                it.url.clone(),
                it.pid.map_or_else(String::new, |pid| pid.to_string()),
                word(it.runs, "runs", "gone"),
                word(it.answers, "yes", "no"),
                live,
                it.leads.join(", "),
                it.follows.join(", "),
            ]);
        }
        output::line(&table.to_string());
        let pid = self.zookeeper_pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        output::line(&format!("ZooKeeper {}{pid}", self.zk));
        self.gone.iter().for_each(|gone| output::line(gone));
    }

    /// With what [`wrong`](Self::wrong) found.
    pub fn to_json(&self, wrong: &[String]) -> Value {
        let nodes: Vec<Value> = self
            .nodes
            .iter()
            .map(|it| {
                json!({
                    "node": it.node, "url": it.url, "pid": it.pid, "runs": it.runs, "answers": it.answers,
                    "live": it.live, "leads": it.leads, "follows": it.follows,
                })
            })
            .collect();
        json!({
            "healthy": wrong.is_empty(), "wrong": wrong, "nodes": nodes, "zk": self.zk, "zkPid": self.zookeeper_pid,
            "zkAnswers": self.zookeeper_wrong.is_none(), "withoutLeader": self.leaderless, "gone": self.gone,
        })
    }
}

/// The shards of which a node has a replica that leads, or one that does not.
fn replicas(state: &ClusterState, leads: bool, is_it: impl Fn(&SolrUrl) -> bool) -> Vec<String> {
    shards_where(state, |shard| shard.replicas.iter().any(|it| it.leads == leads && is_it(&it.url)))
}

fn leaderless(state: &ClusterState) -> Vec<String> {
    shards_where(state, |shard| !shard.replicas.iter().any(|it| it.leads))
}

fn shards_where(state: &ClusterState, is_one: impl Fn(&client::Shard) -> bool) -> Vec<String> {
    let all = state.collections.iter().flat_map(|(name, shards)| shards.iter().map(move |it| (name, it)));
    all.filter(|(_, shard)| is_one(shard)).map(|(name, shard)| format!("{name}/{}", shard.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_knows_fewer_than_zookeeper_is_behind() {
        let live: Vec<SolrUrl> =
            [1, 2].map(|port| format!("http://127.0.0.1:{port}/solr").parse().unwrap()).into();
        let knows = |living: Option<&[&str]>| {
            let living = living.map(|names| names.iter().map(|&name| name.to_owned()).collect());
            NodeAnswer { living }.knows_all(&live)
        };
        assert!(knows(Some(&["127.0.0.1:2_solr", "127.0.0.1:1_solr", "127.0.0.1:3_solr"])));
        assert!(!knows(Some(&["127.0.0.1:1_solr"])) && !knows(Some(&[])));
        assert!(knows(None), "it may ask for a login");
    }

    #[test]
    fn shards_are_led_or_not() {
        let replica = |node: u16, leader: &str| {
            json!({"core": "c", "base_url": format!("http://127.0.0.1:{node}/solr"), "state": "active",
                "node_name": format!("127.0.0.1:{node}_solr"), "leader": leader})
        };
        let state = ClusterState::parse(&json!({"cluster": {
            "live_nodes": ["127.0.0.1:1_solr", "127.0.0.1:2_solr"],
            "collections": {"films": {"shards": {
                "shard1": {"replicas": {"a": replica(1, "true"), "b": replica(2, "false")}},
                "shard2": {"replicas": {"c": replica(3, "true")}},
            }}},
        }}));
        let state = state.unwrap();
        let led_by = |node: u16| {
            replicas(&state, true, |url| url.to_string() == format!("http://127.0.0.1:{node}/solr"))
        };
        assert_eq!((led_by(1), led_by(2), led_by(3)), (vec!["films/shard1".to_owned()], vec![], vec![]));
        assert_eq!(leaderless(&state), ["films/shard2"]);
    }

    #[test]
    fn what_is_wrong_is_named_once() {
        let node = |node: u32, runs: bool, answers: bool, live: Option<bool>| NodeView {
            node,
            url: String::new(),
            pid: None,
            runs,
            answers,
            live,
            is_behind: false,
            leads: Vec::new(),
            follows: Vec::new(),
        };
        let view = |nodes: Vec<NodeView>| ClusterView {
            zk: "zk:2181".to_owned(),
            owns_zookeeper: false,
            zookeeper_pid: None,
            zookeeper_wrong: None,
            nodes,
            leaderless: Vec::new(),
            gone: Vec::new(),
        };
        assert!(view(vec![node(1, true, true, Some(true))]).wrong("c").is_empty());
        let wrong = view(vec![
            node(1, false, false, Some(true)),
            node(2, false, false, Some(false)),
            node(3, true, false, Some(false)),
            node(4, true, true, Some(false)),
        ]);
        let wrong = wrong.wrong("./c");
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(wrong[0].starts_with("nodes 1 and 2: gone; `parhelion cluster up --dir ./c`"), "{wrong:?}");
        assert!(
            wrong[1].starts_with("node 3: running") && wrong[2].starts_with("node 4: clients"),
            "{wrong:?}"
        );
    }
}
