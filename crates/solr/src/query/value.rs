//! One value of a field from query text: numbers as Java reads them, dates with math, booleans by first
//! letter, the rest as it is. Errors carry Solr's wording. Analysis of text fields is `text.rs`. In: a
//! field's specification, a text and what `NOW` means; out: a typed `Value`, the same that a document's value
//! of that text becomes. Patterns and ranges with open ends are their callers'.

use plan::{Error, FieldClass, FieldSpec, JavaReal, Result, Value};

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
        // What is no name matches nothing, and bounds ranges from below.
        FieldClass::Enum => Some(Value::Enum(spec.field_type.enumeration.read_or_none(text))),
        _ => Some(Value::Str(text.to_owned())),
    };
    number.ok_or_else(|| Error::bad_request(format!("Invalid Number: {text} for field {name}")))
}

/// A number as Java's `parseFloat` and `parseDouble` read it.
pub(crate) fn java_float<T: JavaReal>(text: &str) -> Option<T> {
    T::parse_java(text)
}
