//! `cargo run -p model`: searches the models and prints what was seen. Owns the command line of the models
//! and nothing else. In: names of models and bounds on the command line; out: states explored, promises that
//! hold, and with `--removals` the shortest history that breaks one when a rule is taken away. What CI runs
//! are the tests beside the models.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

const USAGE: &str = "\
usage: model [--large] [--threads N] [--only NAME] [--removals]

  --large      the larger models: minutes, and some gigabytes of memory; build with --release
  --threads N  search with N threads (1)
  --only NAME  one model
  --removals   take each rule away in turn and print a way to break what it protects";

struct Options {
    large: bool,
    removals: bool,
    threads: usize,
    only: Option<String>,
}

fn main() -> ExitCode {
    let Some(options) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut held = true;
    for scenario in model::scenarios() {
        if options.only.as_deref().is_some_and(|only| only != scenario.name) {
            continue;
        }
        held &= if options.removals { show_removals(&scenario) } else { show_explored(&scenario, &options) };
    }
    if held { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn parse(mut words: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options { large: false, removals: false, threads: 1, only: None };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--large" => options.large = true,
            "--removals" => options.removals = true,
            "--threads" => options.threads = words.next()?.parse().ok().filter(|threads| *threads > 0)?,
            "--only" => {
                let name = words.next()?;
                options.only = Some(model::scenarios().iter().find(|one| one.name == name)?.name.to_owned());
            }
            _ => return None,
        }
    }
    Some(options)
}

fn show_explored(scenario: &model::Scenario, options: &Options) -> bool {
    let seen = (scenario.explore)(options.large, options.threads);
    println!(
        "{:16} {:>10} states, {:>11} generated, depth {:>3}",
        scenario.name, seen.states_unique, seen.states_generated, seen.depth_max
    );
    for broken in &seen.broken {
        println!("  broken: {}\n    {}", broken.promise, broken.steps.join("\n    "));
    }
    for name in &seen.unreached {
        println!("  never reached: {name}");
    }
    seen.broken.is_empty() && seen.unreached.is_empty()
}

fn show_removals(scenario: &model::Scenario) -> bool {
    let mut found_all = true;
    println!("{}", scenario.name);
    for (rule, breaks, found) in (scenario.removals)() {
        found_all &= found.is_some();
        let steps = found.map_or("NOTHING FOUND".to_owned(), |found| found.steps.join("\n      "));
        println!("  without {rule}: breaks `{breaks}`\n      {steps}");
    }
    found_all
}
