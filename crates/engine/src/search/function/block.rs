//! Rooms for the values of one block, and walks over documents block by block.

use tantivy::DocId;

use super::BLOCK;
use crate::search::bits::Bits;

/// Values of as many documents as a block has. On the heap: functions nest, and stacks are small.
pub(super) struct Room<T>(Vec<T>);

impl<T: Copy + Default> Room<T> {
    pub(super) fn of(docs: &[DocId]) -> Self {
        Self(vec![T::default(); docs.len()])
    }

    pub(super) fn all(&self) -> &[T] {
        &self.0
    }

    pub(super) fn all_mut(&mut self) -> &mut [T] {
        &mut self.0
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
