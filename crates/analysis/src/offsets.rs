//! The way back from a text that a char filter changed to the text it was given. A map is a list of points:
//! from each on, offsets differ by a constant. Inside a replaced piece an offset falls on the start of a
//! character of the original, so that highlighting never cuts one in half.

use crate::token::offset;

/// A changed text and the way back.
#[derive(Debug, Default)]
pub(crate) struct Filtered {
    pub(crate) text: String,
    pub(crate) offsets: OffsetMap,
}

/// Points of a changed text at which the distance to the original changes.
#[derive(Debug, Default)]
pub(crate) struct OffsetMap {
    points: Vec<(u32, i64)>,
}

impl OffsetMap {
    /// The original offset of an offset in the changed text.
    pub(crate) fn correct(&self, changed: u32) -> u32 {
        let index = self.points.partition_point(|(from, _)| *from <= changed);
        let distance = index.checked_sub(1).and_then(|last| self.points.get(last)).map_or(0, |point| point.1);
        u32::try_from(i64::from(changed) + distance).unwrap_or(0)
    }

    fn push(&mut self, changed: usize, original: usize) {
        let distance = original as i64 - changed as i64;
        let from = offset(changed);
        match self.points.last_mut() {
            Some(last) if last.0 == from => last.1 = distance,
            Some(last) if last.1 == distance => {}
            None if distance == 0 => {}
            _ => self.points.push((from, distance)),
        }
    }
}

/// Builds a changed text piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Rewriter {
    filtered: Filtered,
    read: usize,
}

impl Rewriter {
    /// A piece that stays as it is.
    pub(crate) fn keep(&mut self, piece: &str) {
        self.filtered.text.push_str(piece);
        self.read += piece.len();
    }

    /// A piece of the original and what takes its place. Characters pair up from the left; those that the
    /// replacement has more fall on the last one of the original, as in Lucene's mapping char filter.
    pub(crate) fn replace(&mut self, original: &str, replacement: &str) {
        let start = self.filtered.text.len();
        let mut starts: Vec<usize> = original.char_indices().map(|(at, _)| self.read + at).collect();
        let last = starts.last().copied().unwrap_or(self.read);
        starts.reverse();
        for (at, _) in replacement.char_indices() {
            let target = starts.pop().unwrap_or(last);
            self.filtered.offsets.push(start + at, target);
        }
        self.filtered.text.push_str(replacement);
        self.read += original.len();
        self.filtered.offsets.push(self.filtered.text.len(), self.read);
    }

    /// The changed text.
    pub(crate) fn finish(self) -> Filtered {
        self.filtered
    }
}
