//! What befalls a shard between updates, in random histories: refreshes, flushes, merges, and how a process
//! ends.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
pub(super) enum Upkeep {
    Refresh,
    Flush,
    FlushQuietly,
    Merge,
    MergeAll,
    Reopen,
    Kill,
}

/// Refreshes most often, ends of the process seldom.
pub(super) fn upkeep() -> impl Strategy<Value = Upkeep> {
    prop_oneof![
        4 => Just(Upkeep::Refresh),
        2 => Just(Upkeep::Flush),
        2 => Just(Upkeep::FlushQuietly),
        3 => Just(Upkeep::Merge),
        1 => Just(Upkeep::MergeAll),
        1 => Just(Upkeep::Reopen),
        1 => Just(Upkeep::Kill),
    ]
}

impl Upkeep {
    /// Whether searches see all updates behind it.
    pub(super) fn shows_all(self) -> bool {
        !matches!(self, Upkeep::FlushQuietly | Upkeep::Merge)
    }

    /// The shard behind it: another opening, where the process ended.
    pub(super) fn befall(self, site: &Site, shard: Arc<Shard>) -> Arc<Shard> {
        match self {
            Upkeep::Refresh => refresh(&shard),
            Upkeep::Flush => flush(&shard),
            Upkeep::FlushQuietly => {
                shard.commit(&Commit { open_searcher: false, ..Commit::HARD }).unwrap();
            }
            Upkeep::Merge => drop(shard.core().merge_once().unwrap()),
            Upkeep::MergeAll => shard.commit(&Commit { max_segments: Some(1), ..Commit::SOFT }).unwrap(),
            Upkeep::Reopen => shard.close().unwrap(),
            Upkeep::Kill => site.disk.kill(),
        }
        if !matches!(self, Upkeep::Reopen | Upkeep::Kill) {
            return shard;
        }
        drop(shard);
        site.open()
    }
}
