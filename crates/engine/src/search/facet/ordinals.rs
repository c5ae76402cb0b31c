//! The values of a string column over a whole snapshot, numbered in their order, so that facets count into
//! one array and read only the texts they show. Each segment numbers its own values; here is what those
//! numbers are worth together. Lucene calls it an ordinal map. Made once for a list of segments, kept in the
//! caches.

use std::ops::Range;
use std::sync::Arc;

use plan::{Result, Value};
use tantivy::columnar::{Column, ColumnIndex, StrColumn};

use super::domain::Domain;
use super::values::each_distinct;
use crate::errors::from_tantivy;
use crate::layout::ColumnRef;
use crate::search::context::SearchContext;
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::snapshot::global_ordinals::GlobalOrdinals;

/// The common numbers of a column's values; none for a column that holds no strings.
pub(crate) fn ordinals(
    context: &SearchContext<'_>,
    column: &ColumnRef,
) -> Result<std::sync::Arc<GlobalOrdinals>> {
    Ok(Strings::open(context, column)?.ordinals)
}

/// A string column in every segment of a search, and its values in one numbering.
pub(crate) struct Strings {
    columns: Vec<Option<StrColumn>>,
    ordinals: Arc<GlobalOrdinals>,
}

impl Strings {
    pub(crate) fn open(context: &SearchContext<'_>, column: &ColumnRef) -> Result<Self> {
        let mut columns = Vec::with_capacity(context.segments.len());
        for segment in &context.segments {
            columns.push(match segment.view.column(column)? {
                Some(AnyColumn::Str(column)) => Some(column),
                _ => None,
            });
        }
        let segments = context.segments.iter().map(|segment| segment.view.id()).collect();
        let ordinals = context.caches.ordinals(&column.name, segments, || GlobalOrdinals::build(&columns))?;
        Ok(Self { columns, ordinals })
    }

    /// Hits by value, in the order of values; a document counts once for each distinct one.
    pub(super) fn counts(&self, domain: &[Arc<Bits>]) -> Vec<u32> {
        let mut sums = vec![0u32; self.ordinals.len()];
        for (segment, (column, hits)) in self.columns.iter().zip(domain).enumerate() {
            let Some(column) = column else { continue };
            let common = self.ordinals.common(segment);
            let mut add = |ord, count| {
                if let Some(sum) = sums.get_mut(common(ord)) {
                    *sum = sum.wrapping_add(count);
                }
            };
            // Of most documents, those left out are counted, and taken from what all are known to have.
            let totals = if hits.is_most() { self.totals(segment, column) } else { None };
            let (counted, complement);
            let (docs, sign) = match totals {
                Some(totals) => {
                    (0..).zip(totals).for_each(|(ord, count)| add(ord, *count));
                    complement = hits.complement();
                    (&complement, u32::MAX)
                }
                None => (&**hits, 1),
            };
            // Where documents are few, a count for each of the segment's values would cost more than they do.
            if (docs.count() as usize) < column.dictionary().num_terms() {
                each_ord(column, docs, |ord| add(ord, sign));
            } else {
                counted = ord_counts(column, docs);
                (0..).zip(counted).for_each(|(ord, count)| add(ord, count.wrapping_mul(sign)));
            }
        }
        sums
    }

    /// Documents of a segment by its own numbers, dead ones included.
    fn totals(&self, segment: usize, column: &StrColumn) -> Option<&[u32]> {
        let count = || ord_counts(column, &Bits::all(column.ords().num_docs()));
        self.ordinals.totals.get(segment).map(|totals| &totals.get_or_init(count)[..])
    }

    /// How many values there are.
    pub(crate) fn cardinality(&self) -> usize {
        self.ordinals.len()
    }

    pub(crate) fn column(&self, segment: usize) -> Option<&StrColumn> {
        self.columns.get(segment)?.as_ref()
    }

    /// The common number of a segment's own; past all values where it has none.
    pub(crate) fn common(&self, segment: usize) -> impl Fn(u64) -> usize + '_ {
        self.ordinals.common(segment)
    }

    /// The numbers of the values that begin with `prefix`.
    pub(super) fn with_prefix(&self, prefix: &str) -> Result<Range<u64>> {
        let start = self.first_that(|text| text >= prefix)?;
        let end = self.first_that(|text| text >= prefix && !text.starts_with(prefix))?;
        Ok(start..end)
    }

    /// The first number whose value `holds`, which all after it do too.
    fn first_that(&self, holds: impl Fn(&str) -> bool) -> Result<u64> {
        let (mut low, mut high) = (0, self.cardinality());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(&self.text(middle)?) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low as u64)
    }

    /// The number of a value of a plan; none of what is no text.
    pub(crate) fn find_value(&self, wanted: &Value) -> Result<Option<u64>> {
        wanted.as_str().map_or(Ok(None), |text| self.find(text))
    }

    /// The number of a value.
    pub(crate) fn find(&self, wanted: &str) -> Result<Option<u64>> {
        let number = self.first_that(|text| text >= wanted)?;
        let is_it = (number as usize) < self.cardinality() && self.text(number as usize)? == wanted;
        Ok(is_it.then_some(number))
    }

    /// Every value with its count; those without hits where `zeros` asks for them.
    pub(super) fn all(&self, domain: &Domain, zeros: bool) -> Result<Vec<(Value, u64)>> {
        let counted = self.counts(domain).into_iter().enumerate().filter(|(_, count)| zeros || *count > 0);
        counted.map(|(number, count)| Ok((Value::Str(self.text(number)?), u64::from(count)))).collect()
    }

    /// The text of a value by its number.
    pub(crate) fn text(&self, number: usize) -> Result<String> {
        let mut text = String::new();
        self.read_text(number, &mut text)?;
        Ok(text)
    }

    /// The same, behind what `to` holds.
    pub(crate) fn read_text(&self, number: usize, to: &mut String) -> Result<()> {
        if let Some(text) = self.ordinals.texts.as_ref().and_then(|texts| texts.get(number)) {
            to.push_str(text);
            return Ok(());
        }
        if let Some((segment, ord)) = self.ordinals.places.get(number)
            && let Some(Some(column)) = self.columns.get(*segment as usize)
        {
            let mut text = String::new();
            column.ord_to_str(u64::from(*ord), &mut text).map_err(from_tantivy)?;
            to.push_str(&text);
        }
        Ok(())
    }
}

/// Hits by a segment's own numbers.
fn ord_counts(column: &StrColumn, hits: &Bits) -> Vec<u32> {
    let mut counts = vec![0u32; column.dictionary().num_terms()];
    each_ord(column, hits, |ord| {
        if let Some(count) = counts.get_mut(ord as usize) {
            *count += 1;
        }
    });
    counts
}

/// Calls `take` with the values of each hit, each distinct one once.
fn each_ord(column: &StrColumn, hits: &Bits, mut take: impl FnMut(u64)) {
    let ords = column.ords();
    match &ords.index {
        ColumnIndex::Empty { .. } => {}
        ColumnIndex::Full => each_of_full(ords, hits, take),
        ColumnIndex::Optional(_) => hits.iter().filter_map(|doc| ords.first(doc)).for_each(take),
        ColumnIndex::Multivalued(_) => hits.iter().for_each(|doc| each_distinct(ords, doc, &mut take)),
    }
}

fn each_of_full(ords: &Column<u64>, hits: &Bits, mut take: impl FnMut(u64)) {
    let mut values = Vec::new();
    hits.for_each_run(|docs| {
        values.resize(docs.len(), 0);
        ords.values.get_vals(docs, &mut values);
        values.iter().for_each(|ord| take(*ord));
    });
}
