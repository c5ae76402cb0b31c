//! What columns take of values, and numbers as terms: texts as such or cut to the characters that a sortable
//! text keeps, numbers and flags as tantivy's leaves, vectors as words.
//!
//! In: values of the field's class (`values`) and the field's layout; out: leaves of the prepared document.
//! Which fields have a column is decided by `layout/slot`; writing it is the builder's.

use std::borrow::Cow;

use plan::{FieldClass, Result, Value, rank_kept};
use tantivy::schema::Field;

use super::prepared::Prepared;
use super::values::{check_term, text_of};
use crate::indexing::index_document::Leaf;
use crate::layout::FieldLayout;
use crate::segment::dense_vectors;

/// Characters of a `SortableTextField` that its column keeps, unless `maxCharsForDocValues` says otherwise.
const SORTABLE_CHARS_MAX: usize = 1024;

pub(crate) fn index_vector(
    id: &str,
    field: &FieldLayout,
    values: &[Cow<'_, Value>],
    out: &mut Prepared,
) -> Result<()> {
    let Some(column) = &field.column else { return Ok(()) };
    let words = dense_vectors::of_values(values, &field.spec.field_type)
        .map_err(|error| error.context(format!("ERROR: [doc={id}] field `{}`: ", field.name)))?;
    out.document.leaves.extend(words.into_iter().map(|word| (column.field, Leaf::I64(word))));
    Ok(())
}

pub(crate) fn push_column(
    id: &str,
    field: &FieldLayout,
    column: Field,
    value: &Value,
    out: &mut Prepared,
) -> Result<()> {
    match field.class() {
        FieldClass::SortableText => {
            let text = text_of(value);
            let argument = field.spec.field_type.argument("maxCharsForDocValues");
            let chars_max = argument.and_then(|chars| chars.parse().ok()).unwrap_or(SORTABLE_CHARS_MAX);
            let end = text.char_indices().nth(chars_max).map_or(text.len(), |(end, _)| end);
            push_text(out, column, text.get(..end).unwrap_or_default());
        }
        FieldClass::Rank => {
            if let Value::Float(number) = value {
                push_number(out, column, &Value::Float(rank_kept(*number)));
            }
        }
        class if class.is_point() || class == FieldClass::Bool => push_number(out, column, value),
        _ => {
            let text = text_of(value);
            check_term(id, &field.name, &text)?;
            push_text(out, column, &text);
        }
    }
    Ok(())
}

fn push_text(out: &mut Prepared, field: Field, text: &str) {
    let start = out.document.text.len();
    out.document.text.push_str(text);
    out.document.leaves.push((field, Leaf::Text(start..out.document.text.len())));
}

fn push_number(out: &mut Prepared, field: Field, value: &Value) {
    let leaf = match value {
        Value::Int(number) => Leaf::I64(i64::from(*number)),
        Value::Long(number) | Value::Date(number) => Leaf::I64(*number),
        Value::Float(number) => Leaf::F64(f64::from(*number)),
        Value::Double(number) => Leaf::F64(*number),
        Value::Bool(flag) => Leaf::Bool(*flag),
        Value::Str(_) | Value::Bytes(_) => return,
    };
    out.document.leaves.push((field, leaf));
}

/// The term of a number or flag as tantivy writes it: eight bytes that sort as the values do.
pub(crate) fn number_term(value: &Value) -> Option<[u8; 8]> {
    let number = match value {
        Value::Int(number) => tantivy::i64_to_u64(i64::from(*number)),
        Value::Long(number) | Value::Date(number) => tantivy::i64_to_u64(*number),
        Value::Float(number) => tantivy::f64_to_u64(f64::from(*number)),
        Value::Double(number) => tantivy::f64_to_u64(*number),
        Value::Bool(flag) => u64::from(*flag),
        Value::Str(_) | Value::Bytes(_) => return None,
    };
    Some(number.to_be_bytes())
}
