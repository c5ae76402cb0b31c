//! When requests are meant to leave in an open-loop run: decided before the run, so that a slow answer delays
//! nothing and waiting counts as latency. In: a rate, a length and a seed; out: the times that `open.rs`
//! keeps to. It is the cure for coordinated omission (Gil Tene): latencies count from these times, not from
//! when a connection was free.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// All gaps alike.
    Constant,
    /// Gaps drawn from an exponential distribution: independent users.
    #[default]
    Poisson,
}

/// Nanoseconds from the start of the run to each intended send, ascending.
#[derive(Clone, Debug)]
pub struct Schedule(Vec<u64>);

impl Schedule {
    /// Arrivals at `per_second`, above 0, for `duration`.
    pub fn new(arrivals: Arrivals, per_second: f64, duration: Duration, seed: u64) -> Self {
        let gap_ns = 1e9 / per_second;
        let end_ns = duration.as_nanos() as f64;
        let mut random = Random::new(seed);
        let mut sends = Vec::with_capacity((end_ns / gap_ns) as usize + 1);
        let mut at_ns = 0.0;
        loop {
            at_ns += match arrivals {
                Arrivals::Constant => gap_ns,
                Arrivals::Poisson => -gap_ns * (1.0 - random.unit()).ln(),
            };
            if at_ns >= end_ns {
                return Self(sends);
            }
            sends.push(at_ns as u64);
        }
    }

    pub fn get(&self, index: usize) -> Option<Duration> {
        self.0.get(index).copied().map(Duration::from_nanos)
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn constant_arrivals_are_evenly_spaced() {
        let schedule = Schedule::new(Arrivals::Constant, 4.0, SECOND, 1);
        let sends: Vec<_> = (0..).map_while(|index| schedule.get(index)).collect();
        assert_eq!(sends, [250, 500, 750].map(Duration::from_millis));
    }

    #[test]
    fn poisson_arrivals_keep_their_rate_and_vary_as_they_should() {
        let schedule = Schedule::new(Arrivals::Poisson, 10_000.0, 10 * SECOND, 1);
        assert!((99_000..101_000).contains(&schedule.len()), "{}", schedule.len());
        let gaps: Vec<f64> = schedule.0.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // An exponential distribution's deviation is its mean.
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_schedule_is_its_seed() {
        let sends = |seed| Schedule::new(Arrivals::Poisson, 100.0, SECOND, seed).0;
        assert_eq!(sends(1), sends(1));
        assert_ne!(sends(1), sends(2));
    }
}
