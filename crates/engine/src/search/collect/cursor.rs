//! Where a cursor's mark stands among a segment's keys. A mark is the sort values of a hit, not its place: it
//! holds whatever is added or removed, and the hit it was taken from need not be there any more.
//!
//! In: the values of the mark and where the segment's keys come from (`source`); out: which keys are behind
//! it. Reading and writing marks as `cursorMark` texts is `solr`'s.

use plan::{CursorMark, Result, Value};
use tantivy::columnar::{MonotonicallyMappableToU64, TermOrdHit};

use super::key::{BEHIND, Key, ordered, ordered_double, present};
use super::keys::{SortBasis, SortField};
use super::order::Order;
use super::source::{KeySource, KeyValues};
use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef};

/// Where a mark stands among the keys of one segment. No mark stands before all of them.
pub(super) struct Behind(Vec<Bound>);

#[derive(Clone, Copy)]
struct Bound {
    /// The least key that is not before the mark's.
    key: Key,
    /// Whether it is the mark's own; else it is behind already.
    exact: bool,
}

impl Behind {
    pub(super) fn open(order: &Order, sources: &[KeySource], mark: Option<&CursorMark>) -> Result<Self> {
        let Some(mark) = mark else { return Ok(Self(Vec::new())) };
        let keys = order.fields().iter().zip(sources).zip(mark);
        keys.map(|((field, source), value)| bound(field, source, value.as_ref()))
            .collect::<Result<_>>()
            .map(Self)
    }

    /// A document whose first key is less is not behind the mark.
    pub(super) fn least(&self) -> Key {
        self.0.first().map_or(Key::MIN, |bound| bound.key)
    }

    /// Whether the mark's first key is this one.
    pub(super) fn begins_with(&self, first: Key) -> bool {
        self.0.first().is_some_and(|bound| bound.exact && first == bound.key)
    }

    /// Whether a document with these keys is behind the mark.
    pub(super) fn holds(&self, keys: &[Key]) -> bool {
        for (key, bound) in keys.iter().zip(&self.0) {
            if key != &bound.key || !bound.exact {
                return *key >= bound.key;
            }
        }
        self.0.is_empty()
    }
}

fn bound(field: &SortField, source: &KeySource, value: Option<&Value>) -> Result<Bound> {
    let exact = |raw| Bound { key: present(raw, field.descending), exact: true };
    let Some(value) = value else { return Ok(Bound { key: source.absent, exact: true }) };
    Ok(match field.by.own() {
        SortBasis::Score => exact(u64::from(ordered(real(value) as f32))),
        SortBasis::Function(_) => exact(ordered_double(real(value))),
        SortBasis::IndexOrder | SortBasis::Nothing | SortBasis::Below(..) => exact(whole(value) as u64),
        SortBasis::Random(_) => exact(whole(value).to_u64()),
        SortBasis::Column { column: ColumnRef { kind, .. }, .. } | SortBasis::Unmet { kind, .. } => {
            match kind {
                ColumnKind::Str => return text_bound(field, source, value.as_str().unwrap_or_default()),
                kind => exact(column_number(*kind, value)),
            }
        }
    })
}

/// A value as a column of numbers or flags keeps it.
pub(crate) fn column_number(kind: ColumnKind, value: &Value) -> u64 {
    match kind {
        ColumnKind::F64 => real(value).to_u64(),
        ColumnKind::Bool => u64::from(*value == Value::Bool(true)),
        ColumnKind::I64
        | ColumnKind::Place
        | ColumnKind::DateSpans
        | ColumnKind::Vector
        | ColumnKind::Str => whole(value).to_u64(),
    }
}

/// A text that a segment does not have stands between two that it has.
fn text_bound(field: &SortField, source: &KeySource, text: &str) -> Result<Bound> {
    // Where no document has a value, any number will do that is neither before nor behind all.
    let KeyValues::Str(column) = &source.values else {
        return Ok(Bound { key: present(0, false), exact: false });
    };
    let dictionary = column.dictionary();
    let next = match dictionary.term_ord_or_next(text.as_bytes()).map_err(from_tantivy)? {
        TermOrdHit::Exact(ord) => return Ok(Bound { key: present(ord, field.descending), exact: true }),
        TermOrdHit::Next(ord) => ord.min(dictionary.num_terms() as u64),
    };
    let key = match (field.descending, next.checked_sub(1)) {
        (false, _) => present(next, false),
        (true, Some(before)) => present(before, true),
        (true, None) => BEHIND,
    };
    Ok(Bound { key, exact: false })
}

fn whole(value: &Value) -> i64 {
    match value {
        Value::Int(number) => i64::from(*number),
        Value::Long(number) | Value::Date(number) => *number,
        other => real(other) as i64,
    }
}

fn real(value: &Value) -> f64 {
    match value {
        Value::Int(number) => f64::from(*number),
        Value::Long(number) | Value::Date(number) => *number as f64,
        Value::Float(number) => f64::from(*number),
        Value::Double(number) => *number,
        Value::Enum(value) => f64::from(value.ordinal),
        Value::Bool(_) | Value::Str(_) | Value::Bytes(_) => 0.0,
    }
}
