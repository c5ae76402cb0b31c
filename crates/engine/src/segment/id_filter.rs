//! Says quickly that a segment does not hold an id, so that most look-ups touch no term dictionary.
//!
//! A blocked Bloom filter: one 64-byte block an id, one bit in each of its eight words, 12 bits an id, which
//! leaves about one false answer in two hundred. Built when a segment is sealed or merged and persisted
//! beside it, so that opening a shard reads no dictionary. The hash is fixed: it is part of the file format.

use tantivy::directory::OwnedBytes;

const BITS_PER_ID: usize = 12;
const BLOCK_BYTES: usize = 64;

/// The filter of one segment; its bytes may be mapped.
#[derive(Clone)]
pub(crate) struct IdFilter {
    bytes: OwnedBytes,
}

impl IdFilter {
    /// A filter over hashes from [`hash`].
    pub(crate) fn build(hashes: &[u64]) -> Self {
        let blocks = (hashes.len() * BITS_PER_ID).div_ceil(BLOCK_BYTES * 8).max(1);
        let mut bytes = vec![0u8; blocks * BLOCK_BYTES];
        for hash in hashes {
            let start = block_of(*hash, blocks) * BLOCK_BYTES;
            for (word, bit) in bits_of(*hash).enumerate() {
                if let Some(byte) = bytes.get_mut(start + word * 8 + bit / 8) {
                    *byte |= 1 << (bit % 8);
                }
            }
        }
        Self { bytes: OwnedBytes::new(bytes) }
    }

    /// Takes up a persisted filter; one of a wrong length answers "perhaps" to everything.
    pub(crate) fn open(bytes: OwnedBytes) -> Self {
        Self { bytes }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// False only when no id with this hash is in the segment.
    pub(crate) fn may_hold(&self, hash: u64) -> bool {
        let blocks = self.bytes.len() / BLOCK_BYTES;
        if blocks == 0 {
            return true;
        }
        let start = block_of(hash, blocks) * BLOCK_BYTES;
        let Some(block) = self.bytes.get(start..start + BLOCK_BYTES) else { return true };
        bits_of(hash)
            .enumerate()
            .all(|(word, bit)| block.get(word * 8 + bit / 8).is_none_or(|byte| byte >> (bit % 8) & 1 == 1))
    }
}

/// FNV-1a with a final mix. Ids are short; a forged collision costs one look-up in a dictionary.
pub(crate) fn hash(id: &str) -> u64 {
    hash_bytes(id.as_bytes())
}

/// [`hash`] of an id's bytes.
pub(crate) fn hash_bytes(id: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in id {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

fn block_of(hash: u64, blocks: usize) -> usize {
    ((u128::from(hash) * blocks as u128) >> 64) as usize
}

/// One bit, 0 to 63, for each of the eight words. The block comes from the high bits, these from the low 48.
fn bits_of(hash: u64) -> impl Iterator<Item = usize> {
    (0..8).map(move |word| (hash >> (6 * word) & 63) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_and_few_others() {
        let hashes: Vec<u64> = (0..10_000).map(|number| hash(&format!("doc-{number}"))).collect();
        let filter = IdFilter::build(&hashes);
        assert!(hashes.iter().all(|hash| filter.may_hold(*hash)));
        let strangers =
            (10_000..30_000).filter(|number| filter.may_hold(hash(&format!("doc-{number}")))).count();
        assert!(strangers < 400, "{strangers} of 20,000");
    }

    #[test]
    fn the_hash_is_part_of_the_format() {
        assert_eq!(hash(""), 0xf52a_15e9_a9b5_e89b);
        assert_eq!(hash("1"), hash("1"));
    }

    #[test]
    fn no_bytes_say_perhaps() {
        assert!(IdFilter::open(OwnedBytes::new(Vec::<u8>::new())).may_hold(1));
        assert!(!IdFilter::build(&[]).may_hold(hash("a")));
    }
}
