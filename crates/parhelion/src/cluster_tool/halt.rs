//! Ends processes: `stop` one node, `down` all and ZooKeeper behind them, and what a call of `up` had started
//! that failed. Asked first, waited for, killed only when the time is over, and that is said.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::arguments::FolderArgs;
use super::folder::{ClusterFolder, shell_word};
use super::process::ProcessIdentity;
use super::record::ClusterRecord;
use super::waiting::{BoundedWait, LOOK};
use crate::output;

/// For a process that was killed to be gone: one that waits for a disk takes its time.
const KILLED_WITHIN: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
pub enum HaltMethod {
    /// SIGTERM, and SIGKILL after so long.
    Terminate(Duration),
    Kill,
}

/// One process to end, by its name for people.
pub struct HaltTarget {
    pub name: String,
    pub process: ProcessIdentity,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halted {
    /// Before it was asked.
    Gone,
    Terminated,
    Killed,
}

impl Halted {
    fn word(self) -> &'static str {
        match self {
            Halted::Gone => "gone",
            Halted::Terminated => "terminated",
            Halted::Killed => "killed",
        }
    }
}

/// All at once. Errors: a process that cannot be ended.
pub async fn halt(targets: &[HaltTarget], method: HaltMethod) -> anyhow::Result<Vec<Halted>> {
    let mut ends = vec![Halted::Gone; targets.len()];
    let (bound, end) = match method {
        HaltMethod::Terminate(bound) => (bound, Halted::Terminated),
        HaltMethod::Kill => (KILLED_WITHIN, Halted::Killed),
    };
    for (target, how) in targets.iter().zip(&mut ends).filter(|(it, _)| it.process.runs()) {
        match method {
            HaltMethod::Terminate(_) => target.process.terminate()?,
            HaltMethod::Kill => target.process.kill()?,
        }
        *how = end;
    }
    if !gone(targets, bound).await {
        for (target, how) in targets.iter().zip(&mut ends).filter(|(it, _)| it.process.runs()) {
            let (name, pid, seconds) = (&target.name, target.process.pid, bound.as_secs());
            output::note(&format!("{name} (pid {pid}) has not ended within {seconds} s: killing it"));
            target.process.kill()?;
            *how = Halted::Killed;
        }
        ensure!(
            gone(targets, KILLED_WITHIN).await,
            "{} cannot be killed; look at it with `ps`",
            running(targets)
        );
    }
    Ok(ends)
}

/// Whether all are within the bound.
async fn gone(targets: &[HaltTarget], bound: Duration) -> bool {
    let mut wait = BoundedWait::new(bound);
    while targets.iter().any(|it| it.process.runs()) {
        if wait.is_over() {
            return false;
        }
        wait.tell(&format!("{} to end", running(targets)));
        tokio::time::sleep(LOOK).await;
    }
    true
}

