//! The parts of one shard and the order of its locks. What is done with them stands in the files named for
//! it: updates in `write`, and what happens without anybody's update in `life`. Both add methods to [`Core`];
//! this folder knows neither.
//!
//! Locks, always taken in this order: `resolved_by` (shared by updates as long as they are applied, exclusive
//! for an edit of the schema that is no mere addition), `flushing` (one flush at a time), `merging` (one
//! merge at a time), `maintenance` (the list of segments and the snapshot change together), `applying`
//! (shared by updates between log and builder, exclusive for a cut), `growing` (one change of schema or
//! layout at a time), `state`. Invariant: whoever holds `applying` exclusively sees no batch half applied.
//!
//! Behind `state` come those that are held for a moment and under which nobody takes one of the above:
//! `auto_commit` (copied out), `schedule.deadlines` (under it at most `expiries`), `schedule.running` (under
//! it a task is woken, not waited for), `preparers`. An update takes the first three one after another while
//! it holds `state` (`note_updates`), each of them free again before the next. So `stop` takes the tasks out
//! of `running` before it waits for their ends: the turn that it waits for may want to wake a task.
//!
//! Who waits for the log does so before he takes `maintenance` (`settle_early`), and once more under it for
//! what came in between: full builders and deletes by query want that lock, and an update that stands still
//! there holds up the sync of no other.

pub(crate) mod batches;
pub(crate) mod counters;
pub(crate) mod expiries;
pub(crate) mod losses;
pub(crate) mod recent;
pub(crate) mod refused;
pub(crate) mod schedule;
pub(crate) mod scrub;
pub(crate) mod state;
pub(crate) mod unsettled;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};

use arc_swap::ArcSwap;
use meter::{Clock, LockFigures, Trace, VitalFigures, Vitals};
use plan::{AutoCommit, Result, Schema};
use store::{FencedLog, ManifestStore, Room, SegmentStore, Watermark};

use crate::config::ShardConfig;
use crate::core::counters::Counters;
use crate::core::expiries::Expiries;
use crate::core::losses::Losses;
use crate::core::schedule::Schedule;
use crate::core::scrub::Scrub;
use crate::core::state::State;
use crate::errors::from_store;
use crate::indexing::prepare::Preparer;
use crate::layout::Layout;
use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::lock::{is_held, lock, try_lock};
use crate::seeded_bugs::SeededBug;
use crate::snapshot::{Snapshot, SnapshotOrder};
use crate::suggest::{Event, Suggesters};

pub(crate) struct Core {
    pub(crate) log: Arc<dyn FencedLog>,
    pub(crate) manifests: Arc<dyn ManifestStore>,
    pub(crate) store: Arc<dyn SegmentStore>,
    /// This opening's number, part of the names of mark files.
    pub(crate) epoch: u64,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: ShardConfig,
    pub(crate) auto_commit: Mutex<AutoCommit>,
    pub(crate) bound: ArcSwap<BoundSchema>,
    /// Held shared: what a batch was resolved against does not change under it.
    pub(crate) resolved_by: RwLock<()>,
    /// Taken to replace `bound`.
    pub(crate) growing: Mutex<()>,
    pub(crate) snapshot: ArcSwap<Snapshot>,
    pub(crate) flushing: Mutex<Published>,
    pub(crate) merging: Mutex<()>,
    pub(crate) maintenance: Mutex<()>,
    pub(crate) applying: RwLock<()>,
    pub(crate) state: Mutex<State>,
    /// Preparers that no thread uses at the moment.
    pub(crate) preparers: Mutex<Vec<Preparer>>,
    pub(crate) schedule: Schedule,
    pub(crate) expiries: Expiries,
    pub(crate) suggesters: Suggesters,
    /// When the last look began that found the home this opening's, by the clock; 0 before the first.
    pub(crate) confirmed_ns: AtomicU64,
    pub(crate) scrub: Mutex<Scrub>,
    /// What could not be opened. Of an owner it stays so; a reader finds again what its owner has mended.
    pub(crate) losses: ArcSwap<Losses>,
    pub(crate) counters: Counters,
    pub(crate) vitals: Vitals,
    pub(crate) turns: LockTurns,
    /// Whether somebody reads the log (`rebuild`): it is not trimmed then.
    pub(crate) log_kept: AtomicUsize,
}

/// How often each of the locks was taken that updates wait for.
#[derive(Debug, Default)]
pub(crate) struct LockTurns {
    state: AtomicU64,
    maintenance: AtomicU64,
    applying: AtomicU64,
}

/// What the newest manifest says of files.
#[derive(Debug, Default)]
pub(crate) struct Published {
    pub(crate) manifest_version: Option<u64>,
    pub(crate) files: Vec<String>,
    /// Files that no manifest of now names, and when they are to go: others may still read an older one.
    pub(crate) replaced: Vec<(String, i64)>,
    /// Flushes tried in this epoch, for names that are never used twice.
    pub(crate) attempts: u64,
    /// What was published without an answer.
    pub(crate) offered: Option<Offered>,
    /// Of a follower: the newest that it took up of what its leader shows.
    pub(crate) followed: SnapshotOrder,
}

