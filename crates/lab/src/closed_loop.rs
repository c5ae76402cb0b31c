//! Closed-loop load: each connection sends its next request when the last is answered. Good for peak throughput only; it
//! hides queueing, which the report says.

use std::thread;
use std::time::{Duration, Instant};

use client::SolrUrl;
use hdrhistogram::Histogram;

use crate::connection::Connection;
use crate::error::Error;

/// What a run saw.
pub struct Load {
    /// Microseconds.
    pub latency_us: Histogram<u64>,
    pub elapsed: Duration,
}

/// Sends GETs of `path` over `connections` for `duration`.
pub fn run(url: &SolrUrl, path: &str, connections: usize, duration: Duration) -> Result<Load, Error> {
    let request = format!("GET {}/{path} HTTP/1.1\r\nHost: {}\r\n\r\n", url.context(), url.authority());
    let started = Instant::now();
    let ended = started + duration;
    let histograms: Result<Vec<_>, Error> = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..connections).map(|_| scope.spawn(|| work(url, request.as_bytes(), ended))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().map_err(|_| load_error(url, "a generator thread ended"))?)
            .collect()
    });
    let mut latency_us = histogram();
    for part in histograms? {
        latency_us.add(part).map_err(|error| load_error(url, &error.to_string()))?;
    }
    Ok(Load { latency_us, elapsed: started.elapsed() })
}

fn work(url: &SolrUrl, request: &[u8], ended: Instant) -> Result<Histogram<u64>, Error> {
    let mut latency_us = histogram();
    let mut connection = Connection::open(url).map_err(|error| load_error(url, &error.to_string()))?;
    let mut sent = Instant::now();
    while sent < ended {
        let (status, _) =
            connection.exchange(request).map_err(|error| load_error(url, &error.to_string()))?;
        if status != 200 {
            return Err(load_error(url, &format!("status {status} under load")));
        }
        let now = Instant::now();
        latency_us.saturating_record((now - sent).as_micros() as u64);
        sent = now;
    }
    Ok(latency_us)
}

fn histogram() -> Histogram<u64> {
    // One microsecond to a minute at three significant figures: a valid range, so the bounds below cannot be refused.
    Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("constant bounds are valid"))
}

fn load_error(url: &SolrUrl, reason: &str) -> Error {
    Error::Load { url: url.to_string(), reason: reason.to_owned() }
}
