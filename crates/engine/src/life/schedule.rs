//! When refreshes and flushes happen by themselves: deadlines set by updates, met by `tick`, which a task of
//! the shard calls, or a test with a clock of its own. Merges are another task, so that none delays what is
//! due, of lower priority, so that searches come first. What runs the tasks is handed in (`scheduler`).

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};

use plan::Result;
use store::Watermark;

use crate::core::Core;
use crate::core::counters::Counters;
use crate::core::schedule::{Due, PAUSE_MS_MAX, Running, RunningTask};
use crate::lock::lock;
use crate::scheduler::{Priority, Scheduler, Task};
use crate::suggest::Event;

/// How long a medium is left alone that has given no answer in its own time.
const LOG_PAUSE_MS: u64 = 20;

/// Commits that come by themselves, and what has ended.
struct CommitTask(Weak<Core>);

impl Task for CommitTask {
    fn turn(&self) -> u64 {
        self.0.upgrade().map_or(0, |core| {
            core.tick_unattended();
            core.due_in_ms()
        })
    }
}

/// Merges that the policy wants, since segments have come or gone, and the scrub, a file and a document at a
/// time.
struct MergeTask(Weak<Core>);

impl Task for MergeTask {
    fn turn(&self) -> u64 {
        if let Some(core) = self.0.upgrade() {
            core.merge_unattended();
            unattended("reading files again", || {
                core.scrub_due();
                core.look_for_lost();
                Ok(())
            });
            unattended("comparing documents with their index", || {
                core.sample_due();
                Ok(())
            });
        }
        PAUSE_MS_MAX.unsigned_abs()
    }
}

/// Writes the log for updates that wait without a thread. Before there was a task for it, a hundred updates
/// that waited held a hundred threads (until 2026-11-23). Where it finds nothing written since it
/// came last, it asks whether the shard is still this owner's: one that nobody writes to would not learn it
/// otherwise.
struct LogTask {
    core: Weak<Core>,
    /// The last record that was durable when the last turn ended.
    durable: Mutex<Watermark>,
}

impl Task for LogTask {
    fn turn(&self) -> u64 {
        let Some(core) = self.core.upgrade() else { return PAUSE_MS_MAX.unsigned_abs() };
        let mut is_written = false;
        unattended("writing the log", || {
            is_written = core.write_log();
            let durable = core.log.durable();
            let is_quiet = std::mem::replace(&mut *lock(&self.durable), durable) == durable;
            // A medium that does not answer has no answer to this either, and who waits for the log waits on.
            if is_written && is_quiet {
                core.confirm_owner()?;
            }
            Ok(())
        });
        if is_written { PAUSE_MS_MAX.unsigned_abs() } else { LOG_PAUSE_MS }
    }
}

impl Core {
    /// Updates were applied: sets the deadlines they ask for.
    pub(crate) fn note_updates(&self, docs: u64, commit_within_ms: Option<u64>) {
        // Copied: an update holds the shard's lock here, and takes these one at a time.
        let auto = *lock(&self.auto_commit);
        let is_sooner = {
            let mut deadlines = lock(&self.schedule.deadlines);
            let before = deadlines.next();
            deadlines.updated(docs, commit_within_ms, &auto, self.clock.now_ms());
            deadlines.next() != before
        };
        // Most updates come behind one that has set the deadlines: nobody is woken for them.
        if is_sooner {
            self.schedule.wake();
        }
    }

    /// Makes the shard's task look again at what is due when.
    pub(crate) fn wake(&self) {
        self.schedule.wake();
    }

    /// Segments have come or gone.
    pub(crate) fn note_segments(&self) {
        self.schedule.wake_merger();
    }

    /// Does what is due at `now_ms`, and merges where no task does. Errors are those of the last thing tried;
    /// what failed is tried again later.
    pub(crate) fn tick(&self, now_ms: i64) -> Result<()> {
        self.expire_due(now_ms)?;
        self.remove_replaced();
        let due = lock(&self.schedule.deadlines).due(now_ms);
        match due {
            Some(Due::Flush) => {
                let show = lock(&self.auto_commit).flush_opens_searcher;
                self.flush(show).inspect_err(|_| lock(&self.schedule.deadlines).postpone_flush(now_ms))?;
                Counters::add(&self.counters.auto_flushes, 1);
                // A flush is named first, and may leave a refresh that is due as well.
                self.tick(now_ms)?;
            }
            Some(Due::Refresh) => {
                self.refresh().inspect_err(|_| lock(&self.schedule.deadlines).postpone_refresh(now_ms))?;
                Counters::add(&self.counters.auto_refreshes, 1);
            }
            None => return Ok(()),
        }
        self.build_suggesters(Event::Refreshed);
        while self.config.scheduler.is_none() && self.merge_once()? {}
        Ok(())
    }

