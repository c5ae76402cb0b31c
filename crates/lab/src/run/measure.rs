//! One case under one shape of load: warm both sides, then slices in turn (A B, B A, …), then the statistics
//! of the pairs. Blocks; answers were compared before. In: two sides and the requests of a case, out: an arm
//! of the record. Taking turns gives both sides the same moods of the machine, so that a ratio of neighbours
//! holds where the figures themselves do not.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::figures::{figures, interval_of};
use super::options::RunOptions;
use super::record::{Arm, Figures, WarmUp};
use super::warm;
use crate::error::Error;
use crate::load::{self, Habit, Load, Requests, Shape, Target};
use crate::side::Side;

/// A late generator measures itself: beyond this the arm is void.
const LAG_P999_US_MAX: f64 = 1000.0;
/// A generator that takes more of the machine than this is what limits throughput.
const GENERATOR_SHARE_MAX: f64 = 0.6;

/// How to measure, for all arms of a run.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub pairs: usize,
    pub slice: Duration,
    pub warm_max: Duration,
    pub seed: u64,
    pub cores: usize,
}

impl Method {
    pub fn of(options: &RunOptions, cores: usize) -> Self {
        let warm_max = Duration::from_millis(options.warm_ms_max);
        let slice = Duration::from_millis(options.slice_ms);
        Self { pairs: options.pairs, slice, warm_max, seed: options.seed, cores }
    }
}

/// One side and the case's requests for it.
#[derive(Clone, Copy)]
pub struct Contender<'a> {
    pub side: &'a Side,
    pub requests: &'a Requests,
    pub habit: Habit,
}

impl<'a> Contender<'a> {
    fn target(&self) -> Target<'a> {
        Target {
            authority: self.side.url().authority(),
            requests: self.requests,
            server: &self.side.processes,
            habit: self.habit,
        }
    }
}

/// Measures ours and, where given, the peer; a side that is `None` is left out of the arm.
pub fn measure(
    ours: Option<Contender<'_>>,
    peer: Option<Contender<'_>>,
    shape: Shape,
    method: &Method,
) -> Result<Arm, Error> {
    let sides = [ours, peer];
    let mut warm_ups = [WarmUp::default(); 2];
    for (warm_up, side) in warm_ups.iter_mut().zip(&sides) {
        if let (Some(side), Shape::Closed { connections }) = (side, shape) {
            *warm_up = warm::warm(side.target(), connections, method.warm_max)?;
        }
    }
    let loads = take_turns(sides, shape, method)?;
    let [our_figures, peer_figures] = [0, 1].map(|at| figures(&loads[at], warm_ups[at], method.cores));
    let pairs = || loads[0].iter().zip(&loads[1]);
    let closed = matches!(shape, Shape::Closed { .. });
    let throughput = pairs().filter(|_| closed).map(|(ours, peer)| (ours.per_second(), peer.per_second()));
    let p99 = pairs().map(|(ours, peer)| (quantile(&peer.latency_ns), quantile(&ours.latency_ns)));
    let cpu = pairs().filter_map(|(ours, peer)| Some((cpu_each(peer)?, cpu_each(ours)?)));
    Ok(Arm {
        shape,
        ratio: interval_of(throughput, method.seed),
        p99_ratio: interval_of(p99, method.seed),
        cpu_ratio: interval_of(cpu, method.seed),
        void: void(&loads, [our_figures.as_ref(), peer_figures.as_ref()]),
        ours: our_figures,
        peer: peer_figures,
    })
}

/// Slices of both sides, interleaved; who begins alternates, so that neither always follows the other.
fn take_turns(
    sides: [Option<Contender<'_>>; 2],
    shape: Shape,
    method: &Method,
) -> Result<[Vec<Load>; 2], Error> {
    let mut loads = [Vec::new(), Vec::new()];
    for pair in 0..method.pairs {
        for turn in 0..2 {
            let at = (pair + turn) % 2;
            if let Some(side) = sides[at] {
                // Both sides of a pair get the same arrivals.
                loads[at].push(load::run(side.target(), shape, method.slice, method.seed + pair as u64)?);
            }
        }
    }
    Ok(loads)
}

fn void(loads: &[Vec<Load>; 2], figures: [Option<&Figures>; 2]) -> Vec<String> {
    let mut reasons = Vec::new();
    for ((whose, loads), figures) in ["ours", "the peer"].iter().zip(loads).zip(figures) {
        let errors: u64 = loads.iter().map(|load| load.errors).sum();
        if let Some(error) = loads.iter().find_map(|load| load.error.as_ref()) {
            reasons.push(format!("{whose}: {errors} errors, the first: {error}"));
        }
        let lag_us = figures.and_then(|figures| figures.lag_p999_us).unwrap_or(0.0);
        if lag_us > LAG_P999_US_MAX {
            let lag_ms = lag_us / 1e3;
            reasons.push(format!("{whose}: the generator was {lag_ms:.1} ms late at p99.9"));
        }
        let share = figures.and_then(|figures| figures.generator_cpu_share).unwrap_or(0.0);
        if share > GENERATOR_SHARE_MAX {
            reasons.push(format!("{whose}: the generator took {:.0} % of the machine", share * 100.0));
        }
    }
    reasons
}

fn quantile(latency_ns: &Histogram<u64>) -> f64 {
    latency_ns.value_at_quantile(0.99) as f64
}

fn cpu_each(load: &Load) -> Option<f64> {
    let each = load.server_cpu_seconds? / load.answered().max(1) as f64;
    (each > 0.0).then_some(each)
}
