//! The postings of a term in a segment, block by block, read straight from tantivy's files: where a block
//! ends and how much its best document can score is known without decoding it, and documents are decoded
//! apart from frequencies. Tantivy's own cursor decodes every block it moves to and shows none of that.
//!
//! Format (tantivy 0.27, `postings::{serializer, skip}`): blocks of 128 documents, bit-packed by
//! `bitpacking`'s 4x layout as strictly ascending deltas, followed by their frequencies less one; the rest in
//! variable-length integers. In front, where there is a whole block, stand the skip entries: last document
//! (u32), bits of a delta, and for fields with frequencies bits of a frequency, (with positions) the sum of
//! frequencies (u32), and the (norm id, frequency) that scored best.

pub(crate) mod block;
pub(crate) mod positions;

use plan::Result;
use tantivy::directory::{CompositeFile, FileSlice, OwnedBytes};
use tantivy::index::SegmentComponent;
use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, SegmentReader, TERMINATED};

pub(crate) use self::blocks::TermBlocks;
pub(crate) use self::entry::SkipEntry;
use crate::errors::from_tantivy;
use crate::segment::postings::block::{POSTINGS_BLOCK, damaged, next_vint};
use crate::segment::postings::positions::TermPositions;

mod blocks;
mod entry;

/// In front of a field's postings stands its number of tokens.
const FIELD_HEADER: usize = 8;

/// The postings of all fields of a segment.
pub(crate) struct PostingsFile {
    fields: CompositeFile,
    /// Missing where no field keeps positions.
    positions: Option<CompositeFile>,
}

impl PostingsFile {
    pub(crate) fn open(reader: &SegmentReader) -> Result<Self> {
        let file = reader.open_read(SegmentComponent::Postings).map_err(from_tantivy)?;
        let fields = CompositeFile::open(&file).map_err(from_tantivy)?;
        let positions = match reader.open_read(SegmentComponent::Positions) {
            Ok(file) => Some(CompositeFile::open(&file).map_err(from_tantivy)?),
            Err(_) => None,
        };
        Ok(Self { fields, positions })
    }

    /// The positions of a term, `None` where its field keeps none.
    pub(crate) fn positions(&self, field: Field, info: &TermInfo) -> Result<Option<TermPositions>> {
        let Some(file) = self.positions.as_ref().and_then(|file| file.open_read(field)) else {
            return Ok(None);
        };
        let bytes = file.read_bytes_slice(info.positions_range.clone()).map_err(from_tantivy)?;
        TermPositions::open(bytes).map(Some)
    }

    /// A cursor at the first block of a term's postings; `info` is the term's, in this segment.
    pub(crate) fn blocks(&self, reader: &SegmentReader, field: Field, info: &TermInfo) -> Result<TermBlocks> {
        self.field(reader, field)?.blocks(info)
    }

    /// The postings of one field.
    pub(crate) fn field(&self, reader: &SegmentReader, field: Field) -> Result<FieldPostings> {
        let entry = reader.schema().get_field_entry(field);
        let option = entry.field_type().index_record_option().unwrap_or(IndexRecordOption::Basic);
        let file = self.fields.open_read(field).ok_or_else(|| damaged("a field has no postings"))?;
        Ok(FieldPostings { file, option })
    }
}

/// The postings of one field of a segment.
pub(crate) struct FieldPostings {
    file: FileSlice,
    option: IndexRecordOption,
}

impl FieldPostings {
    fn blocks(&self, info: &TermInfo) -> Result<TermBlocks> {
        TermBlocks::open(self.bytes(info)?, info.doc_freq, self.option)
    }

    fn bytes(&self, info: &TermInfo) -> Result<OwnedBytes> {
        let range = info.postings_range.start + FIELD_HEADER..info.postings_range.end + FIELD_HEADER;
        self.file.read_bytes_slice(range).map_err(from_tantivy)
    }

    /// Calls `each` with the documents of a term. Terms that fill no block, which most are, need no cursor.
    pub(crate) fn for_each_doc(&self, info: &TermInfo, mut each: impl FnMut(DocId)) -> Result<()> {
        if info.doc_freq as usize >= POSTINGS_BLOCK {
            self.blocks(info)?.for_each_in(0, TERMINATED, |docs| docs.iter().copied().for_each(&mut each));
            return Ok(());
        }
        let bytes = self.bytes(info)?;
        let (mut rest, mut doc) = (bytes.iter(), 0u32);
        for _ in 0..info.doc_freq {
            let delta = next_vint(&mut rest).ok_or_else(|| damaged("postings break off"))?;
            doc = doc.saturating_add(delta);
            each(doc);
        }
        Ok(())
    }
}
