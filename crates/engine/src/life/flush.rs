//! Moving the shard from log to segments: small segments in memory become one file set, marks are written
//! beside theirs, a manifest names it all with the log's position, and the log is trimmed.
//!
//! In: a cut (`refresh`), durable in the log; out: files in the segment store and a version of the manifest
//! chain. A manifest whose publication got no answer is offered again before any other. When to flush is
//! decided by `schedule`, by a client's commit, or by memory that runs short (`write/writer.rs`).

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use plan::{Commit, Error, Result};
use store::{ErrorKind, SegmentBytes, SegmentFile, ShardArchive, ShardImage};
use tantivy::index::SegmentId;

use crate::core::counters::Counters;
use crate::core::{Core, Offered, Published};
use crate::errors::from_store;
use crate::life::image::files;
use crate::life::manifest::{FileRecord, LayoutRecord, Manifest, SegmentRecord};
use crate::life::merge::{Input, MergeTo, Merged};
use crate::life::refresh::Cut;
use crate::lock::lock;
use crate::seeded_bugs::SeededBug;
use crate::segment::alive::Dead;
use crate::segment::{Persisted, Segment};
use crate::suggest::Event;

/// Larger segments in memory are written as they are: the next merge rewrites them anyway. Merging them first
/// was a fifth of all processor time of steady indexing (docs/adr/0005).
const GATHERED_BYTES_MAX: u64 = 4 << 20;

/// What an owner captured, by the manifest of its image, read from where it published the files. Errors:
/// `NotFound` for a file that was merged away meanwhile: have it capture once more.
pub fn published_image(archive: &dyn ShardArchive, manifest: &[u8]) -> Result<ShardImage> {
    image(&Manifest::from_bytes(manifest)?, |file| {
        archive.open(file).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(plan::ErrorKind::NotFound, error.to_string()),
            _ => from_store(error),
        })
    })
}

fn image(manifest: &Manifest, open: impl Fn(&SegmentFile) -> Result<SegmentBytes>) -> Result<ShardImage> {
    let open = |file: &FileRecord| {
        let file = file.to_file();
        let bytes = open(&file)?;
        Ok((file, bytes))
    };
    let files = manifest.files().map(open).collect::<Result<_>>()?;
    Ok(ShardImage { manifest: manifest.to_bytes()?, files })
}

impl Core {
    /// An explicit commit. Returns when what it asks for is done.
    pub(crate) fn commit(&self, commit: &Commit) -> Result<()> {
        let rewrites = commit.expunge_deletes || commit.max_segments.is_some();
        if commit.soft || rewrites {
            self.refresh()?;
        }
        if commit.expunge_deletes {
            self.expunge_deletes()?;
        }
        if let Some(segments_max) = commit.max_segments {
            self.merge_down_to(segments_max)?;
        }
        if !commit.soft {
            self.flush(commit.open_searcher)?;
        }
        self.build_suggesters(Event::Refreshed);
        Ok(())
    }

    /// Persists everything applied so far, and shows it when `show` says so.
    pub(crate) fn flush(&self, show: bool) -> Result<()> {
        let flushed = self.flush_holding(&mut lock(&self.flushing), show);
        self.remove_replaced();
        flushed
    }

    /// Persists without showing, unless `due` no longer says so when it is this thread's turn.
    pub(crate) fn flush_if(&self, due: &dyn Fn() -> bool) -> Result<()> {
        {
            let mut published = lock(&self.flushing);
            if !due() {
                return Ok(());
            }
            self.flush_holding(&mut published, false)?;
        }
        self.remove_replaced();
        Ok(())
    }

    /// Everything applied so far, persisted, for another home: its files stay readable whatever happens here.
    pub(crate) fn capture(&self) -> Result<ShardImage> {
        let mut published = lock(&self.flushing);
        self.flush_holding(&mut published, false)?;
        self.newest_image()
    }

    /// What the newest manifest names. Who owns the shard holds `flushing`; of who reads it files may go
    /// meanwhile.
    ///
    /// Errors: `Unavailable` where nothing was flushed yet.
    pub(crate) fn newest_image(&self) -> Result<ShardImage> {
        let newest = self.manifests.load().map_err(from_store)?;
        let none =
            || Error::new(plan::ErrorKind::Unavailable, "a shard has nothing that was flushed; commit first");
        let (_, manifest) = newest.ok_or_else(none)?;
        let manifest = Manifest::from_bytes(&manifest)?.detached();
        // Invariant: nothing is removed meanwhile, for that is done by those who hold the lock.
        image(&manifest, |file| self.store.open(file).map_err(from_store))
    }

