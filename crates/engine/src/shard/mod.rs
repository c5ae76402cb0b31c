//! A shard as the layers above see it: open, update, commit, search, get, rebuild, close. The work is done in
//! the files that `core` names; here is only which of them a call goes to, and the caches that searches
//! share.
//!
//! In: a home of the store, a schema, a configuration and a clock; updates as `plan::UpdateBatch`. Out: pins
//! of snapshots (`pinned`), parts of results, figures (`stats`). Routing among shards and the merging of
//! their parts are `cluster`'s.

mod field_bytes;
mod field_times;
mod fingerprint;
pub(crate) mod pinned;
pub(crate) mod stats;

use std::sync::Arc;

use meter::{Clock, VitalFigures};
use plan::partial::{ByValue, FieldBytes, IndexedFields, SearchStatistics, SuggestPartial, TermCounts};
use plan::{
    AutoCommit, CacheStats, Commit, Document, FieldSelection, Join, LogPosition, Result, Schema,
    SuggestComponent, SuggestPlan, TermsPlan, UpdateBatch, UpdateOutcome, Version,
};
use store::{LogFigures, ReadOnlyHome, ShardArchive, ShardHome, ShardImage};

use crate::config::ShardConfig;
use crate::core::Core;
use crate::core::batches::RememberedBatches;
use crate::core::losses::Losses;
use crate::errors::from_store;
use crate::life::follow::{Following, Leader};
use crate::lock::lock;
use crate::sampling::{self, IndexSample};
use crate::search::peers::{JoinedValues, Peers};
use crate::search::{self, SearchCaches};
use crate::seeded_bugs::SeededBug;
use crate::segment::id_filter;
use crate::shard::pinned::PinnedShard;
use crate::shard::stats::{SegmentStats, ShardStats};
use crate::snapshot::{Snapshot, read_source};
use crate::suggest::Event;
use crate::write::applied::AppliedUpdate;
use crate::write::update_context::UpdateContext;

/// One shard, open. All methods may be called from any thread; those that change something block until it is
/// done.
pub struct Shard {
    core: Arc<Core>,
    caches: Arc<SearchCaches>,
    /// Another owns it: nothing is flushed here.
    is_reader: bool,
    /// Whoever is followed, where that is not the archive alone.
    following: Option<Arc<Following>>,
    /// The home stays owned as long as the shard is open.
    _home: Arc<dyn ShardHome>,
}

