//! The moment, as whoever starts us says: nothing in here asks the machine, so that tests choose it.

use std::sync::Arc;

use jiff::Timestamp;

/// Asked each time that something depends on it.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;
