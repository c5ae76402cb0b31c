//! One collection: its schema and config as they are now, and the road of each request: route to the shard,
//! gather its answer. There is one shard today; the shape does not show it to callers. What changes schema
//! and config is in `changes`.

mod changes;
mod counts;
mod intake;
mod pinned;
mod rebuild;
mod rebuild_status;
mod snapshots;

pub use counts::{Counted, UpdateCounts};
pub use intake::Intake;
pub use pinned::PinnedCollection;
pub use rebuild_status::{RebuildState, RebuildStatus, SchemaEdit};
pub use snapshots::SnapshotFacts;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use meter::{Meters, Phase, Trace};
use plan::partial::IndexedField;
use plan::{
    CacheStats, CollectionConfig, Commit, Document, FieldSelection, Join, Resources, Result, Schema,
    SuggestPlan, Suggestion, TermCount, TermsPlan, TopTerms, UpdateBatch, UpdateOutcome,
};

use crate::catalog::Catalog;
use crate::collection_documents::CollectionDocument;
use crate::finish::{finish_suggestions, finish_terms, finish_top_terms};
use crate::in_use::{VersionedConfig, VersionedSchema};
use crate::offload;
use crate::shard::{
    CachesRead, FieldsRead, GetRead, JoinRead, JoinedValues, SegmentStats, SegmentsRead, Shard, ShardMoment,
    ShardRead, ShardSettings, ShardStats, TermDocumentsRead, UpdateContext,
};

/// A moment of a collection: two answers of equal moments to one request are the same, but for the time of
/// day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Which opening of which collection.
    opening: u64,
    /// How often schema or config were replaced since.
    changes: u64,
    shard: ShardMoment,
}

/// Openings so far in this process.
static OPENINGS: AtomicU64 = AtomicU64::new(0);

/// The shard that is served, and where it lives.
pub(crate) struct Served {
    pub shard: Arc<dyn Shard>,
    pub folder: String,
}

/// Where requests find the shard. Updates pass a gate, so that a rebuild can put another in its place between
/// two of them.
struct Home {
    served: ArcSwap<Served>,
    gate: RwLock<()>,
}

impl Home {
    fn shard(&self) -> Arc<dyn Shard> {
        self.served.load().shard.clone()
    }

    /// Lets an update pass.
    fn pass<T>(&self, update: impl FnOnce(&dyn Shard) -> T) -> T {
        // Shared: updates do not hold up each other here, only the moment in which a rebuild swaps shards
        // holds up all.
        let _passing = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        update(&*self.shard())
    }
}

pub struct Collection {
    entry: ArcSwap<CollectionDocument>,
    catalog: Arc<Catalog>,
    schema: ArcSwap<VersionedSchema>,
    config: ArcSwap<VersionedConfig>,
    /// How often schema or config were replaced; counted when it is done.
    changes: AtomicU64,
    opening: u64,
    home: Arc<Home>,
    opened_ms: i64,
    changing: Mutex<()>,
    /// How the last rebuild went, or goes.
    rebuild: Mutex<Option<RebuildStatus>>,
    /// Whether it is served no more: its files may be another's.
    closed: AtomicBool,
    counts: counts::Counts,
    beside: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// The schema's files as saved, where clients changed some that are not in use before a reload.
    pending: ArcSwapOption<Resources>,
}

impl Collection {
    pub(crate) fn new(
        entry: CollectionDocument,
        catalog: Arc<Catalog>,
        schema: VersionedSchema,
        config: VersionedConfig,
        (served, opened_ms): (Served, i64),
    ) -> Self {
        served.shard.configure(&ShardSettings::of(&config.value));
        Self {
            entry: ArcSwap::from_pointee(entry),
            catalog,
            schema: ArcSwap::from_pointee(schema),
            config: ArcSwap::from_pointee(config),
            changes: AtomicU64::new(0),
            opening: OPENINGS.fetch_add(1, Ordering::Relaxed),
            home: Arc::new(Home { served: ArcSwap::from_pointee(served), gate: RwLock::new(()) }),
            opened_ms,
            changing: Mutex::new(()),
            rebuild: Mutex::new(None),
            closed: AtomicBool::new(false),
            counts: counts::Counts::default(),
            beside: OnceLock::new(),
            pending: ArcSwapOption::empty(),
        }
    }

    pub(crate) fn entry(&self) -> Arc<CollectionDocument> {
        self.entry.load_full()
    }

    /// As it is called now.
    pub fn name(&self) -> String {
        self.entry.load().name.clone()
    }

    /// How clients address the one replica.
    pub fn core_name(&self) -> String {
        self.entry.load().core.clone()
    }

    pub fn configset(&self) -> String {
        self.entry.load().configset.clone()
    }

    pub fn created_ms(&self) -> i64 {
        self.entry.load().created_ms
    }

    /// What clients set for it.
    pub fn properties(&self) -> BTreeMap<String, String> {
        self.entry.load().properties.clone()
    }

    /// Grows when its names or properties change, so that clients that keep them know.
    pub fn state_version(&self) -> u32 {
        self.entry.load().changes
    }

    /// When this process opened it.
    pub fn opened_ms(&self) -> i64 {
        self.opened_ms
    }

    /// Where the one shard lives.
    pub fn folder(&self) -> std::path::PathBuf {
        self.catalog.shard_folder(self.entry.load().key(), &self.home.served.load().folder)
    }

    pub fn schema(&self) -> Arc<Schema> {
        self.schema.load().value.clone()
    }

    pub fn versioned_schema(&self) -> Arc<VersionedSchema> {
        self.schema.load_full()
    }

    pub fn config(&self) -> Arc<CollectionConfig> {
        self.config.load().value.clone()
    }

