//! One value of a field from query text: numbers as Java reads them, dates with math, booleans by first
//! letter, the rest as it is. Errors carry Solr's wording. Analysis of text fields is `text.rs`. In: a
//! field's specification, a text and what `NOW` means; out: a typed `Value`, the same that a document's value
//! of that text becomes. Patterns and ranges with open ends are their callers'.

use std::str::FromStr;

use plan::{Error, FieldClass, FieldSpec, Result, Value};

use crate::date_math::DateMath;

/// The value that a term query for `text` asks for. `name` is the field as the request names it.
pub(crate) fn parse_value(spec: &FieldSpec, name: &str, text: &str, dates: &DateMath) -> Result<Value> {
    let number = match spec.class() {
        FieldClass::Int => text.parse().ok().map(Value::Int),
        FieldClass::Long => text.parse().ok().map(Value::Long),
        FieldClass::Float => java_float(text).map(Value::Float),
        FieldClass::Double => java_float(text).map(Value::Double),
        FieldClass::Date => return dates.parse(text).map(Value::Date),
        // Solr looks at the first letter alone: `Tuesday` is true.
        FieldClass::Bool => Some(Value::Bool(text.starts_with(['t', 'T', '1']))),
        _ => Some(Value::Str(text.to_owned())),
    };
    number.ok_or_else(|| Error::bad_request(format!("Invalid Number: {text} for field {name}")))
}

/// A number as Java's `parseFloat` and `parseDouble` read it, but for hexadecimal ones.
pub(crate) fn java_float<T: FromStr>(text: &str) -> Option<T> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    match body {
        // There is one, whatever stands before it.
        "NaN" => return body.parse().ok(),
        "Infinity" => return text.parse().ok(),
        _ => {}
    }
    let plain = body.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // Java's literals may carry their type: `1.5f` is a number to Solr.
    let digits = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    // Rust also reads `inf`, `infinity` and `nan` in any case, which Java refuses.
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::java_float;

    #[test]
    fn numbers_read_as_java_reads_them() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(java_float(text), expected, "{text}");
        check("1.5e3", Some(1500.0));
        check(" 5 ", Some(5.0));
        check("-2", Some(-2.0));
        check("1f", Some(1.0));
        check(".5", Some(0.5));
        check("5.", Some(5.0));
        check("-Infinity", Some(f64::NEG_INFINITY));
        check("1e400", Some(f64::INFINITY));
        check("inf", None);
        check("nan", None);
        check("", None);
        check("--1", None);
        check("f", None);
    }
}
