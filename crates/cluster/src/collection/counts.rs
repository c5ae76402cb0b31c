//! What updates did to a collection since it was opened, counted from their outcomes. What the shard does by
//! itself, automatic commits and merges, the shard counts.
//!
//! In: each batch and its outcome, with the snapshot that its end saw; out: sums for status pages and
//! metrics, altogether and since searches last saw something new. Lost with the process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use plan::{ErrorKind, Operation, UpdateBatch, UpdateOutcome};

/// How much of each there was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub adds: u64,
    pub deletes_by_id: u64,
    pub deletes_by_query: u64,
    pub errors: u64,
    pub commits: u64,
    pub optimizes: u64,
    pub expunge_deletes: u64,
    pub rollbacks: u64,
}

/// What is counted, altogether and since searches last saw something new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateCounts {
    pub all: Counted,
    pub current: Counted,
}

impl Counted {
    /// What a batch asks beside documents.
    pub(super) fn asked(batch: &UpdateBatch) -> Self {
        let mut asked = Self::default();
        for operation in &batch.operations {
            match operation {
                Operation::Commit(commit) => {
                    let commits =
                        if commit.max_segments.is_some() { &mut asked.optimizes } else { &mut asked.commits };
                    *commits += 1;
                    asked.expunge_deletes += u64::from(commit.expunge_deletes);
                }
                Operation::Rollback => asked.rollbacks += 1,
                _ => {}
            }
        }
        asked
    }

    /// With what became of the documents.
    pub(super) fn done(self, outcome: &UpdateOutcome) -> Self {
        let UpdateOutcome { added, deleted, deleted_by_query, refused, failure } = outcome;
        if failure.as_ref().is_some_and(|failure| failure.kind == ErrorKind::SchemaChanged) {
            // Nothing was done, its commits included: the batch comes again.
            return Self::default();
        }
        Self {
            adds: added.len() as u64,
            deletes_by_id: deleted.len() as u64,
            deletes_by_query: deleted_by_query.len() as u64,
            errors: refused.len() as u64 + u64::from(failure.is_some()),
            ..self
        }
    }

    fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        let Self {
            adds,
            deletes_by_id,
            deletes_by_query,
            errors,
            commits,
            optimizes,
            expunge_deletes,
            rollbacks,
        } = self;
        Self {
            adds: with(adds, other.adds),
            deletes_by_id: with(deletes_by_id, other.deletes_by_id),
            deletes_by_query: with(deletes_by_query, other.deletes_by_query),
            errors: with(errors, other.errors),
            commits: with(commits, other.commits),
            optimizes: with(optimizes, other.optimizes),
            expunge_deletes: with(expunge_deletes, other.expunge_deletes),
            rollbacks: with(rollbacks, other.rollbacks),
        }
    }
}

/// All that was counted, and what of it was before the present snapshot.
#[derive(Default)]
pub(super) struct Counts {
    inner: Mutex<Inner>,
    /// The snapshot of the last update, so that most updates need not look further.
    seen: AtomicU64,
}

#[derive(Default)]
struct Inner {
    all: Counted,
    before: Counted,
}

impl Counts {
    /// After an update whose end saw the snapshot of this number: what made it visible counts it as seen.
    pub fn add(&self, done: &Counted, snapshot: u64) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let all = inner.all.zip(*done, |all, more| all + more);
        if self.seen.swap(snapshot, Ordering::Relaxed) != snapshot {
            // A commit in the batch shows the batch as well.
            inner.before = if done.commits + done.optimizes > 0 { all } else { inner.all };
        }
        inner.all = all;
    }

    pub fn read(&self, snapshot: u64) -> UpdateCounts {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let before = if self.seen.load(Ordering::Relaxed) == snapshot { inner.before } else { inner.all };
        UpdateCounts { all: inner.all, current: inner.all.zip(before, u64::saturating_sub) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_searches_do_not_see_is_current() {
        let counts = Counts::default();
        let check = |done: Option<(u64, u64)>, snapshot: u64, expected: [u64; 2]| {
            if let Some((adds, commits)) = done {
                counts.add(&Counted { adds, commits, ..Counted::default() }, snapshot);
            }
            let read = counts.read(snapshot);
            assert_eq!([read.all.adds, read.current.adds], expected, "{done:?} at {snapshot}");
        };
        check(Some((2, 0)), 0, [2, 2]);
        check(Some((1, 0)), 0, [3, 3]);
        check(None, 1, [3, 0]);
        check(Some((4, 0)), 1, [7, 4]);
        check(Some((1, 1)), 2, [8, 0]);
        check(Some((1, 0)), 2, [9, 1]);
    }
}