    pub fn versioned_config(&self) -> Arc<VersionedConfig> {
        self.config.load_full()
    }

    pub async fn update(&self, batch: UpdateBatch, context: UpdateContext) -> UpdateOutcome {
        let asked = Counted::asked(&batch);
        let (home, queued) = (self.home.clone(), context.trace.wait(Phase::Thread));
        let update = move |shard: &dyn Shard| {
            drop(queued);
            shard.update(batch, context)
        };
        let outcome = match offload::update(move || home.pass(update)).await {
            // Behind the gate, which a rebuild closes: that makes the log hold for good all that has passed.
            Ok(applied) => applied.await,
            Err(failure) => UpdateOutcome { failure: Some(failure), ..UpdateOutcome::default() },
        };
        self.counts.add(&asked.done(&outcome), self.shard().moment().snapshot);
        outcome
    }

    /// What updates did since it was opened.
    pub fn update_counts(&self) -> UpdateCounts {
        self.counts.read(self.shard().moment().snapshot)
    }

    /// What the layer above keeps for a collection as long as it is open, made once. There is one such thing:
    /// a call with another type has one of its own, anew.
    pub fn beside<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let kept = self.beside.get_or_init(|| Arc::<T>::default()).clone();
        kept.downcast().unwrap_or_default()
    }

    pub async fn commit(&self, commit: Commit) -> Result<()> {
        let home = self.home.clone();
        offload::update(move || home.pass(|shard| shard.commit(&commit))).await?
    }

    /// Real-time get: one entry an id, `None` where absent.
    pub async fn get(&self, ids: &[String], fields: &FieldSelection) -> Result<Vec<Option<Document>>> {
        /// Documents that are read before another thread would wake.
        const LIGHT: usize = 100;
        let light = ids.len() <= LIGHT;
        let (shard, ids, fields) = (self.shard(), ids.to_vec(), fields.clone());
        let untraced = (&Trace::default(), Phase::Fetch);
        let get = move || {
            let request = GetRead { ids: &ids, fields: &fields };
            request.ask(&*shard, &Meters::default())
        };
        offload::read(light, untraced, get).await?
    }

    /// Take it before the search: an answer is of that moment or later.
    pub fn moment(&self) -> Moment {
        // Before the shard's: of a change in between the count is too low, and the answer is not found again.
        let changes = self.changes.load(Ordering::Acquire);
        Moment { opening: self.opening, changes, shard: self.shard().moment() }
    }

    /// The shard's caches, by Solr's names.
    pub fn caches(&self) -> Vec<(&'static str, CacheStats)> {
        CachesRead.ask(&*self.shard(), &Meters::default()).unwrap_or_default()
    }

    pub fn stats(&self) -> ShardStats {
        self.shard().stats()
    }

    /// Reads what is there now, on the thread that asks.
    pub async fn read<R: ShardRead>(&self, request: R, meters: &Meters) -> Result<R::Answer> {
        offload::compute(|| request.ask(&*self.shard(), meters))
    }

    /// The fields that documents have, by their concrete names.
    pub async fn luke_fields(&self) -> Result<Vec<IndexedField>> {
        Ok(self.read(FieldsRead, &Meters::default()).await?.0)
    }

    /// The terms of a field that a plan lists.
    pub async fn terms(&self, plan: &TermsPlan) -> Result<Vec<TermCount>> {
        // What is left to do with two million terms takes as long as reading them: no runtime's thread is
        // kept from others by it.
        offload::compute(|| Ok(finish_terms(plan, plan.ask(&*self.shard(), &Meters::default())?)))
    }

    /// The `limit` most frequent terms of a field, and how frequent all are.
    pub async fn top_terms(&self, field: &str, limit: usize) -> Result<TopTerms> {
        let read = TermDocumentsRead { field };
        offload::compute(|| Ok(finish_top_terms(limit, read.ask(&*self.shard(), &Meters::default())?)))
    }

    /// How many fields the visible documents have; 0 where that cannot be told.
    pub fn count_fields(&self) -> u64 {
        let fields = FieldsRead.ask(&*self.shard(), &Meters::default()).unwrap_or_default();
        fields.0.iter().filter(|field| field.in_index).count() as u64
    }

    /// Builds a suggester from what searches see now.
    pub async fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        let (shard, component, name) = (self.shard(), component.to_owned(), name.to_owned());
        offload::update(move || shard.build_suggester(&component, &name)).await?
    }

    /// What a suggester has for a text.
    pub async fn suggest(&self, plan: Arc<SuggestPlan>, trace: &Trace) -> Result<Vec<Suggestion>> {
        let (shard, light) = (self.shard(), plan.is_light());
        let suggest = move || {
            let merged = (&*plan).ask(&*shard, &Meters::default())?;
            Ok(finish_suggestions(plan.count, merged))
        };
        offload::read(light, (trace, Phase::Suggest), suggest).await?
    }

    /// What the documents of a join's query have in its field, on the thread that asks.
    pub(crate) fn joined(&self, join: &Join, scored: bool) -> Result<JoinedValues> {
        JoinRead { join, scored }.ask(&*self.shard(), &Meters::default())
    }

    pub fn segments(&self) -> Vec<SegmentStats> {
        SegmentsRead.ask(&*self.shard(), &Meters::default()).unwrap_or_default()
    }

    fn shard(&self) -> Arc<dyn Shard> {
        self.home.shard()
    }

    pub(crate) fn close(&self) -> Result<()> {
        // First: a rebuild that runs asks for it before it puts its shard in the place of this one.
        self.closed.store(true, Ordering::Release);
        self.shard().close()
    }
}
