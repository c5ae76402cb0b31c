//! What a shard remembers of batches that have a name, as the protocol wants it: how far each came and what
//! its operations were told. Only a number of them is remembered, and of those that are not, up to which
//! position. The shard's own table (`core/batches`) is held against this one: naive, a map without eviction
//! by size in bytes.

use std::collections::{BTreeMap, VecDeque};

use plan::{ErrorKind, LogPosition, Version};

/// What an operation was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Done(Version),
    Refused(ErrorKind),
}

/// What is remembered of a batch.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// Behind the last operation that is dealt with.
    pub done: usize,
    at: LogPosition,
    /// Operations without one were passed over.
    pub answers: BTreeMap<usize, Answer>,
}

#[derive(Clone, Debug, Default)]
pub struct Memory {
    known: BTreeMap<usize, Remembered>,
    order: VecDeque<usize>,
    pub forgotten: LogPosition,
}

impl Memory {
    pub fn get(&self, batch: usize) -> Option<&Remembered> {
        self.known.get(&batch)
    }

    /// A record of a batch is in the log.
    pub fn note(
        &mut self,
        batch: usize,
        at: LogPosition,
        done: usize,
        answers: &[(usize, Answer)],
        most: usize,
    ) {
        let known = self.known.entry(batch).or_insert_with(|| {
            self.order.push_back(batch);
            Remembered { done: 0, at, answers: BTreeMap::new() }
        });
        (known.done, known.at) = (done, at);
        known.answers.extend(answers.iter().cloned());
        while self.order.len() > most {
            let oldest = self.order.pop_front().and_then(|batch| self.known.remove(&batch));
            self.forgotten = self.forgotten.max(oldest.map_or(LogPosition::default(), |it| it.at));
        }
    }
}
