//! How many bytes of updates a second the objective allows: found by trying, as TCP finds the rate of a link.
//! It begins low and grows fast until searches suffer for the first time (slow start), and is then held where
//! just as many of them miss their goal as may: each that does takes a part of the rate, each that does not
//! gives a little, in the proportion that evens out at the quantile (stochastic approximation: Robbins, Monro
//! 1951). Where many miss it at once a larger part goes, and most of that comes back fast (after CUBIC: Ha,
//! Rhee, Xu 2008). Cost is taken to be in proportion to bytes; where it is not, the rate follows.
//!
//! An estimate of the quantile and a rate that is cut when it is too high was tried first, in simulation
//! (2026-11-25): of a second's searches the hundredth part is one, so it cut by chance, and let in 77 % of
//! what was allowed at one and a half times the goal. This lets in 94 % at the goal.
//!
//! In: times of searches, the processor time of the server, what updates were let in; out: a rate. Who waits
//! for it is `queue`'s.

use std::time::Duration;

use tokio::time::Instant;

use super::latency::RecentTimes;
use crate::admission::objective::{LatencyGoal, Objective, PROCESSOR_BAND};

// Why each is what it is was tried in the miniature of `tests.rs` (2026-11-26; each alone at half and twice
// its value, twelve seeds of a minute at three times too much). As they stand: p99 at 0.98 of the goal (at
// worst 1.01), 99 % of what it allows let in (97 %). Where nothing else stands either value was as good.

/// The rate is looked at this often. At 200 ms p99 is 1.05 of the goal; at 50 ms nothing is gained.
const STEP: Duration = Duration::from_millis(100);
/// What is let in, and how much is searched, is counted over about this long. Over half of it the count of
/// admitted bytes jumps with each large piece, and the rate with it: p99 at 1.29 of the goal.
const METER_SPAN: Duration = Duration::from_secs(1);
/// Of each processor, to begin with: some thousand small documents a second, which any server can do. With a
/// quarter of it the first seconds let in less (95 % in a minute); with four times as much they miss the
/// goal.
const START: f64 = 1e6;
/// Updates are never held altogether: they would only pile up where they come from. One of 32 KB a second
/// goes on, so that what comes of it is seen.
const RATE_MIN: f64 = 32e3;
/// A rate of which less is used does not grow: nothing is known of a higher one. At 0.9 pieces that do not
/// come evenly keep it from growing, and p99 is up to 1.34 of the goal; at 0.5 it is let grow unused.
const USED_MIN: f64 = 0.7;
/// A step's growth as long as nobody has suffered: tenfold in 2.5 s.
const GROW_START: f64 = 1.1;
/// And what is left of the rate once somebody has. In the step that shows it, and those until it ends, the
/// rate has grown by about as much beyond what was good.
const CUT_START: f64 = 0.5;
/// What is left where many miss the goal at once. Where a server can do only half of what it could, p99 of
/// the minute around is 1.7 times the goal; 3.6 with 0.85, which it was, and 1.5 with 0.5. What updates are
/// not to blame for (half a second in ten in which searches take 200 ms more) costs 5 % of what is let in; 3
/// % with 0.85, 8 % with 0.5.
const CUT_MANY: f64 = 0.6;
/// Such a cut shows its effect before the next, and before the rate grows fast. After 300 ms a second cut
/// comes before the first has shown itself, the rate at it is taken for what was good, and of what the goal
/// allows beside such noise 28 to 48 % are let in.
const CUT_PAUSE: Duration = Duration::from_millis(500);
/// A step's growth up to that share of the rate at the last such cut.
const GROW_BACK: f64 = 1.05;
const BACK_UP_TO: f64 = 0.95;
/// A second's growth beyond that, where none misses the goal. 0.08 is quicker to find more, and misses the
/// goal by up to 1.11; with 0.005 up to 6 % are not found in a minute.
const GROW_SECOND: f64 = 0.02;
/// The part of the rate (as a logarithm) that one search takes is no more than that, however rare searches
/// are: below four a second at p99, where a single one is no evidence.
const TAKEN_MAX: f64 = 0.5;
/// Many miss the goal where this many times more do than may: of p99, three in ten. In slow start fewer are
/// enough, one in ten, for there the rate grows tenfold while they are counted; at 30 p99 is 1.06 of the
/// goal.
const MANY: f64 = 30.0;
const MANY_START: f64 = 10.0;
/// With fewer searches a second nobody is taken to search.
const SEARCHES_MIN: f64 = 0.5;
/// The processor's use is measured over this long: of less, what a merge or a commit takes would count as
/// all.
const PROCESSOR_SPAN: Duration = Duration::from_millis(500);
/// Growth of a step while it is below its share, and the bounds of a cut.
const GROW_PROCESSOR: f64 = 1.02;
const CUT_PROCESSOR: (f64, f64) = (0.5, 0.95);
/// An adaptive goal is this many times the least that was seen; that rises slowly, by one in a hundred in a
/// minute, as a corpus grows.
const ADAPTIVE_FACTOR: f64 = 2.0;
const ADAPTIVE_MIN: Duration = Duration::from_millis(2);
const ADAPTIVE_RISE: f64 = 0.01 / 60.0;
const ADAPTIVE_QUANTILE: f64 = 0.99;
/// For an adaptive goal, a search counts half after two seconds.
const FORGET_SECOND: f64 = 0.7;

