//! Ranges, and "has any value". Numbers and strings with a column are read from it, others from their terms,
//! which sort as the values do. Every match scores the boost, as Lucene's point and term range queries.
//!
//! In: a range of a plan with typed bounds; out: a node whose documents are computed for a segment when it is
//! asked. A segment that keeps its documents in the order of values (`segment/value_order.rs`) answers from
//! that; where other clauses leave few documents, only these are looked at.

use std::ops::{Bound, Range as Ranks, RangeInclusive};
use std::sync::Arc;

use plan::{FieldClass, Range, Result, Value};
use tantivy::schema::Field;
use tantivy::{SegmentReader, Term};

use super::date_range;
use super::multi_term::column_strings_range;
use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef, FieldLayout, InvertedKind};
use crate::search::column_values::{flag, integer, real};
use crate::search::columns::{SegmentColumn, SegmentColumns};
use crate::search::computed_docs::ComputedDocs;
use crate::search::lower::lowering::Lowering;
use crate::search::node::{DocSource, Node};
use crate::search::sets::{add_stream, column_docs, field_terms_docs, value_range_docs, values_among};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::segment::value_order::ValueOrder;
use crate::snapshot::SegmentView;

impl Lowering<'_> {
    pub(super) fn range(&mut self, range: &Range, boost: f32) -> Result<Node> {
        if (&range.lower, &range.upper) == (&Bound::Unbounded, &Bound::Unbounded) {
            return Ok(self.exists(&range.field, boost));
        }
        let Some(layout) = self.field(&range.field) else { return Ok(Node::Nothing) };
        // So facets ask for their ranges: each bucket counts the documents whose time it meets.
        if layout.class() == FieldClass::DateRange {
            return match date_range::met(range) {
                Some(met) => self.date_range(&met, boost),
                None => Ok(Node::Nothing),
            };
        }
        let label = label(range, layout);
        let by_terms = layout.class().is_text() && layout.inverted.is_some();
        if let (Some(column), false) = (&layout.column, by_terms) {
            let Some(bounds) = Bounds::of(column, &range.lower, &range.upper) else {
                return Ok(Node::Nothing);
            };
            return self.column_range(column, bounds, boost, label);
        }
        Ok(self.term_range(layout, range, boost, label))
    }

    /// Documents with a value inside the bounds: by the order of values in segments that keep one, else by
    /// the column.
    pub(super) fn column_range(
        &self,
        column: &ColumnRef,
        bounds: Bounds,
        boost: f32,
        label: String,
    ) -> Result<Node> {
        let columns = Arc::new((SegmentColumns::of(self.context, column)?, bounds));
        let known = columns.clone();
        let all = move |reader: &SegmentReader| {
            let (columns, bounds) = &*known;
            column_range(reader, columns.get(reader.segment_id()), bounds)
        };
        let some = move |reader: &SegmentReader, among: &Bits| {
            let (columns, bounds) = &*columns;
            Ok(columns.get(reader.segment_id()).and_then(|column| range_among(column, bounds, among)))
        };
        let docs = ComputedDocs::new(all).or_among(some);
        Ok(Node::constant(DocSource::Computed(Arc::new(docs)), boost, label))
    }

    /// A range over the terms of an inverted field.
    fn term_range(&self, layout: &FieldLayout, range: &Range, boost: f32, label: String) -> Node {
        let Some(field) = layout.inverted else { return Node::Nothing };
        let Some((lower, upper)) = term_bounds(layout, field, range) else { return Node::Nothing };
        self.by_postings(boost, label, move |view, allowance| {
            let inverted = view.reader().inverted_index(field).map_err(from_tantivy)?;
            let mut terms = inverted.terms().range();
            terms = match &lower {
                Bound::Included(bytes) => terms.ge(bytes),
                Bound::Excluded(bytes) => terms.gt(bytes),
                Bound::Unbounded => terms,
            };
            terms = match &upper {
                Bound::Included(bytes) => terms.le(bytes),
                Bound::Excluded(bytes) => terms.lt(bytes),
                Bound::Unbounded => terms,
            };
            let mut bits = Bits::none(view.reader().max_doc());
            add_stream(view, field, terms.into_stream().map_err(from_tantivy)?, &mut bits, allowance)?;
            Ok(bits)
        })
    }

    pub(super) fn exists(&self, name: &str, boost: f32) -> Node {
        let Some(layout) = self.field(name).cloned() else { return Node::Nothing };
        let label = match layout.class().is_on_tree() {
            true => format!("{name}:*"),
            false => format!("FieldExistsQuery [field={name}]"),
        };
        self.by_postings(boost, label, move |view, _| exists_docs(view, &layout))
    }
}

