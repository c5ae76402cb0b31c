//! The engine's shards, in the homes that their sites give, behind this crate's seam.
//!
//! Only here stands which method of the engine answers which request of a shard: a new one gets a line in
//! `shard/read.rs` and an arm here. Nothing is decided: updates lead the log on the thread that they are on,
//! all else is handed through. Tests of this crate use `memory` instead.

use std::sync::Arc;

use engine::{CacheSizes, FilesVerdict, IndexSample, Losses, RepairReport, Scheduler, ShardConfig};
use meter::{Meters, VitalFigures};
use plan::partial::{
    ExpandRequest, FetchRequest, Fetched, GroupPartial, GroupsPartial, HeadsStep, HitRef, SearchStatistics,
    ShardResult,
};
use plan::{AutoCommit, Commit, LogPosition, Result, Schema, SearchPlan, UpdateBatch, Value};
use store::{ContentDigest, HomeWithCopies, LogFigures, ShardImage, Watermark};

use crate::documents::lift;
use crate::shard::{
    AppliedUpdate, BackedUp, FRESH_NS, Leader, OpenShard, ReadAnswer, ReadRequest, RememberedBatches, Shard,
    ShardMoment, ShardPlace, ShardReader, ShardSettings, ShardSite, ShardSnapshot, ShardStats, ShardUpkeep,
    ShardWriter, SnapshotAnswer, SnapshotRequest, UpdateContext, Visit,
};

/// How often a follower looks at its leader: what that shows is shown here as much later, and a little more.
const LOOK_EVERY_MS: u64 = 200;

struct EngineShards {
    caches: CacheSizes,
    scheduler: Arc<dyn Scheduler>,
    /// How often those look that another owns; `None`: this node owns its shards.
    follow_every_ms: Option<u64>,
}

/// Shards of the engine, each with caches of these sizes, whose background work this scheduler runs.
pub fn engine_shards(caches: CacheSizes, scheduler: Arc<dyn Scheduler>) -> Arc<dyn OpenShard> {
    Arc::new(EngineShards { caches, scheduler, follow_every_ms: None })
}

/// The same of shards that another node owns: they are read, and looked for anew every so many milliseconds.
pub fn engine_readers(
    caches: CacheSizes,
    scheduler: Arc<dyn Scheduler>,
    every_ms: u64,
) -> Arc<dyn OpenShard> {
    Arc::new(EngineShards { caches, scheduler, follow_every_ms: Some(every_ms) })
}

/// Reads the files of the shard that lives there again. See [`engine::verify`].
pub(crate) fn verify_shard(place: &ShardPlace) -> Result<FilesVerdict> {
    engine::verify(&*place.site.archive(&place.id).map_err(lift)?)
}

/// What the shard's owner captured, as it published it. See [`engine::published_image`].
pub(crate) fn published_image(place: &ShardPlace, manifest: &[u8]) -> Result<ShardImage> {
    engine::published_image(&*place.site.archive(&place.id).map_err(lift)?, manifest)
}

/// Mends the files of the shard that lives there, before it is opened. See [`engine::repair`].
pub(crate) fn repair_shard(place: &ShardPlace, accepts_loss: bool) -> Result<RepairReport> {
    let home = place.site.home(&place.id).map_err(lift)?;
    engine::repair(&*home, accepts_loss)
}

impl EngineShards {
    fn config(&self, auto_commit: AutoCommit) -> ShardConfig {
        let (caches, scheduler) = (self.caches.clone(), Some(self.scheduler.clone()));
        ShardConfig { auto_commit, caches, scheduler, ..ShardConfig::default() }
    }
}

impl OpenShard for EngineShards {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>> {
        let ShardSite { place, schema, auto_commit, clock, peers, copies } = site;
        let config = self.config(auto_commit);
        let shard = match self.follow_every_ms {
            None => {
                let mut home = place.site.home(&place.id).map_err(lift)?;
                if let Some(copies) = copies {
                    home = Arc::new(HomeWithCopies::new(home, copies));
                }
                engine::Shard::open(home, schema, config, clock)?
            }
            Some(every_ms) => {
                let archive = place.site.archive(&place.id).map_err(lift)?;
                engine::Shard::open_reader(archive, schema, config, clock, every_ms)?
            }
        };
        shard.set_peers(peers);
        Ok(shard)
    }

