//! How often each handler was asked, how long it took and how it ended, for `/admin/metrics`. Counting takes
//! a few atomic additions; what is made of the counts is worked out when it is asked for. Rates are what
//! Solr's metrics library makes of the same counts (moving averages, renewed every 5 seconds); times are
//! those of the present 5 minutes and of the 5 before.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use solr::admin::{Rates, Times};

/// The tallies of a core or of the node, by the handler's name.
#[derive(Default)]
pub(crate) struct Tallies(RwLock<BTreeMap<String, Arc<Tally>>>);

impl Tallies {
    /// That of a handler, begun where there is none.
    pub fn of(&self, handler: &str) -> Arc<Tally> {
        if let Some(tally) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(handler) {
            return tally.clone();
        }
        let mut tallies = self.0.write().unwrap_or_else(PoisonError::into_inner);
        tallies.entry(handler.to_owned()).or_default().clone()
    }

    /// The handlers that were asked for.
    pub fn names(&self) -> Vec<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub status: u16,
    /// Whether a limit cut the answer short.
    pub partial: bool,
    pub elapsed_ns: u64,
}

/// What is counted of a handler.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub requests: Meter,
    pub errors: Meter,
    pub client_errors: Meter,
    pub server_errors: Meter,
    pub timeouts: Meter,
    total_ns: AtomicU64,
    windows: Windows,
}

impl Tally {
    pub fn count(&self, now_ms: i64, ended: Ended) {
        self.requests.mark(now_ms);
        self.total_ns.fetch_add(ended.elapsed_ns, Ordering::Relaxed);
        self.windows.record(now_ms, ended.elapsed_ns);
        if ended.partial {
            self.timeouts.mark(now_ms);
        }
        if ended.status >= 400 {
            self.errors.mark(now_ms);
            let side = if ended.status >= 500 { &self.server_errors } else { &self.client_errors };
            side.mark(now_ms);
        }
    }

    pub fn total_ns(&self) -> u64 {
        self.total_ns.load(Ordering::Relaxed)
    }

    pub fn times(&self, now_ms: i64) -> Times {
        Times { total: ms(self.total_ns()), ..self.windows.read(now_ms) }
    }
}

/// Averages are renewed this often.
const TICK_MS: i64 = 5_000;
const AVERAGED_MINUTES: [f64; 3] = [1.0, 5.0, 15.0];

/// Events, and how many a second recently.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    count: AtomicU64,
    ticked_ms: AtomicI64,
    averages: Mutex<Averages>,
}

#[derive(Debug, Default)]
struct Averages {
    /// Events up to the last tick.
    counted: u64,
    /// `None` before the first tick.
    rates: Option<[f64; 3]>,
}

impl Meter {
    fn mark(&self, now_ms: i64) {
        self.tick(now_ms);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Where counting began at `since_ms`.
    pub fn read(&self, since_ms: i64, now_ms: i64) -> Rates {
        self.tick(now_ms);
        let count = self.count.load(Ordering::Relaxed);
        let seconds = now_ms.saturating_sub(since_ms).max(1) as f64 / 1000.0;
        let recent = lock(&self.averages).rates.unwrap_or_default();
        Rates { count, mean: count as f64 / seconds, recent }
    }

    /// The first event begins the first tick. Of the ticks that nobody saw, all but the first had no event.
    fn tick(&self, now_ms: i64) {
        let ticked_ms = self.ticked_ms.load(Ordering::Acquire);
        if ticked_ms == 0 {
            self.ticked_ms.store(now_ms, Ordering::Release);
            return;
        }
        if now_ms.saturating_sub(ticked_ms) < TICK_MS {
            return;
        }
        // Only once in a tick: between ticks, counting takes no lock.
        let mut averages = lock(&self.averages);
        let ticked_ms = self.ticked_ms.load(Ordering::Acquire);
        let ticks = now_ms.saturating_sub(ticked_ms) / TICK_MS;
        if ticks > 0 {
            averages.tick(self.count.load(Ordering::Relaxed), ticks);
            self.ticked_ms.store(ticked_ms + ticks * TICK_MS, Ordering::Release);
        }
    }
}

impl Averages {
    fn tick(&mut self, count: u64, ticks: i64) {
        let seconds = TICK_MS as f64 / 1000.0;
        let now = count.saturating_sub(self.counted) as f64 / seconds;
        self.counted = count;
        let weights = AVERAGED_MINUTES.map(|minutes| 1.0 - (-seconds / 60.0 / minutes).exp());
        // The first tick begins the averages at its own rate rather than at 0.
        let before = self.rates.unwrap_or([now; 3]);
        let mut rates = before;
        for (rate, weight) in rates.iter_mut().zip(weights) {
            *rate += weight * (now - *rate);
            *rate *= (1.0 - weight).powf((ticks - 1) as f64);
        }
        self.rates = Some(rates);
    }
}

/// How long a window counts.
const WINDOW_MS: i64 = 5 * 60 * 1000;
/// Times are distinguished between about a microsecond and 18 minutes, by a sixteenth of their size.
const FIRST_BIT: u32 = 10;
const LAST_BIT: u32 = 40;
const PARTS_BITS: u32 = 4;
const SLOTS: usize = ((LAST_BIT - FIRST_BIT) << PARTS_BITS) as usize;

/// The present window and the one before.
#[derive(Debug, Default)]
struct Windows {
    two: [Window; 2],
    /// The number of the present one.
    number: AtomicI64,
    turning: Mutex<()>,
}

#[derive(Debug)]
struct Window {
    slots: Box<[AtomicU32]>,
    sum_ns: AtomicU64,
    min_ns: AtomicU64,
    max_ns: AtomicU64,
}

impl Default for Window {
    fn default() -> Self {
        let slots = (0..SLOTS).map(|_| AtomicU32::new(0)).collect();
        let [sum_ns, max_ns] = [0, 0].map(AtomicU64::new);
        Self { slots, sum_ns, min_ns: AtomicU64::new(u64::MAX), max_ns }
    }
}

impl Window {
    fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
        self.sum_ns.store(0, Ordering::Relaxed);
        self.min_ns.store(u64::MAX, Ordering::Relaxed);
        self.max_ns.store(0, Ordering::Relaxed);
    }

