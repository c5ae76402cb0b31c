//! Atomic updates: a document in which a value is a map of one modifier (`{"set":1}`) edits the stored one instead of
//! replacing it. Plain fields beside such a map are set. Wording as recorded from Solr 9.10.1.

use std::sync::Arc;

use plan::{AtomicOp, Error, FieldEdit, FieldSpec, Result, Value};

use crate::update::command::RawValue;
use crate::update::document::{Field, Grouped, Typing, adding};

/// What a document's maps make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Whole,
    Atomic,
}

/// Tells atomic updates from whole documents. Solr differs: of several modifiers in one JSON map, 9.10 makes a child
/// document; here each counts, as in its XML (`compat/update/atomic.yaml`). A map that is no modifier would be a child
/// document: an error for now.
pub fn shape_of(document: &Grouped, unique_key: &str) -> Result<Shape> {
    let mut shape = Shape::Whole;
    for Field { name, values, listed } in document {
        if &**name == "_childDocuments_" {
            return Err(nested(name));
        }
        for value in values {
            let RawValue::Map(entries) = value else { continue };
            let several = entries.len() > 1 && entries.iter().any(|(key, _)| operation(key).is_none());
            if several || entries.iter().any(|(key, _)| &**key == unique_key) {
                return Err(nested(name));
            }
            if !listed && !entries.is_empty() {
                shape = Shape::Atomic;
            }
        }
    }
    Ok(shape)
}

fn nested(field: &str) -> Error {
    Error::bad_request(format!(
        "nested documents are not supported yet: `{field}` holds one; send it as a document of its own"
    ))
}

/// The edits of an atomic update, in the order of its fields. `skip` names the fields that are not edited: the key and
/// the version.
pub fn edits(
    typing: &mut Typing<'_>,
    id: &str,
    document: Grouped,
    skip: &dyn Fn(&str) -> bool,
) -> Result<Vec<FieldEdit>> {
    let mut edits = Vec::with_capacity(document.len());
    for mut field in document.into_iter().filter(|field| !skip(&field.name)) {
        match field.values.as_slice() {
            [RawValue::Map(entries)] if !field.listed => {
                for (modifier, value) in entries {
                    edits.extend(edit(typing, id, &field.name, (modifier, value))?);
                }
            }
            _ => {
                let values = typing.field(id, &mut field)?;
                edits.push(FieldEdit { field: field.name, op: AtomicOp::Set, values });
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

fn operation(modifier: &str) -> Option<AtomicOp> {
    Some(match modifier {
        "set" => AtomicOp::Set,
        "add" => AtomicOp::Add,
        "add-distinct" => AtomicOp::AddDistinct,
        "remove" => AtomicOp::Remove,
        "removeregex" => AtomicOp::RemoveRegex,
        "inc" => AtomicOp::Inc,
        _ => return None,
    })
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
            if let Some(map) = values.iter().find(|value| matches!(value, RawValue::Map(_))) {
                return Err(nested(&format!("{name}={}", map.to_text())));
            }
            if let ([value @ RawValue::Str(_)], AtomicOp::Set | AtomicOp::Inc) = (values.as_slice(), op) {
                native(typing, name, value, spec)?;
            }
            typing.field(id, &mut field)
        }
    }
}

/// A value that becomes the field's native type before it is compared or set has its own message, as in Solr.
fn native(typing: &Typing<'_>, name: &str, value: &RawValue, spec: &FieldSpec) -> Result<Value> {
    typing.conversion.convert(value, spec).map_err(|error| {
        let text = value.to_text();
        error.context(format_args!("Error converting field '{name}'='{text}' to native type, msg="))
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
