//! A shard that somebody else owns, as a reader follows it: manifest after manifest is taken up whole, so
//! that searches see what the owner had flushed at one moment, and never go back.
//!
//! In: an archive's newest manifest and its files; out: segments and a snapshot, as a refresh makes them.
//! Segments that are known stay open, with the marks that came. Writes nothing.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use plan::{Error, ErrorKind, Result};
use tantivy::index::SegmentId;

use crate::core::losses::{Losses, LostSegment};
use crate::core::schedule::RunningTask;
use crate::core::{Core, Published};
use crate::errors::from_store;
use crate::layout::Layout;
use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::life::manifest::Manifest;
use crate::life::opening::{fetch, open_marks, open_or_lose};
use crate::life::schedule::unattended;
use crate::lock::lock;
use crate::scheduler::{Priority, Scheduler, Task};
use crate::segment::Segment;
use crate::suggest::Event;

/// Looks for newer manifests.
struct FollowTask {
    core: Weak<Core>,
    every_ms: u64,
}

impl Task for FollowTask {
    fn turn(&self) -> u64 {
        if let Some(core) = self.core.upgrade() {
            unattended("following the shard's owner", || core.follow().map(drop));
        }
        self.every_ms
    }
}

impl Core {
    /// Takes up the newest manifest; false where it is the one at hand.
    pub(crate) fn follow(&self) -> Result<bool> {
        let mut published = lock(&self.flushing);
        let newest = self.manifests.load_above(published.manifest_version).map_err(from_store)?;
        let Some((version, bytes)) = newest else { return Ok(false) };
        let manifest = Manifest::from_bytes(&bytes)?;
        let (segments, lost) = self.segments_of(&manifest)?;
        let bound = self.bound.load_full();
        let layout = Arc::new(Layout::restore(
            manifest.layout.slots.clone(),
            manifest.layout.generation,
            &bound.schema,
        ));
        {
            let mut state = self.state();
            state.segments = segments;
            state.logged = manifest.watermark();
            state.version_max = manifest.version_max;
            state.modified_ms = manifest.modified_ms;
            state.schema_version = manifest.schema_version;
        }
        let (schema, analyzers) = (bound.schema.clone(), Arc::new(Analyzers::of(&layout)));
        self.bound.store(Arc::new(BoundSchema { schema, analyzers, layout }));
        self.refresh()?;
        // Behind what is shown: who asks for both looks at the losses first.
        self.losses.store(Arc::new(Losses { segments: lost, log: None }));
        let files = manifest.file_names().map(str::to_owned).collect();
        *published = Published { manifest_version: Some(version), files, ..Published::default() };
        self.build_suggesters(Event::Refreshed);
        Ok(true)
    }

    /// What cannot be opened may be lost where it was so before. Else the manifest is not taken up: what the
    /// one before has is all there.
    fn segments_of(&self, manifest: &Manifest) -> Result<(Vec<Arc<Segment>>, Vec<LostSegment>)> {
        fetch(&*self.store, manifest.files())?;
        let known = self.state().segments.clone();
        let known: HashMap<SegmentId, Arc<Segment>> = known.into_iter().map(|it| (it.id, it)).collect();
        let layout = self.layout();
        let losses = self.losses.load_full();
        let (mut segments, mut lost) = (Vec::new(), Vec::new());
        for record in &manifest.segments {
            if let Some(segment) = known.get(&record.id) {
                let dead = open_marks(&*self.store, record, false)?;
                segment.marks.mark_all(dead.iter());
                segment.set_persisted(record.persisted());
                segments.push(Arc::clone(segment));
                continue;
            }
            match open_or_lose(&*self.store, record, &layout, false)? {
                Ok(segment) => segments.push(segment),
                Err(segment) if losses.segments.iter().any(|it| it.segment == segment.segment) => {
                    lost.push(segment);
                }
                Err(segment) => return Err(Error::new(ErrorKind::DataLoss, segment.to_string())),
            }
        }
        Ok((segments, lost))
    }

    /// Begins to follow; ends when the shard is closed or dropped.
    pub(crate) fn start_following(self: &Arc<Self>, scheduler: &dyn Scheduler, every_ms: u64) -> Result<()> {
        let task: Arc<dyn Task> = Arc::new(FollowTask { core: Arc::downgrade(self), every_ms });
        let handle = scheduler.start("follow", Priority::Normal, &task)?;
        lock(&self.schedule.running).follow = Some(RunningTask { handle, _task: task });
        Ok(())
    }
}
