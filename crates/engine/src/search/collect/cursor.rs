//! The marks of a cursor: the values of a hit's sort keys, and where such values stand among a segment's keys. A mark names
//! values, not places: it holds whatever is added or removed, and the hit it was taken from need not be there any more.

use plan::{Mark, Result, SortKey, Value};
use tantivy::columnar::{MonotonicallyMappableToU64, TermOrdHit};

use super::Found;
use super::key::{BEHIND, Key, double_of, float_of, ordered, ordered_double, present};
use super::keys::{By, Field, Order};
use super::source::{Source, Values};
use crate::layout::ColumnKind;
use crate::search::SearchContext;
use crate::search::error::engine_error;
use crate::search::facet::{integer_value, real_value};
use crate::search::node::Node;

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
    pub(super) fn open(order: &Order, sources: &[Source], mark: Option<&Mark>) -> Result<Self> {
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

fn bound(field: &Field, source: &Source, value: Option<&Value>) -> Result<Bound> {
    let exact = |raw| Bound { key: present(raw, field.descending), exact: true };
    let Some(value) = value else { return Ok(Bound { key: source.absent, exact: true }) };
    Ok(match field.by.own() {
        By::Score => exact(u64::from(ordered(real(value) as f32))),
        By::Function(_) => exact(ordered_double(real(value))),
        By::IndexOrder | By::Random(_) | By::Nothing | By::Below(..) => exact(whole(value) as u64),
        By::Column { column, .. } => match column.kind {
            ColumnKind::I64 | ColumnKind::Place | ColumnKind::Vector => exact(whole(value).to_u64()),
            ColumnKind::F64 => exact(real(value).to_u64()),
            ColumnKind::Bool => exact(u64::from(*value == Value::Bool(true))),
            ColumnKind::Str => return text_bound(field, source, value.as_str().unwrap_or_default()),
        },
    })
}

/// A text that a segment does not have stands between two that it has.
fn text_bound(field: &Field, source: &Source, text: &str) -> Result<Bound> {
    // Where no document has a value, any number will do that is neither before nor behind all.
    let Values::Str(column) = &source.values else {
        return Ok(Bound { key: present(0, false), exact: false });
    };
    let dictionary = column.dictionary();
    let next = match dictionary.term_ord_or_next(text.as_bytes()).map_err(engine_error)? {
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
        Value::Bool(_) | Value::Str(_) | Value::Bytes(_) => 0.0,
    }
}

/// The mark of a hit.
pub(crate) fn mark(context: &SearchContext<'_>, node: &Node, keys: &[SortKey], hit: &Found) -> Result<Mark> {
    let order = Order::resolve(context, keys)?;
    let Some(segment) = context.segments.get(hit.segment) else { return Ok(Mark::new()) };
    let sources = order.open(context, node, segment)?.into_iter().zip(order.fields());
    sources.map(|(mut source, field)| value(field, source.key(hit.doc), &source)).collect()
}

/// A key as the value it was made from.
fn value(field: &Field, key: Key, source: &Source) -> Result<Option<Value>> {
    let Some(raw) = field.raw(key) else { return Ok(None) };
    Ok(Some(match field.by.own() {
        By::Score => Value::Float(float_of(raw as u32)),
        By::Function(_) => Value::Double(double_of(raw)),
        By::IndexOrder | By::Random(_) | By::Nothing | By::Below(..) => Value::Long(raw as i64),
        By::Column { column, class, .. } => match column.kind {
            ColumnKind::I64 | ColumnKind::Place | ColumnKind::Vector => {
                integer_value(*class, i64::from_u64(raw))
            }
            ColumnKind::F64 => real_value(*class, f64::from_u64(raw)),
            ColumnKind::Bool => Value::Bool(raw != 0),
            ColumnKind::Str => Value::Str(source.text(raw)?),
        },
    }))
}
