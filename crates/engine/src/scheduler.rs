//! Who runs a shard's background work is handed in: threads in production, a seeded test in simulation. A
//! shard's work comes as tasks, each of which takes one turn after another and says when the next is due;
//! nothing in here keeps time itself.

use std::fmt::Debug;
use std::sync::Arc;

use plan::Result;

/// Takes turns at work that comes again and again.
pub trait Task: Send + Sync {
    /// Does what is due. Returns in how many milliseconds to come again, unless it is woken before.
    fn turn(&self) -> u64;
}

/// Beside what else a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// People wait for what it shows.
    Normal,
    /// Searches and updates come first.
    Low,
}

/// Runs tasks.
pub trait Scheduler: Debug + Send + Sync {
    /// Begins to run a task, at once for the first time. It ends with [`TaskHandle::stop`], or when it is
    /// dropped by all others.
    fn start(
        &self,
        name: &'static str,
        priority: Priority,
        task: &Arc<dyn Task>,
    ) -> Result<Arc<dyn TaskHandle>>;
}

/// A task that is being run.
pub trait TaskHandle: Send + Sync {
    /// Brings its next turn forward to now. Called under the shard's lock: it must not take the turn itself,
    /// which wants that lock.
    fn wake(&self);

    /// No turn begins behind this; the one at hand is waited for, unless it is the caller's own.
    fn stop(&self);
}
