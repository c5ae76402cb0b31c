//! What a collection asks of a shard, as a seam of three roles: who changes documents, who reads, who keeps
//! the shard in order. The engine's shard is behind it in production, one in memory in tests of the layers
//! above; a shard of another node would be one more. Calls block; [`crate::offload`] decides on which thread.

mod call;
mod read;

pub use call::{ShardStep, call_shard};
pub use read::{
    CachesRead, DocumentAtRead, ExplainOtherRead, FieldBytesRead, FieldsRead, FingerprintRead, GetRead,
    ImageRead, JoinRead, LikeCountsRead, ReadAnswer, ReadRequest, SegmentsRead, ShardMoment, ShardRead,
    ShardReader, ShardSnapshot, SnapshotAnswer, SnapshotRead, SnapshotRequest, TermDocumentsRead,
    VersionsRead, WhyNotRead,
};

use std::sync::Arc;

use engine::IndexSample;
use meter::{Clock, VitalFigures};
use plan::{
    AutoCommit, CollectionConfig, Commit, Error, LogPosition, Result, Schema, SuggestComponent, UpdateBatch,
};

use store::{
    BackupFolder, BackupPoint, ContentDigest, FileCopies, LogFigures, ShardId, ShardImage, Site, Watermark,
};

pub use engine::{
    AppliedUpdate, EditSteps, FilePiece, FollowerHas, JoinedValues, Leader, Peers, RememberedBatches,
    SegmentStats, ShardStats, Shown, SnapshotImage, UpdateContext, Visit, piece_of,
};

/// For how long a look is as good as one of now: a copy's at its leader, of which there are several in that
/// time, and a leader's at its home (model `follow_leader`).
pub(crate) const FRESH_NS: u64 = 2_000_000_000;

/// Changes the documents of a shard.
pub trait ShardWriter: Send + Sync {
    /// Applies the operations. Awaited, it tells when they are durable, or why not in the outcome.
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate;
    /// How far the shard's log went: [`UpdateBatch::seen`] of a batch that is sent for the first time. Only
    /// its owner knows; an answer of a moment ago is as right, so one that is kept of each shard saves the
    /// question.
    fn position(&self) -> LogPosition;
    fn commit(&self, commit: &Commit) -> Result<()>;
}

/// Keeps a shard in order.
pub trait ShardUpkeep: Send + Sync {
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()>;
    /// Follows a collection's configuration. Suggesters that are to be built when a shard opens are built.
    fn configure(&self, settings: &ShardSettings<'_>);
    /// Builds a suggester from what searches see now.
    fn build_suggester(&self, component: &str, name: &str) -> Result<()>;
    /// Visits records that make all documents of this moment, or the log's records above the place that an
    /// earlier call returned; returns the place reached. The log is kept until [`ShardUpkeep::end_export`],
    /// to be called once for each export from the beginning.
    fn export(&self, after: Option<Watermark>, visit: &mut Visit<'_>) -> Result<Watermark>;
    fn end_export(&self);
    /// What is remembered of batches that have a name, for the shard that takes this one's place.
    fn remembered_batches(&self) -> RememberedBatches;
    /// Remembers what another shard did, whose records were imported. As durable as those.
    fn inherit_batches(&self, from: &RememberedBatches);
    /// As [`ShardUpkeep::set_schema`], by one that was told of it: what is another member's is left to that.
    fn set_own_schema(&self, schema: Arc<Schema>) -> Result<()> {
        self.set_schema(schema)
    }
    /// As [`ShardUpkeep::configure`], in the same way.
    fn configure_own(&self, settings: &ShardSettings<'_>) {
        self.configure(settings);
    }
    /// A copy of what another leads takes up what that shows now.
    fn catch_up(&self) -> Result<()> {
        Ok(())
    }
    /// Takes another shard's record as it is, or those of its documents whose id, or whose root's, is
    /// `wanted`, in place of those that are here with their ids; values turned into what this shard's schema
    /// has. Durable from the next flush on.
    fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()>;
    /// Everything applied so far, committed or not, as files for another home.
    fn capture(&self) -> Result<ShardImage>;
    /// What all living documents come to, however they lie in segments.
    fn content_digest(&self) -> Result<ContentDigest>;
    /// Compares so many stored documents of each segment with its index, and as many terms with documents;
    /// `told` hears of each segment. Errors: where the shard is not here.
    fn sample_index(&self, documents: u32, told: &mut dyn FnMut(&IndexSample)) -> Result<IndexSample> {
        let _ = (documents, told);
        Err(Error::bad_request("an index is compared with its documents where its files are"))
    }
    /// Whether what is under way gets anywhere, for whoever watches the node. Waits for nobody.
    fn vital_figures(&self) -> VitalFigures {
        VitalFigures::default()
    }
    /// How the log is doing, where it lies in an object store.
    fn log_figures(&self) -> Option<LogFigures> {
        None
    }
    /// Looks whether another opening has fenced it: behind this, what it was set to is what the shard's owner
    /// goes by. Errors: `Unavailable` where one has, and while its home does not answer.
    fn confirm_owner(&self) -> Result<()> {
        Ok(())
    }
    /// Whether another opening fenced it, as far as it has heard.
    fn is_deposed(&self) -> bool {
        false
    }
    /// Whether opened anew it would have what it lacks: the files are whole again for which something was
    /// left out when it was opened.
    fn is_mended(&self) -> bool {
        false
    }
    /// Whether it is to be opened anew, if it is this member's: it is fenced, or mended.
    fn wants_opening(&self) -> bool {
        self.is_deposed() || self.is_mended()
    }
    /// Flushes and stops background work; later calls fail.
    fn close(&self) -> Result<()>;
}

/// One shard that is open on this node.
pub trait Shard: ShardWriter + ShardReader + ShardUpkeep {}

impl<T: ShardWriter + ShardReader + ShardUpkeep> Shard for T {}

/// What of a collection's configuration is a shard's to heed.
pub struct ShardSettings<'a> {
    pub auto_commit: AutoCommit,
    /// The fields that say when documents end, and every how many seconds those are deleted that have.
    pub expiries: Vec<(String, u64)>,
    pub suggesters: &'a [SuggestComponent],
}

impl<'a> ShardSettings<'a> {
    pub fn of(config: &'a CollectionConfig) -> Self {
        Self {
            auto_commit: config.auto_commit,
            expiries: config.updates.expiries(),
            suggesters: &config.components.suggest,
        }
    }
}

/// Opens or creates shards.
pub trait OpenShard: Send + Sync {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>>;
    /// Makes a new shard's home of a backup, to be opened afterwards. Each file is compared with its hash.
    fn restore(&self, place: &ShardPlace, image: &BackedUp<'_>) -> Result<()>;
    /// Opens a copy of a shard that another owns, which shows what its leader shows. Errors: where these
    /// shards cannot be followed.
    fn follow(&self, site: ShardSite, leader: Arc<dyn Leader>) -> Result<Arc<dyn Shard>> {
        let _ = (site, leader);
        Err(Error::bad_request("shards of this kind have no replicas; use one"))
    }
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
    /// The node's other collections.
    pub peers: Arc<dyn Peers>,
    /// Who else may have its files; `None` where nobody can.
    pub copies: Option<Arc<dyn FileCopies>>,
}
