//! The scheduler of production: a thread for each task, which sleeps until the next turn is due or somebody
//! wakes it.
//!
//! A wake that comes during a turn is remembered, so that none is lost. Tasks of low priority lower their own
//! thread's where the system can. What the tasks do and when they want to come again is theirs
//! (`life/schedule.rs`); simulations hand in a scheduler of their own.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use plan::Result;

use crate::scheduler::{Priority, Scheduler, Task, TaskHandle};

/// How much less than others a thread of low priority gets where they compete (Unix `nice`).
const LOW_NICENESS: i32 = 10;

/// Runs each task on a thread of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadScheduler;

/// What a thread and its handle share.
#[derive(Default)]
struct Signal {
    state: Mutex<SignalState>,
    changed: Condvar,
}

#[derive(Default)]
struct SignalState {
    woken: bool,
    stopped: bool,
}

struct TaskThread {
    signal: Arc<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Scheduler for ThreadScheduler {
    fn start(
        &self,
        name: &'static str,
        priority: Priority,
        task: &Arc<dyn Task>,
    ) -> Result<Arc<dyn TaskHandle>> {
        let signal = Arc::new(Signal::default());
        let (task, shared) = (Arc::downgrade(task), Arc::clone(&signal));
        let body = move || {
            if priority == Priority::Low {
                yield_to_others();
            }
            run(&task, &shared);
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "what others are to be handed instead of threads of their own"
        )]
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(body);
        let failed = |error| plan::Error::internal("cannot start the shard's thread").with_source(error);
        Ok(Arc::new(TaskThread { signal, thread: Mutex::new(Some(thread.map_err(failed)?)) }))
    }
}

/// Takes turns until the task is stopped or nobody else has it.
fn run(task: &Weak<dyn Task>, signal: &Signal) {
    loop {
        let Some(task) = task.upgrade().filter(|_| !signal.state().stopped) else { return };
        let wait_ms = task.turn();
        // Not held while it sleeps: a shard that everybody has dropped is closed.
        drop(task);
        signal.wait(Duration::from_millis(wait_ms));
    }
}

impl Signal {
    fn state(&self) -> MutexGuard<'_, SignalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, longest: Duration) {
        let idle = |state: &mut SignalState| !state.woken && !state.stopped;
        let waited = self.changed.wait_timeout_while(self.state(), longest, idle);
        waited.unwrap_or_else(PoisonError::into_inner).0.woken = false;
    }
}

impl TaskHandle for TaskThread {
    fn wake(&self) {
        self.signal.state().woken = true;
        self.signal.changed.notify_one();
    }

    fn stop(&self) {
        self.signal.state().stopped = true;
        self.signal.changed.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let is_own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = thread.filter(|thread| !is_own(thread)) {
            drop(thread.join());
        }
    }
}

/// Lowers the priority of this thread where the system has priorities of threads.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, LOW_NICENESS) {
        tracing::debug!(%error, "cannot lower the priority of merges");
    }
}
