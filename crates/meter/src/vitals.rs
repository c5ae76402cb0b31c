//! The vital signs of a shard: whether a flush or a merge is under way and gets anywhere, whether the log
//! still becomes durable and how long that takes, who turns which lock. Whoever works tells it here by an
//! atomic addition; whoever watches reads figures from outside.
//!
//! No clock and no judgement: a watcher that looks again and finds the same figures knows by its own clock
//! how long they have been the same. Reading takes no lock that work holds: a watcher that waited would hang
//! with what it watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Told by the shard.
#[derive(Debug, Default)]
pub struct Vitals {
    pub flush: Work,
    pub merge: Work,
    pub log: Waits,
}

/// Work of which one piece at a time is done. It counts its steps: what is written, mostly.
#[derive(Debug, Default)]
pub struct Work {
    begun: AtomicU64,
    ended: AtomicU64,
    steps: Arc<AtomicU64>,
}

impl Work {
    /// A piece of work, until what is returned is dropped.
    pub fn begin(&self) -> Working<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        Working(self)
    }

    /// To be added to by whoever gets a step further.
    pub fn steps(&self) -> &Arc<AtomicU64> {
        &self.steps
    }

    pub fn figures(&self) -> WorkFigures {
        let ended = self.ended.load(Ordering::Relaxed);
        let begun = self.begun.load(Ordering::Relaxed);
        WorkFigures { begun, is_running: begun > ended, steps: self.steps.load(Ordering::Relaxed) }
    }
}

/// See [`Work::begin`].
#[must_use = "the work lasts as long as this lives"]
#[derive(Debug)]
pub struct Working<'w>(&'w Work);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Times are distinguished by a quarter of their size, from about a microsecond to an hour.
const FIRST_BIT: u32 = 10;
const PARTS_BITS: u32 = 2;
const SLOTS: usize = 128;

/// No disk answers within this; a look at what is known does.
const MET_NO_MEDIUM_NS: u64 = 20_000;

/// Waits of many until one medium has what they wrote, in its order, and how long that took.
#[derive(Debug)]
pub struct Waits {
    begun: AtomicU64,
    ended: AtomicU64,
    /// The furthest that the medium is known to have.
    reached: AtomicU64,
    by_length: Box<[AtomicU64]>,
}

impl Default for Waits {
    fn default() -> Self {
        let by_length = (0..SLOTS).map(|_| AtomicU64::new(0)).collect();
        Self { begun: AtomicU64::new(0), ended: AtomicU64::new(0), reached: AtomicU64::new(0), by_length }
    }
}

impl Waits {
    /// A wait for what stands at `position`, by a clock of the caller's in nanoseconds; `has_it` says of its
    /// outcome whether the medium has it now. What is known to be there already is not waited for, and says
    /// nothing of how the medium does; nor does the length of a wait that was over at once.
    pub fn wait<T>(
        &self,
        position: u64,
        now_ns: impl Fn() -> u64,
        wait: impl FnOnce() -> T,
        has_it: impl FnOnce(&T) -> bool,
    ) -> T {
        if position <= self.reached.load(Ordering::Relaxed) {
            return wait();
        }
        let began_ns = now_ns();
        self.begun.fetch_add(1, Ordering::Relaxed);
        let outcome = wait();
        self.ended.fetch_add(1, Ordering::Relaxed);
        if has_it(&outcome) {
            self.reached.fetch_max(position, Ordering::Relaxed);
            self.count(now_ns().saturating_sub(began_ns));
        }
        outcome
    }

    fn count(&self, took_ns: u64) {
        let slot = self.by_length.get(slot_of(took_ns)).filter(|_| took_ns >= MET_NO_MEDIUM_NS);
        slot.map(|slot| slot.fetch_add(1, Ordering::Relaxed));
    }

    pub fn figures(&self) -> WaitFigures {
        let ended = self.ended.load(Ordering::Relaxed);
        let waiting = self.begun.load(Ordering::Relaxed).saturating_sub(ended);
        let counts = self.by_length.iter().map(|slot| slot.load(Ordering::Relaxed));
        let by_length = WaitLengths(counts.collect());
        WaitFigures { waiting, reached: self.reached.load(Ordering::Relaxed), by_length }
    }
}

fn slot_of(ns: u64) -> usize {
    let ns = ns.max(1 << FIRST_BIT);
    let bit = 63 - ns.leading_zeros();
    let part = (ns >> (bit - PARTS_BITS)) - (1 << PARTS_BITS);
    ((((bit - FIRST_BIT) as usize) << PARTS_BITS) + part as usize).min(SLOTS - 1)
}

/// The longest that a slot holds.
fn ns_of(slot: usize) -> u64 {
    let (bit, part) = (slot as u64 >> PARTS_BITS, slot as u64 & ((1 << PARTS_BITS) - 1));
    ((1 << PARTS_BITS) + part + 1) << (bit + u64::from(FIRST_BIT) - u64::from(PARTS_BITS))
}

