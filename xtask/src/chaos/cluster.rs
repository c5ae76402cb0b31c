//! The processes that are broken: a cluster that `parhelion cluster up` starts, members by their numbers,
//! faults done to them. However this program ends, the cluster ends with it.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::faults::{Fault, FaultKind};
use super::options::Options;
use super::status::ClusterStatus;

/// For a cluster to be as it is to be after a fault.
const REST_WITHIN: Duration = Duration::from_secs(120);
/// Between two looks.
pub const LOOK: Duration = Duration::from_millis(100);

/// Ends the cluster when its standard input does, which is when this program does, too: by Ctrl-C, say. A
/// command that was at work on the cluster meanwhile is waited for.
const GUARD: &str = "read -r _; \
    for _ in 1 2 3 4 5 6 7 8 9 10; do \"$0\" cluster down --timeout 10 --dir \"$1\" && exit 0; sleep 2; done; exit 1";

/// `parhelion cluster` for one folder.
struct ClusterTool {
    binary: PathBuf,
    dir: PathBuf,
    zookeeper_home: PathBuf,
}

impl ClusterTool {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("cluster").args(arguments).arg("--dir").arg(&self.dir);
        command.env("ZOOKEEPER_HOME", &self.zookeeper_home);
        // What whoever runs this has set for a server of their own.
        for (name, _) in
            std::env::vars_os().filter(|(it, _)| it.as_encoded_bytes().starts_with(b"PARHELION_"))
        {
            command.env_remove(name);
        }
        command
    }

    /// What it says as JSON.
    fn run(&self, arguments: &[&str]) -> Result<Value> {
        let output = self.command(arguments).arg("--json").output();
        let output = output.with_context(|| format!("cannot run `{}`", self.binary.display()))?;
        let words = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`parhelion cluster {}` failed:\n{words}", arguments.join(" "));
        serde_json::from_slice(&output.stdout).context("`parhelion cluster` printed no JSON")
    }
}

/// One node of the cluster.
struct Node {
    /// From 1 on.
    number: usize,
    /// Such as `http://127.0.0.1:8983/solr`; it keeps it.
    url: String,
    pid: u64,
}

pub struct Cluster {
    tool: ClusterTool,
    nodes: Vec<Node>,
    guard: Child,
}

impl Cluster {
    pub fn up(binary: PathBuf, dir: &Path, zookeeper_home: PathBuf, options: &Options) -> Result<Self> {
        let tool = ClusterTool { binary, dir: dir.to_owned(), zookeeper_home };
        let (count, session) = (options.nodes.to_string(), options.session_s.to_string());
        let mut arguments = vec!["up", "--nodes", &count, "--zk-session", &session];
        arguments.extend(options.store.iter().flat_map(|store| ["--store", store]));
        let started = tool.run(&arguments)?;
        // In a group of its own, so that Ctrl-C ends this program and not its guard.
        let guard = Command::new("sh")
            .args(["-c", GUARD])
            .args([tool.binary.as_os_str(), dir.as_os_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("cannot run `sh`")?;
        let nodes = read_nodes(&started)?;
        Ok(Self { tool, nodes, guard })
    }

    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(|node| node.url.clone()).collect()
    }

    /// The number of the node that leads a collection, as whoever answers says.
    pub fn leader(&self, collection: &str) -> Option<usize> {
        let mut told = self.nodes.iter().filter_map(|node| ClusterStatus::ask(&node.url).ok());
        told.find_map(|status| self.number(status.leader(collection)?))
    }

    fn number(&self, name: &str) -> Option<usize> {
        let address = name.strip_suffix("_solr")?;
        self.nodes.iter().find(|it| it.url == format!("http://{address}/solr")).map(|it| it.number)
    }

    /// Breaks a node and brings it back. Returns when it runs again.
    pub fn strike(&mut self, number: usize, fault: &Fault) -> Result<()> {
        let text = number.to_string();
        match fault.kind {
            FaultKind::Kill | FaultKind::Fast => drop(self.tool.run(&["stop", "--node", &text, "--kill"])?),
            FaultKind::Term => drop(self.tool.run(&["stop", "--node", &text])?),
            FaultKind::Stop => {
                let pid = self.nodes.iter().find(|it| it.number == number).context("no such node")?.pid;
                signal("STOP", pid)?;
                sleep(fault.away);
                return signal("CONT", pid);
            }
        }
        sleep(fault.away);
        self.nodes = read_nodes(&self.tool.run(&["start", "--node", &text])?)?;
        Ok(())
    }

    /// Waits until every node says that all live and all collections are led. Errors: what is wrong still.
    pub fn await_rest(&self, collections: &[String]) -> Result<()> {
        let wrong = |node: &Node| match ClusterStatus::ask(&node.url) {
            Ok(status) => status.wrong(collections, self.nodes.len()),
            Err(error) => Some(format!("{error:#}")),
        };
        await_until(REST_WITHIN, || match self.nodes.iter().find_map(|it| Some((it.number, wrong(it)?))) {
            None => Ok(()),
            Some((number, wrong)) => Err(format!("node {number} says: {wrong}")),
        })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // `wait` closes its standard input first.
        if !self.guard.wait().is_ok_and(|status| status.success()) {
            eprintln!(
                "cannot stop the cluster; try `parhelion cluster down --dir {}`",
                self.tool.dir.display()
            );
        }
    }
}

/// Looks again and again. Errors: the last reason, when the time is over.
pub fn await_until(within: Duration, look: impl Fn() -> Result<(), String>) -> Result<()> {
    let began = Instant::now();
    while let Err(why) = look() {
        if began.elapsed() > within {
            bail!("waited {} s in vain; {why}", within.as_secs());
        }
        sleep(LOOK);
    }
    Ok(())
}

fn read_nodes(told: &Value) -> Result<Vec<Node>> {
    let node = |it: &Value| {
        let number = usize::try_from(it["node"].as_u64()?).ok()?;
        Some(Node { number, url: it["url"].as_str()?.to_owned(), pid: it["pid"].as_u64()? })
    };
    let nodes = told["nodes"].as_array().and_then(|nodes| nodes.iter().map(node).collect());
    nodes.with_context(|| format!("not all nodes run: {told}"))
}

/// By the shell, whose own command this is.
fn signal(name: &str, pid: u64) -> Result<()> {
    let status = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, &pid.to_string()]).status();
    ensure!(status.context("cannot run `sh`")?.success(), "cannot send SIG{name} to process {pid}");
    Ok(())
}
