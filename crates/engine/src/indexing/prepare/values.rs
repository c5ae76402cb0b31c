//! Values as their field holds them, and what may not be one, refused in Solr's words: a value of a wrong
//! type, several for a field of one, a term that is too long for the index.
//!
//! The last check before a document is indexed, for documents from clients, from atomic updates and from the
//! log alike. Turning texts into a class's values is `plan::coerce`'s.

use std::borrow::Cow;

use plan::{DateSpan, Error, FieldClass, Money, Result, Value, coerce};

use super::prepared::TERM_BYTES_MAX;
use crate::layout::FieldLayout;

/// The value as the field's class holds it. Tantivy takes a value of a wrong type for a column without a
/// word, so none may reach it.
pub(crate) fn typed<'a>(id: &str, field: &FieldLayout, value: Cow<'a, Value>) -> Result<Cow<'a, Value>> {
    let class = field.class();
    if class == FieldClass::Currency {
        let default = field.spec.field_type.default_currency();
        return Ok(Cow::Owned(Value::Str(Money::complete(&text_of(&value), default))));
    }
    if class == FieldClass::DateRange {
        let text = text_of(&value).into_owned();
        let shown = DateSpan::shown(text.clone()).map_err(|error| wrong_value(id, field, &text, error))?;
        return Ok(Cow::Owned(Value::Str(shown)));
    }
    if class == FieldClass::Enum {
        return enumerated(id, field, value);
    }
    let fits = match &*value {
        Value::Int(_) => matches!(class, FieldClass::Int | FieldClass::DenseVector),
        Value::Long(_) => class == FieldClass::Long,
        Value::Float(_) => {
            matches!(class, FieldClass::Float | FieldClass::DenseVector | FieldClass::Rank)
        }
        Value::Double(_) => class == FieldClass::Double,
        Value::Date(_) => class == FieldClass::Date,
        Value::Bool(_) => class == FieldClass::Bool,
        Value::Bytes(_) => class == FieldClass::Binary,
        Value::Enum(_) => false,
        Value::Str(_) => {
            !class.is_point()
                && !matches!(class, FieldClass::Bool | FieldClass::Binary | FieldClass::DenseVector)
        }
    };
    if fits {
        return Ok(value);
    }
    coerce(&value, class).map(Cow::Owned).map_err(|error| wrong_value(id, field, &value.to_text(), error))
}

/// The name as the type lists it, which a copy of another field's value may not be. Solr differs: a copy of
/// an enumeration sent by number is that number (`compat/schema/enumerations.yaml`).
fn enumerated<'a>(id: &str, field: &FieldLayout, value: Cow<'a, Value>) -> Result<Cow<'a, Value>> {
    let text = text_of(&value);
    match field.spec.field_type.enumeration.read(&text) {
        Some(known) if *known.name == *text => Ok(value),
        Some(known) => Ok(Cow::Owned(Value::Str(known.name.to_string()))),
        None => {
            let name = &field.name;
            let error = Error::bad_request(format!("Unknown value for enum field: {name}, value: {text}"));
            Err(wrong_value(id, field, &text, error))
        }
    }
}

pub(crate) fn wrong_value(id: &str, field: &FieldLayout, shown: &str, error: Error) -> Error {
    error.context(format!("ERROR: [doc={id}] Error adding field '{}'='{shown}' msg=", field.name))
}

pub(crate) fn check_single<'a>(
    id: &str,
    field: &FieldLayout,
    count: usize,
    what: &str,
    values: impl Iterator<Item = &'a Value>,
) -> Result<()> {
    if count <= 1 || field.spec.properties.multi_valued || field.class() == FieldClass::DenseVector {
        return Ok(());
    }
    let shown: Vec<String> = values.map(Value::to_text).collect();
    let (name, shown) = (&field.name, shown.join(", "));
    Err(Error::bad_request(format!(
        "ERROR: [doc={id}] multiple values encountered for non multiValued {what} {name}: [{shown}]"
    )))
}

pub(crate) fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Str(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_text()),
    }
}

pub(crate) fn check_term(id: &str, field: &str, term: &str) -> Result<()> {
    if term.len() <= TERM_BYTES_MAX { Ok(()) } else { Err(immense_term(id, field, term)) }
}

pub(crate) fn immense_term(id: &str, field: &str, term: &str) -> Error {
    let prefix: Vec<String> = term.bytes().take(30).map(|byte| (byte as i8).to_string()).collect();
    let len = term.len();
    Error::bad_request(format!(
        "Exception writing document id {id} to the index; possible analysis error: Document contains at least one \
         immense term in field=\"{field}\" (whose UTF8 encoding is longer than the max length {TERM_BYTES_MAX}), all \
         of which were skipped.  Please correct the analyzer to not produce such terms.  The prefix of the first \
         immense term is: '[{}]...', original message: bytes can be at most {TERM_BYTES_MAX} in length; got {len}. \
         Perhaps the document has an indexed string field (solr.StrField) which is too large",
        prefix.join(", ")
    ))
}
