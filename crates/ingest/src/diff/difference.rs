//! What a comparison finds, a document each. Only the types: `mod.rs` finds them by reading both sides,
//! `repair.rs` mends them, and the command shows them.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// The source has it, the target not.
    Missing,
    /// The target has it, no source does, or a rule keeps it back.
    Extra,
    /// Their contents differ.
    Different,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub id: String,
    pub kind: DifferenceKind,
    /// Of the row: the source's name and key.
    pub row: Option<(String, String)>,
}
