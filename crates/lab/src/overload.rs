//! Asks more of a server than it can do: what it does when nothing is in its way, how much it can do, and
//! then a multiple of that by schedule. A server that holds its ground refuses the surplus with 429 and
//! answers the rest about as fast as before, in as much memory. A gauge, not a comparison.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::error::Error;
use crate::load::{Arrivals, Connection, Requests, Schedule, histogram, joined, merge};
use crate::run::Watch;
use crate::run::index::{self, Batches, Feed};
use crate::side::Side;
use crate::workload::{self, Question};

/// Parts that the corpus is indexed in; nobody compares them.
const INDEX_PARTS: usize = 5;
/// What the machine's caches and the server's own need until they hold what is asked for.
const WARM: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// This many closed loops keep a server busy.
const CONNECTIONS_PER_CORE: usize = 8;
/// Beyond this share of late requests a run says nothing of the server.
const LATE_MAX: f64 = 0.01;

#[derive(Clone, Debug)]
pub struct OverloadOptions {
    pub workload: String,
    pub docs: u64,
    pub seed: u64,
    /// Whose questions are asked, uncached.
    pub case: String,
    /// Whether the corpus is to be indexed first.
    pub index: bool,
    /// How much more than it can do.
    pub factor: f64,
    pub duration: Duration,
    /// What may be under way at once.
    pub connections: usize,
}

/// What came of it. Latencies are of admitted requests, from the intended send.
#[derive(Clone, Debug, Serialize)]
pub struct Overloaded {
    /// With one connection.
    pub unloaded: Latency,
    pub capacity_per_second: f64,
    pub asked_per_second: f64,
    pub seconds: f64,
    pub admitted: u64,
    /// With 429.
    pub refused: u64,
    /// With 429 that did not say when to come again.
    pub refused_without_hint: u64,
    /// Anything else.
    pub failed: u64,
    pub first_failure: Option<String>,
    /// Requests that had no free connection to leave by.
    pub late: u64,
    pub overloaded: Latency,
    /// Of the server, before and the most that was seen.
    pub resident_bytes: [Option<u64>; 2],
    /// Whether it answered a last request.
    pub lives: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Latency {
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}

impl Latency {
    fn of(latency_ns: &Histogram<u64>) -> Self {
        let ms = |nanos: u64| nanos as f64 / 1e6;
        Self {
            p50_ms: ms(latency_ns.value_at_quantile(0.5)),
            p99_ms: ms(latency_ns.value_at_quantile(0.99)),
            max_ms: ms(latency_ns.max()),
        }
    }
}

impl Overloaded {
    /// Whether the generator kept to its schedule: of what left late the latency is the generator's own
    /// queue.
    pub fn is_void(&self) -> bool {
        let sent = self.admitted + self.refused + self.failed;
        self.late as f64 > sent as f64 * LATE_MAX
    }

    /// How much longer the slowest hundredth of what was admitted took than without load.
    pub fn p99_ratio(&self) -> f64 {
        self.overloaded.p99_ms / self.unloaded.p99_ms
    }
}

/// Errors: when the server cannot be reached, the case does not exist, or indexing fails.
pub async fn overload(
    options: OverloadOptions,
    side: Side,
    watch: Arc<dyn Watch>,
) -> Result<Overloaded, Error> {
    let workload = workload::by_name(&options.workload, options.docs, options.seed)?;
    if options.index {
        let feed: Arc<dyn Feed> = Arc::new(Batches { workload: workload.clone(), watch: watch.clone() });
        index::index([Some(&side), None], &feed, (INDEX_PARTS, options.seed), &watch).await?;
    }
    let case = workload.cases().into_iter().find(|case| case.name == options.case);
    let case = case.ok_or_else(|| Error::NoCase(options.case.clone(), options.workload.clone()))?;
    let questions: Vec<Question> = case.questions.into_iter().map(Question::uncached).collect();
    side.ask(case.handler, &questions[0].params).await?;
    let path = format!("{}/{}", side.collection, case.handler);
    let requests =
        Requests::get(side.url(), &path, questions.iter().map(|question| question.params.as_slice()));
    let measured = tokio::task::spawn_blocking(move || press(&options, &side, &requests, &*watch));
    measured.await.map_err(|error| Error::Task(error.to_string()))?
}

fn press(
    options: &OverloadOptions,
    side: &Side,
    requests: &Requests,
    watch: &dyn Watch,
) -> Result<Overloaded, Error> {
    let authority = side.url().authority();
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let crowd = Crowd { authority, requests };
    crowd.closed(1, WARM)?;
    watch.note("asking one at a time");
    let unloaded = crowd.closed(1, options.duration / 6)?;
    watch.note("asking as much as can be answered");
    let busy = crowd.closed(cores * CONNECTIONS_PER_CORE, options.duration / 6)?;
    let capacity = busy.latency_ns.len() as f64 / busy.elapsed.as_secs_f64();
    let asked = capacity * options.factor;
    watch.note(&format!("asking {asked:.0} times a second of {capacity:.0}"));
    let before = side.processes.resident_bytes();
    let schedule = Schedule::new(Arrivals::Poisson, asked.max(1.0), options.duration, options.seed);
    let ended = AtomicBool::new(false);
    let (seen, most) = thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = before;
            while !ended.load(Ordering::Relaxed) {
                thread::park_timeout(LOOK_EVERY);
                most = most.max(side.processes.resident_bytes());
            }
            most
        });
        let seen = crowd.open(options.connections, &schedule);
        ended.store(true, Ordering::Relaxed);
        (seen, joined(watching))
    });
    let seen = seen?;
    Ok(Overloaded {
        unloaded: Latency::of(&unloaded.latency_ns),
        capacity_per_second: capacity,
        asked_per_second: asked,
        seconds: seen.elapsed.as_secs_f64(),
        admitted: seen.latency_ns.len(),
        refused: seen.refused,
        refused_without_hint: seen.refused_without_hint,
        failed: seen.failed,
        first_failure: seen.first_failure,
        late: seen.late,
        overloaded: Latency::of(&seen.latency_ns),
        resident_bytes: [before, most],
        lives: crowd.closed(1, Duration::ZERO).is_ok_and(|last| last.latency_ns.len() == 1),
    })
}

