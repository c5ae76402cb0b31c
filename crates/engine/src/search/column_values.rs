//! A value of a plan as a column holds it; `None` where it is of another kind. Bounds of ranges, terms of
//! numbers and keys of facets are read by these alone, so that all of them agree. Columns hold whole numbers
//! and dates as `i64`, so a date and its milliseconds are one value here; text columns are looked up by term
//! (`segment`), not by these.

use plan::Value;

pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(i64::from(*number)),
        Value::Long(number) | Value::Date(number) => Some(*number),
        Value::Enum(value) => Some(i64::from(value.ordinal)),
        _ => None,
    }
}

pub(crate) fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(f64::from(*number)),
        Value::Double(number) => Some(*number),
        Value::Int(number) => Some(f64::from(*number)),
        Value::Long(number) => Some(*number as f64),
        Value::Enum(value) => Some(f64::from(value.ordinal)),
        _ => None,
    }
}

pub(crate) fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Str(text) => Some(text.starts_with(['t', 'T', '1'])),
        _ => None,
    }
}
