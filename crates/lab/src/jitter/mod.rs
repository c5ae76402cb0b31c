//! The hiccups of a machine: a fixed piece of work done over and over, and the histogram of how long it took,
//! with idle processors, beside busy neighbours and beside a server, with a little and with much memory
//! (after Dominy). Each piece also tells what its thread used, so that the tail is shown with its cause: no
//! processor free, pages, or the work itself.
//!
//! A gauge, not a comparison. What a thread uses is read by the caller's `read`; the lab itself asks no
//! kernel.

mod ground;
mod tail;

use std::fmt;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::Error;
use crate::load;
use crate::random::Random;
use crate::run::buckets;

pub use ground::JitterWork;
use ground::{Ground, check_memory};
use tail::WorkUnit;
pub use tail::{Counts, PieceMean, Tail};

#[derive(Clone, Debug, Serialize)]
pub struct JitterOptions {
    /// Memory that is there, one size after the other.
    pub megabytes: Vec<u64>,
    /// What goes on beside the work; an arm for each.
    pub company: Vec<Company>,
    pub work: JitterWork,
    /// Of each arm.
    pub seconds: f64,
    /// Arms of the same memory take turns, so often each.
    pub rounds: u32,
    /// Whether the process asks for transparent huge pages, or forbids them. Told with the figures; the
    /// caller does either.
    pub huge_pages: bool,
}

/// What goes on beside the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Company {
    /// Threads that only compute; none at all where it is 0.
    Neighbours(usize),
    /// A server of this machine, which is asked.
    Server,
}

impl fmt::Display for Company {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Neighbours(0) => f.write_str("idle"),
            Self::Neighbours(threads) => write!(f, "{threads} busy"),
            Self::Server => f.write_str("a server"),
        }
    }
}

/// What the lab does not do itself.
pub struct JitterSeams<'s> {
    /// Tells what the thread that calls it has used so far; called on the measuring thread, which is the
    /// caller's.
    pub read: &'s dyn Fn() -> Counts,
    /// Hears what begins.
    pub watch: &'s dyn Fn(&str),
    /// Is handed each memory before it is written, while it has no pages yet.
    pub advise: &'s dyn Fn(&mut [MaybeUninit<u64>]),
    /// How much memory of this process lies in huge pages, in MB; `None` where nobody tells.
    pub huge_megabytes: &'s dyn Fn() -> Option<u64>,
    /// Asks the server of [`Company::Server`], on a thread of its own, until it is told to stop.
    pub ask_server: &'s (dyn Fn(&AtomicBool) -> ServerAsked + Sync),
}

/// How a server was kept at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerAsked {
    pub requests: u64,
    /// Of these.
    pub failures: u64,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Jitter {
    pub options: JitterOptions,
    pub cores: usize,
    pub arms: Vec<JitterArm>,
}

/// One size of memory in some company.
#[derive(Clone, Debug, Serialize)]
pub struct JitterArm {
    pub megabytes: u64,
    /// Of the process, while the arm ran: what of its memory lay in huge pages, asked for or not.
    pub huge_megabytes: Option<u64>,
    pub company: Company,
    pub pieces: u64,
    /// How long a piece took.
    pub p50_us: f64,
    pub p90_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
    /// Of one piece, on average.
    pub mean: PieceMean,
    /// The slowest hundredth, and what it is slow by.
    pub tail: Option<Tail>,
    /// Pieces by how long they took, in steps of a hundredth of a decade.
    pub histogram: Vec<(f64, u64)>,
    pub buckets: Vec<JitterBucket>,
    /// Of an arm beside a server.
    pub server: Option<ServerAsked>,
}

/// Pieces by how long they took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct JitterBucket {
    /// Less than this, and not less than the bound before; the last has none.
    pub below_ms: Option<f64>,
    pub pieces: u64,
}

impl fmt::Display for JitterBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.below_ms {
            Some(ms) => write!(f, "< {ms} ms"),
            None => f.write_str("longer"),
        }
    }
}

