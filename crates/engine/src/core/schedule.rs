//! When a refresh and a flush are due, as updates have asked for it, and the tasks that see to it. Only says
//! so: what is due is done by `life/schedule.rs`.
//!
//! Updates set the deadlines from the shard's `AutoCommit` and their own `commitWithin`; a refresh or flush
//! takes what it answers for before its cut and gives it back if it fails. Reads no clock: moments are handed
//! in.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use plan::AutoCommit;

use crate::lock::lock;
use crate::scheduler::{Task, TaskHandle};

/// After a failure, and the longest pause of a task: a clock set back does no lasting harm.
pub(crate) const PAUSE_MS_MAX: i64 = 10_000;

#[derive(Default)]
pub(crate) struct Schedule {
    pub(crate) deadlines: Mutex<Deadlines>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) running: Mutex<Running>,
}

/// The shard's tasks, where somebody runs them.
#[derive(Default)]
pub(crate) struct Running {
    pub(crate) commits: Option<RunningTask>,
    pub(crate) merges: Option<RunningTask>,
    pub(crate) log: Option<RunningTask>,
    /// Of a shard that another owns, the only one.
    pub(crate) follow: Option<RunningTask>,
}

pub(crate) struct RunningTask {
    pub(crate) handle: Arc<dyn TaskHandle>,
    /// Whoever runs it does not keep it.
    pub(crate) _task: Arc<dyn Task>,
}

impl Schedule {
    pub(crate) fn wake(&self) {
        if let Some(commits) = &lock(&self.running).commits {
            commits.handle.wake();
        }
    }

    pub(crate) fn wake_merger(&self) {
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
    pub(crate) fn updated(
        &mut self,
        docs: u64,
        commit_within_ms: Option<u64>,
        auto: &AutoCommit,
        now_ms: i64,
    ) {
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

    /// Takes what a refresh, which is about to make its cut, answers for. Before the cut and not when all is
    /// shown: who updates while the refresh waits for the log comes behind the cut, and has a deadline of its
    /// own.
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
    pub(crate) fn postpone_flush(&mut self, now_ms: i64) {
        self.flush_at = Some(now_ms.saturating_add(PAUSE_MS_MAX));
    }

    /// As [`Deadlines::postpone_flush`].
    pub(crate) fn postpone_refresh(&mut self, now_ms: i64) {
        self.refresh_at = Some(now_ms.saturating_add(PAUSE_MS_MAX));
    }

    pub(crate) fn docs_unflushed(&self) -> u64 {
        self.docs_unflushed
    }

    pub(crate) fn next(&self) -> Option<i64> {
        self.refresh_at.into_iter().chain(self.flush_at).min()
    }

    pub(crate) fn due(&self, now_ms: i64) -> Option<Due> {
        let reached = |at: Option<i64>| at.is_some_and(|at| at <= now_ms);
        if reached(self.flush_at) {
            return Some(Due::Flush);
        }
        reached(self.refresh_at).then_some(Due::Refresh)
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
