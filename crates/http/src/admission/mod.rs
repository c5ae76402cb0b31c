//! Which requests are worked on now, which wait, and which are refused until later (429). Queries and updates
//! have a gate each (`gate`): a number at once, a number more that wait. What has been admitted is therefore
//! answered within a bound, however much more is asked for. Bodies have a room: what all requests together
//! have sent and not had answered yet. When memory runs short nothing is let in that would take more. Under
//! any pressure updates are refused before queries; with an objective (`objective.rs`) they give way before
//! there is any (`throttle`).

pub(crate) mod gate;
pub(crate) mod objective;
mod throttle;

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use coding::Effort;
use plan::{Error, ErrorKind, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::config::ServeConfig;
use gate::{Gate, Pass, busy};
use throttle::Throttle;
pub(crate) use throttle::{Refused, Throttled, UpdatePiece};

/// What a permit of the room for bodies stands for.
const ROOM_UNIT_BYTES: usize = 1 << 10;
/// How old the figure for memory may be.
const MEMORY_LOOK_EVERY: Duration = Duration::from_millis(100);
/// Shares of the memory that may be used from which on updates, and then queries too, are refused.
const MEMORY_UPDATES_MAX: f64 = 0.85;
const MEMORY_QUERIES_MAX: f64 = 0.95;

/// How often an update that has begun looks whether the queries still need all there is.
const PRESSED_PAUSE: Duration = Duration::from_millis(20);

/// What a request asks of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Next to nothing: it is always let in, so that a server under pressure can be looked at.
    Light,
    Query,
    Update,
}

/// The gates of a server.
pub(crate) struct Admission {
    queries: Gate,
    updates: Gate,
    /// Where updates give way to an objective.
    throttle: Option<Throttle>,
    /// Answers that are being packed.
    packing: AtomicUsize,
    processors: usize,
    bodies: Arc<Semaphore>,
    memory: Memory,
}

impl Admission {
    pub fn new(config: &ServeConfig) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let machine = Arc::clone(&config.machine);
        let throttle = config.objective.map(|objective| {
            let processor = (processors, Arc::new(move || machine().cpu_ns) as _);
            let waiting = (config.updates.waiting_max, config.updates.patience);
            Throttle::new(objective, &config.update_shares, processor, waiting)
        });
        let units = (config.bodies_bytes_max / ROOM_UNIT_BYTES).min(Semaphore::MAX_PERMITS);
        Self {
            queries: Gate::new(config.queries),
            updates: Gate::new(config.updates),
            packing: AtomicUsize::new(0),
            processors,
            throttle,
            bodies: Arc::new(Semaphore::new(units)),
            memory: Memory::new(Arc::clone(&config.memory_used)),
        }
    }

    /// Waits until the request may be worked on; it may as long as what is returned lives. Errors: `Busy`.
    pub async fn enter(&self, load: Load) -> Result<Admitted<'_>> {
        let came = Instant::now();
        let pass = match load {
            Load::Light => None,
            Load::Query if self.memory.used() >= MEMORY_QUERIES_MAX => return Err(short_of_memory()),
            Load::Query => Some(self.queries.enter().await?),
            Load::Update if self.memory.used() >= MEMORY_UPDATES_MAX => return Err(short_of_memory()),
            // Updates make way before queries are refused.
            Load::Update if self.queries.is_pressed() => return Err(busy("queries")),
            Load::Update => Some(self.updates.enter().await?),
        };
        let throttle = self.throttle.as_ref().filter(|_| load == Load::Query);
        Ok(Admitted { _pass: pass, searching: throttle.map(|throttle| Searching { throttle, came }) })
    }

    /// As [`Admission::enter`], for a piece of an update. One that has begun waits for the queries too before
    /// it is refused. Errors: `Busy`, with when to come again where that is known.
    pub async fn enter_piece(&self, piece: UpdatePiece<'_>) -> Result<Admitted<'_>, Refused> {
        if let Some(throttle) = &self.throttle {
            throttle.pass(piece).await?;
        }
        match piece.has_begun {
            true => Ok(self.go_on().await?),
            false => Ok(self.enter(Load::Update).await?),
        }
    }

    async fn go_on(&self) -> Result<Admitted<'_>> {
        let until = Instant::now() + self.updates.patience_max();
        while self.queries.is_pressed() {
            if Instant::now() >= until {
                return Err(busy("queries"));
            }
            tokio::time::sleep(PRESSED_PAUSE).await;
        }
        Ok(Admitted { _pass: Some(self.updates.enter().await?), searching: None })
    }

    /// Where updates give way to an objective, how far they do.
    pub fn throttled(&self) -> Option<Throttled> {
        self.throttle.as_ref().map(Throttle::throttled)
    }

    /// An answer is packed as long as what is returned lives.
    pub fn packing(&self) -> PackingLoad<'_> {
        let before = self.packing.fetch_add(1, Ordering::Relaxed);
        PackingLoad { admission: self, others: before + self.queries.working() + self.updates.working() }
    }

    /// Room for one body.
    pub fn room(&self, bytes_max: usize) -> Room {
        Room { all: self.bodies.clone(), held: None, bytes_max }
    }
}

