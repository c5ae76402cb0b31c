//! `cluster.json`: what a cluster is made of and which processes are its own. Owns the form of the file, and
//! what may be asked of a cluster that is there; where it lies is `folder`'s, what runs `process`'s.

use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};

use super::process::ProcessIdentity;

/// Of the form. A program that knows a later one only reads this to say so.
const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterRecord {
    /// Tells our file from others of its name.
    parhelion_cluster: u32,
    /// The folder that it was made in: a copy elsewhere is no cluster.
    pub dir: String,
    /// Whether all of it has ever run. Before that `up` begins anew instead of insisting on what was wrong.
    pub has_run: bool,
    pub zookeeper: ZooKeeperRecord,
    pub store: String,
    /// Of every node in ZooKeeper, in seconds, where it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zk_session: Option<u64>,
    pub nodes: Vec<NodeRecord>,
}

/// The cluster's ZooKeeper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ZooKeeperRecord {
    /// As clients name it.
    pub at: String,
    /// `None` where it is another's.
    pub own: Option<OwnZooKeeper>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnZooKeeper {
    pub port: u16,
    pub process: Option<ProcessIdentity>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRecord {
    /// From 1 on.
    pub node: u32,
    pub port: u16,
    pub url: String,
    /// The last that was started; `None` where it was stopped.
    pub process: Option<ProcessIdentity>,
}

impl NodeRecord {
    fn new(node: u32, port: u16) -> Self {
        Self { node, port, url: format!("http://127.0.0.1:{port}/solr"), process: None }
    }

    pub fn runs(&self) -> bool {
        self.process.as_ref().is_some_and(ProcessIdentity::runs)
    }

    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|it| it.pid)
    }
}

impl ClusterRecord {
    pub fn new(dir: &str, zookeeper: ZooKeeperRecord, store: String) -> Self {
        Self {
            parhelion_cluster: VERSION,
            dir: dir.to_owned(),
            has_run: false,
            zookeeper,
            store,
            zk_session: None,
            nodes: Vec::new(),
        }
    }

    /// Errors: what is no record of ours, or one of another folder.
    pub fn parse(text: &str, dir: &str) -> anyhow::Result<Self> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        match value.get("parhelionCluster").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => bail!("it has form {version}, this program knows {VERSION}; use the newer one"),
            None => bail!("it was not written by `parhelion cluster up`"),
        }
        let record: Self = serde_json::from_value(value)?;
        ensure!(
            record.dir == dir,
            "it belongs to the folder `{}`, where its processes and data are; use that one",
            record.dir
        );
        Ok(record)
    }

    pub fn node(&self, number: u32) -> anyhow::Result<&NodeRecord> {
        let found = self.nodes.iter().find(|it| it.node == number);
        found.ok_or_else(|| {
            anyhow::anyhow!("there is no node {number}; nodes have the numbers 1 to {}", self.nodes.len())
        })
    }

    pub fn node_mut(&mut self, number: u32) -> Option<&mut NodeRecord> {
        self.nodes.iter_mut().find(|it| it.node == number)
    }

    pub fn add_node(&mut self, port: u16) {
        self.nodes.push(NodeRecord::new(self.node_max() + 1, port));
    }

    /// The last node's number; 0 where there is none.
    pub fn node_max(&self) -> u32 {
        self.nodes.iter().map(|it| it.node).max().unwrap_or(0)
    }

    /// All ports that the cluster's own processes listen on.
    pub fn ports(&self) -> Vec<u16> {
        let zookeeper = self.zookeeper.own.iter().map(|it| it.port);
        self.nodes.iter().map(|it| it.port).chain(zookeeper).collect()
    }

    /// ZooKeeper's process, where it is the cluster's own and runs.
    pub fn zookeeper_process(&self) -> Option<&ProcessIdentity> {
        self.zookeeper.own.as_ref()?.process.as_ref().filter(|it| it.runs())
    }

    pub fn any_runs(&self) -> bool {
        self.zookeeper_process().is_some() || self.nodes.iter().any(NodeRecord::runs)
    }

    /// Whether what is asked for now is what the cluster is. Errors: what cannot be changed any more.
    pub fn check_same(&self, wanted: &WantedCluster<'_>) -> anyhow::Result<()> {
        let differs = |flag: &str, has: &str, wanted: &str| {
            anyhow::anyhow!(
                "this cluster has {flag} {has}, not {wanted}, and keeps it; leave {flag} out, or start another \
                 cluster in another folder"
            )
        };
        if let Some(zk) = wanted.zk.filter(|zk| *zk != self.zookeeper.at) {
            return Err(differs("--zk", &self.zookeeper.at, zk));
        }
        if let Some(store) = wanted.store.filter(|store| *store != self.store) {
            return Err(differs("--store", &self.store, store));
        }
        let base = self.nodes.first().map_or(0, |it| it.port);
        if let Some(other) = wanted.base_port.filter(|port| *port != base) {
            return Err(differs("--base-port", &base.to_string(), &other.to_string()));
        }
        let session = self.zk_session;
        if let Some(other) = wanted.zk_session.filter(|seconds| Some(*seconds) != session) {
            let has = session.map_or_else(|| "of `serve`".to_owned(), |seconds| seconds.to_string());
            return Err(differs("--zk-session", &has, &other.to_string()));
        }
        let count = self.nodes.len();
        if let Some(fewer) = wanted.nodes.filter(|it| (*it as usize) < count) {
            bail!(
                "this cluster has {count} nodes, not {fewer}; stop one with `parhelion cluster stop --node \
                 {count}`, or start another cluster in another folder"
            );
        }
        Ok(())
    }
}

