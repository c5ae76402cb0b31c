//! The only source of time below the binary, and of what threads use: handed in, so that a run can be
//! replayed. The lints of every crate below the binary forbid `Instant::now` and `SystemTime::now`.
//! Implemented by the binary for the machine, by tests, and by the simulation, whose clock moves only when
//! nothing else can.

use crate::usage::Usage;

/// Wall-clock time, as a seam. The binary hands in the machine's; tests hand in one they set.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> i64;

    /// Microseconds of processor time that the thread at hand has used; `None` where nobody counts them.
    fn thread_cpu_us(&self) -> Option<u64> {
        None
    }

    /// Nanoseconds since a moment of its own, never going back: for lengths of time.
    fn now_ns(&self) -> u64 {
        u64::try_from(self.now_ms()).unwrap_or(0).saturating_mul(1_000_000)
    }

    /// What the thread at hand has used since it began, as it was at `since_ns` of [`Clock::now_ns`] or
    /// later; `None` where nobody counts it.
    fn thread_usage(&self, since_ns: u64) -> Option<Usage> {
        let _ = since_ns;
        None
    }

    /// How long the thread at hand has waited for a processor since [`Clock::thread_usage`] last read of it,
    /// or since it began; `None` where nobody counts that. What is asked for again was waited for since.
    fn thread_queued_ns(&self) -> Option<u64> {
        None
    }
}
