//! A shard in memory, for tests of this crate and of those above: real in what it promises (versions,
//! visibility after a commit, real-time get), naive in how. Searches know `All`, `Nothing` and `Term`,
//! compared as text, in order of arrival.

mod snapshot;
mod state;

use std::sync::{Arc, Mutex, PoisonError};

use meter::{Clock, Meters};
use plan::{Commit, Error, ErrorKind, LogPosition, Result, Schema, UpdateBatch, UpdateOutcome};

use store::{ContentDigest, ShardImage, Watermark};

use crate::shard::{
    AppliedUpdate, BackedUp, OpenShard, ReadAnswer, ReadRequest, RememberedBatches, SegmentStats, Shard,
    ShardMoment, ShardPlace, ShardReader, ShardSettings, ShardSite, ShardSnapshot, ShardStats, ShardUpkeep,
    ShardWriter, UpdateContext, Visit,
};
pub(crate) use snapshot::MemorySnapshot;
use state::State;

/// Opens shards that forget everything when they close.
#[derive(Clone, Default)]
pub struct MemoryShards {
    /// Called when a search or an update has come to a shard, and before the shard looks at it: what a test
    /// does here happens behind the request's resolution.
    pub on_arrival: Option<Arc<dyn Fn() + Send + Sync>>,
    /// Whether each search loses the first visible document as soon as it is done: whoever then asks the
    /// newest moment what a hit's number means hears of another.
    pub restless: bool,
}

impl OpenShard for MemoryShards {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>> {
        Ok(Arc::new(MemoryShard::open(site, self)))
    }

    /// What was there is not in the backup either.
    fn restore(&self, _: &ShardPlace, _: &BackedUp<'_>) -> Result<()> {
        Ok(())
    }
}

struct MemoryShard {
    on_arrival: Option<Arc<dyn Fn() + Send + Sync>>,
    clock: Arc<dyn Clock>,
    state: Arc<Mutex<State>>,
    restless: bool,
}

impl MemoryShard {
    fn open(site: ShardSite, shards: &MemoryShards) -> Self {
        let state = State::of(site.schema);
        let MemoryShards { on_arrival, restless } = shards.clone();
        Self { on_arrival, clock: site.clock, state: Arc::new(Mutex::new(state)), restless }
    }

    fn arrive(&self) {
        if let Some(on_arrival) = &self.on_arrival {
            on_arrival();
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShardWriter for MemoryShard {
    fn position(&self) -> LogPosition {
        LogPosition::default()
    }

    fn update(&self, batch: UpdateBatch, _: UpdateContext) -> AppliedUpdate {
        self.arrive();
        let (mut state, now_ms) = (self.state(), self.clock.now_ms());
        let mut outcome = UpdateOutcome::default();
        if let Err(error) = state.schema.lineage.check(batch.schema_version) {
            outcome.failure = Some(error);
            return AppliedUpdate::done(outcome);
        }
        for operation in batch.operations {
            match state.apply(operation, now_ms, &mut outcome) {
                Err(error) if error.kind == ErrorKind::Conflict && batch.conflicts_skip => {}
                Err(error) => {
                    outcome.failure = Some(error);
                    break;
                }
                Ok(()) => {}
            }
        }
        AppliedUpdate::done(outcome)
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.state().commit(commit);
        Ok(())
    }
}

impl ShardReader for MemoryShard {
    fn pin(&self) -> Arc<dyn ShardSnapshot> {
        self.arrive();
        let state = self.state();
        let (visible, lineage) = (state.visible.clone(), state.schema.lineage);
        let restless = self.restless.then(|| self.state.clone());
        Arc::new(MemorySnapshot { visible, lineage, restless })
    }

    fn pin_applied(&self) -> Result<Arc<dyn ShardSnapshot>> {
        self.arrive();
        let state = self.state();
        let (visible, lineage) = (Arc::new(state.documents.clone()), state.schema.lineage);
        Ok(Arc::new(MemorySnapshot { visible, lineage, restless: None }))
    }

    fn stats(&self) -> ShardStats {
        let state = self.state();
        let count = state.visible.len() as u64;
        ShardStats {
            num_docs: count,
            max_doc: count,
            segment_count: usize::from(count > 0),
            version: state.snapshots,
            current: *state.visible == state.documents,
            ..ShardStats::default()
        }
    }

    fn read(&self, request: ReadRequest<'_>, _: &Meters) -> Result<ReadAnswer> {
        let state = self.state();
        Ok(match request {
            ReadRequest::Get(request) => ReadAnswer::Get(state.get(&request)),
            ReadRequest::Fields(_) => ReadAnswer::Fields(state.fields()),
            ReadRequest::Fingerprint(request) => ReadAnswer::Fingerprint(state.fingerprint(request.up_to)),
            ReadRequest::Versions(request) => ReadAnswer::Versions(state.versions(request.limit)),
            ReadRequest::Segments(_) => {
                let max_doc = state.visible.len() as u64;
                ReadAnswer::Segments(vec![SegmentStats { max_doc, ..SegmentStats::default() }])
            }
            other => other.empty_answer(),
        })
    }

    fn moment(&self) -> ShardMoment {
        let state = self.state();
        ShardMoment { snapshot: state.snapshots, suggesters: state.suggesters_built }
    }
}

impl ShardUpkeep for MemoryShard {
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        if schema.source.name == REFUSED {
            return Err(Error::bad_request("a schema that no shard takes"));
        }
        self.state().schema = schema;
        Ok(())
    }

    fn configure(&self, _: &ShardSettings<'_>) {}

    fn build_suggester(&self, _: &str, _: &str) -> Result<()> {
        self.state().suggesters_built += 1;
        Ok(())
    }

    fn export(&self, _: Option<Watermark>, _: &mut Visit<'_>) -> Result<Watermark> {
        Err(Error::internal("a shard in memory is not rebuilt"))
    }

    fn end_export(&self) {}

    fn remembered_batches(&self) -> RememberedBatches {
        RememberedBatches::default()
    }

    fn inherit_batches(&self, _: &RememberedBatches) {}

    fn import(&self, _record: &[u8], _wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        Err(Error::internal("a shard in memory is not rebuilt"))
    }

    fn content_digest(&self) -> Result<ContentDigest> {
        Err(Error::internal("a shard in memory is not rebuilt"))
    }

    fn capture(&self) -> Result<ShardImage> {
        Ok(ShardImage { manifest: b"{}".to_vec(), files: vec![] })
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// The name of a schema that a shard in memory refuses.
pub const REFUSED: &str = "refused";
