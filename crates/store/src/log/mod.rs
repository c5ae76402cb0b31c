//! The log of a shard on a disk: one writer, group commit by whoever waits first, files that roll so that trimming
//! deletes whole ones. Records come from `engine` and go to the folder `log/` of the home; at opening they come back.
//!
//! `append` only copies into memory and makes sure of the space; the first waiter becomes the *leader*, takes all that
//! is pending, writes and syncs it once, and wakes the others. There is no thread.
//! `format` is the bytes, `scan` and `replay` read them, `queue` holds what is not durable, `commit` writes it, `shelf`
//! knows the files.

mod commit;
mod folder;
pub(crate) mod format;
mod queue;
mod replay;
pub(crate) mod scan;
mod shelf;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::contract::{FencedLog, RECORD_BYTES_MAX, ReplayEnd, Watermark};
use crate::disk::FolderLock;
use crate::{Error, ErrorKind, Result};
pub(crate) use folder::Folder;
use format::ChainPoint;
use queue::Queue;
use replay::{End, replay};
use scan::{Survey, survey};
use shelf::Shelf;

/// Sizes of a log on a disk, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogOptions {
    /// A file that has reached this size is followed by a new one; trimming deletes whole files.
    pub file_bytes: u64,
    /// Space is taken this much at a time, ahead of the records.
    pub reserve_bytes: u64,
    /// With this much not yet durable, an append syncs first.
    pub pending_bytes_max: usize,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self { file_bytes: 64 << 20, reserve_bytes: 8 << 20, pending_bytes_max: 16 << 20 }
    }
}

pub(crate) struct LocalLog {
    folder: Folder,
    epoch: u64,
    options: LogOptions,
    torn_bytes: u64,
    state: Mutex<State>,
    /// Signalled when a leader is done.
    led: Condvar,
    /// Held by replay and trim: files must not vanish under a reader.
    reading: Mutex<()>,
    _owner: Arc<FolderLock>,
}

struct State {
    queue: Queue,
    shelf: Shelf,
    /// The last durable record.
    durable: ChainPoint,
    leading: bool,
    /// Why this log takes no more records.
    broken: Option<Error>,
}

impl State {
    /// The state at opening, and how many bytes a crash left half-written.
    fn found_in(folder: &Folder, epoch: u64) -> Result<(Self, u64)> {
        let surveyed = folder.links().and_then(|links| Ok((survey(folder, &links)?, links)));
        let (survey, links, broken) = match surveyed {
            Ok((survey, links)) => (survey, links, None),
            Err(error) if is_corrupt(&error) => (Survey::default(), Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let (queue, shelf) = (Queue::new(epoch), Shelf::new(&links, survey.end.at));
        Ok((Self { queue, shelf, durable: survey.end, leading: false, broken }, survey.torn_bytes))
    }
}

fn is_corrupt(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt { .. })
}

impl LocalLog {
    /// Damage found here does not fail the opening: `replay` visits what can be read and reports it, and `append`
    /// refuses.
    pub(crate) fn open(
        folder: Folder,
        epoch: u64,
        options: LogOptions,
        owner: Arc<FolderLock>,
    ) -> Result<Self> {
        let (state, torn_bytes) = State::found_in(&folder, epoch)?;
        Ok(Self {
            folder,
            epoch,
            options,
            torn_bytes,
            state: Mutex::new(state),
            led: Condvar::new(),
            reading: Mutex::new(()),
            _owner: owner,
        })
    }

    /// No code that holds a lock of this log panics half-way through a change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns once all up to `at` is durable, as leader or behind one.
    fn sync_to<'a>(&'a self, mut state: MutexGuard<'a, State>, at: Watermark) -> Result<()> {
        loop {
            if state.durable.at >= at {
                return Ok(());
            }
            if let Some(error) = &state.broken {
                return Err(error.repeat());
            }
            if state.leading {
                state = self.led.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                state = self.lead(state)?;
            }
        }
    }

    /// Commits all that is pending. An error is the leader's own to return: the others try for themselves.
    fn lead<'a>(&'a self, mut state: MutexGuard<'a, State>) -> Result<MutexGuard<'a, State>> {
        let group = state.queue.take();
        debug_assert!(!group.is_empty(), "somebody waits for a record, and none is pending");
        let durable = state.durable;
        state.leading = true;
        drop(state);
        let outcome = commit::commit(&self.folder, group, durable);
        let mut state = self.state();
        state.leading = false;
        state.durable = outcome.durable;
        let result = match outcome.failure {
            None => Ok(()),
            Some(error) => {
                if matches!(error.kind(), ErrorKind::Full) {
                    state.queue.put_back(outcome.unwritten);
                } else {
                    state.broken = Some(error.repeat());
                }
                Err(error)
            }
        };
        self.led.notify_all();
        result.map(|()| state)
    }
}

impl FencedLog for LocalLog {
    fn append(&self, record: &[u8]) -> Result<Watermark> {
        if record.len() > RECORD_BYTES_MAX {
            let message =
                format!("a record of {} bytes is too long; use at most {RECORD_BYTES_MAX}", record.len());
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let mut state = self.state();
        let last = state.queue.last();
        if state.queue.bytes() > 0 && state.queue.bytes() + record.len() > self.options.pending_bytes_max {
            self.sync_to(state, last)?;
            state = self.state();
        }
        if let Some(error) = &state.broken {
            return Err(error.repeat());
        }
        let State { queue, shelf, .. } = &mut *state;
        queue.make_room(&self.folder, &self.options, shelf, record.len())?;
        let at = queue.push(record);
        shelf.mark(at.sequence, queue.position());
        Ok(at)
    }

    fn wait_durable(&self, at: Watermark) -> Result<()> {
        let state = self.state();
        if at > state.queue.last() && state.broken.is_none() {
            let message = format!("record {} of epoch {} was never appended here", at.sequence, at.epoch);
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        // Earlier epochs were settled when this one was opened.
        if at.epoch < self.epoch { Ok(()) } else { self.sync_to(state, at) }
    }

    fn replay(
        &self,
        after: Option<Watermark>,
        visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<ReplayEnd> {
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let (end, damage) = {
            let state = self.state();
            let damage = state.broken.as_ref().filter(|error| is_corrupt(error));
            (state.durable, damage.map(Error::repeat))
        };
        let known = if damage.is_some() { End::Damaged } else { End::Known(end) };
        let records = replay(&self.folder, after.unwrap_or(Watermark::START), known, visit)?;
        match damage {
            Some(damage) => Err(damage),
            None => Ok(ReplayEnd { records, torn_bytes: self.torn_bytes, end: end.at }),
        }
    }

    fn trim(&self, upto: Watermark) -> Result<()> {
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let obsolete = {
            let mut state = self.state();
            let durable = state.durable.at;
            state.shelf.trim(upto.min(durable), durable)
        };
        obsolete.into_iter().try_for_each(|id| self.folder.remove(id))
    }

    fn bytes(&self) -> u64 {
        self.state().shelf.bytes()
    }
}

impl Drop for LocalLog {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.queue.release();
    }
}
