//! One shard: updates to log and segments, searches over snapshots of them.
//!
//! In: `plan::UpdateBatch` and `plan::SearchPlan`; out: their outcomes. Bytes go to a `store::ShardHome`.
//! Knows neither HTTP nor other shards, and starts no outbound request. The API blocks. The only crate that
//! names tantivy.

mod bytes;
mod cache;
mod config;
mod core;
mod errors;
pub mod fuzzing;
mod highlight;
mod indexing;
mod layout;
mod life;
mod lock;
mod merge_policy;
mod sampling;
mod scheduler;
mod search;
mod seeded_bugs;
mod segment;
mod shard;
mod snapshot;
mod suggest;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod threads;
mod write;

pub use cache::Cache;
pub use config::{CacheSizes, ShardConfig};
pub use core::batches::RememberedBatches;
pub use core::losses::{Losses, LostLog, LostSegment};
pub use layout::{ColumnKind, ColumnRef, FieldLayout, InvertedKind, Layout, Slot, VERSION_NAME};
pub use life::flush::published_image;
pub use life::follow::{Leader, Shown};
pub use life::image::{FilePiece, FollowerHas, SnapshotImage, piece_of};
pub use life::rebuild::Visit;
pub use life::repair::{FilesVerdict, RepairOutcome, RepairReport, repair, verify};
pub use merge_policy::MergePolicy;
pub use sampling::{IndexDifference, IndexSample};
pub use scheduler::{Priority, Scheduler, Task, TaskHandle};
pub use search::peers::{JoinedValues, Peers};
pub use search::{TERM_CHARS_MAX, alike, similarity};
#[cfg(feature = "seeded-bugs")]
pub use seeded_bugs::{SeededBug, plant};
pub use shard::Shard;
pub use shard::pinned::PinnedShard;
pub use shard::stats::{SegmentStats, ShardStats};
pub use snapshot::{SegmentView, Snapshot, SnapshotOrder, read_source};
pub use threads::ThreadScheduler;
pub use write::applied::AppliedUpdate;
pub use write::update_context::{EditSteps, UpdateContext};
