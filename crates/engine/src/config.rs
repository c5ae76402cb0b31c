//! The knobs of a shard, with defaults that suit a small node. Handed in by `cluster` when a shard opens;
//! nothing in here is changed while it is open but the automatic commits, which `Core` keeps apart. A
//! collection's settings become these in `cluster`, tests set small ones so that flushes and merges happen
//! within a hundred documents. Sizes here bound memory and replay; how many requests may be under way is
//! `http`'s to admit.

use std::sync::Arc;

use plan::AutoCommit;

use crate::merge_policy::MergePolicy;
use crate::scheduler::Scheduler;

const WEEK_MS: i64 = 7 * 24 * 3600 * 1000;
/// 20,000 a week: what is wrong in a thousandth of the documents is nearly surely found on the first day.
const SAMPLES_PER_HOUR: u32 = 120;

/// How a shard behaves. Sizes in bytes.
#[derive(Clone, Debug)]
pub struct ShardConfig {
    pub auto_commit: AutoCommit,
    /// Unpersisted segments and builders together; above it updates wait for a flush.
    pub ram_bytes_max: usize,
    /// A builder is sealed above this size.
    pub builder_bytes_max: usize,
    /// Log bytes above which a flush is due, so that a restart replays no more.
    pub log_bytes_max: u64,
    pub merge: MergePolicy,
    /// Runs due refreshes, flushes and merges; without one the owner calls [`tick`](crate::Shard::tick).
    pub scheduler: Option<Arc<dyn Scheduler>>,
    pub caches: CacheSizes,
    /// Batches that are remembered, to be known when they come again.
    pub batches_kept: usize,
    /// How long a segment file stays that newer ones have replaced, for whoever reads the shard beside its
    /// owner.
    pub replaced_files_kept_ms: i64,
    /// Read every segment file at open and compare its checksum.
    pub verify_at_open: bool,
    /// Within this time every segment file is read again; `None`: none is.
    pub scrub_within_ms: Option<i64>,
    /// This many stored documents an hour are compared with their index, and as many terms; 0: none are.
    pub samples_per_hour: u32,
}

/// What the caches of a shard may hold, in bytes; 0 turns one off.
#[derive(Clone, Debug)]
pub struct CacheSizes {
    pub filters: u64,
    pub results: u64,
    pub documents: u64,
}

impl CacheSizes {
    pub const NONE: CacheSizes = CacheSizes { filters: 0, results: 0, documents: 0 };
}

impl Default for CacheSizes {
    /// 512 filters of a million documents, tens of thousands of results, thousands of documents.
    fn default() -> Self {
        Self { filters: 64 << 20, results: 16 << 20, documents: 16 << 20 }
    }
}

impl Default for ShardConfig {
    fn default() -> Self {
        let auto_commit = AutoCommit {
            flush_after_ms: Some(15_000),
            flush_after_docs: None,
            flush_opens_searcher: false,
            refresh_after_ms: Some(1_000),
            refresh_after_docs: None,
        };
        Self {
            auto_commit,
            ram_bytes_max: 256 << 20,
            builder_bytes_max: 64 << 20,
            log_bytes_max: 512 << 20,
            merge: MergePolicy::default(),
            scheduler: None,
            caches: CacheSizes::default(),
            batches_kept: 1_000,
            replaced_files_kept_ms: 10_000,
            verify_at_open: false,
            scrub_within_ms: Some(WEEK_MS),
            samples_per_hour: SAMPLES_PER_HOUR,
        }
    }
}
