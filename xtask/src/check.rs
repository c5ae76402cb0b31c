//! `cargo xtask check`: exactly what CI runs, in the order in which it fails fastest: structure, formatting,
//! lints, tests, docs, the simulation, then the scenarios and Solr's clients against a server of this
//! checkout, and a cluster of it whose members are broken. Owns the list of steps; cargo's own output passes
//! through.

use std::path::Path;

use anyhow::{Context, Result};

use crate::compat;

const STEPS: [&[&str]; 5] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &["clippy", "--package", "engine", "--features", "seeded-bugs", "--examples", "--", "-D", "warnings"],
    &["test", "--workspace", "--quiet"],
    &["doc", "--workspace", "--no-deps", "--quiet"],
];

/// Runs every step until one fails; `false` after the failure has been shown.
pub fn run(root: &Path) -> Result<bool> {
    let sound = structure(root)? && cargo_steps(root)? && crate::simulate::check(root)?;
    Ok(sound && scenarios(root)? && clients(root)? && crate::chaos::check(root)?)
}

fn structure(root: &Path) -> Result<bool> {
    let findings = crate::tidy::run(root)?;
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    Ok(findings.is_empty())
}

fn scenarios(root: &Path) -> Result<bool> {
    let options = compat::Options::parse(&[])?;
    let summary = compat::run(root, &options)?;
    println!("{}", summary.render(options.verbose));
    Ok(summary.passed())
}

/// The client suites; a skipped one is no failure.
pub fn clients(root: &Path) -> Result<bool> {
    let results = crate::clients::run(root)?;
    for (suite, outcome) in &results {
        println!("{suite}: {outcome:?}");
    }
    Ok(results.iter().all(|(_, outcome)| *outcome != crate::clients::Outcome::Failed))
}

fn cargo_steps(root: &Path) -> Result<bool> {
    for step in STEPS {
        eprintln!("cargo {}", step.join(" "));
        let mut cargo = crate::cargo::command(root);
        cargo.args(step);
        if step.first() == Some(&"doc") {
            cargo.env("RUSTDOCFLAGS", "-D warnings");
        }
        let status = cargo.status().with_context(|| format!("cannot start cargo {}", step.join(" ")))?;
        if !status.success() {
            eprintln!("failed: cargo {}", step.join(" "));
            return Ok(false);
        }
    }
    Ok(true)
}
