//! The pools under comparison, as the clients of the field reports had them: connections kept without end and
//! trusted; the same, checked before each request; and this project's client, which sweeps. In: an address
//! and how hard to ask; out: counts of what failed and how long a lease took. The server that closes
//! connections in between is the experiment's, not a pool's.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use client::{ClientOptions, PoolOptions, RetryOptions, SolrClient};
use hdrhistogram::Histogram;
use tokio::runtime::Runtime;

use super::counts::{BurstCounts, nanoseconds};
use crate::error::Error;
use crate::load::{Connection, get, is_reset, joined};

/// Asks `requests` times over this many workers at once.
pub(super) trait Pool {
    fn burst(&self, workers: usize, requests: u64) -> BurstCounts;
}

/// A pool without limit, newest first; nobody looks at what lies in it.
pub(super) struct NaivePool {
    authority: String,
    request: Vec<u8>,
    checks: bool,
    idle: Mutex<Vec<Connection>>,
}

impl NaivePool {
    pub fn new(authority: &str, path: &str, checks: bool) -> Self {
        let request = get(authority, path);
        Self { authority: authority.to_owned(), request, checks, idle: Mutex::default() }
    }

    fn work(&self, requests: u64) -> BurstCounts {
        let mut counts = BurstCounts::default();
        for _ in 0..requests {
            let started = Instant::now();
            let asked = self.ask(&mut counts.lease_ns);
            counts.record(started.elapsed());
            if let Err(error) = asked {
                counts.failed += 1;
                counts.resets += u64::from(is_reset(&error));
            }
        }
        counts
    }

    fn ask(&self, lease_ns: &mut Histogram<u64>) -> io::Result<()> {
        let started = Instant::now();
        let kept = self.kept();
        if kept.is_some() {
            lease_ns.saturating_record(nanoseconds(started.elapsed()));
        }
        let mut connection = kept.map_or_else(|| Connection::open(&self.authority), Ok)?;
        if connection.exchange(&self.request)?.status != 200 {
            return Err(io::Error::other("another status than 200"));
        }
        self.idle().push(connection);
        Ok(())
    }

    fn kept(&self) -> Option<Connection> {
        loop {
            let mut connection = self.idle().pop()?;
            if !self.checks || !connection.looks_stale() {
                return Some(connection);
            }
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool for NaivePool {
    fn burst(&self, workers: usize, requests: u64) -> BurstCounts {
        let each = requests / workers as u64;
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| self.work(each))).collect();
            let mut counts = BurstCounts::default();
            workers.into_iter().map(joined).for_each(|part| counts.add(&part));
            counts
        })
    }
}

/// This project's client. It may not try again: a reset must be seen.
pub(super) struct SweptPool {
    runtime: Runtime,
    client: SolrClient,
    path: String,
}

impl SweptPool {
    pub fn new(authority: &str, path: &str, idle_max: Duration) -> Result<Self, Error> {
        let wrong = |error: io::Error| Error::Load { url: authority.to_owned(), reason: error.to_string() };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(wrong)?;
        let options = ClientOptions {
            pool: PoolOptions { idle_max, ..PoolOptions::default() },
            retry: RetryOptions { attempts_max: 1, ..RetryOptions::default() },
            ..ClientOptions::default()
        };
        let client = SolrClient::with_options(authority.parse()?, options);
        Ok(Self { runtime, client, path: path.trim_start_matches("/solr/").to_owned() })
    }

    /// Median and p99 of the time to get a kept connection.
    pub fn lease_ns(&self) -> (u64, u64) {
        let metrics = self.client.metrics();
        (metrics.lease_ns_p50, metrics.lease_ns_p99)
    }
}

impl Pool for SweptPool {
    fn burst(&self, workers: usize, requests: u64) -> BurstCounts {
        let each = requests / workers as u64;
        let asking = (0..workers).map(|_| {
            let (client, path) = (self.client.clone(), self.path.clone());
            self.runtime.spawn(async move {
                let mut counts = BurstCounts::default();
                for _ in 0..each {
                    let started = Instant::now();
                    let asked = client.get(&path, &[]).await;
                    counts.record(started.elapsed());
                    // Nobody else is there: what is no answer is a connection that was lost.
                    let lost = u64::from(asked.is_err());
                    counts.resets += lost;
                    counts.failed += u64::from(!asked.is_ok_and(|answer| answer.status == 200));
                }
                counts
            })
        });
        let asking: Vec<_> = asking.collect();
        let mut counts = BurstCounts::default();
        for worker in asking {
            match self.runtime.block_on(worker) {
                Ok(part) => counts.add(&part),
                Err(_) => counts.failed += each,
            }
        }
        counts
    }
}
