//! Time of many calls: wall clock one by one, processor time of the thread as a mean, after a warm-up. Calls
//! until a second has passed, within bounds of how many, since classes of queries differ by a factor of ten
//! thousand.
#![allow(clippy::disallowed_methods, reason = "it measures")]

use std::time::{Duration, Instant};

const CALLS_MIN: usize = 200;
const CALLS_MAX: usize = 200_000;
const WARM: Duration = Duration::from_millis(500);
const MEASURE: Duration = Duration::from_secs(1);

pub struct Times {
    /// In nanoseconds, ascending, never empty.
    sorted: Vec<u64>,
    /// Of a call, on average.
    pub cpu_us: f64,
}

impl Times {
    pub fn calls(&self) -> usize {
        self.sorted.len()
    }

    /// The smallest time that at least this share of the calls did not exceed.
    pub fn quantile_us(&self, share: f64) -> f64 {
        let rank = (share * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(rank.max(1) - 1).map_or(f64::NAN, |ns| *ns as f64 / 1e3)
    }
}

pub fn time<E>(mut call: impl FnMut() -> Result<(), E>) -> Result<Times, E> {
    let started = Instant::now();
    let mut calls = 0;
    while calls < CALLS_MIN || started.elapsed() < WARM {
        call()?;
        calls += 1;
    }
    let (started, cpu) = (Instant::now(), cpu_ns());
    let mut sorted = Vec::new();
    while sorted.len() < CALLS_MIN || (started.elapsed() < MEASURE && sorted.len() < CALLS_MAX) {
        let before = Instant::now();
        call()?;
        sorted.push(before.elapsed().as_nanos() as u64);
    }
    let cpu_us = (cpu_ns() - cpu) as f64 / sorted.len() as f64 / 1e3;
    sorted.sort_unstable();
    Ok(Times { sorted, cpu_us })
}

/// Of this thread, by Linux; 0 elsewhere.
fn cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}
