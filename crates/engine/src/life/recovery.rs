//! Opening a shard: the newest manifest's segments (`opening`), then the log above its watermark. Damage
//! leaves the shard readable as far as it could be read, and closed to updates.
//!
//! In: a home of the store; out: the shard's `Core`, with all that was acknowledged applied and shown. Logged
//! operations are applied as they were decided, without asking their conditions again; `rebuild` applies
//! those of another shard the same way.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, RwLock};

use arc_swap::ArcSwap;
use meter::{Clock, Vitals};
use plan::{Document, Error, ErrorKind, Result, Schema};
use store::{SegmentFile, ShardHome, Watermark};

use crate::config::ShardConfig;
use crate::core::counters::Counters;
use crate::core::expiries::Expiries;
use crate::core::losses::{Losses, LostLog, LostSegment, NEXT_STEP};
use crate::core::recent::{RecentChild, RecentDocument};
use crate::core::schedule::Schedule;
use crate::core::scrub::Scrub;
use crate::core::state::State;
use crate::core::{Core, LockTurns, Published};
use crate::errors::from_store;
use crate::indexing::builder::Builder;
use crate::indexing::prepare::Preparer;
use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::life::manifest::{FileRecord, Manifest};
use crate::life::opening::Opened;
use crate::lock::lock;
use crate::seeded_bugs::SeededBug;
use crate::segment::id_filter;
use crate::snapshot::{Snapshot, Standing};
use crate::suggest::Suggesters;
use crate::write::log_codec::{Logged, decode};

