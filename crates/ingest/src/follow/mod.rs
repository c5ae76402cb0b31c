//! A collection that is never stale: the service that indexes everything once, then follows changes and rows
//! that become due, as the one active of several. What a change means is read from the source afresh, so that
//! a restart at any point only does some work twice.

mod changes;
mod database;
mod drift;
mod fence;
mod first_index;
mod install;
mod lease;
mod pause;
mod pgoutput;
mod problem;
mod service;
mod slot;
mod status;
mod wake;
mod watch;

pub use database::{PauseRow, PipelineDatabase};
pub use fence::{Fence, FenceError};
pub use install::{install_sql, make_slot, run_sql, slot_name, uninstall_sql};
pub use pause::{PauseChange, pause, resume};
pub use problem::{Problem, ProblemState};
pub use service::{Service, ServiceError, ServiceEvent, ServiceOptions};
pub use status::{Activity, FollowStatus, status};
pub use watch::check_watch;