/// For people: what a request may take, what is noticed, what is complained of.
const BOUNDS_MS: [f64; 8] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// What an arm has so far.
#[derive(Clone, Default)]
struct Measured {
    pieces: Vec<WorkUnit>,
    server: Option<ServerAsked>,
}

/// Measures every arm.
///
/// Errors: when the machine has not the memory.
pub fn jitter(options: JitterOptions, seams: &JitterSeams<'_>) -> Result<Jitter, Error> {
    let mut arms = Vec::new();
    for megabytes in &options.megabytes {
        check_memory(*megabytes)?;
        let mut ground = Ground::new(*megabytes, seams.advise);
        let huge_megabytes = (seams.huge_megabytes)();
        let mut measured = vec![Measured::default(); options.company.len()];
        (seams.watch)(&format!("{megabytes} MB, {} arm(s) of {} s", measured.len(), options.seconds));
        ground.work(options.work);
        let turn = Duration::from_secs_f64(options.seconds / f64::from(options.rounds.max(1)));
        for _ in 0..options.rounds.max(1) {
            for (company, Measured { pieces, server }) in options.company.iter().zip(&mut measured) {
                let asked =
                    beside(*company, seams, || repeat(&mut ground, (options.work, turn), seams.read, pieces));
                if let Some(asked) = asked {
                    let sum = server.get_or_insert_default();
                    sum.requests += asked.requests;
                    sum.failures += asked.failures;
                }
            }
        }
        let of_memory = options.company.iter().zip(&measured);
        let of_company = |(company, measured): (&Company, &Measured)| JitterArm {
            huge_megabytes,
            ..arm((*megabytes, *company), measured)
        };
        arms.extend(of_memory.map(of_company));
    }
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Jitter { options, cores, arms })
}

/// Runs `work` in company.
fn beside(company: Company, seams: &JitterSeams<'_>, work: impl FnOnce()) -> Option<ServerAsked> {
    let stop = AtomicBool::new(false);
    let busy = || {
        let mut random = Random::new(1);
        while !stop.load(Ordering::Relaxed) {
            black_box((0..1000).fold(0, |sum: u64, _| sum ^ random.next_u64()));
        }
    };
    thread::scope(|scope| {
        let asking = match company {
            Company::Neighbours(threads) => {
                (0..threads).for_each(|_| drop(scope.spawn(busy)));
                None
            }
            Company::Server => Some(scope.spawn(|| (seams.ask_server)(&stop))),
        };
        work();
        stop.store(true, Ordering::Relaxed);
        asking.and_then(|asking| asking.join().ok())
    })
}

/// Piece after piece until the time is over, one at least.
fn repeat(
    ground: &mut Ground,
    (work, turn): (JitterWork, Duration),
    read: &dyn Fn() -> Counts,
    pieces: &mut Vec<WorkUnit>,
) {
    let started = Instant::now();
    let (mut then, mut before) = (Instant::now(), read());
    loop {
        ground.work(work);
        let (now, after) = (Instant::now(), read());
        let wall_ns = u64::try_from((now - then).as_nanos()).unwrap_or(u64::MAX);
        pieces.push(WorkUnit { wall_ns, used: after.since(&before) });
        if started.elapsed() >= turn {
            return;
        }
        // What keeping the books takes is no part of the next piece.
        (then, before) = (Instant::now(), after);
    }
}

fn arm((megabytes, company): (u64, Company), Measured { pieces, server }: &Measured) -> JitterArm {
    let mut wall_ns = load::histogram();
    pieces.iter().for_each(|piece| wall_ns.saturating_record(piece.wall_ns));
    let at = |quantile| wall_ns.value_at_quantile(quantile) as f64 / 1e3;
    JitterArm {
        megabytes,
        huge_megabytes: None,
        company,
        pieces: wall_ns.len(),
        p50_us: at(0.5),
        p90_us: at(0.9),
        p99_us: at(0.99),
        p999_us: at(0.999),
        max_us: at(1.0),
        mean: PieceMean::of(pieces),
        tail: Tail::of(pieces),
        histogram: buckets(&wall_ns),
        buckets: in_buckets(pieces),
        server: *server,
    }
}