/// A shard's figures at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VitalFigures {
    pub flush: WorkFigures,
    pub merge: WorkFigures,
    pub log: WaitFigures,
    /// Those that updates wait for.
    pub locks: Vec<LockFigures>,
    /// Files of which no whole copy was found when they were read again.
    pub damaged_files: u64,
    /// Segments whose index was found to say otherwise than their documents.
    pub wrong_segments: u64,
}

/// Of flushes or merges since the shard was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkFigures {
    pub begun: u64,
    pub is_running: bool,
    pub steps: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitFigures {
    /// Now.
    pub waiting: u64,
    /// The furthest that the medium is known to have: the same at two looks that both find somebody waiting
    /// is a medium that has not answered between them.
    pub reached: u64,
    pub by_length: WaitLengths,
}

/// How many waits took how long, in slots that only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitLengths(Vec<u64>);

impl WaitLengths {
    /// Of these lengths, for tests of those who judge.
    pub fn of(lengths_ns: impl IntoIterator<Item = u64>) -> Self {
        let mut counts = vec![0; SLOTS];
        lengths_ns.into_iter().filter_map(|ns| counts.get_mut(slot_of(ns)).map(|slot| *slot += 1)).count();
        Self(counts)
    }

    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// What came after `earlier` was read.
    pub fn since(&self, earlier: &Self) -> Self {
        let before = earlier.0.iter().copied().chain(std::iter::repeat(0));
        Self(self.0.iter().zip(before).map(|(now, then)| now.saturating_sub(then)).collect())
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let slots = self.0.len().max(other.0.len());
        let of = |lengths: &Self, slot: usize| lengths.0.get(slot).copied().unwrap_or(0);
        Self((0..slots).map(|slot| of(self, slot) + of(other, slot)).collect())
    }

    /// The length that this share of them, from 0 to 1, is not above; `None` where there was none.
    pub fn percentile_ns(&self, share: f64) -> Option<u64> {
        let rank = share * self.count() as f64;
        let mut below = 0;
        let found = self.0.iter().position(|count| {
            below += count;
            *count > 0 && below as f64 >= rank
        });
        found.map(ns_of)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockFigures {
    pub name: &'static str,
    /// How often it was taken. The same number at two looks that both find it held is one hold.
    pub turns: u64,
    pub is_held: bool,
    /// Whether work is done under it that grows with the documents, so that a hold may take its time.
    pub covers_work: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_running_until_it_is_dropped() {
        let work = Work::default();
        let working = work.begin();
        work.steps().fetch_add(2, Ordering::Relaxed);
        assert_eq!(work.figures(), WorkFigures { begun: 1, is_running: true, steps: 2 });
        drop(working);
        assert!(!work.figures().is_running);
    }

    #[test]
    fn waits_are_counted_by_their_length() {
        let waits = Waits::default();
        let times = std::cell::Cell::new(0);
        let now_ns = || times.replace(times.get() + 5_000_000);
        let seen = waits.wait(1, now_ns, || waits.figures().waiting, |_| true);
        let figures = waits.figures();
        assert_eq!((seen, figures.waiting, figures.reached, figures.by_length.count()), (1, 0, 1, 1));
        // Over at once: the medium has it, and how long that takes is not counted.
        waits.wait(2, || 7, || (), |()| true);
        // Not over: somebody else writes.
        waits.wait(3, || 7, || (), |()| false);
        let figures = waits.figures();
        assert_eq!((figures.waiting, figures.reached, figures.by_length.count()), (0, 2, 1));
        // Known already: it does not count as one who waits.
        assert_eq!(waits.wait(2, || 7, || waits.figures().waiting, |_| true), 0);
        let median = waits.figures().by_length.percentile_ns(0.5).unwrap();
        assert!((5_000_000..=6_250_000).contains(&median), "{median}");
    }

    #[test]
    fn percentiles_are_within_a_quarter() {
        let lengths = WaitLengths::of((1..=1000).map(|ms| ms * 1_000_000));
        for (share, exact) in [(0.5, 500_000_000_u64), (0.99, 990_000_000), (1.0, 1_000_000_000)] {
            let told = lengths.percentile_ns(share).unwrap();
            assert!(told >= exact && told <= exact + exact / 4, "{told} for {exact}");
        }
        assert_eq!(WaitLengths::default().percentile_ns(0.5), None);
        assert_eq!(lengths.since(&lengths).count(), 0);
        assert_eq!(lengths.since(&WaitLengths::default()), lengths);
    }

    #[test]
    fn every_length_has_a_slot() {
        for ns in [0, 1, 1 << 10, (1 << 20) + 1, u64::MAX] {
            assert!(slot_of(ns) < SLOTS && (ns_of(slot_of(ns)) >= ns || slot_of(ns) == SLOTS - 1), "{ns}");
        }
    }
}