pub(super) struct Control {
    objective: Objective,
    /// Bytes a second.
    rate: f64,
    /// At the last large cut; infinite in slow start.
    rate_cut: f64,
    cut: Instant,
    stepped: Instant,
    admitted: Meter,
    searches: Meter,
    /// Of the searches since the last step, those that missed the goal.
    missed: f64,
    adaptive: Adaptive,
    processor: ProcessorUse,
}

/// This much a second recently.
#[derive(Default)]
struct Meter {
    since_step: f64,
    per_second: f64,
}

/// The goal that follows from what was seen.
struct Adaptive {
    times: RecentTimes,
    least: Option<Duration>,
}

/// Of all processors, the share that the server used recently.
struct ProcessorUse {
    processors: f64,
    last: Option<(Instant, u64)>,
    share: Option<f64>,
    /// Whether it was ever above what it may be.
    was_above: bool,
}

impl Control {
    pub fn new(objective: Objective, processors: usize, now: Instant) -> Self {
        let processors = processors as f64;
        Self {
            objective,
            rate: START * processors,
            rate_cut: f64::INFINITY,
            cut: now,
            stepped: now,
            admitted: Meter::default(),
            searches: Meter::default(),
            missed: 0.0,
            adaptive: Adaptive { times: RecentTimes::new(), least: None },
            processor: ProcessorUse { processors, last: None, share: None, was_above: false },
        }
    }

    pub fn rate(&self) -> f64 {
        self.rate
    }

    pub fn admit(&mut self, bytes: f64) {
        self.admitted.since_step += bytes;
    }

    pub fn searched(&mut self, time: Duration) {
        self.searches.since_step += 1.0;
        let goal = match self.objective.latency {
            None => return,
            Some(LatencyGoal::Within { time, .. }) => Some(time),
            Some(LatencyGoal::Adaptive) => {
                self.adaptive.times.record(time);
                self.adaptive.goal()
            }
        };
        self.missed += f64::from(goal.is_some_and(|goal| time > goal));
    }

    /// Does what there is to do by now. `cpu_ns` tells the processor time that the server has used so far.
    pub fn step(&mut self, now: Instant, cpu_ns: impl FnOnce() -> Option<u64>) {
        let passed = now - self.stepped;
        if passed < STEP {
            return;
        }
        self.stepped = now;
        self.admitted.step(passed);
        let searched = self.searches.step(passed);
        let missed = std::mem::take(&mut self.missed);
        self.adaptive.step(passed);
        if self.objective.processor.is_some() {
            self.processor.look(now, cpu_ns);
        }
        let factor = self.latency_factor(now, searched, missed).min(self.processor_factor());
        self.apply(factor, now);
    }

