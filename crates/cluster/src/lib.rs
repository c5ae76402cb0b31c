//! Which collections there are, where their shards live, and how a request reaches them: route, shard,
//! gather. A single node is a cluster of one, on the same road. Requests come from `http` as plans; shards
//! are `engine`'s; what must survive a restart goes to `store`. Knows no wire format and no parameter.

mod backup;
mod catalog;
mod collection;
mod collection_documents;
mod configsets;
mod create;
mod documents;
mod engine_shards;
mod finish;
mod followed;
mod gather;
mod in_use;
mod living;
mod member;
#[cfg(any(test, feature = "memory"))]
pub mod memory;
mod node;
mod offload;
mod owners;
mod placement;
mod remote;
mod replacing;
mod replica;
mod routing;
mod security;
mod shard;
mod state;
mod upgrade;
mod views;

pub use backup::{BackupPlace, BackupRoot, BackupsToDelete, RestoreTo};
pub use catalog::MetadataHomes;
pub use collection::{
    Collection, Counted, GetShards, Intake, Moment, PinnedCollection, RebuildState, RebuildStatus,
    SchemaEdit, ShardSelection, SnapshotFacts, Together, UpdateCounts,
};
pub use create::{CreateCollection, Sharding};
pub use engine::{
    Cache, CacheSizes, FilesVerdict, IndexDifference, IndexSample, Losses, LostLog, LostSegment,
    RepairOutcome, RepairReport, Scheduler, ThreadScheduler,
};
pub use engine_shards::{engine_readers, engine_shards};
pub use finish::{
    finish_facets, finish_search, finish_suggestions, finish_terms, finish_top_terms, spell_words,
};
pub use gather::search_shards;
pub use in_use::{InUse, VersionedConfig, VersionedSchema};
pub use living::{Census, LivingMember, NodeRoles, Zones};
pub use member::Description;
pub use node::{
    CORES_MAX_PROPERTY, MovedCollection, NewHouse, NewShard, Node, NodeConfig, RepairedShard, ReplicaName,
    VerifiedShard,
};
pub use offload::compute;
pub use owners::Member;
#[cfg(any(test, feature = "memory"))]
pub use remote::looped::over_messages;
pub use remote::{AnsweredFigures, Answering, Carrier, Hosted, Letter, ShardAddress};
pub use replacing::GoneMember;
pub use replica::{Replica, ReplicaCounts, ReplicaKind};
pub use routing::{HashRange, Router, RouterKind, ShardDocument, route_key};
pub use shard::{
    AppliedUpdate, BackedUp, CachesRead, DocumentAtRead, EditSteps, ExplainOtherRead, FieldBytesRead,
    FieldsRead, FingerprintRead, GetRead, JoinRead, LikeCountsRead, OpenShard, ReadAnswer, ReadRequest,
    RememberedBatches, SegmentStats, SegmentsRead, Shard, ShardMoment, ShardPlace, ShardRead, ShardReader,
    ShardSettings, ShardSite, ShardSnapshot, ShardStats, ShardUpkeep, ShardWriter, SnapshotAnswer,
    SnapshotRead, SnapshotRequest, TermDocumentsRead, UpdateContext, VersionsRead, WhyNotRead,
};
pub use state::{Alias, ClusterState};
pub use store::{LogFigures, VersionedBytes};

#[cfg(test)]
mod assignment_tests;
#[cfg(test)]
mod birth_tests;
#[cfg(test)]
mod copies_tests;
#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod gathering_tests;
#[cfg(test)]
mod intake_tests;
#[cfg(test)]
mod open_end_tests;
#[cfg(test)]
mod owner_tests;
#[cfg(test)]
mod rebuild_tests;
#[cfg(test)]
mod shard_tests;
#[cfg(test)]
mod tests;