    fn flush_holding(&self, published: &mut Published, show: bool) -> Result<()> {
        self.state().check_writable()?;
        let _working = self.vitals.flush.begin();
        let due = lock(&self.schedule.deadlines).begin_flush();
        self.flush_cut(published, show).inspect_err(|_| lock(&self.schedule.deadlines).flush_failed(due))
    }

    fn flush_cut(&self, published: &mut Published, show: bool) -> Result<()> {
        // An offer that was left open comes first: its version cannot be used for another.
        self.resolve_publication(published)?;
        let mut cut = if show { self.cut_and_show()? } else { self.cut_hidden()? };
        self.settle_cut(&cut)?;
        cut.segments.retain(|(segment, dead)| dead.count() < segment.max_doc);
        self.gather_unpersisted(&mut cut)?;
        // A flush that failed may have written marks under its number.
        published.attempts += 1;
        let suffix = format!("e{}-{}", self.epoch, published.attempts);
        let records = cut
            .segments
            .iter()
            .map(|(segment, dead)| {
                self.vitals.flush.steps().fetch_add(1, Ordering::Relaxed);
                self.persist(segment, dead, &suffix)
            })
            .collect::<Result<Vec<_>>>()?;
        self.publish(&cut, records, published)?;
        Counters::add(&self.counters.flushes, 1);
        self.note_segments();
        Ok(())
    }

    fn cut_hidden(&self) -> Result<Cut> {
        let _maintenance = self.maintenance();
        self.cut()
    }

    fn cut_and_show(&self) -> Result<Cut> {
        self.settle_early()?;
        let _maintenance = self.maintenance();
        let due = lock(&self.schedule.deadlines).begin_refresh();
        let shown = self.cut().and_then(|cut| {
            self.settle_cut(&cut)?;
            self.show(&cut)?;
            Ok(cut)
        });
        shown.inspect_err(|_| lock(&self.schedule.deadlines).refresh_failed(due))
    }

    /// Merges the small segments that are in memory only, so that many refreshes make one file set. They are
    /// all visible or all not, as a merge needs it.
    pub(crate) fn gather_unpersisted(&self, cut: &mut Cut) -> Result<()> {
        // Not waited for: a merge may be long, and gathering only saves files.
        let Ok(_merging) = self.merging.try_lock() else { return Ok(()) };
        let snapshot = self.snapshot.load_full();
        // A merge that ended since the cut has put another segment in the place of some: merged again, their
        // documents would stand twice (found by `crates/parhelion/tests/crash.rs`).
        let present: HashSet<SegmentId> = self.state().segments.iter().map(|segment| segment.id).collect();
        for shown in [true, false] {
            let removable = |segment: &Arc<Segment>, dead: &Dead| match snapshot.view_of(segment) {
                // Invariant: what died after the cut is not removed, for the log may still lose why it died.
                Some(view) => (shown && view.dead.count() <= dead.count()).then(|| view.dead.clone()),
                None => (!shown).then(|| dead.clone()),
            };
            let inputs: Vec<Input> = cut
                .segments
                .iter()
                .filter(|(segment, _)| is_gathered(segment) && present.contains(&segment.id))
                .filter_map(|(segment, dead)| {
                    Some(Input { segment: segment.clone(), removable: removable(segment, dead)? })
                })
                .collect();
            if inputs.len() < 2 {
                continue;
            }
            let merged = self.merge(&inputs, MergeTo::Store)?;
            replace_in_cut(cut, &inputs, merged);
        }
        Ok(())
    }

    /// The segment's record in the manifest, after writing what the store lacks of it.
    fn persist(&self, segment: &Segment, dead: &Dead, suffix: &str) -> Result<SegmentRecord> {
        let mut persisted = match segment.persisted() {
            Some(persisted) => persisted,
            None => self.persist_files(segment)?,
        };
        let known = persisted.marks.as_ref().map_or(0, |(_, count)| *count);
        if dead.count() != known {
            let name = format!("{}.{suffix}.dead", segment.id.uuid_string());
            let file = self.store.put(&name, &dead.to_bytes()).map_err(from_store)?;
            persisted.marks = Some((file, dead.count()));
        }
        // Before the manifest is published, and whether it will be or not: the files are there, and names are
        // written once.
        segment.set_persisted(persisted.clone());
        Ok(SegmentRecord::new(segment, &persisted))
    }

    fn persist_files(&self, segment: &Segment) -> Result<Persisted> {
        let files: Vec<(String, &[u8])> = files(segment).collect();
        let named: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
        match self.store.put_all(&named) {
            Ok(files) => Ok(Persisted { files, marks: None }),
            Err(error) => {
                // So that the next flush may use the names again.
                named.iter().for_each(|(name, _)| drop(self.store.remove(name)));
                Err(from_store(error))
            }
        }
    }

