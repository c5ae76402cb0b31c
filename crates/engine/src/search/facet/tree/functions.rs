//! A function in the place of a column: its values, as keys of reals, are computed where a statistic reads
//! them. The statistics above it know keys and no functions; which documents have a value is asked of the
//! function, or, for some of Solr's statistics, not asked at all (`present_only`).

use plan::{Function, Result};
use tantivy::{DocId, SegmentReader};

use super::keys::Keys;
use crate::search::context::SearchContext;
use crate::search::function::{DOC_BATCH, FunctionReader, FunctionValues as _, LoweredFunction, lower};

pub(super) struct FunctionColumn {
    lowered: LoweredFunction,
    present_only: bool,
    segments: Vec<SegmentReader>,
}

impl FunctionColumn {
    pub(super) fn open(context: &SearchContext<'_>, function: &Function, present_only: bool) -> Result<Self> {
        let segments = context.segments.iter().map(|segment| segment.reader.clone()).collect();
        Ok(Self { lowered: lower(context, function)?, present_only, segments })
    }

    /// For one walk over the documents of a segment; `None` of a segment that is not there.
    pub(super) fn walk(&self, segment: usize) -> Result<Option<FunctionWalk>> {
        let Some(reader) = self.segments.get(segment) else { return Ok(None) };
        let (reader, present_only) = (FunctionReader::open(&self.lowered, reader)?, self.present_only);
        Ok(Some(FunctionWalk { segment, reader, present_only }))
    }
}

/// A function in a segment, going forward.
pub(super) struct FunctionWalk {
    pub(super) segment: usize,
    reader: FunctionReader,
    present_only: bool,
}

impl FunctionWalk {
    /// The values of `docs`, which ascend and may repeat, and come after those read before or are the last of
    /// them.
    pub(super) fn read(&mut self, docs: &[DocId], out: &mut Keys) {
        out.clear();
        let mut distinct = docs.to_vec();
        distinct.dedup();
        let (mut values, mut present) = (vec![0.0; distinct.len()], vec![false; distinct.len()]);
        let batches =
            distinct.chunks(DOC_BATCH).zip(values.chunks_mut(DOC_BATCH)).zip(present.chunks_mut(DOC_BATCH));
        for ((docs, values), present) in batches {
            self.reader.doubles(docs, values);
            self.reader.present(docs, present);
        }
        let mut found = distinct.iter().zip(values.iter().zip(&present)).peekable();
        for (place, doc) in (0..).zip(docs) {
            while found.next_if(|(known, _)| *known < doc).is_some() {}
            if let Some((_, (value, present))) = found.peek()
                && (**present || (!self.present_only && **value != 0.0))
            {
                out.push_real(place, **value);
            }
        }
    }
}
