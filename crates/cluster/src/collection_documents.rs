//! The two documents of a collection that all nodes agree on: `collection.json` says what it is and how it is
//! called, `schema.json` which schema it has and which edition of its documents that is for. Their form on
//! disk; the catalog reads and writes them, and what a node has of a collection is its placement.

use std::collections::BTreeMap;

use plan::SchemaSource;
use serde::{Deserialize, Serialize};

/// The edition of a collection's documents before any rebuild.
pub(crate) const FIRST_SHARD: &str = "shard1";

/// `collection.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CollectionDocument {
    pub name: String,
    /// How clients address the one replica.
    pub core: String,
    pub configset: String,
    pub created_ms: i64,
    /// The key of its documents when that is not its name: it was renamed, or another had its name first.
    #[serde(default, rename = "folder")]
    pub key: Option<String>,
    /// What clients set for it.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
    /// How often the above was changed.
    #[serde(default)]
    pub changes: u32,
}

impl CollectionDocument {
    /// Never changes, whatever it is called.
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.name)
    }
}

/// `schema.json`: the schema with the number of changes it went through.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedSchema {
    pub version: u64,
    pub source: SchemaSource,
    /// The edition of the documents that this schema is for; `None` is the first. It is in this document so
    /// that a rebuild exchanges both in one step.
    #[serde(default, rename = "shard")]
    pub edition: Option<String>,
    /// The schema before the last rebuild, which can be undone.
    #[serde(default)]
    pub before: Option<SchemaSource>,
}

impl SavedSchema {
    pub fn first(source: SchemaSource) -> Self {
        Self { version: 0, source, edition: None, before: None }
    }

    pub fn edition(&self) -> &str {
        self.edition.as_deref().unwrap_or(FIRST_SHARD)
    }
}
