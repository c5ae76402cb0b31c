//! A shard that somebody else owns, as a reader follows it: what its leader shows is taken up image after
//! image, where there is a leader to ask; else manifest after manifest, so that searches see what the owner
//! had flushed at one moment. Each is taken up whole, and nothing goes back.
//!
//! In: images or an archive's newest manifest, and files; out: segments and a snapshot, as a refresh makes
//! them. Segments that are known stay open, with the marks that came. Writes nothing. How long a follower may
//! answer by itself behind a look is its user's to decide (model `follow_leader`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use plan::{Error, ErrorKind, Result};
use tantivy::directory::OwnedBytes;
use tantivy::index::SegmentId;

use crate::core::losses::{Losses, LostSegment};
use crate::core::schedule::RunningTask;
use crate::core::{Core, Published};
use crate::errors::from_store;
use crate::layout::Layout;
use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::life::image::{FilePiece, FollowerHas, SnapshotImage};
use crate::life::manifest::{FileRecord, Manifest, SegmentRecord};
use crate::life::opening::{damaged_segment, fetch, open_marks, open_or_lose, segment_of};
use crate::life::schedule::unattended;
use crate::lock::lock;
use crate::scheduler::{Priority, Scheduler, Task};
use crate::segment::Segment;
use crate::segment::alive::Dead;
use crate::suggest::Event;

/// Whoever owns the shard that a follower shows. Calls block.
pub trait Leader: Send + Sync {
    /// What it shows now, where that is not what the follower has. Errors: where it cannot be asked, or does
    /// not know whether the shard is still its own.
    fn look(&self, has: &FollowerHas) -> Result<Option<Box<dyn Shown>>>;
}

/// What a leader shows at one moment; its files can be asked for as long as this is kept.
pub trait Shown {
    fn image(&self) -> &SnapshotImage;
    /// Bytes of a file that is in the leader's memory alone: as many as it likes to send, at least one.
    fn piece(&self, piece: FilePiece<'_>) -> Result<Vec<u8>>;
}

/// A follower's looks at its leader.
pub(crate) struct Following {
    leader: Arc<dyn Leader>,
    /// When the last one began that was answered, by the shard's clock; 0 before the first.
    looked_ns: AtomicU64,
}

impl Following {
    pub(crate) fn new(leader: Arc<dyn Leader>) -> Self {
        Self { leader, looked_ns: AtomicU64::new(0) }
    }

    /// Looks once, and takes up what is new.
    pub(crate) fn look(&self, core: &Core) -> Result<bool> {
        // Not the moment of the answer, which may have been long on the way.
        let begun = core.clock.now_ns().max(1);
        let shown = self.leader.look(&core.has())?;
        let taken = shown.map(|shown| core.take_up(&*shown)).transpose()?.unwrap_or(false);
        self.looked_ns.fetch_max(begun, Ordering::AcqRel);
        Ok(taken)
    }

    /// How long ago the last look began that was answered; `None` before the first.
    pub(crate) fn age_ns(&self, core: &Core) -> Option<u64> {
        let looked = self.looked_ns.load(Ordering::Acquire);
        (looked > 0).then(|| core.clock.now_ns().saturating_sub(looked))
    }
}

/// How much longer a follower waits whose leader did not answer.
const PAUSES_WITHOUT_LEADER: u64 = 10;

/// A segment, and what of it is dead besides what its marks say.
type Marked = (Arc<Segment>, Dead);

/// Looks for what is newer.
struct FollowTask {
    core: Weak<Core>,
    following: Option<Arc<Following>>,
    every_ms: u64,
}

impl Task for FollowTask {
    fn turn(&self) -> u64 {
        let Some(core) = self.core.upgrade() else { return self.every_ms };
        let mut is_due_soon = self.following.is_none();
        unattended("following the shard's owner", || match &self.following {
            Some(following) if following.look(&core).is_ok() => {
                is_due_soon = true;
                Ok(())
            }
            // Without a leader there is at least what it had flushed.
            _ => core.follow().map(drop),
        });
        // Each look at the manifests is a request to the store, which may charge for it.
        if is_due_soon { self.every_ms } else { self.every_ms.saturating_mul(PAUSES_WITHOUT_LEADER) }
    }
}

impl Core {
    /// Takes up the newest manifest; false where it is the one at hand, or shows no more than that has.
    pub(crate) fn follow(&self) -> Result<bool> {
        let mut published = lock(&self.flushing);
        let newest = self.manifests.load_above(published.manifest_version).map_err(from_store)?;
        let Some((version, bytes)) = newest else { return Ok(false) };
        let manifest = Manifest::from_bytes(&bytes)?;
        if manifest.watermark() < self.state().logged {
            // The leader had shown more before it flushed.
            published.manifest_version = Some(version);
            return Ok(false);
        }
        let (segments, lost) = self.segments_of(&manifest)?;
        self.show_followed(&manifest, &segments)?;
        // Behind what is shown: who asks for both looks at the losses first.
        self.losses.store(Arc::new(Losses { segments: lost, log: None }));
        let files = manifest.file_names().map(str::to_owned).collect();
        let followed = published.followed;
        *published = Published { manifest_version: Some(version), files, followed, ..Published::default() };
        self.build_suggesters(Event::Refreshed);
        Ok(true)
    }

