//! What a shard has done since it was opened, for status pages and metrics. Counted where the work ends, read
//! without a lock: figures of one moment need not fit together.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the shard was opened.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) refreshes: AtomicU64,
    pub(crate) flushes: AtomicU64,
    pub(crate) merges: AtomicU64,
    pub(crate) merged_docs: AtomicU64,
    pub(crate) auto_flushes: AtomicU64,
    pub(crate) auto_refreshes: AtomicU64,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }
}
