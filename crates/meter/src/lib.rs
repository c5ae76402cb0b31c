//! What goes beside a plan or a batch and is no data: the clock that is handed in, what a request may use
//! up, where its time goes; and the vital signs of a shard. A plan can be compared, kept and sent; what is
//! here is alive, belongs to one request on one node, and its clones share it. Made where the request comes
//! in, looked at by whoever works on it. Threads and schedules are not here.

mod allowance;
mod clock;
mod trace;
mod usage;
mod vitals;

pub use allowance::{Allowance, Limit, Limits};
pub use clock::Clock;
pub use trace::{Phase, PhaseFigures, Trace, Traced, Wait};
pub use usage::Usage;
pub use vitals::{
    LockFigures, VitalFigures, Vitals, WaitFigures, WaitLengths, Waits, Work, WorkFigures, Working,
};

/// What is kept of one request while it is worked on. Clones share it; the default allows everything and
/// keeps no account.
#[derive(Clone, Debug, Default)]
pub struct Meters {
    /// What it may use up before it is cut short.
    pub allowance: Allowance,
    /// Who works on it tells this where the time goes.
    pub trace: Trace,
}