    fn publish(&self, cut: &Cut, records: Vec<SegmentRecord>, published: &mut Published) -> Result<()> {
        // Newer than the cut's where a merge meanwhile made a segment of it; layouts only grow.
        let layout = self.layout();
        let layout = LayoutRecord { generation: layout.generation(), slots: layout.slots().to_vec() };
        let mut manifest = Manifest::new(cut.logged, cut.version_max, layout, records);
        manifest.modified_ms = cut.modified_ms;
        manifest.schema_version = cut.schema_version;
        if !SeededBug::LostBatchIds.is_planted() {
            manifest.set_batches(&cut.batches);
        }
        let files = manifest.file_names().map(str::to_owned).collect();
        let manifest = manifest.to_bytes()?;
        published.offered = Some(Offered { manifest, logged: cut.logged, files, may_be_there: false });
        self.resolve_publication(published)
    }

    /// Publishes what is offered, and offers the same bytes again as long as nobody knows what has become of
    /// them: another manifest in their place might meet them. Their files are named by then, perhaps, so none
    /// of them goes meanwhile.
    fn resolve_publication(&self, published: &mut Published) -> Result<()> {
        let Some(mut offered) = published.offered.take() else { return Ok(()) };
        let version = match self.manifests.publish(published.manifest_version, &offered.manifest) {
            Ok(version) => version,
            Err(error) => {
                self.note_failure(&error);
                // What may be there stays offered when the next try is not even begun, on a full disk say:
                // dropped, its name would be taken for another's, and no flush would ever find a free one.
                let not_begun = matches!(error.kind(), ErrorKind::Full | ErrorKind::Retry);
                offered.may_be_there |= *error.kind() == ErrorKind::Unknown;
                let is_open = *error.kind() == ErrorKind::Unknown || not_begun && offered.may_be_there;
                published.offered = is_open.then_some(offered);
                return Err(from_store(error));
            }
        };
        let Offered { manifest: _, logged, files, may_be_there: _ } = offered;
        published.manifest_version = Some(version);
        let kept: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        let goes_at = self.clock.now_ms().saturating_add(self.config.replaced_files_kept_ms);
        let replaced = std::mem::take(&mut published.files).into_iter();
        let replaced = replaced.filter(|name| !kept.contains(name.as_str())).map(|name| (name, goes_at));
        published.replaced.extend(replaced);
        published.files = files;
        // Behind the manifest: until it is durable the log alone has what it names. Nor while a rebuild reads
        // the log.
        if logged != store::Watermark::START && self.log_kept.load(Ordering::Acquire) == 0 {
            self.log.trim(logged).map_err(from_store)?;
        }
        Ok(())
    }

    /// Removes files that were replaced long enough ago for whoever began to read them to have them open.
    /// Flushes go on meanwhile: a store may take its time for many files, and no name is used twice. Whoever
    /// flushes now does it behind that.
    pub(crate) fn remove_replaced(&self) {
        let now_ms = self.clock.now_ms();
        let due: Vec<String> = match self.flushing.try_lock() {
            Ok(mut published) => {
                let due = published.replaced.extract_if(.., |(_, goes_at)| *goes_at <= now_ms);
                due.map(|(name, _)| name).collect()
            }
            Err(_) => return,
        };
        if !due.is_empty() {
            // Best effort: an opening removes what no manifest names.
            drop(self.store.remove_all(&due));
        }
    }
}

fn is_gathered(segment: &Segment) -> bool {
    !segment.is_persisted() && segment.bytes() <= GATHERED_BYTES_MAX
}

/// Puts the merged segment where the first of its inputs stood, with the cut's marks that the merge did not
/// apply.
fn replace_in_cut(cut: &mut Cut, inputs: &[Input], merged: Option<Merged>) {
    let is_input = |segment: &Arc<Segment>| inputs.iter().any(|input| input.segment.id == segment.id);
    let dead = merged.as_ref().map(|merged| {
        merged.map.carry_over(|id| {
            cut.segments.iter().find(|(segment, _)| segment.id == id).map(|(_, dead)| dead.clone())
        })
    });
    let place = cut.segments.iter().position(|(segment, _)| is_input(segment)).unwrap_or(0);
    cut.segments.retain(|(segment, _)| !is_input(segment));
    if let (Some(merged), Some(dead)) = (merged, dead) {
        cut.segments.insert(place.min(cut.segments.len()), (merged.segment, dead));
    }
}
