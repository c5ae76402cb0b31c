//! Delete by query: the query runs over everything applied so far, visible or not, and what the log gets is the ids it
//! found. Updates wait meanwhile, so that the log's order is the order of effect.

use std::sync::Arc;

use plan::{FieldSelection, Query, Result, Version};
use store::Watermark;

use crate::alive::Dead;
use crate::block::place_of;
use crate::core::{Core, lock};
use crate::log_codec::{OPERATION_HEAD_BYTES_MAX, Origin, Record};
use crate::search::matching_docs;
use crate::segment::Segment;
use crate::snapshot::{Snapshot, read_source};
use crate::unsettled::Concerned;

/// A record of the log ends above this size.
const RECORD_BYTES_MAX: usize = 1 << 20;

/// Documents to delete, by segment.
type Doomed = Vec<(Arc<Segment>, Vec<u32>)>;

impl Core {
    /// Deletes what the query matches. Returns the version, and the last record when there is one.
    pub(crate) fn delete_by_query(
        &self,
        query: &Query,
        origin: &Origin,
    ) -> Result<(Version, Option<Watermark>)> {
        let _maintenance = lock(&self.maintenance);
        let _applying = self.apply_exclusively();
        let everything = self.view_of_everything()?;
        let doomed = doomed(&everything, query)?;
        let ids = if *query == Query::All { Vec::new() } else { ids_of(&everything, &doomed)? };
        let mut state = self.state();
        state.check_writable()?;
        let now_ms = self.clock.now_ms();
        let version = state.next_version(now_ms);
        drop(state);
        let records = match *query {
            Query::All => vec![record_of_all(version, origin)],
            _ => records_of(version, &ids, origin),
        };
        // Room for all of them before the first is appended: a full disk leaves none of a delete in the log. A crash may leave the
        // first records of several; the batch is named by the last alone.
        let rooms = records.iter().map(|record| self.reserve(record.as_bytes().len()));
        let rooms = rooms.collect::<Result<Vec<_>>>()?;
        // One hold of the lock from the append to the last mark: a get in between would find a document dead and nothing
        // that it has to wait for.
        let mut state = self.state();
        let at =
            rooms.into_iter().zip(&records).map(|(room, it)| self.log.append(room, it.as_bytes())).last();
        if let Some(at) = at {
            state.logged = at;
            state.note_origin(at, origin, std::iter::once(version));
            state.unsettled.note(at, Concerned::All, self.log.durable());
        }
        for (segment, docs) in &doomed {
            segment.marks.mark_all(docs.iter().copied());
        }
        // As a replay will: of documents of one id in one block all go.
        let members = ids.iter().filter_map(|one| one.root.as_ref().map(|root| (root, &one.id)));
        for (root, id) in members {
            if let Err(error) = state.mark_member(root, id) {
                drop(state);
                // It is in the log, and memory has it by half.
                self.refuse_updates(&error.message);
                return Err(error);
            }
        }
        state.modified_ms = now_ms;
        if *query == Query::All {
            state.recent.clear();
        }
        Ok((version, at))
    }

    /// A snapshot of all that is applied, for this query alone. The caller holds `applying` exclusively.
    fn view_of_everything(&self) -> Result<Snapshot> {
        let (full, idle) = {
            let mut state = self.state();
            (std::mem::take(&mut state.full), std::mem::take(&mut state.idle))
        };
        let builders = full.into_iter().chain(idle).map(|builder| (builder, Dead::default())).collect();
        self.add_hidden(self.seal(builders)?);
        let state = self.state();
        let segments: Vec<_> =
            state.segments.iter().map(|segment| (segment.clone(), segment.marks.take())).collect();
        drop(state);
        Snapshot::build(Some(&self.snapshot.load()), self.layout(), &segments)
    }
}

fn record_of_all(version: Version, origin: &Origin) -> Record {
    let mut record = Record::begin(origin, 64);
    record.delete_all(version);
    record
}

/// The last alone names the batch: with the others alone in the log, the delete is not done.
fn records_of(version: Version, ids: &[DoomedId], origin: &Origin) -> Vec<Record> {
    let mut records = Vec::new();
    let mut rest = ids;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |one: &&DoomedId| {
            let fits = bytes < RECORD_BYTES_MAX;
            bytes += one.id.len() + one.root.as_ref().map_or(0, String::len) + OPERATION_HEAD_BYTES_MAX;
            fits
        };
        let (these, behind) = rest.split_at(rest.iter().take_while(fits).count());
        let named = behind.is_empty().then(|| origin.clone());
        let origin = named.unwrap_or(Origin { batch: None, ..*origin });
        let mut record = Record::begin(&origin, 64);
        for one in these {
            match &one.root {
                Some(root) => record.delete_member(version, root, &one.id),
                None => record.delete(version, &one.id),
            }
        }
        records.push(record);
        rest = behind;
    }
    records
}

/// A document by its id, and by its block's root where it is in one: the rest of the block stays.
struct DoomedId {
    root: Option<String>,
    id: String,
}

fn ids_of(view: &Snapshot, doomed: &Doomed) -> Result<Vec<DoomedId>> {
    let mut ids = Vec::new();
    for (segment, docs) in doomed {
        for doc in docs {
            let source = segment.source(*doc)?;
            let (id, _) = read_source(&source, view.layout(), &FieldSelection::default())?;
            ids.push(DoomedId { root: place_of(&source, view.layout())?.root, id });
        }
    }
    Ok(ids)
}

fn doomed(view: &Snapshot, query: &Query) -> Result<Doomed> {
    let mut doomed = Vec::new();
    for (ordinal, docs) in matching_docs(view, query)? {
        if let Some(view) = view.segments().get(ordinal) {
            doomed.push((view.segment.clone(), docs));
        }
    }
    Ok(doomed)
}
