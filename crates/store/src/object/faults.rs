//! Object stores that fail on command, for the tests of this crate and of those above. A [`MemoryMedium`]
//! behaves; a [`FaultyMedium`] before any other one loses answers, lets PUTs land late, refuses, fills up,
//! and keeps what dead processes do away from it. A [`BrokenMedium`] breaks the promises of a medium itself,
//! which the probe must notice. Time passes when somebody sleeps, or asks; deterministic, without threads.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::medium::{Attempt, Failure, FailureKind, Medium, ObjectBytes, Pacer};
use crate::faults::split_mix;

/// Objects in memory.
#[derive(Default)]
pub struct MemoryMedium(Mutex<BTreeMap<String, ObjectBytes>>);

impl MemoryMedium {
    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, ObjectBytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes an object behind the store's back.
    pub fn damage(&self, key: &str, change: impl FnOnce(&mut Vec<u8>)) {
        if let Some(bytes) = self.objects().get_mut(key) {
            let mut changed = bytes.to_vec();
            change(&mut changed);
            *bytes = changed.into();
        }
    }
}

impl Medium for MemoryMedium {
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        let mut objects = self.objects();
        if objects.contains_key(key) {
            return Err(Failure::new(FailureKind::Exists, "it exists"));
        }
        objects.insert(key.to_owned(), bytes.clone());
        Ok(())
    }

    fn get(&self, key: &str) -> Attempt<Vec<u8>> {
        let missing = || Failure::new(FailureKind::Missing, "there is none");
        self.objects().get(key).map(|bytes| bytes.to_vec()).ok_or_else(missing)
    }

    fn delete(&self, key: &str) -> Attempt<()> {
        self.objects().remove(key);
        Ok(())
    }

    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>> {
        // Of others S3 and its kin list nothing, or too much.
        assert!(prefix.is_empty() || prefix.ends_with('/'), "`{prefix}` is no prefix of whole names");
        let objects = self.objects();
        let below = objects.range(prefix.to_owned()..).take_while(|(key, _)| key.starts_with(prefix));
        Ok(below.map(|(key, bytes)| (key.clone(), bytes.len() as u64)).collect())
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>> {
        let bytes = self.get(key);
        let within = |bytes: &Vec<u8>, range: &Range<u64>| {
            let at = |at: u64| (at as usize).min(bytes.len());
            bytes[at(range.start)..at(range.end)].to_vec()
        };
        let one = |range| bytes.as_ref().map(|bytes| within(bytes, range)).map_err(Clone::clone);
        ranges.iter().map(one).collect()
    }

    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        self.objects().insert(key.to_owned(), bytes.clone());
        Ok(())
    }

    fn name(&self) -> String {
        "memory".to_owned()
    }
}

/// What becomes of the next PUT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutFault {
    /// No answer, and it never lands.
    Lost,
    /// A time-out, or a 5xx: it is there all the same.
    LandedUnanswered,
    /// No answer; it lands once this many more calls were made, by anybody.
    Late { calls: u32 },
    /// Refused for good; whether it is there all the same.
    Refused { landed: bool },
}

/// How often what goes wrong by itself, of 1,000 calls each.
#[derive(Debug, Clone, Copy, Default)]
pub struct FaultRates {
    pub lost: u64,
    pub landed_unanswered: u64,
    pub late: u64,
    /// Reads, lists and deletes without an answer.
    pub unread: u64,
}

/// What was reached, to know that a test tested something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FaultCounts {
    pub lost: u64,
    pub landed_unanswered: u64,
    pub late: u64,
    /// Late PUTs that created their object, and those that found their name taken.
    pub landed_late: u64,
    pub met_late: u64,
    pub refused: u64,
    pub unread: u64,
    pub full: u64,
}

/// One process's way to a medium, which may fail. Clones are the same process's.
#[derive(Clone)]
pub struct FaultyMedium {
    inner: Arc<dyn Medium>,
    world: Arc<Mutex<World>>,
    is_dead: Arc<AtomicBool>,
    /// How many more changes the process makes before it dies.
    changes_left: Arc<Mutex<Option<u32>>>,
}

#[derive(Default)]
struct World {
    now_ms: u64,
    /// Milliseconds that each call takes.
    call_ms: u64,
    next: VecDeque<PutFault>,
    /// The same of PUTs whose keys have a part.
    next_below: VecDeque<(&'static str, PutFault)>,
    rates: FaultRates,
    seed: u64,
    under_way: Vec<(u32, String, ObjectBytes)>,
    space: Option<u64>,
    is_down: bool,
    /// Reads that come with a wrong byte, from the next one on.
    flips: u32,
    counts: FaultCounts,
}

impl FaultyMedium {
    pub fn new(inner: Arc<dyn Medium>) -> Self {
        Self { inner, world: Arc::default(), is_dead: Arc::default(), changes_left: Arc::default() }
    }

