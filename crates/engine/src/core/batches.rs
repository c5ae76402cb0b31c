//! Batches that have a name, by which they are known when they are sent again: how far each has come, which
//! versions its operations got, and which were refused. Kept with the log's records and the manifest, so that
//! a restart forgets none of them; the oldest go first.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use plan::{BatchId, LogPosition, Refusal, Version};
use serde::{Deserialize, Serialize};
use store::Watermark;

use crate::core::refused::RefusedOperation;

/// Bytes of refusals that are remembered: a batch of nothing else must not fill memory and manifests.
const REFUSED_BYTES_MAX: usize = 8 << 20;

/// What a log record says of the batch that its operations are of. Operations are counted from 0 in the order
/// of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchSpan {
    pub(crate) id: BatchId,
    /// The first operation that no earlier record covers.
    pub(crate) first: u32,
    /// Behind the last operation that is covered.
    pub(crate) done: u32,
    pub(crate) total: u32,
    /// Those between that the record does not hold, ascending: passed over, refused, or not of the log.
    pub(crate) left_out: Vec<u32>,
    /// Those of them that were refused, ascending.
    pub(crate) refused: Vec<RefusedOperation>,
}

/// What a record says of where its operations come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Of the schema that they were resolved against; 0 where it is not known.
    pub(crate) schema_version: u64,
    pub(crate) batch: Option<BatchSpan>,
}

/// What has become of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchOutcome {
    /// Behind the last operation that is covered.
    pub(crate) done: u32,
    pub(crate) total: u32,
    epoch: u64,
    sequence: u64,
    versions: Vec<VersionRun>,
    /// Ascending.
    #[serde(default)]
    refused: Vec<RefusedOperation>,
}

/// Neighbouring operations with neighbouring versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct VersionRun {
    first: u32,
    count: u32,
    version: Version,
}

impl BatchOutcome {
    /// The last record of it.
    pub(crate) fn at(&self) -> Watermark {
        Watermark::new(self.epoch, self.sequence)
    }

    /// What an operation got; `None` where it was left out.
    pub(crate) fn version_of(&self, operation: u32) -> Option<Version> {
        // Found and not walked to: a long batch with many refusals has as many runs, and is told of each
        // operation under the shard's lock.
        let at = self.versions.partition_point(|run| run.first + run.count <= operation);
        let run = self.versions.get(at).filter(|run| run.first <= operation)?;
        Some(run.version + Version::from(operation - run.first))
    }

    /// Why an operation was refused; `None` where it was not.
    pub(crate) fn refusal_of(&self, operation: u32) -> Option<Refusal> {
        let at = self.refused.binary_search_by_key(&operation, |refused| refused.operation).ok()?;
        self.refused.get(at)?.refusal()
    }

    fn refused_bytes(&self) -> usize {
        self.refused.iter().map(RefusedOperation::bytes).sum()
    }

    fn push(&mut self, operation: u32, version: Version) {
        match self.versions.last_mut() {
            Some(run)
                if run.first + run.count == operation
                    && run.version + Version::from(run.count) == version =>
            {
                run.count += 1;
            }
            _ => self.versions.push(VersionRun { first: operation, count: 1, version }),
        }
    }
}

/// The batches that are remembered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Batches {
    known: HashMap<BatchId, BatchOutcome>,
    /// Oldest first.
    order: VecDeque<BatchId>,
    /// How many are remembered.
    kept_max: usize,
    refused_bytes: usize,
    /// The highest position of a batch that is remembered no more.
    pub(crate) forgotten: LogPosition,
    /// The epochs of the logs before this one, whose documents and batches the shard has inherited: positions
    /// go on above them.
    pub(crate) epochs_before: u64,
}

/// What a shard remembers of batches, to be inherited by one that takes its place.
#[derive(Default)]
pub struct RememberedBatches {
    batches: Arc<Batches>,
    /// Behind all that the shard ever logged.
    position: LogPosition,
}

impl Batches {
    pub(crate) fn restore(
        kept: impl IntoIterator<Item = (BatchId, BatchOutcome)>,
        (forgotten, epochs_before): (LogPosition, u64),
    ) -> Self {
        let mut batches = Self { forgotten, epochs_before, ..Self::default() };
        for (id, outcome) in kept {
            batches.refused_bytes += outcome.refused_bytes();
            batches.order.push_back(id);
            batches.known.insert(id, outcome);
        }
        batches
    }

    /// From the next record on, this many are remembered.
    pub(crate) fn keep(&mut self, kept_max: usize) {
        self.kept_max = kept_max;
    }

    /// How a record of this log stands among all that were logged here and by those before.
    pub(crate) fn position_of(&self, at: Watermark) -> LogPosition {
        if at == Watermark::START && self.epochs_before > 0 {
            // Inherited: somewhere in the logs before.
            return LogPosition { epoch: self.epochs_before, slot: u64::MAX };
        }
        LogPosition { epoch: at.epoch + self.epochs_before, slot: at.sequence }
    }

    /// For one that takes this shard's place; `logged` is its last record.
    pub(crate) fn bequeath(self: &Arc<Self>, logged: Watermark) -> RememberedBatches {
        RememberedBatches { batches: Arc::clone(self), position: self.position_of(logged) }
    }

    /// Remembers what another did, whose documents are here, instead of anything else. Nobody need wait for
    /// its records any more.
    pub(crate) fn inherit(&mut self, from: &RememberedBatches) {
        let RememberedBatches { batches, position } = from;
        let settled = |outcome: &BatchOutcome| BatchOutcome { epoch: 0, sequence: 0, ..outcome.clone() };
        let known = batches.iter().map(|(id, outcome)| (id, settled(outcome)));
        let kept_max = self.kept_max;
        *self = Self::restore(known, (batches.forgotten, position.epoch));
        self.keep(kept_max);
    }

