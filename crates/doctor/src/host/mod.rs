//! `doctor host`: what of this machine will hurt a search server next. Each finding is of something that was
//! measured here, with why it matters, the command that mends it, and how sure it is; nothing is reported of
//! what was not measured.

mod facts;
pub(crate) mod fuzzing;
mod lints;
mod measure;
mod process_limits;
mod time_server;
mod zookeeper;

use serde::{Deserialize, Serialize};

pub use facts::{
    ClockOffset, HostFacts, JavaProcess, LimitKind, NearLimit, ParhelionProcess, ServerState, SyncTimes,
    ZooKeeperFacts,
};
pub use lints::lint;
pub use measure::{HostOptions, measure_host};

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sure {
    /// Measured, and it hurts now.
    Certain,
    /// Measured, and it hurts under load or on a bad day.
    Likely,
    /// Depends on what this host is for.
    Hint,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFinding {
    /// Kebab case, for programs.
    pub name: String,
    pub sure: Sure,
    pub measured: String,
    pub why: String,
    /// A command, or a line for a configuration file.
    pub mend: String,
}

pub(crate) fn finding(name: &str, sure: Sure, measured: String, why: &str, mend: &str) -> HostFinding {
    HostFinding { name: name.to_owned(), sure, measured, why: why.to_owned(), mend: mend.to_owned() }
}