    /// What the rate is to be multiplied with, by how many of this many searches missed their goal.
    fn latency_factor(&mut self, now: Instant, searched: f64, missed: f64) -> f64 {
        let may_miss = match self.objective.latency {
            None => return GROW_START,
            Some(LatencyGoal::Within { quantile, .. }) => 1.0 - quantile,
            Some(LatencyGoal::Adaptive) => 1.0 - ADAPTIVE_QUANTILE,
        };
        if self.searches.per_second < SEARCHES_MIN {
            // Who asks nothing suffers nothing, and what was known of the rate may be long ago.
            self.rate_cut = f64::INFINITY;
            return GROW_START;
        }
        // One may be a chance; and of a median, say, thirty times half is no share.
        let are_many = |factor: f64| {
            let share = (may_miss * factor).min(f64::midpoint(may_miss, 1.0));
            missed >= (searched * share).max(2.0)
        };
        if self.rate_cut.is_infinite() {
            return if are_many(MANY_START) { CUT_START } else { GROW_START };
        }
        if are_many(MANY) {
            return CUT_MANY;
        }
        // In equilibrium where one in `1 / may_miss` misses it.
        let odds = may_miss / (1.0 - may_miss);
        let taken = (GROW_SECOND / odds / self.searches.per_second).min(TAKEN_MAX);
        let change = ((searched - missed) * odds - missed) * taken;
        let is_back = self.rate >= self.rate_cut * BACK_UP_TO || now - self.cut < CUT_PAUSE;
        change.exp() * if is_back || missed > 0.0 { 1.0 } else { GROW_BACK }
    }

    fn processor_factor(&mut self) -> f64 {
        let Some(goal) = self.objective.processor else { return GROW_START };
        let Some(used) = self.processor.share else {
            // Until it is known what came of a cut.
            return if self.processor.was_above { 1.0 } else { GROW_START };
        };
        match used - goal {
            over if over > PROCESSOR_BAND => {
                self.processor.was_above = true;
                // What was seen counts once: the next look tells what came of the cut.
                self.processor.share = None;
                (goal / used).clamp(CUT_PROCESSOR.0, CUT_PROCESSOR.1)
            }
            over if over >= -PROCESSOR_BAND => 1.0,
            _ if self.processor.was_above => GROW_PROCESSOR,
            _ => GROW_START,
        }
    }

    fn apply(&mut self, factor: f64, now: Instant) {
        let admitted = self.admitted.per_second;
        if factor > CUT_MANY {
            if factor < 1.0 || admitted >= self.rate * USED_MIN {
                self.rate = (self.rate * factor).max(RATE_MIN);
            }
        } else if now - self.cut >= CUT_PAUSE {
            // Of a rate that was not used a part would be no less than before.
            let used = self.rate.min(admitted.max(self.rate * USED_MIN));
            (self.rate_cut, self.cut) = (used, now);
            self.rate = (used * factor).max(RATE_MIN);
        }
    }
}

impl Meter {
    /// How much it was since the last step.
    fn step(&mut self, passed: Duration) -> f64 {
        let since_step = std::mem::take(&mut self.since_step);
        let weight = (passed.as_secs_f64() / METER_SPAN.as_secs_f64()).min(1.0);
        self.per_second += (since_step / passed.as_secs_f64() - self.per_second) * weight;
        since_step
    }
}

impl Adaptive {
    fn goal(&self) -> Option<Duration> {
        self.least.map(|least| least.mul_f64(ADAPTIVE_FACTOR).max(ADAPTIVE_MIN))
    }

    fn step(&mut self, passed: Duration) {
        let rise = 1.0 + ADAPTIVE_RISE * passed.as_secs_f64();
        if let Some(found) = self.times.quantile(ADAPTIVE_QUANTILE) {
            self.least = Some(self.least.map_or(found, |least| least.mul_f64(rise).min(found)));
        }
        self.times.forget(FORGET_SECOND.powf(passed.as_secs_f64()));
    }
}

impl ProcessorUse {
    fn look(&mut self, now: Instant, cpu_ns: impl FnOnce() -> Option<u64>) {
        if self.last.is_some_and(|(since, _)| now - since < PROCESSOR_SPAN) {
            return;
        }
        let Some(used_ns) = cpu_ns() else { return };
        if let Some((since, before_ns)) = self.last.replace((now, used_ns)) {
            let seconds = used_ns.saturating_sub(before_ns) as f64 / 1e9;
            self.share = Some(seconds / (now - since).as_secs_f64() / self.processors);
        }
    }
}
