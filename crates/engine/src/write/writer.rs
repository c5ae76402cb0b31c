//! The path of an update: a batch that has come before goes on behind what is logged (`progress`); groups of
//! operations are prepared outside every lock (`group`), and applied (`apply`); last, wait until the log is
//! durable, unless more of the request follows, which then waits for all of it.
//!
//! Operations are judged and merged by the newest state in the order of the log, durable or not: judged by
//! what is durable, two that expect the same version would both be done. Hence an answer that something was
//! not done waits for the log as well.
//!
//! A batch is cut into groups, each one record of the log. Operations before a failure stay done, as in Solr.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use meter::Phase;
use plan::{
    BatchId, Durable, Error, ErrorKind, Operation, Refusal, RefusalKind, Result, UpdateBatch, UpdateOutcome,
};
use store::Watermark;

use crate::core::Core;
use crate::core::refused::is_of_operation;
use crate::core::unsettled::Concerned;
use crate::errors::{from_store, from_unresolved};
use crate::indexing::builder::Builder;
use crate::layout::Layout;
use crate::lock::lock;
use crate::seeded_bugs::SeededBug;
use crate::write::applied::AppliedUpdate;
use crate::write::group::{Unprepared, UpdateGroup, take_group};
use crate::write::log_codec::Record;
use crate::write::progress::{BatchProgress, Progress};
use crate::write::update_context::{EditSteps, UpdateContext};

/// Whoever applies a batch that has a name, until he is done or panics.
struct Running<'a> {
    core: &'a Core,
    id: BatchId,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.core.state().running.remove(&self.id);
    }
}