impl Shard {
    /// Opens or creates the shard of this home and replays its log.
    ///
    /// Errors: `DataLoss` when the manifest cannot be read. A segment that cannot be, and damage in the log,
    /// are no errors here: the rest is served, updates are refused with `Unavailable`, and
    /// [`losses`](Self::losses) says what is missing.
    pub fn open(
        home: Arc<dyn ShardHome>,
        schema: Arc<Schema>,
        config: ShardConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>> {
        let (scheduler, caches) = (config.scheduler.clone(), Arc::new(SearchCaches::new(&config.caches)));
        let core = Core::open(&*home, schema, config, clock)?;
        if let Some(scheduler) = scheduler {
            core.start(&*scheduler)?;
        }
        Ok(Arc::new(Self { core, caches, is_reader: false, following: None, _home: home }))
    }

    /// Opens a shard beside its owner, if it has one at the moment: searches see what was flushed last, as
    /// looked for every `every_ms` milliseconds by the configured scheduler, or by
    /// [`follow`](Self::follow). Updates are refused with `Unavailable`.
    pub fn open_reader(
        archive: Arc<dyn ShardArchive>,
        schema: Arc<Schema>,
        config: ShardConfig,
        clock: Arc<dyn Clock>,
        every_ms: u64,
    ) -> Result<Arc<Self>> {
        Self::open_following(archive, schema, (config, clock), (None, every_ms))
    }

    /// The same with a leader that is asked for what it shows, flushed or not; what it had flushed is taken
    /// up only where it does not answer.
    pub fn open_follower(
        archive: Arc<dyn ShardArchive>,
        schema: Arc<Schema>,
        (config, clock): (ShardConfig, Arc<dyn Clock>),
        (leader, every_ms): (Arc<dyn Leader>, u64),
    ) -> Result<Arc<Self>> {
        Self::open_following(archive, schema, (config, clock), (Some(leader), every_ms))
    }

    fn open_following(
        archive: Arc<dyn ShardArchive>,
        schema: Arc<Schema>,
        (config, clock): (ShardConfig, Arc<dyn Clock>),
        (leader, every_ms): (Option<Arc<dyn Leader>>, u64),
    ) -> Result<Arc<Self>> {
        let following = leader.map(|leader| Arc::new(Following::new(leader)));
        let home: Arc<dyn ShardHome> = Arc::new(ReadOnlyHome::new(archive));
        let (scheduler, caches) = (config.scheduler.clone(), Arc::new(SearchCaches::new(&config.caches)));
        let core = Core::open(&*home, schema, config, clock)?;
        core.refuse_updates("it is only read here, and its owner takes them");
        if let Some(scheduler) = scheduler {
            core.start_following(&*scheduler, following.clone(), every_ms)?;
        }
        Ok(Arc::new(Self { core, caches, is_reader: true, following, _home: home }))
    }

    /// What of the shard cannot be read: whatever is answered without it is partial. Asked before a search,
    /// it holds for what that sees.
    pub fn losses(&self) -> Arc<Losses> {
        self.core.losses.load_full()
    }

    /// Takes up what the shard's owner has flushed since; false where that is nothing. Of readers alone.
    pub fn follow(&self) -> Result<bool> {
        if self.is_reader { self.core.follow() } else { Ok(false) }
    }

    /// Takes up what the leader shows now; false where that is nothing new. Of followers alone. Errors: where
    /// it cannot be asked, or its schema is newer (`SchemaChanged`).
    pub fn catch_up(&self) -> Result<bool> {
        self.following.as_ref().map_or(Ok(false), |following| following.look(&self.core))
    }

    /// How old what is shown may be: an owner's is of now, a follower's of the beginning of its last look at
    /// its leader. `None` before that, and of whoever follows an archive: nobody knows.
    pub fn age_ns(&self) -> Option<u64> {
        match &self.following {
            Some(following) => following.age_ns(&self.core),
            None => (!self.is_reader).then_some(0),
        }
    }

    /// Compares so many stored documents of each segment that searches see with its index, and as many of its
    /// terms with documents; `told` hears of each segment as it is done. What is found is known to whoever
    /// watches the shard, too.
    pub fn sample_index(&self, documents: u32, told: &mut dyn FnMut(&IndexSample)) -> IndexSample {
        let snapshot = self.snapshot();
        let mut all = IndexSample::default();
        for view in snapshot.segments() {
            // The same ones each time: what was found is found again.
            let found = sampling::sample(&snapshot, view, documents, 0);
            found.differences.iter().for_each(|difference| self.core.note_difference(difference.clone()));
            told(&found);
            all.add(found);
        }
        all
    }

    /// The parts, for rebuilds and for tests that drive background work by hand.
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Applies a batch in order; returns when that is durable which it asks for. Not visible to searches
    /// before a refresh.
    pub fn update(&self, batch: UpdateBatch, context: UpdateContext) -> UpdateOutcome {
        self.apply(batch, context).wait()
    }

    /// The same without the wait: whoever awaits the outcome needs no thread for it.
    pub fn apply(&self, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate {
        self.core.update(batch, context)
    }

    /// How far the log went: what a batch names that is sent for the first time.
    pub fn position(&self) -> LogPosition {
        let state = self.core.state();
        state.batches.position_of(state.logged)
    }

    /// What is remembered of batches, for a shard that takes this one's place.
    pub fn remembered_batches(&self) -> RememberedBatches {
        let state = self.core.state();
        state.batches.bequeath(state.logged)
    }

    /// Remembers what another shard did, whose documents this one has taken. As durable as those: from the
    /// next flush on.
    pub fn inherit_batches(&self, from: &RememberedBatches) {
        Arc::make_mut(&mut self.core.state().batches).inherit(from);
    }

    /// Refreshes, or flushes as well, as `commit` says.
    pub fn commit(&self, commit: &Commit) -> Result<()> {
        self.core.commit(commit)
    }

    /// Everything applied so far, committed or not, as files for another home.
    pub fn capture(&self) -> Result<ShardImage> {
        self.losses().check_none()?;
        if self.is_reader { self.core.newest_image() } else { self.core.capture() }
    }

    /// What searches see now, to be asked as often as one request has to.
    pub fn pin(&self) -> PinnedShard {
        PinnedShard::new(self.snapshot(), self.caches.clone())
    }

    /// The same for a follower: of an owner that has found the home its own by a look that began no longer
    /// than this ago, or else looks now. Errors: those of the home, `Unavailable` of a deposed one;
    /// `DataLoss` of one that lacks something, which a follower may still have.
    pub fn pin_led(&self, within_ns: u64) -> Result<PinnedShard> {
        self.core.confirm_owner_within(within_ns)?;
        self.losses().check_none()?;
        Ok(self.pin())
    }

    /// The same with all that is applied, committed or not. Where searches do not see it yet, it has caches
    /// of its own, since they go by a snapshot's number, and two that were never shown may have the same.
    pub fn pin_applied(&self) -> Result<PinnedShard> {
        if self.core.is_current(&self.core.state()) {
            return Ok(self.pin());
        }
        let caches = Arc::new(self.caches.of_one_search());
        Ok(PinnedShard::new(self.core.applied()?, caches))
    }

    /// What the documents of a join's query have in its field: what another collection asks of this one.
    /// `statistics` are those of all its shards, where it has several.
    pub fn joined(
        &self,
        join: &Join,
        scored: bool,
        statistics: Option<&SearchStatistics>,
    ) -> Result<JoinedValues> {
        // The answer goes into another collection's, where nobody would learn that it is partial.
        self.losses().check_none()?;
        let snapshot = self.snapshot_for(join.schema_version)?;
        search::joined(&snapshot, (join, scored, statistics), &self.caches).map(JoinedValues)
    }

    /// Makes other collections known, once.
    pub fn set_peers(&self, peers: Arc<dyn Peers>) {
        self.caches.set_peers(peers);
    }

    /// The documents of these ids as the last update left them, visible or not; `None` where there is none.
    /// What is answered is durable: where an update of one of them is not yet, this waits for it; and it is
    /// no older than the call: where another node may have taken the shard over, the home is asked first.
    pub fn get(&self, ids: &[String], fields: &FieldSelection) -> Result<Vec<Option<Document>>> {
        self.core.confirm_owner()?;
        let layout = self.core.layout();
        let mut judged_by = None;
        let mut sources = Vec::with_capacity(ids.len());
        for id in ids {
            let (state, hash) = (self.core.state(), id_filter::hash(id));
            state.check_owned()?;
            let current = state.current(id, hash)?;
            let child = if current.is_none() { state.child(id, hash)? } else { None };
            if !SeededBug::GetBeforeDurable.is_planted() {
                judged_by = judged_by.max(state.judged_by(hash)?);
            }
            drop(state);
            sources.push(current.map(|current| current.source()).transpose()?.or(child));
        }
        judged_by.map_or(Ok(()), |at| self.core.wait_for_log(at)).map_err(from_store)?;
        let read = |source: Arc<[u8]>| Ok(read_source(&source, &layout, fields)?.1);
        sources.into_iter().map(|source| source.map(read).transpose()).collect()
    }

    /// What searches see now. It never changes; hold it as long as needed.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.core.snapshot.load_full()
    }

    /// The same for what was resolved against a version of the schema. Errors: `SchemaChanged`.
    fn snapshot_for(&self, resolved: Option<u64>) -> Result<Arc<Snapshot>> {
        let snapshot = self.snapshot();
        snapshot.check_schema(resolved)?;
        Ok(snapshot)
    }

    /// Takes up a changed schema. Documents indexed so far stay as they are.
    pub fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        self.core.set_schema(schema)
    }

