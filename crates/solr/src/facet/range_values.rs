//! The arithmetic of range facets for each type of field: parse a bound, add a gap, compare, show. Overflow is an error,
//! as wrapping would make ranges that never end.

use std::cmp::Ordering;

use plan::{Error, FieldClass, Result, Value};

use crate::date_math::DateMath;
use crate::query::Field;

/// One field's arithmetic.
pub(super) struct RangeValues<'a> {
    field: &'a Field,
    dates: &'a DateMath,
}

impl<'a> RangeValues<'a> {
    /// Fails on fields without arithmetic.
    pub(super) fn of(field: &'a Field, dates: &'a DateMath) -> Result<Self> {
        if field.spec.class().is_point() {
            return Ok(Self { field, dates });
        }
        Err(Error::bad_request(format!("Unable to range facet on field:{}", declaration(field))))
    }

    pub(super) fn parse(&self, text: &str) -> Result<Value> {
        self.number(text).ok_or_else(|| {
            Error::bad_request(format!("Can't parse value {text} for field: {}", self.field.name))
        })
    }

    fn number(&self, text: &str) -> Option<Value> {
        match self.field.spec.class() {
            FieldClass::Int => text.parse().ok().map(Value::Int),
            FieldClass::Long => text.parse().ok().map(Value::Long),
            FieldClass::Float => crate::query::java_float(text).map(Value::Float),
            FieldClass::Double => crate::query::java_float(text).map(Value::Double),
            _ => self.dates.parse(text).ok().map(Value::Date),
        }
    }

    /// A gap of numbers is a number; of dates it is tried on a value.
    pub(super) fn check_gap(&self, gap: &str) -> Result<()> {
        if self.field.spec.class() == FieldClass::Date || self.number(gap).is_some() {
            return Ok(());
        }
        Err(Error::bad_request(format!("Can't parse gap {gap} for field: {}", self.field.name)))
    }

    /// `value + gap`, wrapping as Java's integers do: the caller sees that it went down.
    pub(super) fn add(&self, value: &Value, gap: &str) -> Result<Value> {
        let sum = match (value, self.number(gap)) {
            (Value::Int(low), Some(Value::Int(gap))) => Some(Value::Int(low.wrapping_add(gap))),
            (Value::Long(low), Some(Value::Long(gap))) => Some(Value::Long(low.wrapping_add(gap))),
            (Value::Float(low), Some(Value::Float(gap))) => Some(Value::Float(low + gap)),
            (Value::Double(low), Some(Value::Double(gap))) => Some(Value::Double(low + gap)),
            (Value::Date(low), _) if !gap.is_empty() => self.dates.apply(*low, gap).map(Value::Date),
            _ => None,
        };
        sum.ok_or_else(|| {
            let (shown, name) = (self.shown(value), &self.field.name);
            Error::bad_request(format!("Can't add gap {gap} to value {shown} for field: {name}"))
        })
    }

    pub(super) fn before(&self, a: &Value, b: &Value) -> bool {
        compare(a, b) == Some(Ordering::Less)
    }

    /// As Solr's messages show it: dates in the form of Java's `Date`.
    pub(super) fn shown(&self, value: &Value) -> String {
        match value {
            Value::Date(ms) => jiff::Timestamp::from_millisecond(*ms)
                .map_or_else(|_| value.to_text(), |at| at.strftime("%a %b %d %H:%M:%S UTC %Y").to_string()),
            other => other.to_text(),
        }
    }
}

/// Switches in the order of Solr's bits for them, which its messages follow.
const SWITCHES: [&str; 19] = [
    "indexed",
    "tokenized",
    "stored",
    "omitNorms",
    "omitTermFreqAndPositions",
    "termVectors",
    "termPositions",
    "termOffsets",
    "multiValued",
    "sortMissingFirst",
    "sortMissingLast",
    "required",
    "omitPositions",
    "storeOffsetsWithPositions",
    "docValues",
    "termPayloads",
    "useDocValuesAsStored",
    "large",
    "uninvertible",
];

/// A field as Solr's messages show it: its type, its default, the switches that are on.
fn declaration(field: &Field) -> String {
    let (name, kind) = (&field.name, &field.spec.field_type.name);
    let default = field.spec.default.as_ref().map(|text| format!("default={text},")).unwrap_or_default();
    let all = field.spec.properties.named();
    let on: Vec<_> = SWITCHES.into_iter().filter(|switch| all.contains(&(switch, true))).collect();
    format!("{name}{{type={kind},{default}properties={}}}", on.join(","))
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        _ => None,
    }
}
