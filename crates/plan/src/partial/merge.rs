//! What it is for parts to merge, and how plain parts do: counts, lists in the plan's order, what may lack.
//! Each shard answers with parts, `cluster` merges them in any order and finishes once; so merging is
//! associative and loses nothing.

/// Parts of a whole. Merging is associative and commutative.
pub trait Merge {
    #[must_use]
    fn merge(self, other: Self) -> Self;
}

/// Counts add up.
impl Merge for u64 {
    fn merge(self, other: Self) -> Self {
        self + other
    }
}

/// As many as can be shown.
impl Merge for u32 {
    fn merge(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

/// Where one has nothing to add.
impl<T: Merge> Merge for Option<T> {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Some(own), Some(other)) => Some(own.merge(other)),
            (own, other) => own.or(other),
        }
    }
}

impl<T: Merge> Merge for Box<T> {
    fn merge(self, other: Self) -> Self {
        Box::new((*self).merge(*other))
    }
}

/// Place by place, in the plan's order; an empty list has nothing to add.
impl<T: Merge> Merge for Vec<T> {
    fn merge(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => self.into_iter().zip(other).map(|(own, other)| own.merge(other)).collect(),
        }
    }
}
