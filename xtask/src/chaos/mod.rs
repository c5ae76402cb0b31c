//! `cargo xtask chaos`: real processes, broken under a checked history. A cluster of this checkout
//! (`cluster`) takes updates and reads through all of its members (`traffic`) while one member after the
//! other is killed, stopped or ended as a seed says (`faults`); then every document is read through every
//! member, and held against what was tried on it (`check`, `register`).
//!
//! It tells each round when it is over, since a run takes minutes.

mod ask;
mod check;
mod cluster;
mod faults;
mod finding;
mod options;
mod register;
mod report;
mod status;
mod traffic;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::server::{self, target_folder};
use cluster::{Cluster, await_until};
use faults::{Fault, draw_faults};
use options::Options;
use report::{CollectionRound, RoundReport, Summary};
use traffic::{Target, Traffic};

/// Some of one shard, some of two.
const COLLECTIONS: usize = 4;
/// For updates of each collection to be acknowledged again, once all are led.
const UPDATES_WITHIN: Duration = Duration::from_secs(60);

/// Whether every promise was kept.
pub fn run(root: &Path, words: &[String]) -> Result<bool> {
    let options = Options::parse(words)?;
    let name = format!("chaos-{}", std::process::id());
    let dir = options.keep.clone().unwrap_or_else(|| target_folder(root).join("xtask").join(name));
    ensure!(
        !dir.join("cluster.json").exists(),
        "`{}` has a cluster already; name a new folder with --keep",
        dir.display()
    );
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let summary = Run::start(root, &dir, &options)
        .and_then(|run| run.finish(&options))
        .with_context(|| format!("seed {}; logs and data are in `{}`", options.seed, dir.display()))?;
    if options.json {
        println!("{:#}", summary.json());
    } else {
        println!("{}", summary.text());
    }
    if options.keep.is_none() && summary.passed() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("cannot delete `{}`", dir.display()))?;
    } else {
        eprintln!("logs and data are in `{}`", dir.display());
    }
    Ok(summary.passed())
}

/// What CI runs: each kind of fault once.
pub fn check(root: &Path) -> Result<bool> {
    if !cfg!(target_os = "linux") {
        println!("chaos: skipped, since `parhelion cluster` needs Linux");
        return Ok(true);
    }
    for tool in ["java", "mvn"] {
        if !crate::clients::is_present(tool)? {
            println!("chaos: skipped, since there is no `{tool}`");
            return Ok(true);
        }
    }
    let words = ["--rounds", "4", "--session", "4"].map(str::to_owned);
    run(root, &words)
}

/// A cluster under traffic. Traffic ends before the cluster does.
struct Run {
    traffic: Traffic,
    cluster: Cluster,
    collections: Vec<String>,
}

impl Run {
    fn start(root: &Path, dir: &Path, options: &Options) -> Result<Self> {
        let binary = server::build(root, options.release)?;
        let zookeeper = match std::env::var_os("ZOOKEEPER_HOME").filter(|home| !home.is_empty()) {
            Some(home) => PathBuf::from(home),
            None => crate::zookeeper::fetch(root)?,
        };
        let cluster = Cluster::up(binary, dir, zookeeper, options)?;
        let urls = cluster.urls();
        // Of one shard and two, without followers and with one each.
        let target = |at| Target { name: format!("chaos{at}"), has_followers: at / 2 % 2 == 1 };
        let targets: Vec<Target> = (0..COLLECTIONS).map(target).collect();
        for (at, (target, url)) in targets.iter().zip(urls.iter().cycle()).enumerate() {
            let Target { name, has_followers } = target;
            let (shards, replicas) = (1 + at % 2, 1 + u8::from(*has_followers));
            let action = format!("action=CREATE&name={name}&numShards={shards}&replicationFactor={replicas}");
            let answer = ask::get(&format!("{url}/admin/collections?{action}"), ask::PATIENCE_S);
            ensure!(answer.is_ok(), "cannot create `{name}`: {} {}", answer.label(), answer.text);
        }
        let collections: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
        cluster.await_rest(&collections)?;
        let traffic = Traffic::start(urls, targets, options.seed);
        Ok(Self { traffic, cluster, collections })
    }

