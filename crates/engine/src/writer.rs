//! The path of an update: prepare outside every lock (`group.rs`), and reserve room in the log; under the lock check expectations,
//! give versions, append to the log and note where each id stands; then index into a builder this thread owns; last, wait until
//! the log is durable, unless more of the request follows, which then waits for all of it.
//!
//! Operations are judged and merged by the newest state in the order of the log, durable or not: judged by what is durable, two
//! that expect the same version would both be done. Hence an answer that something was not done waits for the log as well.
//!
//! A batch is cut into groups, each one record of the log. Operations before a failure stay done, as in Solr.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use meter::Phase;
use plan::{
    Durable, Error, ErrorKind, Operation, Refusal, RefusalKind, Result, UpdateBatch, UpdateOutcome, Version,
};
use store::{Room, Watermark};

use crate::builder::Builder;
use crate::conditions::{self, Verdict};
use crate::core::{Core, lock};
use crate::errors::{from_store, from_unresolved};
use crate::group::{Group, Pending, PreparedChild, Work, take_group};
use crate::layout::Layout;
use crate::log_codec::{
    LEFT_OUT_BYTES_MAX, OPERATION_HEAD_BYTES_MAX, Origin, RECORD_HEAD_BYTES_MAX, Record,
    TEXT_LENGTH_BYTES_MAX,
};
use crate::prepare::{Prepared, Preparer};
use crate::progress::{BatchProgress, Progress};
use crate::recent::{RecentChild, RecentDocument};
use crate::seeded_bugs::SeededBug;
use crate::state::{State, Stored};
use crate::unsettled::Concerned;
use crate::update_context::{EditSteps, UpdateContext};

/// An operation with its version and what it replaces.
struct Decided {
    pending: Pending,
    version: Version,
    replaced: Vec<Stored>,
}

/// A document that the builder is to take next.
struct Indexing {
    prepared: Prepared,
    hash: u64,
}

impl Core {
    pub(crate) fn update(&self, batch: UpdateBatch, context: UpdateContext) -> UpdateOutcome {
        let outcome = UpdateOutcome::default();
        let UpdateBatch { id, schema_version, operations, conflicts_skip, errors_max, durable } = batch;
        let UpdateContext { trace, edit_steps } = context;
        let total = u32::try_from(operations.len()).unwrap_or(u32::MAX);
        let named = id.map(|id| BatchProgress { id, total, done: 0 });
        let before = (durable == Durable::All).then(|| self.state().logged);
        let mut progress = Progress {
            outcome,
            durable: before,
            conflicts_skip,
            passed_over: false,
            errors_max,
            schema_version,
            batch: named,
            trace,
        };
        let result = self.run_named(operations, edit_steps.as_ref(), &mut progress);
        let by_state = |error: &Error| {
            matches!(error.kind, ErrorKind::Conflict | ErrorKind::BadRequest | ErrorKind::NotFound)
        };
        let judged = progress.passed_over
            || !progress.outcome.refused.is_empty()
            || result.as_ref().is_err_and(by_state);
        if judged {
            // By what others may have done a moment ago: that must be durable before anybody is told.
            let mut state = self.state();
            state.unsettled.forget(self.log.durable());
            progress.durable = progress.durable.max(state.unsettled.last());
        }
        let synced = match durable {
            Durable::Later if !judged => Ok(()),
            _ => self.wait_durable(&mut progress),
        };
        progress.outcome.failure = synced.and(result).err();
        progress.outcome
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
        progress.trace.waiting(|| self.wait_for_log(at)).map_err(from_unresolved)
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
        if !self.state().running.insert(id) {
            let message = "this batch is being applied; whether it counts is not known, send it again";
            return Err(Error::new(ErrorKind::Unknown, message));
        }
        let result = self.run(operations, edit_steps, progress);
        self.state().running.remove(&id);
        result
    }