/// Documents with any value in the field.
pub(crate) fn exists_docs(view: &SegmentView, layout: &FieldLayout) -> Result<Bits> {
    let reader = view.reader();
    match (&layout.column, layout.inverted) {
        (Some(column), Some(shapes)) if layout.class().is_place() => {
            let mut docs = field_terms_docs(view, shapes)?;
            docs.union(&column_docs(reader, column)?);
            Ok(docs)
        }
        (Some(column), _) if !layout.class().is_text() => column_docs(reader, column),
        (_, Some(field)) if layout.has_norms() => {
            // A segment of before the field was known has no lengths of it.
            if reader.inverted_index(field).map_err(from_tantivy)?.terms().num_terms() == 0 {
                return Ok(Bits::none(reader.max_doc()));
            }
            let norms = reader.get_fieldnorms_reader(field).map_err(from_tantivy)?;
            let docs = (0..reader.max_doc()).filter(|doc| norms.fieldnorm_id(*doc) > 0);
            Ok(Bits::from_docs(reader.max_doc(), docs))
        }
        (_, Some(field)) => field_terms_docs(view, field),
        (Some(column), None) => column_docs(reader, column),
        (None, None) => Ok(Bits::none(reader.max_doc())),
    }
}

/// The bounds of a range in a column's own values. `None` where nothing can lie between.
pub(crate) enum Bounds {
    I64(RangeInclusive<i64>),
    F64(RangeInclusive<f64>),
    Bool(RangeInclusive<bool>),
    Str(Bound<String>, Bound<String>),
}

impl Bounds {
    pub(crate) fn of(column: &ColumnRef, lower: &Bound<Value>, upper: &Bound<Value>) -> Option<Self> {
        Some(match column.kind {
            ColumnKind::I64 | ColumnKind::Place | ColumnKind::DateSpans | ColumnKind::Vector => {
                Bounds::I64(integers(lower, upper)?)
            }
            ColumnKind::F64 => Bounds::F64(reals(lower, upper)?),
            ColumnKind::Bool => Bounds::Bool(flags(lower, upper)?),
            ColumnKind::Str => Bounds::Str(as_text(lower), as_text(upper)),
        })
    }
}

/// Documents with a value of the column inside `bounds`.
fn column_range(reader: &SegmentReader, column: Option<&SegmentColumn>, bounds: &Bounds) -> Result<Bits> {
    if let Some((order, ranks)) = column.and_then(|column| ranks(column, bounds)) {
        return Ok(order.bits(ranks));
    }
    let max_doc = reader.max_doc();
    Ok(match (column.and_then(|column| column.values.as_ref()), bounds) {
        (Some(AnyColumn::I64(column)), Bounds::I64(range)) => value_range_docs(column, range, max_doc),
        (Some(AnyColumn::F64(column)), Bounds::F64(range)) => value_range_docs(column, range, max_doc),
        (Some(AnyColumn::Bool(column)), Bounds::Bool(range)) => value_range_docs(column, range, max_doc),
        (Some(AnyColumn::Str(column)), Bounds::Str(lower, upper)) => {
            return column_strings_range(reader, column, lower, upper);
        }
        _ => Bits::none(max_doc),
    })
}

/// The documents among some with a value of the column inside `bounds`; `None` where finding all is no more
/// work.
fn range_among(column: &SegmentColumn, bounds: &Bounds, among: &Bits) -> Option<Bits> {
    /// Of this many documents in order one is looked at in the time that one takes by its column.
    const QUICKER: u32 = 4;
    let effort = among.count().saturating_mul(QUICKER);
    let ranks = ranks(column, bounds);
    let narrow = match &ranks {
        Some((order, ranks)) => effort < order.effort(ranks),
        None => effort < among.max_doc(),
    };
    match (column.values.as_ref().filter(|_| narrow)?, bounds) {
        (AnyColumn::I64(column), Bounds::I64(range)) => Some(values_among(column, range, among)),
        (AnyColumn::F64(column), Bounds::F64(range)) => Some(values_among(column, range, among)),
        _ => None,
    }
}

