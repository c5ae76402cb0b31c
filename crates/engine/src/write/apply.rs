//! What happens to a prepared group: room is reserved in the log; under the shard's lock expectations are
//! checked, versions given, the record appended and noted where each id stands; then the documents go into a
//! builder that this thread owns. In: `group::Pending`; out: the progress of their batch. When what was
//! appended is durable is `writer`'s to wait for.

use std::collections::VecDeque;

use plan::{ErrorKind, Query, Refusal, Result, UpdateOutcome, Version};
use store::Room;

use crate::core::Core;
use crate::core::batches::Origin;
use crate::core::recent::{RecentChild, RecentDocument};
use crate::core::state::{State, Stored};
use crate::core::unsettled::Concerned;
use crate::indexing::builder::Builder;
use crate::indexing::prepare::Preparer;
use crate::indexing::prepare::prepared::Prepared;
use crate::layout::Layout;
use crate::write::conditions::{self, Verdict};
use crate::write::delete_by_query::Doomed;
use crate::write::group::{Pending, PreparedChild, Work};
use crate::write::log_codec::{
    OPERATION_HEAD_BYTES_MAX, RECORD_HEAD_BYTES_MAX, Record, TEXT_LENGTH_BYTES_MAX,
};
use crate::write::progress::Progress;

/// An operation with its version and what it replaces.
struct Decided {
    pending: Pending,
    version: Version,
    replaced: Vec<Stored>,
}

/// A document that the builder is to take next.
struct Indexing {
    prepared: Prepared,
    hash: u64,
}

/// An operation that may not be done, with its number in the batch.
type RefusedAt = (u32, Refusal);

impl Core {
    /// Applies operations from the front until one must be prepared again or fails; gives the one that failed
    /// with its number. On an error of the log, none is applied. `replaced` are the documents that go with
    /// the first, which is alone then.
    pub(crate) fn apply(
        &self,
        pending: &mut VecDeque<Pending>,
        preparer: &Preparer,
        replaced: Option<&Query>,
        progress: &mut Progress,
    ) -> Result<Option<RefusedAt>> {
        let (Some(query), Some(first)) = (replaced, pending.front()) else {
            // Held until the builder has the documents: a cut that came between would name a record without
            // them.
            let _applying = progress.trace.waiting(|| self.apply_shared());
            return self.apply_held(pending, preparer, &Doomed::default(), progress);
        };
        // The query sees everything applied, so nothing may be applied meanwhile.
        let _maintenance = self.maintenance();
        let _applying = self.apply_exclusively();
        let doomed = self.doomed_by(query)?.outside_block(&first.id);
        self.apply_held(pending, preparer, &doomed, progress)
    }

    /// The caller holds `applying`.
    fn apply_held(
        &self,
        pending: &mut VecDeque<Pending>,
        preparer: &Preparer,
        doomed: &Doomed,
        progress: &mut Progress,
    ) -> Result<Option<RefusedAt>> {
        let mut builder = self.take_builder(preparer.layout())?;
        // Whatever has to wait for the disk does so here, before the lock that gets and other updates want.
        let room = self.reserve(record_bytes_max(pending, doomed, progress));
        let placed = room.and_then(|room| self.place(pending, (room, doomed), &builder, progress));
        let (indexing, failure) = match placed {
            Ok(both) => both,
            Err(error) => {
                self.give_back(builder);
                return Err(error);
            }
        };
        for Indexing { prepared, hash } in indexing {
            if let Err(error) = builder.add(&prepared, hash) {
                // The record is in the log and its marks are set: a replay would make something else than
                // what is here.
                self.refuse_updates(&error.message);
                return Err(error);
            }
        }
        builder.end_group(preparer);
        self.give_back(builder);
        Ok(failure)
    }

    /// What happens under the shard's lock: operations get their versions, their place in the log and in the
    /// id map.
    fn place(
        &self,
        pending: &mut VecDeque<Pending>,
        (room, doomed): (Room, &Doomed),
        builder: &Builder,
        progress: &mut Progress,
    ) -> Result<(Vec<Indexing>, Option<RefusedAt>)> {
        let now_ms = self.clock.now_ms();
        let mut state = progress.trace.waiting(|| self.state());
        let (decided, failure) = decide(&mut state, pending, builder.layout(), progress, now_ms)?;
        if decided.is_empty() {
            return Ok((Vec::new(), failure));
        }
        let ordinals: Vec<u32> = decided.iter().map(|one| one.pending.ordinal).collect();
        let origin = progress.origin(&ordinals);
        let mut record = record_of(&decided, &origin);
        if !doomed.is_empty() {
            // In the record of what they give way to: a crash between two would leave both, or neither.
            doomed.write(&mut record, state.next_version(now_ms));
        }
        let at = self.log.append(room, record.as_bytes());
        progress.logged(at, &origin);
        state.logged = at;
        state.note_origin(at, &origin, decided.iter().map(|one| one.version));
        let hashes = decided.iter().map(|one| one.pending.hash).collect();
        let concerned = if doomed.is_empty() { Concerned::Ids(hashes) } else { Concerned::All };
        // In one hold with the append: a get in between would answer from what the log could still lose.
        state.unsettled.note(at, concerned, self.log.durable());
        state.modified_ms = now_ms;
        let commit_within_ms = decided.iter().filter_map(|one| one.pending.commit_within_ms).min();
        self.note_updates(decided.len() as u64, commit_within_ms);
        let mut indexing = Vec::with_capacity(decided.len());
        for one in decided {
            note(&mut state, one, builder, &mut indexing, &mut progress.outcome);
        }
        self.mark_doomed(state, doomed)?;
        Ok((indexing, failure))
    }
}

