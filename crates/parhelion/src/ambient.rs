//! The machine's clock and its randomness: the one place that asks for either.

use std::time::{SystemTime, UNIX_EPOCH};

pub struct SystemClock;

impl plan::Clock for SystemClock {
    #[allow(clippy::disallowed_methods)]
    fn now_ms(&self) -> i64 {
        let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A random UUID, for documents that come without an id.
pub fn new_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}