impl Core {
    pub(crate) fn open(
        home: &dyn ShardHome,
        schema: Arc<Schema>,
        config: ShardConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>> {
        let Opened { manifest, layout, segments, lost } = Opened::of(home, &schema, config.verify_at_open)?;
        let manifest_version = manifest.as_ref().map(|(version, _)| *version);
        let manifest = manifest.map(|(_, manifest)| manifest);
        let lost_files = manifest.as_ref().map(|it| lost_files(it, &lost)).unwrap_or_default();
        let mut state = State { segments, ..State::default() };
        let files: Vec<String> = manifest.iter().flat_map(Manifest::file_names).map(str::to_owned).collect();
        if !SeededBug::ForgottenVersions.is_planted() {
            state.version_max = manifest.as_ref().map_or(0, |it| it.version_max);
        }
        state.modified_ms = manifest.as_ref().map_or(0, |it| it.modified_ms);
        state.schema_version = manifest.as_ref().map_or(0, |it| it.schema_version);
        let mut batches = manifest.as_ref().map(Manifest::batches).unwrap_or_default();
        batches.keep(config.batches_kept);
        state.batches = Arc::new(batches);
        state.logged = manifest.as_ref().map_or(Watermark::START, Manifest::watermark);
        let shown: Vec<_> = state.segments.iter().map(|it| (it.clone(), it.marks.current())).collect();
        let State { logged, version_max, modified_ms, .. } = state;
        let standing = Standing { opening: home.epoch(), logged, version_max, modified_ms };
        let snapshot = Snapshot::build(None, layout.clone(), &shown)?.at(standing);
        let analyzers = Arc::new(Analyzers::of(&layout));
        let core = Arc::new(Self {
            log: home.log(),
            manifests: home.manifests(),
            store: home.segments(),
            epoch: home.epoch(),
            clock,
            auto_commit: Mutex::new(config.auto_commit),
            config,
            bound: ArcSwap::from_pointee(BoundSchema { schema, analyzers, layout }),
            resolved_by: RwLock::default(),
            growing: Mutex::default(),
            snapshot: ArcSwap::from_pointee(snapshot),
            flushing: Mutex::new(Published { manifest_version, files, ..Published::default() }),
            merging: Mutex::default(),
            maintenance: Mutex::default(),
            applying: RwLock::default(),
            state: Mutex::new(state),
            preparers: Mutex::default(),
            schedule: Schedule::default(),
            expiries: Expiries::default(),
            suggesters: Suggesters::default(),
            confirmed_ns: AtomicU64::new(0),
            scrub: Mutex::new(Scrub::new(lost_files)),
            losses: ArcSwap::from_pointee(Losses { segments: lost, log: None }),
            counters: Counters::default(),
            vitals: Vitals::default(),
            turns: LockTurns::default(),
            log_kept: AtomicUsize::new(0),
        });
        core.replay(manifest.as_ref().map(Manifest::watermark))?;
        core.close_if_lossy();
        // Behind the replay, which finds out whether the shard is damaged.
        core.remove_strays();
        core.refresh()?;
        Ok(core)
    }

    /// Removes what a crash between writing files and publishing them left behind. Not from a damaged shard:
    /// the files may be those of a newer manifest that could not be read.
    fn remove_strays(&self) {
        if self.state().refused.is_some() {
            return;
        }
        let mut flushing = lock(&self.flushing);
        let published = &mut *flushing;
        let known: BTreeSet<&str> = published.files.iter().map(String::as_str).collect();
        // Best effort: a stray file costs space, nothing else.
        let mut strays = self.store.list().unwrap_or_default();
        strays.retain(|name| !known.contains(name.as_str()));
        // Some may be of the manifest before, which others may read.
        let goes_at = self.clock.now_ms().saturating_add(self.config.replaced_files_kept_ms);
        published.replaced.extend(strays.into_iter().map(|name| (name, goes_at)));
        drop(flushing);
        self.remove_replaced();
    }

    /// Applies the log above `after`. Damage ends it and closes the shard to updates; nothing of the log is
    /// trimmed then.
    fn replay(&self, after: Option<Watermark>) -> Result<()> {
        let mut failure: Option<Error> = None;
        let mut applied = after.unwrap_or(Watermark::START);
        let mut visit = |at: Watermark, record: &[u8]| {
            let done = decode(record).ok_or_else(|| damaged(at)).and_then(|(origin, operations)| {
                self.state().note_origin(at, &origin, operations.iter().map(Logged::version));
                self.apply_group(operations)?;
                self.seal_while_replaying()
            });
            self.state().logged = at;
            done.inspect(|()| applied = at).map_err(|error| {
                let told = store::Error::new(store::ErrorKind::Failed, error.message.clone());
                failure = Some(error);
                told
            })
        };
        match self.log.replay(after, &mut visit) {
            Ok(_) => Ok(()),
            Err(error) => {
                let why = failure.unwrap_or_else(|| from_store(error)).message;
                // Of a record that was read and could not be applied the one before is the last.
                let log = Some(LostLog { upto: applied, why });
                let losses = Losses { log, ..Losses::clone(&self.losses.load()) };
                self.losses.store(Arc::new(losses));
                Ok(())
            }
        }
    }

    /// Says what is lost, and takes no updates: a flush would publish a manifest without it.
    fn close_if_lossy(&self) {
        let losses = self.losses.load_full();
        if losses.is_empty() {
            return;
        }
        for LostSegment { segment, documents, files, why } in &losses.segments {
            tracing::error!(segment, documents, ?files, "a segment is lost, and the rest is served: {why}");
        }
        losses.log.iter().for_each(|log| tracing::error!("{log}; what came before is served"));
        self.refuse_updates(&format!(
            "what can be read is served, and nothing is changed: {losses}; {NEXT_STEP}"
        ));
    }

    /// Applies operations that are in a log. Nothing is sealed.
    pub(crate) fn apply_group(&self, operations: Vec<Logged>) -> Result<()> {
        let names: Vec<Arc<str>> = operations.iter().flat_map(|it| self.names_of_logged(it)).collect();
        let bound = self.grow(&names);
        let mut idle = lock(&self.preparers);
        idle.retain(|it| Arc::ptr_eq(it.layout(), &bound.layout));
        let mut preparer = idle.pop().unwrap_or_else(|| {
            Preparer::new(bound.layout.clone(), bound.schema.clone(), bound.analyzers.clone())
        });
        drop(idle);
        preparer.start_group();
        let mut builder = self.take_builder(preparer.layout())?;
        for operation in operations {
            self.apply_one(operation, &mut preparer, &mut builder)?;
        }
        builder.end_group(&preparer);
        self.state().idle.push(builder);
        lock(&self.preparers).push(preparer);
        Ok(())
    }

    fn names_of_logged(&self, operation: &Logged) -> Vec<Arc<str>> {
        let Logged::Put { document, children, .. } = operation else { return Vec::new() };
        let schema = &self.bound.load().schema;
        let mut names: Vec<Arc<str>> = Vec::new();
        for document in children.iter().map(|(_, document)| document).chain([document]) {
            let fields = document.fields.iter();
            let copied =
                fields.clone().flat_map(|(name, _)| schema.copies(name)).map(|(dest, _)| dest.into());
            names.extend(fields.map(|(name, _)| name.clone()).chain(copied));
        }
        names
    }

    fn apply_one(&self, operation: Logged, preparer: &mut Preparer, builder: &mut Builder) -> Result<()> {
        match operation {
            Logged::Put { version, id, document, children, overwrite } => {
                let mut add = |id: &str, document: &Document| {
                    let mut prepared = preparer.prepare(id, document)?;
                    prepared.document.set_version(version);
                    builder.add(&prepared, id_filter::hash(id))?;
                    Ok(prepared.document.source)
                };
                let children = children.into_iter().map(|(id, document)| {
                    let source = add(&id, &document)?;
                    Ok(RecentChild { id, source })
                });
                let children = children.collect::<Result<Vec<_>>>()?;
                let source = add(&id, &document)?;
                let (doc, marks) = (builder.next_doc() - 1, builder.marks().clone());
                let recent = RecentDocument { marks, doc, version, source, children, beside: None };
                let mut state = self.state();
                if overwrite {
                    state.mark_block(&id, id_filter::hash(&id))?;
                }
                state.has_had_blocks |= !recent.children.is_empty();
                state.recent.insert(id, recent);
                state.version_max = state.version_max.max(version);
            }
            Logged::Delete { version, id } => {
                let mut state = self.state();
                state.mark_block(&id, id_filter::hash(&id))?;
                state.version_max = state.version_max.max(version);
            }
            Logged::DeleteMember { version, root, id } => {
                let mut state = self.state();
                state.mark_member(&root, &id)?;
                state.version_max = state.version_max.max(version);
            }
            Logged::Nothing { version } => {
                let mut state = self.state();
                state.version_max = state.version_max.max(version);
            }
            Logged::DeleteAll { version } => {
                self.delete_everything(version);
                // The one in use is not among those that were dropped.
                *builder = Builder::new(preparer.layout().clone())?;
            }
        }
        Ok(())
    }

    fn delete_everything(&self, version: i64) {
        let mut state = self.state();
        state.version_max = state.version_max.max(version);
        state.recent.clear();
        state.idle.clear();
        state.full.clear();
        for segment in &state.segments {
            segment.marks.mark_all(0..segment.max_doc);
        }
    }

    /// A log longer than memory takes is sealed piece by piece; nothing is published before its end.
    fn seal_while_replaying(&self) -> Result<()> {
        let full = {
            let mut state = self.state();
            let idle = std::mem::take(&mut state.idle);
            let (full, idle): (Vec<_>, Vec<_>) =
                idle.into_iter().partition(|builder| builder.bytes() > self.config.builder_bytes_max);
            state.idle = idle;
            state.full.extend(full);
            !state.full.is_empty()
        };
        if full { self.seal_full() } else { Ok(()) }
    }
}

/// Once these are whole an opening finds all segments. None where one is lost whose files are what the
/// manifest says: it would be lost again.
fn lost_files(manifest: &Manifest, lost: &[LostSegment]) -> Vec<SegmentFile> {
    if lost.iter().any(|segment| segment.files.is_empty()) {
        return Vec::new();
    }
    let names: BTreeSet<&str> = lost.iter().flat_map(|it| &it.files).map(|(name, _)| &**name).collect();
    let lost = manifest.files().filter(|file| names.contains(&*file.name));
    lost.map(FileRecord::to_file).collect()
}

fn damaged(at: Watermark) -> Error {
    let Watermark { epoch, sequence } = at;
    Error::new(ErrorKind::DataLoss, format!("log record {epoch}/{sequence} is no record of this version"))
}
