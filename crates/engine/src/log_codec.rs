//! The shard's log records: resolved operations, so that a replay is deterministic and may run twice.
//!
//! A record holds one group of operations of one batch: whole documents with their versions, deletes of ids (those of a
//! delete by query among them), or the delete of everything. Fields go by name, as a replay may meet a layout that does
//! not know them yet. Decoding never panics and accepts nothing that encoding does not make.
//!
//! Layout: format byte 1, then operations: tag, version (LEB128), and for tag 1 id and document, 2 id, 3 nothing, 4 as 1
//! for a document that replaces no other.

use std::sync::Arc;

use plan::{Document, Value, Version};

use crate::bytes::{Reader, put_text, put_unsigned};
use crate::source_codec::{push_value, tag_of, take_value};

const FORMAT: u8 = 1;
const PUT: u8 = 1;
const DELETE: u8 = 2;
const DELETE_ALL: u8 = 3;
const PUT_BESIDE: u8 = 4;

/// One resolved operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Logged {
    /// `overwrite` is false for a document whose sender swore that its id is new.
    Put {
        version: Version,
        id: String,
        document: Document,
        overwrite: bool,
    },
    Delete {
        version: Version,
        id: String,
    },
    DeleteAll {
        version: Version,
    },
}

/// A record in the making.
pub(crate) struct Record {
    bytes: Vec<u8>,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self::with_room(64)
    }

    /// A record that is expected to take so many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        let mut record = Self { bytes: Vec::with_capacity(bytes + 1) };
        record.bytes.push(FORMAT);
        record
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds a document whose body was encoded by [`encode_body`], before the lock was taken.
    pub(crate) fn put(&mut self, version: Version, body: &[u8], overwrite: bool) {
        self.head(if overwrite { PUT } else { PUT_BESIDE }, version);
        self.bytes.extend_from_slice(body);
    }

    pub(crate) fn delete(&mut self, version: Version, id: &str) {
        self.head(DELETE, version);
        put_text(&mut self.bytes, id);
    }

    pub(crate) fn delete_all(&mut self, version: Version) {
        self.head(DELETE_ALL, version);
    }

    fn head(&mut self, tag: u8, version: Version) {
        self.bytes.push(tag);
        put_unsigned(&mut self.bytes, version.unsigned_abs());
    }
}

/// Id and document as a record holds them.
pub(crate) fn encode_body(id: &str, document: &Document) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(id.len() + body_bytes(document));
    put_text(&mut bytes, id);
    put_unsigned(&mut bytes, document.fields.len() as u64);
    for (name, values) in &document.fields {
        put_text(&mut bytes, name);
        put_unsigned(&mut bytes, values.len() as u64);
        for value in values {
            bytes.push(tag_of(value));
            push_value(&mut bytes, value);
        }
    }
    bytes
}

/// About what a document takes.
fn body_bytes(document: &Document) -> usize {
    let value = |value: &Value| match value {
        Value::Str(text) => text.len() + 4,
        Value::Bytes(bytes) => bytes.len() + 4,
        _ => 11,
    };
    let field =
        |(name, values): &(Arc<str>, Vec<Value>)| name.len() + 4 + values.iter().map(value).sum::<usize>();
    8 + document.fields.iter().map(field).sum::<usize>()
}

/// The operations of a record, in order; `None` when the bytes are no record.
pub fn decode(bytes: &[u8]) -> Option<Vec<Logged>> {
    let mut reader = Reader::new(bytes);
    if reader.byte()? != FORMAT {
        return None;
    }
    let mut operations = Vec::new();
    while !reader.is_empty() {
        operations.push(operation(&mut reader)?);
    }
    Some(operations)
}

fn operation(reader: &mut Reader<'_>) -> Option<Logged> {
    let tag = reader.byte()?;
    let version = Version::try_from(reader.unsigned()?).ok()?;
    Some(match tag {
        PUT | PUT_BESIDE => {
            let id = reader.text()?.to_owned();
            Logged::Put { version, id, document: document(reader)?, overwrite: tag == PUT }
        }
        DELETE => Logged::Delete { version, id: reader.text()?.to_owned() },
        DELETE_ALL => Logged::DeleteAll { version },
        _ => return None,
    })
}

fn document(reader: &mut Reader<'_>) -> Option<Document> {
    let count = reader.count()?;
    let field = |reader: &mut Reader<'_>| -> Option<(Arc<str>, Vec<Value>)> {
        let name = Arc::from(reader.text()?);
        let count = reader.count()?;
        let values = (0..count).map(|_| {
            let tag = reader.byte()?;
            take_value(reader, tag)
        });
        Some((name, values.collect::<Option<_>>()?))
    };
    let fields = (0..count).map(|_| field(reader)).collect::<Option<_>>()?;
    Some(Document { fields })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{document, text};
    use proptest::prelude::*;

    fn sample() -> (Record, Vec<Logged>) {
        let document = document(&[
            ("id", vec![text("ü-1")]),
            ("n_is", vec![Value::Int(1), Value::Int(-1)]),
            ("mixed", vec![Value::Bool(true), Value::Bytes(vec![0]), Value::Double(0.5), Value::Date(3)]),
            ("empty", vec![]),
        ]);
        let mut record = Record::new();
        record.put(1 << 60, &encode_body("ü-1", &document), true);
        record.delete(7, "gone");
        record.delete_all(8);
        record.put(9, &encode_body("x", &Document::default()), false);
        let expected = vec![
            Logged::Put { version: 1 << 60, id: "ü-1".into(), document, overwrite: true },
            Logged::Delete { version: 7, id: "gone".into() },
            Logged::DeleteAll { version: 8 },
            Logged::Put { version: 9, id: "x".into(), document: Document::default(), overwrite: false },
        ];
        (record, expected)
    }

    #[test]
    fn operations_come_back() {
        let (record, expected) = sample();
        assert_eq!(decode(record.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn no_record_is_half_read() {
        let (record, expected) = sample();
        for end in 0..record.as_bytes().len() {
            assert_ne!(decode(&record.as_bytes()[..end]), Some(expected.clone()), "{end}");
        }
        assert_eq!(decode(&[2]), None);
    }

    proptest! {
        #[test]
        fn strangers_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..100, flip: u8) {
            let _ = decode(&bytes);
            let mut record = sample().0.as_bytes().to_vec();
            if let Some(byte) = record.get_mut(at) {
                *byte ^= flip;
            }
            let _ = decode(&record);
        }
    }
}
