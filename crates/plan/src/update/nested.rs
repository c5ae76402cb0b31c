//! Documents in documents, as they are sent and as they are taken apart: a tree whose root carries the rest.
//! In the index they are a *block*: one document after another, each behind those below it, the root last.
//! Names and forms of the fields that tell who belongs to whom are Solr's (`NestedUpdateProcessor`, recorded
//! from 9.10.1).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::update::atomic_op::AtomicOp;
use crate::value::document::Document;

/// The field that names the root of a block. Documents without others below them do without: their id stands
/// for it.
pub const ROOT_FIELD: &str = "_root_";
/// The field that says where in the tree a document is: `/books#0/notes#1`, and `/owner#` where there is but
/// one.
pub const NEST_PATH_FIELD: &str = "_nest_path_";
/// The field that names the document above.
pub const NEST_PARENT_FIELD: &str = "_nest_parent_";

/// A document below another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Nested {
    pub id: String,
    /// Without the fields that tell where it is.
    pub document: Document,
    pub children: Vec<NestedField>,
}

/// Documents below another under one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NestedField {
    /// `None`: they are just below (Solr's `_childDocuments_`), and no path leads to them.
    pub name: Option<Arc<str>>,
    /// Whether their places are numbered.
    pub listed: bool,
    pub documents: Vec<Nested>,
}

impl NestedField {
    /// What a path says of the document at `place`.
    pub fn step(&self, place: usize) -> Option<String> {
        let name = self.name.as_ref()?.replace(['/', '#'], "_");
        Some(if self.listed { format!("/{name}#{place}") } else { format!("/{name}#") })
    }
}

/// An edit to the documents that another has below it under one name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NestedEdit {
    pub name: Arc<str>,
    /// `Set`, `Add` (which replaces those of the same id), `AddDistinct` or `Remove` (by id).
    pub op: AtomicOp,
    pub documents: Vec<Nested>,
    pub listed: bool,
}

/// The last step of a path, without its number, and whether it has one. `None` for the empty path of a root.
pub fn last_step(path: &str) -> Option<(&str, bool)> {
    let (name, number) = path.rsplit_once('/')?.1.rsplit_once('#')?;
    Some((name, !number.is_empty()))
}

/// The path of the document above; empty for the root's.
pub fn path_above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

/// A path as it is searched for: without numbers.
pub fn path_without_places(path: &str) -> String {
    let steps = path.split('/').map(|step| step.rsplit_once('#').map_or(step, |(name, _)| name));
    steps.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart() {
        let check = |path: &str, last: Option<(&str, bool)>, above: &str, plain: &str| {
            assert_eq!(last_step(path), last, "{path}");
            assert_eq!((path_above(path), path_without_places(path).as_str()), (above, plain), "{path}");
        };
        check("/books#0/notes#12", Some(("notes", true)), "/books#0", "/books/notes");
        check("/owner#", Some(("owner", false)), "", "/owner");
        check("", None, "", "");
    }
}
