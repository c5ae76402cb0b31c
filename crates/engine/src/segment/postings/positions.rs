//! The positions of a term in a segment, read straight from tantivy's files as `postings` reads documents.
//!
//! Where a document's positions begin and how many there are is known to the cursor over its blocks
//! (`TermBlocks::positions_of`); here are the numbers, block by block. Phrases, spans and payloads read them.

use bitpacking::{BitPacker, BitPacker4x};
use plan::Result;
use tantivy::directory::OwnedBytes;

use super::block::{Decoded, POSTINGS_BLOCK, damaged, next_vint, read_vint};

/// The positions of one term, in the order of its documents: for each the first, then the distances.
///
/// Format (tantivy 0.27, `positions`): number of whole blocks, the bits of each block's numbers (a byte
/// each), blocks of 128; the rest in variable-length integers.
pub(crate) struct TermPositions {
    bytes: OwnedBytes,
    blocks: usize,
    /// Where the widths begin.
    widths: usize,
    packer: BitPacker4x,
    /// The decoded block, by number.
    block: usize,
    /// Where it begins.
    at: usize,
    values: Decoded,
}

impl TermPositions {
    pub(crate) fn open(bytes: OwnedBytes) -> Result<Self> {
        let mut widths = 0;
        let blocks = read_vint(&bytes, &mut widths).ok_or_else(|| damaged("positions break off"))? as usize;
        let at = widths + blocks;
        if at > bytes.len() {
            return Err(damaged("positions break off"));
        }
        Ok(Self {
            bytes,
            blocks,
            widths,
            packer: BitPacker4x::new(),
            block: 0,
            at,
            values: Decoded::default(),
        })
    }

    /// Calls `each` with `count` numbers from `start` on. Later calls must not go back by more than a block.
    #[inline]
    pub(crate) fn read(&mut self, start: u64, count: u32, mut each: impl FnMut(u32)) {
        let (mut at, mut rest) = (start as usize, count as usize);
        while rest > 0 {
            let block = at / POSTINGS_BLOCK;
            if block != self.block || !self.values.loaded {
                self.load(block);
            }
            let values = self.values.get().get(at % POSTINGS_BLOCK..).unwrap_or(&[]);
            let values = values.get(..rest).unwrap_or(values);
            if values.is_empty() {
                return;
            }
            values.iter().for_each(|value| each(*value));
            at += values.len();
            rest -= values.len();
        }
    }

    fn width(&self, block: usize) -> usize {
        self.bytes.as_slice().get(self.widths + block).map_or(0, |width| usize::from(*width))
    }

    #[cold]
    fn load(&mut self, block: usize) {
        if block < self.block {
            (self.block, self.at) = (0, self.widths + self.blocks);
        }
        while self.block < block.min(self.blocks) {
            self.at += self.width(self.block) * POSTINGS_BLOCK / 8;
            self.block += 1;
        }
        self.values.loaded = true;
        let data = self.bytes.as_slice().get(self.at..).unwrap_or(&[]);
        if block < self.blocks {
            let width = self.bytes.as_slice().get(self.widths + block).copied().unwrap_or(0);
            self.packer.decompress(data, self.values.room(), width);
            self.values.len = POSTINGS_BLOCK;
            return;
        }
        self.block = block;
        let mut rest = data.iter();
        let mut len = 0;
        for place in self.values.room() {
            let Some(value) = next_vint(&mut rest) else { break };
            *place = value;
            len += 1;
        }
        self.values.len = len;
    }
}
