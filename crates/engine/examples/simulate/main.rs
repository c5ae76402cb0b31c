//! A shard's life on one thread, many times over, each from one seed: the real engine on a home in memory that loses its process,
//! deposes, delays, answers late, fails and fills up. `history` draws the steps, `ledger` knows what may be true, `stage` is the
//! world. `cargo xtask simulate` runs it; `--bugs` plants each seeded bug and demands that it is found.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod history;
mod ledger;
mod random;
mod stage;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use engine::SeededBug;

use crate::history::{Counts, live};

const BUGS: [SeededBug; 5] = [
    SeededBug::EarlyAck,
    SeededBug::VisibleBeforeDurable,
    SeededBug::GetBeforeDurable,
    SeededBug::LostBatchIds,
    SeededBug::DeposedServes,
];

struct Options {
    seeds: u64,
    first: u64,
    bugs: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options { seeds: 1_000, first: 1, bugs: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|it| it.parse().ok()).ok_or(format!("`{word}` takes a number"));
        match word.as_str() {
            "--seeds" => options.seeds = number()?,
            "--seed" => (options.first, options.seeds) = (number()?, 1),
            "--bugs" => options.bugs = true,
            other => return Err(format!("unknown option `{other}`; use --seeds N, --seed N, --bugs")),
        }
    }
    Ok(options)
}

/// One history. A broken promise panics, as does a broken invariant of the engine.
fn run(seed: u64) -> Result<Counts, String> {
    catch_unwind(AssertUnwindSafe(|| live(seed))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned())).unwrap_or_default()
    })
}

fn all(options: &Options) -> bool {
    let mut total = Counts::default();
    for seed in options.first..options.first + options.seeds {
        match run(seed) {
            Ok(counts) => total.add(&counts),
            Err(what) => {
                println!("seed {seed}: {what}\nrepeat: cargo xtask simulate --seed {seed}");
                return false;
            }
        }
    }
    println!("{} histories, no promise broken\n{total}", options.seeds);
    options.seeds < 100 || total.reached_all()
}

fn every_bug(options: &Options) -> bool {
    let found = |bug: SeededBug| {
        engine::plant(Some(bug));
        let first =
            (options.first..options.first + options.seeds).find_map(|seed| Some((seed, run(seed).err()?)));
        engine::plant(None);
        match &first {
            Some((seed, what)) => println!("{bug:?}: found by seed {seed}: {what}"),
            None => println!("{bug:?}: not found in {} histories", options.seeds),
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
