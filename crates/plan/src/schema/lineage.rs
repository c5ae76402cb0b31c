//! Which states of a collection's schema one schema speaks for. Plans and batches name the version they were
//! resolved against; a shard compares that with its own schema's lineage before it does anything
//! (`docs/protocol.md`, ADR 16). What is resolved anew, and by whom, is `cluster`'s and `http`'s.

use crate::error::{Error, ErrorKind, Result};

/// The schema's place in the history of its collection. 0 is a schema of no collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SchemaLineage {
    pub version: u64,
    /// The oldest version whose plans and batches mean the same under this one: only additions came since.
    pub since: u64,
}

impl SchemaLineage {
    /// Whether what was resolved against a version may be done under this schema. `None` looked nothing up in
    /// a schema. Errors: `SchemaChanged`, with nothing done.
    pub fn check(self, resolved: Option<u64>) -> Result<()> {
        let Some(resolved) = resolved else { return Ok(()) };
        if self.admits(resolved) {
            return Ok(());
        }
        let Self { version, since: _ } = self;
        let message = if resolved > version {
            format!(
                "this shard has version `{version}` of the schema, not `{resolved}` yet; send the request again"
            )
        } else {
            format!("the schema is at version `{version}`, past `{resolved}`; send the request again")
        };
        Err(Error::new(ErrorKind::SchemaChanged, message))
    }

    pub fn admits(self, resolved: u64) -> bool {
        (self.since..=self.version).contains(&resolved)
    }
}