    fn follow(&self, site: ShardSite, leader: Arc<dyn Leader>) -> Result<Arc<dyn Shard>> {
        // What it finds damaged is its owner's to mend.
        let ShardSite { place, schema, auto_commit, clock, peers, copies: _ } = site;
        let config = self.config(auto_commit);
        let archive = place.site.archive(&place.id).map_err(lift)?;
        let follower =
            engine::Shard::open_follower(archive, schema, (config, clock), (leader, LOOK_EVERY_MS))?;
        follower.set_peers(peers);
        Ok(follower)
    }

    fn restore(&self, place: &ShardPlace, image: &BackedUp<'_>) -> Result<()> {
        let home = place.site.home(&place.id).map_err(lift)?;
        image.folder.restore(image.point, &*home.segments()).map_err(lift)?;
        home.manifests().publish(None, image.manifest).map_err(lift)?;
        Ok(())
    }
}

impl ShardWriter for engine::Shard {
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> AppliedUpdate {
        // On this thread, which is there already, where nobody writes; else nobody's thread waits.
        self.apply(batch, context).lead()
    }

    fn position(&self) -> LogPosition {
        self.position()
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.commit(commit)
    }
}

impl ShardReader for engine::Shard {
    fn pin(&self) -> Arc<dyn ShardSnapshot> {
        Arc::new(self.pin())
    }

    fn pin_led(&self) -> Result<Arc<dyn ShardSnapshot>> {
        Ok(Arc::new(self.pin_led(FRESH_NS)?))
    }

    fn age_ns(&self) -> Option<u64> {
        self.age_ns()
    }

    fn pin_applied(&self) -> Result<Arc<dyn ShardSnapshot>> {
        Ok(Arc::new(self.pin_applied()?))
    }

    fn read(&self, request: ReadRequest<'_>, _: &Meters) -> Result<ReadAnswer> {
        use crate::shard::{GetRead, JoinRead, TermDocumentsRead};
        use ReadAnswer as A;
        use ReadRequest as R;
        Ok(match request {
            R::Get(GetRead { ids, fields }) => A::Get(self.get(ids, fields)?),
            R::Joined(JoinRead { join, scored, statistics }) => {
                A::Joined(self.joined(join, scored, statistics)?)
            }
            R::Fields(_) => A::Fields(self.luke_fields()?),
            R::TermDocuments(TermDocumentsRead { field }) => A::TermDocuments(self.term_documents(field)?),
            R::Terms(plan) => A::Terms(self.terms(plan)?),
            R::Suggest(plan) => A::Suggest(self.suggest(plan)?),
            R::Versions(request) => A::Versions(self.versions(request.limit)?),
            R::Fingerprint(request) => A::Fingerprint(self.fingerprint(request.up_to)?),
            R::Segments(_) => A::Segments(self.segments()),
            R::FieldBytes(_) => A::FieldBytes(self.field_bytes()?),
            R::Caches(_) => {
                A::Caches(self.caches().into_iter().map(|(name, stats)| (name.to_owned(), stats)).collect())
            }
        })
    }

    fn moment(&self) -> ShardMoment {
        ShardMoment { snapshot: self.snapshot().number(), suggesters: self.suggesters_number() }
    }

    fn losses(&self) -> Arc<Losses> {
        self.losses()
    }

    fn stats(&self) -> ShardStats {
        self.stats()
    }

    fn try_stats(&self) -> Option<ShardStats> {
        self.try_stats()
    }
}

impl ShardSnapshot for engine::PinnedShard {
    fn statistics(&self, plan: &SearchPlan, meters: &Meters) -> Result<SearchStatistics> {
        self.statistics(plan, meters)
    }

