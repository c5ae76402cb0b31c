//! The only source of time below the binary: handed in, so that a run can be replayed.

/// Wall-clock time, as a seam. The binary hands in the machine's; tests hand in one they set.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> i64;

    /// Microseconds of processor time that the thread at hand has used; `None` where nobody counts them.
    fn thread_cpu_us(&self) -> Option<u64> {
        None
    }
}
