//! The medium of a shard in memory: what it holds, what is on its way to it, what is to fail next, and who
//! owns it. Owns the rule that whoever changes it is asked first which opening of which life it is; `log` and
//! `files` say what they change.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::contract::Watermark;
use crate::{Error, ErrorKind, Result, SegmentBytes};

/// What becomes of the next group of records that is offered. `waits` are those that end with `Unknown`
/// meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is there, and the answer comes late.
    AnsweredLate { waits: u32 },
    /// It is on its way; a new owner may come before it.
    Delayed { waits: u32 },
    /// No answer ever comes: this opening's log is over. It landed, or it did not.
    Failed { landed: bool },
}

/// What was reached, to know that a test tested something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    pub groups: u64,
    pub answered_late: u64,
    pub delayed: u64,
    pub failed: u64,
    /// Groups and publications that met a newer owner.
    pub deposed: u64,
    pub lost_on_the_way: u64,
    pub full: u64,
    /// Publications that were not answered.
    pub unpublished: u64,
    /// Publications that were made again, and had landed.
    pub published_again: u64,
    /// Crashes between two changes of the medium.
    pub deaths: u64,
}

/// The medium of one shard, shared by its openings.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Medium>>);

#[derive(Default)]
pub(super) struct Medium {
    /// The newest opening.
    pub(super) epoch: u64,
    /// Counts crashes: what was opened before one reaches nothing any more.
    pub(super) life: u64,
    pub(super) records: VecDeque<(Watermark, Vec<u8>)>,
    pub(super) trimmed: Watermark,
    pub(super) last: Watermark,
    /// Groups under way, which may land after the crash of their opening.
    pub(super) under_way: Vec<Vec<(Watermark, Vec<u8>)>>,
    pub(super) manifests: Vec<(u64, Vec<u8>)>,
    /// A publication under way, which may land after the crash of its opening.
    pub(super) manifest_under_way: Option<(u64, Vec<u8>)>,
    /// Whether the next publication, which is not answered, lands.
    pub(super) unanswered_publication: Option<bool>,
    pub(super) segments: BTreeMap<String, SegmentBytes>,
    pub(super) fates: VecDeque<Fate>,
    /// How often it was calmed: what was under way by then is answered.
    pub(super) calms: u64,
    /// Bytes that it still takes; `None` without a limit.
    pub(super) left: Option<usize>,
    /// Changes until the process dies; `None` when it does not.
    pub(super) changes_left: Option<u32>,
    pub(super) counts: MemoryCounts,
}

impl Shared {
    pub(super) fn medium(&self) -> MutexGuard<'_, Medium> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Medium {
    /// Takes the space for this many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Result<()> {
        self.check_room(bytes)?;
        self.left = self.left.map(|left| left - bytes);
        Ok(())
    }

    pub(super) fn check_room(&mut self, bytes: usize) -> Result<()> {
        if self.left.is_none_or(|left| bytes <= left) {
            return Ok(());
        }
        self.counts.full += 1;
        Err(Error::new(ErrorKind::Full, "the memory's limit is reached; lift it"))
    }

    pub(super) fn land(&mut self, group: Vec<(Watermark, Vec<u8>)>) {
        for (at, record) in group {
            self.last = at;
            self.records.push_back((at, record));
        }
    }
}

/// Which opening of which life.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) epoch: u64,
    pub(super) life: u64,
}

impl Opening {
    /// Whoever changes the medium asks this first.
    pub(super) fn check(self, medium: &mut Medium) -> Result<()> {
        self.check_newest(medium)?;
        match &mut medium.changes_left {
            None => Ok(()),
            Some(0) => Err(Error::new(ErrorKind::Deposed, "the process is dead")),
            Some(left) => {
                *left -= 1;
                medium.counts.deaths += u64::from(*left == 0);
                Ok(())
            }
        }
    }

    /// The same of whoever changes nothing.
    pub(super) fn check_newest(self, medium: &mut Medium) -> Result<()> {
        if (medium.epoch, medium.life) == (self.epoch, self.life) {
            return Ok(());
        }
        medium.counts.deposed += 1;
        let message = format!("epoch {} was deposed by epoch {}", self.epoch, medium.epoch);
        Err(Error::new(ErrorKind::Deposed, message))
    }
}
