//! What a skip entry tells of a block of postings: where it ends, and what its best document is.
//!
//! In: the bytes of one entry, whose form follows from what the field records; out: the last document, the
//! widths of the packed numbers, and the pair of norm and frequency from which `search/terms` makes the
//! block's bound. The rest of a term's postings that fills no block has no entry, and nothing is known
//! of it but that.

use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, TERMINATED};

/// A norm and a frequency that stand in one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) norm: u8,
    pub(crate) freq: u32,
}

/// What is known of a block without decoding it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkipEntry {
    /// The pair that scored best when the block was written, if the writer knew lengths.
    pub(crate) best: Option<Pair>,
    /// No document of the block has a greater frequency.
    pub(crate) freq_max: u32,
    pub(crate) extent: Extent,
}

/// Where a block ends, among the documents and in the files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) last: DocId,
    pub(crate) doc_bits: u8,
    pub(crate) freq_bits: u8,
    /// Sum of the block's frequencies, where positions are kept.
    pub(crate) freq_sum: u32,
}

impl SkipEntry {
    /// The last document of the block; [`TERMINATED`] for the rest that fills no block.
    #[inline]
    pub(crate) fn last(&self) -> DocId {
        self.extent.last
    }
}

/// What the entries of a field hold, by what it records.
#[derive(Clone, Copy)]
pub(crate) struct EntryForm {
    pub(crate) has_freqs: bool,
    has_positions: bool,
}

impl EntryForm {
    pub(crate) fn of(option: IndexRecordOption) -> Self {
        Self { has_freqs: option.has_freq(), has_positions: option.has_positions() }
    }

    /// Bytes of an entry.
    #[inline]
    pub(crate) fn size(self) -> usize {
        match (self.has_freqs, self.has_positions) {
            (false, _) => 5,
            (true, false) => 8,
            (true, true) => 12,
        }
    }

    /// For the rest that fills no block, and has no entry.
    #[inline]
    pub(crate) fn tail(self) -> SkipEntry {
        let freq_max = if self.has_freqs { u32::MAX } else { 1 };
        let extent = Extent { last: TERMINATED, doc_bits: 0, freq_bits: 0, freq_sum: 0 };
        SkipEntry { best: None, freq_max, extent }
    }

    #[inline]
    pub(crate) fn entry(self, bytes: &[u8]) -> Option<SkipEntry> {
        let extent = self.extent(bytes)?;
        if !self.has_freqs {
            return Some(SkipEntry { best: None, freq_max: 1, extent });
        }
        let &[.., norm, freq] = bytes else { return None };
        // A frequency of 0 was never seen: nothing was computed. 255 stands for any above.
        let freq = if freq == u8::MAX { u32::MAX } else { u32::from(freq) };
        let best = (freq > 0).then_some(Pair { norm, freq });
        let freq_max = 1u32.checked_shl(u32::from(extent.freq_bits)).unwrap_or(u32::MAX);
        Some(SkipEntry { best, freq_max, extent })
    }

    /// Where the block of an entry ends.
    #[inline]
    pub(crate) fn extent(self, entry: &[u8]) -> Option<Extent> {
        const DELTA_BITS: u8 = 0x1f;
        let number = |at: usize| Some(u32::from_le_bytes(entry.get(at..at + 4)?.try_into().ok()?));
        Some(Extent {
            last: number(0)?,
            doc_bits: entry.get(4)? & DELTA_BITS,
            freq_bits: if self.has_freqs { *entry.get(5)? } else { 0 },
            freq_sum: if self.has_freqs && self.has_positions { number(6)? } else { 0 },
        })
    }
}
