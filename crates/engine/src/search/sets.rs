//! Sets of documents read straight from a segment: those of terms, of a range of terms, of a column.
//! Everything here is free of scores and of deletes.
//!
//! In: a segment's reader and a field, terms or bounds; out: bits, dead documents included, so that
//! a set holds for as long as the segment is there. Masks take the dead away (`mask`).

use std::fmt::Debug;
use std::ops::RangeInclusive;

use meter::Allowance;
use plan::Result;
use tantivy::columnar::{ColumnIndex, MonotonicallyMappableToU64};
use tantivy::fastfield::Column;
use tantivy::postings::{SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::termdict::TermStreamer;
use tantivy::{SegmentReader, Term};
use tantivy_fst::Automaton;

use crate::errors::from_tantivy;
use crate::layout::ColumnRef;
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::snapshot::SegmentView;

/// Documents with a value in the column.
pub(crate) fn column_docs(reader: &SegmentReader, column: &ColumnRef) -> Result<Bits> {
    let max_doc = reader.max_doc();
    let Some(opened) = AnyColumn::open(reader, column)? else { return Ok(Bits::none(max_doc)) };
    Ok(index_docs(opened.index(), max_doc))
}

pub(crate) fn index_docs(index: &ColumnIndex, max_doc: u32) -> Bits {
    match index {
        ColumnIndex::Empty { .. } => Bits::none(max_doc),
        ColumnIndex::Full => Bits::all(max_doc),
        ColumnIndex::Optional(optional) => Bits::from_docs(max_doc, optional.iter_non_null_docs()),
        multi @ ColumnIndex::Multivalued(_) => {
            Bits::from_docs(max_doc, (0..max_doc).filter(|doc| multi.has_value(*doc)))
        }
    }
}

/// Documents with a value of the column inside `range`.
///
/// Tantivy's own search takes a range below all values for one of the least value (0.27), so the ends are
/// checked here.
pub(crate) fn value_range_docs<T>(column: &Column<T>, range: &RangeInclusive<T>, max_doc: u32) -> Bits
where
    T: MonotonicallyMappableToU64 + Debug,
{
    let (least, greatest) = (column.min_value().to_u64(), column.max_value().to_u64());
    let (start, end) = ordered(range).into_inner();
    if end < least || start > greatest {
        return Bits::none(max_doc);
    }
    if start <= least && end >= greatest {
        return index_docs(&column.index, max_doc);
    }
    let mut docs = Vec::new();
    column.get_docids_for_value_range(range.clone(), 0..max_doc, &mut docs);
    Bits::from_docs(max_doc, docs)
}

/// Of some documents those with a value of the column inside `range`.
pub(crate) fn values_among<T>(column: &Column<T>, range: &RangeInclusive<T>, among: &Bits) -> Bits
where
    T: MonotonicallyMappableToU64 + Debug,
{
    let range = ordered(range);
    let mut bits = Bits::none(among.max_doc());
    if column.get_cardinality().is_full() {
        let mut values = Vec::new();
        among.for_each_run(|docs| {
            values.resize(docs.len(), column.min_value());
            column.values.get_vals(docs, &mut values);
            let inside = docs.iter().zip(&values).filter(|(_, value)| range.contains(&value.to_u64()));
            inside.for_each(|(doc, _)| bits.insert(*doc));
        });
        return bits;
    }
    let inside = |doc: &u32| column.values_for_doc(*doc).any(|value| range.contains(&value.to_u64()));
    among.iter().filter(inside).for_each(|doc| bits.insert(doc));
    bits
}

/// A range in the order of the column, which of reals is total: comparing them would make the two zeros equal
/// and leave out what is no number.
pub(crate) fn ordered<T: MonotonicallyMappableToU64>(range: &RangeInclusive<T>) -> RangeInclusive<u64> {
    range.start().to_u64()..=range.end().to_u64()
}

/// Documents with any term in the field.
pub(crate) fn field_terms_docs(view: &SegmentView, field: Field) -> Result<Bits> {
    let inverted = view.reader().inverted_index(field).map_err(from_tantivy)?;
    let mut bits = Bits::none(view.reader().max_doc());
    add_stream(
        view,
        field,
        inverted.terms().stream().map_err(from_tantivy)?,
        &mut bits,
        &Allowance::default(),
    )?;
    Ok(bits)
}

/// The postings of a term, if any document has it.
pub(crate) fn postings(
    reader: &SegmentReader,
    term: &Term,
    option: IndexRecordOption,
) -> Result<Option<SegmentPostings>> {
    let inverted = reader.inverted_index(term.field()).map_err(from_tantivy)?;
    inverted.read_postings(term, option).map_err(from_tantivy)
}

/// Adds the documents of a term.
pub(crate) fn add_postings(view: &SegmentView, field: Field, info: &TermInfo, bits: &mut Bits) -> Result<()> {
    let postings = view.postings().field(view.reader(), field)?;
    let mut bits = bits.inserter();
    postings.for_each_doc(info, |doc| bits.insert(doc))
}

/// Terms between looks at the allowance.
pub(crate) const TERMS_A_LOOK: u32 = 64;

/// Adds the documents of the terms that a stream yields, until `allowance` is used up.
pub(crate) fn add_stream<A: Automaton>(
    view: &SegmentView,
    field: Field,
    mut terms: TermStreamer<'_, A>,
    bits: &mut Bits,
    allowance: &Allowance,
) -> Result<()>
where
    A::State: Clone,
{
    if !terms.advance() {
        return Ok(());
    }
    let postings = view.postings().field(view.reader(), field)?;
    let mut bits = bits.inserter();
    let mut read = 0u32;
    loop {
        postings.for_each_doc(terms.value(), |doc| bits.insert(doc))?;
        read += 1;
        if read.is_multiple_of(TERMS_A_LOOK) && allowance.is_used_up() || !terms.advance() {
            return Ok(());
        }
    }
}
