//! What analysis stores with words (`plan::PayloadKind`), in a column of whole numbers beside the field's
//! postings, which only fields with such an analyzer have: what is in a column is merged, kept and reopened
//! as any other.
//!
//! Of each word with a payload, in the order of positions: a number of its position (high half) and a
//! fingerprint of its term, since several words may stand at one position; then the payload, eight bytes a
//! number, its length in the first byte: up to seven bytes take one number, and longer ones have 255 there,
//! their length behind it, and whole numbers after.

use tantivy::DocId;
use tantivy::columnar::Column;

/// In the place of a length: the payload has numbers of its own.
const LONG: u8 = 0xff;
/// Bytes of a payload that stand beside its length.
const SHORT_MAX: usize = 7;

/// Adds the payload of a word to a document's.
pub(crate) fn put(position: u32, term: &[u8], payload: &[u8], out: &mut Vec<i64>) {
    out.push((u64::from(position) << 32 | u64::from(fingerprint(term))).cast_signed());
    let mut head = [0; 8];
    if payload.len() <= SHORT_MAX {
        let [length, short @ ..] = &mut head;
        *length = payload.len() as u8;
        short.iter_mut().zip(payload).for_each(|(to, from)| *to = *from);
        return out.push(i64::from_le_bytes(head));
    }
    out.push(((payload.len() as u64) << 8 | u64::from(LONG)).cast_signed());
    out.extend(payload.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        i64::from_le_bytes(word)
    }));
}

/// By which words at one position are distinguished: FNV-1a, 32 bits.
pub(crate) fn fingerprint(term: &[u8]) -> u32 {
    const OFFSET: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    term.iter().fold(OFFSET, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME))
}

/// The payloads of one document.
#[derive(Default)]
pub(crate) struct DocPayloads {
    /// Position and fingerprint, as stored, with where the payload is; ascending by position.
    words: Vec<(u64, usize, usize)>,
    bytes: Vec<u8>,
}

impl DocPayloads {
    /// Reads those of `doc` in place of others.
    pub(crate) fn read(&mut self, column: &Column<i64>, doc: DocId) {
        self.words.clear();
        self.bytes.clear();
        let mut numbers = column.values_for_doc(doc);
        while let (Some(word), Some(head)) = (numbers.next(), numbers.next()) {
            let start = self.bytes.len();
            let [length, short @ ..] = head.to_le_bytes();
            let length = match length {
                LONG => (head.cast_unsigned() >> 8) as usize,
                short => usize::from(short),
            };
            if length <= SHORT_MAX {
                self.bytes.extend(short.iter().take(length));
            } else {
                numbers
                    .by_ref()
                    .take(length.div_ceil(8))
                    .for_each(|word| self.bytes.extend(word.to_le_bytes()));
                self.bytes.truncate(start + length);
            }
            self.words.push((word.cast_unsigned(), start, self.bytes.len()));
        }
    }

    /// That of the word at a position, by the fingerprint of its term.
    pub(crate) fn get(&self, position: u32, fingerprint: u32) -> Option<&[u8]> {
        let first = self.words.partition_point(|(word, ..)| (word >> 32) < u64::from(position));
        let mut here =
            self.words.get(first..)?.iter().take_while(|(word, ..)| word >> 32 == u64::from(position));
        let wanted = u64::from(position) << 32 | u64::from(fingerprint);
        let (_, from, to) = here.find(|(word, ..)| *word == wanted)?;
        self.bytes.get(*from..*to)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::segment::columns::AnyColumn;
    use crate::testing::{document, schema, snapshot, text};

    #[test]
    fn payloads_come_back_by_position_and_term() {
        let long = "x".repeat(20);
        let mut numbers = Vec::new();
        put(0, b"a", b"", &mut numbers);
        put(0, b"b", b"1234567", &mut numbers);
        put(7, b"a", long.as_bytes(), &mut numbers);
        assert_eq!(numbers.len(), 2 + 2 + 2 + 3);
        let ids = ["1", "2"];
        let doc = |id: &&str| document(&[("id", vec![text(id)]), ("w_dpf", vec![text("a|1.5 b a|2")])]);
        let snapshot = snapshot(&Arc::new(schema()), &[ids.iter().map(doc).collect()]);
        let layout = snapshot.layout().field("w_dpf").unwrap().clone();
        let view = &snapshot.segments()[0];
        let Some(AnyColumn::I64(column)) = view.column(layout.payloads.as_ref().unwrap()).unwrap() else {
            panic!("no column of payloads");
        };
        let mut stored = DocPayloads::default();
        stored.read(&column, 1);
        let check = |position: u32, term: &str, expected: Option<f32>| {
            let found = stored.get(position, fingerprint(term.as_bytes()));
            assert_eq!(found, expected.map(f32::to_be_bytes).as_ref().map(<[u8; 4]>::as_slice), "{position}");
        };
        check(0, "a", Some(1.5));
        check(0, "b", None);
        check(1, "b", None);
        check(2, "a", Some(2.0));
        check(3, "a", None);
    }
}
