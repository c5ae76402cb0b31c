//! Bugs that are planted on purpose, with the feature `seeded-bugs` alone: a simulation that does not find
//! each of them tests nothing. Without the feature none of this is compiled in. Each variant stands where the
//! rule is kept, as a condition around it, so that the rule and its loss are read together.

#[cfg(feature = "seeded-bugs")]
use std::sync::atomic::{AtomicU8, Ordering};

/// A rule that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SeededBug {
    /// Updates are acknowledged before the log holds them.
    EarlyAck = 1,
    /// A refresh shows what the log may still lose.
    VisibleBeforeDurable,
    /// A get tells what the log may still lose.
    GetBeforeDurable,
    /// A manifest does not name the batches that are remembered.
    LostBatchIds,
    /// An owner that learned of another goes on answering.
    DeposedServes,
    /// Of a batch it is not remembered what was refused.
    ForgottenRefusals,
    /// Of a batch a delete by query that found nothing is not remembered.
    ForgottenDeleteByQuery,
    /// A refresh, though no flush, shows what the log may still lose.
    RefreshSkipsWait,
    /// Who begins to wait for the log without a thread wakes nobody to write it.
    LostWake,
    /// An opening forgets which versions were given, but for those in the log.
    ForgottenVersions,
}

#[cfg(feature = "seeded-bugs")]
static PLANTED: AtomicU8 = AtomicU8::new(0);

/// Plants a bug in every shard of this process, in place of another.
#[cfg(feature = "seeded-bugs")]
pub fn plant(bug: Option<SeededBug>) {
    PLANTED.store(bug.map_or(0, |bug| bug as u8), Ordering::Relaxed);
}

impl SeededBug {
    #[cfg(feature = "seeded-bugs")]
    pub(crate) fn is_planted(self) -> bool {
        PLANTED.load(Ordering::Relaxed) == self as u8
    }

    #[cfg(not(feature = "seeded-bugs"))]
    pub(crate) const fn is_planted(self) -> bool {
        false
    }
}
