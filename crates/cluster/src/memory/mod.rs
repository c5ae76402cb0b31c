//! A shard in memory, for tests of this crate and of those above: real in what it promises (versions,
//! visibility after a commit, real-time get), naive in how. Searches know `All`, `Nothing` and `Term`,
//! compared as text, in order of arrival.

mod snapshot;

use std::sync::{Arc, Mutex, PoisonError};

use meter::{Clock, Meters};
use plan::partial::{IndexedField, IndexedFields, Merge};
use plan::{
    Commit, Document, Error, ErrorKind, Expect, LogPosition, Operation, Result, Schema, UpdateBatch,
    UpdateOutcome, Value, Version,
};

use store::{ShardImage, Watermark};

use crate::shard::{
    AppliedUpdate, BackedUp, GetRead, OpenShard, ReadAnswer, ReadRequest, RememberedBatches, SegmentStats,
    Shard, ShardMoment, ShardPlace, ShardReader, ShardSettings, ShardSite, ShardSnapshot, ShardStats,
    ShardUpkeep, ShardWriter, UpdateContext, Visit,
};
pub(crate) use snapshot::MemorySnapshot;
use snapshot::{matches, select};

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

struct State {
    schema: Arc<Schema>,
    version: i64,
    documents: Vec<(String, Document)>,
    visible: Arc<Vec<(String, Document)>>,
    snapshots: u64,
    suggesters_built: u64,
}

impl Default for State {
    fn default() -> Self {
        let schema = Schema::build(plan::SchemaSource::default()).unwrap_or_else(|error| panic!("{error}"));
        Self {
            schema: Arc::new(schema),
            version: 0,
            documents: vec![],
            visible: Arc::default(),
            snapshots: 0,
            suggesters_built: 0,
        }
    }
}

impl State {
    fn position(&self, id: &str) -> Option<usize> {
        self.documents.iter().position(|(known, _)| known == id)
    }

    fn next_version(&mut self, now_ms: i64) -> i64 {
        self.version = (self.version + 1).max(now_ms << 20);
        self.version
    }

    fn check(&self, id: &str, expect: Expect) -> Result<()> {
        let actual = self.position(id).and_then(|at| match self.documents[at].1.first("_version_") {
            Some(Value::Long(version)) => Some(*version),
            _ => None,
        });
        let met = match expect {
            Expect::Anything => true,
            Expect::Exists => actual.is_some(),
            Expect::Exactly(version) => actual == Some(version),
            Expect::Absent(_) => actual.is_none(),
        };
        let (expected, actual) = (expect.as_version(), actual.unwrap_or(-1));
        let message = || format!("version conflict for {id} expected={expected} actual={actual}");
        if met { Ok(()) } else { Err(Error::new(ErrorKind::Conflict, message())) }
    }

    fn apply(&mut self, operation: Operation, now_ms: i64, outcome: &mut UpdateOutcome) -> Result<()> {
        match operation {
            Operation::Add(add) => {
                self.check(&add.id, add.expect)?;
                let version = self.next_version(now_ms);
                let mut document = add.document;
                document.append(&Arc::from("_version_"), [Value::Long(version)]);
                if let Some(at) = self.position(&add.id) {
                    self.documents.remove(at);
                }
                self.documents.push((add.id.clone(), document));
                outcome.added.push((add.id, version));
            }
            Operation::Delete { id, expect, .. } => {
                self.check(&id, expect)?;
                let version = self.next_version(now_ms);
                self.documents.retain(|(known, _)| *known != id);
                outcome.deleted.push((id, -version));
            }
            Operation::DeleteByQuery { query, text, .. } => {
                let version = self.next_version(now_ms);
                self.documents.retain(|(_, document)| !matches(&query, document));
                outcome.deleted_by_query.push((text, -version));
            }
            Operation::Commit(commit) => self.commit(&commit),
            Operation::Refused(refusal) => return Err(refusal.error),
            Operation::Modify(_) | Operation::Rollback => {
                return Err(Error::bad_request("a shard in memory does not do this"));
            }
        }
        Ok(())
    }

    fn commit(&mut self, commit: &Commit) {
        if commit.open_searcher {
            self.visible = Arc::new(self.documents.clone());
            self.snapshots += 1;
        }
    }

    fn get(&self, request: &GetRead<'_>) -> Vec<Option<Document>> {
        let found = |id: &String| Some(select(&self.documents[self.position(id)?].1, request.fields));
        request.ids.iter().map(found).collect()
    }

    fn fields(&self) -> IndexedFields {
        let names = self.visible.iter().flat_map(|(_, document)| &document.fields);
        let field = |(name, _): &(Arc<str>, _)| {
            let field = IndexedField { name: name.to_string(), docs: 1, distinct: None, in_index: true };
            IndexedFields(vec![field])
        };
        names.map(field).fold(IndexedFields::default(), Merge::merge)
    }

    fn versions(&self, limit: usize) -> Vec<Version> {
        let versions =
            self.documents.iter().rev().filter_map(|(_, document)| match document.first("_version_") {
                Some(Value::Long(version)) => Some(*version),
                _ => None,
            });
        versions.take(limit).collect()
    }
}

impl MemoryShard {
    fn open(site: ShardSite, shards: &MemoryShards) -> Self {
        let state = State { schema: site.schema, ..State::default() };
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

    fn capture(&self) -> Result<ShardImage> {
        Ok(ShardImage { manifest: b"{}".to_vec(), files: vec![] })
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// The name of a schema that a shard in memory refuses.
pub const REFUSED: &str = "refused";
