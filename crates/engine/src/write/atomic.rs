//! Atomic updates: edits merged onto the document as it stands. The result is a whole document, which is what
//! the log keeps, so that a replay needs no merging.
//!
//! Semantics were tried on Solr 9.10.1 (2026-11): `remove` takes away the first occurrence of each value,
//! `add-distinct` adds a repeated value once, `inc` wraps as Java does, counts from nothing, and leaves a
//! multi-valued field with its first value only; edits of a document that is not there make one. The base
//! never holds destinations of copy fields: they are copied anew.

use fancy_regex::Regex;
use plan::{AtomicOp, Document, Error, FieldClass, FieldEdit, Result, Schema, Value, coerce};

use crate::layout::{Layout, VERSION_NAME};
use crate::segment::source_codec;

/// The document to edit, from its stored source: all it holds but the version and destinations of copy
/// fields.
pub(crate) fn base_document(source: &[u8], layout: &Layout, schema: &Schema) -> Result<Document> {
    let mut document = Document::default();
    source_codec::fields(
        source,
        |_| true,
        |slot, values| {
            if let Some(name) = layout.slot_name(slot) {
                document.fields.push((name.clone(), values));
            }
        },
    )?;
    let copied: Vec<String> =
        document.fields.iter().flat_map(|(name, _)| schema.copies(name).map(|(dest, _)| dest)).collect();
    document
        .fields
        .retain(|(name, _)| &**name != VERSION_NAME && !copied.iter().any(|dest| **dest == **name));
    Ok(document)
}

/// The document with all edits made, in their order.
pub(crate) fn apply(mut document: Document, edits: &[FieldEdit], schema: &Schema) -> Result<Document> {
    for edit in edits {
        let present = document.get(&edit.field).unwrap_or_default();
        let values = edited(present, edit, schema)?;
        document.replace(&edit.field, values);
    }
    Ok(document)
}

fn edited(present: &[Value], edit: &FieldEdit, schema: &Schema) -> Result<Vec<Value>> {
    let mut values = present.to_vec();
    match edit.op {
        AtomicOp::Set => values.clone_from(&edit.values),
        AtomicOp::Add => values.extend(edit.values.iter().cloned()),
        AtomicOp::AddDistinct => {
            for value in &edit.values {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
        }
        AtomicOp::Remove => {
            for value in &edit.values {
                if let Some(at) = values.iter().position(|present| present == value) {
                    values.remove(at);
                }
            }
        }
        AtomicOp::RemoveRegex => remove_matches(&mut values, &edit.values)?,
        AtomicOp::Inc => values = vec![incremented(present.first(), edit, schema)?],
    }
    Ok(values)
}

/// Values that a pattern matches as a whole go.
fn remove_matches(values: &mut Vec<Value>, patterns: &[Value]) -> Result<()> {
    for pattern in patterns {
        let pattern = pattern.to_text();
        let regex = Regex::new(&format!("^(?:{pattern})$")).map_err(|error| {
            Error::bad_request(format!("cannot read the pattern `{pattern}` of `removeregex`: {error}"))
        })?;
        values.retain(|value| !regex.is_match(&value.to_text()).unwrap_or(false));
    }
    Ok(())
}

fn incremented(present: Option<&Value>, edit: &FieldEdit, schema: &Schema) -> Result<Value> {
    let class = schema.require(&edit.field)?.class();
    if !class.is_number() {
        return Err(Error::bad_request(format!(
            "'inc' is not supported on non-numeric field {}",
            edit.field
        )));
    }
    let Some(step) = edit.values.first() else {
        return Err(Error::bad_request(format!("`inc` of field `{}` has no number; give one", edit.field)));
    };
    let Some(present) = present else { return coerce(step, class) };
    sum(present, step, class)
}

fn sum(present: &Value, step: &Value, class: FieldClass) -> Result<Value> {
    Ok(match (coerce(present, class)?, coerce(step, class)?) {
        (Value::Int(left), Value::Int(right)) => Value::Int(left.wrapping_add(right)),
        (Value::Long(left), Value::Long(right)) => Value::Long(left.wrapping_add(right)),
        (Value::Float(left), Value::Float(right)) => Value::Float(left + right),
        (Value::Double(left), Value::Double(right)) => Value::Double(left + right),
        (other, _) => other,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{schema, text};

    fn texts(list: &str) -> Vec<Value> {
        list.split_whitespace().map(text).collect()
    }

    fn edit(
        field: &str,
        present: Vec<Value>,
        op: AtomicOp,
        values: Vec<Value>,
    ) -> Result<Option<Vec<Value>>> {
        let field: Arc<str> = field.into();
        let mut base = Document::default();
        base.replace(&field, present);
        let edits = [FieldEdit { field: field.clone(), op, values }];
        let edited = apply(base, &edits, &schema())?;
        Ok(edited.get(&field).map(<[Value]>::to_vec))
    }

    #[test]
    fn lists_change_as_in_solr() {
        let check = |op, present: &str, values: &str, expected: &str| {
            let edited = edit("a_ss", texts(present), op, texts(values)).unwrap();
            assert_eq!(edited.unwrap_or_default(), texts(expected), "{op:?} {values} on {present}");
        };
        check(AtomicOp::Set, "a b", "c", "c");
        check(AtomicOp::Set, "a b", "", "");
        check(AtomicOp::Add, "a", "a b", "a a b");
        check(AtomicOp::Add, "", "a", "a");
        check(AtomicOp::AddDistinct, "b a c", "b z z", "b a c z");
        check(AtomicOp::Remove, "a b a c", "a", "b a c");
        check(AtomicOp::Remove, "a", "a", "");
        check(AtomicOp::Remove, "", "x", "");
        check(AtomicOp::RemoveRegex, "ab b cz", "b .*z", "ab");
    }

    #[test]
    fn numbers_count_as_in_java() {
        let check = |field: &str, present: Option<Value>, step: Value, expected: Value| {
            let edited = edit(field, present.into_iter().collect(), AtomicOp::Inc, vec![step]).unwrap();
            assert_eq!(edited, Some(vec![expected]));
        };
        check("n_i", Some(Value::Int(5)), Value::Int(i32::MAX), Value::Int(-2_147_483_644));
        check("n_i", None, Value::Int(3), Value::Int(3));
        check("n_l", Some(Value::Long(1)), Value::Long(-2), Value::Long(-1));
        check("n_d", Some(Value::Double(1.5)), Value::Int(1), Value::Double(2.5));
        let several = vec![Value::Int(1), Value::Int(9)];
        assert_eq!(
            edit("n_is", several, AtomicOp::Inc, vec![Value::Int(3)]).unwrap(),
            Some(vec![Value::Int(4)])
        );
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let check = |field: &str, op, values, part: &str| {
            let message = edit(field, vec![], op, values).unwrap_err().message;
            assert!(message.contains(part), "{message}");
        };
        check("a_s", AtomicOp::Inc, vec![Value::Int(3)], "'inc' is not supported on non-numeric field a_s");
        check("n_i", AtomicOp::Inc, vec![], "has no number");
        check("a_ss", AtomicOp::RemoveRegex, texts("("), "`(`");
    }
}
