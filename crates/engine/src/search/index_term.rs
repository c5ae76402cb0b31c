//! How a value becomes a term of the index: by what the field's inverted part holds. For whoever looks terms
//! up, so that a query, a function and a look for like documents ask for the same one.

use plan::Value;
use tantivy::Term;
use tantivy::schema::Field;

use super::column_values::{flag, integer, real};
use crate::layout::{FieldLayout, InvertedKind};

/// The term under which a value is indexed; `None` when the field cannot hold such a value.
pub(crate) fn term_of(layout: &FieldLayout, field: Field, value: &Value) -> Option<Term> {
    Some(match layout.inverted_kind? {
        InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key => {
            Term::from_field_text(field, &value.to_text())
        }
        InvertedKind::I64 => Term::from_field_i64(field, integer(value)?),
        InvertedKind::F64 => Term::from_field_f64(field, real(value)?),
        InvertedKind::Bool => Term::from_field_bool(field, flag(value)?),
    })
}
