//! Buffers for the values of one batch, and walks over documents batch by batch. Owns no function: `lower.rs`
//! makes them, `leaf.rs` and `arithmetic.rs` fill buffers. The allowance is looked at here, for all who walk.
//! In: bits or lists of documents; out: calls with at most `DOC_BATCH` of them, ascending.

use std::ops::ControlFlow;

use meter::Allowance;
use tantivy::DocId;

use super::DOC_BATCH;
use crate::segment::bits::Bits;

/// Batches between looks at the allowance.
const BATCHES_A_LOOK: u32 = 16;

/// Values of as many documents as a batch has. On the heap: functions nest, and stacks are small.
pub(super) struct BatchBuffer<T>(Vec<T>);

impl<T: Copy + Default> BatchBuffer<T> {
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

/// Calls `take` with the documents of `bits`, a batch at a time, until `allowance` is used up.
pub(crate) fn each_doc_batch(bits: &Bits, allowance: &Allowance, mut take: impl FnMut(&[DocId])) {
    let mut batches = 0u32;
    bits.each_run::<DOC_BATCH>(|docs| {
        take(docs);
        batches += 1;
        if batches.is_multiple_of(BATCHES_A_LOOK) && allowance.is_used_up() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
}

/// Writes `from` into `to`, value by value, read another way.
pub(super) fn convert<A: Copy, B>(from: &[A], to: &mut [B], how: impl Fn(A) -> B) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = how(*from));
}
