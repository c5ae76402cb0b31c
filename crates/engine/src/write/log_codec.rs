//! The shard's log records: resolved operations, so that a replay is deterministic and may run twice.
//!
//! A record holds one group of operations of one batch: whole documents with their versions, deletes of ids
//! (those of a delete by query among them), or the delete of everything. Fields go by name, as a replay may
//! meet a layout that does not know them yet. Decoding never panics and accepts nothing that encoding does
//! not make.
//!
//! Layout: format byte 2, the version of the schema (LEB128), a byte that is 1 where a batch is named, and
//! then its id (16 bytes), first operation, count of those covered, total, a count and the numbers of those
//! left out, each as a distance, and a count of those refused, each with its number as a distance, three
//! codes and two texts (`refused`); then operations. A record of a batch may have none: it keeps the outcomes
//! of operations that left nothing in the log. Format 1, which is read as well, has operations behind the
//! format byte. An operation is: tag, version (LEB128), and for tag 1 id and document, 2 id, 3 nothing, 4 as
//! 1 for a document that replaces no other, 5 a count of documents and then as many and one more as 1 has (a
//! block, the root last), 6 as 5 for a block that replaces no other, 7 the ids of a root and of a document in
//! its block, 8 nothing (a delete by query that found nothing).

use std::sync::Arc;

use plan::{BatchId, Document, Value, Version};

use crate::bytes::{ByteReader, put_text, put_unsigned};
use crate::core::batches::{BatchSpan, Origin};
use crate::core::refused::RefusedOperation;
use crate::segment::source_codec::{push_value, tag_of, take_value};
use crate::write::block::Member;

const FORMAT: u8 = 2;
/// Records without schema version and batch.
const FORMAT_BARE: u8 = 1;
/// What a record has before its operations, at most, but for those left out and refused.
pub(crate) const RECORD_HEAD_BYTES_MAX: usize = 1 + 10 + 1 + 16 + 5 * 5;
/// The number of an operation that was left out.
pub(crate) const LEFT_OUT_BYTES_MAX: usize = 5;
/// Tag and version of an operation.
pub(crate) const OPERATION_HEAD_BYTES_MAX: usize = 1 + 10;
/// The length before a text.
pub(crate) const TEXT_LENGTH_BYTES_MAX: usize = 10;
const PUT: u8 = 1;
const DELETE: u8 = 2;
const DELETE_ALL: u8 = 3;
const PUT_BESIDE: u8 = 4;
const PUT_BLOCK: u8 = 5;
const PUT_BLOCK_BESIDE: u8 = 6;
const DELETE_MEMBER: u8 = 7;
const NOTHING: u8 = 8;

/// One resolved operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Logged {
    /// `overwrite` is false for a document whose sender swore that its id is new.
    Put {
        version: Version,
        id: String,
        document: Document,
        /// Those of its block, in index order.
        children: Vec<Member>,
        overwrite: bool,
    },
    /// With its block.
    Delete {
        version: Version,
        id: String,
    },
    /// A document of a block without the others.
    DeleteMember {
        version: Version,
        root: String,
        id: String,
    },
    DeleteAll {
        version: Version,
    },
    /// A delete by query that found nothing.
    Nothing {
        version: Version,
    },
}

impl Logged {
    pub(crate) fn version(&self) -> Version {
        match self {
            Self::Put { version, .. }
            | Self::Delete { version, .. }
            | Self::DeleteMember { version, .. }
            | Self::DeleteAll { version }
            | Self::Nothing { version } => *version,
        }
    }

    /// The id of the document, or of the root of its block; `None` for what is about all.
    pub(crate) fn root(&self) -> Option<&str> {
        match self {
            Self::Put { id, .. } | Self::Delete { id, .. } => Some(id),
            Self::DeleteMember { root, .. } => Some(root),
            Self::DeleteAll { .. } | Self::Nothing { .. } => None,
        }
    }
}

/// A record in the making.
pub(crate) struct Record {
    bytes: Vec<u8>,
}

