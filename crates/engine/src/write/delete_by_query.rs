//! Delete by query: the query runs over everything applied so far, visible or not, and what the log gets is
//! the ids it found. Updates wait meanwhile, so that the log's order is the order of effect.
//!
//! In: a query of a plan; out: records, and marks on what it found. Of a block only the documents that match
//! go. What a document replaces by a query besides its own id (`Doomed`) is found here too and logged with
//! the document.

use std::sync::{Arc, MutexGuard};

use plan::{FieldSelection, Query, Result, Version};
use store::Watermark;

use crate::core::Core;
use crate::core::batches::Origin;
use crate::core::state::State;
use crate::core::unsettled::Concerned;
use crate::search::matching_docs;
use crate::seeded_bugs::SeededBug;
use crate::segment::Segment;
use crate::segment::alive::Dead;
use crate::segment::nesting::nested_position;
use crate::snapshot::{Snapshot, read_source};
use crate::write::log_codec::{OPERATION_HEAD_BYTES_MAX, Record, TEXT_LENGTH_BYTES_MAX};

/// A record of the log ends above this size.
const RECORD_BYTES_MAX: usize = 1 << 20;

/// Documents to delete: where they stand, and what the log says of them.
#[derive(Default)]
pub(crate) struct Doomed {
    segments: Vec<(Arc<Segment>, Vec<u32>)>,
    ids: Vec<DoomedId>,
}

/// A document by its id, and by its block's root where it is in one: the rest of the block stays.
struct DoomedId {
    root: Option<String>,
    id: String,
}

impl Doomed {
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Without what goes with a block that is replaced as a whole.
    pub(crate) fn outside_block(mut self, root: &str) -> Self {
        let is_outside = |one: &DoomedId| one.id != root && one.root.as_deref() != Some(root);
        // The ids stand in the order of the documents.
        let mut outside = self.ids.iter().map(is_outside).collect::<Vec<_>>().into_iter();
        for (_, docs) in &mut self.segments {
            docs.retain(|_| outside.next().unwrap_or(true));
        }
        self.ids.retain(is_outside);
        self
    }

    /// What its part of a record takes, at most.
    pub(crate) fn bytes_max(&self) -> usize {
        self.ids.iter().map(DoomedId::bytes_max).sum()
    }

    pub(crate) fn write(&self, record: &mut Record, version: Version) {
        self.ids.iter().for_each(|one| one.write(record, version));
    }
}

impl DoomedId {
    fn bytes_max(&self) -> usize {
        let texts = self.id.len() + self.root.as_ref().map_or(0, String::len);
        OPERATION_HEAD_BYTES_MAX + 2 * TEXT_LENGTH_BYTES_MAX + texts
    }

    fn write(&self, record: &mut Record, version: Version) {
        match &self.root {
            Some(root) => record.delete_member(version, root, &self.id),
            None => record.delete(version, &self.id),
        }
    }
}

impl Core {
    /// Deletes what the query matches. Returns the version, and the last record when there is one.
    pub(crate) fn delete_by_query(
        &self,
        query: &Query,
        origin: &Origin,
    ) -> Result<(Version, Option<Watermark>)> {
        // Both before the query runs and until the last mark: builders are sealed for it, and an update that
        // came in between would stand before the delete in the log and survive it.
        let _maintenance = self.maintenance();
        let _applying = self.apply_exclusively();
        let doomed = self.doomed_by(query)?;
        let mut state = self.state();
        state.check_writable()?;
        let now_ms = self.clock.now_ms();
        let version = state.next_version(now_ms);
        // Not held while room is made, which may wait for the disk.
        drop(state);
        let records = match *query {
            Query::All => vec![record_of_all(version, origin)],
            _ => records_of(version, &doomed, origin),
        };
        // Room for all of them before the first is appended: a full disk leaves none of a delete in the log.
        // A crash may leave the first records of several; the batch is named by the last alone.
        let rooms = records.iter().map(|record| self.reserve(record.as_bytes().len()));
        let rooms = rooms.collect::<Result<Vec<_>>>()?;
        // One hold of the lock from the append to the last mark: a get in between would find a document dead
        // and nothing that it has to wait for. Whether the shard may write is asked again: the wait for room
        // is long enough for the log to fail, and what is marked here could not be taken back.
        let mut state = self.state();
        state.check_writable()?;
        let at =
            rooms.into_iter().zip(&records).map(|(room, it)| self.log.append(room, it.as_bytes())).last();
        if let Some(at) = at {
            state.logged = at;
            state.note_origin(at, origin, std::iter::once(version));
            state.unsettled.note(at, Concerned::All, self.log.durable());
        }
        state.modified_ms = now_ms;
        if *query == Query::All {
            state.recent.clear();
        }
        self.mark_doomed(state, &doomed)?;
        Ok((version, at))
    }

