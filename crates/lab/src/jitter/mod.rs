//! The hiccups of a machine, without any server: a fixed piece of work done over and over, and the histogram of how long it
//! took, with idle processors and beside busy neighbours, over a little and over much memory (after Dominy). Each piece also
//! tells what its thread used, so that the tail is shown with its cause: no processor free, pages, or the work itself.
//!
//! A gauge, not a comparison. What a thread uses is read by the caller's `read`; the lab itself asks no kernel.

mod tail;

use std::fs;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::Error;
use crate::load;
use crate::random::Random;
use crate::run::buckets;

pub use tail::{Counts, PieceMean, Tail};

#[derive(Clone, Debug, Serialize)]
pub struct JitterOptions {
    /// Memory that the work goes through, one after the other.
    pub megabytes: Vec<u64>,
    /// Threads that only compute, beside the work; an arm for each number.
    pub neighbours: Vec<usize>,
    /// Steps of one piece of work.
    pub steps: u64,
    /// Of each arm.
    pub seconds: f64,
    /// Arms of the same memory take turns, so often each.
    pub rounds: u32,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Jitter {
    pub options: JitterOptions,
    pub cores: usize,
    pub arms: Vec<JitterArm>,
}

/// One size of memory beside so many neighbours.
#[derive(Clone, Debug, Serialize)]
pub struct JitterArm {
    pub megabytes: u64,
    pub neighbours: usize,
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
}

/// One piece of work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    wall_ns: u64,
    used: Counts,
}

/// Measures every arm. `read` tells what the thread that calls it has used so far; it is called on the measuring thread, which
/// is this one. `watch` hears what begins.
///
/// Errors: when the machine has not the memory.
pub fn jitter(
    options: JitterOptions,
    read: &dyn Fn() -> Counts,
    watch: &dyn Fn(&str),
) -> Result<Jitter, Error> {
    let mut arms = Vec::new();
    for megabytes in &options.megabytes {
        check_memory(*megabytes)?;
        let mut ground = Ground::new(*megabytes);
        let mut measured: Vec<Vec<Piece>> = vec![Vec::new(); options.neighbours.len()];
        watch(&format!("{megabytes} MB, {} arm(s) of {} s", measured.len(), options.seconds));
        ground.work(options.steps);
        let turn = Duration::from_secs_f64(options.seconds / f64::from(options.rounds.max(1)));
        for _ in 0..options.rounds.max(1) {
            for (neighbours, pieces) in options.neighbours.iter().zip(&mut measured) {
                beside(*neighbours, || repeat(&mut ground, (options.steps, turn), read, pieces));
            }
        }
        let of_memory = options.neighbours.iter().zip(&measured);
        arms.extend(of_memory.map(|(neighbours, pieces)| arm((*megabytes, *neighbours), pieces)));
    }
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Jitter { options, cores, arms })
}

/// Runs `work` beside threads that do nothing but compute.
fn beside<T>(neighbours: usize, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let busy = || {
        let mut random = Random::new(1);
        while !stop.load(Ordering::Relaxed) {
            black_box((0..1000).fold(0, |sum: u64, _| sum ^ random.next_u64()));
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..neighbours).map(|_| scope.spawn(busy)).collect();
        let done = work();
        stop.store(true, Ordering::Relaxed);
        drop(threads);
        done
    })
}

/// Piece after piece until the time is over, one at least.
fn repeat(
    ground: &mut Ground,
    (steps, turn): (u64, Duration),
    read: &dyn Fn() -> Counts,
    pieces: &mut Vec<Piece>,
) {
    let started = Instant::now();
    let (mut then, mut before) = (Instant::now(), read());
    loop {
        ground.work(steps);
        let (now, after) = (Instant::now(), read());
        let wall_ns = u64::try_from((now - then).as_nanos()).unwrap_or(u64::MAX);
        pieces.push(Piece { wall_ns, used: after.since(&before) });
        if started.elapsed() >= turn {
            return;
        }
        // What keeping the books takes is no part of the next piece.
        (then, before) = (Instant::now(), after);
    }
}

