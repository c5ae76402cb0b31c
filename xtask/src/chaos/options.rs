//! What `cargo xtask chaos` was told: the words of the command line, with what holds without them. What they
//! do stands in the usage text of `main.rs`.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::faults::FaultKind;
use crate::args::{Misuse, Words};

/// ZooKeeper makes two ticks of anything below, and its tick is two seconds.
const SESSION_MIN_S: u64 = 4;
/// Each writes to each collection on a thread of its own.
const NODES_MAX: usize = 9;

#[derive(Debug)]
pub struct Options {
    pub rounds: usize,
    pub seed: u64,
    pub nodes: usize,
    pub kinds: Vec<FaultKind>,
    /// Of a member in ZooKeeper.
    pub session_s: u64,
    pub store: Option<String>,
    /// Nothing is rebuilt meanwhile.
    pub no_rebuilds: bool,
    /// The cluster's folder, which stays.
    pub keep: Option<PathBuf>,
    /// Of a build of the release.
    pub release: bool,
    pub json: bool,
}

impl Options {
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut words = Words::new(words);
        let kinds = match words.value("--kinds")? {
            None => FaultKind::ALL.to_vec(),
            Some(names) => names.split(',').map(FaultKind::parse).collect::<Result<_>>()?,
        };
        let options = Self {
            rounds: number(&mut words, "--rounds", 10)?,
            seed: number(&mut words, "--seed", 1)?,
            nodes: number(&mut words, "--nodes", 3)?,
            kinds,
            session_s: number(&mut words, "--session", 6)?,
            store: words.value("--store")?,
            no_rebuilds: words.flag("--no-rebuilds"),
            keep: words.value("--keep")?.map(PathBuf::from),
            release: words.flag("--release"),
            json: words.flag("--json"),
        };
        words.finish()?;
        if options.rounds == 0 {
            bail!(Misuse("`--rounds` is 1 or more".to_owned()));
        }
        if !(1..=NODES_MAX).contains(&options.nodes) {
            bail!(Misuse(format!("`--nodes` is 1 to {NODES_MAX}")));
        }
        if options.session_s < SESSION_MIN_S {
            bail!(Misuse(format!("`--session` is {SESSION_MIN_S} or more: ZooKeeper grants no shorter one")));
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(words: &mut Words, name: &str, default: T) -> Result<T> {
    match words.value(name)? {
        None => Ok(default),
        Some(text) => {
            text.parse().map_err(|_| Misuse(format!("`{name}` is a whole number, not `{text}`")).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_was_told_holds() {
        let options =
            parse("--kinds stop,fast --rounds 4 --session 5 --json --no-rebuilds --store s3://b/p").unwrap();
        assert_eq!(options.kinds, [FaultKind::Stop, FaultKind::Fast]);
        assert_eq!((options.rounds, options.session_s, options.nodes, options.json), (4, 5, 3, true));
        assert!(options.no_rebuilds && !parse("").unwrap().no_rebuilds);
        assert_eq!(options.store.as_deref(), Some("s3://b/p"));
        assert_eq!(parse("").unwrap().kinds, FaultKind::ALL);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for line in [
            "--rounds 0",
            "--rounds x",
            "--nodes 0",
            "--nodes 10",
            "--session 3",
            "--kinds flood",
            "--kind stop",
        ] {
            assert!(parse(line).unwrap_err().is::<Misuse>(), "{line}");
        }
    }
}