    fn record(&self, ns: u64) {
        if let Some(slot) = self.slots.get(slot_of(ns)) {
            slot.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_ns.fetch_add(ns, Ordering::Relaxed);
        self.min_ns.fetch_min(ns, Ordering::Relaxed);
        self.max_ns.fetch_max(ns, Ordering::Relaxed);
    }
}

impl Windows {
    fn record(&self, now_ms: i64, ns: u64) {
        self.turn(now_ms);
        let [even, odd] = &self.two;
        let window = if self.number.load(Ordering::Acquire) % 2 == 0 { even } else { odd };
        window.record(ns);
    }

    /// Empties the windows whose time is over. A clock that is set back goes on in the present one.
    fn turn(&self, now_ms: i64) {
        let number = now_ms / WINDOW_MS;
        if number <= self.number.load(Ordering::Acquire) {
            return;
        }
        let _turning = lock(&self.turning);
        let before = self.number.load(Ordering::Acquire);
        if number <= before {
            return;
        }
        let [even, odd] = &self.two;
        // The one that begins is emptied; after a longer silence both are out of date.
        if number > before + 1 || number % 2 == 0 {
            even.clear();
        }
        if number > before + 1 || number % 2 != 0 {
            odd.clear();
        }
        self.number.store(number, Ordering::Release);
    }