    /// A tick that nobody waits for.
    fn tick_unattended(&self) {
        let now_ms = self.clock.now_ms();
        if !unattended("an automatic commit", || self.tick(now_ms)) {
            let mut deadlines = lock(&self.schedule.deadlines);
            deadlines.postpone_flush(now_ms);
            deadlines.postpone_refresh(now_ms);
        }
    }

    /// When the next commit, or the next look at what has ended, is due.
    fn due_in_ms(&self) -> u64 {
        let next = lock(&self.schedule.deadlines).next().into_iter().chain(self.expiries.next()).min();
        let left = next.map_or(PAUSE_MS_MAX, |at| at.saturating_sub(self.clock.now_ms()));
        u64::try_from(left.clamp(0, PAUSE_MS_MAX)).unwrap_or_default()
    }

    /// Merges what there is to merge. What fails is tried again when segments have come or gone.
    fn merge_unattended(&self) {
        unattended("a merge", || {
            while !self.is_stopped() {
                match self.merge_once() {
                    Ok(true) => {}
                    // Given up half way, which leaves the segments as they were.
                    Err(_) if self.is_stopped() => break,
                    ended => return ended.map(drop),
                }
            }
            Ok(())
        });
    }

    /// Sees to it that the log is written for those who wait without a thread. Called by whoever has written
    /// or begins to wait: by the task, if somebody runs it, and else, while a shard closes, here.
    pub(crate) fn write_for_waiters(&self) {
        if !self.log.is_waited_for() {
            return;
        }
        // The lock ends with the `if`: whoever writes below may be asked to stop meanwhile.
        if let Some(task) = &lock(&self.schedule.running).log {
            return task.handle.wake();
        }
        self.write_log();
    }

    /// Writes as long as somebody waits; false where the medium has no answer yet.
    fn write_log(&self) -> bool {
        while self.log.is_waited_for() {
            let logged = self.state().logged;
            match self.waiting_for_log(logged, || self.log.wait_durable(logged), store::Result::is_ok) {
                Err(error) if matches!(error.kind(), store::ErrorKind::Unknown | store::ErrorKind::Full) => {
                    return false;
                }
                // Those who wait are told the same.
                Err(error) => self.note_failure(&error),
                Ok(()) => {}
            }
        }
        true
    }

    fn is_stopped(&self) -> bool {
        self.schedule.stop.load(Ordering::SeqCst)
    }

    /// Begins the shard's tasks. They end when the shard is closed or dropped.
    pub(crate) fn start(self: &Arc<Self>, scheduler: &dyn Scheduler) -> Result<()> {
        let start = |name, priority, task: Arc<dyn Task>| -> Result<Option<RunningTask>> {
            let handle = scheduler.start(name, priority, &task)?;
            Ok(Some(RunningTask { handle, _task: task }))
        };
        // Weak: a task must not keep a shard open that everybody else has dropped.
        let core = Arc::downgrade(self);
        let commits = start("shard", Priority::Normal, Arc::new(CommitTask(core.clone())))?;
        lock(&self.schedule.running).commits = commits;
        let merges = start("merge", Priority::Low, Arc::new(MergeTask(core.clone())))?;
        lock(&self.schedule.running).merges = merges;
        let log = start("log", Priority::Normal, Arc::new(LogTask { core, durable: Mutex::default() }))?;
        lock(&self.schedule.running).log = log;
        Ok(())
    }

    /// Ends the shard's tasks and waits for them.
    pub(crate) fn stop(&self) {
        self.schedule.stop.store(true, Ordering::SeqCst);
        // Taken out first: the turn that is waited for may want to wake the other task.
        let Running { commits, merges, log, follow } = std::mem::take(&mut *lock(&self.schedule.running));
        for task in commits.into_iter().chain(merges).chain(log).chain(follow) {
            task.handle.stop();
        }
        // A wake that came before the end of its task is lost with it; whoever waits would wait for ever.
        self.write_for_waiters();
    }
}

/// Work that nobody waits for; false when it panicked. Failures show again to whoever updates or commits;
/// here only the log can be told. Neither they nor a panic may end the thread: commits would silently stop.
pub(crate) fn unattended(what: &str, work: impl FnOnce() -> Result<()>) -> bool {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "{what} failed; it is tried again"),
        Err(_) => {
            tracing::error!("{what} panicked; it is tried again. Report this with the log");
            return false;
        }
    }
    true
}