/// Takes operations from the front as long as they may be done, with their versions; gives the one that may
/// not.
fn decide(
    state: &mut State,
    pending: &mut VecDeque<Pending>,
    layout: &Layout,
    progress: &mut Progress,
    now_ms: i64,
) -> Result<(Vec<Decided>, Option<RefusedAt>)> {
    state.check_writable()?;
    let mut decided = Vec::with_capacity(pending.len());
    while let Some(next) = pending.front() {
        let skips = progress.conflicts_skip && matches!(next.work, Work::Put(_));
        match conditions::check(state, next, layout) {
            Ok(Verdict::PassOver) => {
                progress.pass_over(next.ordinal);
                pending.pop_front();
                continue;
            }
            Err(error) if error.kind == ErrorKind::Conflict && skips => {
                progress.pass_over(next.ordinal);
                pending.pop_front();
                continue;
            }
            Err(error) => {
                let refused = (next.ordinal, next.refusal(error));
                pending.pop_front();
                // Those before it are done all the same, as in Solr.
                return Ok((decided, Some(refused)));
            }
            Ok(Verdict::Go) => {}
        }
        // Those before it go first. The caller merges the edit again, outside the lock, and comes back with
        // the rest.
        if is_stale(state, next)? {
            break;
        }
        let beside = matches!(&next.work, Work::Put(put) if !put.overwrite);
        // Looked up before the append, since looking into segments may fail.
        let replaced = if beside { Vec::new() } else { state.stored(&next.id, next.hash)? };
        let version = state.next_version(now_ms);
        decided.extend(pending.pop_front().map(|pending| Decided { pending, version, replaced }));
    }
    Ok((decided, None))
}

/// Whether the document that an atomic update was made on is no longer the current one.
fn is_stale(state: &State, pending: &Pending) -> Result<bool> {
    let Work::Put(put) = &pending.work else { return Ok(false) };
    let Some(edit) = &put.edit else { return Ok(false) };
    let current = state.current(&pending.id, pending.hash)?.map(|it| it.version()).transpose()?;
    Ok(current != edit.base)
}

/// No record of these operations is longer.
fn record_bytes_max(pending: &VecDeque<Pending>, doomed: &Doomed, progress: &Progress) -> usize {
    // A bound and not the size: which of them are done, and with which versions, is known only under the
    // lock, and the room is made before it.
    let done = pending.back().map_or(0, |last| last.ordinal + 1);
    let left_out = progress.batch.as_ref().map_or(0, |batch| batch.left_out_bytes_max(done));
    let bytes = pending.iter().map(|one| match &one.work {
        Work::Put(put) => put.body.bytes.len(),
        Work::Delete => TEXT_LENGTH_BYTES_MAX + one.id.len(),
    });
    let operations = bytes.map(|bytes| OPERATION_HEAD_BYTES_MAX + bytes).sum::<usize>();
    RECORD_HEAD_BYTES_MAX + left_out + operations + doomed.bytes_max()
}

fn record_of(decided: &[Decided], origin: &Origin) -> Record {
    let body_bytes =
        |one: &Decided| if let Work::Put(put) = &one.pending.work { put.body.bytes.len() } else { 64 };
    let mut record = Record::begin(origin, decided.iter().map(|one| body_bytes(one) + 16).sum());
    for Decided { pending, version, .. } in decided {
        match &pending.work {
            Work::Put(put) => record.put(*version, &put.body, put.overwrite),
            Work::Delete => record.delete(*version, &pending.id),
        }
    }
    record
}

/// Makes an operation count: what it replaces is dead, what it adds is current.
fn note(
    state: &mut State,
    decided: Decided,
    builder: &Builder,
    indexing: &mut Vec<Indexing>,
    outcome: &mut UpdateOutcome,
) {
    let Decided { pending: Pending { id, hash, work, .. }, version, replaced } = decided;
    for (segment, doc) in &replaced {
        segment.marks.mark(*doc);
    }
    match work {
        Work::Delete => {
            state.recent.mark(&id);
            outcome.deleted.push((id, -version));
        }
        Work::Put(put) => {
            if put.overwrite {
                state.recent.mark(&id);
            }
            let mut children = Vec::with_capacity(put.children.len());
            for PreparedChild { id, hash, mut prepared } in put.children {
                prepared.document.set_version(version);
                children.push(RecentChild { id, source: prepared.document.source.clone() });
                indexing.push(Indexing { prepared, hash });
            }
            let mut prepared = put.prepared;
            prepared.document.set_version(version);
            // The number that it will have: nobody else adds to this builder before all of `indexing` is in
            // it.
            let doc = builder.next_doc() + u32::try_from(indexing.len()).unwrap_or(u32::MAX);
            let source = prepared.document.source.clone();
            let marks = builder.marks().clone();
            let recent = RecentDocument { marks, doc, version, source, children, beside: None };
            state.has_had_blocks |= !recent.children.is_empty();
            state.recent.insert(id.clone(), recent);
            indexing.push(Indexing { prepared, hash });
            outcome.added.push((id, version));
        }
    }
}
