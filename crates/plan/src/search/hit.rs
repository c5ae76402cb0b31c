//! One document on a page, with what was worked out for it. Made by the engine's second step for the hits
//! that are shown, numbered with its shard by `cluster`, written by `solr`. Documents below a hit, snippets
//! and computed values travel with it, so that writing an answer asks no shard again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::Value;
use crate::value::document::Document;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The unique key's value.
    pub id: String,
    /// The fields selected, in index order of the stored document.
    pub document: Document,
    /// Which of the collection's shards has it; a shard that speaks of itself says 0.
    pub shard: u32,
    /// Its number in that shard's snapshot, the dead counted too: Lucene's document id.
    pub place: u64,
    pub score: Option<f32>,
    /// In index order, each with those below it.
    pub children: Vec<ChildHit>,
    /// Of the plan's functions, in their order; `None` where a function has no value.
    pub values: Vec<Option<Value>>,
    pub explanation: Option<Explanation>,
}

/// Where a document is, among the snapshots that one request has pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitAddress {
    /// As [`Hit::shard`].
    pub shard: u32,
    /// As [`Hit::place`].
    pub place: u64,
}

impl Hit {
    pub fn address(&self) -> HitAddress {
        HitAddress { shard: self.shard, place: self.place }
    }
}

/// A document below a hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildHit {
    /// Under which name; `None` where it has none.
    pub name: Option<Arc<str>>,
    /// Whether there may be others of the name.
    pub listed: bool,
    pub document: Document,
    pub children: Vec<ChildHit>,
}

/// How a score came about, as Lucene's `Explanation`: a tree of values with their reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    pub matched: bool,
    /// A `Float`; a `Double` where Lucene computes in double precision, a `Long` where it counts.
    pub value: Value,
    pub description: String,
    pub details: Vec<Explanation>,
}
