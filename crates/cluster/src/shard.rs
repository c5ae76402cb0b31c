//! What a collection asks of a shard, as a seam: the engine's shard in production, one in memory in tests of the layers
//! above. Calls block; [`crate::offload`] decides on which thread.

use std::sync::Arc;

use meter::{Clock, Meters};
use plan::partial::ShardResult;
use plan::{
    AutoCommit, CacheStats, Commit, Document, DocumentVectors, Explanation, FieldSelection, Join, LikeTerm,
    MoreLike, Query, Result, Schema, SearchPlan, SpellFinding, SpellPlan, SuggestComponent, SuggestPlan,
    Suggestion, TermCount, TermsPlan, UpdateBatch, UpdateOutcome, VectorsPlan, Version, WhyNot,
};

use store::{BackupFolder, BackupPoint, ShardId, ShardImage, Site, Watermark};

pub use engine::{
    EditSteps, FieldStats, JoinedValues, Peers, SegmentStats, ShardStats, TopTerms, UpdateContext, Visit,
};

/// One shard that is open on this node.
pub trait Shard: Send + Sync {
    /// Returns when the operations are durable, or with why not in the outcome.
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> UpdateOutcome;
    fn commit(&self, commit: &Commit) -> Result<()>;
    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult>;
    /// What the documents of a join's query have in its field.
    fn joined(&self, join: &Join, scored: bool) -> Result<JoinedValues>;
    /// Makes the node's other collections known, once.
    fn set_peers(&self, peers: Arc<dyn Peers>);
    /// Sees updates that no commit has made visible. One entry an id, `None` where absent.
    fn get(&self, ids: &[String], fields: &FieldSelection) -> Result<Vec<Option<Document>>>;
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()>;
    fn set_auto_commit(&self, auto_commit: AutoCommit);
    /// The fields that say when documents end, and every how many seconds those are deleted that have.
    fn set_expiries(&self, fields: &[(String, u64)]);
    /// Takes up the suggesters that are declared, and builds those that are to be built when a shard opens.
    fn set_suggesters(&self, components: &[SuggestComponent]);
    /// Builds a suggester from what searches see now.
    fn build_suggester(&self, component: &str, name: &str) -> Result<()>;
    /// What a suggester has for a text.
    fn suggest(&self, plan: &SuggestPlan) -> Result<Vec<Suggestion>>;
    /// Changes whenever a suggester is built or dropped.
    fn suggesters_number(&self) -> u64;
    fn stats(&self) -> ShardStats;
    /// The fields that documents have, by their concrete names.
    fn luke_fields(&self) -> Result<Vec<FieldStats>>;
    /// The most frequent terms, and how frequent all are.
    fn top_terms(&self, field: &str, limit: usize) -> Result<TopTerms>;
    /// The terms of a field, with their counts.
    fn terms(&self, plan: &TermsPlan) -> Result<Vec<TermCount>>;
    /// The terms of documents, from their stored texts.
    fn vectors(&self, plan: &VectorsPlan) -> Result<Vec<DocumentVectors>>;
    /// Why the document with this id is no hit of the plan, as far as filters and query say.
    fn why_not(&self, plan: &SearchPlan, id: &str, meters: &Meters) -> Result<WhyNot>;
    /// The words by which documents are like another, the least telling first.
    fn like_terms(&self, like: &MoreLike) -> Result<Vec<LikeTerm>>;
    /// What dictionaries suggest for words.
    fn spell(&self, plan: &SpellPlan, meters: &Meters) -> Result<Vec<SpellFinding>>;
    /// The living visible document with this number: id and fields.
    fn document_at(&self, place: u64, fields: &FieldSelection) -> Result<Option<(String, Document)>>;
    /// How the query of `plan` scores the first `limit` documents of `other`, by id.
    fn explain_other(
        &self,
        plan: &SearchPlan,
        other: &Query,
        limit: usize,
        meters: &Meters,
    ) -> Result<Vec<(String, Explanation)>>;
    /// The versions of the documents updated last, newest first.
    fn versions(&self, limit: usize) -> Result<Vec<Version>>;
    fn segments(&self) -> Vec<SegmentStats>;
    /// Changes whenever searches may find something else.
    fn snapshot_number(&self) -> u64;
    /// Its caches, by Solr's names.
    fn caches(&self) -> Vec<(&'static str, CacheStats)>;
    /// Visits records that make all documents of this moment; returns the place in the log from which
    /// [`Shard::export_since`] goes on. The log is kept until [`Shard::end_export`], to be called once for each export.
    fn export(&self, visit: &mut Visit<'_>) -> Result<Watermark>;
    /// Visits the log's records above a place; returns the place reached.
    fn export_since(&self, after: Watermark, visit: &mut Visit<'_>) -> Result<Watermark>;
    fn end_export(&self);
    /// Takes another shard's record as it is, or those of its documents whose id, or whose root's, is `wanted`, in place of those that
    /// are here with their ids; values turned into what this shard's schema has. Durable from the next flush on.
    fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()>;
    /// Everything applied so far, committed or not, as files for another home.
    fn capture(&self) -> Result<ShardImage>;
    /// Flushes and stops background work; later calls fail.
    fn close(&self) -> Result<()>;
}

/// Opens or creates shards.
pub trait OpenShard: Send + Sync {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>>;
    /// Makes a new shard's home of a backup, to be opened afterwards. Each file is compared with its hash.
    fn restore(&self, place: &ShardPlace, image: &BackedUp<'_>) -> Result<()>;
}

/// Where a shard lives: which one it is, and the site that has its home.
pub struct ShardPlace {
    pub site: Arc<dyn Site>,
    pub id: ShardId,
}

/// A shard as a backup keeps it.
pub struct BackedUp<'a> {
    pub manifest: &'a [u8],
    pub folder: &'a BackupFolder,
    pub point: &'a BackupPoint,
}

/// Where a shard lives and what it needs to open.
pub struct ShardSite {
    pub place: ShardPlace,
    pub schema: Arc<Schema>,
    pub auto_commit: AutoCommit,
    pub clock: Arc<dyn Clock>,
}
