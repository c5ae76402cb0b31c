//! Which segment file was read again last, which is next and when, and which of them are damaged; when the
//! next document is compared with its index, and which segments were found wrong. Read and judged they are in
//! `life/scrub.rs`.

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
}

impl Scrub {
    /// The file behind the last one, in a circle.
    pub(crate) fn next(&mut self, files: &[SegmentFile]) -> Option<SegmentFile> {
        let behind = files.iter().find(|file| self.last.as_ref().is_none_or(|last| file.name > *last));
        let next = behind.or(files.first()).cloned();
        self.last = next.as_ref().map(|file| file.name.clone());
        next
    }
}
