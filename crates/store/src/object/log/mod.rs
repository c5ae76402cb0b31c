//! The log of a shard in an object store: records gather in memory and go, a group at a time, into the next
//! slot of the epoch. One group is under way at a time, so the log has no holes, and a new owner's fence in
//! the first free slot ends it.
//!
//! Nobody's own thread writes: whoever waits first leads, as in the log on a disk, and where all wait without
//! a thread the shard's task does. An idle log is written at once; where several wait for one group, the
//! next begins no sooner than a window behind it, so that more gather in it. `queue` holds what is not
//! durable, `tail` knows the objects, `replay` reads them.

mod queue;
mod replay;
mod tail;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::client::Created;
use super::format::{GROUP_OVERHEAD, LogEnd, RECORD_OVERHEAD};
use super::owned::Owned;
use super::retained::Retained;
use super::seeded_bugs::SeededBug;
use crate::contract::{FencedLog, LogFigures, RECORD_BYTES_MAX, ReplayEnd, Watermark};
use crate::{DurabilityWaiter, Error, ErrorKind, Result, Room};
use queue::{Offer, Queue};
use tail::{Landed, Tail, Unflushed};

/// How a log in an object store gathers records, and how much of them it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectLogOptions {
    /// Under load, a group begins this long behind the one before at the earliest, in milliseconds; the
    /// window grows to twice the time that a PUT takes, up to the second of both.
    pub window_ms: u64,
    pub window_ms_max: u64,
    /// With this many bytes of records a group is full, and goes at once.
    pub group_bytes: usize,
    /// With this much not yet durable, whoever asks for room waits for the store first.
    pub pending_bytes_max: usize,
    /// With this much above the newest manifest's watermark nobody gets room before a flush.
    pub tail_bytes_max: u64,
}

impl Default for ObjectLogOptions {
    fn default() -> Self {
        Self {
            window_ms: 50,
            window_ms_max: 250,
            group_bytes: 8 << 20,
            pending_bytes_max: 64 << 20,
            tail_bytes_max: 1 << 30,
        }
    }
}

/// How long a log that waits for its window sleeps at once: a group that fills meanwhile goes soon.
const NAP_MS: u64 = 5;

pub(crate) struct ObjectLog {
    owned: Arc<Owned>,
    retained: Arc<Retained>,
    options: ObjectLogOptions,
    /// Why the log that was found cannot be read to its end.
    damage: Option<Error>,
    state: Mutex<State>,
    /// Signalled when a leader is done.
    led: Condvar,
}

struct State {
    queue: Queue,
    tail: Tail,
    /// Where the log stands, durably.
    end: LogEnd,
    /// Offered and not resolved.
    under_way: Option<Offer>,
    leading: bool,
    waiters: Vec<(Watermark, DurabilityWaiter)>,
    attempts: Attempts,
    pace: Pace,
}

/// Attempts to write a group, counted as they begin.
#[derive(Default)]
struct Attempts {
    begun: u64,
    /// The last one, and why, if it had no answer.
    unanswered: Option<(u64, Error)>,
}

/// When the next group may begin.
#[derive(Default)]
struct Pace {
    began_ms: u64,
    /// How long a PUT takes, smoothed.
    put_ms: u64,
    /// How long the last one took.
    put_ms_last: u64,
    groups: u64,
    /// Whether several waited for the last group.
    is_crowded: bool,
    /// Who waits with a thread, besides the leader.
    followers: usize,
}

/// A waiter, and its result.
type Notice = (DurabilityWaiter, Result<()>);

impl State {
    /// What is not durable yet, in bytes.
    fn pending_bytes(&self) -> usize {
        self.queue.bytes() + self.under_way.as_ref().map_or(0, |offer| offer.raw_bytes)
    }

    /// The watermark of the last record that was given out.
    fn last(&self) -> Watermark {
        Watermark::new(self.end.epoch, self.queue.last())
    }

    fn notices(&mut self, ended: Option<&Error>) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (at, waiter) in std::mem::take(&mut self.waiters) {
            match ended {
                _ if at <= self.end.last => notices.push((waiter, Ok(()))),
                Some(error) => notices.push((waiter, Err(error.repeat()))),
                None => self.waiters.push((at, waiter)),
            }
        }
        notices
    }

    /// Takes out the first waiters, who wait no longer.
    fn give_up(&mut self, count: usize, error: &Error) -> impl Iterator<Item = Notice> {
        let given_up = self.waiters.drain(..count.min(self.waiters.len()));
        given_up.map(|(_, waiter)| (waiter, Err(error.repeat())))
    }
}

