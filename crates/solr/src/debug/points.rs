//! Ranges of numbers and dates as Lucene shows them: bounds made inclusive, open ends as the type's extremes,
//! columns of floating numbers by their bits. Reads the schema for whether a field has terms, a column, or
//! both.

use std::ops::Bound;

use plan::{FieldClass, Schema, Value};

/// The class of a range or term query on a number.
pub(super) fn class(schema: &Schema, field: &str) -> &'static str {
    match kept(schema, field) {
        (true, true) => "IndexOrDocValuesQuery",
        (false, true) => "SortedNumericDocValuesRangeQuery",
        _ => "PointRangeQuery",
    }
}

/// The text of a range query on a number.
pub(super) fn range(schema: &Schema, field: &str, lower: &Bound<Value>, upper: &Bound<Value>) -> String {
    let class = schema.field(field).map_or(FieldClass::Long, |spec| spec.class());
    let (index, column) = match class {
        FieldClass::Float | FieldClass::Double => real(class, lower, upper),
        _ => whole(class, lower, upper),
    };
    let show = |text: String| if text.starts_with('[') { format!("{field}:{text}") } else { text };
    let (index, column) = (show(index), show(column));
    match kept(schema, field) {
        (true, true) => format!("IndexOrDocValuesQuery(indexQuery={index}, dvQuery={column})"),
        (false, true) => column,
        _ => index,
    }
}

/// (has terms, has a column)
fn kept(schema: &Schema, field: &str) -> (bool, bool) {
    schema.field(field).map_or((true, false), |spec| (spec.properties.indexed, spec.properties.doc_values))
}

fn whole(class: FieldClass, lower: &Bound<Value>, upper: &Bound<Value>) -> (String, String) {
    let number = |value: &Value| match value {
        Value::Int(number) => i64::from(*number),
        Value::Long(number) | Value::Date(number) => *number,
        _ => 0,
    };
    let (least, most) = match class {
        FieldClass::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    let low = |open: i64| match lower {
        Bound::Included(value) => number(value),
        Bound::Excluded(value) => number(value).saturating_add(1),
        Bound::Unbounded => open,
    };
    let high = |open: i64| match upper {
        Bound::Included(value) => number(value),
        Bound::Excluded(value) => number(value).saturating_sub(1),
        Bound::Unbounded => open,
    };
    let column = format!("[{} TO {}]", low(i64::MIN), high(i64::MAX));
    let index = if low(least) > most || high(most) < least {
        "MatchNoDocsQuery(\"\")".to_owned()
    } else {
        format!("[{} TO {}]", low(least), high(most))
    };
    (index, column)
}

fn real(class: FieldClass, lower: &Bound<Value>, upper: &Bound<Value>) -> (String, String) {
    let low = match lower {
        Bound::Included(value) => value.clone(),
        Bound::Excluded(value) => next(value, true),
        Bound::Unbounded => infinity(class, -1.0),
    };
    let high = match upper {
        Bound::Included(value) => value.clone(),
        Bound::Excluded(value) => next(value, false),
        Bound::Unbounded => infinity(class, 1.0),
    };
    let index = format!("[{} TO {}]", low.to_text(), high.to_text());
    let column = match (bits(&low), bits(&high)) {
        (low, high) if low >= 0 && high >= 0 => format!("[{low} TO {high}]"),
        (low, high) if low < 0 && high < 0 => format!("[{high} TO {low}]"),
        _ => "FunctionRangeQuery()".to_owned(),
    };
    (index, column)
}

fn infinity(class: FieldClass, sign: f32) -> Value {
    match class {
        FieldClass::Float => Value::Float(sign * f32::INFINITY),
        _ => Value::Double(f64::from(sign) * f64::INFINITY),
    }
}

fn next(value: &Value, up: bool) -> Value {
    match value {
        Value::Float(number) if up => Value::Float(number.next_up()),
        Value::Float(number) => Value::Float(number.next_down()),
        Value::Double(number) if up => Value::Double(number.next_up()),
        Value::Double(number) => Value::Double(number.next_down()),
        other => other.clone(),
    }
}

/// A value as its column holds it.
pub(super) fn column_value(value: &Value) -> String {
    match value {
        Value::Float(_) | Value::Double(_) => bits(value).to_string(),
        Value::Date(ms) => ms.to_string(),
        other => other.to_text(),
    }
}

fn bits(value: &Value) -> i64 {
    match value {
        Value::Float(number) => i64::from(number.to_bits().cast_signed()),
        Value::Double(number) => number.to_bits().cast_signed(),
        _ => 0,
    }
}
