//! The log of a shard on a disk: one writer, group commit by whoever waits first, files that roll so that
//! trimming deletes whole ones. Records come from `engine` and go to the folder `log/` of the home; at
//! opening they come back.
//!
//! `reserve` makes sure of the space, `append` only copies into memory; the first waiter becomes the
//! *leader*, takes all that is pending, writes and syncs it once, and wakes the others. There is no thread.
//! `format` is the bytes, `scan` and `replay` read them, `queue` holds what is not durable as `chunk`s,
//! `growth` takes space for it, `commit` writes it, `shelf` knows the files.

mod chunk;
mod commit;
mod folder;
pub(crate) mod format;
mod growth;
pub(crate) mod options;
mod queue;
mod replay;
pub(crate) mod scan;
mod shelf;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::contract::{FencedLog, RECORD_BYTES_MAX, ReplayEnd, Watermark};
use crate::disk::FolderLock;
use crate::{DurabilityWaiter, Error, ErrorKind, Result, Room};
pub(crate) use folder::Folder;
use format::ChainPoint;
use growth::{Growth, NextFile};
use options::LogOptions;
use queue::Queue;
use replay::{End, replay};
use scan::{Survey, survey};
use shelf::Shelf;

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
    /// Held while space is taken from the disk; how many files this opening has begun. Taken before `state`.
    growing: Mutex<u64>,
    _owner: Arc<FolderLock>,
}

struct State {
    queue: Queue,
    shelf: Shelf,
    /// The last durable record.
    durable: ChainPoint,
    /// The last record that a leader has taken to the disk.
    offered: Watermark,
    leading: bool,
    /// Why this log takes no more records.
    broken: Option<Error>,
    waiters: Vec<(Watermark, DurabilityWaiter)>,
}

/// A waiter, and its result.
type Notice = (DurabilityWaiter, Result<()>);

impl State {
    /// The state at opening, and how many bytes a crash left half-written.
    fn found_in(folder: &Folder, epoch: u64) -> Result<(Self, u64)> {
        let surveyed = folder.links().and_then(|links| Ok((survey(folder, &links)?, links)));
        let (survey, links, broken) = match surveyed {
            Ok((survey, links)) => (survey, links, None),
            Err(error) if is_corrupt(&error) => (Survey::default(), Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let state = Self {
            queue: Queue::new(epoch),
            shelf: Shelf::new(&links, survey.end.at),
            durable: survey.end,
            offered: survey.end.at,
            leading: false,
            broken,
            waiters: Vec::new(),
        };
        Ok((state, survey.torn_bytes))
    }

    fn check_given_out(&self, at: Watermark) -> Result<()> {
        if at <= self.queue.last() || self.broken.is_some() {
            return Ok(());
        }
        let message = format!("record {} of epoch {} was never appended here", at.sequence, at.epoch);
        Err(Error::new(ErrorKind::Invalid, message))
    }

    /// What is known of a record: durable, or why it will not become so; `None` while that is open.
    fn outcome(&self, at: Watermark) -> Option<Result<()>> {
        if self.durable.at >= at {
            return Some(Ok(()));
        }
        self.broken.as_ref().map(|error| Err(error.repeat()))
    }

    /// Takes off the waiters that can be told something; `full` is for those whose record the disk had no
    /// space for.
    fn notices(&mut self, full: Option<&Error>) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (at, waiter) in std::mem::take(&mut self.waiters) {
            let tried = full.filter(|_| at <= self.offered).map(|error| Err(error.repeat()));
            match self.outcome(at).or(tried) {
                Some(result) => notices.push((waiter, result)),
                None => self.waiters.push((at, waiter)),
            }
        }
        notices
    }
}

fn is_corrupt(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt { .. })
}

