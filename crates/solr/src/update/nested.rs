//! Documents in documents: which values of a document are documents themselves, and their way to typed ones.
//! The decoders leave them as maps; here maps become a tree of `plan::NestedField`, each with an id. Wording
//! and names are Solr's, recorded from 9.10.1 (`compat/update/blocks.yaml`). How a tree becomes a block is
//! the engine's.

use std::sync::Arc;

use plan::{AtomicOp, Error, FieldSpec, Nested, NestedEdit, NestedField, Result, RootCause, Schema};

use crate::update::command::{RawDocument, RawValue};
use crate::update::document::{Field, Grouped, Typing, group};
use crate::update::modifier::operation;

/// The field of documents that have no name for their place.
pub const ANONYMOUS: &str = "_childDocuments_";

/// Most documents below a root: they are replaced as one, and so held in memory together. Solr differs: it
/// has no bound.
const DOCUMENTS_MAX: usize = 100_000;

/// Whether a value is a document and no edit: a map with the unique key, of one field that the schema knows,
/// or of anything but modifiers.
pub fn is_document(value: &RawValue, schema: &Schema) -> bool {
    let RawValue::Map(entries) = value else { return false };
    match entries.as_slice() {
        [(name, _)] => schema.unique_key.as_ref() == Some(name) || schema.field(name).is_some(),
        several => several.is_empty() || !several.iter().all(|(key, _)| operation(key).is_some()),
    }
}

/// Of a document that is sent, a list of one document below it is that document; in documents below it stays
/// a list, as with Solr's readers. What can be an edit stays.
pub fn take_out_of_list(value: &mut RawValue) {
    let is_edit = |map: &RawValue| matches!(map, RawValue::Map(entries) if entries.iter().all(|(key, _)| operation(key).is_some()));
    if let RawValue::List(values) = value
        && let [map @ RawValue::Map(_)] = values.as_mut_slice()
        && !is_edit(map)
    {
        *value = std::mem::replace(map, RawValue::Null);
    }
}

/// Takes the fields whose values are documents out of one. Documents without a name for their place come
/// first, as in Solr's blocks.
pub fn taken(grouped: &mut Grouped, schema: &Schema) -> Vec<Field> {
    let holds = |field: &Field| {
        &*field.name == ANONYMOUS || field.values.iter().any(|value| is_document(value, schema))
    };
    if !grouped.iter().any(holds) {
        return Vec::new();
    }
    let (mut taken, rest): (Vec<Field>, _) = std::mem::take(grouped).into_iter().partition(holds);
    taken.sort_by_key(|field| &*field.name != ANONYMOUS);
    *grouped = rest;
    taken
}

/// Plain documents beside edits: they replace those that have been under their name.
pub fn replacement(field: NestedField) -> Option<NestedEdit> {
    let NestedField { name, listed, documents } = field;
    Some(NestedEdit { name: name?, op: AtomicOp::Set, documents, listed })
}

/// What turns maps into documents.
pub struct Nesting<'a, 'b> {
    pub typing: &'a mut Typing<'b>,
    pub key: &'a FieldSpec,
    /// Documents still allowed.
    left: usize,
}

impl<'a, 'b> Nesting<'a, 'b> {
    pub fn new(typing: &'a mut Typing<'b>, key: &'a FieldSpec) -> Self {
        Self { typing, key, left: DOCUMENTS_MAX }
    }

    /// Documents that [`taken`] took out of the document of this id.
    pub fn fields(&mut self, id: &str, taken: Vec<Field>) -> Result<Vec<NestedField>> {
        if !taken.is_empty() {
            check_schema(self.typing.targets.schema(), self.key)?;
        }
        let fields = taken.into_iter().map(|Field { name, values, listed }| {
            let name = (&*name != ANONYMOUS).then_some(name);
            let field = NestedField { name, listed, documents: Vec::with_capacity(values.len().min(1024)) };
            self.field(id, field, values)
        });
        fields.collect()
    }

    fn field(&mut self, id: &str, mut field: NestedField, values: Vec<RawValue>) -> Result<NestedField> {
        for (place, value) in values.into_iter().enumerate() {
            let RawValue::Map(fields) = value else { return Err(no_document(id)) };
            let generated = field.step(place).map(|step| format!("{id}{step}"));
            let document = self.document(generated, RawDocument { fields })?;
            field.documents.push(document);
        }
        Ok(field)
    }

    /// A document below another. Without an id it gets `generated`, which says where it is.
    fn document(&mut self, generated: Option<String>, document: RawDocument) -> Result<Nested> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            Error::bad_request(format!(
                "a document has more than {DOCUMENTS_MAX} documents below it; send some of them as documents of their own"
            ))
        })?;
        let mut grouped = group(document);
        grouped.retain(|field| !is_assigned(&field.name));
        let own = grouped.iter().find(|field| field.name == self.key.name).map(Field::shown);
        let name = &self.key.name;
        let id = own
            .clone()
            .or(generated)
            .ok_or_else(|| Error::bad_request(format!("[doc=null] missing required field: {name}")))?;
        if own.is_none() {
            let values = vec![RawValue::Str(id.clone())];
            grouped.push(Field { name: name.clone(), values, listed: false });
        }
        let below = taken(&mut grouped, self.typing.targets.schema());
        let children = self.fields(&id, below)?;
        let document = self.typing.document(&id, grouped)?;
        Ok(Nested { id, document, children })
    }

    /// The edit that a modifier with documents is; `None` when the modifier is of values. A field that the
    /// schema does not know can only be of documents.
    pub fn edit(
        &mut self,
        id: &str,
        name: &Arc<str>,
        (modifier, value): (&str, &RawValue),
    ) -> Result<Option<NestedEdit>> {
        let Some(op) = operation(modifier) else { return Ok(None) };
        let values = match value {
            RawValue::List(values) => values.clone(),
            RawValue::Null => Vec::new(),
            single => vec![single.clone()],
        };
        let unknown = self.typing.targets.get(name).spec.is_none();
        let is_cleared = values.is_empty() && op == AtomicOp::Set && unknown;
        if !is_cleared && !values.iter().any(|it| is_document(it, self.typing.targets.schema())) {
            return Ok(None);
        }
        if op == AtomicOp::Inc {
            return Err(Error::bad_request(format!("'inc' is not supported on non-numeric field {name}")));
        }
        let listed = matches!(value, RawValue::List(_));
        let field = NestedField { name: Some(name.clone()), listed, documents: Vec::new() };
        let documents = self.field(id, field, values)?.documents;
        Ok(Some(NestedEdit { name: name.clone(), op, documents, listed }))
    }
}

/// What documents below others get, whatever they say.
fn is_assigned(name: &str) -> bool {
    matches!(name, "_version_" | plan::ROOT_FIELD | plan::NEST_PATH_FIELD | plan::NEST_PARENT_FIELD)
}

fn no_document(id: &str) -> Error {
    let message = format!("Exception writing document id {id} to the index; possible analysis error.");
    Error::bad_request(message).with_root(RootCause::IllegalArgument)
}

/// Solr's error where the schema has no means to tell blocks apart.
fn check_schema(schema: &Schema, key: &FieldSpec) -> Result<()> {
    match schema.field(plan::ROOT_FIELD) {
        Some(root) if root.class() == key.class() => Ok(()),
        _ => Err(Error::bad_request(
            "Unable to index docs with children: the schema must include definitions for both a uniqueKey field and \
             the '_root_' field, using the exact same fieldType",
        )),
    }
}