impl Record {
    /// A record of this origin that is expected to take this many bytes.
    pub(crate) fn begin(origin: &Origin, bytes: usize) -> Self {
        let mut record = Self { bytes: Vec::with_capacity(bytes + RECORD_HEAD_BYTES_MAX) };
        let out = &mut record.bytes;
        out.push(FORMAT);
        put_unsigned(out, origin.schema_version);
        out.push(u8::from(origin.batch.is_some()));
        if let Some(batch) = &origin.batch {
            out.extend_from_slice(&batch.id.0);
            put_unsigned(out, batch.first.into());
            put_unsigned(out, (batch.done - batch.first).into());
            put_unsigned(out, batch.total.into());
            put_unsigned(out, batch.left_out.len() as u64);
            // As distances: a small one takes a byte, a number of its own up to five.
            let mut before = batch.first;
            for operation in &batch.left_out {
                put_unsigned(out, (operation - before).into());
                before = *operation;
            }
            put_unsigned(out, batch.refused.len() as u64);
            let mut before = batch.first;
            for refused in &batch.refused {
                refused.write(out, before);
                before = refused.operation;
            }
        }
        record
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds a document whose body was encoded by [`encode_body`], before the lock was taken.
    pub(crate) fn put(&mut self, version: Version, body: &Body, overwrite: bool) {
        let tag = match (body.is_block, overwrite) {
            (false, true) => PUT,
            (false, false) => PUT_BESIDE,
            (true, true) => PUT_BLOCK,
            (true, false) => PUT_BLOCK_BESIDE,
        };
        self.head(tag, version);
        self.bytes.extend_from_slice(&body.bytes);
    }

    pub(crate) fn delete(&mut self, version: Version, id: &str) {
        self.head(DELETE, version);
        put_text(&mut self.bytes, id);
    }

    pub(crate) fn delete_member(&mut self, version: Version, root: &str, id: &str) {
        self.head(DELETE_MEMBER, version);
        put_text(&mut self.bytes, root);
        put_text(&mut self.bytes, id);
    }

    pub(crate) fn delete_all(&mut self, version: Version) {
        self.head(DELETE_ALL, version);
    }

    pub(crate) fn nothing(&mut self, version: Version) {
        self.head(NOTHING, version);
    }

    fn head(&mut self, tag: u8, version: Version) {
        self.bytes.push(tag);
        // Versions given out are positive; the minus of a delete is only in what its sender is told.
        put_unsigned(&mut self.bytes, version.unsigned_abs());
    }
}

/// A document, or a block of them, as a record holds it.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    is_block: bool,
}

/// Id and document as a record holds them, behind those of its block.
pub(crate) fn encode_body(id: &str, document: &Document, children: &[Member]) -> Body {
    let is_block = !children.is_empty();
    let below: usize = children.iter().map(|(id, document)| id.len() + body_bytes(document)).sum();
    let mut bytes = Vec::with_capacity(id.len() + body_bytes(document) + below);
    if is_block {
        put_unsigned(&mut bytes, children.len() as u64);
    }
    children.iter().for_each(|(id, document)| put_member(&mut bytes, id, document));
    put_member(&mut bytes, id, document);
    Body { bytes, is_block }
}

