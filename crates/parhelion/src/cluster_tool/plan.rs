//! What a cluster is to be: the one that is there, or a new one of what was asked for, with ports for each of
//! its processes. In: the folder's record and the flags; out: a record that nobody has written yet. What a
//! cluster that has run may still change is `record`'s to say.

use anyhow::{Context as _, ensure};

use super::folder::ClusterFolder;
use super::ports;
use super::record::{ClusterRecord, OwnZooKeeper, WantedCluster, ZooKeeperRecord};

const NODES_DEFAULT: u32 = 3;

/// The cluster that is there, with as many nodes as are wanted, or a new one. Nothing is written.
pub fn plan_cluster(
    folder: &ClusterFolder,
    wanted: &WantedCluster<'_>,
    random: u128,
) -> anyhow::Result<ClusterRecord> {
    let found = folder.read()?.filter(|it| it.has_run || it.any_runs());
    if let Some(record) = &found {
        record.check_same(wanted)?;
    }
    let nodes = found.as_ref().map_or(0, |it| it.nodes.len());
    let count =
        wanted.nodes.map_or(if nodes == 0 { NODES_DEFAULT as usize } else { nodes }, |it| it as usize);
    let taken = found.as_ref().map(ClusterRecord::ports).unwrap_or_default();
    let numbers = found.as_ref().map_or(0, ClusterRecord::node_max) + 1..=u32::try_from(count)?;
    let starts_zookeeper = found.is_none() && wanted.zk.is_none();
    let mut ports = match wanted.base_port {
        Some(base) => {
            let nodes = numbers.map(|number| ports::node_port(base, number));
            let zookeeper = starts_zookeeper.then(|| ports::zookeeper_port(base));
            nodes.chain(zookeeper).collect::<anyhow::Result<Vec<_>>>()?
        }
        None => ports::free(count - nodes + usize::from(starts_zookeeper), &taken, random)?,
    };
    let zookeeper_port = if starts_zookeeper { ports.pop() } else { None };
    let mut record = match found {
        Some(record) => record,
        None => new_record(folder, wanted, zookeeper_port)?,
    };
    ports.into_iter().for_each(|port| record.add_node(port));
    Ok(record)
}

fn new_record(
    folder: &ClusterFolder,
    wanted: &WantedCluster<'_>,
    zookeeper_port: Option<u16>,
) -> anyhow::Result<ClusterRecord> {
    let zookeeper = match (zookeeper_port, wanted.zk) {
        (Some(port), _) => ZooKeeperRecord {
            at: format!("127.0.0.1:{port}"),
            own: Some(OwnZooKeeper { port, process: None }),
        },
        (None, at) => ZooKeeperRecord { at: at.context("a ZooKeeper")?.to_owned(), own: None },
    };
    let store = wanted.store.map_or_else(|| folder.store_url(), str::to_owned);
    ensure!(
        !store.starts_with("file://") || store.starts_with("file:///"),
        "--store {store} is relative to the folder that a command is called in; write it as file:///folder"
    );
    let mut record = ClusterRecord::new(folder.text(), zookeeper, store);
    record.zk_session = wanted.zk_session;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_cluster_has_what_was_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ClusterFolder::make(dir.path()).unwrap();
        let ports = |record: &ClusterRecord| record.nodes.iter().map(|it| it.port).collect::<Vec<_>>();
        let wanted = WantedCluster { nodes: Some(2), base_port: Some(8983), ..WantedCluster::default() };
        let record = plan_cluster(&folder, &wanted, 0).unwrap();
        assert_eq!((ports(&record), record.zookeeper.at.as_str()), (vec![8983, 8984], "127.0.0.1:9983"));
        assert_eq!(record.store, folder.store_url());
        let given =
            WantedCluster { zk: Some("zk:2181/a"), store: Some("s3://b/p"), zk_session: Some(6), ..wanted };
        let record = plan_cluster(&folder, &given, 0).unwrap();
        assert_eq!(record.zk_session, Some(6));
        assert_eq!((record.zookeeper.own, record.store.as_str()), (None, "s3://b/p"));
        assert_eq!(record.zookeeper.at, "zk:2181/a");
        let high = WantedCluster { base_port: Some(65_000), ..wanted };
        assert!(plan_cluster(&folder, &high, 0).unwrap_err().to_string().contains("for ZooKeeper"));
        assert_eq!(
            ports(&plan_cluster(&folder, &WantedCluster { zk: given.zk, ..high }, 0).unwrap()),
            [65_000, 65_001]
        );
        assert_eq!(plan_cluster(&folder, &WantedCluster::default(), 7).unwrap().nodes.len(), 3);
        let relative = WantedCluster { store: Some("file://store"), ..wanted };
        let refused = plan_cluster(&folder, &relative, 0).unwrap_err().to_string();
        assert!(refused.contains("file:///folder"), "{refused}");
    }

    #[test]
    fn a_cluster_that_has_run_is_the_same_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ClusterFolder::make(dir.path()).unwrap();
        let mut first = plan_cluster(&folder, &WantedCluster::default(), 0).unwrap();
        folder.save(&first).unwrap();
        let other = WantedCluster { nodes: Some(1), base_port: Some(8983), ..WantedCluster::default() };
        assert_eq!(plan_cluster(&folder, &other, 0).unwrap().nodes[0].port, 8983, "it has never run");
        first.has_run = true;
        folder.save(&first).unwrap();
        assert_eq!(plan_cluster(&folder, &WantedCluster::default(), 99).unwrap(), first);
        assert!(plan_cluster(&folder, &other, 0).is_err());
        let more =
            plan_cluster(&folder, &WantedCluster { nodes: Some(5), ..WantedCluster::default() }, 0).unwrap();
        assert_eq!(more.nodes[..3], first.nodes[..]);
        let mut ports = more.ports();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!((more.nodes.len(), ports.len()), (5, 6), "each has a port of its own");
    }
}
