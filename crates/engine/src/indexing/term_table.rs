//! Terms by number: each pair of field and term is kept once and has the number of its first coming.
//!
//! One table serves a group of documents while it is prepared, so that each token is a number from there on;
//! another serves a segment in memory, which looks each term up once a group instead of once a token.

use tantivy::schema::Field;

/// Beyond this much, a cleared table gives its memory back: one huge document must not be paid for ever
/// after.
const KEPT_BYTES_MAX: usize = 4 << 20;
const SLOTS_LEAST: usize = 1 << 10;

/// Terms of any fields.
#[derive(Default)]
pub(crate) struct TermTable {
    /// A power of two of them, at most half of them in use.
    slots: Vec<Slot>,
    entries: Vec<TermSlot>,
    bytes: Vec<u8>,
}

/// A place that hashes lead to, with the hash, so that other terms are seldom looked at, and the number of
/// the term.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

const FREE: Slot = Slot { hash: 0, number: u32::MAX };

#[derive(Clone, Copy)]
struct TermSlot {
    /// As of [`prefix`]; with the length, all there is of a short term.
    prefix: u64,
    hash: u32,
    start: u32,
    len: u32,
    field: Field,
}

/// A term with its field and the hash of both.
#[derive(Clone, Copy)]
pub(crate) struct FieldTerm<'a> {
    pub(crate) field: Field,
    pub(crate) bytes: &'a [u8],
    hash: u32,
    prefix: u64,
}

impl<'a> FieldTerm<'a> {
    #[inline]
    pub(crate) fn new(field: Field, bytes: &'a [u8]) -> Self {
        let prefix = prefix(bytes);
        Self { field, bytes, hash: hash(field, bytes, prefix), prefix }
    }
}

impl TermTable {
    /// How many terms there are; their numbers are those below.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Memory held.
    pub(crate) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.entries.capacity() * size_of::<TermSlot>()
            + self.bytes.capacity()
    }

    /// The number of a term, which is taken in where it is new.
    #[inline]
    pub(crate) fn number(&mut self, term: FieldTerm<'_>) -> u32 {
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mut at = self.place(term.hash);
        while let Some(slot) = self.slots.get(at).filter(|slot| slot.number != FREE.number) {
            if slot.hash == term.hash && self.holds(slot.number, term) {
                return slot.number;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.add(at, term)
    }

    #[inline]
    fn place(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn holds(&self, number: u32, term: FieldTerm<'_>) -> bool {
        let Some(entry) = self.entries.get(number as usize) else { return false };
        let alike = entry.prefix == term.prefix
            && entry.len as usize == term.bytes.len()
            && entry.field == term.field;
        alike && (term.bytes.len() <= 8 || self.bytes_of(entry) == term.bytes)
    }

    fn add(&mut self, at: usize, term: FieldTerm<'_>) -> u32 {
        let number = self.entries.len() as u32;
        let FieldTerm { field, bytes, hash, prefix } = term;
        // No group's terms come near 4 GiB: its documents were read from bodies of bounded size.
        let (start, len) = (self.bytes.len() as u32, bytes.len() as u32);
        self.entries.push(TermSlot { prefix, hash, start, len, field });
        self.bytes.extend_from_slice(bytes);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Slot { hash, number };
        }
        number
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(SLOTS_LEAST);
        self.slots.clear();
        self.slots.resize(slots, FREE);
        for number in 0..self.entries.len() {
            let Some(hash) = self.entries.get(number).map(|entry| entry.hash) else { break };
            let mut at = self.place(hash);
            while self.slots.get(at).is_some_and(|slot| slot.number != FREE.number) {
                at = (at + 1) & (slots - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = Slot { hash, number: number as u32 };
            }
        }
    }

    #[inline]
    fn bytes_of(&self, entry: &TermSlot) -> &[u8] {
        let start = entry.start as usize;
        self.bytes.get(start..start + entry.len as usize).unwrap_or_default()
    }

    /// The term with a number.
    #[inline]
    pub(crate) fn term(&self, number: u32) -> Option<FieldTerm<'_>> {
        let entry = self.entries.get(number as usize)?;
        let TermSlot { hash, prefix, field, .. } = *entry;
        Some(FieldTerm { field, bytes: self.bytes_of(entry), hash, prefix })
    }

    /// The numbers of all terms in the order of their fields, then of their bytes.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut keys: Vec<(u32, u64, u32)> = Vec::with_capacity(self.entries.len());
        let numbered = self.entries.iter().zip(0u32..);
        keys.extend(numbered.map(|(entry, number)| (entry.field.field_id(), entry.prefix, number)));
        // The first eight bytes decide nearly always, and comparing them touches no other memory.
        keys.sort_unstable_by(|left, right| {
            let first = (left.0, left.1).cmp(&(right.0, right.1));
            first.then_with(|| self.whole(left.2).cmp(self.whole(right.2)))
        });
        keys.into_iter().map(|(.., number)| number).collect()
    }

    fn whole(&self, number: u32) -> &[u8] {
        self.entries.get(number as usize).map(|entry| self.bytes_of(entry)).unwrap_or_default()
    }

    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        if self.memory() > KEPT_BYTES_MAX {
            *self = Self::default();
        }
        self.slots.fill(FREE);
        self.entries.clear();
        self.bytes.clear();
    }
}

/// The first eight bytes of a term as a number that sorts as they do.
#[inline]
pub(crate) fn prefix(bytes: &[u8]) -> u64 {
    let left = |word: u64, len: usize| word << (8 * (8 - len));
    if let Some(first) = bytes.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    // Two reads that overlap where the length is none of 4 and 2.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return left(u64::from(u32::from_be_bytes(*first)), 4)
            | u64::from(u32::from_be_bytes(*last)) << (8 * (8 - bytes.len()));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return left(u64::from(u16::from_be_bytes(*first)), 2)
            | u64::from(u16::from_be_bytes(*last)) << (8 * (8 - bytes.len()));
    }
    bytes.first().map_or(0, |only| left(u64::from(*only), 1))
}

/// Both halves of a product for every eight bytes. Forged collisions cost their sender's time.
#[inline]
fn hash(field: Field, bytes: &[u8], prefix: u64) -> u32 {
    let seed = u64::from(field.field_id()) << 32 | bytes.len() as u64;
    let mut hash = mix(seed ^ 0xa076_1d64_78bd_642f, prefix ^ 0xe703_7ed1_a0b4_28db);
    for rest in bytes.get(8..).unwrap_or_default().chunks(8) {
        hash = mix(hash ^ 0x8ebc_6af0_9c88_c6e3, self::prefix(rest) ^ 0x5899_65cc_7537_4cc3);
    }
    (hash ^ hash >> 32) as u32
}

#[inline]
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_term_has_one_number() {
        let mut table = TermTable::default();
        let texts: Vec<String> =
            (0..5000).map(|number| "x".repeat(number % 23) + &number.to_string()).collect();
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
        let terms: [(u32, &[u8]); 7] = [
            (2, b"a"),
            (1, b"abcdefghz"),
            (1, b"abcdefgha"),
            (1, b"abc"),
            (1, b"abc\0"),
            (1, b""),
            (1, &[255; 9]),
        ];
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
