//! A gate: so many requests are worked on at once, so many more wait their turn, in the order they came and for so long at
//! most. One that is refused, or a queue in which all have long waited several times as long as the work takes, shows that
//! more is asked for than can be done. Then the gate is pressed: who waits is refused as soon as waiting would cost more than half
//! as much again as the work, and no more are worked on at once than there are processors, so that what is admitted takes
//! about as long as ever. That lasts until nobody was refused for a while.
//! After CoDel (Nichols, Jacobson 2012): a queue is for bursts; one that stands is only delay.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use plan::Result;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use crate::admission::busy;

/// Pressure is over when nobody was refused for so long.
const PRESSED_FOR: Duration = Duration::from_secs(1);
/// Who waits looks this often whether there is pressure.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Under pressure anyone may wait as long as that: timers know no less.
const PATIENCE_LEAST: Duration = Duration::from_millis(1);
/// Who waited no longer than that, or than so many times what a request takes, has not waited long.
const WAIT_LEAST: Duration = Duration::from_millis(5);
const WAITS_MAX: u32 = 8;
/// What usual is, is a mean in which each request counts one so-manieth.
const USUAL_WEIGHT: u64 = 16;

/// How a gate lets requests in.
#[derive(Clone, Copy, Debug)]
pub struct GateLimits {
    /// Worked on at a time.
    pub at_once: usize,
    /// The same under pressure.
    pub at_once_pressed: usize,
    /// More than these are refused at once.
    pub waiting_max: usize,
    /// Who waits longer is refused.
    pub patience: Duration,
}

pub(crate) struct Gate {
    limits: GateLimits,
    room: Semaphore,
    waiting: AtomicUsize,
    /// Permits that nobody has because of the pressure.
    withheld: AtomicUsize,
    /// How long a request is usually worked on.
    usual_us: AtomicU64,
    opened: Instant,
    /// Milliseconds since then, when somebody was last let in who had not waited long.
    free_ms: AtomicU64,
    /// Milliseconds since then, until when there is pressure.
    pressed_until_ms: AtomicU64,
}

impl Gate {
    pub fn new(limits: GateLimits) -> Self {
        let at_once = limits.at_once.clamp(1, Semaphore::MAX_PERMITS);
        let at_once_pressed = limits.at_once_pressed.clamp(1, at_once);
        Self {
            limits: GateLimits { at_once, at_once_pressed, ..limits },
            room: Semaphore::new(at_once),
            waiting: AtomicUsize::new(0),
            withheld: AtomicUsize::new(0),
            usual_us: AtomicU64::new(0),
            opened: Instant::now(),
            free_ms: AtomicU64::new(0),
            pressed_until_ms: AtomicU64::new(0),
        }
    }

    /// How long may be waited at most.
    pub fn patience_max(&self) -> Duration {
        self.limits.patience
    }

    pub async fn enter(&self) -> Result<Pass<'_>> {
        let came = Instant::now();
        if !self.is_refusing(came) {
            self.give_back();
        }
        // Fails as long as anyone waits: nobody overtakes.
        if let Ok(permit) = self.room.try_acquire() {
            self.free_ms.store(self.ms(came), Relaxed);
            return Ok(Pass { gate: self, permit: Some(permit), began: came });
        }
        let admitted = match Place::take(&self.waiting, self.limits.waiting_max) {
            Some(_place) => self.wait(came).await,
            None => None,
        };
        admitted.ok_or_else(|| {
            self.press(Instant::now());
            busy("requests")
        })
    }

    /// `None` when it takes too long.
    async fn wait(&self, came: Instant) -> Option<Pass<'_>> {
        let mut turn = std::pin::pin!(self.room.acquire());
        loop {
            let now = Instant::now();
            let left = self.patience(now).checked_sub(now - came).filter(|left| !left.is_zero())?;
            match timeout(left.min(LOOK_EVERY), turn.as_mut()).await {
                Ok(Ok(permit)) => {
                    let now = Instant::now();
                    self.judge(now - came, now);
                    return Some(Pass { gate: self, permit: Some(permit), began: now });
                }
                Ok(Err(_)) => return None,
                Err(_) => {}
            }
        }
    }

    /// Looks whether all have waited long for as long as anyone may wait.
    fn judge(&self, waited: Duration, now: Instant) {
        let usual = Duration::from_micros(self.usual_us.load(Relaxed));
        let standing = || self.ms(now).saturating_sub(self.free_ms.load(Relaxed));
        if waited <= (usual * WAITS_MAX).max(WAIT_LEAST) {
            self.free_ms.store(self.ms(now), Relaxed);
        } else if u128::from(standing()) >= self.limits.patience.as_millis() {
            self.press(now);
        }
    }

    fn press(&self, now: Instant) {
        self.pressed_until_ms.fetch_max(self.ms(now + PRESSED_FOR), Relaxed);
    }

    /// How long may be waited.
    fn patience(&self, now: Instant) -> Duration {
        if !self.is_refusing(now) {
            return self.limits.patience;
        }
        let usual = Duration::from_micros(self.usual_us.load(Relaxed));
        (usual / 2).clamp(PATIENCE_LEAST.min(self.limits.patience), self.limits.patience)
    }

    /// Whether requests were refused a moment ago.
    fn is_refusing(&self, now: Instant) -> bool {
        let until = self.pressed_until_ms.load(Relaxed);
        until > 0 && self.ms(now) < until
    }

    /// Whether requests are refused, or a quarter of those who may wait do.
    pub fn is_pressed(&self) -> bool {
        let waiting = self.waiting.load(Relaxed);
        (waiting > 0 && waiting * 4 >= self.limits.waiting_max) || self.is_refusing(Instant::now())
    }

    fn ms(&self, moment: Instant) -> u64 {
        (moment - self.opened).as_millis() as u64
    }

    /// The pressure is over: all may have what was withheld.
    fn give_back(&self) {
        if self.withheld.load(Relaxed) > 0 {
            self.room.add_permits(self.withheld.swap(0, Relaxed));
        }
    }

    /// Whether a permit is to be withheld rather than handed on.
    fn withholds(&self, now: Instant) -> bool {
        let most = self.limits.at_once - self.limits.at_once_pressed;
        let more = |withheld: usize| (withheld < most).then_some(withheld + 1);
        self.is_refusing(now) && self.withheld.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    fn note(&self, worked: Duration) {
        let (worked, usual) = (worked.as_micros() as u64, self.usual_us.load(Relaxed));
        let mean = if usual == 0 { worked } else { (usual * (USUAL_WEIGHT - 1) + worked) / USUAL_WEIGHT };
        // Two at a time may lose one of the two: it is a mean.
        self.usual_us.store(mean, Relaxed);
    }
}

