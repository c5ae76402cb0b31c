//! When refreshes and flushes happen by themselves: deadlines set by updates, met by `tick`, which a task of the shard calls, or
//! a test with a clock of its own. Merges are another task, so that none delays what is due, of lower priority, so that searches
//! come first. What runs the tasks is handed in (`scheduler`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use plan::{AutoCommit, Result};

use crate::core::{Core, Counters, lock};
use crate::scheduler::{Priority, Scheduler, Task, TaskHandle};
use crate::suggest::Event;

/// Longest pause of a task, so that a clock set back does no lasting harm.
const PAUSE_MS_MAX: i64 = 10_000;

/// How long a medium is left alone that has given no answer in its own time.
const LOG_PAUSE_MS: u64 = 20;

#[derive(Default)]
pub(crate) struct Schedule {
    pub(crate) deadlines: Mutex<Deadlines>,
    stop: Arc<AtomicBool>,
    running: Mutex<Running>,
}

/// The shard's tasks, where somebody runs them.
#[derive(Default)]
struct Running {
    commits: Option<RunningTask>,
    merges: Option<RunningTask>,
    log: Option<RunningTask>,
}

struct RunningTask {
    handle: Arc<dyn TaskHandle>,
    /// Whoever runs it does not keep it.
    _task: Arc<dyn Task>,
}

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

/// Merges that the policy wants, since segments have come or gone.
struct MergeTask(Weak<Core>);

impl Task for MergeTask {
    fn turn(&self) -> u64 {
        if let Some(core) = self.0.upgrade() {
            core.merge_unattended();
        }
        PAUSE_MS_MAX.unsigned_abs()
    }
}

/// Writes the log for updates that wait without a thread.
struct LogTask(Weak<Core>);

impl Task for LogTask {
    fn turn(&self) -> u64 {
        let Some(core) = self.0.upgrade() else { return PAUSE_MS_MAX.unsigned_abs() };
        let mut is_written = false;
        unattended("writing the log", || {
            is_written = core.write_log();
            Ok(())
        });
        if is_written { PAUSE_MS_MAX.unsigned_abs() } else { LOG_PAUSE_MS }
    }
}

impl Schedule {
    fn wake(&self) {
        if let Some(commits) = &lock(&self.running).commits {
            commits.handle.wake();
        }
    }

    fn wake_merger(&self) {
        if let Some(merges) = &lock(&self.running).merges {
            merges.handle.wake();
        }
    }

    /// Set from the moment the shard closes.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

/// Milliseconds since 1970 at which something is due.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    refresh_at: Option<i64>,
    flush_at: Option<i64>,
    docs_unrefreshed: u64,
    docs_unflushed: u64,
}

/// The deadline and the documents that a refresh or a flush answers for; given back if it fails.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answered {
    at: Option<i64>,
    docs: u64,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Flush,
    Refresh,
}

impl Deadlines {
    fn updated(&mut self, docs: u64, commit_within_ms: Option<u64>, auto: &AutoCommit, now_ms: i64) {
        self.docs_unrefreshed += docs;
        self.docs_unflushed += docs;
        let reached = |bound: Option<u64>, count: u64| bound.filter(|bound| count >= *bound).map(|_| 0);
        let refresh = [
            auto.refresh_after_ms,
            commit_within_ms,
            reached(auto.refresh_after_docs, self.docs_unrefreshed),
        ];
        let flush = [auto.flush_after_ms, reached(auto.flush_after_docs, self.docs_unflushed)];
        let at = |ms: u64| now_ms.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX));
        self.refresh_at = refresh.into_iter().flatten().map(at).chain(self.refresh_at).min();
        self.flush_at = flush.into_iter().flatten().map(at).chain(self.flush_at).min();
    }

    /// Takes what a refresh, which is about to make its cut, answers for. Before the cut and not when all is shown: who updates
    /// while the refresh waits for the log comes behind the cut, and has a deadline of its own.
    pub(crate) fn begin_refresh(&mut self) -> Answered {
        Answered { at: self.refresh_at.take(), docs: std::mem::take(&mut self.docs_unrefreshed) }
    }

    pub(crate) fn refresh_failed(&mut self, due: Answered) {
        self.refresh_at = due.at.into_iter().chain(self.refresh_at).min();
        self.docs_unrefreshed += due.docs;
    }

    /// As [`begin_refresh`](Self::begin_refresh).
    pub(crate) fn begin_flush(&mut self) -> Answered {
        Answered { at: self.flush_at.take(), docs: std::mem::take(&mut self.docs_unflushed) }
    }

    pub(crate) fn flush_failed(&mut self, due: Answered) {
        self.flush_at = due.at.into_iter().chain(self.flush_at).min();
        self.docs_unflushed += due.docs;
    }

    /// A failed flush is tried again after a while, not at once.
    fn postpone_flush(&mut self, now_ms: i64) {
        self.flush_at = Some(now_ms.saturating_add(PAUSE_MS_MAX));
    }

    /// As [`Deadlines::postpone_flush`].
    fn postpone_refresh(&mut self, now_ms: i64) {
        self.refresh_at = Some(now_ms.saturating_add(PAUSE_MS_MAX));
    }

    pub(crate) fn docs_unflushed(&self) -> u64 {
        self.docs_unflushed
    }

    fn next(&self) -> Option<i64> {
        self.refresh_at.into_iter().chain(self.flush_at).min()
    }

    fn due(&self, now_ms: i64) -> Option<Due> {
        let reached = |at: Option<i64>| at.is_some_and(|at| at <= now_ms);
        if reached(self.flush_at) {
            return Some(Due::Flush);
        }
        reached(self.refresh_at).then_some(Due::Refresh)
    }
}

