//! The state of a cluster, and where it comes from: a fixed one, any node's `CLUSTERSTATUS`, or the cluster's
//! ZooKeeper. Read by the client of a cluster, which decides how old it may be.

mod source;
mod state;
mod zookeeper;

pub use source::{ClusterStateSource, Fetching, HttpClusterState};
pub use state::{ClusterState, Replica, Shard};
pub use zookeeper::ZooKeeperState;
