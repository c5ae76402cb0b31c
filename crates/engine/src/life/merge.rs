//! Merging: several segments become one, without the documents that no reader can see any more. Runs beside
//! updates and searches; deletes that arrive meanwhile are carried over by the new numbers of their
//! documents.
//!
//! The new number of a document is its rank among the kept documents, inputs one after the other. Inputs of
//! older layouts get the field norms they lack (`norm_file`); the result is of the newest layout.

use std::io::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use plan::Result;
use store::WrittenFile;
use tantivy::directory::OwnedBytes;
use tantivy::index::SegmentId;
use tantivy::indexer::merge_filtered_segments;

use crate::core::Core;
use crate::core::counters::Counters;
use crate::errors::{from_store, from_tantivy};
use crate::layout::indexed_by::IndexedBy;
use crate::layout::{ID_FIELD, Layout};
use crate::lock::lock;
use crate::merge_policy::{Candidate, MergePolicy};
use crate::segment::alive::{Dead, Marks, Ranks};
use crate::segment::derived;
use crate::segment::directory::{Files, Output};
use crate::segment::filter_name;
use crate::segment::id_filter::{self, IdFilter};
use crate::segment::{Persisted, Segment, SegmentParts, settings};
use crate::snapshot::Snapshot;

/// Inputs in memory of less than this many bytes together stay in memory.
const MEMORY_MERGE_BYTES_MAX: u64 = 32 << 20;

/// Extensions of the files that tantivy writes for a segment.
const EXTENSIONS: [&str; 6] = ["term", "idx", "pos", "store", "fast", "fieldnorm"];

/// A segment to merge, and those of its documents that nobody sees.
#[derive(Clone)]
pub(crate) struct Input {
    pub(crate) segment: Arc<Segment>,
    pub(crate) removable: Dead,
}