fn in_buckets(pieces: &[WorkUnit]) -> Vec<JitterBucket> {
    let bounds = BOUNDS_MS.into_iter().map(Some).chain([None]);
    let mut buckets: Vec<_> = bounds.map(|below_ms| JitterBucket { below_ms, pieces: 0 }).collect();
    for piece in pieces {
        let ms = piece.wall_ns as f64 / 1e6;
        if let Some(bucket) = buckets.iter_mut().find(|bucket| bucket.below_ms.is_none_or(|below| ms < below))
        {
            bucket.pieces += 1;
        }
    }
    buckets
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn every_arm_has_its_pieces_and_their_figures() {
        let options = JitterOptions {
            megabytes: vec![1, 2],
            company: vec![Company::Neighbours(0), Company::Neighbours(2), Company::Server],
            work: JitterWork::Steps(100),
            seconds: 0.0,
            rounds: 3,
            huge_pages: true,
        };
        let (cpu, heard) = (Cell::new(0), Cell::new(0));
        let read = || {
            cpu.set(cpu.get() + 2000);
            Counts { cpu_ns: Some(cpu.get()), ..Counts::default() }
        };
        let asked = AtomicUsize::new(0);
        let ask_server = |stop: &AtomicBool| {
            asked.fetch_add(1, Ordering::Relaxed);
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            ServerAsked { requests: 10, failures: 1 }
        };
        let advised = Cell::new(0);
        let seams = JitterSeams {
            read: &read,
            watch: &|_| heard.set(heard.get() + 1),
            advise: &|memory| advised.set(advised.get() + memory.len() * 8),
            huge_megabytes: &|| Some(advised.get() as u64 >> 20),
            ask_server: &ask_server,
        };
        let jitter = jitter(options, &seams).unwrap();
        let arms: Vec<_> =
            jitter.arms.iter().map(|arm| (arm.megabytes, arm.company.to_string(), arm.pieces)).collect();
        let expected = |mb: u64| ["idle", "2 busy", "a server"].map(|company| (mb, company.to_owned(), 3));
        assert_eq!(arms, [expected(1), expected(2)].concat());
        assert_eq!((heard.get(), asked.load(Ordering::Relaxed)), (2, 6), "asked in each turn of its arms");
        let huge: Vec<_> = jitter.arms.iter().map(|arm| arm.huge_megabytes).collect();
        // As the process has it behind each memory that was made.
        assert_eq!(huge, [[Some(1); 3], [Some(3); 3]].concat());
        let servers: Vec<_> = jitter.arms.iter().filter_map(|arm| arm.server).collect();
        assert_eq!(servers, [ServerAsked { requests: 30, failures: 3 }; 2]);
        let first = &jitter.arms[0];
        assert_eq!((first.mean.cpu_us, first.mean.run_queue_us), (Some(2.0), None));
        assert_eq!(first.histogram.iter().map(|(_, count)| count).sum::<u64>(), 3);
    }

    #[test]
    fn pieces_fall_into_buckets() {
        let piece = |ms: f64| WorkUnit { wall_ns: (ms * 1e6) as u64, used: Counts::default() };
        let found = in_buckets(&[0.1, 0.5, 4.9, 65.0, 65.0, 1e6].map(piece));
        let some = found.iter().filter(|bucket| bucket.pieces > 0);
        let some: Vec<_> = some.map(|bucket| (bucket.below_ms, bucket.pieces)).collect();
        assert_eq!(some, [(Some(0.5), 1), (Some(1.0), 1), (Some(5.0), 1), (Some(100.0), 2), (None, 1)]);
    }
}