fn put_member(bytes: &mut Vec<u8>, id: &str, document: &Document) {
    put_text(bytes, id);
    put_unsigned(bytes, document.fields.len() as u64);
    for (name, values) in &document.fields {
        put_text(bytes, name);
        put_unsigned(bytes, values.len() as u64);
        for value in values {
            bytes.push(tag_of(value));
            push_value(bytes, value);
        }
    }
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

/// A record's origin, and its operations in order; `None` when the bytes are no record.
pub(crate) fn decode(bytes: &[u8]) -> Option<(Origin, Vec<Logged>)> {
    let mut reader = ByteReader::new(bytes);
    let origin = match reader.byte()? {
        FORMAT => origin(&mut reader)?,
        FORMAT_BARE => Origin::default(),
        _ => return None,
    };
    let mut operations = Vec::new();
    while !reader.is_empty() {
        operations.push(operation(&mut reader)?);
    }
    Some((origin, operations))
}

fn origin(reader: &mut ByteReader<'_>) -> Option<Origin> {
    let schema_version = reader.unsigned()?;
    let batch = match reader.byte()? {
        0 => None,
        1 => Some(batch_span(reader)?),
        _ => return None,
    };
    Some(Origin { schema_version, batch })
}

fn batch_span(reader: &mut ByteReader<'_>) -> Option<BatchSpan> {
    let number = |reader: &mut ByteReader<'_>| u32::try_from(reader.unsigned()?).ok();
    let mut id = [0; 16];
    for byte in &mut id {
        *byte = reader.byte()?;
    }
    let first = number(reader)?;
    let done = first.checked_add(number(reader)?)?;
    let total = number(reader)?;
    let mut left_out = Vec::new();
    let mut before = first;
    for _ in 0..reader.count()? {
        before = before.checked_add(number(reader)?)?;
        left_out.push(before);
    }
    let mut refused: Vec<RefusedOperation> = Vec::new();
    for _ in 0..reader.count()? {
        let before = refused.last().map_or(first, |it| it.operation);
        refused.push(RefusedOperation::read(reader, before)?);
    }
    Some(BatchSpan { id: BatchId(id), first, done, total, left_out, refused })
}

fn operation(reader: &mut ByteReader<'_>) -> Option<Logged> {
    let tag = reader.byte()?;
    let version = Version::try_from(reader.unsigned()?).ok()?;
    Some(match tag {
        PUT | PUT_BESIDE | PUT_BLOCK | PUT_BLOCK_BESIDE => {
            let is_block = matches!(tag, PUT_BLOCK | PUT_BLOCK_BESIDE);
            let count = if is_block { reader.count()? } else { 0 };
            let children = (0..count).map(|_| member(reader)).collect::<Option<_>>()?;
            let (id, document) = member(reader)?;
            let overwrite = matches!(tag, PUT | PUT_BLOCK);
            Logged::Put { version, id, document, children, overwrite }
        }
        DELETE => Logged::Delete { version, id: reader.text()?.to_owned() },
        DELETE_ALL => Logged::DeleteAll { version },
        NOTHING => Logged::Nothing { version },
        DELETE_MEMBER => {
            let root = reader.text()?.to_owned();
            Logged::DeleteMember { version, root, id: reader.text()?.to_owned() }
        }
        _ => return None,
    })
}

fn member(reader: &mut ByteReader<'_>) -> Option<Member> {
    Some((reader.text()?.to_owned(), document(reader)?))
}

fn document(reader: &mut ByteReader<'_>) -> Option<Document> {
    let count = reader.count()?;
    let field = |reader: &mut ByteReader<'_>| -> Option<(Arc<str>, Vec<Value>)> {
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
    use plan::{Error, ErrorKind, Refusal, RefusalKind};
    use proptest::prelude::*;

    fn sample() -> (Record, (Origin, Vec<Logged>)) {
        let document = document(&[
            ("id", vec![text("ü-1")]),
            ("n_is", vec![Value::Int(1), Value::Int(-1)]),
            ("mixed", vec![Value::Bool(true), Value::Bytes(vec![0]), Value::Double(0.5), Value::Date(3)]),
            ("empty", vec![]),
        ]);
        let refusal = |of: &str| Refusal {
            kind: RefusalKind::Delete,
            of: of.into(),
            error: Error::new(ErrorKind::Conflict, "came first"),
        };
        let refused = [(4, "a"), (400, "b")].map(|(at, of)| RefusedOperation::of(at, &refusal(of)).unwrap());
        let (left_out, refused) = (vec![4, 5, 400], refused.to_vec());
        let batch = BatchSpan { id: BatchId([9; 16]), first: 3, done: 700, total: 9_000, left_out, refused };
        let origin = Origin { schema_version: 300, batch: Some(batch) };
        let mut record = Record::begin(&origin, 64);
        let child = ("c".to_owned(), document.clone());
        record.put(1 << 60, &encode_body("ü-1", &document, &[]), true);
        record.delete(7, "gone");
        record.delete_all(8);
        record.put(9, &encode_body("x", &Document::default(), &[]), false);
        record.put(10, &encode_body("x", &Document::default(), std::slice::from_ref(&child)), false);
        record.put(11, &encode_body("x", &Document::default(), std::slice::from_ref(&child)), true);
        record.delete_member(12, "x", "c");
        record.nothing(13);
        let put = |version, id: &str, document, children, overwrite| {
            let id = id.to_owned();
            Logged::Put { version, id, document, children, overwrite }
        };
        let expected = vec![
            put(1 << 60, "ü-1", document, vec![], true),
            Logged::Delete { version: 7, id: "gone".into() },
            Logged::DeleteAll { version: 8 },
            put(9, "x", Document::default(), vec![], false),
            put(10, "x", Document::default(), vec![child.clone()], false),
            put(11, "x", Document::default(), vec![child], true),
            Logged::DeleteMember { version: 12, root: "x".into(), id: "c".into() },
            Logged::Nothing { version: 13 },
        ];
        (record, (origin, expected))
    }

    #[test]
    fn operations_come_back() {
        let (record, expected) = sample();
        assert_eq!(decode(record.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn records_of_the_first_format_are_read() {
        let mut bare = vec![FORMAT_BARE];
        let (record, (_, expected)) = sample();
        let head = Record::begin(&sample().1.0, 0).as_bytes().len();
        bare.extend_from_slice(&record.as_bytes()[head..]);
        assert_eq!(decode(&bare), Some((Origin::default(), expected)));
    }

    #[test]
    fn no_record_is_half_read() {
        let (record, expected) = sample();
        for end in 0..record.as_bytes().len() {
            assert_ne!(decode(&record.as_bytes()[..end]), Some(expected.clone()), "{end}");
        }
        assert_eq!(decode(&[3]), None);
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
