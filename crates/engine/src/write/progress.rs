//! How far a batch has come: what it has got so far, which record to wait for, and, where it has a name,
//! which of its operations the log has. One that comes again goes on behind those.
//!
//! Fed by `writer` and `apply`, operation by operation; makes what a record says of its batch, and in the end
//! the outcome that the client is told. What is remembered between requests is `core/batches`'.

use std::collections::VecDeque;

use meter::Trace;
use plan::{
    Add, BatchId, Error, ErrorKind, LogPosition, Modify, Operation, Refusal, Result, UpdateOutcome, Version,
};
use store::Watermark;

use crate::core::batches::Origin;
use crate::core::batches::{BatchSpan, Batches};
use crate::core::refused::{RefusedOperation, is_of_operation};
use crate::seeded_bugs::SeededBug;
use crate::write::log_codec::LEFT_OUT_BYTES_MAX;

/// How far a batch has come.
pub(crate) struct Progress {
    pub(crate) outcome: UpdateOutcome,
    /// The last record to wait for.
    pub(crate) durable: Option<Watermark>,
    pub(crate) conflicts_skip: bool,
    /// Whether an operation was passed over for how its document stands.
    pub(crate) passed_over: bool,
    /// How many operations may fail; `None` when none may.
    pub(crate) errors_max: Option<u64>,
    /// What the batch was resolved against.
    pub(crate) schema_version: Option<u64>,
    pub(crate) batch: Option<BatchProgress>,
    pub(crate) trace: Trace,
}

/// How far a batch that has a name has come in the log.
pub(crate) struct BatchProgress {
    pub(crate) id: BatchId,
    pub(crate) total: u32,
    /// Where the shard was before the batch was first sent.
    pub(crate) seen: LogPosition,
    /// Behind the last operation that a record covers.
    pub(crate) done: u32,
    /// Behind the last that was refused or passed over, whether a record covers it or not.
    judged: u32,
    /// Those refused that no record has yet.
    refused: Vec<RefusedOperation>,
}

impl BatchProgress {
    pub(crate) fn new(id: BatchId, total: u32, seen: LogPosition) -> Self {
        Self { id, total, seen, done: 0, judged: 0, refused: Vec::new() }
    }

    fn span(&self, ordinals: &[u32], done: u32) -> BatchSpan {
        let Self { id, total, seen: _, done: first, judged: _, refused } = self;
        let left_out = (*first..done).filter(|number| ordinals.binary_search(number).is_err()).collect();
        BatchSpan { id: *id, first: *first, done, total: *total, left_out, refused: refused.clone() }
    }

    /// What a record needs for what it covers without holding it.
    pub(crate) fn left_out_bytes_max(&self, done: u32) -> usize {
        let covered = done.saturating_sub(self.done) as usize;
        covered * LEFT_OUT_BYTES_MAX + self.refused.iter().map(RefusedOperation::bytes).sum::<usize>()
    }
}

impl Progress {
    /// What a record says of operations with these numbers, ascending.
    pub(crate) fn origin(&self, ordinals: &[u32]) -> Origin {
        let done = ordinals.last().map(|last| last + 1);
        let span = |batch: &BatchProgress| batch.span(ordinals, done.unwrap_or(batch.done));
        Origin { schema_version: self.schema_version.unwrap_or(0), batch: self.batch.as_ref().map(span) }
    }

    /// What a record holds of operations that left nothing in the log and stand behind all that did;
    /// `None` when there are none.
    pub(crate) fn origin_of_judged(&self) -> Option<Origin> {
        let batch = self.batch.as_ref().filter(|batch| batch.judged > batch.done)?;
        let schema_version = self.schema_version.unwrap_or(0);
        Some(Origin { schema_version, batch: Some(batch.span(&[], batch.judged)) })
    }

    /// A record has its place in the log.
    pub(crate) fn logged(&mut self, at: Watermark, origin: &Origin) {
        self.durable = Some(at);
        if let (Some(batch), Some(span)) = (&mut self.batch, &origin.batch) {
            batch.done = span.done;
            // The record tells of them now; the next one would tell it twice.
            batch.refused.clear();
        }
    }

    /// An operation was passed over for how its document stands.
    pub(crate) fn pass_over(&mut self, ordinal: u32) {
        self.passed_over = true;
        if let Some(batch) = &mut self.batch {
            batch.judged = ordinal + 1;
        }
    }

    /// An operation failed. Errors: too many did, or what failed is no fault of the operation.
    pub(crate) fn refuse(&mut self, ordinal: u32, refusal: Refusal) -> Result<()> {
        let kept =
            RefusedOperation::of(ordinal, &refusal).filter(|_| !SeededBug::ForgottenRefusals.is_planted());
        if let (Some(batch), Some(kept)) = (&mut self.batch, kept) {
            batch.refused.push(kept);
            batch.judged = ordinal + 1;
        }
        self.count_refusal(refusal)
    }

    fn count_refusal(&mut self, refusal: Refusal) -> Result<()> {
        let is_own = is_of_operation(refusal.error.kind);
        let Some(most) = self.errors_max.filter(|_| is_own) else { return Err(refusal.error) };
        self.outcome.refused.push(refusal);
        match self.outcome.refused.first() {
            Some(first) if self.outcome.refused.len() as u64 > most => {
                let mut error = Error::new(first.error.kind, first.error.message.clone());
                error.root = first.error.root;
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// Takes off a batch's operations what was done when it came before, with what they were told then.
    /// Errors: that of a refusal that ended it; `Unknown` for a batch that may have come before and been
    /// forgotten since.
    pub(crate) fn resume(&mut self, operations: &mut VecDeque<Operation>, known: &Batches) -> Result<()> {
        let Some(batch) = &mut self.batch else { return Ok(()) };
        let Some(before) = known.get(batch.id) else {
            // What was forgotten since the first send may have been this one: it may count, so it is not done
            // again.
            return if known.forgotten > batch.seen { Err(forgotten()) } else { Ok(()) };
        };
        if before.total != batch.total {
            let (was, is) = (before.total, batch.total);
            let message =
                format!("a batch of `{was}` operations has come again with `{is}`; give it another id");
            return Err(Error::bad_request(message));
        }
        (batch.done, batch.judged) = (before.done, before.done);
        self.durable = self.durable.max(Some(before.at()));
        for ordinal in 0..before.done {
            let Some(operation) = operations.pop_front() else { break };
            match before.refusal_of(ordinal) {
                Some(refusal) => self.count_refusal(refusal)?,
                None => self.tell_again(operation, before.version_of(ordinal)),
            }
        }
        Ok(())
    }

    fn tell_again(&mut self, operation: Operation, version: Option<Version>) {
        let outcome = &mut self.outcome;
        match (operation, version) {
            (Operation::Add(Add { id, .. }), Some(version)) => outcome.added.push((id, version)),
            // Told by the name of its root, as when it was applied.
            (Operation::Modify(Modify { id, root, .. }), Some(version)) => {
                outcome.added.push((root.unwrap_or(id), version));
            }
            (Operation::Delete { id, .. }, Some(version)) => outcome.deleted.push((id, -version)),
            (Operation::DeleteByQuery { text, .. }, Some(version)) => {
                outcome.deleted_by_query.push((text, -version));
            }
            // Passed over then, as now; or a commit, behind which other operations are in the log.
            _ => {}
        }
    }
}

fn forgotten() -> Error {
    let message =
        "this batch may have been applied, and what became of it is remembered no more; read its documents";
    Error::new(ErrorKind::Unknown, message)
}
