//! The length of a field in a document, as BM25 reads it.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use super::bm25::NO_NORM;

/// The norms of one field in one segment; a field without counts as length 1.
#[derive(Clone)]
pub(super) struct Norms(Option<FieldNormReader>);

impl Norms {
    pub(super) fn open(reader: &SegmentReader, field: Option<Field>) -> tantivy::Result<Self> {
        match field {
            Some(field) => Ok(Self(reader.fieldnorms_readers().get_field(field)?)),
            None => Ok(Self(None)),
        }
    }

    #[inline]
    pub(super) fn of(&self, doc: DocId) -> u8 {
        self.0.as_ref().map_or(NO_NORM, |norms| norms.fieldnorm_id(doc))
    }
}