impl Pace {
    /// Milliseconds until the next group may begin.
    fn wait_ms(&self, now_ms: u64, options: &ObjectLogOptions) -> u64 {
        (self.began_ms + self.window_ms(options)).saturating_sub(now_ms)
    }

    /// Between the beginnings of two groups.
    fn window_ms(&self, options: &ObjectLogOptions) -> u64 {
        match self.is_crowded {
            true => (2 * self.put_ms).clamp(options.window_ms, options.window_ms_max),
            false => 0,
        }
    }

    fn took(&mut self, ms: u64) {
        self.put_ms_last = ms;
        self.put_ms = if self.put_ms == 0 { ms } else { (7 * self.put_ms + ms) / 8 };
    }
}

impl ObjectLog {
    /// `logged` are the objects of earlier openings (epoch, slot, bytes), `end` is where their records end.
    /// A damaged log does not fail the opening: `replay` visits what can be read and reports the rest, and
    /// nobody gets room.
    pub(crate) fn new(
        owned: Arc<Owned>,
        retained: Arc<Retained>,
        options: ObjectLogOptions,
        (logged, end): (&[(u64, u64, u64)], LogEnd),
        damage: Option<Error>,
    ) -> Self {
        let state = State {
            queue: Queue::new(),
            tail: Tail::new(logged, owned.client.pacer().now_ms()),
            end,
            under_way: None,
            leading: false,
            waiters: Vec::new(),
            attempts: Attempts::default(),
            pace: Pace::default(),
        };
        Self { owned, retained, options, damage, state: Mutex::new(state), led: Condvar::new() }
    }

    /// No code that holds this lock panics half-way through a change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the log stands, durably.
    pub(crate) fn end(&self) -> LogEnd {
        self.state().end
    }

    fn check_given_out(&self, state: &State, at: Watermark) -> Result<()> {
        if at <= state.last() {
            return Ok(());
        }
        let message = format!("record {} of epoch {} was never appended here", at.sequence, at.epoch);
        Err(Error::new(ErrorKind::Invalid, message))
    }

    /// What is known of a record: durable, or why it will not become so; `None` while that is open.
    fn known(&self, state: &State, at: Watermark) -> Option<Result<()>> {
        if let Err(error) = self.check_given_out(state, at) {
            return Some(Err(error));
        }
        // Earlier epochs were settled when this one was opened.
        let is_early = SeededBug::EarlyAck.is_planted();
        if at <= state.end.last || at.epoch < self.owned.epoch() || at.sequence == 0 || is_early {
            return Some(Ok(()));
        }
        self.owned.check().err().map(Err)
    }

