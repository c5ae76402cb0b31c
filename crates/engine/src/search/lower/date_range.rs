//! Stretches of time (Solr's `DateRangeField`), which tantivy has no type for. Each document has one column
//! of whole numbers: where the stretches that all its values make together begin and end, ascending, so that
//! ends stay with their begins whatever several values there are (`plan::span_bounds`). Solr keeps terms of a
//! tree instead, up to some hundred for a range; the column takes 16 bytes of one, and answers exactly.
//!
//! In: a query of a plan; out: a node whose documents are computed for a segment when it is asked, all of
//! them or, where other clauses leave few, those among them. Which bounds match is `plan::DateRangeQuery`'s.

use std::ops::Bound;
use std::sync::Arc;

use plan::{DateRangeQuery, DateSpan, Range, Relation, Result, Value};
use tantivy::SegmentReader;
use tantivy::columnar::{Column, ColumnIndex};

use crate::search::columns::SegmentColumns;
use crate::search::computed_docs::ComputedDocs;
use crate::search::lower::lowering::Lowering;
use crate::search::node::{DocSource, Node};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

impl Lowering<'_> {
    pub(super) fn date_range(&mut self, query: &DateRangeQuery, boost: f32) -> Result<Node> {
        let column = self.field(&query.field).and_then(|layout| layout.column.clone());
        let Some(column) = column else { return Ok(Node::Nothing) };
        let label = query.to_string();
        let known = Arc::new((SegmentColumns::of(self.context, &column)?, query.clone()));
        let among = known.clone();
        let all = move |reader: &SegmentReader| {
            let (columns, query) = &*known;
            let none = Bits::none(reader.max_doc());
            Ok(match columns.values(reader.segment_id()) {
                Some(AnyColumn::I64(column)) => all_matching(column, query, reader.max_doc()),
                _ => none,
            })
        };
        let some = move |reader: &SegmentReader, docs: &Bits| {
            let (columns, query) = &*among;
            // All of them serve the next clause too; so many are found in little more time.
            if docs.count() > docs.max_doc() / 2 {
                return Ok(None);
            }
            let Some(AnyColumn::I64(column)) = columns.values(reader.segment_id()) else { return Ok(None) };
            let matching = docs.iter().filter(|doc| query.matches(column.values_for_doc(*doc)));
            Ok(Some(Bits::from_docs(reader.max_doc(), matching)))
        };
        let docs = ComputedDocs::new(all).or_among(some);
        Ok(Node::constant(DocSource::Computed(Arc::new(docs)), boost, label))
    }
}

/// The documents of a segment that match, in one pass over its column.
fn all_matching(column: &Column<i64>, query: &DateRangeQuery, max_doc: u32) -> Bits {
    // The least begin and the last end of the segment: logs that are cut by time have most of their segments
    // wholly before or behind what is asked.
    let (least, greatest) = (column.min_value(), column.max_value());
    if greatest <= query.span.begin() || least >= query.span.end() {
        return Bits::none(max_doc);
    }
    let matches = |doc: &u32| query.matches(column.values_for_doc(*doc));
    match &column.index {
        ColumnIndex::Empty { .. } => Bits::none(max_doc),
        _ => Bits::from_docs(max_doc, (0..max_doc).filter(matches)),
    }
}

/// A range with bounds of instants, as the query for what meets it; `None` where nothing can.
///
/// A bound that is left out is a millisecond away from the instant, as in Solr.
pub(super) fn met(range: &Range) -> Option<DateRangeQuery> {
    let ms = |value: &Value| match value {
        Value::Date(ms) => Some(*ms),
        _ => None,
    };
    let from = match &range.lower {
        Bound::Included(value) => DateSpan::instant(ms(value)?),
        Bound::Excluded(value) => DateSpan::instant(ms(value)?.checked_add(1)?),
        Bound::Unbounded => DateSpan::ALL,
    };
    let to = match &range.upper {
        Bound::Included(value) => DateSpan::instant(ms(value)?),
        Bound::Excluded(value) => DateSpan::instant(ms(value)?.checked_sub(1)?),
        Bound::Unbounded => DateSpan::ALL,
    };
    let span = DateSpan::between(from, to).ok()?;
    Some(DateRangeQuery { field: range.field.clone(), relation: Relation::Intersects, span })
}
