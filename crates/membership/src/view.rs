//! What the nodes are to be: paths and bytes, in the order in which they are made, so that a live node
//! appears behind what it serves.

use std::collections::BTreeMap;

use crate::tree::Lifetime;

/// Everything below these is the cluster's: what a view does not name there goes.
pub(crate) const FOLDERS: [&str; 4] = ["/collections", "/configs", "/live_nodes", "/node_roles"];
/// Nodes without any below them.
pub(crate) const FILES: [&str; 2] = ["/aliases.json", "/clusterprops.json"];

/// ZooKeeper takes no request beyond a mebibyte (`jute.maxbuffer`), path and envelope included.
pub(crate) const NODE_BYTES_MAX: usize = 1_000_000;

/// Nodes by path, each behind those above it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View(pub(crate) BTreeMap<String, ViewEntry>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewEntry {
    pub bytes: Vec<u8>,
    pub lifetime: Lifetime,
}

impl View {
    /// Puts a node that stays until a later view lacks it. Those above it come with it, empty.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.insert(path, ViewEntry { bytes, lifetime: Lifetime::Lasting });
    }

    /// Puts a node that goes when whoever made it does.
    pub fn put_while_alive(&mut self, path: &str, bytes: Vec<u8>) {
        self.insert(path, ViewEntry { bytes, lifetime: Lifetime::Session });
    }

    /// Drops nodes that no request could carry, and names them.
    pub(crate) fn take_oversized(&mut self) -> Vec<String> {
        let oversized = |(_, entry): &(&String, &ViewEntry)| entry.bytes.len() > NODE_BYTES_MAX;
        let found: Vec<String> = self.0.iter().filter(oversized).map(|(path, _)| path.clone()).collect();
        found.iter().for_each(|path| drop(self.0.remove(path)));
        found
    }

    fn insert(&mut self, path: &str, entry: ViewEntry) {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|above| !above.is_empty());
        for above in above {
            let empty = || ViewEntry { bytes: Vec::new(), lifetime: Lifetime::Lasting };
            self.0.entry(above.to_owned()).or_insert_with(empty);
        }
        self.0.insert(path.to_owned(), entry);
    }
}
