//! The heaviest rows of many, without putting all in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The numbers of the `count` heaviest rows, heaviest first, of equal ones the lowest number. Rows are (weight, number).
pub(super) fn heaviest<W: Ord>(rows: impl Iterator<Item = (W, usize)>, count: usize) -> Vec<usize> {
    let mut heap: BinaryHeap<Reverse<(W, Reverse<usize>)>> = BinaryHeap::new();
    for (weight, number) in rows {
        let row = Reverse((weight, Reverse(number)));
        if heap.len() < count {
            heap.push(row);
        } else if let Some(mut least) = heap.peek_mut()
            && row.0 > least.0
        {
            *least = row;
        }
    }
    heap.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(number)))| number).collect()
}
