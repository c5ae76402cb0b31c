//! The numbers of a block of postings or positions: room for all of them once unpacked, one read out of its
//! packed place, and those that fill no block. `postings` and `positions` say what the numbers mean.
//!
//! Pure functions over bytes of tantivy's files. What breaks off is reported as a damaged segment and never
//! read past.

use plan::Error;

/// Numbers in a whole block.
pub(crate) const POSTINGS_BLOCK: usize = 128;

/// A block's numbers. Most cursors of a search decode none, so there is no room for them before.
#[derive(Default)]
pub(crate) struct Decoded {
    values: Option<Box<[u32; POSTINGS_BLOCK]>>,
    pub(crate) len: usize,
    pub(crate) loaded: bool,
}

impl Decoded {
    #[inline]
    pub(crate) fn get(&self) -> &[u32] {
        self.values.as_deref().and_then(|values| values.get(..self.len)).unwrap_or(&[])
    }

    /// Room for a whole block.
    pub(crate) fn room(&mut self) -> &mut [u32; POSTINGS_BLOCK] {
        self.values.get_or_insert_with(|| Box::new([0; POSTINGS_BLOCK]))
    }
}

/// One value of a packed block. `bitpacking`'s 4x layout deals values out to four lanes by turns; a lane's
/// values lie one behind the other in its 32-bit words, and the words of the lanes stand by turns too.
#[inline]
pub(crate) fn packed_value(packed: &[u8], bits: u8, place: usize) -> Option<u32> {
    const LANES: usize = 4;
    const WORD: usize = 32;
    let (lane, first) = (place % LANES, place / LANES * usize::from(bits));
    let word = |number: usize| {
        let at = (number * LANES + lane) * 4;
        Some(u64::from(u32::from_le_bytes(packed.get(at..at + 4)?.try_into().ok()?)))
    };
    let shift = first % WORD;
    let mut value = word(first / WORD)? >> shift;
    if shift + usize::from(bits) > WORD {
        value |= word(first / WORD + 1)? << (WORD - shift);
    }
    Some((value & ((1 << bits) - 1)) as u32)
}

/// Seven bits a byte, least significant first; the last byte has its top bit set.
#[inline]
pub(crate) fn read_vint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut rest = bytes.get(*at..)?.iter();
    let value = next_vint(&mut rest)?;
    *at = bytes.len() - rest.len();
    Some(value)
}

/// As [`read_vint`], of what is left of some bytes: in a long row of numbers none of them is looked up by its
/// place.
#[inline]
pub(crate) fn next_vint(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let (mut value, mut shift) = (0u32, 0);
    loop {
        let byte = *bytes.next()?;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 != 0 {
            return Some(value);
        }
        shift += 7;
    }
}

/// Moves behind this many numbers, which end with the bytes whose top bit is set.
#[inline]
pub(crate) fn skip_vints(bytes: &mut std::slice::Iter<'_, u8>, count: usize) {
    if let Some(last) = count.checked_sub(1) {
        let _ = bytes.by_ref().filter(|byte| *byte & 0x80 != 0).nth(last);
    }
}

pub(crate) fn damaged(what: &str) -> Error {
    Error::internal(format!("{what}; the segment is damaged: restore the shard"))
}

#[cfg(test)]
mod tests {
    use bitpacking::{BitPacker, BitPacker4x};

    use super::*;

    #[test]
    fn numbers_are_skipped_as_they_are_read() {
        let bytes = [0x81, 0x7f, 0xff, 0x00, 0x01, 0x82, 0x83];
        for count in 0..=4 {
            let (mut skipped, mut read) = (bytes.iter(), bytes.iter());
            skip_vints(&mut skipped, count);
            (0..count).for_each(|_| assert!(next_vint(&mut read).is_some()));
            assert_eq!(skipped.as_slice(), read.as_slice(), "{count}");
        }
    }

    #[test]
    fn one_value_is_read_as_all_are() {
        let packer = BitPacker4x::new();
        for bits in 0..=31u8 {
            let values: [u32; POSTINGS_BLOCK] = std::array::from_fn(|at| {
                (at as u32).wrapping_mul(2_654_435_761) & (1u32 << bits).wrapping_sub(1)
            });
            let mut packed = vec![0u8; usize::from(bits) * POSTINGS_BLOCK / 8];
            packer.compress(&values, &mut packed, bits);
            // Something always follows: the next block, or the next term.
            packed.extend([0xff; 16]);
            for (place, value) in values.iter().enumerate() {
                assert_eq!(packed_value(&packed, bits, place), Some(*value), "{bits} bits, {place}");
            }
        }
    }
}
