//! What an edit does to a field.

/// Solr's modifiers of an atomic update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// With no values: removes the field.
    Set,
    Add,
    AddDistinct,
    Remove,
    RemoveRegex,
    Inc,
}
