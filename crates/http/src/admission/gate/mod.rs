//! A gate: some requests are worked on at once, some more wait their turn, all bounded in number and time.
//! One that is refused, or would wait longer than that, or a queue in which all have long waited many times
//! as long as the work takes, shows that more is asked for than can be done. Then the gate is pressed: no
//! more are worked on at once than there are processors, and whoever came last is next, so that what is
//! admitted has hardly waited, while those at the far end of the queue are refused. That lasts until next to
//! nobody is refused. After CoDel (Nichols, Jacobson 2012): a queue is for bursts; one that stands is only
//! delay. And after adaptive LIFO (Maurer, "Fail at Scale", 2015): who has waited longest is the likeliest to
//! have given up.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plan::{Error, ErrorKind, Result};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

/// Pressure is looked at anew after this long, and over when fewer than one in this many were refused
/// meanwhile.
const PRESSED_FOR: Duration = Duration::from_secs(1);
const REFUSED_FEW: usize = 20;
/// Under pressure anyone may wait this many times what a request takes, and as long as that.
const PRESSED_WAITS: u32 = 8;
const PRESSED_WAIT_LEAST: Duration = Duration::from_millis(5);
/// Work that takes less is over within a slice or two of the system's scheduler.
const SHORT: Duration = Duration::from_millis(5);
/// Who waited no longer than that, or than so many times what a request takes, has not waited long.
const WAIT_LEAST: Duration = Duration::from_millis(5);
const WAITS_MAX: u32 = 16;
/// What usual is, is a mean in which each request counts one so-manieth.
const USUAL_WEIGHT: u32 = 16;

/// How a gate lets requests in.
#[derive(Clone, Copy, Debug)]
pub struct GateLimits {
    /// Worked on at a time.
    pub at_once: usize,
    /// The same under pressure; one less while the work is short.
    pub at_once_pressed: usize,
    /// Beyond these the one that has waited longest is refused.
    pub waiting_max: usize,
    /// Who waits longer is refused.
    pub patience: Duration,
}

pub(crate) struct Gate {
    limits: GateLimits,
    line: Mutex<Line>,
}

impl Gate {
    pub fn new(limits: GateLimits) -> Self {
        let at_once = limits.at_once.max(1);
        let at_once_pressed = limits.at_once_pressed.clamp(1, at_once);
        let line = Line {
            working: 0,
            waiting: VecDeque::new(),
            usual: Duration::ZERO,
            flowed: Instant::now(),
            pressure: None,
        };
        Self { limits: GateLimits { at_once, at_once_pressed, ..limits }, line: Mutex::new(line) }
    }

    /// How long may be waited at most.
    pub fn patience_max(&self) -> Duration {
        self.limits.patience
    }