    /// The way of another process to the same medium, with the same faults.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { is_dead: Arc::default(), changes_left: Arc::default(), ..self.clone() }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What becomes of the PUTs to come, one after another; others do as the rates have it.
    pub fn set_next(&self, fault: PutFault) {
        self.world().next.push_back(fault);
    }

    /// What becomes of the PUTs to come whose keys have this part, one after another.
    pub fn set_next_below(&self, part: &'static str, fault: PutFault) {
        self.world().next_below.push_back((part, fault));
    }

    /// Nothing goes wrong from now on; what is on its way lands as it would have.
    pub fn calm(&self) {
        let mut world = self.world();
        world.next.clear();
        world.next_below.clear();
        (world.rates, world.space, world.is_down) = (FaultRates::default(), None, false);
        // One that dies soon lives on.
        *self.changes_left.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The process dies behind this many more changes: what it does then reaches nothing.
    pub fn die_after(&self, changes: u32) {
        *self.changes_left.lock().unwrap_or_else(PoisonError::into_inner) = Some(changes);
    }

    pub fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::SeqCst)
    }

    /// Begins a call that changes something.
    fn begin_change(&self) -> Attempt<MutexGuard<'_, World>> {
        let world = self.begin()?;
        let mut left = self.changes_left.lock().unwrap_or_else(PoisonError::into_inner);
        if *left == Some(0) {
            self.is_dead.store(true, Ordering::SeqCst);
            return Err(unanswered());
        }
        *left = left.map(|left| left - 1);
        Ok(world)
    }

    /// Faults drawn from a seed from now on.
    pub fn set_rates(&self, rates: FaultRates, seed: u64) {
        let mut world = self.world();
        world.rates = rates;
        world.seed = seed;
    }

    /// Nothing is answered, and nothing lands.
    pub fn set_down(&self, is_down: bool) {
        self.world().is_down = is_down;
    }

    /// So many reads to come have a wrong byte.
    pub fn flip_reads(&self, reads: u32) {
        self.world().flips = reads;
    }

    /// How many bytes it still takes.
    pub fn limit_space(&self, space: Option<u64>) {
        self.world().space = space;
    }

    pub fn set_call_ms(&self, call_ms: u64) {
        self.world().call_ms = call_ms;
    }

    /// The process dies: what it does from now on reaches nothing. Of the PUTs on their way `seed` chooses
    /// which land, at some time. Returns the way of the process that comes after it.
    #[must_use]
    pub fn kill(&self, seed: u64) -> Self {
        self.is_dead.store(true, Ordering::SeqCst);
        let mut world = self.world();
        // They were meant for the process that died.
        world.next.clear();
        world.next_below.clear();
        let mut state = seed;
        world.under_way.retain_mut(|(calls, ..)| {
            // Some land after the next process has begun, which is what the fence has to withstand.
            *calls = (split_mix(&mut state) % 16) as u32;
            split_mix(&mut state) & 1 == 0
        });
        drop(world);
        self.another()
    }

    pub fn counts(&self) -> FaultCounts {
        self.world().counts
    }

    /// A call begins: time passes, and what is on its way may land.
    fn begin(&self) -> Attempt<MutexGuard<'_, World>> {
        let mut world = self.world();
        world.now_ms += world.call_ms;
        // Before the caller's own death is looked at: what is on its way lands whoever calls next.
        if !world.is_down {
            self.land(&mut world);
        }
        if world.is_down || self.is_dead.load(Ordering::SeqCst) {
            return Err(unanswered());
        }
        Ok(world)
    }

    fn land(&self, world: &mut World) {
        for (calls, key, bytes) in std::mem::take(&mut world.under_way) {
            if calls > 0 {
                world.under_way.push((calls - 1, key, bytes));
            } else if self.inner.create(&key, &bytes).is_ok() {
                world.counts.landed_late += 1;
            } else {
                world.counts.met_late += 1;
            }
        }
    }

    fn read<T>(&self, read: impl FnOnce() -> Attempt<T>) -> Attempt<T> {
        let mut world = self.begin()?;
        let unread = world.rates.unread;
        if world.draw() < unread {
            world.counts.unread += 1;
            return Err(unanswered());
        }
        read()
    }
}

impl World {
    /// Spoils what was read, where that is due.
    fn flip(&mut self, bytes: &mut [u8]) {
        if self.flips > 0
            && let Some(byte) = bytes.first_mut()
        {
            self.flips -= 1;
            *byte ^= 1;
        }
    }

    /// A number below 1,000.
    fn draw(&mut self) -> u64 {
        split_mix(&mut self.seed) % 1_000
    }

    fn next_fault(&mut self, key: &str) -> Option<PutFault> {
        if let Some((_, fault)) = self.next_below.pop_front_if(|(part, _)| key.contains(*part)) {
            return Some(fault);
        }
        if let Some(fault) = self.next.pop_front() {
            return Some(fault);
        }
        let FaultRates { lost, landed_unanswered, late, .. } = self.rates;
        match self.draw() {
            drawn if drawn < lost => Some(PutFault::Lost),
            drawn if drawn < lost + landed_unanswered => Some(PutFault::LandedUnanswered),
            drawn if drawn < lost + landed_unanswered + late => {
                Some(PutFault::Late { calls: (split_mix(&mut self.seed) % 24) as u32 })
            }
            _ => None,
        }
    }
}