    /// Returns once all up to `at` is durable, as leader or behind one. Where the store does not answer, at
    /// the end of the first attempt that began behind the call: with each thread leading one of its own, the
    /// last of many waited for as many attempts.
    fn sync_to<'a>(&'a self, mut state: MutexGuard<'a, State>, at: Watermark) -> Result<()> {
        let begun_before = state.attempts.begun;
        loop {
            if let Some(known) = self.known(&state, at) {
                self.tell_ended(state);
                return known;
            }
            if let Some((attempt, error)) = &state.attempts.unanswered
                && *attempt > begun_before
            {
                return Err(error.repeat());
            }
            if state.leading {
                state.pace.followers += 1;
                state = self.led.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.pace.followers -= 1;
            } else {
                state = self.lead(state)?;
            }
        }
    }

    /// Tells those who wait without a thread that the opening is over, where it ended beside the log: at a
    /// publication, at a look. Whoever writes for them finds nothing to write. A leader tells them itself.
    fn tell_ended(&self, mut state: MutexGuard<'_, State>) {
        if state.leading || state.waiters.is_empty() {
            return;
        }
        let Err(ended) = self.owned.check() else { return };
        let notices = state.notices(Some(&ended));
        drop(state);
        notices.into_iter().for_each(|(waiter, result)| waiter(result));
    }

    /// Offers the next group, or the one that has no answer yet. `Unknown` and `Full` are told to all who
    /// were there when the attempt began, with a thread or without: they have waited as long as the leader.
    fn lead<'a>(&'a self, mut state: MutexGuard<'a, State>) -> Result<MutexGuard<'a, State>> {
        state.leading = true;
        let unresolved = state.under_way.clone();
        let offer = match unresolved {
            Some(offer) => offer,
            None => {
                state = self.wait_for_window(state);
                let (end, records) = (state.end, state.queue.take(self.options.group_bytes));
                debug_assert!(!records.is_empty(), "somebody waits for a record, and none is pending");
                // Without the lock: appends go on, and make up the next group.
                drop(state);
                let offer = Offer::new(&self.owned, &end, &records);
                state = self.state();
                state.under_way = Some(offer.clone());
                offer
            }
        };
        let pacer = self.owned.client.pacer();
        let began_ms = pacer.now_ms();
        state.pace.began_ms = began_ms;
        state.attempts.begun += 1;
        let there_before = state.waiters.len();
        drop(state);
        let key = self.owned.keys.slot(offer.end.epoch, offer.end.slot);
        let created = self.owned.client.create(&key, &offer.bytes);
        state = self.state();
        state.leading = false;
        state.pace.took(pacer.now_ms() - began_ms);
        let failure = self.resolved(&mut state, &offer, &key, created);
        let mut notices = state.notices(self.owned.check().err().as_ref());
        let open = failure.as_ref().filter(|error| is_open(error));
        // One leads at a time: this attempt is the last that was begun.
        state.attempts.unanswered = open.map(|error| (state.attempts.begun, error.repeat()));
        if let Some(error) = open {
            notices.extend(state.give_up(there_before, error));
        }
        state.pace.is_crowded = notices.len() + state.pace.followers > 1;
        // All of them: one that is woken may be done, and then nobody would lead for the others.
        self.led.notify_all();
        if !notices.is_empty() {
            // Told outside the lock: a waiter may ask this log at once.
            drop(state);
            notices.into_iter().for_each(|(waiter, result)| waiter(result));
            state = self.state();
        }
        failure.map_or(Ok(state), Err)
    }

    fn wait_for_window<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let pacer = self.owned.client.pacer();
        loop {
            let wait_ms = state.pace.wait_ms(pacer.now_ms(), &self.options);
            if wait_ms == 0 || state.queue.bytes() >= self.options.group_bytes {
                return state;
            }
            drop(state);
            pacer.sleep(wait_ms.min(NAP_MS));
            state = self.state();
        }
    }

    /// Takes in what became of an offer.
    fn resolved(
        &self,
        state: &mut State,
        offer: &Offer,
        key: &str,
        created: Result<Created>,
    ) -> Option<Error> {
        let created = match created {
            Err(_) if SeededBug::UnknownIsDurable.is_planted() => Ok(Created::Ours),
            created => created,
        };
        match created {
            Ok(Created::Ours) => {
                let at = (offer.end.epoch, offer.end.slot);
                let (bytes, last) = (offer.bytes.len() as u64, offer.end.last.sequence);
                let landed = Landed { at, bytes, last, records: offer.records };
                state.tail.add(landed, self.owned.client.pacer().now_ms());
                state.pace.groups += 1;
                state.end = offer.end;
                state.under_way = None;
                None
            }
            Ok(Created::Taken(found)) => Some(self.owned.depose(key, &found)),
            // The bytes have their slot: the same go there the next time.
            Err(error) if is_open(&error) => {
                if SeededBug::DroppedOffer.is_planted() {
                    state.under_way = None;
                }
                Some(error)
            }
            Err(error) => {
                self.owned.end(&error);
                Some(error)
            }
        }
    }

    /// Waits where too much is not durable for another record of `bytes`. Nothing of it was offered.
    fn wait_for_memory(&self, bytes: usize) -> Result<()> {
        let state = self.state();
        let pending = state.pending_bytes();
        // With nothing to write there is nothing to wait for, however long the record is.
        if pending == 0 || pending + state.queue.promised() + bytes <= self.options.pending_bytes_max {
            return Ok(());
        }
        let last = state.last();
        self.sync_to(state, last).map_err(|error| match error.kind() {
            ErrorKind::Unknown => Error::new(ErrorKind::Retry, error.message().to_owned()).with_source(error),
            _ => error,
        })
    }

    fn check_tail(&self, state: &State) -> Result<()> {
        if state.tail.unflushed().bytes <= self.options.tail_bytes_max {
            return Ok(());
        }
        let (bytes, most) = (state.tail.unflushed().bytes, self.options.tail_bytes_max);
        let message = format!(
            "{bytes} bytes of the log wait to be flushed, {most} may; try again once a commit has flushed them"
        );
        Err(Error::new(ErrorKind::Retry, message))
    }
}

