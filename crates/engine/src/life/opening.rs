//! The segments of a shard as its newest manifest names them, opened. One that cannot be is mended where that
//! can be done without a loss: from another copy of its files, which is the home's to do; else by the newest
//! of the older manifests that is whole and behind which the log has everything, published in the newest's
//! place. Where neither helps it is left out and named, and the home stays as it is.
//!
//! In: a home, or an archive in the form of one; out: what `recovery` replays the log onto. A place that does
//! not answer is no damage, and ends the opening.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use plan::{Error, ErrorKind, Result, Schema};
use store::{SegmentStore, ShardHome, Verified};
use tantivy::directory::OwnedBytes;

use crate::core::losses::LostSegment;
use crate::errors::from_store;
use crate::layout::Layout;
use crate::life::manifest::{FileRecord, Manifest, SegmentRecord};
use crate::life::repair::older_and_whole;
use crate::life::scrub::is_damage;
use crate::segment::alive::{Dead, Marks};
use crate::segment::directory::Files;
use crate::segment::id_filter::IdFilter;
use crate::segment::{FILTER_EXTENSION, Persisted, Segment, SegmentParts, filter_name};
use crate::snapshot::Snapshot;

/// What a home has published, opened.
pub(crate) struct Opened {
    /// With its version; `None` where nothing was published.
    pub(crate) manifest: Option<(u64, Manifest)>,
    pub(crate) layout: Arc<Layout>,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) lost: Vec<LostSegment>,
}

impl Opened {
    /// Opens what the newest manifest names, healed where that is possible. `verify` reads all files before.
    ///
    /// Errors: those of a manifest that cannot be read, and of a place that does not answer.
    pub(crate) fn of(home: &dyn ShardHome, schema: &Arc<Schema>, verify: bool) -> Result<Self> {
        let opened = Self::newest(home, schema, verify)?;
        let Some((version, _)) = opened.manifest.as_ref().filter(|_| !opened.lost.is_empty()) else {
            return Ok(opened);
        };
        let Some((older, records)) = opened.older_and_whole(home)? else { return Ok(opened) };
        let lost: Vec<String> = opened.lost.iter().map(ToString::to_string).collect();
        home.manifests().publish(Some(*version), &older).map_err(from_store)?;
        tracing::warn!(
            records,
            "an older manifest took the newest's place, and the log has what came behind it; nothing is lost by: {}",
            lost.join("; ")
        );
        Self::newest(home, schema, verify)
    }

    fn newest(home: &dyn ShardHome, schema: &Arc<Schema>, verify: bool) -> Result<Self> {
        /// How often an owner may have replaced files before a reader opened them.
        const LOOKS_MAX: usize = 4;
        let mut opened = Self::look(home, schema, verify)?;
        for _ in 1..LOOKS_MAX {
            if opened.lost.is_empty() {
                break;
            }
            let version = |opened: &Self| opened.manifest.as_ref().map(|(version, _)| *version);
            let before = version(&opened);
            let newest = home.manifests().load().map_err(from_store)?;
            if newest.map(|(version, _)| version) == before {
                break;
            }
            opened = Self::look(home, schema, verify)?;
        }
        Ok(opened)
    }

    fn look(home: &dyn ShardHome, schema: &Arc<Schema>, verify: bool) -> Result<Self> {
        let (manifests, store) = (home.manifests(), home.segments());
        let loaded = manifests.load().map_err(from_store)?;
        let read =
            |(version, bytes): (u64, Vec<u8>)| Ok::<_, Error>((version, Manifest::from_bytes(&bytes)?));
        let manifest = loaded.map(read).transpose()?;
        let layout = Arc::new(match &manifest {
            Some((_, it)) => Layout::restore(it.layout.slots.clone(), it.layout.generation, schema),
            None => Layout::new(schema),
        });
        let named = || manifest.iter().flat_map(|(_, manifest)| &manifest.segments);
        fetch(&*store, named().flat_map(SegmentRecord::files))?;
        let (mut segments, mut lost) = (Vec::new(), Vec::new());
        for record in named() {
            match open_or_lose(&*store, record, &layout, verify)? {
                Ok(segment) => segments.push(segment),
                Err(segment) => lost.push(segment),
            }
        }
        Ok(Self { manifest, layout, segments, lost })
    }

