//! A column over all segments, its values read as *keys*: unsigned numbers whose order is that of the values
//! and that mean the same in every segment. Strings are their common ordinals; numbers are shifted so that
//! negative ones come first. One reading of columns serves whatever is counted and summed up below this
//! folder.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use plan::partial::DistinctValues;
use plan::{FieldClass, FieldType, Result, Value};
use tantivy::DocId;
use tantivy::columnar::{Column, ColumnIndex};

use crate::layout::{ColumnKind, FieldLayout, Words};
use crate::search::column_values::{integer, real};
use crate::search::context::SearchContext;
use crate::search::facet::ordinals::Strings;
use crate::search::facet::values::each_distinct;
use crate::segment::columns::AnyColumn;
use crate::segment::columns::{integer_value, real_value, shown_integer};

const SIGN: u64 = 1 << 63;

pub(super) enum KeyColumn {
    Strings(Strings),
    /// Integers, dates, reals and booleans, of one kind in all segments.
    Numbers(NumberForm, ColumnKind, Vec<Option<AnyColumn>>),
}

/// How a number of a column is shown.
pub(super) enum NumberForm {
    Of(FieldClass),
    /// By the names of an enumeration, whose places the column holds.
    Names(Arc<FieldType>),
}

/// Values of some documents.
#[derive(Default)]
pub(super) struct Keys {
    keys: Vec<u64>,
    /// By key the place of its document, ascending; nothing where every document has just one.
    places: Vec<u32>,
    one_each: bool,
}

impl KeyColumn {
    /// No column, but keys of reals that are computed.
    pub(super) fn computed() -> Self {
        Self::Numbers(NumberForm::Of(FieldClass::Double), ColumnKind::F64, Vec::new())
    }

    /// `None` where the field has no column of values.
    pub(super) fn open(context: &SearchContext<'_>, layout: &FieldLayout) -> Result<Option<Self>> {
        let Some(column) = &layout.column else { return Ok(None) };
        // Begins and ends are no values: Solr lists none, and counts none.
        if column.kind == ColumnKind::DateSpans {
            return Ok(None);
        }
        if column.kind == ColumnKind::Str {
            return Ok(Some(Self::Strings(Strings::open(context, column)?)));
        }
        let segments = context.segments.iter();
        let columns = segments.map(|segment| segment.view.column(column));
        let form = match layout.class() {
            FieldClass::Enum => NumberForm::Names(layout.spec.field_type.clone()),
            class => NumberForm::Of(class),
        };
        Ok(Some(Self::Numbers(form, column.kind, columns.collect::<Result<_>>()?)))
    }

    /// As [`KeyColumn::open`], and the words of a text field.
    pub(super) fn with_words(context: &SearchContext<'_>, layout: &FieldLayout) -> Result<Option<Self>> {
        match layout.words(Words::All) {
            Some(words) => Ok(Some(Self::Strings(Strings::open(context, &words)?))),
            None => Self::open(context, layout),
        }
    }

    /// The values of `docs`; `distinct` leaves out those that a document has already. Strings always are.
    pub(super) fn read(&self, segment: usize, docs: &[DocId], distinct: bool, out: &mut Keys) {
        out.clear();
        match self {
            Self::Strings(strings) => {
                let Some(column) = strings.column(segment) else { return };
                let common = strings.common(segment);
                // A document's strings are a set in Lucene's column, where numbers may repeat.
                read(column.ords(), docs, true, out, |ord| common(ord) as u64);
            }
            Self::Numbers(_, _, columns) => match columns.get(segment) {
                Some(Some(AnyColumn::I64(column))) => read(column, docs, distinct, out, of_integer),
                Some(Some(AnyColumn::F64(column))) => read(column, docs, distinct, out, of_real),
                Some(Some(AnyColumn::Bool(column))) => read(column, docs, distinct, out, u64::from),
                _ => {}
            },
        }
    }

    /// How many keys there are where they are few and all below that: of strings and booleans.
    pub(super) fn cardinality(&self) -> Option<usize> {
        match self {
            Self::Strings(strings) => Some(strings.cardinality()),
            Self::Numbers(_, ColumnKind::Bool, _) => Some(2),
            Self::Numbers(..) => None,
        }
    }

