//! One shard: updates to log and segments, searches over snapshots of them.
//!
//! In: `plan::UpdateBatch` and `plan::SearchPlan`; out: their outcomes. Bytes go to a `store::ShardHome`. Knows neither
//! HTTP nor other shards, and starts no outbound request. The API blocks. The only crate that names tantivy.

mod alive;
mod analyzers;
mod applied;
mod apply;
mod atomic;
mod batches;
mod block;
mod builder;
mod bytes;
mod cache;
mod conditions;
mod config;
mod core;
mod delete_by_query;
mod dense_terms;
mod dense_vectors;
mod derived;
mod directory;
mod errors;
mod expire;
mod flush;
pub mod fuzzing;
mod group;
mod highlight;
mod id_filter;
mod id_texts;
mod index_document;
mod layout;
mod log_codec;
mod manifest;
mod merge;
mod merge_policy;
mod norm_file;
mod payloads;
mod peers;
mod pinned;
mod places;
mod postings_builder;
mod prepare;
mod progress;
mod rebuild;
mod recent;
mod recovery;
mod refresh;
mod refused;
mod run_merge;
mod schedule;
mod scheduler;
mod search;
mod seeded_bugs;
mod segment;
mod shard;
mod snapshot;
mod source_codec;
mod state;
mod stats;
mod stored_source;
mod suggest;
mod term_table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod threads;
mod tokens;
mod unsettled;
mod update_context;
mod value_order;
mod writer;

pub use applied::AppliedUpdate;
pub use batches::RememberedBatches;
pub use cache::Cache;
pub use config::{CacheSizes, ShardConfig};
pub use layout::{ColumnKind, ColumnRef, FieldLayout, InvertedKind, Layout, Slot, VERSION_NAME};
pub use merge_policy::MergePolicy;
pub use peers::{JoinedValues, Peers};
pub use pinned::PinnedShard;
pub use rebuild::Visit;
pub use scheduler::{Priority, Scheduler, Task, TaskHandle};
pub use search::{TERM_CHARS_MAX, alike, similarity};
#[cfg(feature = "seeded-bugs")]
pub use seeded_bugs::{SeededBug, plant};
pub use shard::Shard;
pub use snapshot::{SegmentView, Snapshot, read_source};
pub use stats::{SegmentStats, ShardStats};
pub use threads::ThreadScheduler;
pub use update_context::{EditSteps, UpdateContext};
