//! A shard that another member leads and of which this one has a copy: searches are answered by the copy, and
//! what must be of this very moment is asked of the leader. The copy looks at what the leader shows all the
//! time; while that does not answer, searches go on by what it has (model `follow_leader`).

use std::sync::Arc;

use meter::{Meters, VitalFigures};
use plan::{Commit, ErrorKind, LogPosition, Result, Schema, UpdateBatch};
use store::{ContentDigest, ShardImage, Watermark};

use crate::remote::{RemoteLeader, RemoteShard};
use crate::shard::{
    AppliedUpdate, ReadAnswer, ReadRequest, RememberedBatches, Shard, ShardMoment, ShardReader,
    ShardSettings, ShardSnapshot, ShardStats, ShardUpkeep, ShardWriter, UpdateContext, Visit,
};

/// What this member keeps of a shard that another leads.
#[derive(Clone)]
pub(crate) struct ShardCopy {
    pub shard: Arc<dyn Shard>,
    pub looks_at: Arc<RemoteLeader>,
}

pub(crate) struct FollowedShard {
    copy: Arc<dyn Shard>,
    leader: RemoteShard,
}

impl FollowedShard {
    pub fn new(copy: &ShardCopy, leader: RemoteShard) -> Self {
        Self { copy: copy.shard.clone(), leader }
    }

    /// The copy, but for the time before it has seen anything of its leader.
    fn answering(&self) -> &dyn Shard {
        // Its own looks go on. Another one here would have each search wait for whoever does not answer.
        if self.copy.age_ns().is_some() {
            return &*self.copy;
        }
        match self.copy.catch_up() {
            // It is there, with a schema that this member has not taken up yet.
            Err(error) if error.kind == ErrorKind::SchemaChanged => &self.leader,
            _ => &*self.copy,
        }
    }
}

impl ShardWriter for FollowedShard {
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate {
        self.leader.update(batch, context)
    }

    fn position(&self) -> LogPosition {
        self.leader.position()
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.leader.commit(commit)
    }
}

impl ShardReader for FollowedShard {
    fn pin(&self) -> Arc<dyn ShardSnapshot> {
        self.answering().pin()
    }

    fn pin_applied(&self) -> Result<Arc<dyn ShardSnapshot>> {
        self.leader.pin_applied()
    }

    fn read(&self, request: ReadRequest<'_>, meters: &Meters) -> Result<ReadAnswer> {
        match &request {
            // Of this very moment, or of what the leader alone builds.
            ReadRequest::Get(_) | ReadRequest::Versions(_) | ReadRequest::Suggest(_) => {
                self.leader.read(request, meters)
            }
            _ => self.answering().read(request, meters),
        }
    }

    fn is_remote(&self) -> bool {
        // Whoever owns it is another: it is not this member's to change, back up or hand on, and some of what
        // is asked of it waits for messages.
        true
    }

    fn moment(&self) -> ShardMoment {
        self.copy.moment()
    }

    fn losses(&self) -> Arc<engine::Losses> {
        self.copy.losses()
    }

    fn stats(&self) -> ShardStats {
        self.copy.stats()
    }

    fn try_stats(&self) -> Option<ShardStats> {
        self.copy.try_stats()
    }
}

impl ShardUpkeep for FollowedShard {
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        // The leader first: it is behind its change that the copy is shown anything of it.
        self.leader.set_schema(schema.clone())?;
        self.copy.set_schema(schema)
    }

    fn set_own_schema(&self, schema: Arc<Schema>) -> Result<()> {
        self.copy.set_schema(schema)
    }

    fn configure(&self, settings: &ShardSettings<'_>) {
        self.leader.configure(settings);
    }

    // When it commits and what it suggests is its leader's.
    fn configure_own(&self, _: &ShardSettings<'_>) {}

    fn catch_up(&self) -> Result<()> {
        self.copy.catch_up()
    }

    fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        self.leader.build_suggester(component, name)
    }

    fn export(&self, after: Option<Watermark>, visit: &mut Visit<'_>) -> Result<Watermark> {
        self.leader.export(after, visit)
    }

    fn end_export(&self) {
        self.leader.end_export();
    }

    fn remembered_batches(&self) -> RememberedBatches {
        self.leader.remembered_batches()
    }

    fn inherit_batches(&self, from: &RememberedBatches) {
        self.leader.inherit_batches(from);
    }

    fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        self.leader.import(record, wanted)
    }

    fn capture(&self) -> Result<ShardImage> {
        self.leader.capture()
    }

    fn content_digest(&self) -> Result<ContentDigest> {
        self.leader.content_digest()
    }

    fn vital_figures(&self) -> VitalFigures {
        self.copy.vital_figures()
    }

    fn close(&self) -> Result<()> {
        self.copy.close()
    }
}
