//! The machine's clock and its randomness: the one place that asks for either.

use std::time::{SystemTime, UNIX_EPOCH};

pub struct SystemClock;

impl plan::Clock for SystemClock {
    #[allow(clippy::disallowed_methods)]
    fn now_ms(&self) -> i64 {
        let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
    }

    #[cfg(unix)]
    fn thread_cpu_us(&self) -> Option<u64> {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let (seconds, nanos) = (u64::try_from(used.tv_sec).ok()?, u64::try_from(used.tv_nsec).ok()?);
        Some(seconds * 1_000_000 + nanos / 1000)
    }
}

/// A random UUID, for documents that come without an id.
pub fn new_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}
