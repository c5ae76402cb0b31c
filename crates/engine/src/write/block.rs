//! Blocks: documents with others below them, taken apart for the index and put together again for an edit.
//! The documents of a block are one operation of the log and stand in one segment one after another, the root
//! last.
//!
//! In: the tree of `plan::NestedField`; out: documents in index order with the fields that say where each
//! belongs. Only documents of blocks have a `_root_`: any other is its own root.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{
    AtomicOp, Document, Error, ErrorKind, NEST_PARENT_FIELD, NEST_PATH_FIELD, Nested, NestedEdit,
    NestedField, ROOT_FIELD, Result, Schema, Value, last_step, path_above,
};

use crate::layout::Layout;
use crate::segment::nesting::{NestedPosition, nested_position};
use crate::write::atomic;

/// A document of a block, or a block's root, with its id.
pub(crate) type Member = (String, Document);

/// The documents below a root in index order, each with where it belongs; and what the root itself gets.
pub(crate) fn flatten(root: &mut Member, children: Vec<NestedField>, schema: &Schema) -> Vec<Member> {
    let mut flat = Flat { root: root.0.clone(), schema, members: Vec::new() };
    flat.fields(children, &root.0, "");
    if !flat.members.is_empty() {
        flat.tell(&mut root.1, ROOT_FIELD, &root.0);
    }
    flat.members
}

struct Flat<'a> {
    root: String,
    schema: &'a Schema,
    members: Vec<Member>,
}

impl Flat<'_> {
    fn fields(&mut self, fields: Vec<NestedField>, parent: &str, path: &str) {
        for mut field in fields {
            let documents = std::mem::take(&mut field.documents);
            for (place, Nested { id, mut document, children }) in documents.into_iter().enumerate() {
                let step = field.step(place);
                let own = step.as_ref().map_or_else(String::new, |step| format!("{path}{step}"));
                self.fields(children, &id, &own);
                self.tell(&mut document, ROOT_FIELD, &self.root.clone());
                if step.is_some() {
                    self.tell(&mut document, NEST_PATH_FIELD, &own);
                    self.tell(&mut document, NEST_PARENT_FIELD, parent);
                }
                self.members.push((id, document));
            }
        }
    }

    fn tell(&self, document: &mut Document, field: &str, text: &str) {
        if self.schema.field(field).is_some() {
            document.replace(&Arc::from(field), vec![Value::Str(text.to_owned())]);
        }
    }
}

/// The tree of a block, from the stored sources of its living documents in index order. Documents whose way
/// to the root is broken, since one between was deleted by query, are not in it.
pub(crate) fn assemble(sources: &[Arc<[u8]>], layout: &Layout, schema: &Schema) -> Result<Nested> {
    let mut waiting: HashMap<String, Vec<NestedField>> = HashMap::new();
    let Some((root, below)) = sources.split_last() else { return Ok(Nested::default()) };
    for source in below {
        let NestedPosition { path, .. } = nested_position(source, layout)?;
        // In index order documents stand before the one that they are below, so all of its children wait by
        // now.
        let children = if path.is_empty() { Vec::new() } else { waiting.remove(&path).unwrap_or_default() };
        let nested = member(source, children, layout, schema)?;
        let (name, listed) = last_step(&path).map_or((None, true), |(name, listed)| (Some(name), listed));
        let fields = waiting.entry(path_above(&path).to_owned()).or_default();
        match fields.iter_mut().find(|field| field.name.as_deref() == name) {
            Some(field) => field.documents.push(nested),
            None => {
                fields.push(NestedField { name: name.map(Arc::from), listed, documents: vec![nested] });
            }
        }
    }
    member(root, waiting.remove("").unwrap_or_default(), layout, schema)
}

fn member(source: &[u8], children: Vec<NestedField>, layout: &Layout, schema: &Schema) -> Result<Nested> {
    let mut document = atomic::base_document(source, layout, schema)?;
    document.fields.retain(|(name, _)| !matches!(&**name, ROOT_FIELD | NEST_PATH_FIELD | NEST_PARENT_FIELD));
    let key = layout.unique_key().and_then(|key| document.first(key));
    Ok(Nested { id: key.map(Value::to_text).unwrap_or_default(), document, children })
}

/// The document of this id in a tree, the root among them.
pub(crate) fn find<'a>(nested: &'a mut Nested, id: &str) -> Option<&'a mut Nested> {
    if nested.id == id {
        return Some(nested);
    }
    let documents = nested.children.iter_mut().flat_map(|field| &mut field.documents);
    documents.into_iter().find_map(|document| find(document, id))
}

/// Makes an edit to the documents below another.
pub(crate) fn edit(children: &mut Vec<NestedField>, edit: &NestedEdit) -> Result<()> {
    let at = match children.iter().position(|field| field.name.as_ref() == Some(&edit.name)) {
        Some(at) => at,
        None => {
            let name = Some(edit.name.clone());
            children.push(NestedField { name, listed: true, documents: Vec::new() });
            children.len() - 1
        }
    };
    let Some(field) = children.get_mut(at) else { return Ok(()) };
    let added = edit.documents.iter().cloned();
    match edit.op {
        AtomicOp::Set => {
            (field.documents, field.listed) = (added.collect(), edit.listed);
        }
        AtomicOp::AddDistinct => {
            for document in added {
                if !field.documents.contains(&document) {
                    field.documents.push(document);
                }
            }
            field.listed = true;
        }
        AtomicOp::Add => {
            for document in added {
                match field.documents.iter_mut().find(|present| present.id == document.id) {
                    Some(present) => *present = document,
                    None => field.documents.push(document),
                }
            }
            field.listed = true;
        }
        AtomicOp::Remove => {
            field.documents.retain(|present| !edit.documents.iter().any(|gone| gone.id == present.id));
        }
        AtomicOp::RemoveRegex | AtomicOp::Inc => {
            return Err(Error::bad_request(format!(
                "an edit of the documents below `{}` can be set, add, add-distinct or remove",
                edit.name
            )));
        }
    }
    children.retain(|field| !field.documents.is_empty());
    Ok(())
}

/// Solr differs: it calls a child that is not there its own failure, an error 500
/// (`compat/update/blocks.yaml`).
pub(crate) fn no_child(id: &str, root: &str) -> Error {
    Error::bad_request(format!("Did not find child ID {id} in parent ID {root}"))
}

pub(crate) fn no_root(root: &str) -> Error {
    Error::new(ErrorKind::Conflict, format!("Document not found for update.  id={root}"))
}

/// Solr's error for an edit of a document in a block whose root is not named.
pub(crate) fn root_unknown() -> Error {
    Error::bad_request(
        "Attempted an atomic/partial update to a child doc without indicating the _root_ somehow.",
    )
}