impl LocalLog {
    /// Damage found here does not fail the opening: `replay` visits what can be read and reports it, and
    /// `append` refuses.
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
            growing: Mutex::new(0),
            _owner: owner,
        })
    }

    /// No code that holds a lock of this log panics half-way through a change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What becomes of a record, where that is known.
    fn known(&self, state: &State, at: Watermark) -> Option<Result<()>> {
        match state.check_given_out(at) {
            // Earlier epochs were settled when this one was opened.
            Ok(()) if at.epoch < self.epoch => Some(Ok(())),
            Ok(()) => state.outcome(at),
            Err(error) => Some(Err(error)),
        }
    }

    /// Returns once all up to `at` is durable, as leader or behind one.
    fn sync_to<'a>(&'a self, mut state: MutexGuard<'a, State>, at: Watermark) -> Result<()> {
        loop {
            // Asked anew after each turn: a leader before may have taken this record along.
            if let Some(outcome) = state.outcome(at) {
                return outcome;
            }
            if state.leading {
                state = self.led.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                state = self.lead(state)?;
            }
        }
    }

    /// Commits all that is pending. `Full` is the leader's own to return: the others try for themselves.
    fn lead<'a>(&'a self, mut state: MutexGuard<'a, State>) -> Result<MutexGuard<'a, State>> {
        let group = state.queue.take();
        debug_assert!(!group.is_empty(), "somebody waits for a record, and none is pending");
        let durable = state.durable;
        state.offered = state.queue.last();
        // Before the lock goes: a second leader would chain its records to the same one. Without the lock
        // behind it, so that appends go on and make up the next group.
        state.leading = true;
        drop(state);
        let outcome = commit::commit(&self.folder, group, durable);
        let mut state = self.state();
        state.leading = false;
        state.durable = outcome.durable;
        let mut full = None;
        match outcome.failure {
            Some(error) if matches!(error.kind(), ErrorKind::Full) => {
                // Their positions are given out: the same bytes go to the same place the next time.
                state.queue.put_back(outcome.unwritten);
                full = Some(error);
            }
            failure => state.broken = failure,
        }
        // All of them: one that is woken may be done, and then nobody would lead for those whose records came
        // behind this group.
        self.led.notify_all();
        let notices = state.notices(full.as_ref());
        if !notices.is_empty() {
            // Told outside the lock: a waiter may ask this log at once.
            drop(state);
            notices.into_iter().for_each(|(waiter, result)| waiter(result));
            state = self.state();
        }
        full.map_or(Ok(state), Err)
    }

    /// Takes space from the disk, outside the log's lock. Nothing was offered to the log by then: whatever
    /// goes wrong but for a full disk (no descriptor is free, say) may go well the next time, and is no
    /// failure of the log.
    fn make_room(&self, growth: Growth, files_begun: &mut u64) -> Result<()> {
        self.grow(growth, files_begun).map_err(|error| match error.kind() {
            ErrorKind::Full => error,
            _ => Error::new(ErrorKind::Retry, error.message().to_owned()).with_source(error),
        })
    }

    fn grow(&self, growth: Growth, files_begun: &mut u64) -> Result<()> {
        let needed = match growth {
            Growth::Extend(extension) => {
                let (id, reserved) = (extension.id, extension.take()?);
                self.state().queue.extended(id, reserved);
                return Ok(());
            }
            Growth::Next { needed } => needed,
        };
        *files_begun += 1;
        let mut next = NextFile::create(&self.folder, *files_begun, needed, &self.options)?;
        let before = loop {
            let mut state = self.state();
            // Room that was given out in the file before is used in this one.
            let promised = state.queue.promised() as u64;
            if next.has_room(promised) {
                let State { queue, shelf, .. } = &mut *state;
                let id = queue.next_file();
                break queue.begin(next.begin(&self.folder, id), shelf);
            }
            drop(state);
            next.take_space(promised, &self.options)?;
        };
        if let Some(before) = before {
            before.release();
        }
        Ok(())
    }

    /// Waits where too much is undurable for another record of `bytes`.
    fn wait_for_memory(&self, bytes: usize) -> Result<()> {
        let state = self.state();
        let pending = state.queue.bytes();
        // With nothing to write there is nothing to wait for, however long the record is.
        if pending == 0 || pending + state.queue.promised() + bytes <= self.options.pending_bytes_max {
            return Ok(());
        }
        let last = state.queue.last();
        self.sync_to(state, last)
    }
}

impl FencedLog for LocalLog {
    fn reserve(&self, bytes: usize) -> Result<Room> {
        if bytes > RECORD_BYTES_MAX {
            let message = format!("a record of {bytes} bytes is too long; use at most {RECORD_BYTES_MAX}");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        self.wait_for_memory(bytes)?;
        let mut growing: Option<MutexGuard<'_, u64>> = None;
        loop {
            let state = self.state();
            if let Some(error) = &state.broken {
                return Err(error.repeat());
            }
            let growth = match state.queue.promise(bytes, &self.options) {
                Ok(room) => return Ok(room),
                Err(growth) => growth,
            };
            drop(state);
            match &mut growing {
                Some(files_begun) => self.make_room(growth, files_begun)?,
                // Another may have taken the space meanwhile: look again as the one whose turn it is.
                None => growing = Some(self.growing.lock().unwrap_or_else(PoisonError::into_inner)),
            }
        }
    }

    fn append(&self, room: Room, record: &[u8]) -> Watermark {
        room.check(record);
        let mut state = self.state();
        let State { queue, shelf, .. } = &mut *state;
        let at = queue.push(record);
        shelf.mark(at.sequence, queue.position());
        // Behind the push: for a moment its bytes count twice, and are never free for another record to be
        // promised.
        drop(room);
        at
    }

    fn durable(&self) -> Watermark {
        self.state().durable.at
    }

    fn wait_durable(&self, at: Watermark) -> Result<()> {
        let state = self.state();
        self.known(&state, at).unwrap_or_else(|| self.sync_to(state, at))
    }

    fn try_wait_durable(&self, at: Watermark) -> Option<Result<()>> {
        let state = self.state();
        match self.known(&state, at) {
            None if state.leading => None,
            None => Some(self.sync_to(state, at)),
            known => known,
        }
    }

    fn is_waited_for(&self) -> bool {
        let state = self.state();
        !state.leading && !state.waiters.is_empty()
    }

    fn when_durable(&self, at: Watermark, waiter: DurabilityWaiter) {
        let mut state = self.state();
        match self.known(&state, at) {
            Some(result) => {
                drop(state);
                waiter(result);
            }
            None => state.waiters.push((at, waiter)),
        }
    }

    /// Nobody else opens the folder while its lock is held.
    fn confirm(&self) -> Result<()> {
        Ok(())
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
            // Never above what is durable: a manifest that named more would have been published too early.
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
