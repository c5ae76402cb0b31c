//! A rebuild as callers see it: the edit of the schema that they ask for, and how it goes or went. Plain
//! values that a collection keeps and shows; the rebuild itself is done in `rebuild`, which also writes the
//! status.

use plan::{Result, SchemaSource};

/// Makes the new schema of the present one; asked again when that changes meanwhile.
pub type SchemaEdit = Box<dyn Fn(&SchemaSource) -> Result<SchemaSource> + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebuildState {
    Running,
    Done,
    Failed,
}

/// How a rebuild goes or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RebuildStatus {
    pub state: RebuildState,
    pub started_ms: i64,
    /// When it ended, or now.
    pub until_ms: i64,
    /// Documents there were when it started.
    pub documents: u64,
    /// Bytes copied so far.
    pub bytes: u64,
    /// Why it failed.
    pub failure: Option<String>,
}
