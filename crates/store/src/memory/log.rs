//! The log of a home in memory. Records wait until somebody waits for one of them; then all go as one group,
//! and what becomes of it is the medium's to say. A group that has no answer yet is in the way of all behind
//! it.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::medium::{Fate, Opening, Shared};
use crate::contract::{FencedLog, RECORD_BYTES_MAX, ReplayEnd, Watermark};
use crate::{DurabilityWaiter, Error, ErrorKind, Result, Room};

type Records = Vec<(Watermark, Vec<u8>)>;

pub(super) struct MemoryLog {
    shared: Shared,
    opening: Opening,
    state: Mutex<State>,
}

struct State {
    last: Watermark,
    durable: Watermark,
    pending: Records,
    under_way: Option<UnderWay>,
    /// Why this log takes no more records.
    broken: Option<Error>,
    waiters: Vec<(Watermark, DurabilityWaiter)>,
    promised: Arc<AtomicUsize>,
}

/// A group that was offered and not resolved.
struct UnderWay {
    last: Watermark,
    /// Waits that end without an answer.
    waits: u32,
    has_landed: bool,
    /// How often the medium had been calmed when it was offered.
    calms: u64,
}

impl MemoryLog {
    pub(super) fn new(shared: Shared, opening: Opening, end: Watermark) -> Self {
        let state = State {
            last: Watermark::new(opening.epoch, 0),
            durable: end,
            pending: Vec::new(),
            under_way: None,
            broken: None,
            waiters: Vec::new(),
            promised: Arc::default(),
        };
        Self { shared, opening, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers what is pending, unless a group is under way.
    fn offer(&self, state: &mut State) -> Result<()> {
        // A second group might land before the first, and recovery would find a gap.
        if state.under_way.is_some() || state.pending.is_empty() {
            return Ok(());
        }
        let mut medium = self.shared.medium();
        self.opening.check(&mut medium)?;
        let group = std::mem::take(&mut state.pending);
        let last = group.last().map_or(state.last, |(at, _)| *at);
        medium.counts.groups += 1;
        let (waits, has_landed) = match medium.fates.pop_front() {
            None => (0, true),
            Some(Fate::AnsweredLate { waits }) => {
                medium.counts.answered_late += 1;
                (waits, true)
            }
            Some(Fate::Delayed { waits }) => {
                medium.counts.delayed += 1;
                (waits, false)
            }
            Some(Fate::Failed { landed }) => {
                medium.counts.failed += 1;
                if landed {
                    medium.land(group);
                }
                let message =
                    "the medium failed; this log takes no more records until the shard is opened anew";
                return Err(Error::new(ErrorKind::Failed, message));
            }
        };
        if has_landed {
            medium.land(group);
        } else {
            medium.under_way.push(group);
        }
        state.under_way = Some(UnderWay { last, waits, has_landed, calms: medium.calms });
        Ok(())
    }

    /// Looks whether the group under way has its answer.
    fn resolve(&self, state: &mut State) -> Result<()> {
        let Some(group) = &mut state.under_way else { return Ok(()) };
        let mut medium = self.shared.medium();
        if group.waits > 0 && group.calms == medium.calms {
            group.waits -= 1;
            return Err(Error::new(ErrorKind::Unknown, "the medium has not answered yet; wait again"));
        }
        if !group.has_landed {
            self.opening.check(&mut medium)?;
            let landing = std::mem::take(&mut medium.under_way);
            landing.into_iter().for_each(|group| medium.land(group));
        }
        state.durable = group.last;
        state.under_way = None;
        Ok(())
    }

    /// Lets time pass once: what is pending is offered, what is under way may be answered.
    fn advance(&self, state: &mut State) -> Result<()> {
        if let Some(error) = &state.broken {
            return Err(error.repeat());
        }
        self.offer(state).and_then(|()| self.resolve(state)).inspect_err(|error| {
            if *error.kind() != ErrorKind::Unknown {
                state.broken = Some(error.repeat());
            }
        })
    }

    fn check_given_out(&self, state: &State, at: Watermark) -> Result<()> {
        if at <= state.last {
            return Ok(());
        }
        let message = format!("record {} of epoch {} was never appended here", at.sequence, at.epoch);
        Err(Error::new(ErrorKind::Invalid, message))
    }

    /// Tells those who wait, outside the lock.
    fn tell(&self, mut state: MutexGuard<'_, State>) {
        let (durable, broken) = (state.durable, state.broken.as_ref().map(Error::repeat));
        let mut told = Vec::new();
        for (at, waiter) in std::mem::take(&mut state.waiters) {
            match &broken {
                _ if at <= durable => told.push((waiter, Ok(()))),
                Some(error) => told.push((waiter, Err(error.repeat()))),
                None => state.waiters.push((at, waiter)),
            }
        }
        drop(state);
        told.into_iter().for_each(|(waiter, result)| waiter(result));
    }
}

impl FencedLog for MemoryLog {
    fn reserve(&self, bytes: usize) -> Result<Room> {
        if bytes > RECORD_BYTES_MAX {
            let message = format!("a record of {bytes} bytes is too long; use at most {RECORD_BYTES_MAX}");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let state = self.state();
        if let Some(error) = &state.broken {
            return Err(error.repeat());
        }
        self.shared.medium().take(bytes)?;
        Ok(Room::promise(bytes, 0, &state.promised))
    }

    fn append(&self, room: Room, record: &[u8]) -> Watermark {
        room.check(record);
        let mut state = self.state();
        state.last.sequence += 1;
        let at = state.last;
        state.pending.push((at, record.to_vec()));
        at
    }

    fn durable(&self) -> Watermark {
        self.state().durable
    }

    fn wait_durable(&self, at: Watermark) -> Result<()> {
        let mut state = self.state();
        self.check_given_out(&state, at)?;
        let mut result = Ok(());
        // What an earlier opening appended was settled when this one began: nothing of it is still to come.
        while result.is_ok() && state.durable < at && at.epoch == self.opening.epoch {
            result = self.advance(&mut state);
        }
        self.tell(state);
        result
    }

    /// No thread ever writes while another asks.
    fn try_wait_durable(&self, at: Watermark) -> Option<Result<()>> {
        Some(self.wait_durable(at))
    }

    fn is_waited_for(&self) -> bool {
        !self.state().waiters.is_empty()
    }

    fn when_durable(&self, at: Watermark, waiter: DurabilityWaiter) {
        let mut state = self.state();
        let checked = self.check_given_out(&state, at);
        if checked.is_ok() && state.durable < at && at.epoch == self.opening.epoch {
            state.waiters.push((at, waiter));
            return self.tell(state);
        }
        drop(state);
        waiter(checked);
    }

    fn confirm(&self) -> Result<()> {
        self.opening.check_newest(&mut self.shared.medium())
    }

    fn replay(
        &self,
        after: Option<Watermark>,
        visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<ReplayEnd> {
        let (after, durable) = (after.unwrap_or(Watermark::START), self.state().durable);
        let records = {
            let medium = self.shared.medium();
            if after > durable || after < medium.trimmed {
                return Err(Error::corrupt(
                    "log",
                    0,
                    "records are missing; start from a manifest of this home",
                ));
            }
            let wanted = medium.records.iter().filter(|(at, _)| *at > after && *at <= durable);
            wanted.cloned().collect::<Records>()
        };
        for (at, record) in &records {
            visit(*at, record)?;
        }
        Ok(ReplayEnd { records: records.len() as u64, torn_bytes: 0, end: durable })
    }

    fn trim(&self, upto: Watermark) -> Result<()> {
        let upto = upto.min(self.state().durable);
        let mut medium = self.shared.medium();
        self.opening.check(&mut medium)?;
        medium.trimmed = medium.trimmed.max(upto);
        medium.records.retain(|(at, _)| *at > upto);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let pending: usize = self.state().pending.iter().map(|(_, record)| record.len()).sum();
        let medium = self.shared.medium();
        (medium.records.iter().map(|(_, record)| record.len()).sum::<usize>() + pending) as u64
    }
}
