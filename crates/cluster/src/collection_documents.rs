//! The two documents of a collection that all nodes agree on: `collection.json` says what it is and how it is
//! called, `schema.json` which schema it has and which edition of its documents that is for. Their form on
//! disk; the catalog reads and writes them, and what a node has of a collection is its placement.

use std::collections::BTreeMap;

use plan::SchemaSource;
use serde::{Deserialize, Serialize};

use crate::replica::ReplicaKind;
use crate::routing::{HashRange, Router, ShardDocument};

/// The edition of a collection's documents before any rebuild, and the name of the shard that a collection
/// has whose document names none.
pub(crate) const FIRST_SHARD: &str = "shard1";

/// `collection.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CollectionDocument {
    pub name: String,
    /// How clients address the replica of the first shard.
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
    #[serde(default)]
    pub router: Router,
    /// Empty where there is but one, of all hashes: releases that know no others read that too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<ShardDocument>,
    /// The highest number of a replica so far; none is given again.
    #[serde(default)]
    pub replicas: u32,
    /// It takes no updates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Of the replicas that its shards are made with.
    #[serde(default, skip_serializing_if = "ReplicaKind::is_plain")]
    pub leads: ReplicaKind,
}

impl CollectionDocument {
    /// Never changes, whatever it is called.
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.name)
    }

    /// All of them, in order.
    pub fn shards(&self) -> Vec<ShardDocument> {
        if !self.shards.is_empty() {
            return self.shards.clone();
        }
        let range = Some(HashRange::ALL);
        vec![ShardDocument { name: FIRST_SHARD.to_owned(), core: self.core.clone(), node_number: 2, range }]
    }

    /// The folders with the documents of an edition, one a shard, in order.
    pub fn folders(&self, edition: &str) -> Vec<String> {
        self.shards().iter().map(|shard| shard_folder(edition, &shard.name)).collect()
    }
}

/// The folder of a shard's documents in an edition. The first shard's is called as the edition is, which is
/// all that there is in most collections. No edition has a `_` in its name.
pub(crate) fn shard_folder(edition: &str, shard: &str) -> String {
    if shard == FIRST_SHARD { edition.to_owned() } else { format!("{edition}_{shard}") }
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
