//! `cargo xtask simulate`: lives of a shard on one thread, each from a seed (the engine's example of that
//! name). Owns how it is built and that CI runs it over both homes, as the engine is and with each seeded
//! bug. What is drawn, checked and printed is the example's.

use std::path::Path;

use anyhow::{Context, Result};

/// Above this many histories a build with optimisation pays.
const DEBUG_SEEDS_MAX: u64 = 5_000;

/// Passes the words on to the simulation.
pub fn run(root: &Path, words: &[String]) -> Result<bool> {
    let seeds = words.iter().skip_while(|word| *word != "--seeds").nth(1).and_then(|it| it.parse().ok());
    let mut cargo = crate::cargo::command(root);
    cargo.args([
        "run",
        "--quiet",
        "--package",
        "engine",
        "--features",
        "seeded-bugs",
        "--example",
        "simulate",
    ]);
    if seeds.unwrap_or(0) > DEBUG_SEEDS_MAX {
        cargo.arg("--release");
    }
    cargo.arg("--").args(words);
    Ok(cargo.status().context("cannot start cargo run")?.success())
}

/// What CI runs.
pub fn check(root: &Path) -> Result<bool> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let all = [
        "--seeds 1000",
        "--seeds 1000 --bugs",
        "--seeds 300 --home store",
        "--seeds 300 --home store --bugs",
    ];
    for each in all {
        if !run(root, &words(each))? {
            return Ok(false);
        }
    }
    Ok(true)
}
