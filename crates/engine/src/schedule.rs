//! When refreshes and flushes happen by themselves: deadlines set by updates, met by `tick`, which the shard's own thread
//! calls, or a test with a clock of its own. Merges have another thread, so that none delays what is due, of lower priority,
//! so that searches come first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use plan::{AutoCommit, Result};

use crate::core::{Core, Counters, lock};
use crate::suggest::Event;

/// Longest sleep of the background thread, so that a clock set back does no lasting harm.
const SLEEP_MS_MAX: i64 = 10_000;

#[derive(Default)]
pub(crate) struct Schedule {
    pub(crate) deadlines: Mutex<Deadlines>,
    wake: Condvar,
    stop: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Whether segments have come or gone since the merger last looked.
    merge_wanted: Mutex<bool>,
    wake_merger: Condvar,
}

impl Schedule {
    /// Set from the moment the shard closes.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

/// How much less than others the merging thread gets where they compete (Unix `nice`).
const MERGE_NICENESS: i32 = 10;

/// Milliseconds since 1970 at which something is due.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    refresh_at: Option<i64>,
    flush_at: Option<i64>,
    docs_unrefreshed: u64,
    docs_unflushed: u64,
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

    pub(crate) fn refreshed(&mut self) {
        self.refresh_at = None;
        self.docs_unrefreshed = 0;
    }

    pub(crate) fn flushed(&mut self) {
        self.flush_at = None;
        self.docs_unflushed = 0;
    }

    /// A failed flush is tried again after a while, not at once.
    fn postpone_flush(&mut self, now_ms: i64) {
        self.flush_at = Some(now_ms.saturating_add(SLEEP_MS_MAX));
    }

    /// As [`Deadlines::postpone_flush`].
    fn postpone_refresh(&mut self, now_ms: i64) {
        self.refresh_at = Some(now_ms.saturating_add(SLEEP_MS_MAX));
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
        lock(&self.schedule.deadlines).updated(docs, commit_within_ms, &auto, self.clock.now_ms());
        self.schedule.wake.notify_one();
    }

    /// Makes the shard's thread look again at what is due when.
    pub(crate) fn wake(&self) {
        drop(lock(&self.schedule.deadlines));
        self.schedule.wake.notify_one();
    }

    /// Segments have come or gone.
    pub(crate) fn note_segments(&self) {
        *lock(&self.schedule.merge_wanted) = true;
        self.schedule.wake_merger.notify_all();
    }

    /// Does what is due at `now_ms`, and merges where no thread does. Errors are those of the last thing tried; what failed is tried again later.
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
        while !self.config.background && self.merge_once()? {}
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

    fn wait(&self) {
        let deadlines = lock(&self.schedule.deadlines);
        let next = deadlines.next().into_iter().chain(self.expiries.next()).min();
        let left = next.map_or(SLEEP_MS_MAX, |at| at.saturating_sub(self.clock.now_ms()));
        let left = Duration::from_millis(u64::try_from(left.clamp(0, SLEEP_MS_MAX)).unwrap_or_default());
        if !left.is_zero() && !self.schedule.stop.load(Ordering::SeqCst) {
            drop(self.schedule.wake.wait_timeout(deadlines, left).unwrap_or_else(PoisonError::into_inner));
        }
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

    fn wait_for_segments(&self) {
        let longest = Duration::from_millis(SLEEP_MS_MAX.unsigned_abs());
        let idle = |wanted: &mut bool| !*wanted && !self.is_stopped();
        let wanted = lock(&self.schedule.merge_wanted);
        let waited = self.schedule.wake_merger.wait_timeout_while(wanted, longest, idle);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    fn is_stopped(&self) -> bool {
        self.schedule.stop.load(Ordering::SeqCst)
    }

    /// Starts the shard's threads. They end when the shard is closed or dropped.
    pub(crate) fn start(self: &Arc<Self>) -> Result<()> {
        let commits = |core: &Core| {
            core.wait();
            core.tick_unattended();
        };
        let merges = |core: &Core| {
            core.wait_for_segments();
            core.merge_unattended();
        };
        self.spawn("shard", || {}, commits)?;
        self.spawn("merge", yield_to_others, merges)
    }

    /// Starts a thread that begins so and takes one turn after another.
    fn spawn(self: &Arc<Self>, name: &str, begin: fn(), turn: impl Fn(&Core) + Send + 'static) -> Result<()> {
        let core: Weak<Core> = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || {
            begin();
            while let Some(core) = core.upgrade().filter(|core| !core.is_stopped()) {
                turn(&core);
            }
        });
        let failed = |error| plan::Error::internal("cannot start the shard's thread").with_source(error);
        lock(&self.schedule.threads).push(thread.map_err(failed)?);
        Ok(())
    }

    /// Ends the shard's threads and waits for them.
    pub(crate) fn stop(&self) {
        self.schedule.stop.store(true, Ordering::SeqCst);
        drop(lock(&self.schedule.deadlines));
        drop(lock(&self.schedule.merge_wanted));
        self.schedule.wake.notify_all();
        self.schedule.wake_merger.notify_all();
        let threads = std::mem::take(&mut *lock(&self.schedule.threads));
        let is_own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        for thread in threads.into_iter().filter(|thread| !is_own(thread)) {
            drop(thread.join());
        }
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

/// Lowers the priority of this thread where the system has priorities of threads.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, MERGE_NICENESS) {
        tracing::debug!(%error, "cannot lower the priority of merges");
    }
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
        deadlines.refreshed();
        assert_eq!((deadlines.due(15_099), deadlines.due(15_100)), (None, Some(Due::Flush)));
        deadlines.updated(8, Some(5), &auto, 2_000);
        assert_eq!(deadlines.due(2_000), Some(Due::Flush));
        deadlines.flushed();
        assert_eq!((deadlines.due(2_004), deadlines.due(2_005)), (None, Some(Due::Refresh)));
    }
}
