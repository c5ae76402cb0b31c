//! Where a shard is at home in a history, and what goes wrong there on command: a home in memory that keeps
//! the contract by the shortest way, and the home in an object store as it is, over a store in memory. In:
//! what a history draws; out: homes, and counts of what was reached.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use store::memory::{Fate, MemoryCounts, MemorySite};
use store::object::faults::{FaultCounts, FaultRates, FaultyMedium, MemoryMedium, PutFault};
use store::object::{ObjectOptions, ObjectSite, Patience};
use store::{Result, ShardHome, ShardId, Site as _};

/// How often each thing happened, by name.
pub type NamedCounts = Vec<(&'static str, u64)>;

pub trait Surroundings {
    /// Of a new owner; who had it before may not know.
    fn home(&self) -> Result<Arc<dyn ShardHome>>;
    /// Something goes wrong with what is written next.
    fn fail_next(&self, fate: Fate);
    /// The next publication is not answered.
    fn fail_publication(&self, landed: bool);
    /// How many bytes there are left.
    fn limit_space(&self, left: Option<usize>);
    /// The process dies behind so many more changes of the medium.
    fn die_after(&self, changes: u32);
    fn is_dead(&self) -> bool;
    /// Of what is on its way `seed` chooses what lands.
    fn kill(&self, seed: u64);
    /// Nothing goes wrong from here on.
    fn calm(&self);
    fn counts(&self) -> NamedCounts;
}

fn id() -> ShardId {
    ShardId { path: "films/shard1".into(), stream: [1; 16] }
}

#[derive(Default)]
pub struct InMemory(MemorySite);

impl Surroundings for InMemory {
    fn home(&self) -> Result<Arc<dyn ShardHome>> {
        self.0.home(&id())
    }

    fn fail_next(&self, fate: Fate) {
        self.0.set_fate(&id(), fate);
    }

    fn fail_publication(&self, landed: bool) {
        self.0.leave_publication_unanswered(&id(), landed);
    }

    fn limit_space(&self, left: Option<usize>) {
        self.0.limit_space(&id(), left);
    }

    fn die_after(&self, changes: u32) {
        self.0.die_after(&id(), changes);
    }

    fn is_dead(&self) -> bool {
        self.0.is_dead(&id())
    }

    fn kill(&self, seed: u64) {
        self.0.kill(&id(), seed);
    }

    fn calm(&self) {
        self.0.calm(&id());
    }

    fn counts(&self) -> NamedCounts {
        let MemoryCounts {
            groups,
            answered_late,
            delayed,
            failed,
            deposed,
            lost_on_the_way,
            full,
            unpublished,
            published_again,
            deaths,
        } = self.0.counts(&id());
        vec![
            ("groups written", groups),
            ("answered late", answered_late),
            ("delayed", delayed),
            ("failed", failed),
            ("met a newer owner", deposed),
            ("lost on the way", lost_on_the_way),
            ("full", full),
            ("publications without an answer", unpublished),
            ("publications that had landed", published_again),
            ("deaths between two changes", deaths),
        ]
    }
}

/// Attempts that fit into the patience below.
const ATTEMPTS: usize = 4;
/// So many calls of the medium that what is late lands behind the attempts that follow it.
const CALLS_LATE: u32 = 24;

/// The home of an object store. Processes share the store, each has its own way to it.
pub struct InStore {
    process: Mutex<FaultyMedium>,
    openings: AtomicU64,
    deaths: AtomicU64,
}

impl Default for InStore {
    fn default() -> Self {
        let process = FaultyMedium::new(Arc::new(MemoryMedium::default()));
        Self { process: process.into(), openings: AtomicU64::new(0), deaths: AtomicU64::new(0) }
    }
}

impl InStore {
    fn process(&self) -> FaultyMedium {
        self.process.lock().unwrap().clone()
    }
}

impl Surroundings for InStore {
    fn home(&self) -> Result<Arc<dyn ShardHome>> {
        let process = self.process().another();
        self.process.lock().unwrap().clone_from(&process);
        let opening = self.openings.fetch_add(1, Ordering::Relaxed);
        let nonces = Arc::new(move || u128::from(opening).to_le_bytes());
        let patience = Patience { answer_ms: 60, pause_ms_first: 10, pause_ms_max: 40 };
        let options = ObjectOptions { patience, ..ObjectOptions::default() };
        let medium = Arc::new(process);
        ObjectSite::new(medium.clone(), medium, nonces, options)?.home(&id())
    }

    fn fail_next(&self, fate: Fate) {
        let process = self.process();
        // Reads without an answer and more of the like go on until all is calm.
        let rates = FaultRates { lost: 20, landed_unanswered: 20, late: 40, unread: 10 };
        process.set_rates(rates, self.openings.load(Ordering::Relaxed));
        match fate {
            Fate::AnsweredLate { .. } => process.set_next(PutFault::LandedUnanswered),
            Fate::Delayed { waits } => {
                process.set_next(PutFault::Late { calls: CALLS_LATE });
                (0..waits as usize * ATTEMPTS).for_each(|_| process.set_next(PutFault::Lost));
            }
            Fate::Failed { landed } => process.set_next(PutFault::Refused { landed }),
        }
    }

    fn fail_publication(&self, landed: bool) {
        let process = self.process();
        let first = if landed { PutFault::Late { calls: CALLS_LATE } } else { PutFault::Lost };
        process.set_next_below("/manifest/", first);
        (0..ATTEMPTS).for_each(|_| process.set_next_below("/manifest/", PutFault::Lost));
    }

    fn limit_space(&self, left: Option<usize>) {
        self.process().limit_space(left.map(|left| left as u64));
    }

    fn die_after(&self, changes: u32) {
        self.process().die_after(changes);
    }

    fn is_dead(&self) -> bool {
        let is_dead = self.process().is_dead();
        self.deaths.fetch_add(is_dead.into(), Ordering::Relaxed);
        is_dead
    }

    fn kill(&self, seed: u64) {
        let next = self.process().kill(seed);
        *self.process.lock().unwrap() = next;
    }

    fn calm(&self) {
        self.process().calm();
    }

    fn counts(&self) -> NamedCounts {
        let FaultCounts { lost, landed_unanswered, late, landed_late, met_late, refused, unread, full } =
            self.process().counts();
        vec![
            ("PUTs lost", lost),
            ("PUTs that landed without an answer", landed_unanswered),
            ("PUTs on their way for long", late),
            ("of these landed", landed_late),
            ("of these met another's", met_late),
            ("PUTs refused for good", refused),
            ("reads without an answer", unread),
            ("full", full),
            ("deaths between two changes", self.deaths.load(Ordering::Relaxed)),
        ]
    }
}