/// The order that the segment keeps, and the ranks of the values inside `bounds`; `None` where it keeps none,
/// or column and bounds are of two kinds.
fn ranks<'c>(column: &'c SegmentColumn, bounds: &Bounds) -> Option<(&'c ValueOrder, Ranks<u32>)> {
    let order = column.order.as_ref()?;
    let ranks = match (column.values.as_ref()?, bounds) {
        (AnyColumn::I64(column), Bounds::I64(range)) => order.ranks(column, range),
        (AnyColumn::F64(column), Bounds::F64(range)) => order.ranks(column, range),
        _ => return None,
    };
    Some((order, ranks))
}

/// Adds the documents of each of several narrow `bounds`.
pub(super) fn add_narrow_ranges(
    reader: &SegmentReader,
    column: Option<&SegmentColumn>,
    all: &[Bounds],
    bits: &mut Bits,
) -> Result<()> {
    for bounds in all {
        match column.and_then(|column| ranks(column, bounds)) {
            Some((order, ranks)) => ranks.for_each(|rank| bits.insert(order.doc(rank))),
            None => bits.union(&column_range(reader, column, bounds)?),
        }
    }
    Ok(())
}

fn integers(lower: &Bound<Value>, upper: &Bound<Value>) -> Option<RangeInclusive<i64>> {
    let low = match lower {
        Bound::Included(value) => integer(value)?,
        Bound::Excluded(value) => integer(value)?.checked_add(1)?,
        Bound::Unbounded => i64::MIN,
    };
    let high = match upper {
        Bound::Included(value) => integer(value)?,
        Bound::Excluded(value) => integer(value)?.checked_sub(1)?,
        Bound::Unbounded => i64::MAX,
    };
    (low <= high).then_some(low..=high)
}

/// By the order that columns are in, as in Solr: -0.0 comes before 0.0, and what is no number after all
/// others, where only a bound that is none reaches it.
fn reals(lower: &Bound<Value>, upper: &Bound<Value>) -> Option<RangeInclusive<f64>> {
    let low = match lower {
        Bound::Included(value) => real(value)?,
        Bound::Excluded(value) => real_above(real(value)?)?,
        Bound::Unbounded => f64::NEG_INFINITY,
    };
    let high = match upper {
        Bound::Included(value) => real(value)?,
        Bound::Excluded(value) => real_below(real(value)?)?,
        Bound::Unbounded => f64::INFINITY,
    };
    low.total_cmp(&high).is_le().then_some(low..=high)
}

/// The next number; `None` of the greatest.
fn real_above(number: f64) -> Option<f64> {
    match number {
        f64::INFINITY => None,
        // `next_up` holds both zeros for one.
        zero if zero == 0.0 && zero.is_sign_negative() => Some(0.0),
        number => Some(number.next_up()),
    }
}

/// The number before; `None` of the least.
fn real_below(number: f64) -> Option<f64> {
    match number {
        f64::NEG_INFINITY => None,
        zero if zero == 0.0 && zero.is_sign_positive() => Some(-0.0),
        number => Some(number.next_down()),
    }
}

fn flags(lower: &Bound<Value>, upper: &Bound<Value>) -> Option<RangeInclusive<bool>> {
    let low = match lower {
        Bound::Included(value) => flag(value)?,
        Bound::Excluded(value) if !flag(value)? => true,
        Bound::Excluded(_) => return None,
        Bound::Unbounded => false,
    };
    let high = match upper {
        Bound::Included(value) => flag(value)?,
        Bound::Excluded(value) if flag(value)? => false,
        Bound::Excluded(_) => return None,
        Bound::Unbounded => true,
    };
    (low <= high).then_some(low..=high)
}

fn as_text(bound: &Bound<Value>) -> Bound<String> {
    bound.as_ref().map(Value::to_text)
}

type TermBounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