impl Input {
    fn describe(&self) -> Candidate {
        Candidate { bytes: self.segment.bytes(), max_doc: self.segment.max_doc, dead: self.removable.count() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MergeTo {
    Memory,
    Store,
    /// As long as the shard is open: nobody who closes it waits for the end.
    StoreWhileOpen,
}

/// The outcome of a merge.
pub(crate) struct Merged {
    pub(crate) segment: Arc<Segment>,
    pub(crate) map: DocMap,
}

/// Old numbers to new ones.
pub(crate) struct DocMap {
    inputs: Vec<MappedInput>,
}

struct MappedInput {
    id: SegmentId,
    removed: Ranks,
    /// New numbers of the kept documents.
    new: Range<u32>,
}

impl DocMap {
    fn new(inputs: &[Input]) -> Self {
        let mut base = 0;
        let inputs = inputs.iter().map(|Input { segment, removable }| {
            let new = base..base + segment.max_doc.saturating_sub(removable.count());
            base = new.end;
            MappedInput { id: segment.id, removed: removable.ranks(), new }
        });
        Self { inputs: inputs.collect() }
    }

    /// The marks of the new segment, given those of each input; an input without marks is gone as a whole.
    pub(crate) fn carry_over(&self, dead_of: impl Fn(SegmentId) -> Option<Dead>) -> Dead {
        let mut carried = Vec::new();
        for MappedInput { id, removed, new } in &self.inputs {
            let Some(dead) = dead_of(*id) else {
                // A refresh drops a segment whose last document has died. What the merge had copied of it by
                // then lived at the start, and must not come back.
                carried.extend(new.clone());
                continue;
            };
            // What was dead at the start has no new number.
            let late = dead.iter().filter(|old| !removed.dead().contains(*old));
            carried.extend(late.map(|old| new.start + removed.alive_before(old)));
        }
        carried.into_iter().collect()
    }
}

impl Core {
    /// One merge that the policy wants, if any. True when there was one.
    pub(crate) fn merge_once(&self) -> Result<bool> {
        let policy = &self.config.merge;
        self.merge_chosen(&|candidates| policy.choose(candidates))
    }

    /// Rewrites segments until none of the visible ones holds a dead document.
    pub(crate) fn expunge_deletes(&self) -> Result<()> {
        while self.merge_chosen(&MergePolicy::choose_expunge)? {}
        Ok(())
    }

    /// Merges until at most this many segments are visible.
    pub(crate) fn merge_down_to(&self, segments_max: usize) -> Result<()> {
        let policy = &self.config.merge;
        while self.merge_chosen(&|candidates| policy.choose_down_to(candidates, segments_max))? {}
        Ok(())
    }

    fn merge_chosen(&self, choose: &dyn Fn(&[Candidate]) -> Vec<usize>) -> Result<bool> {
        // Nothing would publish what it makes.
        if self.state().refused.is_some() {
            return Ok(false);
        }
        // Before the choice: another merge would take away what was chosen.
        let _merging = lock(&self.merging);
        // Never one with the other: what is merged is shown as a whole, or not at all.
        for candidates in [self.visible(), self.invisible()] {
            let described: Vec<Candidate> = candidates.iter().map(Input::describe).collect();
            let chosen = choose(&described);
            if !chosen.is_empty() {
                let inputs: Vec<Input> =
                    chosen.iter().filter_map(|at| candidates.get(*at)).cloned().collect();
                self.merge(&inputs, place_for(&inputs))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn visible(&self) -> Vec<Input> {
        let snapshot = self.snapshot.load_full();
        let views = snapshot.segments().iter();
        views.map(|view| Input { segment: view.segment.clone(), removable: view.dead.clone() }).collect()
    }

    /// Flushed but not shown: where no refresh ever comes these would pile up.
    fn invisible(&self) -> Vec<Input> {
        let _maintenance = self.maintenance();
        let snapshot = self.snapshot.load_full();
        let state = self.state();
        let hidden = state.segments.iter().filter(|segment| snapshot.view_of(segment).is_none());
        hidden.map(|segment| Input { segment: segment.clone(), removable: segment.marks.current() }).collect()
    }

    /// Merges `inputs`, which are all visible or all not, and puts the result in their place. `None` when
    /// nothing was left of them. The caller holds `merging`.
    pub(crate) fn merge(&self, inputs: &[Input], to: MergeTo) -> Result<Option<Merged>> {
        let _working = self.vitals.merge.begin();
        let layout = self.layout();
        let kept: Vec<Input> =
            inputs.iter().filter(|it| it.removable.count() < it.segment.max_doc).cloned().collect();
        let merged = if kept.is_empty() { None } else { Some(self.write_merged(&kept, to, &layout)?) };
        self.replace(inputs, merged.as_ref())?;
        Counters::add(&self.counters.merges, 1);
        Ok(merged)
    }

    fn write_merged(&self, inputs: &[Input], to: MergeTo, layout: &Arc<Layout>) -> Result<Merged> {
        let segments = inputs.iter().map(|it| it.segment.mergeable(layout)).collect::<Result<Vec<_>>>()?;
        let alive = inputs.iter().map(|it| it.removable.to_alive(it.segment.max_doc)).collect();
        let output = match to {
            MergeTo::Memory => Output::memory(),
            MergeTo::Store => Output::store(self.store.clone(), Arc::default()),
            MergeTo::StoreWhileOpen => Output::store(self.store.clone(), self.schedule.stopped()),
        };
        let output = output.counting(self.vitals.merge.steps().clone());
        let index = match merge_filtered_segments(&segments, settings(), alive, output.clone()) {
            Ok(index) => index,
            Err(error) => {
                self.discard(&output);
                return Err(from_tantivy(error));
            }
        };
        let segment = index.searchable_segments().map_err(from_tantivy)?.pop();
        let segment = segment.ok_or_else(|| plan::Error::internal("a merge made no segment"))?;
        let filter = IdFilter::build(&id_hashes(&segment, layout)?);
        let derived = derived::files(&segment, layout)?;
        let meta = segment.meta();
        let (mut files, written) = output.take_files();
        let persisted = match to {
            MergeTo::Memory => {
                files.extend(derived.into_iter().map(|(name, bytes)| (name.into(), OwnedBytes::new(bytes))));
                None
            }
            MergeTo::Store | MergeTo::StoreWhileOpen => {
                Some(self.persist_derived(meta.id(), &filter, derived, written, &mut files)?)
            }
        };
        let (id, max_doc) = (meta.id(), meta.max_doc());
        let indexed_by = indexed_by(inputs, layout);
        let marks = Arc::new(Marks::default());
        let parts = SegmentParts { id, max_doc, files, marks, filter, indexed_by, persisted };
        self.counters.merged_docs.fetch_add(u64::from(max_doc), Ordering::Relaxed);
        Ok(Merged { segment: Segment::open(parts, layout)?, map: DocMap::new(inputs) })
    }

    /// Writes what we keep of a segment beside tantivy's files.
    fn persist_derived(
        &self,
        id: SegmentId,
        filter: &IdFilter,
        derived: Vec<(String, Vec<u8>)>,
        mut written: Vec<store::SegmentFile>,
        files: &mut Files,
    ) -> Result<Persisted> {
        written.push(self.store.put(&filter_name(id), filter.as_bytes()).map_err(from_store)?);
        for (name, bytes) in derived {
            self.vitals.merge.steps().fetch_add(1, Ordering::Relaxed);
            let mut writer = self.store.create(&name).map_err(from_store)?;
            writer.write_all(&bytes).map_err(from_tantivy)?;
            let WrittenFile { file, bytes } = writer.finish().map_err(from_store)?;
            files.insert(PathBuf::from(name), OwnedBytes::new(bytes));
            written.push(file);
        }
        Ok(Persisted { files: written, marks: None })
    }

    /// Removes what a failed merge left in the store.
    fn discard(&self, output: &Output) {
        let (files, written) = output.take_files();
        let names = files.keys().map(|path| path.to_string_lossy().into_owned());
        for name in names.chain(written.into_iter().map(|file| file.name)) {
            if EXTENSIONS.iter().chain(&derived::EXTENSIONS).any(|extension| name.ends_with(extension)) {
                drop(self.store.remove(&name));
            }
        }
    }

    /// Swaps the inputs for the result, in the list of segments and in what searches see, with the marks of
    /// now.
    fn replace(&self, inputs: &[Input], merged: Option<&Merged>) -> Result<()> {
        let _maintenance = self.maintenance();
        let _applying = self.apply_exclusively();
        let is_input = |id: SegmentId| inputs.iter().any(|input| input.segment.id == id);
        let current = self.snapshot.load_full();
        let visible = inputs.iter().any(|input| current.view_of(&input.segment).is_some());
        if visible {
            self.show_merged(&current, &is_input, merged)?;
        }
        let mut state = self.state();
        if let Some(merged) = merged {
            // In the hold that swaps the segments: what died while the files were written is taken along, and
            // nothing dies between the look and the swap.
            let now = merged.map.carry_over(|id| {
                inputs.iter().find(|it| it.segment.id == id).map(|it| it.segment.marks.current())
            });
            merged.segment.marks.mark_all(now.iter());
        }
        let ids: Vec<String> = inputs.iter().map(|input| input.segment.id.uuid_string()).collect();
        if let Some(merged) = merged {
            self.inherit_differences(&ids, &merged.segment.id.uuid_string());
        }
        let place = state.segments.iter().position(|segment| is_input(segment.id));
        state.drop_segments(|segment| is_input(segment.id));
        if let Some(merged) = merged {
            let place = place.unwrap_or(state.segments.len()).min(state.segments.len());
            state.segments.insert(place, merged.segment.clone());
        }
        Ok(())
    }

    /// The current snapshot with the same documents in fewer segments.
    fn show_merged(
        &self,
        current: &Arc<Snapshot>,
        is_input: &dyn Fn(SegmentId) -> bool,
        merged: Option<&Merged>,
    ) -> Result<()> {
        let dead_of =
            |id| current.segments().iter().find(|view| view.id() == id).map(|view| view.dead.clone());
        let mut segments: Vec<(Arc<Segment>, Dead)> = Vec::new();
        // By the marks that the snapshot has and not by those of now: a merge changes nothing that is seen,
        // and what died since may be what the log could still lose.
        let mut waiting = merged.map(|merged| (merged.segment.clone(), merged.map.carry_over(dead_of)));
        for view in current.segments() {
            if !is_input(view.id()) {
                segments.push((view.segment.clone(), view.dead.clone()));
            } else if let Some(merged) = waiting.take() {
                segments.push(merged);
            }
        }
        // The merged segment is of the layout of its making, which may be newer than the snapshot's.
        let layout = self.layout();
        self.snapshot.store(Arc::new(Snapshot::build(Some(current), layout, &segments)?));
        Ok(())
    }
}

/// What the documents of a merged segment were indexed by, if that is the same for all.
fn indexed_by(inputs: &[Input], layout: &Layout) -> Option<Arc<IndexedBy>> {
    let mut all = inputs.iter().map(|input| input.segment.indexed_by());
    let first = all.next()??;
    if all.clone().all(|it| it == Some(first)) {
        return Some(first.clone());
    }
    // Some may have been made before there were the fields of others.
    let alike = all.chain([Some(first)]).all(|by| by.is_some_and(|by| layout.indexes_alike(by)));
    alike.then(|| Arc::new(layout.indexed_by().clone()))
}

fn place_for(inputs: &[Input]) -> MergeTo {
    let in_memory = inputs.iter().all(|input| !input.segment.is_persisted());
    let bytes: u64 = inputs.iter().map(|input| input.segment.bytes()).sum();
    if in_memory && bytes < MEMORY_MERGE_BYTES_MAX { MergeTo::Memory } else { MergeTo::StoreWhileOpen }
}

/// Hashes of all ids in a segment, for its filter, and of the roots of its blocks, which may be gone
/// themselves.
fn id_hashes(segment: &tantivy::Segment, layout: &Layout) -> Result<Vec<u64>> {
    let reader = tantivy::SegmentReader::open(segment).map_err(from_tantivy)?;
    let mut hashes = Vec::new();
    for field in [Some(ID_FIELD), layout.root_field()].into_iter().flatten() {
        let ids = reader.inverted_index(field).map_err(from_tantivy)?;
        hashes.reserve(ids.terms().num_terms());
        let mut stream = ids.terms().stream().map_err(from_tantivy)?;
        while stream.advance() {
            if let Ok(id) = std::str::from_utf8(stream.key()) {
                hashes.push(id_filter::hash(id));
            }
        }
    }
    Ok(hashes)
}
