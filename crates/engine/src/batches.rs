//! Batches that have a name, by which they are known when they are sent again: how far each has come, and which versions its
//! operations got. Kept with the log's records and the manifest, so that a restart forgets none of them; the oldest go first.

use std::collections::{HashMap, VecDeque};

use plan::{BatchId, Version};
use serde::{Deserialize, Serialize};
use store::Watermark;

/// Batches that are remembered.
const KEPT: usize = 1_000;

/// What a log record says of the batch that its operations are of. Operations are counted from 0 in the order of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchSpan {
    pub(crate) id: BatchId,
    /// The first operation that no earlier record covers.
    pub(crate) first: u32,
    /// Behind the last operation that is covered.
    pub(crate) done: u32,
    pub(crate) total: u32,
    /// Those between that the record does not hold: passed over, refused, or not of the log.
    pub(crate) left_out: Vec<u32>,
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
        let run = self.versions.iter().find(|run| (run.first..run.first + run.count).contains(&operation))?;
        Some(run.version + Version::from(operation - run.first))
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
    /// The highest record of a batch that is remembered no more.
    pub(crate) forgotten: Watermark,
}

impl Batches {
    pub(crate) fn restore(
        kept: impl IntoIterator<Item = (BatchId, BatchOutcome)>,
        forgotten: Watermark,
    ) -> Self {
        let mut batches = Self { forgotten, ..Self::default() };
        for (id, outcome) in kept {
            batches.order.push_back(id);
            batches.known.insert(id, outcome);
        }
        batches
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
            BatchOutcome { done: 0, total: span.total, epoch: 0, sequence: 0, versions: Vec::new() }
        });
        let covered = (span.first..span.done).filter(|operation| !span.left_out.contains(operation));
        covered.zip(versions).for_each(|(operation, version)| outcome.push(operation, version));
        (outcome.done, outcome.epoch, outcome.sequence) = (span.done, at.epoch, at.sequence);
        self.forget_oldest();
    }

    fn forget_oldest(&mut self) {
        while self.order.len() > KEPT {
            let oldest = self.order.pop_front().and_then(|id| self.known.remove(&id));
            self.forgotten = self.forgotten.max(oldest.map_or(Watermark::START, |it| it.at()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(id: u8, first: u32, done: u32, left_out: &[u32]) -> BatchSpan {
        BatchSpan { id: BatchId([id; 16]), first, done, total: 9, left_out: left_out.to_vec() }
    }

    #[test]
    fn operations_are_found_by_their_number() {
        let mut batches = Batches::default();
        batches.note(Watermark::new(1, 1), &span(1, 0, 4, &[1]), [10, 11, 12].into_iter());
        batches.note(Watermark::new(1, 3), &span(1, 4, 6, &[]), [20, 21].into_iter());
        let outcome = batches.get(BatchId([1; 16])).unwrap();
        assert_eq!((outcome.done, outcome.at()), (6, Watermark::new(1, 3)));
        let versions: Vec<_> = (0..7).map(|operation| outcome.version_of(operation)).collect();
        assert_eq!(versions, [Some(10), None, Some(11), Some(12), Some(20), Some(21), None]);
        let again = Batches::restore(batches.iter().map(|(id, it)| (id, it.clone())), batches.forgotten);
        assert_eq!(again, batches);
    }

    #[test]
    fn the_oldest_are_forgotten_up_to_a_position() {
        let mut batches = Batches::default();
        for number in 0..=KEPT as u64 {
            let id = BatchId(u128::from(number).to_be_bytes());
            let span = BatchSpan { id, ..span(0, 0, 1, &[]) };
            batches.note(Watermark::new(1, number + 1), &span, [7].into_iter());
        }
        assert_eq!((batches.iter().count(), batches.forgotten), (KEPT, Watermark::new(1, 1)));
    }
}
