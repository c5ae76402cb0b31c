//! The arms of the comparison, what they all ask, and how it is seen what they leave behind. What each does
//! is in `pools`. `mod.rs` runs one after the other against a server of `server.rs`, `counts.rs` adds up what
//! came of them.

use std::thread;
use std::time::Duration;

use serde::Serialize;

use crate::load::half_closed;

pub(super) const PATH: &str = "/solr/lab/select";
/// A socket that is closing right now is looked at again after this.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StaleArm {
    None,
    Check,
    Sweeper,
}

impl StaleArm {
    pub const ALL: [StaleArm; 3] = [StaleArm::None, StaleArm::Check, StaleArm::Sweeper];

    pub fn about(self) -> &'static str {
        match self {
            StaleArm::None => "kept without end, and trusted",
            StaleArm::Check => "kept without end, each checked before use",
            StaleArm::Sweeper => "this project's client: closed in time, trusted",
        }
    }
}

/// Sockets that the server behind `authority` has closed and a client has not. `None` without `/proc`.
pub(super) fn close_wait(authority: &str) -> Option<usize> {
    let first = half_closed(authority)?;
    if first == 0 {
        return Some(0);
    }
    thread::sleep(LOOK_AGAIN);
    Some(first.min(half_closed(authority)?))
}