    /// Changes when commits happen by themselves; deadlines already set stay.
    pub fn set_auto_commit(&self, auto_commit: AutoCommit) {
        *lock(&self.core.auto_commit) = auto_commit;
    }

    /// Takes up the fields that say when documents end, and every how many seconds those are deleted that
    /// have.
    pub fn set_expiries(&self, fields: &[(String, u64)]) {
        self.core.set_expiries(fields);
    }

    /// Does what is due at `now_ms`: for owners that run shards without a scheduler, and for tests.
    pub fn tick(&self, now_ms: i64) -> Result<()> {
        self.core.tick(now_ms)
    }

    pub fn stats(&self) -> ShardStats {
        stats::of(&self.core)
    }

    /// The same without a wait: `None` while an update, a flush or a merge has the shard's state.
    pub fn try_stats(&self) -> Option<ShardStats> {
        stats::try_of(&self.core)
    }

    /// Whether what is under way gets anywhere, for whoever watches. Waits for nobody.
    pub fn vital_figures(&self) -> VitalFigures {
        self.core.vital_figures()
    }

    /// Whether another opening fenced it, as far as it has heard: it takes no more updates.
    pub fn is_deposed(&self) -> bool {
        self.core.state().is_deposed
    }

    /// Whether the files are whole again for which segments were left out ([`losses`](Self::losses)): opened
    /// anew it has them, and takes updates.
    pub fn is_mended(&self) -> bool {
        self.core.are_losses_mended()
    }