    pub(crate) fn get(&self, id: BatchId) -> Option<&BatchOutcome> {
        self.known.get(&id)
    }

    /// Oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (BatchId, &BatchOutcome)> {
        self.order.iter().filter_map(|id| Some((*id, self.known.get(id)?)))
    }

    /// A record of a batch has its place; `versions` are those of its operations, in order.
    pub(crate) fn note(&mut self, at: Watermark, span: &BatchSpan, versions: impl Iterator<Item = Version>) {
        let outcome = self.known.entry(span.id).or_insert_with(|| {
            self.order.push_back(span.id);
            let (versions, refused) = (Vec::new(), Vec::new());
            BatchOutcome { done: 0, total: span.total, epoch: 0, sequence: 0, versions, refused }
        });
        let is_covered = |operation: &u32| span.left_out.binary_search(operation).is_err();
        let covered = (span.first..span.done).filter(is_covered);
        covered.zip(versions).for_each(|(operation, version)| outcome.push(operation, version));
        self.refused_bytes += span.refused.iter().map(RefusedOperation::bytes).sum::<usize>();
        outcome.refused.extend(span.refused.iter().cloned());
        (outcome.done, outcome.epoch, outcome.sequence) = (span.done, at.epoch, at.sequence);
        self.forget_oldest();
    }

    fn forget_oldest(&mut self) {
        // The last one is the one that has just come: it is remembered however much that is.
        let is_too_much = |it: &Self| it.order.len() > it.kept_max || it.refused_bytes > REFUSED_BYTES_MAX;
        while self.order.len() > 1 && is_too_much(self) {
            let Some(oldest) = self.order.pop_front().and_then(|id| self.known.remove(&id)) else { continue };
            self.refused_bytes -= oldest.refused_bytes();
            self.forgotten = self.forgotten.max(self.position_of(oldest.at()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(id: u8, first: u32, done: u32, left_out: &[u32]) -> BatchSpan {
        let (id, left_out) = (BatchId([id; 16]), left_out.to_vec());
        BatchSpan { id, first, done, total: 9, left_out, refused: vec![] }
    }

    fn remembering(kept_max: usize) -> Batches {
        let mut batches = Batches::default();
        batches.keep(kept_max);
        batches
    }

    fn refused(operation: u32, message: String) -> RefusedOperation {
        let error = plan::Error::bad_request(message);
        let refusal = Refusal { kind: plan::RefusalKind::Add, of: "1".into(), error };
        RefusedOperation::of(operation, &refusal).unwrap()
    }

    #[test]
    fn operations_are_found_by_their_number() {
        let mut batches = remembering(9);
        let refusing = BatchSpan { refused: vec![refused(1, "no".into())], ..span(1, 0, 4, &[1]) };
        batches.note(Watermark::new(1, 1), &refusing, [10, 11, 12].into_iter());
        batches.note(Watermark::new(1, 3), &span(1, 4, 6, &[]), [20, 21].into_iter());
        let outcome = batches.get(BatchId([1; 16])).unwrap();
        assert_eq!((outcome.done, outcome.at()), (6, Watermark::new(1, 3)));
        let versions: Vec<_> = (0..7).map(|operation| outcome.version_of(operation)).collect();
        assert_eq!(versions, [Some(10), None, Some(11), Some(12), Some(20), Some(21), None]);
        let refusals: Vec<_> = (0..7).filter_map(|operation| outcome.refusal_of(operation)).collect();
        assert_eq!((refusals.len(), outcome.refusal_of(1)), (1, refusals.first().cloned()));
        let mut again =
            Batches::restore(batches.iter().map(|(id, it)| (id, it.clone())), (batches.forgotten, 0));
        again.keep(9);
        assert_eq!(again, batches);
    }

    #[test]
    fn the_oldest_are_forgotten_up_to_a_position() {
        let mut batches = remembering(3);
        for number in 1..=4 {
            batches.note(Watermark::new(1, number.into()), &span(number, 0, 1, &[]), [7].into_iter());
        }
        assert_eq!((batches.iter().count(), batches.forgotten), (3, LogPosition { epoch: 1, slot: 1 }));
    }

    #[test]
    fn what_is_inherited_is_older_than_all_that_comes() {
        let mut before = remembering(3);
        for number in 1..=4 {
            before.note(Watermark::new(5, number.into()), &span(number, 0, 1, &[]), [7].into_iter());
        }
        let seen = before.position_of(Watermark::new(5, 4));
        let mut batches = remembering(3);
        batches.inherit(&Arc::new(before).bequeath(Watermark::new(5, 4)));
        assert_eq!((batches.iter().count(), batches.forgotten), (3, LogPosition { epoch: 5, slot: 1 }));
        let position = batches.position_of(Watermark::START);
        assert!(position > seen && batches.position_of(Watermark::new(1, 1)) > position);
        batches.note(Watermark::new(1, 1), &span(9, 0, 1, &[]), [8].into_iter());
        assert!(batches.forgotten > seen, "the oldest that was inherited is forgotten");
    }

    #[test]
    fn refusals_are_remembered_as_far_as_there_is_memory_for_them() {
        let mut batches = remembering(1_000);
        for number in 1..=4 {
            let long = refused(0, "x".repeat(REFUSED_BYTES_MAX / 2));
            let span = BatchSpan { refused: vec![long], ..span(number, 0, 1, &[0]) };
            batches.note(Watermark::new(1, number.into()), &span, std::iter::empty());
        }
        assert_eq!((batches.iter().count(), batches.forgotten), (1, LogPosition { epoch: 1, slot: 3 }));
    }
}
