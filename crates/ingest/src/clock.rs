//! The moment that rules go by, as whoever starts us says, so that tests choose it. How long a lease is valid
//! is measured where it is taken (`follow/lease.rs`).

use std::sync::Arc;

use jiff::Timestamp;

/// Asked each time that something depends on it.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;
