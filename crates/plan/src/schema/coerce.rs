//! A typed value as another field's type: what a copy field does between fields of different types, and an
//! edit to a value that stands. `solr` types the numbers and truths that a client sends by it too, after it
//! has read what only a client writes.

use crate::error::{Error, Result, RootCause};
use crate::schema::class::FieldClass;
use crate::value::Value;
use crate::value::instant::parse_instant;
use crate::value::java_real::JavaReal;

/// The value as `class` holds it. Errors carry Solr's wording for the class's own failure (`For input string:
/// "x"`).
pub fn coerce(value: &Value, class: FieldClass) -> Result<Value> {
    Ok(match (class, value) {
        (FieldClass::Int, Value::Int(_))
        | (FieldClass::Long, Value::Long(_))
        | (FieldClass::Float, Value::Float(_))
        | (FieldClass::Double, Value::Double(_))
        | (FieldClass::Date, Value::Date(_))
        | (FieldClass::Bool, Value::Bool(_))
        | (FieldClass::Binary, Value::Bytes(_)) => value.clone(),
        (FieldClass::Bool, other) => Value::Bool(parse_bool(&other.to_text())),
        (FieldClass::Date, other) => Value::Date(date(other)?),
        (FieldClass::DenseVector, other) => number(other, FieldClass::Float)?,
        (class, other) if class.is_number() => number(other, class)?,
        (_, other) => Value::Str(other.to_text()),
    })
}

/// Solr's reading of a boolean: `t`, `T`, `1`, and `true` in any case, are true; all else is false.
fn parse_bool(text: &str) -> bool {
    text.starts_with(['t', 'T', '1'])
}

fn date(value: &Value) -> Result<i64> {
    let text = value.to_text();
    parse_instant(&text).ok_or_else(|| {
        Error::bad_request(format!("Invalid Date String:'{text}'")).with_root(RootCause::DateFormat)
    })
}

fn number(value: &Value, class: FieldClass) -> Result<Value> {
    let exact = match value {
        Value::Int(number) => Some(i64::from(*number)),
        Value::Long(number) | Value::Date(number) => Some(*number),
        _ => None,
    };
    let real = match value {
        Value::Float(number) => Some(f64::from(*number)),
        Value::Double(number) => Some(*number),
        _ => exact.map(|number| number as f64),
    };
    let text = value.to_text();
    let parsed = match (class, exact, real) {
        (FieldClass::Int, Some(number), _) => i32::try_from(number).ok().map(Value::Int),
        (FieldClass::Int, None, Some(number)) => Some(Value::Int(number as i32)),
        (FieldClass::Int, None, None) => text.parse().ok().map(Value::Int),
        (FieldClass::Long, Some(number), _) => Some(Value::Long(number)),
        (FieldClass::Long, None, Some(number)) => Some(Value::Long(number as i64)),
        (FieldClass::Long, None, None) => text.parse().ok().map(Value::Long),
        (FieldClass::Float, _, Some(number)) => Some(Value::Float(number as f32)),
        (FieldClass::Float, _, None) => JavaReal::parse_java(&text).map(Value::Float),
        (_, _, Some(number)) => Some(Value::Double(number)),
        (_, _, None) => JavaReal::parse_java(&text).map(Value::Double),
    };
    parsed.ok_or_else(|| {
        let real = matches!(class, FieldClass::Float | FieldClass::Double);
        let empty = real && text.trim().is_empty();
        let message = if empty { "empty String".to_owned() } else { format!("For input string: \"{text}\"") };
        Error::bad_request(message).with_root(RootCause::NumberFormat)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_change_type_or_say_why_not() {
        let check = |value: Value, class, expected: Option<Value>| {
            assert_eq!(coerce(&value, class).ok(), expected, "{value:?} as {class:?}");
        };
        check(Value::Int(7), FieldClass::Str, Some(Value::Str("7".into())));
        check(Value::Str("7".into()), FieldClass::Int, Some(Value::Int(7)));
        check(Value::Str("7.5".into()), FieldClass::Int, None);
        check(Value::Str("1.5f".into()), FieldClass::Float, Some(Value::Float(1.5)));
        check(Value::Str("-Infinity".into()), FieldClass::Double, Some(Value::Double(f64::NEG_INFINITY)));
        check(Value::Str("inf".into()), FieldClass::Double, None);
        check(Value::Str(" ".into()), FieldClass::Double, None);
        check(Value::Double(7.9), FieldClass::Long, Some(Value::Long(7)));
        check(Value::Long(1 << 40), FieldClass::Int, None);
        check(Value::Str("T".into()), FieldClass::Bool, Some(Value::Bool(true)));
        check(Value::Str("no".into()), FieldClass::Bool, Some(Value::Bool(false)));
        check(Value::Date(0), FieldClass::Text, Some(Value::Str("1970-01-01T00:00:00Z".into())));
        check(Value::Str("1970-01-01T00:00:00Z".into()), FieldClass::Date, Some(Value::Date(0)));
        check(Value::Str("soon".into()), FieldClass::Date, None);
    }
}