impl Core {
    /// Applies a batch. Its outcome is true once that is durable which the outcome waits for.
    pub(crate) fn update(self: &Arc<Self>, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate {
        let UpdateBatch {
            id,
            seen,
            route: _,
            schema_version,
            operations,
            conflicts_skip,
            errors_max,
            durable,
        } = batch;
        let UpdateContext { trace, edit_steps } = context;
        let total = u32::try_from(operations.len()).unwrap_or(u32::MAX);
        let mut progress = Progress {
            outcome: UpdateOutcome::default(),
            durable: (durable == Durable::All).then(|| self.state().logged),
            conflicts_skip,
            passed_over: false,
            errors_max,
            schema_version,
            batch: id.map(|id| BatchProgress::new(id, total, seen)),
            trace,
        };
        let result = self.run_named(operations, edit_steps.as_ref(), &mut progress);
        let judged = progress.passed_over
            || !progress.outcome.refused.is_empty()
            || result.as_ref().is_err_and(|error| is_of_operation(error.kind));
        if judged {
            // By what others may have done a moment ago: that must be durable before anybody is told.
            let mut state = self.state();
            state.unsettled.forget(self.log.durable());
            progress.durable = progress.durable.max(state.unsettled.last());
        }
        let Progress { mut outcome, durable: mut at, trace, .. } = progress;
        outcome.failure = result.err();
        // It has waited for room already, as long as an update waits for a store that does not answer.
        if let Some(applied) = at
            && let Some(error) = outcome.failure.take_if(|error| error.kind == ErrorKind::Unavailable)
        {
            let is_unknown = self.log.is_silent() && applied > self.log.durable();
            at = at.filter(|_| !is_unknown);
            outcome.failure = Some(if is_unknown { partly_unknown(error) } else { error });
        }
        let waits = (durable != Durable::Later || judged) && !SeededBug::EarlyAck.is_planted();
        AppliedUpdate::new(self, outcome, at.filter(|_| waits), trace)
    }

    /// Waits until the log holds for good all that was applied.
    pub(crate) fn settle(&self) -> Result<()> {
        let logged = self.state().logged;
        self.wait_for_log(logged).map_err(from_store)
    }

    fn wait_durable(&self, progress: &mut Progress) -> Result<()> {
        let waits = |_: &Watermark| !SeededBug::EarlyAck.is_planted();
        let Some(at) = progress.durable.take().filter(waits) else { return Ok(()) };
        let _syncing = progress.trace.enter(Phase::Sync);
        let waited = progress.trace.waiting(|| self.wait_for_log(at));
        self.trace_store(&progress.trace);
        waited.map_err(from_unresolved)
    }

    /// Applies a batch, unless somebody is about to apply one of this name.
    fn run_named(
        &self,
        operations: Vec<Operation>,
        edit_steps: Option<&Arc<dyn EditSteps>>,
        progress: &mut Progress,
    ) -> Result<()> {
        let Some(id) = progress.batch.as_ref().map(|batch| batch.id) else {
            return self.run(operations, edit_steps, progress);
        };
        // Told *unknown*, not refused: the other send of it may count by now, and what may have been applied
        // is never refused (docs/protocol.md).
        if !self.state().running.insert(id) {
            let message = "this batch is being applied; whether it counts is not known, send it again";
            return Err(Error::new(ErrorKind::Unknown, message));
        }
        let _running = Running { core: self, id };
        let result = self.run(operations, edit_steps, progress);
        if result.as_ref().err().is_none_or(|error| is_of_operation(error.kind)) {
            self.log_judged(progress)?;
        }
        result
    }

    /// Gives the outcomes of operations that left nothing in the log a record of its own, where none behind
    /// them tells of it: sent again they are told the same, and what was refused is never done.
    fn log_judged(&self, progress: &mut Progress) -> Result<()> {
        let Some(origin) = progress.origin_of_judged() else { return Ok(()) };
        let record = Record::begin(&origin, 0);
        let room = self.reserve(record.as_bytes().len())?;
        let mut state = self.state();
        // Behind the wait for room, which is long enough for the log to fail and for the shard to be closed.
        state.check_writable()?;
        let at = self.log.append(room, record.as_bytes());
        progress.logged(at, &origin);
        state.logged = at;
        state.note_origin(at, &origin, std::iter::empty());
        // No id's documents change by it, but whoever is told of the batch waits for it.
        state.unsettled.note(at, Concerned::Ids(Box::default()), self.log.durable());
        Ok(())
    }

    fn run(
        &self,
        operations: Vec<Operation>,
        edit_steps: Option<&Arc<dyn EditSteps>>,
        progress: &mut Progress,
    ) -> Result<()> {
        let total = operations.len();
        let mut operations: VecDeque<Operation> = operations.into();
        // Invariant: known, forgotten, room, in this order: what may have been applied is never refused.
        progress.resume(&mut operations, &self.state().batches)?;
        if !operations.is_empty() {
            self.state().check_writable()?;
        }
        // Behind the look for the batch's id: one that was applied is answered for, whatever the schema is
        // now.
        let resolved = progress.schema_version.filter(|_| !operations.is_empty());
        let mut kept = Some(self.keep_schema(resolved)?);
        while let Some(operation) = operations.pop_front() {
            let ordinal = u32::try_from(total - operations.len() - 1).unwrap_or(u32::MAX);
            match operation {
                Operation::DeleteByQuery { query, text, commit_within_ms } => {
                    let deleting = progress.trace.enter(Phase::Index);
                    let origin = progress.origin(&[ordinal]);
                    let deleted = self.delete_by_query(&query, &origin);
                    drop(deleting);
                    match deleted {
                        Ok((version, at)) => {
                            match at {
                                Some(at) => progress.logged(at, &origin),
                                // That nothing matches may be the work of an update which the log could still
                                // lose.
                                None => progress.passed_over = true,
                            }
                            progress.outcome.deleted_by_query.push((text, -version));
                            self.note_updates(1, commit_within_ms);
                        }
                        Err(error) => {
                            let kind = RefusalKind::DeleteByQuery;
                            progress.refuse(ordinal, Refusal { kind, of: text, error })?;
                        }
                    }
                }
                Operation::Refused(refusal) => progress.refuse(ordinal, refusal)?,
                Operation::Commit(commit) => {
                    // Invariant: a commit acknowledges nothing that the log could still lose.
                    self.wait_durable(progress)?;
                    // An `optimize` takes minutes: behind the last operation that needs the schema nobody who
                    // edits it has to wait.
                    if operations.iter().all(|operation| matches!(operation, Operation::Commit(_))) {
                        drop(kept.take());
                    }
                    let _committing = progress.trace.enter(Phase::Commit);
                    self.commit(&commit)?;
                }
                Operation::Rollback => return Err(rollback_refused()),
                Operation::Add(_) | Operation::Modify(_) | Operation::Delete { .. } => {
                    operations.push_front(operation);
                    let mut group = take_group(&mut operations);
                    group.edit_steps = edit_steps.cloned();
                    group.first = ordinal;
                    let rest = self.run_group(group, progress)?;
                    rest.into_iter().rev().for_each(|operation| operations.push_front(operation));
                }
            }
        }
        Ok(())
    }

    /// Applies a group; gives back what stands behind an operation that could not be prepared.
    fn run_group(&self, mut group: UpdateGroup, progress: &mut Progress) -> Result<Vec<Operation>> {
        let trace = progress.trace.clone();
        let making_room = trace.enter(Phase::Commit);
        self.make_memory()?;
        drop(making_room);
        let analysing = trace.enter(Phase::Analyse);
        let mut preparer = self.take_preparer(&group)?;
        // Before the operations are taken out of the group.
        let replaced = group.replaced();
        let mut pending = self.prepare_group(&mut preparer, &mut group);
        drop(analysing);
        let _indexing = trace.enter(Phase::Index);
        while !pending.is_empty() {
            if let Some((ordinal, refusal)) =
                self.apply(&mut pending, &preparer, replaced.as_ref(), progress)?
            {
                progress.refuse(ordinal, refusal)?;
                continue;
            }
            let Some(stale) = pending.front_mut() else { break };
            // Only a document edited meanwhile by another update stops a group; the other one has gone on.
            match self.prepare_again(&mut preparer, stale, group.edit_steps.as_deref()) {
                Ok(()) => {}
                Err(Unprepared::Outgrown(operation)) => {
                    let first = stale.ordinal;
                    pending.pop_front();
                    let (operations, edit_steps) = (vec![*operation], group.edit_steps.clone());
                    self.run_alone(
                        UpdateGroup { operations, first, edit_steps, ..UpdateGroup::default() },
                        progress,
                    )?;
                }
                Err(Unprepared::Failed(error)) => {
                    let (ordinal, refusal) = (stale.ordinal, stale.refusal(error));
                    pending.pop_front();
                    progress.refuse(ordinal, refusal)?;
                }
            }
        }
        lock(&self.preparers).push(preparer);
        group.failure.map_or(Ok(()), |(ordinal, refusal)| progress.refuse(ordinal, refusal))?;
        Ok(group.operations)
    }

    /// Applies an edit before the rest of its group, whose preparer does not know the fields that its
    /// document has got. The rest is prepared already, and goes by the preparer that it had.
    fn run_alone(&self, mut group: UpdateGroup, progress: &mut Progress) -> Result<()> {
        let (first, edit_steps) = (group.first, group.edit_steps.clone());
        loop {
            let operations = self.run_group(group, progress)?;
            if operations.is_empty() {
                return Ok(());
            }
            group =
                UpdateGroup { operations, first, edit_steps: edit_steps.clone(), ..UpdateGroup::default() };
        }
    }

    /// A builder of this thread's own whose schema knows the layout's fields.
    pub(crate) fn take_builder(&self, layout: &Arc<Layout>) -> Result<Builder> {
        let mut state = self.state();
        while let Some(builder) = state.idle.pop() {
            if builder.layout().generation() >= layout.generation() {
                return Ok(builder);
            }
            // A builder keeps the layout that it began with, so it can take no document with the new fields:
            // it waits to be sealed.
            state.full.push(builder);
        }
        drop(state);
        Builder::new(layout.clone())
    }

    pub(crate) fn give_back(&self, builder: Builder) {
        let full = builder.bytes() > self.config.builder_bytes_max;
        let mut state = self.state();
        if full { state.full.push(builder) } else { state.idle.push(builder) }
    }

    /// Seals what is full, and makes this thread flush when memory runs short: updates slow down to what the
    /// disk takes. Before a group and not behind it: what fails refuses one of which nothing was offered yet,
    /// and not one that will be durable.
    fn make_memory(&self) -> Result<()> {
        self.after_group().map_err(|error| match error.kind {
            ErrorKind::Unknown => {
                Error::new(ErrorKind::Unavailable, error.message.clone()).with_source(error)
            }
            _ => error,
        })
    }

    /// As [`Core::make_memory`] does it, where nobody waits for an answer.
    pub(crate) fn after_group(&self) -> Result<()> {
        let full = !self.state().full.is_empty();
        if full {
            self.seal_full()?;
        }
        if self.is_flush_due() { self.flush_if(&|| self.is_flush_due()) } else { Ok(()) }
    }

    fn is_flush_due(&self) -> bool {
        // Flushing shortens no log that is kept.
        let log_long =
            self.log.bytes() > self.config.log_bytes_max && self.log_kept.load(Ordering::Acquire) == 0;
        log_long || self.state().unpersisted_bytes() > self.config.ram_bytes_max
    }
}

/// Of an update whose first operations are in a log that does not answer, and whose others found no room.
fn partly_unknown(error: Error) -> Error {
    let message = format!("{}; whether what stands before in this update counts is not known", error.message);
    Error::new(ErrorKind::Unknown, message).with_source(error)
}

fn rollback_refused() -> Error {
    Error::bad_request(
        "rollback is not possible: what was acknowledged is in the log; delete or overwrite instead",
    )
}
