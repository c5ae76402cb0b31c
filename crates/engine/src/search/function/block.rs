//! Rooms for the values of one block, and walks over documents block by block.

use std::ops::ControlFlow;

use meter::Allowance;
use tantivy::DocId;

use super::BLOCK;
use crate::segment::bits::Bits;

/// Blocks between looks at the allowance.
const BLOCKS_A_LOOK: u32 = 16;

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

/// Calls `take` with the documents of `bits`, a block at a time, until `allowance` is used up.
pub(crate) fn each_block(bits: &Bits, allowance: &Allowance, mut take: impl FnMut(&[DocId])) {
    let mut blocks = 0u32;
    bits.each_run::<BLOCK>(|docs| {
        take(docs);
        blocks += 1;
        if blocks.is_multiple_of(BLOCKS_A_LOOK) && allowance.is_used_up() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
}

/// Writes `from` into `to`, value by value, read another way.
pub(super) fn convert<A: Copy, B>(from: &[A], to: &mut [B], how: impl Fn(A) -> B) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = how(*from));
}