    fn run(
        &self,
        operations: Vec<Operation>,
        edit_steps: Option<&Arc<dyn EditSteps>>,
        progress: &mut Progress,
    ) -> Result<()> {
        self.state().check_writable()?;
        let total = operations.len();
        let mut operations: VecDeque<Operation> = operations.into();
        progress.resume(&mut operations, &self.state().batches)?;
        // Behind the look for the batch's id: one that was applied is answered for, whatever the schema is now.
        let resolved = progress.schema_version.filter(|_| !operations.is_empty());
        let _kept = self.keep_schema(resolved)?;
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
                                // That nothing matches may be the work of an update which the log could still lose.
                                None => progress.passed_over = true,
                            }
                            progress.outcome.deleted_by_query.push((text, -version));
                            self.note_updates(1, commit_within_ms);
                        }
                        Err(error) => {
                            progress.refuse(Refusal { kind: RefusalKind::DeleteByQuery, of: text, error })?;
                        }
                    }
                }
                Operation::Refused(refusal) => progress.refuse(refusal)?,
                Operation::Commit(commit) => {
                    // Invariant: a commit acknowledges nothing that the log could still lose.
                    self.wait_durable(progress)?;
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
    fn run_group(&self, mut group: Group, progress: &mut Progress) -> Result<Vec<Operation>> {
        let trace = progress.trace.clone();
        let analysing = trace.enter(Phase::Analyse);
        let mut preparer = self.take_preparer(&group)?;
        let replaced = group.replaced();
        let added_before = progress.outcome.added.len();
        let mut pending = self.prepare_group(&mut preparer, &mut group);
        drop(analysing);
        let indexing = trace.enter(Phase::Index);
        while !pending.is_empty() {
            if let Some(refusal) = self.apply(&mut pending, &preparer, progress)? {
                progress.refuse(refusal)?;
                continue;
            }
            let Some(stale) = pending.front_mut() else { break };
            // Only a document edited meanwhile by another update stops a group; the other one has gone on.
            if let Err(error) = self.prepare_again(&mut preparer, stale, group.edit_steps.as_deref()) {
                let refusal = stale.refusal(error);
                pending.pop_front();
                progress.refuse(refusal)?;
            }
        }
        lock(&self.preparers).push(preparer);
        if let Some(query) = replaced.filter(|_| progress.outcome.added.len() > added_before) {
            let origin = Origin { batch: None, ..progress.origin(&[]) };
            let (_, at) = self.delete_by_query(&query, &origin)?;
            progress.durable = at.or(progress.durable);
            progress.passed_over |= at.is_none();
        }
        drop(indexing);
        let committing = trace.enter(Phase::Commit);
        self.after_group()?;
        drop(committing);
        group.failure.map_or(Ok(()), |refusal| progress.refuse(refusal))?;
        Ok(group.operations)
    }

    /// Applies operations from the front until one must be prepared again or fails; gives the one that failed. On an error
    /// of the log, none is applied.
    fn apply(
        &self,
        pending: &mut VecDeque<Pending>,
        preparer: &Preparer,
        progress: &mut Progress,
    ) -> Result<Option<Refusal>> {
        let _applying = progress.trace.waiting(|| self.apply_shared());
        let mut builder = self.take_builder(preparer.layout())?;
        // Whatever has to wait for the disk does so here, before the lock that gets and other updates want.
        let room = self.reserve(record_bytes_max(pending, progress));
        let placed = room.and_then(|room| self.place(pending, room, &builder, progress));
        let (indexing, failure) = match placed {
            Ok(both) => both,
            Err(error) => {
                self.give_back(builder);
                return Err(error);
            }
        };
        for Indexing { prepared, hash } in indexing {
            if let Err(error) = builder.add(&prepared, hash) {
                self.refuse_updates(&error.message);
                return Err(error);
            }
        }
        builder.end_group(preparer.terms());
        self.give_back(builder);
        Ok(failure)
    }

    /// What happens under the shard's lock: operations get their versions, their place in the log and in the id map.
    fn place(
        &self,
        pending: &mut VecDeque<Pending>,
        room: Room,
        builder: &Builder,
        progress: &mut Progress,
    ) -> Result<(Vec<Indexing>, Option<Refusal>)> {
        let now_ms = self.clock.now_ms();
        let mut state = progress.trace.waiting(|| self.state());
        let (decided, failure) = decide(&mut state, pending, builder.layout(), progress, now_ms)?;
        if decided.is_empty() {
            return Ok((Vec::new(), failure));
        }
        let ordinals: Vec<u32> = decided.iter().map(|one| one.pending.ordinal).collect();
        let origin = progress.origin(&ordinals);
        let at = self.log.append(room, record_of(&decided, &origin).as_bytes());
        progress.logged(at, &origin);
        state.logged = at;
        state.note_origin(at, &origin, decided.iter().map(|one| one.version));
        let hashes = decided.iter().map(|one| one.pending.hash).collect();
        state.unsettled.note(at, Concerned::Ids(hashes), self.log.durable());
        state.modified_ms = now_ms;
        let commit_within_ms = decided.iter().filter_map(|one| one.pending.commit_within_ms).min();
        self.note_updates(decided.len() as u64, commit_within_ms);
        let mut indexing = Vec::with_capacity(decided.len());
        for one in decided {
            note(&mut state, one, builder, &mut indexing, &mut progress.outcome);
        }
        Ok((indexing, failure))
    }

    /// A builder of this thread's own whose schema knows the layout's fields.
    pub(crate) fn take_builder(&self, layout: &Arc<Layout>) -> Result<Builder> {
        let mut state = self.state();
        while let Some(builder) = state.idle.pop() {
            if builder.layout().generation() >= layout.generation() {
                return Ok(builder);
            }
            state.full.push(builder);
        }
        drop(state);
        Builder::new(layout.clone())
    }

    fn give_back(&self, builder: Builder) {
        let full = builder.bytes() > self.config.builder_bytes_max;
        let mut state = self.state();
        if full { state.full.push(builder) } else { state.idle.push(builder) }
    }

    /// Seals what is full, and makes this thread flush when memory runs short: updates slow down to what the disk takes.
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

fn rollback_refused() -> Error {
    Error::bad_request(
        "rollback is not possible: what was acknowledged is in the log; delete or overwrite instead",
    )
}

/// Takes operations from the front as long as they may be done, with their versions; gives the one that may not.
fn decide(
    state: &mut State,
    pending: &mut VecDeque<Pending>,
    layout: &Layout,
    progress: &mut Progress,
    now_ms: i64,
) -> Result<(Vec<Decided>, Option<Refusal>)> {
    state.check_writable()?;
    let mut decided = Vec::with_capacity(pending.len());
    while let Some(next) = pending.front() {
        let skips = progress.conflicts_skip && matches!(next.work, Work::Put(_));
        match conditions::check(state, next, layout) {
            Ok(Verdict::PassOver) => {
                progress.passed_over = true;
                pending.pop_front();
                continue;
            }
            Err(error) if error.kind == ErrorKind::Conflict && skips => {
                progress.passed_over = true;
                pending.pop_front();
                continue;
            }
            Err(error) => {
                let refusal = next.refusal(error);
                pending.pop_front();
                return Ok((decided, Some(refusal)));
            }
            Ok(Verdict::Go) => {}
        }
        if is_stale(state, next)? {
            break;
        }
        let beside = matches!(&next.work, Work::Put(put) if !put.overwrite);
        let replaced = if beside { Vec::new() } else { state.stored(&next.id, next.hash)? };
        let version = state.next_version(now_ms);
        decided.extend(pending.pop_front().map(|pending| Decided { pending, version, replaced }));
    }
    Ok((decided, None))
}

/// Whether the document that an atomic update was made on is no longer the current one.
fn is_stale(state: &State, pending: &Pending) -> Result<bool> {
    let Work::Put(put) = &pending.work else { return Ok(false) };
    let Some(edit) = &put.edit else { return Ok(false) };
    let current = state.current(&pending.id, pending.hash)?.map(|it| it.version()).transpose()?;
    Ok(current != edit.base)
}

/// No record of these operations is longer.
fn record_bytes_max(pending: &VecDeque<Pending>, progress: &Progress) -> usize {
    let last = pending.back().map_or(0, |last| last.ordinal as usize);
    let covered = progress.batch.as_ref().map_or(0, |batch| (last + 1).saturating_sub(batch.done as usize));
    let bytes = pending.iter().map(|one| match &one.work {
        Work::Put(put) => put.body.bytes.len(),
        Work::Delete => TEXT_LENGTH_BYTES_MAX + one.id.len(),
    });
    let operations = bytes.map(|bytes| OPERATION_HEAD_BYTES_MAX + bytes).sum::<usize>();
    RECORD_HEAD_BYTES_MAX + covered * LEFT_OUT_BYTES_MAX + operations
}

fn record_of(decided: &[Decided], origin: &Origin) -> Record {
    let body_bytes =
        |one: &Decided| if let Work::Put(put) = &one.pending.work { put.body.bytes.len() } else { 64 };
    let mut record = Record::begin(origin, decided.iter().map(|one| body_bytes(one) + 16).sum());
    for Decided { pending, version, .. } in decided {
        match &pending.work {
            Work::Put(put) => record.put(*version, &put.body, put.overwrite),
            Work::Delete => record.delete(*version, &pending.id),
        }
    }
    record
}

/// Makes an operation count: what it replaces is dead, what it adds is current.
fn note(
    state: &mut State,
    decided: Decided,
    builder: &Builder,
    indexing: &mut Vec<Indexing>,
    outcome: &mut UpdateOutcome,
) {
    let Decided { pending: Pending { id, hash, work, .. }, version, replaced } = decided;
    for (segment, doc) in &replaced {
        segment.marks.mark(*doc);
    }
    match work {
        Work::Delete => {
            state.recent.mark(&id);
            outcome.deleted.push((id, -version));
        }
        Work::Put(put) => {
            if put.overwrite {
                state.recent.mark(&id);
            }
            let mut children = Vec::with_capacity(put.children.len());
            for PreparedChild { id, hash, mut prepared } in put.children {
                prepared.document.set_version(version);
                children.push(RecentChild { id, source: prepared.document.source.clone() });
                indexing.push(Indexing { prepared, hash });
            }
            let mut prepared = put.prepared;
            prepared.document.set_version(version);
            let doc = builder.next_doc() + u32::try_from(indexing.len()).unwrap_or(u32::MAX);
            let source = prepared.document.source.clone();
            let marks = builder.marks().clone();
            let recent = RecentDocument { marks, doc, version, source, children, beside: None };
            state.has_new_blocks |= !recent.children.is_empty();
            state.recent.insert(id.clone(), recent);
            indexing.push(Indexing { prepared, hash });
            outcome.added.push((id, version));
        }
    }
}
