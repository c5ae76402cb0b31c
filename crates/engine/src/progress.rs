//! How far a batch has come: what it has got so far, which record to wait for, and, where it has a name, which of its operations
//! the log has. One that comes again goes on behind those.

use std::collections::VecDeque;

use meter::Trace;
use plan::{Add, BatchId, Error, ErrorKind, Modify, Operation, Refusal, Result, UpdateOutcome};
use store::Watermark;

use crate::batches::{BatchSpan, Batches};
use crate::log_codec::Origin;

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
    /// Behind the last operation that a record covers.
    pub(crate) done: u32,
}

impl Progress {
    /// What a record says of operations with these numbers, ascending.
    pub(crate) fn origin(&self, ordinals: &[u32]) -> Origin {
        let span = |batch: &BatchProgress| {
            let (first, done) = (batch.done, ordinals.last().map_or(batch.done, |last| last + 1));
            let left_out = (first..done).filter(|number| ordinals.binary_search(number).is_err()).collect();
            BatchSpan { id: batch.id, first, done, total: batch.total, left_out }
        };
        Origin { schema_version: self.schema_version.unwrap_or(0), batch: self.batch.as_ref().map(span) }
    }

    /// A record has its place in the log.
    pub(crate) fn logged(&mut self, at: Watermark, origin: &Origin) {
        self.durable = Some(at);
        if let (Some(batch), Some(span)) = (&mut self.batch, &origin.batch) {
            batch.done = span.done;
        }
    }

    /// Counts an operation that failed. Errors: too many did, or what failed is no fault of the operation.
    pub(crate) fn refuse(&mut self, refusal: Refusal) -> Result<()> {
        let kind = refusal.error.kind;
        let own = matches!(
            kind,
            ErrorKind::BadRequest | ErrorKind::Conflict | ErrorKind::NotFound | ErrorKind::TooLarge
        );
        let Some(most) = self.errors_max.filter(|_| own) else { return Err(refusal.error) };
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

    /// Takes off a batch's operations what was done when it came before, with what they got then.
    pub(crate) fn resume(&mut self, operations: &mut VecDeque<Operation>, known: &Batches) -> Result<()> {
        let Some(batch) = &mut self.batch else { return Ok(()) };
        let Some(before) = known.get(batch.id) else { return Ok(()) };
        if before.total != batch.total {
            let (was, is) = (before.total, batch.total);
            let message =
                format!("a batch of `{was}` operations has come again with `{is}`; give it another id");
            return Err(Error::bad_request(message));
        }
        batch.done = before.done;
        self.durable = self.durable.max(Some(before.at()));
        for ordinal in 0..before.done {
            let Some(operation) = operations.pop_front() else { break };
            match (operation, before.version_of(ordinal)) {
                (Operation::Add(Add { id, .. }) | Operation::Modify(Modify { id, .. }), Some(version)) => {
                    self.outcome.added.push((id, version));
                }
                (Operation::Delete { id, .. }, Some(version)) => self.outcome.deleted.push((id, -version)),
                (Operation::DeleteByQuery { text, .. }, Some(version)) => {
                    self.outcome.deleted_by_query.push((text, -version));
                }
                (Operation::Refused(refusal), _) => self.refuse(refusal)?,
                // Passed over then, as now; or a commit, behind which other operations are in the log.
                _ => {}
            }
        }
        Ok(())
    }
}
