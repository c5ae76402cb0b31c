//! What makes updates visible (refresh) and what moves them from the log into segments (flush). Asked by a
//! request, or by a collection's own rules after some time or a number of documents; the engine does it and
//! waits for what is asked.

use serde::{Deserialize, Serialize};

/// An explicit commit. Durability needs none: an acknowledged update is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// A refresh only (Solr's `softCommit`); otherwise flush too.
    pub soft: bool,
    /// Whether a new snapshot opens (Solr's `openSearcher`); always so when `soft`.
    pub open_searcher: bool,
    /// Rewrite segments that hold deleted documents (Solr's `expungeDeletes`).
    pub expunge_deletes: bool,
    /// Merge down to this many segments (Solr's `optimize`, `maxSegments`).
    pub max_segments: Option<usize>,
}

impl Commit {
    pub const HARD: Commit =
        Commit { soft: false, open_searcher: true, expunge_deletes: false, max_segments: None };
    pub const SOFT: Commit =
        Commit { soft: true, open_searcher: true, expunge_deletes: false, max_segments: None };
}

/// When commits happen by themselves. `None` switches one off. Times in milliseconds since the first waiting
/// update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoCommit {
    pub flush_after_ms: Option<u64>,
    pub flush_after_docs: Option<u64>,
    /// Whether the automatic flush also opens a new snapshot.
    pub flush_opens_searcher: bool,
    pub refresh_after_ms: Option<u64>,
    pub refresh_after_docs: Option<u64>,
}
