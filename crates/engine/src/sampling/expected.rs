//! What the index is to have of a stored document: the terms, lengths and columns that its values make now.
//!
//! In: a document's source and the layout; out: per indexed field its terms with their positions, its length,
//! and what its columns hold. Values go through the same code as when they were indexed (`indexing/prepare`).
//! Fields that are neither stored nor in docValues are known only as far as stored ones are copied to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plan::{ROOT_FIELD, Result, Value};
use tantivy::schema::Field;

use crate::indexing::index_document::Leaf;
use crate::indexing::prepare::Preparer;
use crate::layout::analyzers::Analyzers;
use crate::layout::{FieldLayout, Layout, VERSION_NAME};
use crate::segment::source_codec;

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ColumnValue {
    Text(String),
    Number(i64),
    /// The bits of a real, so that each zero and each NaN is itself.
    Real(u64),
    Flag(bool),
}

/// A field of a document with what the index is to have of it.
pub(super) struct ExpectedField {
    pub(super) layout: Arc<FieldLayout>,
    /// Each term with its positions, ascending.
    pub(super) terms: BTreeMap<Vec<u8>, Vec<u32>>,
    /// In how many tokens its length counts, where it keeps lengths.
    pub(super) length: Option<u32>,
    /// By the column's field: of docValues and of payloads.
    pub(super) columns: BTreeMap<u32, Vec<ColumnValue>>,
    pub(super) known: Known,
}

/// How much of a field the document tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// All of its values in their order.
    Whole,
    /// The values, though neither their order nor how often each came.
    Values,
    /// Some terms of it: what was copied there from fields that the document has.
    SomeTerms,
}

/// A stored document.
pub(super) struct StoredDocument {
    pub(super) id: String,
    pub(super) version: i64,
    fields: Vec<(Arc<FieldLayout>, Vec<Value>)>,
}

impl StoredDocument {
    /// Errors: `DataLoss` for bytes that are no document.
    pub(super) fn read(source: &[u8], layout: &Layout) -> Result<Self> {
        let mut document =
            Self { id: String::new(), version: source_codec::version(source)?, fields: Vec::new() };
        let take = |slot: u32, values: Vec<Value>| {
            let Some(name) = layout.slot_name(slot) else { return };
            if Some(name) == layout.unique_key() {
                document.id = values.first().map(Value::to_text).unwrap_or_default();
            }
            // Of a name that has another slot by now the values lie where nobody looks.
            let field = layout.field(name).filter(|field| field.slot == slot);
            document.fields.extend(field.map(|field| (field.clone(), values)));
        };
        source_codec::fields(source, |_| true, take)?;
        Ok(document)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| *field.name == *name)
    }
}

/// Whether a document has all values of the field that it was sent with.
pub(super) fn is_kept(field: &FieldLayout) -> bool {
    let properties = &field.spec.properties;
    properties.stored || properties.doc_values || &*field.name == ROOT_FIELD
}

/// Works out what documents are to have, one after the other.
pub(super) struct Expectations {
    layout: Arc<Layout>,
    preparer: Preparer,
}

impl Expectations {
    pub(super) fn new(layout: &Arc<Layout>) -> Self {
        let analyzers = Arc::new(Analyzers::of(layout));
        let preparer = Preparer::new(layout.clone(), layout.schema().clone(), analyzers);
        Self { layout: layout.clone(), preparer }
    }

    /// Of fields among the first `slots`. Errors: where the values are none that the fields take.
    pub(super) fn of(&mut self, document: &StoredDocument, slots: u32) -> Result<Vec<ExpectedField>> {
        let mut expected = Vec::new();
        for (field, values) in &document.fields {
            if field.slot < slots && &*field.name != VERSION_NAME {
                let properties = &field.spec.properties;
                let in_order = properties.stored || !properties.multi_valued;
                let known = if in_order { Known::Whole } else { Known::Values };
                expected.push(self.field(document, (field, values), known)?);
            }
        }
        for (field, values) in self.copied(document, slots) {
            expected.push(self.field(document, (&field, &values), Known::SomeTerms)?);
        }
        Ok(expected)
    }

    /// What goes to fields of which the document has nothing itself.
    fn copied(&mut self, document: &StoredDocument, slots: u32) -> Vec<(Arc<FieldLayout>, Vec<Value>)> {
        let schema = self.layout.schema().clone();
        // Of what was copied nothing is copied on, and whether a value was, nobody can see.
        let all = document.fields.iter().flat_map(|(field, _)| schema.copies(&field.name));
        let destinations: BTreeSet<String> = all.map(|(dest, _)| dest).collect();
        let mut copied = Vec::new();
        for (field, values) in &document.fields {
            if !destinations.contains(&*field.name) {
                let copies = self.preparer.copies_of(&document.id, &field.name, values);
                copied.extend(copies.into_iter().filter(|(dest, _)| dest.slot < slots && !is_kept(dest)));
            }
        }
        copied
    }

    fn field(
        &mut self,
        document: &StoredDocument,
        (field, values): (&Arc<FieldLayout>, &[Value]),
        known: Known,
    ) -> Result<ExpectedField> {
        self.preparer.start_group();
        let prepared = self.preparer.index_field(&document.id, field, values)?;
        let mut terms: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
        for token in &prepared.tokens {
            if let Some(term) = self.preparer.terms().term(token.term) {
                terms.entry(term.bytes.to_vec()).or_default().push(token.position);
            }
        }
        terms.values_mut().for_each(|positions| positions.sort_unstable());
        let mut columns: BTreeMap<u32, Vec<ColumnValue>> = BTreeMap::new();
        let of_field = field.column.iter().chain(&field.payloads);
        columns.extend(of_field.map(|column| (column.field.field_id(), Vec::new())));
        let document = &prepared.document;
        for (column, leaf) in &document.leaves {
            let value = match leaf {
                Leaf::Text(range) => {
                    ColumnValue::Text(document.text.get(range.clone()).unwrap_or_default().to_owned())
                }
                Leaf::I64(number) => ColumnValue::Number(*number),
                Leaf::F64(number) => ColumnValue::Real(number.to_bits()),
                Leaf::Bool(flag) => ColumnValue::Flag(*flag),
                Leaf::Source => continue,
            };
            columns.entry(column.field_id()).or_default().push(value);
        }
        let length = prepared.lengths.first().map(|(_, length): &(Field, u32)| *length);
        Ok(ExpectedField { layout: field.clone(), terms, length, columns, known })
    }
}
