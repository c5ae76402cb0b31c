//! What was stored with a term in a document, as a number: Solr's `payload()`. Several payloads of one
//! document are made one number, the first or what the function asks for.
//!
//! In: the postings of the term with its positions, and the column that keeps a field's payloads
//! (`segment/payloads`); out: batches of numbers, which stand in the place of the given default. Goes forward
//! only.

use plan::{PayloadDecoder, PayloadFunction, Result};
use tantivy::columnar::Column;
use tantivy::{DocId, SegmentReader, Term};

use super::leaf::Remembered;
use crate::search::columns::SegmentColumns;
use crate::search::phrase::with_positions;
use crate::segment::columns::AnyColumn;
use crate::segment::payloads::{DocPayloads, fingerprint};
use crate::segment::postings::TermBlocks;
use crate::segment::postings::positions::TermPositions;
use crate::snapshot::Views;

/// Ready for any segment.
pub(crate) struct LoweredPayload {
    pub(super) term: Option<Term>,
    pub(super) views: Views,
    pub(super) columns: Option<SegmentColumns>,
    pub(super) decoder: PayloadDecoder,
    pub(super) how: Option<PayloadFunction>,
}

/// The same in one segment.
pub(crate) struct Payload {
    walk: Option<Walk>,
    label: String,
    last: Remembered<Option<f32>>,
}

impl Payload {
    pub(super) fn open(lowered: &LoweredPayload, label: &str, segment: &SegmentReader) -> Result<Self> {
        let walk = Walk::open(lowered, segment)?;
        Ok(Self { walk, label: label.to_owned(), last: Remembered::default() })
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn remember(&mut self, docs: &[DocId]) {
        let Some(walk) = &mut self.walk else { return };
        self.last.batch(docs, |docs, values| values.extend(docs.iter().map(|doc| walk.value(*doc))));
    }

    /// Puts the payloads of documents in the place of what counts where there is none.
    pub(super) fn replace(&mut self, docs: &[DocId], out: &mut [f32]) {
        self.remember(docs);
        for (out, value) in out.iter_mut().zip(self.last.of(docs)) {
            *out = value.unwrap_or(*out);
        }
    }
}

/// The way over a term's documents.
struct Walk {
    blocks: TermBlocks,
    positions: TermPositions,
    column: Column<i64>,
    fingerprint: u32,
    decoder: PayloadDecoder,
    how: Option<PayloadFunction>,
    stored: DocPayloads,
}

impl Walk {
    /// `None` where there is nothing to be found.
    fn open(lowered: &LoweredPayload, segment: &SegmentReader) -> Result<Option<Self>> {
        let (Some(term), Some((_, view))) = (&lowered.term, lowered.views.of(segment)) else {
            return Ok(None);
        };
        let columns = lowered.columns.as_ref();
        let Some(AnyColumn::I64(column)) = columns.and_then(|columns| columns.values(segment.segment_id()))
        else {
            return Ok(None);
        };
        let Some((blocks, positions)) = with_positions(view, term)? else { return Ok(None) };
        Ok(Some(Self {
            blocks,
            positions,
            column: column.clone(),
            fingerprint: fingerprint(term.serialized_value_bytes()),
            decoder: lowered.decoder,
            how: lowered.how,
            stored: DocPayloads::default(),
        }))
    }

    /// `None` when no payload is stored with the term. Never to be asked for an earlier document than before.
    fn value(&mut self, doc: DocId) -> Option<f32> {
        let (start, count) = self.blocks.positions_of(doc)?;
        self.stored.read(&self.column, doc);
        let (stored, decoder, fingerprint) = (&self.stored, self.decoder, self.fingerprint);
        let (mut position, mut values) = (0u32, Vec::new());
        self.positions.read(start, count, |delta| {
            position = position.wrapping_add(delta);
            values.extend(stored.get(position, fingerprint).and_then(|payload| decoder.decode(payload)));
        });
        match self.how {
            Some(how) => how.of(values.into_iter()),
            None => values.first().copied(),
        }
    }
}
