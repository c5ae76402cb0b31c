//! What columns take of values, and numbers as terms: texts as such or cut to the characters that a sortable
//! text keeps, numbers and flags as tantivy's leaves, vectors as words, stretches of time by their ends.
//!
//! In: values of the field's class (`values`) and the field's layout; out: leaves of the prepared document.
//! Which fields have a column is decided by `layout/slot`; writing it is the builder's.

use std::borrow::Cow;

use plan::{DateSpan, Error, FieldClass, Result, Value, rank_kept, span_bounds};
use tantivy::schema::Field;

use super::prepared::Prepared;
use super::values::{check_term, text_of, wrong_value};
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

/// All values together, as one set of instants.
pub(crate) fn index_date_spans(
    id: &str,
    field: &FieldLayout,
    values: &[Cow<'_, Value>],
    out: &mut Prepared,
) -> Result<()> {
    let Some(column) = &field.column else { return Ok(()) };
    let span = |value: &Cow<'_, Value>| {
        let text = text_of(value);
        DateSpan::parse(&text).map_err(|error| wrong_value(id, field, &text, error))
    };
    let bounds = span_bounds(values.iter().map(span).collect::<Result<_>>()?);
    out.document.leaves.extend(bounds.into_iter().map(|bound| (column.field, Leaf::I64(bound))));
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
            match sortable_cut(field, &text) {
                None => push_text(out, column, &text),
                Some(_) if field.spec.properties.use_doc_values_as_stored => {
                    let length = text.encode_utf16().count();
                    return Err(Error::bad_request(format!(
                        "ERROR: [doc={id}] Error adding field '{name}'='{text}' msg=Can not use field {name} with \
                         values longer then maxCharsForDocValues={most} when useDocValuesAsStored=true \
                         (length={length})",
                        name = field.name,
                        most = sortable_chars_max(field),
                    )));
                }
                Some(cut) => push_text(out, column, &cut),
            }
        }
        FieldClass::Rank => {
            if let Value::Float(number) = value {
                push_number(out, column, &Value::Float(rank_kept(*number)));
            }
        }
        FieldClass::Enum => {
            let place = field.spec.field_type.enumeration.read(&text_of(value));
            let leaf = place.map(|value| (column, Leaf::I64(i64::from(value.ordinal))));
            out.document.leaves.extend(leaf);
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

/// Characters that a column of texts to sort by keeps. Nothing, or less, is no bound, as in Solr.
///
/// Solr differs: it shows them in place of the stored text where nothing else is asked for
/// (`compat/schema/text_columns.yaml`).
fn sortable_chars_max(field: &FieldLayout) -> usize {
    let argument = field.spec.field_type.argument("maxCharsForDocValues");
    match argument.and_then(|chars| chars.trim().parse::<i32>().ok()) {
        None => SORTABLE_CHARS_MAX,
        Some(chars) => usize::try_from(chars).ok().filter(|chars| *chars > 0).unwrap_or(usize::MAX),
    }
}

/// The start of a text that is too long. Characters are Java's: one beyond the basic plane is two, and
/// leaves, cut in two, a replacement character.
fn sortable_cut(field: &FieldLayout, text: &str) -> Option<String> {
    let most = sortable_chars_max(field);
    if text.len() <= most {
        return None;
    }
    let units: Vec<u16> = text.encode_utf16().take(most.saturating_add(1)).collect();
    (units.len() > most).then(|| String::from_utf16_lossy(units.get(..most).unwrap_or_default()))
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
        Value::Str(_) | Value::Bytes(_) | Value::Enum(_) => return,
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
        Value::Str(_) | Value::Bytes(_) | Value::Enum(_) => return None,
    };
    Some(number.to_be_bytes())
}
