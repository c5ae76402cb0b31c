//! The machine's clock and its randomness: the one place that asks for either. What serves requests takes a
//! clock that is handed to it (`clippy-below-the-binary.toml`), so that a shard's life can be lived from a
//! seed (`cargo xtask simulate`).

use std::time::{SystemTime, UNIX_EPOCH};

use meter::{Clock as _, Usage};

use crate::usage;

pub struct SystemClock;

impl meter::Clock for SystemClock {
    #[allow(clippy::disallowed_methods)]
    fn now_ms(&self) -> i64 {
        let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
    }

    fn thread_cpu_us(&self) -> Option<u64> {
        Some(usage::cpu_ns()? / 1000)
    }

    fn now_ns(&self) -> u64 {
        usage::now_ns()
    }

    fn thread_usage(&self, since_ns: u64) -> Option<Usage> {
        usage::of_thread(since_ns)
    }

    fn thread_queued_ns(&self) -> Option<u64> {
        usage::queued_ns()
    }
}

/// The moment, as dates are counted.
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(SystemClock.now_ms()).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// Tells whoever holds a lease apart from all others; another with each start.
pub fn new_holder() -> String {
    format!("{}-{}", std::process::id(), new_uuid())
}

/// A random UUID, for documents that come without an id.
pub fn new_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}
