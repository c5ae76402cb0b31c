//! How much the doctor slows a process at work: workers of several kinds count their steps and their own
//! processor time. Turns alternate, one watched as `parhelion doctor stuck` watches and one alone, in
//! changing order, so that what else the machine does falls on both; steps per second of the worker's own
//! processor time leave out what neighbours take.

use std::io;
use std::time::Duration;

use doctor::{ObserveOptions, StuckOptions};

use crate::planted::planting::{Planted, look_with, now_ms};

/// Each leans on something that a look touches: caches, system calls, the table of open files, the map of
/// memory.
const KINDS: [(&str, &str); 4] = [
    ("work-compute", "arithmetic"),
    ("work-calls", "system calls"),
    ("work-files", "opening and closing files"),
    ("work-memory", "mapping and unmapping memory"),
];

pub fn print(rounds: usize) -> io::Result<()> {
    println!("| a worker at | pairs | slowed by, median | 95 % of medians within |");
    println!("|---|---|---|---|");
    for (kind, name) in KINDS {
        let mut ratios = measure(kind, rounds)?;
        ratios.sort_unstable_by(f64::total_cmp);
        let percent = |at: usize| ratios.get(at).map_or(0.0, |ratio| (1.0 - ratio) * 100.0);
        let (low, high) = median_interval(ratios.len());
        println!(
            "| {name} | {} | {:+.2} % | {:+.2} to {:+.2} % |",
            ratios.len(),
            percent(ratios.len() / 2),
            percent(high),
            percent(low)
        );
    }
    Ok(())
}

/// Speed when watched over speed alone, of each pair.
fn measure(kind: &str, rounds: usize) -> io::Result<Vec<f64>> {
    let mut worker = Planted::start(kind, "");
    let mut ratios = Vec::with_capacity(rounds);
    turn(&mut worker, false)?;
    for round in 0..rounds {
        let watched_first = round % 2 == 0;
        let (first, second) = (turn(&mut worker, watched_first)?, turn(&mut worker, !watched_first)?);
        let (watched, alone) = if watched_first { (first, second) } else { (second, first) };
        ratios.push(watched / alone);
    }
    Ok(ratios)
}

/// Steps per second of the worker's processor time, over one look or as long without.
fn turn(worker: &mut Planted, watched: bool) -> io::Result<f64> {
    const TURN: Duration = Duration::from_millis(500);
    let (steps, ns) = counts(worker)?;
    if watched {
        let observe = ObserveOptions { period: TURN, samples: 4, now_ms: now_ms() };
        look_with(worker.pid(), &StuckOptions { observe, patience: Duration::from_secs(60) });
    } else {
        std::thread::sleep(TURN);
    }
    let (steps_after, ns_after) = counts(worker)?;
    Ok((steps_after - steps) / ((ns_after - ns) / 1e9))
}

fn counts(worker: &mut Planted) -> io::Result<(f64, f64)> {
    let line = worker.ask()?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let pair = numbers.next().zip(numbers.next());
    pair.ok_or_else(|| io::Error::other(format!("the worker answers `{}`", line.trim())))
}

/// Ranks between which the median lies with a probability of 95 %, by the signs alone: n/2 -+ sqrt(n).
fn median_interval(count: usize) -> (usize, usize) {
    let (middle, spread) = (count as f64 / 2.0, (count as f64).sqrt());
    let last = count.saturating_sub(1);
    (((middle - spread).floor().max(0.0) as usize).min(last), ((middle + spread).ceil() as usize).min(last))
}