/// A manifest that is being published.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) manifest: Vec<u8>,
    /// The last record in it.
    pub(crate) logged: Watermark,
    pub(crate) files: Vec<String>,
    /// Whether it may be there: an offer of it was left without an answer.
    pub(crate) may_be_there: bool,
}

impl Core {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        let state = lock(&self.state);
        self.turns.state.fetch_add(1, Ordering::Relaxed);
        state
    }

    /// Where nobody has it: for whoever must not wait for him.
    pub(crate) fn try_state(&self) -> Option<MutexGuard<'_, State>> {
        let state = try_lock(&self.state)?;
        self.turns.state.fetch_add(1, Ordering::Relaxed);
        Some(state)
    }

    pub(crate) fn maintenance(&self) -> MutexGuard<'_, ()> {
        let maintenance = lock(&self.maintenance);
        self.turns.maintenance.fetch_add(1, Ordering::Relaxed);
        maintenance
    }

    pub(crate) fn apply_shared(&self) -> RwLockReadGuard<'_, ()> {
        let applying = self.applying.read().unwrap_or_else(PoisonError::into_inner);
        self.turns.applying.fetch_add(1, Ordering::Relaxed);
        applying
    }

    pub(crate) fn apply_exclusively(&self) -> RwLockWriteGuard<'_, ()> {
        let applying = self.applying.write().unwrap_or_else(PoisonError::into_inner);
        self.turns.applying.fetch_add(1, Ordering::Relaxed);
        applying
    }

    /// For whoever watches the shard: takes no lock that is held.
    pub(crate) fn vital_figures(&self) -> VitalFigures {
        let turns = |turns: &AtomicU64| turns.load(Ordering::Relaxed);
        // Read before the try: a hold that begins in between is not taken for the one before.
        let state = (turns(&self.turns.state), is_held(&self.state));
        let maintenance = (turns(&self.turns.maintenance), is_held(&self.maintenance));
        let is_applied_alone = || matches!(self.applying.try_read(), Err(TryLockError::WouldBlock));
        let applying = (turns(&self.turns.applying), is_applied_alone());
        let lock = |name, (turns, is_held), covers_work| LockFigures { name, turns, is_held, covers_work };
        let locks = vec![
            lock("state", state, false),
            lock("maintenance", maintenance, true),
            lock("applying", applying, false),
        ];
        VitalFigures {
            flush: self.vitals.flush.figures(),
            merge: self.vitals.merge.figures(),
            log: self.vitals.log.figures(),
            locks,
            damaged_files: self.damaged_files(),
            wrong_segments: self.wrong_segments().len() as u64,
        }
    }

    pub(crate) fn layout(&self) -> Arc<Layout> {
        self.bound.load().layout.clone()
    }

    /// Makes every name that the schema knows part of the layout.
    pub(crate) fn grow(&self, names: &[Arc<str>]) -> Arc<BoundSchema> {
        // Asked without the lock first: a group that names nothing new needs none.
        let bound = self.bound.load_full();
        if bound.layout.grown(names, &bound.schema).is_none() {
            return bound;
        }
        let _growing = lock(&self.growing);
        let bound = self.bound.load_full();
        let Some(layout) = bound.layout.grown(names, &bound.schema) else { return bound };
        let (schema, analyzers) = (bound.schema.clone(), bound.analyzers.clone());
        let grown = Arc::new(BoundSchema { schema, analyzers, layout: Arc::new(layout) });
        self.bound.store(grown.clone());
        grown
    }

    /// Builds the suggesters that an event calls for.
    pub(crate) fn build_suggesters(&self, event: Event) {
        self.suggesters.follow(event, &self.snapshot.load_full(), &self.bound.load_full());
    }

    /// Keeps the schema as it is, but for additions, and checks that the caller's batch was resolved against
    /// it. To be held until the batch is applied: its groups are typed, judged and indexed under one meaning,
    /// or none of them is.
    pub(crate) fn keep_schema(&self, resolved: Option<u64>) -> Result<RwLockReadGuard<'_, ()>> {
        let kept = self.resolved_by.read().unwrap_or_else(PoisonError::into_inner);
        self.bound.load().schema.lineage.check(resolved)?;
        Ok(kept)
    }

    /// Takes up another schema; what is indexed stays as it is, and is shown under it. Errors leave the one
    /// before.
    pub(crate) fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        // Until it is shown too: deletes by query are judged by what that makes. An addition, of which there
        // is one for every new field that documents bring, holds nobody up.
        let adds = schema.lineage.admits(self.bound.load().schema.lineage.version);
        // Nearly all of the wait for the log comes before the lock that all updates would then wait for.
        self.settle_early()?;
        let _alone = (!adds).then(|| self.resolved_by.write().unwrap_or_else(PoisonError::into_inner));
        let _maintenance = self.maintenance();
        let due = lock(&self.schedule.deadlines).begin_refresh();
        let shown = self.show_under(schema);
        shown.inspect_err(|_| lock(&self.schedule.deadlines).refresh_failed(due))
    }

    /// The caller holds `maintenance`. What may fail comes first: the log, then the snapshot, which knows the
    /// new fields before anybody asks for them.
    fn show_under(&self, schema: Arc<Schema>) -> Result<()> {
        let mut cut = self.cut()?;
        self.settle_cut(&cut)?;
        // From here on no update adds a field to the layout that this one is made from.
        let _growing = lock(&self.growing);
        let layout = Arc::new(self.layout().rebound(&schema));
        let analyzers = Arc::new(Analyzers::of(&layout));
        cut.layout = layout.clone();
        self.show(&cut)?;
        self.bound.store(Arc::new(BoundSchema { schema, analyzers, layout }));
        lock(&self.preparers).clear();
        self.note_segments();
        Ok(())
    }

    /// Waits until the log holds a record for good. The outer error says what that means to whoever asks.
    pub(crate) fn wait_for_log(&self, at: Watermark) -> store::Result<()> {
        let durable = self.waiting_for_log(at, || self.log.wait_durable(at), store::Result::is_ok);
        let durable = durable.inspect_err(|error| self.note_failure(error));
        self.write_for_waiters();
        durable
    }

    /// The same where nobody writes for others at the moment.
    pub(crate) fn try_wait_for_log(&self, at: Watermark) -> Option<store::Result<()>> {
        let has_it = |known: &Option<store::Result<()>>| matches!(known, Some(Ok(())));
        let known = self.waiting_for_log(at, || self.log.try_wait_durable(at), has_it)?;
        let known = known.inspect_err(|error| self.note_failure(error));
        self.write_for_waiters();
        Some(known)
    }

    /// Lets an update that has waited for the log tell whether an object store was slow.
    pub(crate) fn trace_store(&self, trace: &Trace) {
        if trace.is_on()
            && let Some(figures) = self.log.figures()
        {
            trace.store_took(figures.put_ms.saturating_mul(1_000_000));
        }
    }

    /// Makes sure that what this owner answers from here on is no older than the call.
    pub(crate) fn confirm_owner(&self) -> Result<()> {
        if SeededBug::DeposedServes.is_planted() {
            return Ok(());
        }
        let begun = self.clock.now_ns().max(1);
        self.log.confirm().inspect_err(|error| self.note_failure(error)).map_err(from_store)?;
        self.confirmed_ns.fetch_max(begun, Ordering::AcqRel);
        Ok(())
    }

    /// The same where the last such look began longer ago than this.
    pub(crate) fn confirm_owner_within(&self, ns: u64) -> Result<()> {
        let confirmed = self.confirmed_ns.load(Ordering::Acquire);
        let is_lately = confirmed > 0 && self.clock.now_ns().saturating_sub(confirmed) <= ns;
        if is_lately { self.state().check_owned() } else { self.confirm_owner() }
    }

    /// Lets the shard's vital signs know of a wait.
    pub(crate) fn waiting_for_log<T>(
        &self,
        at: Watermark,
        wait: impl FnOnce() -> T,
        has_it: impl FnOnce(&T) -> bool,
    ) -> T {
        // As one number in the same order: a trillion records of an opening, sixteen million openings.
        let position = (at.epoch << 40) | at.sequence;
        self.vitals.log.wait(position, || self.clock.now_ns(), wait, has_it)
    }

    /// Room in the log, taken while `applying` is held and `state` is not.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Room> {
        // A full queue is written by whoever asks for room in it.
        let room = self.log.reserve(bytes).inspect_err(|error| self.note_failure(error));
        self.write_for_waiters();
        room.map_err(from_store)
    }

    /// What the home's answer means to the shard: a deposed owner, and one whose medium failed, takes no more
    /// updates.
    pub(crate) fn note_failure(&self, error: &store::Error) {
        let is_deposed = matches!(error.kind(), store::ErrorKind::Deposed);
        if is_deposed && !SeededBug::DeposedServes.is_planted() {
            self.state().is_deposed = true;
        }
        if is_deposed || matches!(error.kind(), store::ErrorKind::Failed) {
            self.refuse_updates(error.message());
        }
    }

    /// Stops all further updates: what the log holds and what is in memory may differ. A new opening replays
    /// the log.
    pub(crate) fn refuse_updates(&self, reason: &str) {
        let mut state = self.state();
        if state.refused.is_none() {
            state.refused = Some(format!("updates are refused until the shard is opened again: {reason}"));
        }
    }
}
