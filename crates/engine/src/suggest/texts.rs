//! Many short byte strings in one piece of memory, by number; sorted, they are a dictionary.

use std::ops::Range;

#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Empty where there is none.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// As text.
    pub(super) fn text(&self, number: usize) -> String {
        String::from_utf8_lossy(self.get(number)).into_owned()
    }

    /// Of sorted texts, the number of this one.
    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        let at = self.first(0..self.len(), |known| known >= text);
        (at < self.len() && self.get(at) == text).then_some(at)
    }

    /// Of sorted texts, those that begin so.
    pub(super) fn begin_with(&self, prefix: &[u8]) -> Range<usize> {
        let start = self.first(0..self.len(), |known| known >= prefix);
        let end = self.first(start..self.len(), |known| !known.starts_with(prefix));
        start..end
    }

    /// The first in a range from which on `test` holds, or the range's end.
    pub(super) fn first(&self, range: Range<usize>, test: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if test(self.get(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// As [`Texts::first`], where the place looked for is likely to be near the range's start.
    pub(super) fn first_near(&self, range: Range<usize>, test: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut step) = (range.start, 1);
        loop {
            let next = low.saturating_add(step).min(range.end);
            if next == range.end || test(self.get(next)) {
                return self.first(low..next, test);
            }
            (low, step) = (next, step * 2);
        }
    }

    pub(super) fn size(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}
