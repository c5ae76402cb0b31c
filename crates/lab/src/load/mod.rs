//! HTTP load: a number of connections, a thread each, that send prepared requests and record how long each
//! answer took. Owns the harness that closed and open loops share (connecting before the clock starts,
//! merging, CPU accounting); what is sent and what the figures mean is decided by the caller.

mod closed;
mod connection;
mod cpu;
mod habit;
mod open;
mod requests;
mod schedule;
mod worker;

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

pub use connection::{Connection, is_reset};
pub use cpu::{Processes, half_closed, own_cpu_seconds};
pub use habit::Habit;
pub use requests::{Requests, get, get_as};
pub use schedule::{Arrivals, Schedule};
use worker::Worker;
pub use worker::{Target, histogram};

use crate::error::Error;

/// How requests follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Each connection sends its next request when the last is answered: peak throughput, and latency as a
    /// client sees it that waits. It hides queueing.
    Closed { connections: usize },
    /// Requests leave by schedule, whatever the answers do; latency counts from the intended send.
    /// `connections` bounds how many are under way at once; what waits for one, waits on the clock.
    Open { per_second: f64, arrivals: Arrivals, connections: usize },
}

impl Shape {
    pub fn connections(&self) -> usize {
        match self {
            Shape::Closed { connections } | Shape::Open { connections, .. } => *connections,
        }
    }
}

/// What a slice of load saw.
#[derive(Clone, Debug)]
pub struct Load {
    /// Nanoseconds from (intended) send to the end of the answer, of answered requests.
    pub latency_ns: Histogram<u64>,
    /// Nanoseconds by which the generator itself was late, of requests that had a free connection. Open loop
    /// only.
    pub lag_ns: Histogram<u64>,
    pub elapsed: Duration,
    /// Requests that got no answer or one that was not 200.
    pub errors: u64,
    pub error: Option<String>,
    /// `None` when the server's process is not known.
    pub server_cpu_seconds: Option<f64>,
    pub generator_cpu_seconds: Option<f64>,
}

impl Load {
    pub fn answered(&self) -> u64 {
        self.latency_ns.len()
    }

    /// Answers a second.
    pub fn per_second(&self) -> f64 {
        self.answered() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Loads `target` for `duration`; `seed` decides arrivals. Blocks.
pub fn run(target: Target<'_>, shape: Shape, duration: Duration, seed: u64) -> Result<Load, Error> {
    match shape {
        Shape::Closed { connections } => {
            drive(target, connections, |worker, started| closed::work(worker, started + duration))
        }
        Shape::Open { per_second, arrivals, connections } => {
            let clerk = open::Clerk::new(Schedule::new(arrivals, per_second, duration, seed));
            drive(target, connections, |worker, started| clerk.work(worker, started))
        }
    }
}

/// Adds `part` to `sum`; both have the bounds of [`histogram`], so that nothing can be refused.
pub fn merge(sum: &mut Histogram<u64>, part: &Histogram<u64>) {
    sum.add(part).unwrap_or_else(|_| unreachable!("histograms of the same bounds"));
}

/// What a thread brings, or its panic.
pub fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Connects, starts all workers at one moment, and merges what they saw.
fn drive(
    target: Target<'_>,
    connections: usize,
    work: impl Fn(&mut Worker<'_>, Instant) + Sync,
) -> Result<Load, Error> {
    let mut workers = Vec::with_capacity(connections);
    for _ in 0..connections.max(1) {
        workers.push(Worker::connect(target)?);
    }
    let gate = Barrier::new(workers.len() + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                scope.spawn(|| {
                    gate.wait();
                    work(worker, Instant::now());
                })
            })
            .collect();
        let before = (target.server.cpu_seconds(), own_cpu_seconds());
        gate.wait();
        let started = Instant::now();
        let panicked = threads.into_iter().map(thread::ScopedJoinHandle::join).any(|ended| ended.is_err());
        let elapsed = started.elapsed();
        if panicked {
            return Err(Error::Load {
                url: target.authority.to_owned(),
                reason: "a generator thread ended".into(),
            });
        }
        let after = (target.server.cpu_seconds(), own_cpu_seconds());
        Ok((elapsed, before, after))
    })
    .map(|(elapsed, before, after)| Load {
        elapsed,
        server_cpu_seconds: after.0.zip(before.0).map(|(after, before)| after - before),
        generator_cpu_seconds: after.1.zip(before.1).map(|(after, before)| after - before),
        ..merged(workers)
    })
}

fn merged(workers: Vec<Worker<'_>>) -> Load {
    let mut load = Load {
        latency_ns: histogram(),
        lag_ns: histogram(),
        elapsed: Duration::ZERO,
        errors: 0,
        error: None,
        server_cpu_seconds: None,
        generator_cpu_seconds: None,
    };
    for worker in workers {
        merge(&mut load.latency_ns, &worker.latency_ns);
        merge(&mut load.lag_ns, &worker.lag_ns);
        load.errors += worker.errors;
        load.error = load.error.or(worker.error);
    }
    load
}

#[cfg(test)]
mod tests;
