//! Making updates visible: the cut, at which no batch is half applied; the sealing of what it took; the next
//! snapshot, once the log holds all of the cut for good. No sync of its own: the log is the durability.
//!
//! In: builders, segments and marks of the shard's state; out: a snapshot for searches, and cuts for `flush`,
//! `rebuild` and a change of the schema. Builders that are full are sealed here too, and stay hidden until a
//! refresh.

use std::sync::Arc;

use plan::Result;
use store::Watermark;

use crate::core::Core;
use crate::core::batches::Batches;
use crate::core::counters::Counters;
use crate::core::state::State;
use crate::errors::from_store;
use crate::indexing::builder::Builder;
use crate::layout::Layout;
use crate::lock::lock;
use crate::seeded_bugs::SeededBug;
use crate::segment::Segment;
use crate::segment::alive::Dead;
use crate::snapshot::{Snapshot, Standing};

/// The shard at one moment between two batches.
pub(crate) struct Cut {
    /// All segments with their marks of that moment, in index order.
    pub(crate) segments: Vec<(Arc<Segment>, Dead)>,
    pub(crate) layout: Arc<Layout>,
    /// The last record in them.
    pub(crate) logged: Watermark,
    pub(crate) version_max: i64,
    pub(crate) modified_ms: i64,
    pub(crate) schema_version: u64,
    pub(crate) batches: Arc<Batches>,
}

impl Core {
    /// Shows everything applied so far.
    pub(crate) fn refresh(&self) -> Result<()> {
        if !SeededBug::RefreshSkipsWait.is_planted() {
            self.settle_early()?;
        }
        let _maintenance = self.maintenance();
        let due = lock(&self.schedule.deadlines).begin_refresh();
        self.refresh_held().inspect_err(|_| lock(&self.schedule.deadlines).refresh_failed(due))
    }

    /// The caller holds `maintenance`.
    fn refresh_held(&self) -> Result<()> {
        let cut = self.cut()?;
        if !SeededBug::RefreshSkipsWait.is_planted() {
            self.settle_cut(&cut)?;
        }
        self.show(&cut)?;
        self.note_segments();
        Ok(())
    }

    /// What a refresh would show, for one who asks: searches go on to see what they saw. What it seals stays
    /// hidden until the next refresh.
    pub(crate) fn applied(&self) -> Result<Arc<Snapshot>> {
        self.settle_early()?;
        let _maintenance = self.maintenance();
        let cut = self.cut()?;
        self.settle_cut(&cut)?;
        self.snapshot_of(&cut)
    }

    /// Waits until the log holds a cut for good.
    ///
    /// Invariant: no reader sees, and no manifest names, what the log could still lose. Whoever refreshes
    /// after an update has waited for that one already; left are records of others, whose sync is under way,
    /// and pieces that nobody waits for yet, for which the refresh itself makes the log write.
    pub(crate) fn settle_cut(&self, cut: &Cut) -> Result<()> {
        if SeededBug::VisibleBeforeDurable.is_planted() {
            return Ok(());
        }
        self.wait_for_log(cut.logged).map_err(from_store)
    }

    /// Waits before `maintenance` is taken: nearly all of the wait, while updates that need that lock go on.
    /// Left is what they append until the cut.
    pub(crate) fn settle_early(&self) -> Result<()> {
        if SeededBug::VisibleBeforeDurable.is_planted() { Ok(()) } else { self.settle() }
    }