    fn read(&self, now_ms: i64) -> Times {
        self.turn(now_ms);
        let both = |figure: fn(&Window) -> &AtomicU64| {
            self.two.each_ref().map(|window| figure(window).load(Ordering::Relaxed))
        };
        let [even, odd] = &self.two;
        let counts: Vec<u64> = even
            .slots
            .iter()
            .zip(&*odd.slots)
            .map(|(one, other)| {
                u64::from(one.load(Ordering::Relaxed)) + u64::from(other.load(Ordering::Relaxed))
            })
            .collect();
        let count: u64 = counts.iter().sum();
        if count == 0 {
            return Times::default();
        }
        let bounds = (
            both(|window| &window.min_ns).into_iter().min(),
            both(|window| &window.max_ns).into_iter().max(),
        );
        let (min, max) = (bounds.0.map_or(0.0, ms), bounds.1.map_or(0.0, ms));
        let sum_ns = both(|window| &window.sum_ns).into_iter().fold(0_u64, u64::saturating_add);
        let mean = ms(sum_ns) / count as f64;
        let of_all = |(slot, count): (usize, &u64)| *count as f64 * (middle_of(slot) - mean).powi(2);
        let variance = counts.iter().enumerate().map(of_all).sum::<f64>() / count as f64;
        let percentile = |share: f64| nth(&counts, share * count as f64).clamp(min, max);
        Times {
            total: 0.0,
            min,
            max,
            mean,
            deviation: if min < max { variance.sqrt() } else { 0.0 },
            percentiles: [0.5, 0.75, 0.95, 0.99, 0.999].map(percentile),
        }
    }
}

/// The time that this many are not above.
fn nth(counts: &[u64], rank: f64) -> f64 {
    let mut below = 0;
    let found = counts.iter().position(|count| {
        below += count;
        below as f64 >= rank
    });
    middle_of(found.unwrap_or(SLOTS - 1))
}

fn slot_of(ns: u64) -> usize {
    let ns = ns.clamp(1 << FIRST_BIT, (1 << LAST_BIT) - 1);
    let bit = 63 - ns.leading_zeros();
    let part = (ns >> (bit - PARTS_BITS)) - (1 << PARTS_BITS);
    (((bit - FIRST_BIT) as usize) << PARTS_BITS) + part as usize
}

/// In milliseconds.
fn middle_of(slot: usize) -> f64 {
    let (bit, part) = (slot >> PARTS_BITS, slot & ((1 << PARTS_BITS) - 1));
    let parts = (1_u64 << PARTS_BITS) as f64;
    let from = 2_f64.powi(i32::try_from(bit).unwrap_or(0) + FIRST_BIT.cast_signed());
    from * (1.0 + (part as f64 + 0.5) / parts) / 1e6
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_795_255_200_000;

    fn ended(status: u16, elapsed_ns: u64) -> Ended {
        Ended { status, partial: status == 200 && elapsed_ns > 1_000_000_000, elapsed_ns }
    }

    #[test]
    fn every_end_is_counted_once() {
        let tally = Tally::default();
        for (status, ns) in [(200, 1_000_000), (400, 2_000_000), (503, 3_000_000), (200, 2_000_000_000)] {
            tally.count(START, ended(status, ns));
        }
        let count = |meter: &Meter| meter.read(START, START + 1000).count;
        let all =
            [&tally.requests, &tally.errors, &tally.client_errors, &tally.server_errors, &tally.timeouts];
        assert_eq!(all.map(count), [4, 2, 1, 1, 1]);
        assert_eq!(tally.total_ns(), 2_006_000_000);
        assert!((tally.requests.read(START, START + 2000).mean - 2.0).abs() < 1e-9);
    }

    #[test]
    fn times_are_told_within_a_sixteenth() {
        let tally = Tally::default();
        (1..=1000_u64).for_each(|ms| tally.count(START, ended(200, ms * 1_000_000)));
        let times = tally.times(START);
        assert!((times.min - 1.0).abs() < 1e-9 && (times.max - 1000.0).abs() < 1e-9);
        assert!((times.mean - 500.5).abs() < 1e-6);
        for (told, exact) in times.percentiles.into_iter().zip([500.0, 750.0, 950.0, 990.0, 999.0]) {
            assert!((told - exact).abs() <= exact / 16.0, "{told} for {exact}");
        }
        assert!((times.deviation - 288.7).abs() < 10.0, "{}", times.deviation);
    }

    #[test]
    fn all_times_have_a_slot() {
        for ns in [0, 1, 1023, 1024, 1 << 20, (1 << 40) - 1, 1 << 40, u64::MAX] {
            assert!(slot_of(ns) < SLOTS, "{ns}");
        }
        assert_eq!([slot_of(0), slot_of(u64::MAX)], [0, SLOTS - 1]);
    }

    #[test]
    fn old_times_are_forgotten() {
        let tally = Tally::default();
        tally.count(START, ended(200, 5_000_000));
        let max = |later_ms: i64| tally.times(START + later_ms).max;
        assert!(max(WINDOW_MS) > 4.9);
        assert!(max(2 * WINDOW_MS) == 0.0 && max(0) == 0.0);
        assert_eq!(tally.requests.read(START, START).count, 1);
    }

    /// What the averages are for one event a second for a minute, and a minute of nothing.
    #[test]
    fn rates_follow() {
        let meter = Meter::default();
        (0..60).for_each(|second| meter.mark(START + second * 1000));
        let rates = meter.read(START, START + 60_000);
        assert!(rates.recent.iter().all(|rate| (rate - 1.0).abs() < 0.05), "{rates:?}");
        let [one, five, fifteen] = meter.read(START, START + 120_000).recent;
        assert!(
            (one - 0.37).abs() < 0.05 && (five - 0.82).abs() < 0.05 && fifteen > five,
            "{one} {five} {fifteen}"
        );
    }
}
