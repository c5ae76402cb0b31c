//! Cause, verdict and time: each fixture is looked at as `parhelion doctor stuck` looks, with its own period
//! of half a second. What the look does to a process that stands still is counted: processor time and
//! switches of its threads, before and after.

use std::fs;
use std::time::{Duration, Instant};

use doctor::{ObserveOptions, StuckOptions};

use crate::planted::fixtures::{ALL, Fixture};
use crate::planted::planting::{eventually_by, now_ms, options};

/// Looks at each fixture.
const LOOKS: usize = 5;

pub fn print() {
    println!(
        "| planted | verdict | right | time to it, median and longest | the target's own time during a look |"
    );
    println!("|---|---|---|---|---|");
    for (name, plant) in ALL {
        match plant() {
            Ok(fixture) => println!("| {name} | {}", row(&fixture)),
            Err(why) => println!("| {name} | not possible here: {why} | | | |"),
        }
    }
}

/// As the command line has them.
fn as_the_command() -> StuckOptions {
    let observe = ObserveOptions { period: Duration::from_millis(500), samples: 4, now_ms: now_ms() };
    StuckOptions { observe, patience: Duration::ZERO }
}

fn row(fixture: &Fixture) -> String {
    // Whatever says `ready` has a few instructions to go: what is timed is the look at trouble that stands.
    eventually_by(fixture.cause, || fixture.look(&options()));
    let mut times = Vec::new();
    let (mut right, mut cost) = (0, Cost::default());
    for _ in 0..LOOKS {
        let (before, began) = (Cost::of(fixture.planted.pid()), Instant::now());
        let found = fixture.look(&as_the_command());
        times.push(began.elapsed());
        cost.add(&Cost::of(fixture.planted.pid()), &before);
        right += usize::from(found.verdict.cause == fixture.cause);
    }
    times.sort_unstable();
    let millis = |at: usize| times.get(at).map_or(0, Duration::as_millis);
    format!(
        "`{}` | {right} of {LOOKS} | {} and {} ms | {} |",
        fixture.cause.name(),
        millis(LOOKS / 2),
        millis(LOOKS - 1),
        cost.words()
    )
}

/// What the threads of a process have used, as the scheduler counts.
#[derive(Default)]
struct Cost {
    processor_ns: u64,
    turns: u64,
}

impl Cost {
    fn of(pid: i32) -> Self {
        let mut cost = Self::default();
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let counts = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            // On a processor, waiting for one, how often it got one.
            let numbers: Vec<u64> = counts.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            if let [processor_ns, _, turns] = numbers.as_slice() {
                cost.processor_ns += processor_ns;
                cost.turns += turns;
            }
        }
        cost
    }

    fn add(&mut self, now: &Self, then: &Self) {
        self.processor_ns += now.processor_ns.saturating_sub(then.processor_ns);
        self.turns += now.turns.saturating_sub(then.turns);
    }

    fn words(&self) -> String {
        if self.turns == 0 {
            return "none: not once on a processor".to_owned();
        }
        let looks = LOOKS as u64;
        format!("{} us in {} turns", self.processor_ns / 1000 / looks, self.turns / looks)
    }
}