/// Somebody is worked for as long as it lives.
pub(crate) struct Pass<'a> {
    gate: &'a Gate,
    permit: Option<SemaphorePermit<'a>>,
    began: Instant,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        self.gate.note(now - self.began);
        if let Some(permit) = self.permit.take()
            && self.gate.withholds(now)
        {
            permit.forget();
        }
    }
}

/// A place in a queue, free again when its request goes in, is refused or goes away.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, waiting_max: usize) -> Option<Self> {
        let place = Self(waiting);
        (waiting.fetch_add(1, Relaxed) < waiting_max).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::ErrorKind;
    use tokio::task::JoinSet;

    use super::*;

    const WORK: Duration = Duration::from_millis(10);

    fn gate(at_once: usize, at_once_pressed: usize, waiting_max: usize, patience: Duration) -> Arc<Gate> {
        Arc::new(Gate::new(GateLimits { at_once, at_once_pressed, waiting_max, patience }))
    }

    /// So many requests every hundredth of a second, for so many; how long each took that was admitted.
    async fn ask(gate: &Arc<Gate>, each_time: usize, times: usize) -> Vec<Duration> {
        let mut requests = JoinSet::new();
        for _ in 0..times {
            for _ in 0..each_time {
                let gate = Arc::clone(gate);
                requests.spawn(async move {
                    let started = Instant::now();
                    let _pass = gate.enter().await.ok()?;
                    tokio::time::sleep(WORK).await;
                    Some(started.elapsed())
                });
            }
            tokio::time::sleep(WORK).await;
        }
        requests.join_all().await.into_iter().flatten().collect()
    }

    /// Three times as much as can be done, for ten seconds of a clock that only this test moves: all that can be done is
    /// done, and after the first 0.6 seconds what is admitted takes no more than twice as long.
    #[tokio::test(start_paused = true)]
    async fn overload_leaves_what_is_admitted_fast() {
        let gate = gate(8, 4, 1024, Duration::from_millis(400));
        let mut took = ask(&gate, 24, 1000).await;
        assert!(took.len() >= 3990, "{}", took.len());
        took.sort_unstable();
        let slow = took.iter().filter(|time| **time > WORK * 2).count();
        assert!(slow <= 8 * 60, "{slow} of {}: {:?}", took.len(), took.last());
    }

    /// A burst is no overload: it waits, and is answered whole.
    #[tokio::test(start_paused = true)]
    async fn a_burst_is_worked_off() {
        let gate = gate(4, 1, 1024, Duration::from_millis(400));
        assert_eq!(ask(&gate, 100, 1).await.len(), 100);
        assert!(!gate.is_pressed());
    }

    /// So many clients, each of whom asks again when it is answered, for two seconds: whether there was pressure.
    async fn pressed_by(clients: usize) -> bool {
        let gate = gate(4, 2, 1024, Duration::from_millis(400));
        let mut asking = JoinSet::new();
        for _ in 0..clients {
            let gate = Arc::clone(&gate);
            asking.spawn(async move {
                for _ in 0..200 {
                    let _pass = gate.enter().await;
                    tokio::time::sleep(WORK).await;
                }
            });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let pressed = gate.is_pressed();
        asking.shutdown().await;
        pressed
    }

    #[tokio::test(start_paused = true)]
    async fn a_queue_that_stands_is_pressure() {
        assert!(!pressed_by(4).await);
        assert!(!pressed_by(16).await);
        assert!(pressed_by(40).await);
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_pressure_all_is_as_before() {
        let gate = gate(8, 1, 2, WORK);
        ask(&gate, 100, 3).await;
        assert!(gate.is_pressed());
        assert_eq!(gate.withheld.load(Relaxed), 7);
        tokio::time::sleep(PRESSED_FOR + WORK).await;
        assert!(!gate.is_pressed());
        assert_eq!(ask(&gate, 8, 1).await, [WORK; 8]);
        assert_eq!(gate.room.available_permits(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_is_refused() {
        let patience = Duration::from_millis(50);
        let gate = gate(1, 1, 10, patience);
        let pass = gate.enter().await.unwrap();
        let started = Instant::now();
        let error = gate.enter().await.err().unwrap();
        assert_eq!((error.kind, started.elapsed()), (ErrorKind::Busy, patience));
        drop(pass);
        assert!(gate.enter().await.is_ok());
    }
}
