//! Atomic updates: a document in which a value is a map of one modifier (`{"set":1}`) edits the stored one
//! instead of replacing it. Plain fields beside such a map are set. Wording as recorded from Solr 9.10.1. In:
//! a document's fields as grouped; out: `plan::FieldEdit`s with typed operands. The stored document is not
//! here: the shard merges edits onto it (`crates/engine/src/write/atomic.rs`).

use std::sync::Arc;

use plan::{AtomicOp, Error, FieldClass, FieldEdit, FieldSpec, Money, NestedEdit, Result, Schema, Value};

use crate::update::command::RawValue;
use crate::update::document::{Field, Grouped, Typing, adding};
use crate::update::modifier::operation;
use crate::update::nested::{Nesting, is_document};

/// What a document's maps make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Whole,
    Atomic,
}

/// Tells atomic updates from whole documents. Solr differs: of several modifiers in one JSON map, 9.10 makes
/// a child document; here each counts, as in its XML (`compat/update/atomic.yaml`). Documents below it make
/// no edit.
pub fn shape_of(document: &Grouped, schema: &Schema) -> Shape {
    let edits = |field: &Field| {
        let is_edit = |value: &RawValue| matches!(value, RawValue::Map(_)) && !is_document(value, schema);
        // A list of maps is a list of documents below this one; only a map by itself can be a modifier.
        !field.listed && field.values.iter().any(is_edit)
    };
    if document.iter().any(edits) { Shape::Atomic } else { Shape::Whole }
}

/// What an atomic update changes.
#[derive(Default)]
pub struct Edits {
    /// In the order of the fields.
    pub fields: Vec<FieldEdit>,
    /// Of documents below it.
    pub nested: Vec<NestedEdit>,
}

/// The edits of an atomic update. `skip` names the fields that are not edited: the key and the version.
pub fn edits(
    nesting: &mut Nesting<'_, '_>,
    id: &str,
    document: Grouped,
    skip: &dyn Fn(&str) -> bool,
) -> Result<Edits> {
    let mut edits = Edits::default();
    for mut field in document.into_iter().filter(|field| !skip(&field.name)) {
        match field.values.as_slice() {
            [RawValue::Map(entries)] if !field.listed => {
                for (modifier, value) in entries {
                    match nesting.edit(id, &field.name, (modifier, value))? {
                        Some(nested) => edits.nested.push(nested),
                        None => {
                            edits.fields.extend(edit(nesting.typing, id, &field.name, (modifier, value))?);
                        }
                    }
                }
            }
            _ => {
                let values = nesting.typing.field(id, &mut field)?;
                edits.fields.push(FieldEdit { field: field.name, op: AtomicOp::Set, values });
            }
        }
    }
    Ok(edits)
}

fn edit(
    typing: &mut Typing<'_>,
    id: &str,
    name: &Arc<str>,
    (modifier, value): (&str, &RawValue),
) -> Result<Option<FieldEdit>> {
    let op = operation(modifier).ok_or_else(|| {
        Error::bad_request(format!(
            "Error:[doc={id}]  Unknown operation for the an atomic update: {modifier}"
        ))
    })?;
    let target = typing.targets.get(name);
    let Some(spec) = &target.spec else {
        return match value {
            // Removing a field that the schema no longer has is what such edits are sent for.
            RawValue::Null => Ok(None),
            _ => Err(Error::bad_request(format!("undefined field: \"{name}\""))),
        };
    };
    let (values, listed) = match value {
        RawValue::List(values) => (values.clone(), true),
        RawValue::Null => (Vec::new(), false),
        single => (vec![single.clone()], false),
    };
    let operand = Field { name: name.clone(), values, listed };
    let values = operands(typing, id, operand, (op, spec))?;
    Ok(Some(FieldEdit { field: name.clone(), op, values }))
}

fn operands(
    typing: &mut Typing<'_>,
    id: &str,
    mut field: Field,
    (op, spec): (AtomicOp, &FieldSpec),
) -> Result<Vec<Value>> {
    let Field { name, values, .. } = &field;
    match op {
        AtomicOp::RemoveRegex => Ok(values.iter().map(|pattern| Value::Str(pattern.to_text())).collect()),
        AtomicOp::Inc if !spec.class().is_number() => {
            Err(Error::bad_request(format!("'inc' is not supported on non-numeric field {name}")))
        }
        AtomicOp::Inc if values.len() != 1 => {
            let shown = field.shown();
            Err(Error::bad_request(format!("'inc' takes one number, not `{shown}`, on field {name}")))
        }
        AtomicOp::Remove => {
            values.iter().map(|value| native(typing, name, value, spec)).collect::<Result<Vec<_>>>()
        }
        AtomicOp::Set | AtomicOp::Add | AtomicOp::AddDistinct | AtomicOp::Inc => {
            if let ([value @ RawValue::Str(_)], AtomicOp::Set | AtomicOp::Inc) = (values.as_slice(), op)
                && !matches!(spec.class(), FieldClass::Enum | FieldClass::DateRange)
            {
                // For its message alone: Solr converts a text here before the field does, and words the error
                // otherwise.
                native(typing, name, value, spec)?;
            }
            typing.field(id, &mut field)
        }
    }
}

/// A value that becomes the field's native type before it is compared or set has its own message, as in Solr.
fn native(typing: &Typing<'_>, name: &str, value: &RawValue, spec: &FieldSpec) -> Result<Value> {
    // Ranges of dates have no native type: what goes is found by its text.
    if spec.class() == FieldClass::DateRange {
        return Ok(Value::Str(value.to_text()));
    }
    let converted = typing.conversion.convert(value, spec).map_err(|error| {
        let text = value.to_text();
        error.context(format_args!("Error converting field '{name}'='{text}' to native type, msg="))
    })?;
    Ok(match (spec.class(), &converted) {
        // As the shard keeps it.
        (FieldClass::Currency, Value::Str(text)) => {
            Value::Str(Money::complete(text, spec.field_type.default_currency()))
        }
        _ => converted,
    })
}

/// Solr's error for a modifier on a field that identifies the document.
pub fn check_key(name: &str, values: &[RawValue]) -> Result<()> {
    match values.iter().find(|value| matches!(value, RawValue::Map(_))) {
        Some(map) => Err(Error::bad_request(format!(
            "Updating unique key, version or route field is not allowed: {name}={}",
            map.to_text()
        ))),
        None => Ok(()),
    }
}

/// As [`adding`], for the key.
pub fn bad_key(field: &str, text: &str, error: Error) -> Error {
    adding(text, field, text, error)
}