fn running(targets: &[HaltTarget]) -> String {
    let names = targets.iter().filter(|it| it.process.runs()).map(|it| it.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// `cluster stop`.
pub async fn stop(at: &FolderArgs, number: u32, method: HaltMethod) -> anyhow::Result<()> {
    let (folder, mut record) = ClusterFolder::existing(&at.dir)?;
    record.node(number)?;
    let told = halt_nodes(&folder, &mut record, &[number], method).await?;
    if at.json {
        told.iter().for_each(output::json);
    } else {
        told.iter().for_each(|it| output::line(&end_line(it)));
    }
    Ok(())
}

/// Ends all of it, nodes before ZooKeeper. Out: of each how it ended.
pub async fn lower(
    folder: &ClusterFolder,
    record: &mut ClusterRecord,
    bound: Duration,
) -> anyhow::Result<(Vec<Value>, Option<Value>)> {
    let numbers: Vec<u32> = record.nodes.iter().map(|it| it.node).collect();
    let method = HaltMethod::Terminate(bound);
    let nodes = halt_nodes(folder, record, &numbers, method).await?;
    Ok((nodes, halt_zookeeper(folder, record, method).await?))
}

/// `cluster down`.
pub async fn down(at: &FolderArgs, remove: bool, bound: Duration) -> anyhow::Result<()> {
    let (folder, mut record) = ClusterFolder::existing(&at.dir)?;
    let (nodes, zookeeper) = lower(&folder, &mut record, bound).await?;
    let stays = match remove {
        true => Some(folder.remove().context("all has ended, but its data is not deleted; call it again")?),
        false => None,
    };
    if at.json {
        output::json(&json!({
            "nodes": nodes, "zookeeper": zookeeper, "removed": remove, "stays": stays.unwrap_or_default(),
        }));
        return Ok(());
    }
    nodes.iter().chain(&zookeeper).for_each(|it| output::line(&end_line(it)));
    let dir = at.dir.display();
    match stays {
        None => output::note(&format!(
            "`{dir}` keeps what they had; `parhelion cluster up --dir {}` goes on with it",
            shell_word(&at.dir)
        )),
        Some(stays) => {
            output::line(&format!("deleted the cluster's data in `{dir}`"));
            if !stays.is_empty() {
                output::note(&format!("what else is in there stays: `{}`", stays.join("`, `")));
            }
            if record.store != folder_store(&record) {
                output::note(&format!("{} keeps what it has", record.store));
            }
        }
    }
    Ok(())
}

/// The one that `down --remove` deletes.
fn folder_store(record: &ClusterRecord) -> String {
    format!("file://{}/store", record.dir)
}

/// Out: of each how it ended. What was found to have ended is written down.
async fn halt_nodes(
    folder: &ClusterFolder,
    record: &mut ClusterRecord,
    numbers: &[u32],
    method: HaltMethod,
) -> anyhow::Result<Vec<Value>> {
    let nodes = record.nodes.iter().filter(|it| numbers.contains(&it.node));
    let (mut targets, mut told) = (Vec::new(), Vec::new());
    for node in nodes {
        told.push(json!({"name": format!("node {}", node.node), "node": node.node, "url": node.url,
            "pid": node.pid(), "end": Halted::Gone.word()}));
        let name = format!("node {}", node.node);
        targets.extend(node.process.clone().map(|process| (told.len() - 1, HaltTarget { name, process })));
    }
    let (places, targets): (Vec<usize>, Vec<HaltTarget>) = targets.into_iter().unzip();
    let ends = halt(&targets, method).await?;
    for (place, end) in places.into_iter().zip(ends) {
        told[place]["end"] = json!(end.word());
    }
    numbers.iter().filter_map(|number| record.node_mut(*number).map(|it| it.process = None)).for_each(drop);
    folder.save(record)?;
    Ok(told)
}

/// `None` where the cluster has none of its own.
async fn halt_zookeeper(
    folder: &ClusterFolder,
    record: &mut ClusterRecord,
    method: HaltMethod,
) -> anyhow::Result<Option<Value>> {
    let Some(own) = &mut record.zookeeper.own else { return Ok(None) };
    let process = own.process.take();
    let pid = process.as_ref().map(|it| it.pid);
    let target = process.map(|process| HaltTarget { name: "ZooKeeper".to_owned(), process });
    let ends = halt(target.as_slice(), method).await?;
    folder.save(record)?;
    let end = ends.first().copied().unwrap_or(Halted::Gone).word();
    Ok(Some(json!({"name": "ZooKeeper", "pid": pid, "end": end})))
}

fn end_line(told: &Value) -> String {
    let text = |key: &str| told[key].as_str().unwrap_or_default();
    let what = match text("end") {
        "gone" => "did not run".to_owned(),
        "killed" => "killed".to_owned(),
        _ => "stopped".to_owned(),
    };
    match told["pid"].as_u64() {
        Some(pid) => format!("{} (pid {pid}): {what}", text("name")),
        None => format!("{}: {what}", text("name")),
    }
}
