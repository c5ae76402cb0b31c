//! An update between its place in the log and its durability: who sent it waits for that as a future, and
//! needs no thread for it. What was applied is in memory by then, and goes on to become durable whether or
//! not anybody waits.
//!
//! A home may write on its callers' threads. Whoever finds that nobody writes does so for all that is there,
//! on the thread that applied; what comes meanwhile is written by a task of the shard (`schedule`), which has
//! no answer of its own to delay.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use meter::{Phase, Trace, Wait};
use plan::UpdateOutcome;
use store::{Durability, Watermark};

use crate::core::Core;
use crate::errors::from_unresolved;
use crate::seeded_bugs::SeededBug;

/// An update that was applied. Resolves once it is known whether it counts.
#[must_use = "what is applied is told to nobody before it is durable"]
pub struct AppliedUpdate {
    outcome: UpdateOutcome,
    unsettled: Option<Unsettled>,
}

/// What an outcome waits for.
struct Unsettled {
    core: Arc<Core>,
    at: Watermark,
    trace: Trace,
    /// Once nobody else is asked to write.
    waiting: Option<(Durability, Wait)>,
}

impl AppliedUpdate {
    /// One that waits for nothing.
    pub fn done(outcome: UpdateOutcome) -> Self {
        Self { outcome, unsettled: None }
    }

    pub(crate) fn new(core: &Arc<Core>, outcome: UpdateOutcome, at: Option<Watermark>, trace: Trace) -> Self {
        let unsettled = at.map(|at| Unsettled { core: Arc::clone(core), at, trace, waiting: None });
        Self { outcome, unsettled }
    }

    /// What was applied. Nobody may be told of it yet.
    pub fn so_far(&self) -> &UpdateOutcome {
        &self.outcome
    }

    /// Waits on this thread.
    pub fn wait(mut self) -> UpdateOutcome {
        if let Some(Unsettled { core, at, trace, .. }) = self.unsettled.take() {
            let _syncing = trace.enter(Phase::Sync);
            self.settle(trace.waiting(|| core.wait_for_log(at)));
            core.trace_store(&trace);
        }
        self.outcome
    }

    /// Makes the log write on this thread, unless another does so already: then it is to be awaited without
    /// one.
    pub fn lead(mut self) -> Self {
        let Some(unsettled) = self.unsettled.take() else { return self };
        let known = {
            let Unsettled { core, at, trace, .. } = &unsettled;
            let _syncing = trace.enter(Phase::Sync);
            let known = trace.waiting(|| core.try_wait_for_log(*at));
            known.inspect(|_| core.trace_store(trace))
        };
        match known {
            Some(result) => self.settle(result),
            None => self.unsettled = Some(unsettled.begin()),
        }
        self
    }

    fn settle(&mut self, synced: store::Result<()>) {
        let before = self.outcome.failure.take();
        // What nobody can tell comes before what an operation was refused for.
        self.outcome.failure = synced.map_err(from_unresolved).err().or(before);
    }
}

impl Unsettled {
    fn begin(mut self) -> Self {
        if self.waiting.is_none() {
            let durability = Durability::of(&*self.core.log, self.at);
            self.waiting = Some((durability, self.trace.wait(Phase::Sync)));
            // Whoever wrote a moment ago may be done by now, and not have seen this one.
            if !SeededBug::LostWake.is_planted() {
                self.core.write_for_waiters();
            }
        }
        self
    }
}

impl Future for AppliedUpdate {
    type Output = UpdateOutcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<UpdateOutcome> {
        if let Some(unsettled) = self.unsettled.take() {
            let mut unsettled = unsettled.begin();
            let polled = unsettled.waiting.as_mut().map(|(durability, _)| Pin::new(durability).poll(context));
            match polled {
                Some(Poll::Pending) => {
                    self.unsettled = Some(unsettled);
                    return Poll::Pending;
                }
                Some(Poll::Ready(result)) => {
                    unsettled.core.trace_store(&unsettled.trace);
                    let result = result.inspect_err(|error| unsettled.core.note_failure(error));
                    self.settle(result);
                }
                None => {}
            }
        }
        Poll::Ready(std::mem::take(&mut self.outcome))
    }
}
