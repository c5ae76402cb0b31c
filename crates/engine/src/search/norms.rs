//! The length of a field in a document, as BM25 reads it: one byte, Lucene's code. Read off tantivy's file of
//! norms; a field that keeps none, or that the segment never had, counts as length 1.

use tantivy::directory::OwnedBytes;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use super::bm25::NO_NORM;

/// The norms of one field in one segment, a byte for each document; none for a field without, which counts as
/// length 1.
#[derive(Clone)]
pub(super) struct Norms(OwnedBytes);

impl Norms {
    pub(super) fn open(reader: &SegmentReader, field: Option<Field>) -> tantivy::Result<Self> {
        let norms = reader.fieldnorms_readers().get_inner_file();
        match field.and_then(|field| norms.open_read(field)) {
            Some(file) => Ok(Self(file.read_bytes()?)),
            None => Ok(Self(OwnedBytes::empty())),
        }
    }

    #[inline]
    pub(super) fn of(&self, doc: DocId) -> u8 {
        self.0.as_slice().get(doc as usize).copied().unwrap_or(NO_NORM)
    }
}
