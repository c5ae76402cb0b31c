//! What administrators and clients read about a node: shapes and key names of Solr's admin answers, filled
//! from facts that the caller gathers. Nothing here looks at a clock, a disk or an index. The facts come from
//! handlers of `http`, which ask the node and the machine; the parameters of each answer are defined in
//! `params/admin`.

mod backups;
mod bodies;
mod cluster_status;
mod config_view;
mod core_status;
mod luke;
mod metric;
mod metrics;
mod prometheus;
mod replication;
mod segments;
mod system;

pub use backups::{backup_list, backup_made, backups_deleted, backups_purged};
pub use bodies::{body_params, level_changes};
pub use cluster_status::{
    ClusterFacts, CollectionFacts, GoneFacts, Lag, ReplicaFacts, ShardFacts, base_url, cluster_status,
    collection_status, leader_document, live_node_document, pairs, state_document, state_version,
};
pub use config_view::config;
pub use core_status::{CoreFacts, core_status};
pub use luke::{
    FieldFacts, LukeFacts, StoredValue, luke_document, luke_fields, luke_index, luke_info, luke_schema,
};
pub use metric::{Metric, Rates, Registry, Times, cache_metric};
pub use metrics::metrics;
pub use prometheus::{PROMETHEUS, prometheus};
pub use replication::{Replicable, replication_details};
pub use segments::{SegmentFacts, field_bytes, segments};
pub use system::{CoreSystemFacts, NodeFacts, core_system, system};

use crate::response::Node;

/// The index of a core in numbers, as the core list and Luke both show it.
#[derive(Clone, Debug, Default)]
pub struct IndexFacts {
    pub num_docs: u64,
    pub max_doc: u64,
    pub deleted_docs: u64,
    pub version: u64,
    pub segment_count: u64,
    pub current: bool,
    /// Where the index lives, for display.
    pub directory: String,
    pub last_modified_ms: Option<i64>,
    pub size_bytes: u64,
}

impl IndexFacts {
    fn entries(&self) -> crate::response::Entries {
        let mut entries: crate::response::Entries = vec![
            ("numDocs".into(), Node::count(self.num_docs)),
            ("maxDoc".into(), Node::count(self.max_doc)),
            ("deletedDocs".into(), Node::count(self.deleted_docs)),
            ("version".into(), Node::long(self.version)),
            ("segmentCount".into(), Node::count(self.segment_count)),
            ("current".into(), Node::Bool(self.current)),
            ("hasDeletions".into(), Node::Bool(self.deleted_docs > 0)),
            ("directory".into(), Node::Str(self.directory.clone().into())),
        ];
        if let Some(ms) = self.last_modified_ms {
            entries.push(("lastModified".into(), Node::Date(ms)));
        }
        entries
    }
}
