//! The documents of one term as bits, read where they lie in the mapped file (`dense_terms`): a word at a
//! time for what combines them, one by one for a cursor over postings. Which terms have bits, and where in
//! the file, is `dense_terms.rs`. Bits are as of the segment's making: dead documents are among them.

use tantivy::DocId;
use tantivy::directory::OwnedBytes;

use crate::segment::bits::words_of;

/// The documents of one term, one bit each.
pub(crate) struct TermBits(OwnedBytes);

impl TermBits {
    /// Whole words, one bit a document, least significant first.
    pub(crate) fn new(bytes: OwnedBytes) -> Self {
        Self(bytes)
    }

    #[inline]
    pub(crate) fn contains(&self, doc: DocId) -> bool {
        self.0.as_slice().get((doc / 8) as usize).is_some_and(|byte| byte >> (doc % 8) & 1 == 1)
    }

    /// How many documents of a range are among them.
    #[inline]
    pub(crate) fn count(&self, range: std::ops::Range<DocId>) -> u32 {
        let (first, last) = (range.start / 64, range.end / 64);
        let word = |at: u32| {
            let bytes = self.0.as_slice().get(at as usize * 8..at as usize * 8 + 8);
            bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
        };
        let below = |end: u32| word(end / 64) & ((1 << (end % 64)) - 1);
        let whole: u32 = (first..last).map(|at| word(at).count_ones()).sum();
        whole + below(range.end).count_ones() - below(range.start).count_ones()
    }

    /// The words from document `from` on, a multiple of 64.
    fn words(&self, from: DocId) -> impl Iterator<Item = u64> + '_ {
        words_of(self.0.as_slice().get((from / 8) as usize..).unwrap_or(&[]))
    }

    /// Adds them to `words`, whose first bit is document `from`, a multiple of 64.
    pub(crate) fn add_words(&self, from: DocId, words: &mut [u64]) {
        words.iter_mut().zip(self.words(from)).for_each(|(word, own)| *word |= own);
    }

    /// Clears in `words`, whose first bit is document `from`, what is not among them.
    pub(crate) fn keep_common(&self, from: DocId, words: &mut [u64]) {
        let mut own = self.words(from);
        words.iter_mut().for_each(|word| *word &= own.next().unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_counts_its_own() {
        let mut bytes = vec![0u8; 32];
        let docs = [0u32, 3, 63, 64, 100, 127, 128, 200, 255];
        docs.iter().for_each(|doc| bytes[*doc as usize / 8] |= 1 << (doc % 8));
        let bits = TermBits(OwnedBytes::new(bytes));
        for start in 0..=256u32 {
            for end in start..=256 {
                let wanted = docs.iter().filter(|doc| (start..end).contains(doc)).count();
                assert_eq!(bits.count(start..end) as usize, wanted, "{start}..{end}");
            }
        }
    }
}
