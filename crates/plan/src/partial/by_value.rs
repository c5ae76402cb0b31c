//! Parts by value. Of every value there is a part: that listed, or for all others the one that is `absent`;
//! so merging is value by value and knows no special cases, whichever shard has heard of which value. Filled
//! by the engine, cut as deep as the plan allows; what `cluster` does with the merged list is in its
//! `finish`.

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use crate::value::Value;

/// Parts of values, and how much was left out of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByValue<T> {
    /// In value order, each value once.
    pub list: Vec<(Value, T)>,
    /// The part of every value that is not listed, where it is not nothing.
    pub absent: Option<Box<T>>,
    pub left_out: LeftOut,
    /// No value that is not listed has more hits; 0 where none is left out that may be on the page.
    pub unlisted_max: u64,
}

/// What [`crate::CutDepth::Page`] cut off. What merges exactly has left out nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Values that the plan's order puts before all that are listed.
    pub before: u64,
    /// Any others, as far as the plan asks how many values there are.
    pub others: u64,
}

impl<T> Default for ByValue<T> {
    fn default() -> Self {
        Self { list: Vec::new(), absent: None, left_out: LeftOut::default(), unlisted_max: 0 }
    }
}

impl<T> ByValue<T> {
    /// All there is.
    pub fn all(list: Vec<(Value, T)>) -> Self {
        Self { list, ..Self::default() }
    }
}

impl<T: Merge + Clone> Merge for ByValue<T> {
    fn merge(self, other: Self) -> Self {
        let (own_absent, other_absent) = (self.absent.as_deref(), other.absent.as_deref());
        let mut list = Vec::with_capacity(self.list.len().max(other.list.len()));
        let (mut own, mut others) = (self.list.into_iter().peekable(), other.list.into_iter().peekable());
        while let (Some((left, _)), Some((right, _))) = (own.peek(), others.peek()) {
            let order = left.order(right);
            let (from_own, from_other) = (own.next_if(|_| order.is_le()), others.next_if(|_| order.is_ge()));
            list.extend(match (from_own, from_other) {
                (Some((value, left)), Some((_, right))) => Some((value, left.merge(right))),
                (Some((value, part)), None) => Some((value, with(part, other_absent))),
                (None, found) => found.map(|(value, part)| (value, with(part, own_absent))),
            });
        }
        list.extend(own.map(|(value, part)| (value, with(part, other_absent))));
        list.extend(others.map(|(value, part)| (value, with(part, own_absent))));
        let left_out = LeftOut {
            before: self.left_out.before + other.left_out.before,
            others: self.left_out.others + other.left_out.others,
        };
        let unlisted_max = self.unlisted_max.saturating_add(other.unlisted_max);
        Self { list, absent: self.absent.merge(other.absent), left_out, unlisted_max }
    }
}

fn with<T: Merge + Clone>(part: T, absent: Option<&T>) -> T {
    match absent {
        Some(absent) => part.merge(absent.clone()),
        None => part,
    }
}
