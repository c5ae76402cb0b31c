//! What a shard's content comes to as one number, whatever order it is read in: each part's SHA-256, added
//! up. Two copies of a shard whose segments differ, because they were merged otherwise or made anew, are
//! compared by it. It finds accidents; it is no signature, since whoever wants to can make sums meet.
//!
//! In: parts as bytes, from `engine`; out: hexadecimal, for people and scripts.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A sum of hashes of parts, and how many documents these have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContentDigest {
    documents: u64,
    /// Little-endian, modulo 2^256.
    sum: [u64; 4],
}

impl ContentDigest {
    /// Adds a part of so many documents, whose bytes come in pieces.
    pub fn add(&mut self, pieces: &[&[u8]], documents: u64) {
        let hash = pieces.iter().fold(Sha256::new(), |hash, piece| hash.chain_update(piece)).finalize();
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(hash.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.documents += documents;
        self.add_words(words);
    }

    /// Of both together.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.documents += other.documents;
        self.add_words(other.sum);
        self
    }

    pub fn documents(&self) -> u64 {
        self.documents
    }

    fn add_words(&mut self, words: [u64; 4]) {
        let mut carry = false;
        for (own, more) in self.sum.iter_mut().zip(words) {
            let (sum, over) = own.overflowing_add(more);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            (*own, carry) = (sum, over || over_again);
        }
    }
}

/// Hexadecimal, the highest digit first.
impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sum.iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&str]) -> ContentDigest {
        let mut digest = ContentDigest::default();
        parts.iter().for_each(|part| digest.add(&[part.as_bytes()], 1));
        digest
    }

    #[test]
    fn order_and_cuts_do_not_count_and_parts_do() {
        assert_eq!(of(&["a", "b", "c"]), of(&["c", "a", "b"]));
        assert_eq!(of(&["a", "b", "c"]), of(&["b"]).plus(&of(&["c", "a"])));
        assert_ne!(of(&["a", "b"]), of(&["a", "c"]));
        assert_ne!(of(&["a", "a"]), of(&["a"]), "twice is not once");
        assert_ne!(of(&["a", "a", "b", "b"]), ContentDigest::default());
        let mut pieces = ContentDigest::default();
        pieces.add(&[b"a", b"b"], 1);
        assert_eq!(pieces, of(&["ab"]));
        assert_eq!(of(&[]).to_string(), "0".repeat(64));
    }

    #[test]
    fn sums_carry_over() {
        let mut all_ones = ContentDigest { documents: 0, sum: [u64::MAX; 4] };
        all_ones.add_words([1, 0, 0, 0]);
        assert_eq!(all_ones.sum, [0; 4]);
        let low = ContentDigest { documents: 0, sum: [u64::MAX, 0, 0, 0] };
        assert_eq!(low.plus(&low).sum, [u64::MAX - 1, 1, 0, 0]);
    }
}