    /// Takes the shard's state of a moment and seals its builders. The caller holds `maintenance`.
    pub(crate) fn cut(&self) -> Result<Cut> {
        let (builders, mut cut) = {
            // Waits for updates between log and builder: with none of them, `logged` is the last record that
            // the builders have. Held for the moment of the cut alone.
            let _applying = self.apply_exclusively();
            let mut state = self.state();
            state.recent.begin_sealing();
            let mut builders = std::mem::take(&mut state.full);
            builders.append(&mut state.idle);
            let builders: Vec<(Builder, Dead)> = builders
                .into_iter()
                .map(|builder| (builder.marks().current(), builder))
                .map(|(dead, it)| (it, dead))
                .collect();
            let segments =
                state.segments.iter().map(|segment| (segment.clone(), segment.marks.current())).collect();
            let cut = Cut {
                segments,
                layout: self.layout(),
                logged: state.logged,
                version_max: state.version_max,
                modified_ms: state.modified_ms,
                schema_version: state.schema_version,
                batches: state.batches.clone(),
            };
            (builders, cut)
        };
        // Updates go on while segments are written. What dies of these meanwhile is marked in the marks that
        // a builder hands on to its segment; the cut keeps those of its moment.
        let sealed = self.seal(builders)?;
        let mut state = self.state();
        state.segments.extend(sealed.iter().map(|(segment, _)| segment.clone()));
        state.recent.end_sealing();
        cut.segments.extend(sealed);
        Ok(cut)
    }

    pub(crate) fn seal(&self, builders: Vec<(Builder, Dead)>) -> Result<Vec<(Arc<Segment>, Dead)>> {
        let mut sealed = Vec::with_capacity(builders.len());
        for (builder, dead) in builders {
            match builder.seal() {
                Ok(segment) => sealed.extend(segment.map(|segment| (segment, dead))),
                Err(error) => {
                    // The builder is gone: its documents are in the log alone, and a replay finds them there.
                    self.refuse_updates(&error.message);
                    return Err(error);
                }
            }
        }
        Ok(sealed)
    }

    /// Makes a cut what searches see, which is durable. Segments without a living document go. The caller
    /// holds `maintenance`.
    pub(crate) fn show(&self, cut: &Cut) -> Result<()> {
        self.snapshot.store(self.snapshot_of(cut)?);
        let mut state = self.state();
        state.drop_segments(|segment| segment.marks.current().count() >= segment.max_doc);
        Counters::add(&self.counters.refreshes, 1);
        Ok(())
    }

    /// The snapshot at hand where it shows just that.
    fn snapshot_of(&self, cut: &Cut) -> Result<Arc<Snapshot>> {
        let is_empty = |(segment, dead): &(Arc<Segment>, Dead)| dead.count() >= segment.max_doc;
        let living: Vec<_> = cut.segments.iter().filter(|it| !is_empty(it)).cloned().collect();
        let current = self.snapshot.load_full();
        if current.shows(&living, &cut.layout) {
            return Ok(current);
        }
        let Cut { logged, version_max, modified_ms, .. } = *cut;
        let standing = Standing { opening: self.epoch, logged, version_max, modified_ms };
        Ok(Arc::new(Snapshot::build(Some(&current), cut.layout.clone(), &living)?.at(standing)))
    }

    /// Seals builders that take no more; they stay invisible until the next refresh.
    pub(crate) fn seal_full(&self) -> Result<()> {
        let _maintenance = self.maintenance();
        let full = std::mem::take(&mut self.state().full);
        let full = full.into_iter().map(|builder| (builder, Dead::default())).collect();
        let sealed = self.seal(full)?;
        self.add_hidden(sealed);
        Ok(())
    }

    /// Segments that are sealed before a refresh shows them.
    pub(crate) fn add_hidden(&self, sealed: Vec<(Arc<Segment>, Dead)>) {
        let sealed: Vec<Arc<Segment>> = sealed.into_iter().map(|(segment, _)| segment).collect();
        let mut state = self.state();
        state.recent.forget(&sealed);
        state.segments.extend(sealed);
    }

    /// Whether searches see everything applied.
    pub(crate) fn is_current(&self, state: &State) -> bool {
        let snapshot = self.snapshot.load();
        let shown = state.segments.iter().all(|segment| {
            snapshot.view_of(segment).is_some_and(|view| view.dead.same_as(&segment.marks.current()))
        });
        shown && state.recent.is_empty()
    }
}
