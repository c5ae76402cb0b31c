//! Term and field statistics as Lucene counts them: per field, over all segments of a snapshot, deleted
//! documents included until a merge drops them. `CollectionStatistics` and `TermStatistics` of Lucene 9 are
//! the source of the definitions.

use plan::Result;
use tantivy::postings::{Postings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, InvertedIndexReader, TERMINATED, Term};

use super::bm25::length_worths;
use super::counted_by::CountedBy;
use super::sets::{column_docs, field_terms_docs};
use crate::errors::from_tantivy;
use crate::layout::{FieldLayout, InvertedKind};
use crate::search::context::{SearchContext, SearchSegment};
use crate::snapshot::field_stats::{FieldStats, LengthWorths, SegmentFieldStats, TermInfos};

impl SearchContext<'_> {
    /// Of a field, whose layout this is.
    pub(crate) fn field_stats(
        &self,
        layout: &FieldLayout,
        field: Field,
    ) -> Result<(FieldStats, LengthWorths)> {
        if let CountedBy::Shard = self.counted_by {
            return self.own_field_stats(layout, field);
        }
        let stats = self.counted_by.field(layout, || Ok(self.own_field_stats(layout, field)?.0))?;
        Ok((stats, length_worths(layout.similarity(), stats.average_length())))
    }

    /// All documents, and those of them that live.
    pub(crate) fn all_documents(&self) -> (u64, u64) {
        let segments = || self.segments.iter();
        let all = segments().map(|segment| u64::from(segment.max_doc())).sum();
        let living = segments().map(|segment| u64::from(segment.reader.num_docs())).sum();
        self.counted_by.all_documents((all, living))
    }

    /// Documents with a term of a field.
    pub(crate) fn doc_freq(&self, layout: &FieldLayout, term: &Term) -> Result<u64> {
        Ok(self.counted_by.documents(layout, term, doc_freq(&term_infos(self, term)?)))
    }

    fn own_field_stats(&self, layout: &FieldLayout, field: Field) -> Result<(FieldStats, LengthWorths)> {
        let similarity = layout.similarity();
        if let Some(known) = self.known_fields.get(field, similarity) {
            return Ok(known);
        }
        let mut stats = FieldStats::default();
        for segment in &self.segments {
            let part = segment_stats(self, segment, layout, field)?;
            stats.doc_count += part.doc_count;
            stats.total_term_freq += part.total_term_freq;
        }
        let worths = length_worths(similarity, stats.average_length());
        self.known_fields.keep(field, similarity, (stats, worths.clone()));
        Ok((stats, worths))
    }
}

/// What each segment's dictionary says of the term.
pub(crate) fn term_infos(context: &SearchContext<'_>, term: &Term) -> Result<TermInfos> {
    if let Some(known) = context.known_terms.get(term) {
        return Ok(known);
    }
    let info = |segment: &SearchSegment<'_>| {
        let inverted = segment.reader.inverted_index(term.field()).map_err(from_tantivy)?;
        inverted.get_term_info(term).map_err(from_tantivy)
    };
    let infos: TermInfos = context.segments.iter().map(info).collect::<Result<_>>()?;
    context.known_terms.keep(term, infos.clone());
    Ok(infos)
}

/// What a term of a field weighs by how few documents have it: ln(N / (df + 1)) + 1, all documents counted,
/// the deleted too.
pub(crate) fn rarity(context: &SearchContext<'_>, layout: &FieldLayout, text: &str) -> Result<f32> {
    let Some(field) = layout.inverted else { return Ok(1.0) };
    let frequency = context.doc_freq(layout, &Term::from_field_text(field, text))?;
    let (documents, _) = context.all_documents();
    Ok(((documents as f64 / (frequency + 1) as f64).ln() + 1.0) as f32)
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
        let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
        if inverted.terms().num_terms() == 0 {
            return Ok(SegmentFieldStats::default());
        }
        if !layout.has_norms() && !layout.class().is_text() {
            return once_each(segment, layout, field);
        }
        // Where frequencies are not kept, Lucene counts a word once for each of its documents.
        let tokens = match layout.inverted_kind {
            Some(InvertedKind::Text { frequencies: false, .. }) => sum_of_doc_freqs(&inverted)?,
            _ => inverted.total_num_tokens(),
        };
        let doc_count = text_doc_count(segment, layout, field)?;
        Ok(SegmentFieldStats { doc_count, total_term_freq: tokens.max(doc_count) })
    })
}

/// Of a field whose terms count once a document. What tantivy notes of such a field is an estimate once a
/// merge has dropped documents, and scores would depend on when that was.
fn once_each(segment: &SearchSegment<'_>, layout: &FieldLayout, field: Field) -> Result<SegmentFieldStats> {
    let of = |documents| SegmentFieldStats { doc_count: documents, total_term_freq: documents };
    let columned = || layout.column.as_ref().map(|column| column_docs(segment.reader, column)).transpose();
    if !layout.spec.properties.multi_valued {
        // Every document has one; the dictionary is as long as the segment, and would be walked for nothing.
        if field == crate::layout::ID_FIELD {
            return Ok(of(u64::from(segment.max_doc())));
        }
        if let Some(docs) = columned()? {
            return Ok(of(u64::from(docs.count())));
        }
    }
    let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
    let total = sum_of_doc_freqs(&inverted)?;
    let doc_count = match (layout.spec.properties.multi_valued, columned()?) {
        (false, _) => total,
        (true, Some(docs)) => u64::from(docs.count()),
        (true, None) => u64::from(field_terms_docs(segment.view, field)?.count()),
    };
    Ok(SegmentFieldStats { doc_count, total_term_freq: total.max(doc_count) })
}

fn sum_of_doc_freqs(inverted: &InvertedIndexReader) -> Result<u64> {
    let (mut terms, mut total) = (inverted.terms().stream().map_err(from_tantivy)?, 0);
    while terms.advance() {
        total += u64::from(terms.value().doc_freq);
    }
    Ok(total)
}

/// Lengths tell it where they are kept, and else the terms themselves.
fn text_doc_count(segment: &SearchSegment<'_>, layout: &FieldLayout, field: Field) -> Result<u64> {
    if layout.has_norms() {
        let norms = segment.reader.get_fieldnorms_reader(field).map_err(from_tantivy)?;
        return Ok((0..segment.max_doc()).filter(|doc| norms.fieldnorm_id(*doc) > 0).count() as u64);
    }
    Ok(u64::from(field_terms_docs(segment.view, field)?.count()))
}