    /// The older manifest to go back to, with the records of the log behind it. What is open is whole; what
    /// else it names is read.
    fn older_and_whole(&self, home: &dyn ShardHome) -> Result<Option<(Vec<u8>, u64)>> {
        let store = home.segments();
        let mut wrong: BTreeMap<String, bool> = BTreeMap::new();
        for segment in &self.segments {
            let persisted = segment.persisted().into_iter();
            let files = persisted.flat_map(|it| it.files.into_iter().chain(it.marks.map(|(file, _)| file)));
            wrong.extend(files.map(|file| (file.name, false)));
        }
        wrong.extend(self.lost.iter().flat_map(|it| &it.files).map(|(name, _)| (name.clone(), true)));
        older_and_whole(home, &mut |file| {
            if let Some(known) = wrong.get(&file.name) {
                return Ok(*known);
            }
            let is_wrong = damage_of(&*store, file)?.is_some();
            wrong.insert(file.name.clone(), is_wrong);
            Ok(is_wrong)
        })
    }
}

/// Makes files ready, side by side. Of one that is damaged is told when it is opened.
pub(crate) fn fetch<'a>(store: &dyn SegmentStore, files: impl Iterator<Item = &'a FileRecord>) -> Result<()> {
    let files: Vec<_> = files.map(FileRecord::to_file).collect();
    match store.fetch(&files) {
        Err(error) if !is_damage(&error) => Err(from_store(error)),
        _ => Ok(()),
    }
}

/// The segment, or what is to be said of its loss. Errors: where nobody knows.
pub(crate) fn open_or_lose(
    store: &dyn SegmentStore,
    record: &SegmentRecord,
    layout: &Arc<Layout>,
    verify: bool,
) -> Result<std::result::Result<Arc<Segment>, LostSegment>> {
    // A damaged copy may be mended by the look at it, and a file come whole the second time.
    for is_last in [false, true] {
        let error = match open_segment(store, record, layout, verify) {
            Ok(segment) => return Ok(Ok(segment)),
            Err(error) if matches!(error.kind, ErrorKind::DataLoss | ErrorKind::Internal) => error,
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for file in record.files() {
            files.extend(damage_of(store, file)?.map(|wrong| (file.name.clone(), wrong)));
        }
        if is_last || !files.is_empty() {
            let (segment, documents) = (record.id.uuid_string(), record.living());
            return Ok(Err(LostSegment { segment, documents, files, why: error.message }));
        }
    }
    Err(Error::internal("a segment was neither opened nor lost"))
}

/// What is wrong with a file; a damaged copy is mended from one that is whole.
fn damage_of(store: &dyn SegmentStore, file: &FileRecord) -> Result<Option<String>> {
    match store.verify(&file.to_file()) {
        Ok(verified) => {
            if verified == Verified::Mended {
                tracing::warn!("a copy of `{}` was damaged; it was mended from another", file.name);
            }
            Ok(None)
        }
        Err(error) if is_damage(&error) => Ok(Some(error.message().to_owned())),
        Err(error) => Err(from_store(error)),
    }
}

fn open_segment(
    store: &dyn SegmentStore,
    record: &SegmentRecord,
    layout: &Arc<Layout>,
    verify: bool,
) -> Result<Arc<Segment>> {
    let dead = open_marks(store, record, verify)?;
    let bytes = |file: &FileRecord| open_file(store, file, verify);
    segment_of(record, &bytes, (dead, Some(record.persisted())), layout)
}

/// A segment of these files, wherever they come from.
pub(crate) fn segment_of(
    record: &SegmentRecord,
    bytes: &dyn Fn(&FileRecord) -> Result<OwnedBytes>,
    (dead, persisted): (Dead, Option<Persisted>),
    layout: &Arc<Layout>,
) -> Result<Arc<Segment>> {
    let mut files = Files::new();
    let mut filter = None;
    let filter_name = filter_name(record.id);
    for file in &record.files {
        let bytes = bytes(file)?;
        if file.name == filter_name {
            filter = Some(IdFilter::open(bytes));
        } else {
            files.insert(PathBuf::from(&file.name), bytes);
        }
    }
    let parts = SegmentParts {
        id: record.id,
        max_doc: record.max_doc,
        files,
        marks: Arc::new(Marks::new(dead)),
        filter: filter.ok_or_else(|| lost(&filter_name, FILTER_EXTENSION))?,
        indexed_by: record.indexed_by.clone(),
        persisted,
    };
    // Tantivy panics on some kinds of damage (0.27). Searched it is by what a snapshot opens of it.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let segment = Segment::open(parts, layout)?;
        Snapshot::build(None, layout.clone(), &[(segment.clone(), segment.marks.current())])?;
        Ok(segment)
    }));
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

pub(crate) fn damaged_segment(record: &SegmentRecord, what: &str) -> Error {
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