    fn finish(mut self, options: &Options) -> Result<Summary> {
        let session = Duration::from_secs(options.session_s);
        let plan = (options.seed, options.rounds);
        let mut rounds = Vec::new();
        for (at, mut fault) in draw_faults(plan, &options.kinds, COLLECTIONS, session).into_iter().enumerate()
        {
            fault.behind_rebuild = fault.behind_rebuild.filter(|_| !options.no_rebuilds);
            let round = self.round(at + 1, fault).with_context(|| format!("round {}", at + 1))?;
            // Standard output is one object there.
            if options.json {
                eprintln!("{}", round.line());
            } else {
                println!("{}", round.line());
            }
            rounds.push(round);
        }
        let Self { traffic, cluster, collections } = self;
        let traffic = traffic.finish();
        let mut findings = traffic.findings;
        findings.extend(check::read_all(&cluster.urls(), &collections, &traffic.registers)?);
        Ok(Summary {
            seed: options.seed,
            rounds,
            answers: traffic.answers,
            followed_searches: traffic.followed_searches,
            acknowledged: traffic.acknowledged,
            findings,
        })
    }

    /// One fault, until all is as before it.
    fn round(&mut self, round: usize, fault: Fault) -> Result<RoundReport> {
        sleep(fault.calm);
        let before = self.leaders();
        let member = before[fault.collection].context("nobody leads the collection, though all was well")?;
        self.traffic.watch();
        if let Some(ahead) = fault.behind_rebuild {
            self.begin_rebuild(round, fault.collection)?;
            sleep(ahead);
        }
        self.traffic.set_broken(Some(member));
        self.cluster.strike(member, &fault)?;
        self.cluster.await_rest(&self.collections)?;
        self.traffic.set_broken(None);
        self.await_rebuilt(&self.collections[fault.collection])?;
        self.await_updates()?;
        let away = self.traffic.longest();
        let after = self.leaders();
        let each = |(at, updates_away): (usize, Duration)| CollectionRound {
            name: self.collections[at].clone(),
            updates_away,
            was_led: before[at] == Some(member),
            moved_to: after[at].filter(|_| after[at] != before[at]),
        };
        let collections = away.into_iter().enumerate().map(each).collect();
        Ok(RoundReport { round, fault, member, collections })
    }

    fn begin_rebuild(&self, round: usize, collection: usize) -> Result<()> {
        let (urls, name) = (self.cluster.urls(), &self.collections[collection]);
        // Any member is asked, the lead or another.
        let url = &urls[round % urls.len()];
        let edit = json!({"add-field": {"name": format!("round{round}"), "type": "pint"}});
        let answer = ask::post_json(&format!("{url}/{name}/schema/apply"), &edit);
        ensure!(answer.is_ok(), "no rebuild of `{name}`: {} {}", answer.label(), answer.text);
        Ok(())
    }

    /// However it ended: with the process that was at it, say.
    fn await_rebuilt(&self, collection: &str) -> Result<()> {
        let urls = self.cluster.urls();
        await_until(UPDATES_WITHIN, || {
            let answer = ask::get(&format!("{}/{collection}/schema/apply", urls[0]), ask::PATIENCE_S);
            let state = answer.json().map(|status| status["rebuild"]["state"].clone()).unwrap_or_default();
            if answer.is_ok() && state != "running" {
                return Ok(());
            }
            Err(format!("the rebuild of `{collection}` does not end: {} {}", answer.label(), answer.text))
        })
    }

    fn leaders(&self) -> Vec<Option<usize>> {
        self.collections.iter().map(|name| self.cluster.leader(name)).collect()
    }

    /// Of every collection one is acknowledged from now on.
    fn await_updates(&self) -> Result<()> {
        let before = self.traffic.acknowledged();
        await_until(UPDATES_WITHIN, || {
            let now = self.traffic.acknowledged();
            match before.iter().zip(&now).position(|(before, now)| now == before) {
                None => Ok(()),
                Some(at) => Err(format!("no update of `{}` is acknowledged", self.collections[at])),
            }
        })
    }
}