/// What `up` was told, of what a cluster keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedCluster<'a> {
    pub nodes: Option<u32>,
    pub zk: Option<&'a str>,
    pub store: Option<&'a str>,
    pub base_port: Option<u16>,
    pub zk_session: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> ClusterRecord {
        let own = OwnZooKeeper { port: 9983, process: None };
        let zookeeper = ZooKeeperRecord { at: "127.0.0.1:9983".to_owned(), own: Some(own) };
        let mut record = ClusterRecord::new("/c", zookeeper, "file:///c/store".to_owned());
        record.add_node(8983);
        record.add_node(8984);
        record
    }

    #[test]
    fn what_is_written_is_read() {
        let mut record = record();
        record.nodes[1].process = Some(ProcessIdentity { pid: 7, start_ticks: 4711, boot: "b".to_owned() });
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(ClusterRecord::parse(&text, "/c").unwrap(), record);
        assert_eq!(record.nodes[1].url, "http://127.0.0.1:8984/solr");
        assert_eq!(record.ports(), [8983, 8984, 9983]);
        assert_eq!((record.node(2).unwrap().pid(), record.any_runs()), (Some(7), false));
        assert!(record.node(3).unwrap_err().to_string().contains("1 to 2"));
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let text = serde_json::to_string(&record()).unwrap();
        let check = |text: &str, dir: &str, part: &str| {
            let refused = ClusterRecord::parse(text, dir).unwrap_err().to_string();
            assert!(refused.contains(part), "{text}: {refused}");
        };
        check(&text, "/copy", "belongs to the folder `/c`");
        check(&text.replace("Cluster\":1", "Cluster\":2"), "/c", "form 2");
        check(r#"{"nodes":[]}"#, "/c", "not written by");
        check("nodes", "/c", "expected");
        check(r#"{"parhelionCluster":1}"#, "/c", "missing field");
    }

    #[test]
    fn a_cluster_keeps_what_it_has() {
        let check = |wanted: WantedCluster<'_>, part: Option<&str>| {
            let found = record().check_same(&wanted).map_err(|error| error.to_string());
            match part {
                None => assert_eq!(found, Ok(()), "{wanted:?}"),
                Some(part) => assert!(found.as_ref().unwrap_err().contains(part), "{wanted:?}: {found:?}"),
            }
        };
        let same = WantedCluster {
            nodes: Some(2),
            zk: Some("127.0.0.1:9983"),
            store: Some("file:///c/store"),
            base_port: Some(8983),
            zk_session: None,
        };
        check(WantedCluster::default(), None);
        check(same, None);
        check(WantedCluster { nodes: Some(5), ..same }, None);
        check(WantedCluster { nodes: Some(1), ..same }, Some("has 2 nodes, not 1"));
        check(WantedCluster { zk: Some("zk:2181"), ..same }, Some("--zk 127.0.0.1:9983, not zk:2181"));
        check(
            WantedCluster { store: Some("s3://b/p"), ..same },
            Some("--store file:///c/store, not s3://b/p"),
        );
        check(WantedCluster { base_port: Some(1), ..same }, Some("--base-port 8983, not 1"));
        check(WantedCluster { zk_session: Some(6), ..same }, Some("--zk-session of `serve`, not 6"));
    }

    #[test]
    fn a_session_that_was_told_is_kept() {
        let told = ClusterRecord { zk_session: Some(6), ..record() };
        let text = serde_json::to_string(&told).unwrap();
        let read = ClusterRecord::parse(&text, "/c").unwrap();
        assert_eq!(read, told);
        let wanted = |zk_session| WantedCluster { zk_session, ..WantedCluster::default() };
        assert!(read.check_same(&wanted(Some(6))).is_ok() && read.check_same(&wanted(None)).is_ok());
        let refused = read.check_same(&wanted(Some(7))).unwrap_err().to_string();
        assert!(refused.contains("--zk-session 6, not 7"), "{refused}");
        // A record of a cluster that was made before there was such a flag.
        assert!(!serde_json::to_string(&record()).unwrap().contains("zkSession"));
    }
}