    /// Makes sure that by some moment behind the call nobody else had taken the shard over, as a get does.
    /// Errors: `Unavailable` where another has, which [`is_deposed`](Self::is_deposed) tells from then on,
    /// and while the home does not answer.
    pub fn confirm_owner(&self) -> Result<()> {
        self.core.confirm_owner()
    }

    /// How the log is doing, where it lies in an object store.
    pub fn log_figures(&self) -> Option<LogFigures> {
        self.core.log.figures()
    }

    /// The concrete fields that the visible documents have, in order of name.
    pub fn luke_fields(&self) -> Result<IndexedFields> {
        search::luke_fields(&self.snapshot())
    }

    /// What each field takes of the segments that searches see, and took while they were indexed.
    pub fn field_bytes(&self) -> Result<FieldBytes> {
        let snapshot = self.snapshot();
        let times = field_times::of(&snapshot, &*self.core.clock)?;
        field_bytes::of(&snapshot, &times)
    }

    /// The documents of each term of a field, dead ones included as in Lucene.
    pub fn term_documents(&self, field: &str) -> Result<ByValue<u64>> {
        search::term_documents(&self.snapshot(), field)
    }

    /// The terms of a field, with their counts.
    pub fn terms(&self, plan: &TermsPlan) -> Result<TermCounts> {
        search::terms(&*self.snapshot_for(plan.schema_version)?, plan)
    }

    /// Takes up the suggesters that are declared, and builds those that are to be built when a shard opens.
    pub fn set_suggesters(&self, components: &[SuggestComponent]) {
        self.core.suggesters.declare(components);
        self.core.build_suggesters(Event::Opened);
    }

    /// Builds a suggester from what searches see now.
    pub fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        let bound = self.core.bound.load_full();
        self.core.suggesters.build(component, name, &self.snapshot(), &bound)
    }

    /// What a suggester has for a text.
    pub fn suggest(&self, plan: &SuggestPlan) -> Result<SuggestPartial> {
        self.core.suggesters.suggest(plan)
    }

    /// Changes whenever a suggester is built or dropped.
    pub fn suggesters_number(&self) -> u64 {
        self.core.suggesters.number()
    }

    /// The versions of the `limit` living documents that were updated last, visible or not, newest first.
    pub fn versions(&self, limit: usize) -> Result<Vec<Version>> {
        // The newest first: what becomes visible in between is in both, not in neither.
        let mut newest = stats::recent_versions(&self.core);
        self.core.settle()?;
        newest.extend(self.snapshot().versions(limit)?);
        newest.sort_unstable_by(|left, right| right.cmp(left));
        newest.dedup();
        newest.truncate(limit);
        Ok(newest)
    }

    /// The caches that Solr has too, by its names.
    pub fn caches(&self) -> Vec<(&'static str, CacheStats)> {
        self.caches.figures()
    }

    /// The segments that searches see.
    pub fn segments(&self) -> Vec<SegmentStats> {
        stats::segments(&self.snapshot())
    }

    /// Ends the shard's tasks and flushes, unless anything is lost. What follows on it is refused.
    pub fn close(&self) -> Result<()> {
        self.core.stop();
        // What was lost would be missing in the manifest.
        if self.is_reader || !self.losses().is_empty() {
            return Ok(());
        }
        let flushed = self.core.flush(false);
        self.core.refuse_updates("the shard is closed");
        // Of what was applied meanwhile, where the flush had not come so far as to write the log.
        self.core.write_for_waiters();
        flushed
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.core.stop();
    }
}