impl Core {
    /// Updates were applied: sets the deadlines they ask for.
    pub(crate) fn note_updates(&self, docs: u64, commit_within_ms: Option<u64>) {
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

    /// Does what is due at `now_ms`, and merges where no task does. Errors are those of the last thing tried; what failed is tried again later.
    pub(crate) fn tick(&self, now_ms: i64) -> Result<()> {
        self.expire_due(now_ms)?;
        // Whoever flushes now does it itself.
        if let Ok(mut published) = self.flushing.try_lock() {
            self.remove_replaced(&mut published);
        }
        let due = lock(&self.schedule.deadlines).due(now_ms);
        match due {
            Some(Due::Flush) => {
                let show = lock(&self.auto_commit).flush_opens_searcher;
                self.flush(show).inspect_err(|_| lock(&self.schedule.deadlines).postpone_flush(now_ms))?;
                Counters::add(&self.counters.auto_flushes, 1);
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

    /// Sees to it that the log is written for those who wait without a thread. Called by whoever has written or begins to wait: by the
    /// task, if somebody runs it, and else, while a shard closes, here.
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
            match self.log.wait_durable(logged) {
                Err(error) if *error.kind() == store::ErrorKind::Unknown => return false,
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
        let core = Arc::downgrade(self);
        let commits = start("shard", Priority::Normal, Arc::new(CommitTask(core.clone())))?;
        lock(&self.schedule.running).commits = commits;
        let merges = start("merge", Priority::Low, Arc::new(MergeTask(core.clone())))?;
        lock(&self.schedule.running).merges = merges;
        let log = start("log", Priority::Normal, Arc::new(LogTask(core)))?;
        lock(&self.schedule.running).log = log;
        Ok(())
    }

    /// Ends the shard's tasks and waits for them.
    pub(crate) fn stop(&self) {
        self.schedule.stop.store(true, Ordering::SeqCst);
        // Taken out first: the turn that is waited for may want to wake the other task.
        let Running { commits, merges, log } = std::mem::take(&mut *lock(&self.schedule.running));
        for task in commits.into_iter().chain(merges).chain(log) {
            task.handle.stop();
        }
        // A wake that came before the end of its task is lost with it; whoever waits would wait for ever.
        self.write_for_waiters();
    }
}

/// Work that nobody waits for; false when it panicked. Failures show again to whoever updates or commits; here only the log
/// can be told. Neither they nor a panic may end the thread: commits would silently stop.
fn unattended(what: &str, work: impl FnOnce() -> Result<()>) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_count_from_the_first_update() {
        let auto = AutoCommit {
            flush_after_ms: Some(15_000),
            flush_after_docs: Some(10),
            flush_opens_searcher: false,
            refresh_after_ms: Some(1_000),
            refresh_after_docs: None,
        };
        let mut deadlines = Deadlines::default();
        assert_eq!(deadlines.due(i64::MAX), None);
        deadlines.updated(1, None, &auto, 100);
        deadlines.updated(1, None, &auto, 900);
        assert_eq!((deadlines.due(1_099), deadlines.due(1_100)), (None, Some(Due::Refresh)));
        let due = deadlines.begin_refresh();
        deadlines.refresh_failed(due);
        assert_eq!(deadlines.due(1_100), Some(Due::Refresh));
        // What comes while a refresh is under way is not the refresh's to answer for.
        deadlines.begin_refresh();
        deadlines.updated(1, Some(5), &auto, 1_100);
        assert_eq!(deadlines.due(1_105), Some(Due::Refresh));
        deadlines.begin_refresh();
        assert_eq!((deadlines.due(15_099), deadlines.due(15_100)), (None, Some(Due::Flush)));
        deadlines.updated(8, Some(5), &auto, 2_000);
        assert_eq!(deadlines.due(2_000), Some(Due::Flush));
        deadlines.begin_flush();
        assert_eq!((deadlines.due(2_004), deadlines.due(2_005)), (None, Some(Due::Refresh)));
    }
}
