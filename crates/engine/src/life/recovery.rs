//! Opening a shard: the newest manifest's segments, then the log above its watermark. Damage leaves the shard
//! readable as far as it could be read, and closed to updates.
//!
//! In: a home of the store; out: the shard's `Core`, with all that was acknowledged applied and shown. Logged
//! operations are applied as they were decided, without asking their conditions again; `rebuild` applies
//! those of another shard the same way.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, RwLock};

use arc_swap::ArcSwap;
use meter::{Clock, Vitals};
use plan::{Document, Error, ErrorKind, Result, Schema};
use store::{SegmentStore, ShardHome, Watermark};
use tantivy::directory::OwnedBytes;

use crate::config::ShardConfig;
use crate::core::counters::Counters;
use crate::core::expiries::Expiries;
use crate::core::recent::{RecentChild, RecentDocument};
use crate::core::schedule::Schedule;
use crate::core::state::State;
use crate::core::{Core, LockTurns, Published};
use crate::errors::from_store;
use crate::indexing::builder::Builder;
use crate::indexing::prepare::Preparer;
use crate::layout::Layout;
use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::life::manifest::{FileRecord, Manifest, SegmentRecord};
use crate::lock::lock;
use crate::seeded_bugs::SeededBug;
use crate::segment::alive::{Dead, Marks};
use crate::segment::directory::Files;
use crate::segment::id_filter::{self, IdFilter};
use crate::segment::{FILTER_EXTENSION, filter_name};
use crate::segment::{Segment, SegmentParts};
use crate::snapshot::Snapshot;
use crate::suggest::Suggesters;
use crate::write::log_codec::{Logged, decode};

impl Core {
    pub(crate) fn open(
        home: &dyn ShardHome,
        schema: Arc<Schema>,
        config: ShardConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>> {
        let (manifests, store) = (home.manifests(), home.segments());
        let loaded = manifests.load().map_err(from_store)?;
        let manifest_version = loaded.as_ref().map(|(version, _)| *version);
        let manifest = loaded.map(|(_, bytes)| Manifest::from_bytes(&bytes)).transpose()?;
        let layout = Arc::new(match &manifest {
            Some(it) => Layout::restore(it.layout.slots.clone(), it.layout.generation, &schema),
            None => Layout::new(&schema),
        });
        let mut state = State::default();
        let fetched: Vec<_> = manifest.iter().flat_map(Manifest::files).map(FileRecord::to_file).collect();
        store.fetch(&fetched).map_err(from_store)?;
        for record in manifest.iter().flat_map(|it| &it.segments) {
            state.segments.push(open_segment(&*store, record, &layout, config.verify_at_open)?);
        }
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
        let snapshot = Snapshot::build(None, layout.clone(), &shown)?;
        let analyzers = Arc::new(Analyzers::of(&layout));
        let core = Arc::new(Self {
            log: home.log(),
            manifests,
            store,
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
            scrub: Mutex::default(),
            counters: Counters::default(),
            vitals: Vitals::default(),
            turns: LockTurns::default(),
            log_kept: AtomicUsize::new(0),
        });
        core.replay(manifest.as_ref().map(Manifest::watermark))?;
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
        let mut visit = |at: Watermark, record: &[u8]| {
            let applied = decode(record).ok_or_else(|| damaged(at)).and_then(|(origin, operations)| {
                self.state().note_origin(at, &origin, operations.iter().map(Logged::version));
                self.apply_group(operations)?;
                self.seal_while_replaying()
            });
            self.state().logged = at;
            applied.map_err(|error| {
                let told = store::Error::new(store::ErrorKind::Failed, error.message.clone());
                failure = Some(error);
                told
            })
        };
        match self.log.replay(after, &mut visit) {
            Ok(_) => Ok(()),
            Err(error) => {
                let error = failure.unwrap_or_else(|| from_store(error));
                let read_only = "the log cannot be read to its end; what came before is served";
                self.refuse_updates(&format!("{read_only}: {}", error.message));
                Ok(())
            }
        }
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
        builder.end_group(preparer.terms());
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

fn damaged(at: Watermark) -> Error {
    let Watermark { epoch, sequence } = at;
    Error::new(ErrorKind::DataLoss, format!("log record {epoch}/{sequence} is no record of this version"))
}

pub(crate) fn open_segment(
    store: &dyn SegmentStore,
    record: &SegmentRecord,
    layout: &Layout,
    verify: bool,
) -> Result<Arc<Segment>> {
    let mut files = Files::new();
    let mut filter = None;
    let filter_name = filter_name(record.id);
    for file in &record.files {
        let bytes = open_file(store, file, verify)?;
        if file.name == filter_name {
            filter = Some(IdFilter::open(bytes));
        } else {
            files.insert(PathBuf::from(&file.name), bytes);
        }
    }
    let dead = open_marks(store, record, verify)?;
    let parts = SegmentParts {
        id: record.id,
        max_doc: record.max_doc,
        files,
        marks: Arc::new(Marks::new(dead)),
        filter: filter.ok_or_else(|| lost(&filter_name, FILTER_EXTENSION))?,
        persisted: Some(record.persisted()),
    };
    // Tantivy panics on some kinds of damage (0.27).
    let opened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Segment::open(parts, layout)));
    opened.unwrap_or_else(|_| Err(damaged_segment(record, "its files make no sense")))
}

/// The dead of a segment, as its manifest has them.
pub(crate) fn open_marks(store: &dyn SegmentStore, record: &SegmentRecord, verify: bool) -> Result<Dead> {
    let dead = match &record.marks {
        Some(marks) => Dead::from_bytes(&open_file(store, &marks.file, verify)?),
        None => Dead::default(),
    };
    let expected = record.marks.as_ref().map_or(0, |marks| marks.dead);
    if dead.count() != expected || dead.iter().last().is_some_and(|last| last >= record.max_doc) {
        return Err(damaged_segment(record, "its death marks are not those of the manifest"));
    }
    Ok(dead)
}

fn damaged_segment(record: &SegmentRecord, what: &str) -> Error {
    let id = record.id.uuid_string();
    Error::new(ErrorKind::DataLoss, format!("segment `{id}`: {what}; restore the shard from a copy"))
}

fn open_file(store: &dyn SegmentStore, file: &FileRecord, verify: bool) -> Result<OwnedBytes> {
    let file = file.to_file();
    if verify {
        store.verify(&file).map_err(from_store)?;
    }
    Ok(OwnedBytes::new(store.open(&file).map_err(from_store)?))
}

fn lost(name: &str, kind: &str) -> Error {
    Error::new(
        ErrorKind::DataLoss,
        format!("the manifest names no `{kind}` file `{name}`; restore the shard from a copy"),
    )
}