fn term_bounds(layout: &FieldLayout, field: Field, range: &Range) -> Option<TermBounds> {
    let included = |term: Term| term.serialized_value_bytes().to_vec();
    match layout.inverted_kind? {
        InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key => {
            let bytes = |bound: &Bound<Value>| bound.as_ref().map(|value| value.to_text().into_bytes());
            Some((bytes(&range.lower), bytes(&range.upper)))
        }
        InvertedKind::I64 => {
            let (low, high) = integers(&range.lower, &range.upper)?.into_inner();
            let bytes = |number| Bound::Included(included(Term::from_field_i64(field, number)));
            Some((bytes(low), bytes(high)))
        }
        InvertedKind::F64 => {
            let (low, high) = reals(&range.lower, &range.upper)?.into_inner();
            let bytes = |number| Bound::Included(included(Term::from_field_f64(field, number)));
            Some((bytes(low), bytes(high)))
        }
        InvertedKind::Bool => {
            let (low, high) = flags(&range.lower, &range.upper)?.into_inner();
            let bytes = |flag| Bound::Included(included(Term::from_field_bool(field, flag)));
            Some((bytes(low), bytes(high)))
        }
    }
}

/// As Lucene prints it: points with inclusive bounds of their numbers, terms as given.
fn label(range: &Range, layout: &FieldLayout) -> String {
    if layout.class().is_point() {
        let shown = match layout.column.as_ref().map(|column| column.kind) {
            Some(ColumnKind::F64) => reals(&range.lower, &range.upper).map(|range| {
                (Value::Double(*range.start()).to_text(), Value::Double(*range.end()).to_text())
            }),
            _ => integers(&range.lower, &range.upper).map(|range| shown(layout, &range)),
        };
        let (low, high) = shown.unwrap_or_default();
        return format!("{}:[{low} TO {high}]", range.field);
    }
    let text = |bound: &Bound<Value>| match bound {
        Bound::Included(value) | Bound::Excluded(value) => value.to_text(),
        Bound::Unbounded => "*".to_owned(),
    };
    let open = if matches!(range.lower, Bound::Excluded(_)) { '{' } else { '[' };
    let close = if matches!(range.upper, Bound::Excluded(_)) { '}' } else { ']' };
    format!("{}:{open}{} TO {}{close}", range.field, text(&range.lower), text(&range.upper))
}

/// Open ends are the least and greatest number of the class.
fn shown(layout: &FieldLayout, range: &RangeInclusive<i64>) -> (String, String) {
    let int = layout.class() == FieldClass::Int;
    let (least, greatest) =
        if int { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (i64::MIN, i64::MAX) };
    ((*range.start()).max(least).to_string(), (*range.end()).min(greatest).to_string())
}

/// A value as points print: dates as milliseconds.
pub(super) fn number_text(value: &Value) -> String {
    match value {
        Value::Date(ms) => ms.to_string(),
        other => other.to_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_are_bounded_in_the_order_of_columns() {
        let check = |lower: Bound<f64>, upper: Bound<f64>, expected: Option<(f64, f64)>| {
            let found =
                reals(&lower.map(Value::Double), &upper.map(Value::Double)).map(RangeInclusive::into_inner);
            let bits = |ends: (f64, f64)| (ends.0.to_bits(), ends.1.to_bits());
            assert_eq!(found.map(bits), expected.map(bits), "{lower:?} {upper:?}");
        };
        use Bound::{Excluded, Included, Unbounded};
        let endless = f64::INFINITY;
        check(Unbounded, Unbounded, Some((-endless, endless)));
        check(Included(0.0), Included(-0.0), None);
        check(Excluded(-0.0), Excluded(0.0), None);
        check(Excluded(-0.0), Included(0.0), Some((0.0, 0.0)));
        check(Included(-0.0), Excluded(0.0), Some((-0.0, -0.0)));
        check(Excluded(0.0), Unbounded, Some((f64::from_bits(1), endless)));
        check(Excluded(endless), Unbounded, None);
        check(Unbounded, Excluded(-endless), None);
        check(Included(1.0), Included(f64::NAN), Some((1.0, f64::NAN)));
        check(Included(f64::NAN), Unbounded, None);
    }
}
