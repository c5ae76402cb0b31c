//! Which keys a bucket has: a bit for each of few possible ones, a set of hashes elsewhere. Exact in both,
//! whatever the request calls it: Solr's `hll` is an estimate.
//!
//! In: the number of a bucket and a key of a column (`keys`); out: how many there are, or the keys in order.
//! Filled by `sums` for the statistics that ask for it.

use std::collections::HashSet;

use crate::search::key_table::KeyHash;

/// Most bits of all buckets together: 16 MiB.
const BITS_MAX: usize = 1 << 27;

pub(super) enum Distinct {
    /// By bucket one after the other, `words` for each.
    Bits {
        bits: Vec<u64>,
        words: usize,
        counts: Vec<u64>,
    },
    Sets(Vec<HashSet<u64, KeyHash>>),
}

impl Distinct {
    /// For keys below `cardinality`, if that is known.
    pub(super) fn new(cardinality: Option<usize>, buckets: usize) -> Self {
        let words = cardinality.map(|keys| keys.div_ceil(64));
        match words.filter(|words| words.saturating_mul(buckets) <= BITS_MAX / 64) {
            Some(words) => Self::Bits { bits: vec![0; words * buckets], words, counts: vec![0; buckets] },
            None => Self::Sets(vec![HashSet::default(); buckets]),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, bucket: usize, key: u64) {
        match self {
            Self::Bits { bits, words, counts } => {
                let (word, bit) = ((key / 64) as usize, 1 << (key % 64));
                if word < *words
                    && let Some(word) = bits.get_mut(bucket * *words + word)
                    && *word & bit == 0
                {
                    *word |= bit;
                    if let Some(count) = counts.get_mut(bucket) {
                        *count += 1;
                    }
                }
            }
            Self::Sets(sets) => {
                if let Some(set) = sets.get_mut(bucket) {
                    set.insert(key);
                }
            }
        }
    }

    pub(super) fn count(&self, bucket: usize) -> u64 {
        match self {
            Self::Bits { counts, .. } => counts.get(bucket).copied().unwrap_or_default(),
            Self::Sets(sets) => sets.get(bucket).map_or(0, |set| set.len() as u64),
        }
    }

    /// In order.
    pub(super) fn keys(&self, bucket: usize) -> Vec<u64> {
        match self {
            Self::Bits { bits, words, .. } => {
                let own = bits.get(bucket * words..(bucket + 1) * words).unwrap_or_default();
                let set = |(at, word): (u64, &u64)| {
                    // From the lowest bit on, which is taken off each time: most words have few or none.
                    let words = std::iter::successors(Some(*word), |left| Some(left & left.wrapping_sub(1)));
                    let set = words.take_while(|left| *left != 0);
                    set.map(move |left| at * 64 + u64::from(left.trailing_zeros()))
                };
                (0..).zip(own).flat_map(set).collect()
            }
            Self::Sets(sets) => {
                let mut keys: Vec<u64> = sets.get(bucket).into_iter().flatten().copied().collect();
                keys.sort_unstable();
                keys
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_know_their_keys() {
        for cardinality in [Some(200), None] {
            let mut distinct = Distinct::new(cardinality, 2);
            for (bucket, key) in [(1, 5), (1, 130), (1, 5), (0, 199), (7, 1)] {
                distinct.add(bucket, key);
            }
            assert_eq!((distinct.count(0), distinct.count(1), distinct.count(7)), (1, 2, 0));
            assert_eq!((distinct.keys(0), distinct.keys(1)), (vec![199], vec![5, 130]));
        }
    }
}