    /// The value of a key, as its field's class shows it.
    pub(super) fn value(&self, key: u64) -> Result<Value> {
        Ok(match self {
            Self::Strings(strings) => Value::Str(strings.text(key as usize)?),
            Self::Numbers(_, ColumnKind::Bool, _) => Value::Bool(key != 0),
            Self::Numbers(NumberForm::Names(kind), ..) => shown_integer(kind, to_integer(key)),
            Self::Numbers(NumberForm::Of(class), ColumnKind::F64, _) => real_value(*class, to_real(key)),
            Self::Numbers(NumberForm::Of(class), ..) => integer_value(*class, to_integer(key)),
        })
    }

    /// The values of keys that are in order.
    pub(super) fn distinct_values(&self, keys: Vec<u64>) -> Result<DistinctValues> {
        let Self::Strings(strings) = self else {
            return Ok(DistinctValues::of(
                keys.into_iter().map(|key| self.value(key)).collect::<Result<_>>()?,
            ));
        };
        let mut keys = keys.into_iter();
        DistinctValues::of_texts(|all| match keys.next() {
            Some(key) => strings.read_text(key as usize, all).map(|()| true),
            None => Ok(false),
        })
    }

    /// The keys that buckets without documents may have: those of the strings and booleans of the index.
    pub(super) fn known_keys(&self) -> Range<u64> {
        match self {
            Self::Strings(strings) => 0..strings.cardinality() as u64,
            Self::Numbers(_, ColumnKind::Bool, columns) => {
                let ends = columns.iter().filter_map(|column| match column {
                    Some(AnyColumn::Bool(column)) if column.values.num_vals() > 0 => {
                        Some((u64::from(column.min_value()), u64::from(column.max_value())))
                    }
                    _ => None,
                });
                ends.fold(0..0, |range, (least, greatest)| match range.is_empty() {
                    true => least..greatest + 1,
                    false => range.start.min(least)..range.end.max(greatest + 1),
                })
            }
            Self::Numbers(..) => 0..0,
        }
    }

    /// The key of a value as [`KeyColumn::value`] shows it; `None` of a string that no document has.
    pub(super) fn find(&self, value: &Value) -> Result<Option<u64>> {
        match (self, value) {
            (Self::Strings(strings), value) => strings.find_value(value),
            (Self::Numbers(_, ColumnKind::Bool, _), Value::Bool(flag)) => Ok(Some(u64::from(*flag))),
            _ => Ok(self.key(value)),
        }
    }

    /// The key of a number of the column's own type.
    pub(super) fn key(&self, value: &Value) -> Option<u64> {
        match self {
            Self::Numbers(_, ColumnKind::I64, _) => integer(value).map(of_integer),
            Self::Numbers(_, ColumnKind::F64, _) => real(value).map(of_real),
            _ => None,
        }
    }

    /// What the keys count for in sums.
    pub(super) fn numbers(&self, keys: &[u64], out: &mut Vec<f64>) {
        out.clear();
        match self {
            Self::Numbers(_, ColumnKind::F64, _) => out.extend(keys.iter().map(|key| to_real(*key))),
            Self::Numbers(_, ColumnKind::I64, _) => {
                out.extend(keys.iter().map(|key| to_integer(*key) as f64));
            }
            _ => out.extend(keys.iter().map(|key| *key as f64)),
        }
    }

    /// The least or greatest value as statistics show it: whole numbers as longs, all others but dates and
    /// strings as doubles.
    pub(super) fn extreme(&self, key: u64) -> Result<Value> {
        Ok(match self.value(key)? {
            Value::Int(number) => Value::Long(i64::from(number)),
            Value::Float(number) => Value::Double(f64::from(number)),
            Value::Bool(flag) => Value::Double(f64::from(u8::from(flag))),
            other => other,
        })
    }

    /// Whether the ends of its values are shown as doubles.
    pub(super) fn is_real(&self) -> bool {
        matches!(self, Self::Numbers(_, ColumnKind::F64 | ColumnKind::Bool, _))
    }

    /// The keys of values that are less or greater than others: all but those of what is no number.
    pub(super) fn comparable_keys(&self) -> RangeInclusive<u64> {
        match self {
            Self::Numbers(_, ColumnKind::F64, _) => real_key(f64::NEG_INFINITY)..=real_key(f64::INFINITY),
            _ => 0..=u64::MAX,
        }
    }

    pub(super) fn is_date(&self) -> bool {
        matches!(self, Self::Numbers(NumberForm::Of(FieldClass::Date), ..))
    }
}

fn of_integer(number: i64) -> u64 {
    number as u64 ^ SIGN
}