/// Whether what was offered goes on to be offered.
fn is_open(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unknown | ErrorKind::Full)
}

impl FencedLog for ObjectLog {
    fn reserve(&self, bytes: usize) -> Result<Room> {
        if bytes > RECORD_BYTES_MAX {
            let message = format!("a record of {bytes} bytes is too long; use at most {RECORD_BYTES_MAX}");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        self.owned.check()?;
        if let Some(damage) = &self.damage {
            return Err(damage.repeat());
        }
        self.wait_for_memory(bytes)?;
        let state = self.state();
        self.check_tail(&state)?;
        let taken = state.pending_bytes() + state.queue.promised();
        self.owned.client.check_space(taken + bytes + RECORD_OVERHEAD + GROUP_OVERHEAD)?;
        Ok(state.queue.promise(bytes))
    }

    fn append(&self, room: Room, record: &[u8]) -> Watermark {
        room.check(record);
        let mut state = self.state();
        let sequence = state.queue.push(record);
        Watermark::new(state.end.epoch, sequence)
    }

    fn durable(&self) -> Watermark {
        self.state().end.last
    }

    fn wait_durable(&self, at: Watermark) -> Result<()> {
        self.sync_to(self.state(), at)
    }

    fn try_wait_durable(&self, at: Watermark) -> Option<Result<()>> {
        let state = self.state();
        match self.known(&state, at) {
            None if state.leading => None,
            None => Some(self.sync_to(state, at)),
            known => known,
        }
    }

    fn when_durable(&self, at: Watermark, waiter: DurabilityWaiter) {
        let mut state = self.state();
        match self.known(&state, at) {
            None => state.waiters.push((at, waiter)),
            Some(known) => {
                drop(state);
                waiter(known);
            }
        }
    }

    fn is_waited_for(&self) -> bool {
        let state = self.state();
        let is_open = state.under_way.is_some() && self.owned.check().is_ok();
        (is_open || !state.waiters.is_empty()) && !state.leading
    }

    fn is_silent(&self) -> bool {
        self.state().attempts.unanswered.is_some()
    }

    fn confirm(&self) -> Result<()> {
        self.owned.look()
    }

    fn replay(
        &self,
        after: Option<Watermark>,
        visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<ReplayEnd> {
        let (end, slots) = {
            let state = self.state();
            (state.end, state.tail.keys())
        };
        let after = after.unwrap_or(Watermark::START);
        let replayed = replay::replay(&self.owned, after, end, &slots, visit)?;
        let mut state = self.state();
        let now_ms = self.owned.client.pacer().now_ms();
        replayed.read.into_iter().for_each(|landed| state.tail.add(landed, now_ms));
        // What is not above it is nothing that a replay reads.
        state.tail.trim(after);
        match &self.damage {
            Some(damage) => Err(damage.repeat()),
            None => Ok(ReplayEnd { records: replayed.records, torn_bytes: 0, end: end.last }),
        }
    }

    fn trim(&self, upto: Watermark) -> Result<()> {
        self.owned.check()?;
        let upto = {
            let mut state = self.state();
            let upto = upto.min(state.end.last);
            state.tail.trim(upto);
            upto
        };
        self.retained.trimmed(upto);
        // Behind a manifest that is published: what cannot be deleted now is so at the next one.
        if self.retained.collect(&self.owned).is_ok()
            && let Some(needed) = self.retained.log_end()
        {
            let gone = self.state().tail.take_below(needed);
            let gone: Vec<String> =
                gone.into_iter().map(|(epoch, slot)| self.owned.keys.slot(epoch, slot)).collect();
            drop(self.owned.client.delete_all(&gone));
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let state = self.state();
        state.tail.unflushed().bytes + state.pending_bytes() as u64
    }

    fn figures(&self) -> Option<LogFigures> {
        let now_ms = self.owned.client.pacer().now_ms();
        let state = self.state();
        let Unflushed { bytes: tail_bytes, records: tail_records, oldest_ms } = state.tail.unflushed();
        Some(LogFigures {
            window_ms: state.pace.window_ms(&self.options),
            put_ms: state.pace.put_ms_last,
            groups: state.pace.groups,
            tail_bytes,
            tail_records,
            tail_age_ms: oldest_ms.map_or(0, |oldest_ms| now_ms.saturating_sub(oldest_ms)),
            pending_bytes: state.pending_bytes() as u64,
        })
    }
}