fn arm((megabytes, neighbours): (u64, usize), pieces: &[Piece]) -> JitterArm {
    let mut wall_ns = load::histogram();
    pieces.iter().for_each(|piece| wall_ns.saturating_record(piece.wall_ns));
    let at = |quantile| wall_ns.value_at_quantile(quantile) as f64 / 1e3;
    JitterArm {
        megabytes,
        neighbours,
        pieces: wall_ns.len(),
        p50_us: at(0.5),
        p90_us: at(0.9),
        p99_us: at(0.99),
        p999_us: at(0.999),
        max_us: at(1.0),
        mean: PieceMean::of(pieces.iter()),
        tail: Tail::of(pieces),
        histogram: buckets(&wall_ns),
    }
}

/// Memory that is all there, and a way through it that no prefetcher guesses.
struct Ground {
    words: Vec<u64>,
    random: Random,
}

impl Ground {
    fn new(megabytes: u64) -> Self {
        let count = usize::try_from(megabytes << 20).unwrap_or(usize::MAX) / size_of::<u64>();
        // Written, not only asked for: a page of zeros takes no memory.
        let words = (0..count as u64).map(|word| word | 1).collect();
        Self { words, random: Random::new(42) }
    }

    /// One piece: so many steps, each a word somewhere that is read and written.
    fn work(&mut self, steps: u64) {
        let count = self.words.len() as u64;
        let mut sum = 0_u64;
        for _ in 0..steps {
            let at = self.random.below(count) as usize;
            if let Some(word) = self.words.get_mut(at) {
                *word = word.rotate_left(1) ^ sum;
                sum = sum.wrapping_add(*word);
            }
        }
        black_box(sum);
    }
}

/// Refuses what would end in swapping, or in the end of a process.
fn check_memory(megabytes: u64) -> Result<(), Error> {
    let Some(available) = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(available_megabytes)
    else {
        return Ok(());
    };
    if megabytes + megabytes / 10 <= available {
        return Ok(());
    }
    Err(Error::NoMemory { megabytes, available })
}

/// `MemAvailable` of proc(5)'s meminfo.
fn available_megabytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? >> 10)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn every_arm_has_its_pieces_and_their_figures() {
        let options = JitterOptions {
            megabytes: vec![1, 2],
            neighbours: vec![0, 2],
            steps: 100,
            seconds: 0.0,
            rounds: 3,
        };
        let (cpu, heard) = (Cell::new(0), Cell::new(0));
        let read = || {
            cpu.set(cpu.get() + 2000);
            Counts { cpu_ns: Some(cpu.get()), ..Counts::default() }
        };
        let jitter = jitter(options, &read, &|_| heard.set(heard.get() + 1)).unwrap();
        let arms: Vec<_> =
            jitter.arms.iter().map(|arm| (arm.megabytes, arm.neighbours, arm.pieces)).collect();
        assert_eq!(arms, [(1, 0, 3), (1, 2, 3), (2, 0, 3), (2, 2, 3)]);
        assert_eq!(heard.get(), 2);
        let first = &jitter.arms[0];
        assert_eq!((first.mean.cpu_us, first.mean.run_queue_us), (Some(2.0), None));
        assert_eq!(first.histogram.iter().map(|(_, count)| count).sum::<u64>(), 3);
    }

    #[test]
    fn memory_that_is_not_there_is_refused() {
        let meminfo = "MemTotal:        4000000 kB\nMemAvailable:    2048000 kB\n";
        assert_eq!(available_megabytes(meminfo), Some(2000));
        assert_eq!(available_megabytes("nonsense"), None);
        assert!(cfg!(not(target_os = "linux")) || check_memory(u64::MAX >> 30).is_err());
    }
}
