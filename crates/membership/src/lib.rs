//! Who lives in the cluster, and the view of it that clients of SolrCloud read in ZooKeeper: live nodes,
//! `state.json` of each collection, aliases, properties, configsets. The truth lies elsewhere, in the
//! documents of `store`; the view is written from it, repaired after every reconnect, and never read back.
//!
//! In: a [`View`], which is paths and bytes, as whoever knows the collections makes it; out: the same nodes
//! in a [`Tree`], and who else is there. [`ZooKeeper`] is the tree of production, `memory` has one whose
//! connection breaks on command. Who may write is decided by a claim (`claim`, the model `publish_view`). The
//! only crate beside `client` that names ZooKeeper, and the only one that writes to it.

mod changes;
mod claim;
mod members;
#[cfg(test)]
mod memory;
mod publisher;
mod repair;
#[cfg(test)]
mod tests;
mod tree;
mod view;
mod zookeeper;

pub use members::Member;
pub use publisher::{Publisher, Source, Unpublished};
pub use repair::Shown;
pub use tree::{Change, Lifetime, Present, Tree, TreeError, TreeEvent, Trees};
pub use view::{View, ViewEntry};
pub use zookeeper::{ZooKeeper, ZooKeeperPlace};
