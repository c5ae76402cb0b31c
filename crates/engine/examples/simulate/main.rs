//! A shard's life on one thread, many times over, each from one seed: the real engine on a home in memory
//! that loses its process, deposes, delays, answers late, fails and fills up. `history` draws the steps and
//! `draw` the batches, `ledger` knows what may be true (by `model`, `predict` and `memory`) and which
//! `promise` is broken else, `stage` is the world, `counts` what was reached. `cargo xtask simulate` runs it;
//! `--bugs` plants each seeded bug and demands that it is found.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod counts;
mod draw;
mod history;
mod ledger;
mod memory;
mod model;
mod predict;
mod promise;
mod random;
mod stage;
mod surroundings;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use engine::SeededBug;

use crate::counts::Counts;
use crate::history::live;
use crate::promise::{Broken, Promise};
use crate::surroundings::{InMemory, InStore, Surroundings};

/// Each with the promise that breaks: any other find, or a panic, is none.
const BUGS: [(SeededBug, Promise); 10] = [
    (SeededBug::EarlyAck, Promise::AcknowledgedStays),
    (SeededBug::VisibleBeforeDurable, Promise::ToldStays),
    (SeededBug::GetBeforeDurable, Promise::ToldStays),
    (SeededBug::LostBatchIds, Promise::AppliedOnce),
    (SeededBug::DeposedServes, Promise::DeposedIsSilent),
    (SeededBug::ForgottenRefusals, Promise::AnsweredAlike),
    (SeededBug::ForgottenDeleteByQuery, Promise::AppliedOnce),
    (SeededBug::RefreshSkipsWait, Promise::ToldStays),
    (SeededBug::LostWake, Promise::AnsweredInTime),
    (SeededBug::ForgottenVersions, Promise::VersionsRise),
];

struct Options {
    seeds: u64,
    first: u64,
    bugs: bool,
    home: Home,
}

/// Where the shard of a history is at home.
#[derive(Clone, Copy, Debug)]
enum Home {
    Memory,
    Store,
}

impl std::fmt::Display for Home {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Self::Memory => "memory",
            Self::Store => "store",
        })
    }
}

impl Home {
    fn surroundings(self) -> Box<dyn Surroundings> {
        match self {
            Self::Memory => Box::<InMemory>::default(),
            Self::Store => Box::<InStore>::default(),
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options { seeds: 1_000, first: 1, bugs: false, home: Home::Memory };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|it| it.parse().ok()).ok_or(format!("`{word}` takes a number"));
        match word.as_str() {
            "--seeds" => options.seeds = number()?,
            "--seed" => (options.first, options.seeds) = (number()?, 1),
            "--bugs" => options.bugs = true,
            "--home" => {
                options.home = match words.next().as_deref() {
                    Some("memory") => Home::Memory,
                    Some("store") => Home::Store,
                    _ => return Err("`--home` takes memory or store".to_owned()),
                }
            }
            other => {
                return Err(format!(
                    "unknown option `{other}`; use --seeds N, --seed N, --home memory|store, --bugs"
                ));
            }
        }
    }
    Ok(options)
}

/// How a history went wrong.
enum Wrong {
    Promise(Broken),
    /// A broken invariant of the engine, or of the simulation.
    Panic(String),
}

fn run(seed: u64, home: Home) -> Result<Counts, Wrong> {
    let lived = catch_unwind(AssertUnwindSafe(|| live(seed, home.surroundings())));
    let text = |panic: Box<dyn std::any::Any + Send>| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned())).unwrap_or_default()
    };
    lived.map_err(|panic| Wrong::Panic(text(panic)))?.map_err(Wrong::Promise)
}

fn all(options: &Options) -> bool {
    let mut total = Counts::default();
    for seed in options.first..options.first + options.seeds {
        match run(seed, options.home) {
            Ok(counts) => total.add(counts),
            Err(wrong) => {
                match wrong {
                    Wrong::Promise(broken) => println!("seed {seed}: {broken}"),
                    Wrong::Panic(text) => println!("seed {seed}: panic: {text}"),
                }
                println!("repeat: cargo xtask simulate --seed {seed} --home {}", options.home);
                return false;
            }
        }
    }
    println!("{} histories, no promise broken\n{}", options.seeds, total.report());
    let missing = total.missing();
    // A few histories need not reach everything.
    let is_whole = options.seeds < 100 || missing.is_empty();
    if !is_whole {
        println!("never reached: {missing:?}");
    }
    is_whole
}

fn every_bug(options: &Options) -> bool {
    let found = |(bug, promise): (SeededBug, Promise)| {
        engine::plant(Some(bug));
        let broken = |seed| match run(seed, options.home) {
            Err(Wrong::Promise(broken)) if broken.promise == promise => Some((seed, broken)),
            _ => None,
        };
        let first = (options.first..options.first + options.seeds).find_map(broken);
        engine::plant(None);
        match &first {
            Some((seed, broken)) => println!("{bug:?}: found by seed {seed}: {broken}"),
            None => println!("{bug:?}: {promise:?} was not broken in {} histories", options.seeds),
        }
        first.is_some()
    };
    // Each is tried, also behind one that was not found.
    let missed = BUGS.into_iter().map(found).filter(|found| !found).count();
    missed == 0
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    // The report says what broke; a trace for each planted bug would bury it.
    std::panic::set_hook(Box::new(|_| {}));
    let fine = if options.bugs { every_bug(&options) } else { all(&options) };
    if fine { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
