//! Who is worked for now, who waits, and who is told to come again (429). Queries and updates have a gate each: so many
//! at once, so many more that wait their turn, in the order they came and for so long at most. What has been admitted
//! is therefore answered within a bound, however much more is asked for. Bodies have a room: what all requests together have sent
//! and not had answered yet. Under pressure updates are refused before queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plan::{Error, ErrorKind, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::body::too_large;
use crate::config::ServeConfig;

/// What a permit of the room for bodies stands for.
const ROOM_UNIT_BYTES: usize = 1 << 10;

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

/// How a gate lets requests in.
#[derive(Clone, Copy, Debug)]
pub struct GateLimits {
    /// Worked on at a time.
    pub at_once: usize,
    /// More than these are refused at once.
    pub waiting_max: usize,
    /// Who waits longer is refused.
    pub patience: Duration,
}

/// The gates of a server.
pub(crate) struct Admission {
    queries: Gate,
    updates: Gate,
    bodies: Arc<Semaphore>,
}

impl Admission {
    pub fn new(config: &ServeConfig) -> Self {
        let units = (config.bodies_bytes_max / ROOM_UNIT_BYTES).min(Semaphore::MAX_PERMITS);
        Self {
            queries: Gate::new(config.queries),
            updates: Gate::new(config.updates),
            bodies: Arc::new(Semaphore::new(units)),
        }
    }

    /// Waits until the request may be worked on; it may as long as what is returned lives. Errors: `Busy`.
    pub async fn enter(&self, load: Load) -> Result<Option<SemaphorePermit<'_>>> {
        match load {
            Load::Light => Ok(None),
            Load::Query => self.queries.enter().await.map(Some),
            // Updates make way before queries are refused.
            Load::Update if self.queries.is_pressed() => Err(busy("queries")),
            Load::Update => self.updates.enter().await.map(Some),
        }
    }

    /// As [`Admission::enter`], for an update that has begun: it waits for the queries too before it is refused.
    pub async fn go_on(&self) -> Result<Option<SemaphorePermit<'_>>> {
        let until = Instant::now() + self.updates.limits.patience;
        while self.queries.is_pressed() {
            if Instant::now() >= until {
                return Err(busy("queries"));
            }
            tokio::time::sleep(PRESSED_PAUSE).await;
        }
        self.updates.enter().await.map(Some)
    }

    /// Room for one body.
    pub fn room(&self, bytes_max: usize) -> Room {
        Room { all: self.bodies.clone(), held: None, bytes_max }
    }
}

struct Gate {
    limits: GateLimits,
    room: Semaphore,
    waiting: AtomicUsize,
}

impl Gate {
    fn new(limits: GateLimits) -> Self {
        let at_once = limits.at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self { limits, room: Semaphore::new(at_once), waiting: AtomicUsize::new(0) }
    }

    async fn enter(&self) -> Result<SemaphorePermit<'_>> {
        // Fails as long as anyone waits: nobody overtakes.
        if let Ok(permit) = self.room.try_acquire() {
            return Ok(permit);
        }
        let _place = Place::take(&self.waiting, self.limits.waiting_max)?;
        match tokio::time::timeout(self.limits.patience, self.room.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(busy("requests")),
        }
    }

    /// Whether a quarter of those who may wait do.
    fn is_pressed(&self) -> bool {
        let waiting = self.waiting.load(Ordering::Relaxed);
        waiting > 0 && waiting * 4 >= self.limits.waiting_max
    }
}

/// A place in a queue, free again when its request goes in, is refused or goes away.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, waiting_max: usize) -> Result<Self> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < waiting_max { Ok(place) } else { Err(busy("requests")) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What one body takes of the room for all.
pub(crate) struct Room {
    all: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
    bytes_max: usize,
}

impl Room {
    /// Takes that much in all, and gives back what it has beyond. Errors: `TooLarge` beyond the bound of one body, `Busy` when the
    /// others leave none.
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

fn busy(what: &str) -> Error {
    let message = format!("too many {what} are waiting here; send the request again after a second");
    Error::new(ErrorKind::Busy, message)
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;
    use crate::configsets::Configsets;

    const WORK: Duration = Duration::from_millis(10);

    fn admission(queries: GateLimits, bodies_bytes_max: usize) -> Admission {
        let config = ServeConfig::new(Configsets::default(), Arc::new(String::new));
        Admission::new(&ServeConfig { queries, bodies_bytes_max, ..config })
    }

    fn limits(at_once: usize, waiting_max: usize, patience: Duration) -> GateLimits {
        GateLimits { at_once, waiting_max, patience }
    }

    /// Three times as much as can be done, for ten seconds of a clock that only this test moves: what is admitted takes as
    /// long as the queue allows and no longer, all that can be done is done, and the rest is refused.
    #[tokio::test(start_paused = true)]
    async fn overload_leaves_what_is_admitted_bounded() {
        let admission = Arc::new(admission(limits(4, 4, Duration::from_secs(1)), 0));
        let mut requests = JoinSet::new();
        for _ in 0..1000 {
            for _ in 0..12 {
                let admission = Arc::clone(&admission);
                requests.spawn(async move {
                    let started = Instant::now();
                    let _pass = admission.enter(Load::Query).await.ok()?;
                    tokio::time::sleep(WORK).await;
                    Some(started.elapsed())
                });
            }
            tokio::time::sleep(WORK).await;
        }
        let answers = requests.join_all().await;
        let admitted: Vec<Duration> = answers.iter().copied().flatten().collect();
        assert!(admitted.len() >= 4000, "{}", admitted.len());
        assert!(admitted.len() <= 4004, "{}", admitted.len());
        assert_eq!(admitted.iter().max(), Some(&(WORK * 2)));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_is_refused() {
        let patience = Duration::from_millis(50);
        let admission = admission(limits(1, 10, patience), 0);
        let pass = admission.enter(Load::Query).await.unwrap();
        let started = Instant::now();
        let error = admission.enter(Load::Query).await.unwrap_err();
        assert_eq!((error.kind, started.elapsed()), (ErrorKind::Busy, patience));
        drop(pass);
        assert!(admission.enter(Load::Query).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn updates_make_way_before_queries_are_refused() {
        let admission = admission(limits(1, 4, WORK), 0);
        let _pass = admission.enter(Load::Query).await.unwrap();
        assert!(admission.enter(Load::Update).await.is_ok());
        let (query, update) = tokio::join!(admission.enter(Load::Query), admission.enter(Load::Update));
        assert_eq!(update.unwrap_err().kind, ErrorKind::Busy);
        assert_eq!(query.unwrap_err().kind, ErrorKind::Busy);
        assert!(admission.enter(Load::Light).await.is_ok());
        assert!(admission.enter(Load::Update).await.is_ok());
        // One that has begun waits until there is no more pressure.
        let (query, update) = tokio::join!(admission.enter(Load::Query), admission.go_on());
        assert!(query.is_err() && update.is_ok());
    }

    #[test]
    fn bodies_share_their_room() {
        let admission = admission(limits(1, 1, WORK), 10 << 10);
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
