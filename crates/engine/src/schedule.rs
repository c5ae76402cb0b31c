//! When refreshes and flushes happen by themselves: deadlines set by updates, met by `tick`, which the shard's own thread
//! calls, or a test with a clock of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use plan::{AutoCommit, Result};

use crate::core::{Core, lock};

/// Longest sleep of the background thread, so that a clock set back does no lasting harm.
const SLEEP_MS_MAX: i64 = 10_000;

#[derive(Default)]
pub(crate) struct Schedule {
    pub(crate) deadlines: Mutex<Deadlines>,
    wake: Condvar,
    stop: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

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

    /// Does what is due at `now_ms`. Errors are those of the last thing tried; what failed is tried again later.
    pub(crate) fn tick(&self, now_ms: i64) -> Result<()> {
        let due = lock(&self.schedule.deadlines).due(now_ms);
        match due {
            Some(Due::Flush) => {
                let show = lock(&self.auto_commit).flush_opens_searcher;
                self.flush(show).inspect_err(|_| lock(&self.schedule.deadlines).postpone_flush(now_ms))?;
                self.tick(now_ms)?;
            }
            Some(Due::Refresh) => {
                self.refresh().inspect_err(|_| lock(&self.schedule.deadlines).postpone_refresh(now_ms))?;
            }
            None => return Ok(()),
        }
        while self.merge_once()? {}
        Ok(())
    }

    /// A tick that nobody waits for. Failures show again to whoever updates or commits; here only the log can be told.
    /// Neither they nor a panic may end the thread: commits would silently stop.
    fn tick_unattended(&self) {
        let now_ms = self.clock.now_ms();
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.tick(now_ms))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "automatic commit or merge failed; it is tried again"),
            Err(_) => {
                let mut deadlines = lock(&self.schedule.deadlines);
                deadlines.postpone_flush(now_ms);
                deadlines.postpone_refresh(now_ms);
                tracing::error!(
                    "automatic commit or merge panicked; it is tried again. Report this with the log"
                );
            }
        }
    }

    fn wait(&self) {
        let deadlines = lock(&self.schedule.deadlines);
        let left = deadlines.next().map_or(SLEEP_MS_MAX, |at| at.saturating_sub(self.clock.now_ms()));
        let left = Duration::from_millis(u64::try_from(left.clamp(0, SLEEP_MS_MAX)).unwrap_or_default());
        if !left.is_zero() && !self.schedule.stop.load(Ordering::SeqCst) {
            drop(self.schedule.wake.wait_timeout(deadlines, left).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Starts the shard's thread. It ends when the shard is closed or dropped.
    pub(crate) fn start(self: &Arc<Self>) -> Result<()> {
        let core: Weak<Core> = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("shard".to_owned());
        let thread = thread.spawn(move || {
            while let Some(core) = core.upgrade().filter(|core| !core.schedule.stop.load(Ordering::SeqCst)) {
                core.wait();
                core.tick_unattended();
            }
        });
        let failed = |error| plan::Error::internal("cannot start the shard's thread").with_source(error);
        *lock(&self.schedule.thread) = Some(thread.map_err(failed)?);
        Ok(())
    }

    /// Ends the shard's thread and waits for it.
    pub(crate) fn stop(&self) {
        self.schedule.stop.store(true, Ordering::SeqCst);
        drop(lock(&self.schedule.deadlines));
        self.schedule.wake.notify_all();
        let thread = lock(&self.schedule.thread).take();
        let is_own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = thread.filter(|thread| !is_own(thread)) {
            drop(thread.join());
        }
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