fn to_integer(key: u64) -> i64 {
    (key ^ SIGN) as i64
}

/// Turns all bits of negative numbers round, whose order is that of their size, and the sign of the others.
fn of_real(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
}

fn to_real(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

fn read<T>(column: &Column<T>, docs: &[DocId], distinct: bool, out: &mut Keys, key: impl Fn(T) -> u64)
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    match &column.index {
        ColumnIndex::Empty { .. } => {}
        ColumnIndex::Full => {
            let mut values = vec![column.min_value(); docs.len()];
            match docs {
                // A range unpacks block by block.
                [first, ..] if in_a_row(docs) => column.values.get_range(u64::from(*first), &mut values),
                _ => column.values.get_vals(docs, &mut values),
            }
            out.one_each = true;
            out.keys.extend(values.into_iter().map(key));
        }
        ColumnIndex::Optional(_) => {
            for (place, doc) in (0..).zip(docs) {
                if let Some(value) = column.first(*doc) {
                    out.push(place, key(value));
                }
            }
        }
        ColumnIndex::Multivalued(_) if distinct => {
            for (place, doc) in (0..).zip(docs) {
                each_distinct(column, *doc, |value| out.push(place, key(value)));
            }
        }
        ColumnIndex::Multivalued(_) => {
            for (place, doc) in (0..).zip(docs) {
                column.values_for_doc(*doc).for_each(|value| out.push(place, key(value)));
            }
        }
    }
}

/// Whether the documents follow each other without a gap, as all documents do: their values unpack faster.
/// The ends alone do not tell, for a document may be in several buckets.
fn in_a_row(docs: &[DocId]) -> bool {
    let ends = docs.first().zip(docs.last());
    ends.is_some_and(|(first, last)| last.wrapping_sub(*first) as usize + 1 == docs.len())
        && docs.is_sorted_by(|left, right| left < right)
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.keys.clear();
        self.one_each = false;
    }

    #[inline]
    fn push(&mut self, place: u32, key: u64) {
        self.places.push(place);
        self.keys.push(key);
    }

    pub(super) fn push_real(&mut self, place: u32, number: f64) {
        self.push(place, of_real(number));
    }

    pub(super) fn all(&self) -> &[u64] {
        &self.keys
    }

    /// By key what `of` says of its document.
    pub(super) fn places<'a>(&self, of: &'a [u32], room: &'a mut Vec<u32>) -> &'a [u32] {
        if self.one_each {
            return of;
        }
        room.clear();
        room.extend(self.places.iter().filter_map(|place| of.get(*place as usize)));
        room
    }

    /// Calls `take` with each key and its document.
    #[inline]
    pub(super) fn each(&self, docs: &[DocId], mut take: impl FnMut(DocId, u64)) {
        if self.one_each {
            return docs.iter().zip(&self.keys).for_each(|(doc, key)| take(*doc, *key));
        }
        for (place, key) in self.places.iter().zip(&self.keys) {
            if let Some(doc) = docs.get(*place as usize) {
                take(*doc, *key);
            }
        }
    }

    /// Calls `take` with the places below `docs` that have no key.
    pub(super) fn each_absent(&self, docs: u32, mut take: impl FnMut(u32)) {
        if self.one_each {
            return;
        }
        let mut present = self.places.iter().copied().peekable();
        for place in 0..docs {
            let mut found = false;
            while present.next_if_eq(&place).is_some() {
                found = true;
            }
            if !found {
                take(place);
            }
        }
    }
}

/// The key of a real that is no value of a column.
pub(super) fn real_key(number: f64) -> u64 {
    of_real(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_in_two_buckets_is_no_row() {
        assert!(in_a_row(&[2, 3, 4]) && in_a_row(&[7]));
        assert!(!in_a_row(&[]) && !in_a_row(&[2, 4, 4]) && !in_a_row(&[2, 2, 4]) && !in_a_row(&[2, 4]));
    }

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let integers = [i64::MIN, -5, -1, 0, 1, i64::MAX];
        assert!(integers.map(of_integer).is_sorted());
        assert_eq!(integers.map(of_integer).map(to_integer), integers);
        let reals = [f64::NEG_INFINITY, -1e300, -1.5, -0.0, 0.0, 1e-300, 2.0, f64::INFINITY];
        assert!(reals.map(of_real).is_sorted());
        assert_eq!(reals.map(of_real).map(to_real), reals);
    }
}
