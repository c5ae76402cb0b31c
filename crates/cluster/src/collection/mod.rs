//! One collection: its schema and config as they are now, and the road of each request: route to the shards
//! that it means, gather their answers. How many shards there are, callers need not know. Updates are
//! `updates`', what is read `reads`', searches `pinned`'s; what changes schema and config is in `changes`.

mod changes;
mod counts;
mod intake;
mod pinned;
mod reads;
mod rebuild;
mod rebuild_status;
mod served;
mod snapshots;
mod together;
mod updates;

pub use counts::{Counted, UpdateCounts};
pub use intake::Intake;
pub use pinned::{PinnedCollection, ShardSelection};
pub use reads::GetShards;
pub use rebuild_status::{RebuildState, RebuildStatus, SchemaEdit};
pub use snapshots::SnapshotFacts;
pub use together::Together;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use plan::{CollectionConfig, Resources, Result, Schema};

use crate::catalog::Catalog;
use crate::collection_documents::CollectionDocument;
use crate::in_use::{VersionedConfig, VersionedSchema};
use crate::owners::{Member, Owners};
use crate::routing::{Router, ShardDocument};
use crate::shard::{Shard, ShardMoment, ShardSettings};

use served::Home;
pub(crate) use served::{Served, ServedShard};

/// A moment of a collection: two answers of equal moments to one request are the same, but for the time of
/// day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Which opening of which collection.
    opening: u64,
    /// How often schema, config or shards were replaced since.
    changes: u64,
    /// The numbers of all shards added up: each only grows, so that equal sums are equal numbers.
    shards: ShardMoment,
}

/// Openings so far in this process.
static OPENINGS: AtomicU64 = AtomicU64::new(0);

pub struct Collection {
    entry: ArcSwap<CollectionDocument>,
    catalog: Arc<Catalog>,
    schema: ArcSwap<VersionedSchema>,
    config: ArcSwap<VersionedConfig>,
    /// How often schema or config were replaced; counted when it is done.
    changes: AtomicU64,
    /// The version of its state where clients read it who ask no node; beyond 32 bits where there are none.
    shown_as: AtomicU64,
    opening: u64,
    home: Arc<Home>,
    opened_ms: i64,
    changing: Mutex<()>,
    looking: Mutex<()>,
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
        // Those of others follow the same document.
        served.configure_own(&ShardSettings::of(&config.value));
        let home = Home::new(served, entry.read_only);
        Self {
            entry: ArcSwap::from_pointee(entry),
            catalog,
            schema: ArcSwap::from_pointee(schema),
            config: ArcSwap::from_pointee(config),
            changes: AtomicU64::new(0),
            shown_as: AtomicU64::new(u64::MAX),
            opening: OPENINGS.fetch_add(1, Ordering::Relaxed),
            home: Arc::new(home),
            opened_ms,
            changing: Mutex::new(()),
            looking: Mutex::new(()),
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

    /// How clients address the replica of the first shard.
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
        let shown = self.shown_as.load(Ordering::Relaxed);
        u32::try_from(shown).unwrap_or_else(|_| self.entry.load().changes)
    }

    /// Clients read its state elsewhere too, where it has this version: that is the one to tell them.
    pub fn show_as(&self, version: u32) {
        self.shown_as.store(version.into(), Ordering::Relaxed);
    }

    /// When this process opened it.
    pub fn opened_ms(&self) -> i64 {
        self.opened_ms
    }

    /// How its documents are spread.
    pub fn router(&self) -> Router {
        self.entry.load().router.clone()
    }

    /// Its shards, in order; the first may be the only one.
    pub fn shard_documents(&self) -> Vec<ShardDocument> {
        self.entry.load().shards()
    }

    /// Its name where it has several shards.
    pub fn sharded_name(&self) -> Option<String> {
        (self.home.served().shards.len() > 1).then(|| self.name())
    }

    /// Where the first shard lives.
    pub fn folder(&self) -> std::path::PathBuf {
        self.shard_folder(0)
    }

    /// Where the shard of this number lives; that of the first where there is none of it.
    pub fn shard_folder(&self, number: usize) -> std::path::PathBuf {
        let served = self.home.served();
        let folder = served.shards.get(number).or(served.shards.first()).map(|shard| shard.folder.clone());
        self.catalog.shard_folder(self.entry.load().key(), &folder.unwrap_or_default())
    }

    /// Of the documents that are served.
    pub(crate) fn edition(&self) -> String {
        self.home.served().edition.clone()
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

    /// What the layer above keeps for a collection as long as it is open, made once. There is one such thing:
    /// a call with another type has one of its own, anew.
    pub fn beside<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let kept = self.beside.get_or_init(|| Arc::<T>::default()).clone();
        kept.downcast().unwrap_or_default()
    }

    /// Take it before the search: an answer is of that moment or later. `None` where another member serves
    /// it, whose moments nobody here hears of.
    pub fn moment(&self) -> Option<Moment> {
        let served = self.home.served();
        if served.is_remote() {
            return None;
        }
        // Before the shards': of a change in between the count is too low, and the answer is not found again.
        let changes = self.changes();
        Some(Moment { opening: self.opening, changes, shards: served.moment() })
    }

    /// One that is served, by the folder where it lives.
    pub(crate) fn shard_of_folder(&self, folder: &str) -> Option<Arc<dyn Shard>> {
        let served = self.home.served();
        served.shards.iter().find(|it| it.folder == folder).map(|it| it.shard.clone())
    }

    pub(crate) fn served(&self) -> Arc<Served> {
        self.home.served_full()
    }

    /// Who has which part of it; `None` where this node owns all there is.
    pub(crate) fn owners(&self) -> Option<Arc<Owners>> {
        self.home.served().owners.clone()
    }

    /// Whoever carries out what changes it, where that is another member.
    pub fn lead_elsewhere(&self) -> Option<Member> {
        self.home.served().lead.as_ref().map(|lead| lead.member().clone())
    }

    /// Whether one of its shards takes no updates before it is opened anew: another opening fenced it, as far
    /// as was heard, or what it lacked is whole again.
    pub(crate) fn wants_opening(&self) -> bool {
        self.home.served().shards.iter().any(|served| served.shard.wants_opening())
    }

    pub(crate) fn close(&self) -> Result<()> {
        // First: a rebuild that runs asks for it before it puts its shards in the place of these.
        self.closed.store(true, Ordering::Release);
        self.home.served().close()
    }
}
