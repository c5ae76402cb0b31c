//! Lists in ascending order as one: what most parts do when they merge. Both sides are sorted by the engine;
//! what is equal on both is one, by the caller's rule. Its callers keep the order when they fill their lists;
//! nothing here sorts or checks.

use std::cmp::Ordering;

/// Two ascending lists as one; `join` makes one of two elements that are equal. Where `order` never says that
/// two are, all are kept.
pub(super) fn merge_sorted<T>(
    own: Vec<T>,
    other: Vec<T>,
    order: impl Fn(&T, &T) -> Ordering,
    join: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut all = Vec::with_capacity(own.len().max(other.len()));
    let (mut own, mut other) = (own.into_iter().peekable(), other.into_iter().peekable());
    while let (Some(left), Some(right)) = (own.peek(), other.peek()) {
        let order = order(left, right);
        let (left, right) = (own.next_if(|_| order.is_le()), other.next_if(|_| order.is_ge()));
        all.extend(match (left, right) {
            (Some(left), Some(right)) => Some(join(left, right)),
            (left, right) => left.or(right),
        });
    }
    all.extend(own);
    all.extend(other);
    all
}
