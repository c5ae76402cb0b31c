//! By what the documents of a segment were indexed: a digest of all in the schema that decides which terms
//! and columns a document gets. Segments carry it, so that whoever compares an index with the documents can
//! tell an index that is wrong from one that was made under a schema of before.
//!
//! In: a schema, and the first slots of a layout of it; out: how many these are, and what they come to. Slots
//! that are added later leave the digest of those before them as it is, so a schema that only grows means no
//! loss. What decides how queries are read is no part of it.

use plan::{FieldSource, FieldSpec, Schema, TypeSource};
use serde::{Deserialize, Serialize};
use store::ContentDigest;

use crate::layout::slot::Slot;

/// What documents were indexed by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexedBy {
    /// The first slots of the layout, which these documents may have values in.
    pub(crate) slots: u32,
    digest: String,
}

/// What one slot adds to the digest, as JSON.
#[derive(Serialize)]
struct SlotPart<'a> {
    slot: &'a Slot,
    /// `None` where its name has another slot by now.
    field: Option<(TypeSource, &'a FieldSource)>,
    copies: Vec<(String, usize)>,
}

impl IndexedBy {
    /// Of a layout's first slots, each with its field, if its name has no other slot by now.
    pub(super) fn of<'a>(
        schema: &Schema,
        slots: impl ExactSizeIterator<Item = (&'a Slot, Option<&'a FieldSpec>)>,
    ) -> Self {
        let source = &schema.source;
        let count = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::new();
        put(&mut bytes, &(source.version, &source.unique_key, &source.resources));
        for (slot, field) in slots {
            let copies = schema.copies(&slot.name);
            let copies = copies.map(|(dest, copied)| (dest, copied.chars_max)).collect();
            put(&mut bytes, &SlotPart { slot, field: field.map(field_part), copies });
        }
        let mut digest = ContentDigest::default();
        digest.add(&[&bytes], 0);
        Self { slots: count, digest: digest.to_string() }
    }
}

/// Of a field's type what counts for indexing, and the field as declared.
fn field_part(field: &FieldSpec) -> (TypeSource, &FieldSource) {
    let declared = field.field_type.source.clone();
    let indexing =
        TypeSource { query_analyzer: None, multi_term_analyzer: None, similarity: None, ..declared };
    (indexing, &field.source)
}

fn put(bytes: &mut Vec<u8>, part: &impl Serialize) {
    // Invariant: what is read from JSON can be written as JSON.
    let _always_ok = serde_json::to_writer(&mut *bytes, part);
    bytes.push(b'\n');
}
