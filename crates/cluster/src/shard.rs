//! What a collection asks of a shard, as a seam: the engine's shard in production, one in memory in tests of the layers
//! above. Calls block; [`crate::offload`] decides on which thread.

use std::path::PathBuf;
use std::sync::Arc;

use plan::{
    AutoCommit, Clock, Commit, Document, FieldSelection, Result, Schema, SearchPlan, SearchResult,
    UpdateBatch, UpdateOutcome, Value,
};

pub use engine::{FieldStats, ShardStats};

/// One shard that is open on this node.
pub trait Shard: Send + Sync {
    /// Returns when the operations are durable, or with why not in the outcome.
    fn update(&self, batch: UpdateBatch) -> UpdateOutcome;
    fn commit(&self, commit: &Commit) -> Result<()>;
    fn search(&self, plan: &SearchPlan) -> Result<SearchResult>;
    /// Sees updates that no commit has made visible. One entry an id, `None` where absent.
    fn get(&self, ids: &[String], fields: &FieldSelection) -> Result<Vec<Option<Document>>>;
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()>;
    fn set_auto_commit(&self, auto_commit: AutoCommit);
    fn stats(&self) -> ShardStats;
    /// The fields that documents have, by their concrete names.
    fn luke_fields(&self) -> Result<Vec<FieldStats>>;
    /// (term, documents), most documents first.
    fn top_terms(&self, field: &str, limit: usize) -> Result<Vec<(Value, u64)>>;
    /// Flushes and stops background work; later calls fail.
    fn close(&self) -> Result<()>;
}

/// Opens or creates shards.
pub trait OpenShard: Send + Sync {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>>;
}

/// Where a shard lives and what it needs to open.
pub struct ShardSite {
    pub folder: PathBuf,
    /// Whose the files are: the same at every opening, another for every other shard there ever was.
    pub stream: [u8; 16],
    pub schema: Arc<Schema>,
    pub auto_commit: AutoCommit,
    pub clock: Arc<dyn Clock>,
}
