//! What of the node's host will hurt next, as whoever runs the node measured it. A test hands in what it
//! likes.

use std::sync::Arc;

/// One finding, as the doctor has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNote {
    /// Kebab case, for programs.
    pub name: String,
    /// `certain`, `likely` or `hint`.
    pub sure: String,
    pub measured: String,
    pub why: String,
    pub mend: String,
}

/// Measures the host: takes some seconds, and for ever where its disk does not answer. `None` where it is
/// being measured already.
pub type HostNotes = Arc<dyn Fn() -> Option<Vec<HostNote>> + Send + Sync>;
