//! The first of many in an order, without sorting all of them and without keeping more than twice as many at
//! a time: how a page of buckets is chosen, whatever they are ordered by. It needs an order that is total, as
//! ranks with the value behind them are; equal ones would be kept by chance.

use std::cmp::Ordering;

/// The first `wanted` of `items` in order. Keeps no more than twice as many at a time.
pub(super) fn first<T>(
    items: impl Iterator<Item = T>,
    wanted: Option<usize>,
    mut order: impl FnMut(&T, &T) -> Ordering,
) -> Vec<T> {
    let Some(wanted) = wanted else {
        let mut all: Vec<T> = items.collect();
        all.sort_unstable_by(order);
        return all;
    };
    if wanted == 0 {
        return Vec::new();
    }
    let room = wanted.saturating_mul(2).max(1024);
    let mut best: Vec<T> = Vec::new();
    for item in items {
        best.push(item);
        if best.len() >= room {
            cut(&mut best, wanted, &mut order);
        }
    }
    cut(&mut best, wanted, &mut order);
    best.sort_unstable_by(order);
    best
}

/// Leaves the first `wanted`, one at least, in any order.
fn cut<T>(items: &mut Vec<T>, wanted: usize, order: impl FnMut(&T, &T) -> Ordering) {
    if items.len() > wanted {
        items.select_nth_unstable_by(wanted - 1, order);
        items.truncate(wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_found_without_sorting_all() {
        let numbers = || (0..5000u64).map(|at| at * 7919 % 5000);
        let check = |wanted: Option<usize>, expected: usize| {
            let found = first(numbers(), wanted, |left, right| right.cmp(left));
            assert!(found.iter().copied().eq((0..5000).rev().take(expected)), "{wanted:?}");
        };
        check(Some(0), 0);
        check(Some(3), 3);
        check(Some(2000), 2000);
        check(Some(9000), 5000);
        check(None, 5000);
    }
}
