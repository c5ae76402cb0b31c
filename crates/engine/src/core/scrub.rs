//! Which segment file was read again last, which is next and when, and which of them are damaged; which were
//! lost when the shard was opened, and when they are looked at again; when the next document is
//! compared with its index, and which segments were found wrong. Read and judged they are in `life/scrub.rs`.

use std::collections::{BTreeMap, BTreeSet};

use store::SegmentFile;

use crate::sampling::IndexDifference;

/// Where the scrub stands.
#[derive(Debug, Default)]
pub(crate) struct Scrub {
    /// When the next file is due; `None` before the first look.
    pub(crate) due_ms: Option<i64>,
    /// The file that was read last.
    last: Option<String>,
    /// What no copy could mend.
    pub(crate) damaged: BTreeSet<String>,
    /// When the next document is due; `None` before the first look.
    pub(crate) sample_due_ms: Option<i64>,
    /// Documents compared so far.
    pub(crate) samples: u32,
    /// Of each segment that says otherwise than its documents, what was found first.
    pub(crate) wrong: BTreeMap<String, IndexDifference>,
    pub(crate) lost: LostFiles,
}

/// The files that were whole nowhere when the shard was opened, so that segments were left out: whoever has
/// them may have been out of reach, or bring them back.
#[derive(Debug, Default)]
pub(crate) struct LostFiles {
    /// Those that are not back yet.
    files: Vec<SegmentFile>,
    /// When they are looked at next; `None` before the first look, and of a shard that lacks none.
    due_ms: Option<i64>,
    pause_ms: i64,
    /// All of them are back.
    are_back: bool,
}

impl LostFiles {
    /// Each look reads what is damaged whole, so that they come less and less often.
    const PAUSE_MS_FIRST: i64 = 10_000;
    const PAUSE_MS_MAX: i64 = 3_600_000;

    fn new(files: Vec<SegmentFile>) -> Self {
        Self { files, ..Self::default() }
    }

    /// Those to be looked at, where that is due.
    pub(crate) fn due(&mut self, now_ms: i64) -> Vec<SegmentFile> {
        if self.files.is_empty() {
            return Vec::new();
        }
        let due_ms = *self.due_ms.get_or_insert_with(|| now_ms.saturating_add(Self::PAUSE_MS_FIRST));
        if due_ms > now_ms {
            return Vec::new();
        }
        self.pause_ms = (self.pause_ms * 2).clamp(Self::PAUSE_MS_FIRST, Self::PAUSE_MS_MAX);
        self.due_ms = Some(now_ms.saturating_add(self.pause_ms));
        self.files.clone()
    }

    /// What a look found.
    pub(crate) fn note_missing(&mut self, missing: Vec<SegmentFile>) {
        self.files = missing;
        self.are_back = self.files.is_empty();
    }

    pub(crate) fn are_back(&self) -> bool {
        self.are_back
    }
}

impl Scrub {
    /// Of a shard that was opened without these files.
    pub(crate) fn new(lost: Vec<SegmentFile>) -> Self {
        Self { lost: LostFiles::new(lost), ..Self::default() }
    }

    /// The file behind the last one, in a circle.
    pub(crate) fn next(&mut self, files: &[SegmentFile]) -> Option<SegmentFile> {
        let behind = files.iter().find(|file| self.last.as_ref().is_none_or(|last| file.name > *last));
        let next = behind.or(files.first()).cloned();
        self.last = next.as_ref().map(|file| file.name.clone());
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_files_are_looked_at_less_and_less_often() {
        let file = SegmentFile { name: "a1.store".into(), size: 1, crc32: 1 };
        let mut lost = LostFiles::new(vec![file.clone()]);
        let mut looks = Vec::new();
        for now_ms in (0..20_000_000).step_by(10_000) {
            if !lost.due(now_ms).is_empty() {
                looks.push(now_ms / 1_000);
                lost.note_missing(vec![file.clone()]);
            }
        }
        assert_eq!(
            looks,
            [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 8_720, 12_320, 15_920, 19_520]
        );
        assert!(!lost.are_back());
        lost.note_missing(vec![]);
        assert!(lost.are_back() && lost.due(i64::MAX).is_empty());
        assert!(!LostFiles::new(vec![]).are_back(), "nothing was lost");
    }
}
