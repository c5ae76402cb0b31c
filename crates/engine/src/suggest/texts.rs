//! Many short byte strings in one piece of memory, by number. Suggesters keep entries and keys so: four bytes
//! and no allocation for each, and a search by halves where they are sorted. Filled once, when a suggester is
//! built, and only read afterwards; what a number means is its owner's.

use std::ops::Range;

/// At most 4 GiB of them: a suggester's [`super::entries::SuggesterSize`] is smaller.
#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Texts {
    pub(super) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// Once all are in.
    pub(super) fn shrink(mut self) -> Self {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Empty where there is none.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        self.bytes.get(part(&self.ends, number)).unwrap_or_default()
    }

    /// As text.
    pub(super) fn text(&self, number: usize) -> String {
        String::from_utf8_lossy(self.get(number)).into_owned()
    }

    /// Of sorted texts, the first in a range from which on `test` holds, or the range's end.
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
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// The part `at` of something whose parts end at `ends`.
pub(super) fn part(ends: &[u32], at: usize) -> Range<usize> {
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    let end = ends.get(at).copied().unwrap_or(start);
    start as usize..end as usize
}