    fn heads(&self, plan: &SearchPlan, step: &HeadsStep, meters: &Meters) -> Result<GroupsPartial> {
        self.heads(plan, step, meters)
    }

    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult> {
        self.search(plan, meters)
    }

    fn group_values(
        &self,
        plan: &SearchPlan,
        hits: &[&HitRef],
        meters: &Meters,
    ) -> Result<Vec<Option<Value>>> {
        self.group_values(plan, hits, meters)
    }

    fn expand(
        &self,
        plan: &SearchPlan,
        request: &ExpandRequest<'_>,
        meters: &Meters,
    ) -> Result<Vec<GroupPartial>> {
        self.expand(plan, request, meters)
    }

    fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, meters: &Meters) -> Result<Fetched> {
        self.fetch(plan, request, meters)
    }

    fn read(&self, request: SnapshotRequest<'_>, meters: &Meters) -> Result<SnapshotAnswer> {
        use crate::shard::{DocumentAtRead, ExplainOtherRead, ImageRead, LikeCountsRead, WhyNotRead};
        use SnapshotAnswer as A;
        use SnapshotRequest as R;
        Ok(match request {
            R::Vectors(plan) => A::Vectors(self.vectors(plan)?),
            R::LikeWords(like) => A::LikeWords(self.like_words(like)?),
            R::LikeCounts(LikeCountsRead { like, words }) => A::LikeCounts(self.like_counts(like, words)?),
            R::Words(plan) => A::Words(self.words(plan, meters)?),
            R::WhyNot(WhyNotRead { plan, id }) => A::WhyNot(self.why_not(plan, id, meters)?),
            R::DocumentAt(DocumentAtRead { place, fields }) => {
                A::DocumentAt(self.document_at(place, fields)?)
            }
            R::ExplainOther(ExplainOtherRead { plan, other, limit }) => {
                A::ExplainOther(self.explain_other(plan, other, limit, meters)?)
            }
            R::Image(ImageRead { has }) => A::Image(self.image(has)?),
            R::Piece(piece) => A::Piece(self.piece(piece)?),
        })
    }
}

impl ShardUpkeep for engine::Shard {
    fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        self.set_schema(schema)
    }

    fn catch_up(&self) -> Result<()> {
        self.catch_up().map(drop)
    }

    fn configure(&self, settings: &ShardSettings<'_>) {
        self.set_auto_commit(settings.auto_commit);
        self.set_suggesters(settings.suggesters);
        self.set_expiries(&settings.expiries);
    }

    fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        self.build_suggester(component, name)
    }

    fn export(&self, after: Option<Watermark>, visit: &mut Visit<'_>) -> Result<Watermark> {
        match after {
            None => self.export(visit),
            Some(after) => self.export_since(after, visit),
        }
    }

    fn end_export(&self) {
        self.end_export();
    }

    fn remembered_batches(&self) -> RememberedBatches {
        self.remembered_batches()
    }

    fn inherit_batches(&self, from: &RememberedBatches) {
        self.inherit_batches(from);
    }

    fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        self.import(record, wanted)
    }

    fn capture(&self) -> Result<ShardImage> {
        self.capture()
    }

    fn content_digest(&self) -> Result<ContentDigest> {
        self.content_digest()
    }

    fn sample_index(&self, documents: u32, told: &mut dyn FnMut(&IndexSample)) -> Result<IndexSample> {
        Ok(self.sample_index(documents, told))
    }

    fn vital_figures(&self) -> VitalFigures {
        self.vital_figures()
    }

    fn log_figures(&self) -> Option<LogFigures> {
        self.log_figures()
    }

    fn confirm_owner(&self) -> Result<()> {
        self.confirm_owner()
    }

    fn is_deposed(&self) -> bool {
        self.is_deposed()
    }

    fn is_mended(&self) -> bool {
        self.is_mended()
    }

    fn close(&self) -> Result<()> {
        self.close()
    }
}
