//! Terms that stand in many documents of a segment, as one bit a document, in a file beside tantivy's:
//! unions, conjunctions and counts of such terms run a word at a time. Made when a merge or a flush writes a
//! segment to disk; mapped, not read.
//!
//! Format, little endian: magic (u32), version (u32), number of terms (u64); for each (field u64, start of
//! its postings u64, offset of its bits u64), ascending; then the bits, each term's padded to 8 bytes.

use plan::{Error, Result};
use tantivy::SegmentReader;
use tantivy::directory::OwnedBytes;
use tantivy::schema::{Field, FieldType};

use crate::errors::from_tantivy;
use crate::layout::ID_FIELD;
use crate::segment::postings::PostingsFile;
use crate::segment::term_bits::TermBits;

pub(crate) const EXTENSION: &str = "dense";

/// A term is dense from this share of the documents on: its bits then take at most twice what its postings
/// do.
const SHARE: u32 = 16;
const MAGIC: u32 = u32::from_le_bytes(*b"PHDT");
const VERSION: u32 = 1;
const HEADER: usize = 16;
const ENTRY: usize = 24;

/// The file's bytes, `None` when the segment has no dense term.
pub(crate) fn build(reader: &SegmentReader) -> Result<Option<Vec<u8>>> {
    let found = dense_terms(reader)?;
    if found.is_empty() {
        return Ok(None);
    }
    let bytes_each = bytes_each(reader.max_doc());
    let first = HEADER + found.len() * ENTRY;
    let mut file = Vec::with_capacity(first + found.len() * bytes_each);
    file.extend(MAGIC.to_le_bytes());
    file.extend(VERSION.to_le_bytes());
    file.extend((found.len() as u64).to_le_bytes());
    for (at, (field, info)) in found.iter().enumerate() {
        let offset = first + at * bytes_each;
        for number in [u64::from(field.field_id()), info.postings_range.start as u64, offset as u64] {
            file.extend(number.to_le_bytes());
        }
    }
    let postings = PostingsFile::open(reader)?;
    for (field, info) in &found {
        let mut bits = vec![0u8; bytes_each];
        postings.blocks(reader, *field, info)?.for_each_in(0, reader.max_doc(), |docs| {
            for doc in docs {
                if let Some(byte) = bits.get_mut((doc / 8) as usize) {
                    *byte |= 1 << (doc % 8);
                }
            }
        });
        file.extend(bits);
    }
    Ok(Some(file))
}

/// In order of field, then of postings.
fn dense_terms(reader: &SegmentReader) -> Result<Vec<(Field, tantivy::postings::TermInfo)>> {
    let least = reader.max_doc() / SHARE;
    let mut found = Vec::new();
    for (field, entry) in reader.schema().fields().filter(|(_, entry)| entry.is_indexed()) {
        // Numbers have many terms, and few of them are dense.
        let wanted = matches!(entry.field_type(), FieldType::Str(_) | FieldType::Bool(_));
        if field == ID_FIELD || !wanted {
            continue;
        }
        let inverted = reader.inverted_index(field).map_err(from_tantivy)?;
        let mut terms = inverted.terms().stream().map_err(from_tantivy)?;
        while terms.advance() {
            if terms.value().doc_freq >= least {
                found.push((field, terms.value().clone()));
            }
        }
    }
    Ok(found)
}

fn bytes_each(max_doc: u32) -> usize {
    max_doc.div_ceil(64) as usize * 8
}

/// The dense terms of a segment.
pub(crate) struct DenseTerms {
    file: OwnedBytes,
    count: usize,
    bytes_each: usize,
}

impl DenseTerms {
    pub(crate) fn open(file: OwnedBytes, max_doc: u32) -> Result<Self> {
        let bytes_each = bytes_each(max_doc);
        let number = |range| file.as_slice().get(range).and_then(|bytes: &[u8]| bytes.try_into().ok());
        let count = number(8..16).map_or(0, u64::from_le_bytes) as usize;
        let known = file.as_slice().get(..4) == Some(&MAGIC.to_le_bytes()[..])
            && file.as_slice().get(4..8) == Some(&VERSION.to_le_bytes()[..]);
        let whole = count.checked_mul(ENTRY + bytes_each).and_then(|rest| rest.checked_add(HEADER));
        if !known || whole != Some(file.len()) {
            return Err(Error::internal(
                "a segment's file of dense terms is damaged or of a newer release; restore the shard",
            ));
        }
        Ok(Self { file, count, bytes_each })
    }

    /// The bits of the term whose postings start there.
    pub(crate) fn get(&self, field: Field, postings_start: usize) -> Option<TermBits> {
        let wanted = (u64::from(field.field_id()), postings_start as u64);
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            let (field, start, offset) = self.entry(middle)?;
            match (field, start).cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return Some(TermBits::new(self.file.slice(offset..offset + self.bytes_each)));
                }
            }
        }
        None
    }

    fn entry(&self, at: usize) -> Option<(u64, u64, usize)> {
        let start = HEADER + at * ENTRY;
        let number = |place: usize| {
            let bytes = self.file.as_slice().get(start + place * 8..start + place * 8 + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        Some((number(0)?, number(1)?, number(2)? as usize))
    }
}
