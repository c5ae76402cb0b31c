//! Which segment file was read again last, which is next and when, and which of them are damaged. Read and
//! judged they are in `life/scrub.rs`.

use std::collections::BTreeSet;

use store::SegmentFile;

/// Where the scrub stands.
#[derive(Debug, Default)]
pub(crate) struct Scrub {
    /// When the next file is due; `None` before the first look.
    pub(crate) due_ms: Option<i64>,
    /// The file that was read last.
    last: Option<String>,
    /// What no copy could mend.
    pub(crate) damaged: BTreeSet<String>,
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