/// What connections saw together.
pub(crate) struct Seen {
    latency_ns: Histogram<u64>,
    pub refused: u64,
    pub refused_without_hint: u64,
    pub failed: u64,
    pub first_failure: Option<String>,
    late: u64,
    elapsed: Duration,
}

impl Seen {
    fn nothing() -> Self {
        Self {
            latency_ns: histogram(),
            refused: 0,
            refused_without_hint: 0,
            failed: 0,
            first_failure: None,
            late: 0,
            elapsed: Duration::ZERO,
        }
    }

    fn add(mut self, other: Self) -> Self {
        merge(&mut self.latency_ns, &other.latency_ns);
        self.refused += other.refused;
        self.refused_without_hint += other.refused_without_hint;
        self.failed += other.failed;
        self.first_failure = self.first_failure.or(other.first_failure);
        self.late += other.late;
        self.elapsed = self.elapsed.max(other.elapsed);
        self
    }

    pub fn quantile_ms(&self, quantile: f64) -> f64 {
        self.latency_ns.value_at_quantile(quantile) as f64 / 1e6
    }

    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    pub fn answered_per_second(&self) -> f64 {
        self.latency_ns.len() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    fn fail(&mut self, reason: String) {
        self.failed += 1;
        self.first_failure.get_or_insert(reason);
    }
}

/// Clients with a connection each.
pub(crate) struct Crowd<'a> {
    pub authority: &'a str,
    pub requests: &'a Requests,
}

impl Crowd<'_> {
    /// Each asks when it has its answer, once at least.
    pub fn closed(&self, connections: usize, duration: Duration) -> Result<Seen, Error> {
        self.together(connections, |started, connection, seen| {
            loop {
                self.ask(connection, Instant::now(), seen);
                if started.elapsed() >= duration {
                    return;
                }
            }
        })
    }

    /// Whoever is free takes the next request of the schedule, and waits for its moment.
    pub fn open(&self, connections: usize, schedule: &Schedule) -> Result<Seen, Error> {
        self.open_until(connections, schedule, Duration::MAX)
    }

    /// The same, but what has not left when this much time is over is given up: of three times what a server
    /// can do two thirds would come when the schedule is long over, and beside nothing else.
    pub fn open_until(&self, connections: usize, schedule: &Schedule, ends: Duration) -> Result<Seen, Error> {
        let next = AtomicUsize::new(0);
        self.together(connections, |started, connection, seen| {
            while let Some(offset) = schedule.get(next.fetch_add(1, Ordering::Relaxed)) {
                if started.elapsed() >= ends {
                    return;
                }
                let intended = started + offset;
                match intended.checked_duration_since(Instant::now()) {
                    Some(early) => thread::sleep(early),
                    None => seen.late += 1,
                }
                self.ask(connection, intended, seen);
            }
        })
    }

    /// All begin at one moment, when the last is ready.
    fn together(
        &self,
        connections: usize,
        work: impl Fn(Instant, &mut Connection, &mut Seen) + Sync,
    ) -> Result<Seen, Error> {
        let wrong =
            |error: io::Error| Error::Load { url: self.authority.to_owned(), reason: error.to_string() };
        let opened = (0..connections.max(1)).map(|_| Connection::open(self.authority).map_err(wrong));
        let mut opened = opened.collect::<Result<Vec<_>, _>>()?;
        let (ready, started) = (Barrier::new(opened.len()), OnceLock::new());
        let (work, ready, started) = (&work, &ready, &started);
        let seen = thread::scope(|scope| {
            let clients: Vec<_> = opened
                .iter_mut()
                .map(|connection| {
                    scope.spawn(move || {
                        let mut seen = Seen::nothing();
                        ready.wait();
                        work(*started.get_or_init(Instant::now), connection, &mut seen);
                        seen
                    })
                })
                .collect();
            clients.into_iter().map(joined).fold(Seen::nothing(), Seen::add)
        });
        Ok(Seen { elapsed: started.get().map_or(Duration::ZERO, Instant::elapsed), ..seen })
    }

    fn ask(&self, connection: &mut Connection, intended: Instant, seen: &mut Seen) {
        match connection.exchange(self.requests.next()) {
            Ok(answer) if answer.status == 200 => {
                seen.latency_ns.saturating_record(intended.elapsed().as_nanos() as u64);
            }
            Ok(answer) if answer.status == 429 => {
                seen.refused += 1;
                seen.refused_without_hint += u64::from(!connection.says_when_to_retry());
            }
            Ok(answer) => seen.fail(format!("status {}", answer.status)),
            Err(error) => {
                seen.fail(error.to_string());
                if let Ok(fresh) = Connection::open(self.authority) {
                    *connection = fresh;
                }
            }
        }
    }
}
