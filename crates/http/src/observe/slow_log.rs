//! The last slow requests, and their lines of the log. A bounded list in memory, newest first, and a count of
//! all since the start. Read at `/solr/admin/slow` (`docs/slow.md`). What is slow, and what is reported of
//! it, is decided where a request ends (`observe/tally.rs`); why it was slow is read off its trace by
//! `solr::slow`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use solr::slow::{SlowRequest, phases_text, why};

/// How many of the last slow requests are kept.
const KEPT: usize = 128;

#[derive(Default)]
pub(crate) struct SlowLog {
    /// Since the start.
    total: AtomicU64,
    last: Mutex<VecDeque<SlowRequest>>,
}

impl SlowLog {
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Those that are kept, newest first.
    pub fn last(&self) -> Vec<SlowRequest> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }

    pub fn note(&self, slow: SlowRequest) {
        self.total.fetch_add(1, Ordering::Relaxed);
        tell(&slow);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() >= KEPT {
            last.pop_front();
        }
        last.push_back(slow);
    }
}

/// Its line of the log. Texts of the client's are quoted there: none can begin a line of its own.
fn tell(slow: &SlowRequest) {
    let SlowRequest { at_ms: _, method, path, collection, params, status, traced } = slow;
    tracing::warn!(
        target: "parhelion::slow",
        elapsed_ms = traced.wall_ns as f64 / 1e6,
        status,
        method,
        path,
        collection,
        params,
        hits = traced.hits,
        operations = traced.operations,
        store_ms = traced.store_ns.map(|ns| ns as f64 / 1e6),
        phases = phases_text(traced),
        "slow: {}",
        why(slow)
    );
}
