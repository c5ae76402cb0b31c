//! Term and field statistics as Lucene counts them: per field, over all segments of a snapshot, deleted documents included
//! until a merge drops them. `CollectionStatistics` and `TermStatistics` of Lucene 9 are the source of the definitions.

use std::collections::HashMap;

use plan::Result;
use tantivy::postings::{Postings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, TERMINATED, Term};

use super::error::engine_error;
use super::sets::{column_docs, field_terms_docs};
use super::{SearchContext, SearchSegment};
use crate::layout::FieldLayout;

/// Of one field in one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SegmentFieldStats {
    /// Documents with at least one term.
    pub(crate) doc_count: u64,
    /// Terms counted as often as they occur.
    pub(crate) total_term_freq: u64,
}

/// Of one field in a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FieldStats {
    pub(crate) doc_count: u64,
    pub(crate) total_term_freq: u64,
}

impl FieldStats {
    /// Lucene's `avgdl`: divided in double, kept in single precision.
    pub(crate) fn average_length(self) -> f32 {
        if self.doc_count == 0 {
            return 1.0;
        }
        (self.total_term_freq as f64 / self.doc_count as f64) as f32
    }
}

/// Statistics of one search, each asked once.
#[derive(Default)]
pub(crate) struct Statistics {
    fields: HashMap<Field, FieldStats>,
}

impl Statistics {
    pub(crate) fn field(
        &mut self,
        context: &SearchContext<'_>,
        layout: &FieldLayout,
        field: Field,
    ) -> Result<FieldStats> {
        if let Some(known) = self.fields.get(&field) {
            return Ok(*known);
        }
        let mut stats = FieldStats::default();
        for segment in &context.segments {
            let part = segment_stats(context, segment, layout, field)?;
            stats.doc_count += part.doc_count;
            stats.total_term_freq += part.total_term_freq;
        }
        self.fields.insert(field, stats);
        Ok(stats)
    }
}

/// What each segment's dictionary says of the term.
pub(crate) fn term_infos(context: &SearchContext<'_>, term: &Term) -> Result<Vec<Option<TermInfo>>> {
    let info = |segment: &SearchSegment<'_>| {
        let inverted = segment.reader.inverted_index(term.field()).map_err(engine_error)?;
        inverted.get_term_info(term).map_err(engine_error)
    };
    context.segments.iter().map(info).collect()
}

/// Documents with the term, deleted ones included.
pub(crate) fn doc_freq(infos: &[Option<TermInfo>]) -> u64 {
    infos.iter().flatten().map(|info| u64::from(info.doc_freq)).sum()
}

/// Occurrences of the term, deleted documents included; documents where the field keeps no frequencies.
pub(crate) fn total_term_freq(context: &SearchContext<'_>, term: &Term, counted: bool) -> Result<u64> {
    let option = if counted { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
    let mut total = 0;
    for segment in &context.segments {
        let found = super::sets::postings(segment.reader, term, option)?;
        let Some(mut postings) = found else { continue };
        while postings.doc() != TERMINATED {
            total += if counted { u64::from(postings.term_freq()) } else { 1 };
            postings.advance();
        }
    }
    Ok(total)
}

pub(crate) fn segment_stats(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    layout: &FieldLayout,
    field: Field,
) -> Result<SegmentFieldStats> {
    context.caches.stats(segment.view.id(), field, || {
        let inverted = segment.reader.inverted_index(field).map_err(engine_error)?;
        let tokens = inverted.total_num_tokens();
        if tokens == 0 && inverted.terms().num_terms() == 0 {
            return Ok(SegmentFieldStats::default());
        }
        let doc_count = doc_count(segment, layout, field, tokens)?;
        Ok(SegmentFieldStats { doc_count, total_term_freq: tokens.max(doc_count) })
    })
}

/// Lengths tell it where they are kept; then the column, then the terms themselves.
fn doc_count(segment: &SearchSegment<'_>, layout: &FieldLayout, field: Field, tokens: u64) -> Result<u64> {
    if layout.has_norms() {
        let norms = segment.reader.get_fieldnorms_reader(field).map_err(engine_error)?;
        return Ok((0..segment.max_doc()).filter(|doc| norms.fieldnorm_id(*doc) > 0).count() as u64);
    }
    if !layout.spec.properties.multi_valued && !layout.class().is_text() {
        return Ok(tokens);
    }
    if let (Some(column), false) = (&layout.column, layout.class().is_text()) {
        return Ok(u64::from(column_docs(segment.reader, column)?.count()));
    }
    Ok(u64::from(field_terms_docs(segment.view, field)?.count()))
}