/// A request is worked on as long as it lives.
pub(crate) struct Admitted<'a> {
    _pass: Option<Pass<'a>>,
    /// A search, where updates give way to how long it takes.
    #[allow(dead_code, reason = "held, not read")]
    searching: Option<Searching<'a>>,
}

struct Searching<'a> {
    throttle: &'a Throttle,
    came: Instant,
}

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.throttle.searched(self.came.elapsed());
    }
}

/// What else wants the processors while an answer is packed.
pub(crate) struct PackingLoad<'a> {
    admission: &'a Admission,
    /// Requests that are worked on, and other answers that are packed.
    others: usize,
}

impl PackingLoad<'_> {
    /// What a byte that is saved may cost.
    pub fn effort(&self) -> Effort {
        match self.others {
            0 => Effort::More,
            others if others < self.admission.processors => Effort::Usual,
            _ => Effort::Least,
        }
    }
}

impl Drop for PackingLoad<'_> {
    fn drop(&mut self) {
        self.admission.packing.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How much of the memory that may be used is, asked for by whoever comes when the last answer is old.
struct Memory {
    look: Arc<dyn Fn() -> f64 + Send + Sync>,
    since: Instant,
    /// Milliseconds since then, of the next look.
    next_ms: AtomicU64,
    /// The share, as bits.
    used: AtomicU64,
}

impl Memory {
    fn new(look: Arc<dyn Fn() -> f64 + Send + Sync>) -> Self {
        Self { look, since: Instant::now(), next_ms: AtomicU64::new(0), used: AtomicU64::new(0) }
    }

    fn used(&self) -> f64 {
        let (now, next) = (self.since.elapsed().as_millis() as u64, self.next_ms.load(Ordering::Relaxed));
        let after = now + MEMORY_LOOK_EVERY.as_millis() as u64;
        let mine = now >= next
            // One of those who come looks, the others go by the last figure. It stands for itself, so no
            // order is needed.
            && self.next_ms.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if mine {
            self.used.store((self.look)().to_bits(), Ordering::Relaxed);
        }
        f64::from_bits(self.used.load(Ordering::Relaxed))
    }
}

/// What one body takes of the room for all.
pub(crate) struct Room {
    all: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
    bytes_max: usize,
}

impl Room {
    /// Errors: `TooLarge` when a body of that much will find no room.
    pub fn fits(&self, bytes: u64) -> Result<()> {
        if bytes > self.bytes_max as u64 { Err(too_large(self.bytes_max)) } else { Ok(()) }
    }

    /// Takes that much in all, and gives back what it has beyond. Errors: `TooLarge` beyond the bound of one
    /// body, `Busy` when the others leave none.
    pub fn resize(&mut self, bytes: usize) -> Result<()> {
        if bytes > self.bytes_max {
            return Err(too_large(self.bytes_max));
        }
        let (wanted, held) = (bytes.div_ceil(ROOM_UNIT_BYTES), self.units());
        let more = wanted.saturating_sub(held);
        if more == 0 {
            drop(self.held.as_mut().and_then(|permits| permits.split(held - wanted)));
            return Ok(());
        }
        let more = u32::try_from(more).map_err(|_| too_large(self.bytes_max))?;
        let more =
            // Not waited for: bodies that hold a part of the room would wait for each other.
            self.all.clone().try_acquire_many_owned(more).map_err(|_| busy("bytes of other requests"))?;
        match &mut self.held {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    fn units(&self) -> usize {
        self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }
}

pub(crate) fn too_large(bytes_max: usize) -> Error {
    let message = format!(
        "the request's body exceeds `{bytes_max}` bytes; send less at a time, or start the server with a higher --body-max, or --query-body-max for parameters and queries"
    );
    Error::new(ErrorKind::TooLarge, message)
}

fn short_of_memory() -> Error {
    let message = "memory is short here; send the request again after a second, or give the server more (`--memory-max`)";
    Error::new(ErrorKind::Busy, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::gate::GateLimits;
    use crate::configsets::Configsets;

    const WORK: Duration = Duration::from_millis(10);

    fn admission(adjust: impl FnOnce(&mut ServeConfig)) -> Admission {
        let mut config = ServeConfig::new(Configsets::default(), Arc::new(String::new));
        adjust(&mut config);
        Admission::new(&config)
    }

    #[tokio::test(start_paused = true)]
    async fn updates_make_way_before_queries_are_refused() {
        let limits = GateLimits { at_once: 1, at_once_pressed: 1, waiting_max: 4, patience: WORK };
        let admission = admission(|config| config.queries = limits);
        let _pass = admission.enter(Load::Query).await.unwrap();
        assert!(admission.enter(Load::Update).await.is_ok());
        let (query, update) = tokio::join!(admission.enter(Load::Query), admission.enter(Load::Update));
        assert_eq!(update.err().map(|error| error.kind), Some(ErrorKind::Busy));
        assert_eq!(query.err().map(|error| error.kind), Some(ErrorKind::Busy));
        assert!(admission.enter(Load::Light).await.is_ok());
        // For as long as queries are refused, and a while after.
        assert!(admission.enter(Load::Update).await.is_err());
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(admission.enter(Load::Update).await.is_ok());
        // One that has begun waits until there is no more pressure.
        let begun = UpdatePiece { collection: "films", bytes: 1, has_begun: true };
        let (query, update) = tokio::join!(admission.enter(Load::Query), admission.enter_piece(begun));
        assert!(query.is_err() && update.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_memory_is_refused_when_it_is_short() {
        let used = Arc::new(AtomicU64::new(0));
        let percent = Arc::clone(&used);
        let memory: Arc<dyn Fn() -> f64 + Send + Sync> =
            Arc::new(move || percent.load(Ordering::Relaxed) as f64 / 100.0);
        let admission = admission(|config| config.memory_used = memory);
        for (percent, expected) in
            [(10, [true; 3]), (90, [true, true, false]), (99, [true, false, false]), (20, [true; 3])]
        {
            used.store(percent, Ordering::Relaxed);
            tokio::time::sleep(MEMORY_LOOK_EVERY).await;
            for (load, expected) in [Load::Light, Load::Query, Load::Update].into_iter().zip(expected) {
                assert_eq!(admission.enter(load).await.is_ok(), expected, "{percent} {load:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_machine_packs_with_less_effort() {
        let mut admission = admission(|_| {});
        admission.processors = 2;
        assert_eq!(admission.packing().effort(), Effort::More);
        let one = admission.enter(Load::Query).await.unwrap();
        assert_eq!(admission.packing().effort(), Effort::Usual);
        let other = admission.packing();
        assert_eq!(admission.packing().effort(), Effort::Least);
        drop((one, other));
        assert_eq!(admission.packing().effort(), Effort::More);
    }

    #[test]
    fn bodies_share_their_room() {
        let admission = admission(|config| config.bodies_bytes_max = 10 << 10);
        let check = |room: &mut Room, bytes: usize, expected: Option<ErrorKind>| {
            assert_eq!(room.resize(bytes).err().map(|error| error.kind), expected, "{bytes}");
        };
        let (mut one, mut other) = (admission.room(8 << 10), admission.room(8 << 10));
        check(&mut one, 1, None);
        check(&mut one, 8 << 10, None);
        check(&mut one, (8 << 10) + 1, Some(ErrorKind::TooLarge));
        check(&mut other, 2 << 10, None);
        check(&mut other, (2 << 10) + 1, Some(ErrorKind::Busy));
        drop(one);
        check(&mut other, 8 << 10, None);
    }
}