fn unanswered() -> Failure {
    Failure::new(FailureKind::Unanswered, "no answer came")
}

impl Medium for FaultyMedium {
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        let mut world = self.begin_change()?;
        if world.space.is_some_and(|space| space < bytes.len() as u64) {
            world.counts.full += 1;
            return Err(Failure::new(FailureKind::Full, "the limit is reached"));
        }
        let Some(fault) = world.next_fault(key) else {
            let created = self.inner.create(key, bytes);
            if created.is_ok() {
                world.space = world.space.map(|space| space - bytes.len() as u64);
            }
            return created;
        };
        match fault {
            PutFault::Lost => world.counts.lost += 1,
            PutFault::LandedUnanswered => {
                world.counts.landed_unanswered += 1;
                drop(self.inner.create(key, bytes));
            }
            PutFault::Late { calls } => {
                world.counts.late += 1;
                world.under_way.push((calls, key.to_owned(), bytes.clone()));
            }
            PutFault::Refused { landed } => {
                world.counts.refused += 1;
                if landed {
                    drop(self.inner.create(key, bytes));
                }
                return Err(Failure::new(FailureKind::Refused, "access is denied"));
            }
        }
        Err(unanswered())
    }

    fn get(&self, key: &str) -> Attempt<Vec<u8>> {
        let mut found = self.read(|| self.inner.get(key))?;
        self.world().flip(&mut found);
        Ok(found)
    }

    fn delete(&self, key: &str) -> Attempt<()> {
        drop(self.begin_change()?);
        self.read(|| self.inner.delete(key))
    }

    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>> {
        self.read(|| self.inner.list(prefix))
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>> {
        let one = |range: &Range<u64>| {
            let mut found = self.read(|| {
                self.inner
                    .get_ranges(key, std::slice::from_ref(range))
                    .pop()
                    .unwrap_or_else(|| Err(unanswered()))
            })?;
            self.world().flip(&mut found);
            Ok(found)
        };
        ranges.iter().map(one).collect()
    }

    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        self.read(|| self.inner.replace(key, bytes))
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn space_left(&self) -> Option<u64> {
        self.world().space
    }
}

impl Pacer for FaultyMedium {
    fn now_ms(&self) -> u64 {
        self.world().now_ms
    }

    fn sleep(&self, ms: u64) {
        self.world().now_ms += ms;
    }
}

/// How a store breaks what a medium promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The condition of a create-only PUT is passed over: it replaces what is there.
    IgnoresCondition,
    /// The condition is looked at before the PUT, not with it: of two at once both succeed.
    RacesCondition,
    /// An object that was created is missing for some reads.
    ReadsLate,
    /// An object that was created is missing in some listings.
    ListsLate,
}

/// A store that breaks a promise.
pub struct BrokenMedium {
    inner: MemoryMedium,
    how: Broken,
    /// What was created a moment ago, and how many calls it still is "a moment".
    fresh: Mutex<BTreeMap<String, u32>>,
}

/// Calls for which something created is not seen yet.
const FRESH_CALLS: u32 = 3;

impl BrokenMedium {
    pub fn new(how: Broken) -> Self {
        Self { inner: MemoryMedium::default(), how, fresh: Mutex::default() }
    }

    /// Whether a key was created within the last few calls.
    fn is_fresh(&self, key: &str) -> bool {
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        fresh.retain(|_, calls| {
            *calls -= 1;
            *calls > 0
        });
        fresh.contains_key(key)
    }
}

impl Medium for BrokenMedium {
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        let is_fresh = self.is_fresh(key);
        let replaces = match self.how {
            Broken::IgnoresCondition => true,
            // As if both had looked before either wrote.
            Broken::RacesCondition => is_fresh,
            Broken::ReadsLate | Broken::ListsLate => false,
        };
        if replaces {
            self.inner.delete(key)?;
        }
        self.inner.create(key, bytes)?;
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), FRESH_CALLS);
        Ok(())
    }

    fn get(&self, key: &str) -> Attempt<Vec<u8>> {
        if self.is_fresh(key) && self.how == Broken::ReadsLate {
            return Err(Failure::new(FailureKind::Missing, "there is none"));
        }
        self.inner.get(key)
    }

    fn delete(&self, key: &str) -> Attempt<()> {
        self.inner.delete(key)
    }

    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>> {
        let mut listed = self.inner.list(prefix)?;
        if self.how == Broken::ListsLate {
            listed.retain(|(key, _)| !self.is_fresh(key));
        }
        Ok(listed)
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>> {
        self.inner.get_ranges(key, ranges)
    }

    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        self.inner.replace(key, bytes)
    }

    fn name(&self) -> String {
        "broken".to_owned()
    }
}
