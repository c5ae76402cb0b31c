//! `/replication?command=details`: the shape of Solr's answer for an index that is copied by nobody. One
//! commit, whose files are not listed, since they are not Lucene's; backups, of the same path, are the
//! handler's.

use super::core_status::readable;
use crate::response::Node;

/// The index as its copies would know it.
#[derive(Clone, Debug, Default)]
pub struct Replicable {
    pub bytes: u64,
    pub folder: String,
    pub modified_ms: i64,
    pub generation: u64,
}

/// The value of `details`. There is one commit, whose files are not listed: they are not Lucene's.
pub fn replication_details(index: &Replicable) -> Node {
    let version = || Node::Long(index.modified_ms);
    let generation = || Node::long(index.generation);
    let leader = Node::map([
        ("replicateAfter", Node::Array(vec![Node::str("commit")])),
        ("replicationEnabled", Node::str("true")),
        ("replicableVersion", version()),
        ("replicableGeneration", generation()),
    ]);
    Node::map([
        ("indexSize", Node::from(readable(index.bytes))),
        ("indexPath", Node::from(index.folder.clone())),
        ("commits", Node::Array(vec![])),
        ("isLeader", Node::str("true")),
        ("isFollower", Node::str("false")),
        ("indexVersion", version()),
        ("generation", generation()),
        ("leader", leader),
    ])
}