    /// Errors: `Busy` for who is refused.
    pub async fn enter(&self) -> Result<Pass<'_>> {
        let came = Instant::now();
        let Some(turn) = self.line().arrive(&self.limits, came)? else {
            return Ok(Pass { gate: self, began: came });
        };
        let mut turn = Turn { gate: self, turn };
        let told = timeout(self.limits.patience, &mut turn.turn).await;
        match told {
            Ok(Ok(())) => Ok(Pass { gate: self, began: Instant::now() }),
            Ok(Err(_)) => Err(refused()),
            Err(_) => {
                // Counts as any refusal does: more is asked for than can be done.
                self.line().refuse(1, Instant::now());
                Err(refused())
            }
        }
    }

    /// How many are worked on.
    pub fn working(&self) -> usize {
        self.line().working
    }

    /// Whether requests are refused, or a quarter of those who may wait do.
    pub fn is_pressed(&self) -> bool {
        let mut line = self.line();
        line.look(Instant::now());
        let waiting = line.waiting.len();
        line.pressure.is_some() || (waiting > 0 && waiting * 4 >= self.limits.waiting_max)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused() -> Error {
    busy("requests")
}

/// Which requests are worked on, and which wait.
struct Line {
    working: usize,
    /// In the order they came. Some may have gone away.
    waiting: VecDeque<Waiter>,
    /// How long a request is usually worked on.
    usual: Duration,
    /// When somebody was last let in who had not waited long.
    flowed: Instant,
    pressure: Option<Pressure>,
}

struct Waiter {
    came: Instant,
    /// Told when it may go in; dropped when it is refused.
    turn: oneshot::Sender<()>,
}

/// What was seen since it was last looked at.
struct Pressure {
    since: Instant,
    asked: usize,
    refused: usize,
}

impl Line {
    /// `None` lets in; otherwise it says when it is one's turn.
    fn arrive(&mut self, limits: &GateLimits, now: Instant) -> Result<Option<oneshot::Receiver<()>>> {
        self.look(now);
        if let Some(pressure) = &mut self.pressure {
            pressure.asked += 1;
        }
        // Those who wait first: there is room for who comes only where none of them is left.
        self.advance(limits, now);
        if self.working < self.room(limits) {
            self.working += 1;
            self.flowed = now;
            return Ok(None);
        }
        if self.waiting.len() >= limits.waiting_max || self.is_late(limits) {
            self.refuse(1, now);
            // In the place of who comes the one goes that has waited longest, and is the likeliest to have
            // given up.
            if self.waiting.pop_front().is_none() {
                return Err(refused());
            }
        }
        let (turn, told) = oneshot::channel();
        self.waiting.push_back(Waiter { came: now, turn });
        Ok(Some(told))
    }

    /// Somebody's work is over.
    fn leave(&mut self, limits: &GateLimits, now: Instant, worked: Duration) {
        self.usual = match self.usual {
            Duration::ZERO => worked,
            usual => (usual * (USUAL_WEIGHT - 1) + worked) / USUAL_WEIGHT,
        };
        self.withdraw(limits, now);
    }

    fn withdraw(&mut self, limits: &GateLimits, now: Instant) {
        self.working -= 1;
        self.look(now);
        self.advance(limits, now);
    }

    /// How many may be worked on. Beside short work that is refused often, and every wait for a processor
    /// counts: under pressure one is left for it.
    fn room(&self, limits: &GateLimits) -> usize {
        match self.pressure {
            None => limits.at_once,
            Some(_) if self.usual < SHORT => limits.at_once_pressed.saturating_sub(1).max(1),
            Some(_) => limits.at_once_pressed,
        }
    }

    /// Whether who comes now would wait too long, in turn.
    fn is_late(&self, limits: &GateLimits) -> bool {
        let ahead = u32::try_from(self.waiting.len() / limits.at_once).unwrap_or(u32::MAX);
        self.pressure.is_none() && self.usual.saturating_mul(ahead) > limits.patience
    }

    /// Lets in who is next while there is room, and refuses who has waited too long under pressure.
    fn advance(&mut self, limits: &GateLimits, now: Instant) {
        while self.working < self.room(limits) {
            let pressed = self.pressure.is_some();
            let next = if pressed { self.waiting.pop_back() } else { self.waiting.pop_front() };
            let Some(Waiter { came, turn }) = next else { break };
            // Fails where somebody has gone away, whose room is the next one's.
            if turn.send(()).is_ok() {
                self.working += 1;
                self.judge(limits, now - came, now);
            }
        }
        if self.pressure.is_some() {
            let patience = (self.usual * PRESSED_WAITS).max(PRESSED_WAIT_LEAST);
            let late = self.waiting.iter().take_while(|oldest| now - oldest.came > patience).count();
            // Who has gone away by itself was refused nothing.
            let still_there = self.waiting.drain(..late).filter(|oldest| !oldest.turn.is_closed()).count();
            self.refuse(still_there, now);
        }
    }

    /// Whoever has gone away, at either end.
    fn forget_gone(&mut self) {
        let gone = |waiter: Option<&Waiter>| waiter.is_some_and(|waiter| waiter.turn.is_closed());
        while gone(self.waiting.front()) {
            self.waiting.pop_front();
        }
        while gone(self.waiting.back()) {
            self.waiting.pop_back();
        }
    }

    /// Looks whether all have waited long for as long as anyone may wait.
    fn judge(&mut self, limits: &GateLimits, waited: Duration, now: Instant) {
        if waited <= (self.usual * WAITS_MAX).max(WAIT_LEAST) {
            self.flowed = now;
        } else if now - self.flowed >= limits.patience {
            self.press(now);
        }
    }

    fn press(&mut self, now: Instant) -> &mut Pressure {
        self.pressure.get_or_insert(Pressure { since: now, asked: 0, refused: 0 })
    }

    /// This many are refused.
    fn refuse(&mut self, count: usize, now: Instant) {
        if count > 0 {
            self.press(now).refused += count;
        }
    }

    /// Looks whether the pressure is over.
    fn look(&mut self, now: Instant) {
        let Some(Pressure { since, asked, refused }) = self.pressure else { return };
        let passed = now - since;
        if passed < PRESSED_FOR {
            return;
        }
        self.pressure = None;
        // What was seen long ago says nothing of now: after a quiet time the gate opens whatever was refused
        // before it.
        if passed < PRESSED_FOR * 2 && refused * REFUSED_FEW > asked {
            self.press(now);
        }
        self.flowed = now;
    }
}

/// A request is worked on as long as it lives.
pub(crate) struct Pass<'a> {
    gate: &'a Gate,
    began: Instant,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        self.gate.line().leave(&self.gate.limits, now, now - self.began);
    }
}

/// Waits to be let in. Who goes away just then gives the room back.
struct Turn<'a> {
    gate: &'a Gate,
    turn: oneshot::Receiver<()>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // Closed before it is looked at: nobody can be let in by it any more, and who was just now is found.
        self.turn.close();
        let mut line = self.gate.line();
        if self.turn.try_recv().is_ok() {
            line.withdraw(&self.gate.limits, Instant::now());
        }
        line.forget_gone();
    }
}

pub(crate) fn busy(what: &str) -> Error {
    let message = format!("too many {what} are waiting here; send the request again after a second");
    Error::new(ErrorKind::Busy, message)
}

#[cfg(test)]
mod tests;