    /// What a query matches of all that is applied. The caller holds `maintenance`, and `applying`
    /// exclusively.
    pub(crate) fn doomed_by(&self, query: &Query) -> Result<Doomed> {
        let everything = self.view_of_everything()?;
        let mut segments = Vec::new();
        for (ordinal, docs) in matching_docs(&everything, query)? {
            if let Some(view) = everything.segments().get(ordinal) {
                segments.push((view.segment.clone(), docs));
            }
        }
        // All go by one operation of the log, which needs no id.
        let ids = if *query == Query::All { Vec::new() } else { ids_of(&everything, &segments)? };
        Ok(Doomed { segments, ids })
    }

    /// Marks what a record dooms dead, which is in the log by now.
    pub(crate) fn mark_doomed(&self, mut state: MutexGuard<'_, State>, doomed: &Doomed) -> Result<()> {
        for (segment, docs) in &doomed.segments {
            segment.marks.mark_all(docs.iter().copied());
        }
        // As a replay will: of documents of one id in one block all go.
        let members = doomed.ids.iter().filter_map(|one| one.root.as_ref().map(|root| (root, &one.id)));
        for (root, id) in members {
            if let Err(error) = state.mark_member(root, id) {
                drop(state);
                // It is in the log, and memory has it by half.
                self.refuse_updates(&error.message);
                return Err(error);
            }
        }
        Ok(())
    }

    /// A snapshot of all that is applied, for this query alone. The caller holds `applying` exclusively.
    fn view_of_everything(&self) -> Result<Snapshot> {
        // A builder cannot be searched. Its segment stays invisible until the next refresh.
        let (full, idle) = {
            let mut state = self.state();
            (std::mem::take(&mut state.full), std::mem::take(&mut state.idle))
        };
        let builders = full.into_iter().chain(idle).map(|builder| (builder, Dead::default())).collect();
        self.add_hidden(self.seal(builders)?);
        let state = self.state();
        let segments: Vec<_> =
            state.segments.iter().map(|segment| (segment.clone(), segment.marks.current())).collect();
        drop(state);
        Snapshot::build(Some(&self.snapshot.load()), self.layout(), &segments)
    }
}

fn record_of_all(version: Version, origin: &Origin) -> Record {
    let mut record = Record::begin(origin, 64);
    record.delete_all(version);
    record
}

/// The last alone names the batch: with the others alone in the log, the delete is not done. None where
/// nothing is deleted, unless it has to be remembered for a batch that may come again, when documents may
/// match that are not there yet.
fn records_of(version: Version, doomed: &Doomed, origin: &Origin) -> Vec<Record> {
    let is_remembered = origin.batch.is_some() && !SeededBug::ForgottenDeleteByQuery.is_planted();
    if doomed.is_empty() && is_remembered {
        let mut record = Record::begin(origin, 64);
        record.nothing(version);
        return vec![record];
    }
    let mut records = Vec::new();
    let mut rest = doomed.ids.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |one: &&DoomedId| {
            let fits = bytes < RECORD_BYTES_MAX;
            bytes += one.bytes_max();
            fits
        };
        let (these, behind) = rest.split_at(rest.iter().take_while(fits).count());
        let named = behind.is_empty().then(|| origin.clone());
        let origin = named.unwrap_or(Origin { batch: None, ..*origin });
        let mut record = Record::begin(&origin, 64);
        these.iter().for_each(|one| one.write(&mut record, version));
        records.push(record);
        rest = behind;
    }
    records
}

fn ids_of(view: &Snapshot, segments: &[(Arc<Segment>, Vec<u32>)]) -> Result<Vec<DoomedId>> {
    let mut ids = Vec::new();
    for (segment, docs) in segments {
        for doc in docs {
            let source = segment.source(*doc)?;
            let (id, _) = read_source(&source, view.layout(), &FieldSelection::default())?;
            ids.push(DoomedId { root: nested_position(&source, view.layout())?.root, id });
        }
    }
    Ok(ids)
}
