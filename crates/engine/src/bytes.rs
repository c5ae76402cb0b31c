//! The small numbers of our own encodings (document source, log records): LEB128, zigzag, length-prefixed
//! strings. Writing cannot fail; reading returns `None` at the first byte that makes no sense and never reads
//! past the end.

/// Appends `number` as LEB128.
#[inline]
pub(crate) fn put_unsigned(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends `number` in zigzag, so that small negative numbers stay short.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put_unsigned(bytes, (number << 1 ^ number >> 63) as u64);
}

/// Appends a length and the text.
pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_unsigned(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// What is left to read.
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes have not been read yet.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    #[inline]
    pub(crate) fn unsigned(&mut self) -> Option<u64> {
        match self.rest.split_first() {
            Some((first, rest)) if *first < 0x80 => {
                self.rest = rest;
                Some(u64::from(*first))
            }
            _ => self.longer(),
        }
    }

    /// A number of several bytes.
    fn longer(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A count of items of at least one byte each: more than there are bytes left is no count.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.unsigned()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    pub(crate) fn slice(&mut self) -> Option<&'a [u8]> {
        let len = self.count()?;
        let (slice, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(slice)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.slice()?).ok()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_unsigned(&mut bytes, number);
            assert_eq!(ByteReader::new(&bytes).unsigned(), Some(number));
        }
        for number in [0, -1, 1, 63, -64, i64::MIN, i64::MAX] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            assert_eq!(ByteReader::new(&bytes).signed(), Some(number));
        }
    }

    #[test]
    fn nothing_is_read_past_the_end() {
        assert_eq!(ByteReader::new(&[0x80]).unsigned(), None);
        assert_eq!(ByteReader::new(&[0xff; 11]).unsigned(), None);
        assert_eq!(ByteReader::new(&[5, 1]).slice(), None);
        assert_eq!(ByteReader::new(&[2, 0xff, 0xfe]).text(), None);
        assert_eq!(ByteReader::new(&[1, 2]).array::<3>(), None);
    }
}
