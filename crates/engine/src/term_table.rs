//! Terms by number: each pair of field and term is kept once and has the number of its first coming.
//!
//! One table serves a group of documents while it is prepared, so that each token is a number from there on; another serves a
//! segment in memory, which looks each term up once a group instead of once a token. Bytes stand one after the other,
//! places are found by linear probing.

use tantivy::schema::Field;

/// Beyond this much, a cleared table gives its memory back: one huge document must not be paid for ever after.
const KEPT_BYTES_MAX: usize = 4 << 20;
const SLOTS_LEAST: usize = 1 << 10;
const EMPTY: u32 = u32::MAX;

/// Terms of any fields.
#[derive(Default)]
pub(crate) struct TermTable {
    /// Numbers of terms at the places their hashes lead to; a power of two of them, at most half of them in use.
    slots: Vec<u32>,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    field: Field,
    /// Where the term ends in the bytes; it begins where the one before ends.
    end: usize,
}

/// A term with its field and the hash of both.
#[derive(Clone, Copy)]
pub(crate) struct FieldTerm<'a> {
    pub(crate) field: Field,
    pub(crate) bytes: &'a [u8],
    hash: u64,
}

impl<'a> FieldTerm<'a> {
    #[inline]
    pub(crate) fn new(field: Field, bytes: &'a [u8]) -> Self {
        Self { field, bytes, hash: hash(field, bytes) }
    }
}

impl TermTable {
    /// How many terms there are; their numbers are those below.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Memory held.
    pub(crate) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.bytes.capacity()
    }

    /// The number of a term, which is taken in where it is new.
    #[inline]
    pub(crate) fn number(&mut self, term: FieldTerm<'_>) -> u32 {
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = place(term.hash, mask);
        while let Some(number) = self.slots.get(at).copied().filter(|number| *number != EMPTY) {
            if self.holds(number, term) {
                return number;
            }
            at = (at + 1) & mask;
        }
        self.add(at, term)
    }

    #[inline]
    fn holds(&self, number: u32, term: FieldTerm<'_>) -> bool {
        let same = |entry: &Entry| entry.hash == term.hash && entry.field == term.field;
        self.entries.get(number as usize).is_some_and(same) && self.bytes_of(number) == term.bytes
    }

    fn add(&mut self, slot: usize, term: FieldTerm<'_>) -> u32 {
        let number = self.entries.len() as u32;
        self.bytes.extend_from_slice(term.bytes);
        self.entries.push(Entry { hash: term.hash, field: term.field, end: self.bytes.len() });
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = number;
        }
        number
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(SLOTS_LEAST);
        self.slots.clear();
        self.slots.resize(slots, EMPTY);
        for (number, entry) in self.entries.iter().enumerate() {
            let mut at = place(entry.hash, slots - 1);
            while self.slots.get(at).is_some_and(|taken| *taken != EMPTY) {
                at = (at + 1) & (slots - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = number as u32;
            }
        }
    }

    #[inline]
    fn bytes_of(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let end_of = |at: usize| self.entries.get(at).map_or(0, |entry| entry.end);
        let start = at.checked_sub(1).map_or(0, end_of);
        self.bytes.get(start..end_of(at)).unwrap_or_default()
    }

    /// The term with a number.
    #[inline]
    pub(crate) fn term(&self, number: u32) -> Option<FieldTerm<'_>> {
        let Entry { hash, field, .. } = *self.entries.get(number as usize)?;
        Some(FieldTerm { field, bytes: self.bytes_of(number), hash })
    }

    /// The numbers of all terms in the order of their fields, then of their bytes.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        // The first eight bytes decide nearly always, and comparing them touches no other memory.
        let mut keys: Vec<(u32, u64, u32)> = (0..self.entries.len() as u32)
            .filter_map(|number| Some((self.term(number)?, number)))
            .map(|(term, number)| (term.field.field_id(), prefix(term.bytes), number))
            .collect();
        keys.sort_unstable_by(|left, right| {
            let first = (left.0, left.1).cmp(&(right.0, right.1));
            first.then_with(|| self.bytes_of(left.2).cmp(self.bytes_of(right.2)))
        });
        keys.into_iter().map(|(.., number)| number).collect()
    }

    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        if self.memory() > KEPT_BYTES_MAX {
            *self = Self::default();
        }
        self.slots.fill(EMPTY);
        self.entries.clear();
        self.bytes.clear();
    }
}

/// Eight bytes of a term as a number that sorts as they do.
fn prefix(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().enumerate().fold(0, |word, (at, byte)| word | u64::from(*byte) << (56 - 8 * at)),
    }
}

fn place(hash: u64, mask: usize) -> usize {
    (hash >> 20) as usize & mask
}

/// A product and a rotation for every eight bytes, and a last mix. Forged collisions cost their sender's time.
#[inline]
fn hash(field: Field, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (u64::from(field.field_id()) << 32 | bytes.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
    }
    hash = (hash.rotate_left(23) ^ prefix(rest)).wrapping_mul(FACTOR);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_term_has_one_number() {
        let mut table = TermTable::default();
        let texts: Vec<String> = (0..5000).map(|number| "x".repeat(number % 23) + &number.to_string()).collect();
        for round in 0..2 {
            for (number, text) in texts.iter().enumerate() {
                let field = Field::from_field_id(number as u32 % 3);
                let found = table.number(FieldTerm::new(field, text.as_bytes()));
                assert_eq!(found, number as u32, "round {round}");
                assert_eq!(table.term(found).unwrap().bytes, text.as_bytes());
            }
        }
        assert_eq!(table.len(), texts.len());
        table.clear();
        assert_eq!((table.len(), table.number(FieldTerm::new(Field::from_field_id(1), b""))), (0, 0));
    }

    #[test]
    fn order_is_by_field_then_bytes() {
        let mut table = TermTable::default();
        let terms: [(u32, &[u8]); 7] =
            [(2, b"a"), (1, b"abcdefghz"), (1, b"abcdefgha"), (1, b"abc"), (1, b"abc\0"), (1, b""), (1, &[255; 9])];
        for (field, bytes) in terms {
            table.number(FieldTerm::new(Field::from_field_id(field), bytes));
        }
        let mut expected = terms.to_vec();
        expected.sort_unstable();
        let found = table.sorted().into_iter().map(|number| {
            let term = table.term(number).unwrap();
            (term.field.field_id(), term.bytes)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
