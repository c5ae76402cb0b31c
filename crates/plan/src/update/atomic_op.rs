//! What an edit does to a field. `solr` reads the modifiers of a document, the engine merges them onto the
//! document as it stands when the edit is applied.

use serde::{Deserialize, Serialize};

/// Solr's modifiers of an atomic update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtomicOp {
    /// With no values: removes the field.
    Set,
    Add,
    AddDistinct,
    Remove,
    RemoveRegex,
    Inc,
}
