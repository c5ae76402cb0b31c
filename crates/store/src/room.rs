//! Room for one record of a log: taken before the lock under which the record gets its place, given back when
//! it is dropped. Counted by the home (disk left, un-flushed bytes); waiting for room happens before any lock
//! of the shard is taken, so that real-time get never waits for a disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Space that a home has promised to one record.
#[derive(Debug)]
#[must_use = "room that is dropped is given back"]
pub struct Room {
    bytes: usize,
    /// What its home adds to a record.
    overhead: usize,
    promised: Arc<AtomicUsize>,
}

impl Room {
    /// Adds to what a home has promised, in a count of its own, until the room is dropped.
    pub(crate) fn promise(bytes: usize, overhead: usize, promised: &Arc<AtomicUsize>) -> Self {
        promised.fetch_add(bytes + overhead, Ordering::Relaxed);
        Self { bytes, overhead, promised: Arc::clone(promised) }
    }

    /// The longest record that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A record longer than its room is a defect of the caller, which a disk with space would never show.
    pub(crate) fn check(&self, record: &[u8]) {
        let (bytes, length) = (self.bytes, record.len());
        assert!(length <= bytes, "a record of {length} bytes has room for {bytes}");
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Whoever promises next holds the log's lock; a promise that ends meanwhile only leaves more.
        self.promised.fetch_sub(self.bytes + self.overhead, Ordering::Relaxed);
    }
}
