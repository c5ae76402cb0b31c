//! Which files the log has, up to which record each goes, and how many of their bytes a replay would still
//! read. Decides what `trim` may delete; deletes nothing itself.
//!
//! In: the files found at opening, then each record as it is appended; out: the files to remove, and the
//! length by which the engine tells that a flush is due. All of it is in memory, under the log's lock.

use crate::contract::Watermark;
use crate::log::folder::Link;
use crate::log::format::FileId;

/// Positions are remembered this far apart, in bytes.
const MARK_BYTES: u64 = 64 << 10;

struct Stored {
    id: FileId,
    /// The last record in it.
    last: Watermark,
    /// Bytes up to the end of the last record.
    end: u64,
    /// Some records and the offset behind each, ascending.
    marks: Vec<(Watermark, u64)>,
}

pub(crate) struct Shelf {
    files: Vec<Stored>,
    trimmed: Watermark,
}

impl Shelf {
    /// The files found at opening, of a log that ends at `end`.
    pub(crate) fn new(links: &[Link], end: Watermark) -> Self {
        let last_of = |at: usize| {
            let later = links.get(at + 1..).unwrap_or_default();
            later.iter().find_map(|link| link.header).map_or(end, |header| header.previous.at)
        };
        let stored = |(at, link): (usize, &Link)| {
            let end = if link.header.is_some() { link.size } else { 0 };
            Stored { id: link.id, last: last_of(at), end, marks: Vec::new() }
        };
        Self { files: links.iter().enumerate().map(stored).collect(), trimmed: Watermark::START }
    }

    pub(crate) fn begin(&mut self, id: FileId) {
        let last = self.files.last().map_or(Watermark::START, |stored| stored.last);
        self.files.push(Stored { id, last, end: 0, marks: Vec::new() });
    }

    /// The newest file ends at `end` with record `sequence`.
    pub(crate) fn mark(&mut self, sequence: u64, end: u64) {
        let Some(stored) = self.files.last_mut() else { return };
        stored.last = Watermark::new(stored.id.epoch, sequence);
        stored.end = end;
        if end >= stored.marks.last().map_or(0, |(_, offset)| *offset) + MARK_BYTES {
            stored.marks.push((stored.last, end));
        }
    }

    /// Takes off the files that hold nothing above `upto`, oldest first. The newest file whose header is
    /// durable stays: it is what the next one chains to.
    pub(crate) fn trim(&mut self, upto: Watermark, durable: Watermark) -> Vec<FileId> {
        self.trimmed = self.trimmed.max(upto);
        let anchor = self.files.iter().rposition(|stored| stored.id.first() <= durable).unwrap_or(0);
        let kept = self.files.iter().position(|stored| stored.last > upto).unwrap_or(self.files.len());
        self.files.drain(..kept.min(anchor)).map(|stored| stored.id).collect()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|stored| stored.bytes_above(self.trimmed)).sum()
    }
}

impl Stored {
    fn bytes_above(&self, trimmed: Watermark) -> u64 {
        if self.last <= trimmed {
            return 0;
        }
        let known = self.marks.partition_point(|(at, _)| *at <= trimmed);
        let below = known.checked_sub(1).and_then(|at| self.marks.get(at)).map_or(0, |(_, offset)| *offset);
        self.end.saturating_sub(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> Shelf {
        let mut shelf = Shelf::new(&[], Watermark::START);
        for (base, last) in [(1, 3), (4, 6), (7, 9)] {
            shelf.begin(FileId { epoch: 1, base });
            (base..=last).for_each(|sequence| shelf.mark(sequence, (sequence - base + 1) * MARK_BYTES));
        }
        shelf
    }

    #[test]
    fn trim_takes_whole_files_and_never_the_anchor() {
        let check = |upto: u64, durable: u64, removed: &[u64], chunks_left: u64| {
            let mut shelf = shelf();
            let ids = shelf.trim(Watermark::new(1, upto), Watermark::new(1, durable));
            assert_eq!(ids.iter().map(|id| id.base).collect::<Vec<_>>(), removed, "upto {upto} of {durable}");
            assert_eq!(shelf.bytes(), chunks_left * MARK_BYTES, "upto {upto} of {durable}");
        };
        check(0, 9, &[], 9);
        check(2, 9, &[], 7);
        check(3, 9, &[1], 6);
        check(8, 9, &[1, 4], 1);
        check(9, 9, &[1, 4], 0);
        check(6, 6, &[1], 3);
    }
}
