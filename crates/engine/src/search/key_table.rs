//! A number for each key: how many documents have it, or which bucket it is. An array where keys are dense
//! enough for the documents at hand, a hash table elsewhere.
//!
//! Used twice for a facet over terms: first to count, then to give the chosen keys their places, by which
//! documents are dealt out to buckets. Its hash is fast and known to all: keys are ordinals and numbers of
//! this shard's columns.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// An array is worth it up to this many keys for each document.
const KEYS_PER_DOC: u64 = 4;

pub(crate) enum KeyTable {
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32, KeyHash>),
}

impl KeyTable {
    /// For `docs` documents and keys below `cardinality`, if that is known.
    pub(crate) fn new(cardinality: Option<usize>, docs: u64) -> Self {
        match cardinality {
            Some(keys) if keys as u64 <= docs.saturating_mul(KEYS_PER_DOC).saturating_add(1024) => {
                Self::Dense(vec![0; keys])
            }
            _ => Self::Sparse(HashMap::default()),
        }
    }

    /// Counts one more of the key.
    #[inline]
    pub(crate) fn count(&mut self, key: u64) {
        match self {
            Self::Dense(counts) => {
                if let Some(count) = counts.get_mut(key as usize) {
                    *count += 1;
                }
            }
            Self::Sparse(counts) => *counts.entry(key).or_default() += 1,
        }
    }

    /// The keys inside `range` that were counted, each with its count; in order where the table is dense.
    pub(crate) fn counted(&self, range: &Range<u64>) -> Box<dyn Iterator<Item = (u64, u32)> + '_> {
        let inside = range.clone();
        match self {
            Self::Dense(counts) => {
                let first = inside.start.min(counts.len() as u64);
                let end = inside.end.min(counts.len() as u64).max(first);
                let counts = counts.get(first as usize..end as usize).unwrap_or_default();
                Box::new((first..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0))
            }
            Self::Sparse(counts) => {
                let pairs = counts.iter().map(|(key, count)| (*key, *count));
                Box::new(pairs.filter(move |(key, _)| inside.contains(key)))
            }
        }
    }

    pub(crate) fn count_of(&self, key: u64) -> u32 {
        match self {
            Self::Dense(counts) => counts.get(key as usize).copied().unwrap_or_default(),
            Self::Sparse(counts) => counts.get(&key).copied().unwrap_or_default(),
        }
    }

    /// A table of the same form in which `keys` have their places as numbers.
    pub(crate) fn numbering(&self, keys: impl Iterator<Item = u64>) -> Self {
        match self {
            Self::Dense(counts) => {
                let mut numbers = vec![0; counts.len()];
                for (number, key) in (1..).zip(keys) {
                    if let Some(place) = numbers.get_mut(key as usize) {
                        *place = number;
                    }
                }
                Self::Dense(numbers)
            }
            Self::Sparse(_) => Self::Sparse(keys.zip(1..).collect()),
        }
    }

    /// The number given to the key.
    #[inline]
    pub(crate) fn number_of(&self, key: u64) -> Option<u32> {
        self.count_of(key).checked_sub(1)
    }
}

pub(crate) type KeyHash = BuildHasherDefault<KeyHasher>;

/// One multiplication by an odd number near 2^64 over the golden ratio, its high half folded onto the low
/// one.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_count_and_number() {
        for (cardinality, docs) in [(Some(10), 5), (Some(10_000_000), 5), (None, 5)] {
            let mut table = KeyTable::new(cardinality, docs);
            [3, 7, 3, 9].into_iter().for_each(|key| table.count(key));
            let mut counted: Vec<_> = table.counted(&(3..9)).collect();
            counted.sort_unstable();
            assert_eq!(counted, [(3, 2), (7, 1)]);
            let numbers = table.numbering([9, 3].into_iter());
            assert_eq!([3, 7, 9].map(|key| numbers.number_of(key)), [Some(1), None, Some(0)]);
            assert_eq!(table.count_of(3), 2);
        }
    }
}
