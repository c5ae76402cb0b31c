//! The source of a document as tantivy stores it: the one stored value of its one stored field. Tantivy's own
//! reader takes bytes one at a time, which costs more than decompressing them (2026-11, tantivy 0.27); this
//! one only finds where they are. Layout, by tantivy 0.27's `BinaryDocumentSerializer`: count of values, then
//! for each its field (four bytes, little-endian), a code of its type, and for bytes their length and
//! themselves. Counts and lengths have seven bits a byte, least significant first; the last byte has its top
//! bit set.

use plan::{Error, Result};
use tantivy::DocId;
use tantivy::directory::OwnedBytes;
use tantivy::store::StoreReader;

use crate::errors::from_tantivy;
use crate::layout::SOURCE_FIELD;

/// `BYTES_CODE` of tantivy.
const CODE_BYTES: u8 = 4;

/// The source of a document of this store; a view of the block that holds it.
pub(crate) fn read(store: &StoreReader, doc: DocId) -> Result<OwnedBytes> {
    let stored = store.get_document_bytes(doc).map_err(from_tantivy)?;
    let (from, length) = find(&stored).ok_or_else(|| {
        Error::internal(format!("document {doc} has no source of a known form; rebuild the shard"))
    })?;
    Ok(stored.slice(from..from + length))
}

/// Where the source is in a stored document: first byte, bytes.
fn find(stored: &[u8]) -> Option<(usize, usize)> {
    let (count, rest) = number(stored)?;
    let (field, rest) = rest.split_at_checked(size_of::<u32>())?;
    let (code, rest) = rest.split_first()?;
    let (length, rest) = number(rest)?;
    let known = count == 1 && field == SOURCE_FIELD.field_id().to_le_bytes() && *code == CODE_BYTES;
    (known && length <= rest.len()).then(|| (stored.len() - rest.len(), length))
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 != 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As tantivy 0.27 writes them; that whole documents come back is what every test of a search shows.
    #[test]
    fn only_the_known_form_is_read() {
        let head = |count: u8, code: u8| {
            let mut bytes = vec![0x80 | count];
            bytes.extend(SOURCE_FIELD.field_id().to_le_bytes());
            bytes.push(code);
            bytes
        };
        let check = |head: Vec<u8>, tail: &[u8], expected: Option<(usize, usize)>| {
            assert_eq!(find(&[head, tail.to_vec()].concat()), expected, "{tail:?}");
        };
        check(head(1, CODE_BYTES), &[0x83, 1, 2, 3], Some((7, 3)));
        check(head(1, CODE_BYTES), &[0x80], Some((7, 0)));
        check(head(1, CODE_BYTES), &[&[0x02u8, 0x81][..], &[0u8; 130]].concat(), Some((8, 130)));
        check(head(1, CODE_BYTES), &[0x83, 1, 2], None);
        check(head(1, CODE_BYTES), &[0x03], None);
        check(head(1, 0), &[0x80], None);
        check(head(2, CODE_BYTES), &[0x80], None);
        check(vec![], &[], None);
        check(vec![0; 40], &[], None);
    }
}
