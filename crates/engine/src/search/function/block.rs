//! Rooms for the values of one block, and walks over documents block by block.

use tantivy::DocId;

use super::BLOCK;
use crate::search::bits::Bits;

/// Values of as many documents as a block has.
pub(super) struct Room<T> {
    values: [T; BLOCK],
    len: usize,
}

impl<T: Copy + Default> Room<T> {
    pub(super) fn of(docs: &[DocId]) -> Self {
        Self { values: [T::default(); BLOCK], len: docs.len().min(BLOCK) }
    }

    pub(super) fn all(&self) -> &[T] {
        self.values.get(..self.len).unwrap_or_default()
    }

    pub(super) fn all_mut(&mut self) -> &mut [T] {
        self.values.get_mut(..self.len).unwrap_or_default()
    }
}

/// Calls `take` with the documents of `bits`, a block at a time.
pub(crate) fn each_block(bits: &Bits, mut take: impl FnMut(&[DocId])) {
    let mut docs = Vec::with_capacity(BLOCK);
    let mut rest = bits.iter();
    loop {
        docs.clear();
        docs.extend(rest.by_ref().take(BLOCK));
        if docs.is_empty() {
            return;
        }
        take(&docs);
    }
}
