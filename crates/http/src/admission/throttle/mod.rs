//! Updates give way to an objective: a rate of bytes (`control`) fills a bucket, and who is first of those
//! that wait (`queue`) takes from it. Who would wait too long is told so at once, with the time after which
//! there will be room: 429 with `Retry-After`.
//!
//! In: pieces of updates before they are worked on, searches as they end; out: leave to go on. Without an
//! objective there is none of this.

mod control;
mod latency;
mod queue;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plan::{Error, ErrorKind};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::objective::{Objective, UpdateShare};
use control::Control;
use queue::{FairQueue, QueuePlace};

/// An update costs this many bytes besides its own.
const UPDATE_BYTES: f64 = 256.0;
/// What has not been used is kept for this long at most: a burst of that much hurts nobody.
const BURST: Duration = Duration::from_millis(100);
/// Who would begin later than this is refused. (One that has begun waits as long as any update may.)
const WAIT_MAX: Duration = Duration::from_secs(2);
/// The rate changes meanwhile, so who is first looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Nobody is sent away for longer: the objective may be kept with more by then.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// The processor time that the server has used so far, in nanoseconds.
pub(super) type ProcessorClock = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

pub(crate) struct Throttle {
    state: Mutex<State>,
    processor: ProcessorClock,
    waiting_max: usize,
    patience: Duration,
}

struct State {
    control: Control,
    queue: FairQueue,
    /// Bytes that may be let in now; below 0 what was let in ahead.
    balance: f64,
    filled: Instant,
    refused: u64,
}

/// What there is to see of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttled {
    /// What updates are held to at the moment.
    pub bytes_per_second: u64,
    /// Pieces, since the server began.
    pub refused: u64,
    pub waiting: u64,
}

/// A piece of an update that is to be worked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UpdatePiece<'a> {
    pub collection: &'a str,
    pub bytes: usize,
    /// Whether pieces before it are done.
    pub has_begun: bool,
}

/// Why a piece is not worked on.
#[derive(Debug)]
pub(crate) struct Refused {
    pub error: Error,
    /// When to come again; 0 where nothing is known.
    pub retry_after_s: u64,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, retry_after_s: 0 }
    }
}

enum Arrival {
    Free,
    Queued(QueuePlace, Arc<Notify>),
    Refused(Duration),
}

enum Turn {
    Now,
    /// It is first, and there will be room then.
    At(Instant),
    Behind,
}

impl Throttle {
    /// `waiting_max` and `patience` bound who waits.
    pub fn new(
        objective: Objective,
        shares: &[UpdateShare],
        (processors, processor): (usize, ProcessorClock),
        (waiting_max, patience): (usize, Duration),
    ) -> Self {
        let now = Instant::now();
        let control = Control::new(objective, processors, now);
        let state = State { control, queue: FairQueue::new(shares), balance: 0.0, filled: now, refused: 0 };
        Self { state: Mutex::new(state), processor, waiting_max, patience }
    }

    /// A search ended that took this long.
    pub fn searched(&self, took: Duration) {
        let mut state = self.state();
        state.control.searched(took);
        state.control.step(Instant::now(), || (self.processor)());
    }

    pub fn throttled(&self) -> Throttled {
        let state = self.state();
        let (rate, waiting) = (state.control.rate(), state.queue.len());
        Throttled { bytes_per_second: rate as u64, refused: state.refused, waiting: waiting as u64 }
    }

    /// Waits until the piece may be worked on. Errors: `Busy`.
    pub async fn pass(&self, piece: UpdatePiece<'_>) -> Result<(), Refused> {
        let passed = self.wait_turn(piece).await;
        self.state().refused += u64::from(passed.is_err());
        passed
    }

    async fn wait_turn(&self, piece: UpdatePiece<'_>) -> Result<(), Refused> {
        let now = Instant::now();
        let (place, wake) = match self.arrive(piece, now) {
            Arrival::Free => return Ok(()),
            Arrival::Refused(wait) => return Err(refused(wait)),
            Arrival::Queued(place, wake) => (place, wake),
        };
        let waiting = Waiting { throttle: self, place };
        let until = now + self.patience;
        loop {
            let next = match self.turn(place) {
                Turn::Now => return Ok(()),
                Turn::At(moment) => moment,
                Turn::Behind => until,
            };
            let woken = async {
                tokio::select! {
                    () = sleep_until(next) => {}
                    () = wake.notified() => {}
                }
            };
            let is_late = timeout_at(until, woken).await.is_err() || Instant::now() >= until;
            if is_late {
                let wait = self.state().wait(piece);
                drop(waiting);
                return Err(refused(wait));
            }
        }
    }

    fn arrive(&self, piece: UpdatePiece<'_>, now: Instant) -> Arrival {
        let mut state = self.state();
        state.control.step(now, || (self.processor)());
        state.fill(now);
        let bytes = cost(piece);
        if state.queue.len() == 0 && state.balance >= 0.0 {
            state.take(bytes);
            return Arrival::Free;
        }
        let wait = state.wait(piece);
        let wait_max = if piece.has_begun { self.patience } else { WAIT_MAX.min(self.patience) };
        if wait > wait_max && !piece.has_begun || state.queue.len() >= self.waiting_max {
            return Arrival::Refused(wait);
        }
        let (place, wake) = state.queue.join(piece.collection, bytes);
        Arrival::Queued(place, wake)
    }

    fn turn(&self, place: QueuePlace) -> Turn {
        let (mut state, now) = (self.state(), Instant::now());
        state.control.step(now, || (self.processor)());
        state.fill(now);
        if !state.queue.is_first(place) {
            return Turn::Behind;
        }
        if state.balance >= 0.0 {
            if let Some(bytes) = state.queue.leave(place, true) {
                state.take(bytes);
            }
            return Turn::Now;
        }
        let wait = seconds(-state.balance / state.control.rate());
        // A moment later at least: as nothing it would be asked for ever.
        Turn::At(now + wait.clamp(Duration::from_millis(1), LOOK_AGAIN))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fill(&mut self, now: Instant) {
        let passed = (now - std::mem::replace(&mut self.filled, now)).as_secs_f64();
        let rate = self.control.rate();
        self.balance = (self.balance + rate * passed).min(rate * BURST.as_secs_f64());
    }

    fn take(&mut self, bytes: f64) {
        self.control.admit(bytes);
        self.balance -= bytes;
    }

    /// How long a piece that came now would wait.
    fn wait(&self, piece: UpdatePiece<'_>) -> Duration {
        let ahead = self.queue.bytes_before(piece.collection, cost(piece)) - self.balance;
        seconds(ahead / self.control.rate())
    }
}

/// Waits; who goes away leaves the queue.
struct Waiting<'a> {
    throttle: &'a Throttle,
    place: QueuePlace,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.throttle.state().queue.leave(self.place, false);
    }
}

fn cost(piece: UpdatePiece<'_>) -> f64 {
    piece.bytes as f64 + UPDATE_BYTES
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(RETRY_AFTER_MAX).min(RETRY_AFTER_MAX)
}

fn refused(wait: Duration) -> Refused {
    let retry_after_s = (wait.as_secs_f64().ceil() as u64).max(1);
    let words = if retry_after_s == 1 { "a second".to_owned() } else { format!("{retry_after_s} seconds") };
    let message = format!("updates give way to the server's objective; send the request again after {words}");
    Refused { error: Error::new(ErrorKind::Busy, message), retry_after_s }
}

#[cfg(test)]
mod tests;