    /// What this follower has of what its leader may show.
    fn has(&self) -> FollowerHas {
        let order = lock(&self.flushing).followed;
        let state = self.state();
        let has = |it: &Arc<Segment>| (it.id.uuid_string(), it.marks.current().count());
        FollowerHas { order, segments: state.segments.iter().map(has).collect() }
    }

    /// Takes up what a leader shows; false where that is less than what is shown here. Errors:
    /// `SchemaChanged` where the leader's schema is newer, `Unavailable` where it was deposed.
    pub(crate) fn take_up(&self, shown: &dyn Shown) -> Result<bool> {
        let image = shown.image();
        let mut published = lock(&self.flushing);
        let manifest = Manifest::from_bytes(&image.manifest)?;
        if image.order.opening < published.followed.opening {
            // An error, since the look is none: what a later opening has shown since is not known by it.
            let message = "whoever was asked owns the shard no longer; the next look is at its owner";
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        // Another look was faster, or the leader has flushed what it does not show yet.
        if image.order <= published.followed || manifest.watermark() < self.state().logged {
            return Ok(false);
        }
        let known = self.bound.load().schema.lineage.version;
        if manifest.schema_version > known {
            let message = format!(
                "the leader has version `{}` of the schema, this follower `{known}`; it takes that up first",
                manifest.schema_version
            );
            return Err(Error::new(ErrorKind::SchemaChanged, message));
        }
        let segments = self.segments_of_image(&manifest, shown)?;
        self.show_followed(&manifest, &segments)?;
        self.losses.store(Arc::default());
        published.followed = image.order;
        self.build_suggesters(Event::Refreshed);
        Ok(true)
    }

    fn show_followed(&self, manifest: &Manifest, segments: &[Marked]) -> Result<()> {
        let bound = self.bound.load_full();
        let layout = Arc::new(Layout::restore(
            manifest.layout.slots.clone(),
            manifest.layout.generation,
            &bound.schema,
        ));
        {
            // Segments and marks together: a change of the schema shows what it finds under this lock.
            let mut state = self.state();
            segments.iter().for_each(|(segment, dead)| segment.marks.mark_all(dead.iter()));
            state.segments = segments.iter().map(|(segment, _)| segment.clone()).collect();
            state.logged = manifest.watermark();
            state.version_max = manifest.version_max;
            state.modified_ms = manifest.modified_ms;
            state.schema_version = manifest.schema_version;
        }
        let (schema, analyzers) = (bound.schema.clone(), Arc::new(Analyzers::of(&layout)));
        self.bound.store(Arc::new(BoundSchema { schema, analyzers, layout }));
        self.refresh()
    }

    fn known_segments(&self) -> HashMap<SegmentId, Arc<Segment>> {
        let known = self.state().segments.clone();
        known.into_iter().map(|it| (it.id, it)).collect()
    }

    /// What cannot be opened may be lost where it was so before. Else the manifest is not taken up: what the
    /// one before has is all there.
    fn segments_of(&self, manifest: &Manifest) -> Result<(Vec<Marked>, Vec<LostSegment>)> {
        fetch(&*self.store, manifest.files())?;
        let known = self.known_segments();
        let layout = self.layout();
        let losses = self.losses.load_full();
        let (mut segments, mut lost) = (Vec::new(), Vec::new());
        for record in &manifest.segments {
            if let Some(segment) = known.get(&record.id) {
                let dead = open_marks(&*self.store, record, false)?;
                segment.set_persisted(record.persisted());
                segments.push((Arc::clone(segment), dead));
                continue;
            }
            match open_or_lose(&*self.store, record, &layout, false)? {
                Ok(segment) => segments.push((segment, Dead::default())),
                Err(segment) if losses.segments.iter().any(|it| it.segment == segment.segment) => {
                    lost.push(segment);
                }
                Err(segment) => return Err(Error::new(ErrorKind::DataLoss, segment.to_string())),
            }
        }
        Ok((segments, lost))
    }

    /// All of them or none: what cannot be had leaves what is shown as it is.
    fn segments_of_image(&self, manifest: &Manifest, shown: &dyn Shown) -> Result<Vec<Marked>> {
        let (image, known) = (shown.image(), self.known_segments());
        let is_in_memory = |record: &SegmentRecord| image.in_memory.contains(&record.id.uuid_string());
        let is_of_store = |it: &&SegmentRecord| !is_in_memory(it) && !known.contains_key(&it.id);
        fetch(&*self.store, manifest.segments.iter().filter(is_of_store).flat_map(SegmentRecord::files))?;
        let layout = self.layout();
        let mut segments = Vec::with_capacity(manifest.segments.len());
        for record in &manifest.segments {
            let sent = image.marks.iter().find(|it| it.segment == record.id.uuid_string());
            let dead = sent.map(|it| it.dead()).unwrap_or_default();
            if dead.iter().last().is_some_and(|last| last >= record.max_doc) {
                return Err(damaged_segment(record, "its death marks are not its own"));
            }
            let segment = match known.get(&record.id) {
                Some(segment) => segment.clone(),
                // It was there when the leader was asked, and another look has dropped it since.
                None if record.files.is_empty() => {
                    let message = "what is shown changed while the leader was asked; the next look says more";
                    return Err(Error::new(ErrorKind::Unavailable, message));
                }
                None if is_in_memory(record) => {
                    let bytes = |file: &FileRecord| whole_file(shown, record, file);
                    segment_of(record, &bytes, (dead.clone(), None), &layout)?
                }
                None => {
                    let segment = open_or_lose(&*self.store, record, &layout, false)?;
                    segment.map_err(|lost| Error::new(ErrorKind::DataLoss, lost.to_string()))?
                }
            };
            segments.push((segment, dead));
        }
        Ok(segments)
    }

    /// Begins to follow, a leader where there is one; ends when the shard is closed or dropped.
    pub(crate) fn start_following(
        self: &Arc<Self>,
        scheduler: &dyn Scheduler,
        following: Option<Arc<Following>>,
        every_ms: u64,
    ) -> Result<()> {
        let core = Arc::downgrade(self);
        let task: Arc<dyn Task> = Arc::new(FollowTask { core, following, every_ms });
        let handle = scheduler.start("follow", Priority::Normal, &task)?;
        lock(&self.schedule.running).follow = Some(RunningTask { handle, _task: task });
        Ok(())
    }
}

/// A file from the leader's memory. Errors: `Unavailable` where what came is not what was announced.
fn whole_file(shown: &dyn Shown, record: &SegmentRecord, file: &FileRecord) -> Result<OwnedBytes> {
    let segment = record.id.uuid_string();
    let size = usize::try_from(file.size).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let offset = bytes.len() as u64;
        let piece = shown.piece(FilePiece { segment: &segment, file: &file.name, offset })?;
        // The checksum says that something is missing.
        if piece.is_empty() {
            break;
        }
        bytes.extend_from_slice(&piece);
    }
    if !file.is_of(&bytes) {
        let message = format!("the file `{}` did not come whole from the leader", file.name);
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    Ok(OwnedBytes::new(bytes))
}
