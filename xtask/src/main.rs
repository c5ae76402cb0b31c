//! The project's own tools: `cargo xtask check | docs | tidy | compat | simulate | clients | chaos`.
//!
//! This file owns the command line: it picks the task, prints its report and decides the exit code (0 done,
//! 1 something failed, 2 a bad command line). What a task does is in its module; tasks return data and print
//! nothing themselves, save `check`, which passes the output of cargo through, and `chaos`, which tells each
//! round when it is over.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod cargo;
mod chaos;
mod check;
mod clients;
mod compat;
mod docs;
mod random;
mod server;
mod simulate;
mod tidy;
mod zookeeper;

use std::process::ExitCode;

use anyhow::Result;

const USAGE: &str = "\
usage: cargo xtask TASK

  check                    all that CI runs: tidy, fmt, clippy, tests, docs, simulate, compat, clients, chaos
  docs                     write docs/parameters.md and docs/openapi.json from the definitions in the code
  tidy                     the architecture's absences: crate edges, who names what, paths in the documents
         [--circles]       list the files of each crate that import each other in a circle, and what ties them
         [--whys]          count inline comments, which give reasons, over lines of code, crate by crate
  compat                   replay compat/ against a Parhelion of this checkout
         [--url URL]       ask this server instead (http://127.0.0.1:8983/solr)
         [--filter TEXT]   only scenario files whose path contains TEXT
         [--create HOW]    cores (default), collections, shards:N, or home:DIR for a Solr whose home is on this machine
         [--accept]        list the steps that fail in compat/open.yaml, and take off it those that pass
         [--record]        ask this server for the answers and write them down, instead of comparing
         [--random N]      ask N random requests (compat/random.yaml) of the Solr at --url and of a Parhelion instead
         [--ours URL]      that Parhelion, where it is not to be one of this checkout: --url may then be an older one
         [--create-ours HOW]  how its collection is made: shards:N asks whether N shards answer as one does,
                           shards:NxR also with R replicas of each, spread over the nodes of its cluster
         [--seed N]        the first of them; each request has the number of its seed
         [--verbose]       every difference, not the first few of a step
  simulate                 lives of a shard on one thread, each from a seed, on a home that fails in every way
         [--seeds N]       so many (1,000), from seed 1 on
         [--seed N]        this one
         [--home store]    in the home of an object store, instead of one in memory
         [--bugs]          with each seeded bug planted: all must be found
  clients                  Solr's own clients (pysolr, SolrJ) against a Parhelion of this checkout, and our measures of
                           relevance beside those of ir-measures
  chaos                    members of a cluster killed, stopped and ended while all of them take updates and reads; then
                           every document is read through every member: nothing acknowledged may be lost
         [--rounds N]      so many faults (10), each kind once before any comes again
         [--seed N]        which, and for how long (1)
         [--nodes N]       so many members (3)
         [--kinds A,B]     of `kill` (SIGKILL, away beyond the session), `stop` (SIGSTOP for less or more than it), `fast`
                           (SIGKILL, started at once), `term` (SIGTERM, away for some seconds)
         [--session SECS]  of a member in ZooKeeper (6)
         [--no-rebuilds]   every second fault meets a collection in a rebuild, else
         [--store URL]     of the shards, a place that is empty; without it a folder
         [--keep DIR]      the cluster's folder, which stays with its logs; without it one that stays if a promise is broken
         [--release]       members of a build of the release, which leave more of the machine to each other
         [--json]          one object on standard output";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            if error.is::<args::Misuse>() {
                eprintln!("\n{USAGE}");
                return ExitCode::from(2);
            }
            ExitCode::from(1)
        }
    }
}

/// Runs one task; `false` means that it ran and found something wrong.
fn run(words: &[String]) -> Result<bool> {
    let (task, rest) = words.split_first().ok_or_else(|| args::Misuse("no task named".to_owned()))?;
    match task.as_str() {
        "check" => check::run(&root()?),
        "docs" => docs::run(&root()?),
        "tidy" => tidy_task(rest),
        "compat" => compat_task(rest),
        "clients" => check::clients(&root()?),
        "chaos" => chaos::run(&root()?, rest),
        "simulate" => simulate::run(&root()?, rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(true)
        }
        other => Err(args::Misuse(format!("unknown task `{other}`")).into()),
    }
}

fn tidy_task(words: &[String]) -> Result<bool> {
    match words {
        [] => {}
        [word] if word == "--circles" => {
            print!("{}", tidy::list_circles(&root()?)?);
            return Ok(true);
        }
        [word] if word == "--whys" => {
            print!("{}", tidy::list_whys(&root()?)?);
            return Ok(true);
        }
        [other, ..] => return Err(args::Misuse(format!("unknown option `{other}`")).into()),
    }
    let findings = tidy::run(&root()?)?;
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} finding(s)", findings.len());
    Ok(findings.is_empty())
}

fn compat_task(words: &[String]) -> Result<bool> {
    let options = compat::Options::parse(words)?;
    let summary = compat::run(&root()?, &options)?;
    print!("{}", summary.render(options.verbose));
    Ok(summary.passed())
}

/// The repository's root: the parent of the directory this crate is in.
fn root() -> Result<std::path::PathBuf> {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .map(std::path::Path::to_path_buf)
        .ok_or_else(|| anyhow::anyhow!("xtask has no parent directory"))
}
