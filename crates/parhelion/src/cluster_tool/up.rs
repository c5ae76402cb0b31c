//! `cluster up` and `start`: starts what of a cluster does not run and waits until clients find it. What is
//! to run is `plan`'s. A call that fails ends what it has started, in the other order, unless it is to be
//! kept.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;
use uuid::Uuid;

use super::arguments::{FolderArgs, UpArgs};
use super::folder::{ClusterFolder, shell_word};
use super::halt::{HaltMethod, HaltTarget, halt};
use super::launch::{LaunchedProcess, NodeCommand, check_environment, end_of_log};
use super::plan::plan_cluster;
use super::ports;
use super::process::ProcessIdentity;
use super::record::{ClusterRecord, OwnZooKeeper, WantedCluster};
use super::srvr::check_zookeeper;
use super::view::{ClusterObserver, NodeView};
use super::waiting::{BoundedWait, LOOK, name_nodes};
use super::zookeeper::ZooKeeperProgram;
use crate::output;
use crate::server::interrupted;

/// For what a failed call had started to end.
const UNDONE_WITHIN: Duration = Duration::from_secs(20);
/// For a cluster that another command shows to be found: the default of `cluster up`.
const RAISED_WITHIN: Duration = Duration::from_secs(60);
const BASE_PORT: &str = "--base-port";

pub async fn run(args: UpArgs, log: LevelFilter) -> anyhow::Result<()> {
    let folder = ClusterFolder::make(&args.at.dir)?;
    let zk = args.zk.as_ref().map(ToString::to_string);
    let (store, base_port) = (args.store.as_deref(), args.base_port);
    let (nodes, zk_session) = (args.nodes, args.zk_session);
    let wanted = WantedCluster { nodes, zk: zk.as_deref(), store, base_port, zk_session };
    let nodes_before = folder.read()?.map_or(0, |it| it.node_max());
    let record = plan_cluster(&folder, &wanted, Uuid::new_v4().as_u128())?;
    let numbers = record.nodes.iter().map(|it| it.node).collect();
    let raising =
        Raising { folder, record, nodes_before, numbers, log, ports_by: BASE_PORT, started: Vec::new() };
    raising.run(args.keep, args.patience.time(), &args.at).await
}

/// The same for a command that shows a cluster, which prints what there is itself: so many nodes, the first
/// on `base_port`, which that command calls `ports_by`. Out: the URLs of the nodes.
pub async fn raise(
    dir: &Path,
    (nodes, log): (u32, LevelFilter),
    (base_port, ports_by): (Option<u16>, &'static str),
) -> anyhow::Result<Vec<String>> {
    let folder = ClusterFolder::make(dir)?;
    let wanted = WantedCluster { nodes: Some(nodes), base_port, ..WantedCluster::default() };
    let nodes_before = folder.read()?.map_or(0, |it| it.node_max());
    let record = plan_cluster(&folder, &wanted, Uuid::new_v4().as_u128())?;
    let numbers = record.nodes.iter().map(|it| it.node).collect();
    let mut raising = Raising { folder, record, nodes_before, numbers, log, ports_by, started: Vec::new() };
    // Nothing is kept of one that fails: whoever asked for a show has no use for half a cluster.
    raising.raise_all(false, RAISED_WITHIN).await?;
    Ok(raising.record.nodes.iter().map(|it| it.url.clone()).collect())
}

pub async fn start(at: &FolderArgs, number: u32, patience: Duration, log: LevelFilter) -> anyhow::Result<()> {
    let (folder, record) = ClusterFolder::existing(&at.dir)?;
    record.node(number)?;
    let (nodes_before, numbers) = (record.node_max(), vec![number]);
    let raising =
        Raising { folder, record, nodes_before, numbers, log, ports_by: BASE_PORT, started: Vec::new() };
    raising.run(false, patience, at).await
}

/// One call that starts what does not run.
struct Raising {
    folder: ClusterFolder,
    record: ClusterRecord,
    /// The last node that was there before this call; the next ones are added by it.
    nodes_before: u32,
    /// The nodes that are to run.
    numbers: Vec<u32>,
    /// Theirs.
    log: LevelFilter,
    /// The flag that chooses ports.
    ports_by: &'static str,
    started: Vec<LaunchedProcess>,
}

impl Raising {
    async fn run(mut self, keep: bool, patience: Duration, at: &FolderArgs) -> anyhow::Result<()> {
        self.raise_all(keep, patience).await?;
        if at.json {
            output::json(&self.to_json());
        } else {
            self.print(&shell_word(&at.dir));
        }
        Ok(())
    }

    /// All or nothing of it, unless what was started is to be kept.
    async fn raise_all(&mut self, keep: bool, patience: Duration) -> anyhow::Result<()> {
        check_environment(|name| std::env::var_os(name).is_some())?;
        let mut wait = BoundedWait::new(patience);
        let done = tokio::select! {
            done = self.raise(&mut wait) => done,
            () = interrupted() => Err(anyhow::anyhow!("interrupted")),
        };
        if let Err(error) = done {
            self.fail(keep).await;
            return Err(error);
        }
        self.record.has_run |= self.numbers.len() == self.record.nodes.len();
        self.folder.save(&self.record)
    }

    async fn raise(&mut self, wait: &mut BoundedWait) -> anyhow::Result<()> {
        // First: by it the next call knows the folder, whatever this one leaves there.
        self.folder.save(&self.record)?;
        self.check_ports()?;
        self.raise_zookeeper(wait).await?;
        for number in self.numbers.clone() {
            self.start_node(number)?;
        }
        self.await_nodes(wait).await
    }

    /// Before anything is started, since one that is taken is the caller's to change.
    fn check_ports(&self) -> anyhow::Result<()> {
        let other = format!(", or choose others with {}", self.ports_by);
        let advice = if self.record.has_run { "" } else { other.as_str() };
        if let Some(own) =
            self.record.zookeeper.own.as_ref().filter(|_| self.record.zookeeper_process().is_none())
        {
            ports::check_free(own.port, "ZooKeeper", advice)?;
        }
        let nodes = self.record.nodes.iter().filter(|it| self.numbers.contains(&it.node) && !it.runs());
        nodes.into_iter().try_for_each(|it| ports::check_free(it.port, &format!("node {}", it.node), advice))
    }

    async fn raise_zookeeper(&mut self, wait: &mut BoundedWait) -> anyhow::Result<()> {
        let at = self.record.zookeeper.at.clone();
        let Some(own) = self.record.zookeeper.own.clone() else {
            let others = if self.record.has_run { "" } else { ", or leave --zk out, and one is started" };
            return check_zookeeper(&at)
                .await
                .map_err(|why| anyhow::anyhow!("no ZooKeeper serves at `{at}` ({why}); start it{others}"));
        };
        let process = match self.record.zookeeper_process() {
            Some(process) => process.clone(),
            None => self.start_zookeeper(own.port, wait).await?,
        };
        while let Err(why) = check_zookeeper(&at).await {
            self.check_started()?;
            ensure!(process.runs(), "ZooKeeper ended; see `{}`", self.folder.zookeeper_log().display());
            if wait.is_over() {
                bail!(
                    "ZooKeeper does not serve within {} s ({why}); {}",
                    wait.seconds(),
                    self.last_words("ZooKeeper")
                );
            }
            wait.tell(&format!("ZooKeeper to serve at {at}"));
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    async fn start_zookeeper(
        &mut self,
        port: u16,
        wait: &mut BoundedWait,
    ) -> anyhow::Result<ProcessIdentity> {
        let home = self.folder.zookeeper();
        std::fs::create_dir_all(&home)
            .with_context(|| format!("cannot make the folder `{}`", home.display()))?;
        let program = ZooKeeperProgram::find(&home, wait).await?;
        let mut command = program.command(&home, port)?;
        let name = "ZooKeeper".to_owned();
        let launched = LaunchedProcess::start(name, &mut command, &self.folder.zookeeper_log())?;
        let process = launched.process.clone();
        self.started.push(launched);
        self.record.zookeeper.own = Some(OwnZooKeeper { port, process: Some(process.clone()) });
        self.folder.save(&self.record)?;
        Ok(process)
    }

    /// Unless it runs.
    fn start_node(&mut self, number: u32) -> anyhow::Result<()> {
        let node = self.record.node(number)?;
        if node.runs() {
            return Ok(());
        }
        let (name, port) = (format!("node {number}"), node.port);
        let data_dir = self.folder.node(number);
        let (zk, store, zk_session) = (&self.record.zookeeper.at, &self.record.store, self.record.zk_session);
        let mut command =
            NodeCommand { port, zk, zk_session, store, data_dir: &data_dir, log: self.log }.prepare()?;
        let launched = LaunchedProcess::start(name, &mut command, &self.folder.node_log(number))?;
        if let Some(node) = self.record.node_mut(number) {
            node.process = Some(launched.process.clone());
        }
        self.started.push(launched);
        // Before anything is waited for: a command that is killed now leaves no process that nobody knows.
        self.folder.save(&self.record)
    }

    async fn await_nodes(&mut self, wait: &mut BoundedWait) -> anyhow::Result<()> {
        let observer = ClusterObserver::new(&self.record)?;
        loop {
            self.check_started()?;
            let view = observer.look(&self.record).await;
            let among = |it: &&NodeView| self.numbers.contains(&it.node);
            let that = |is_it: fn(&NodeView) -> bool| -> Vec<u32> {
                view.nodes.iter().filter(among).filter(|it| is_it(it)).map(|it| it.node).collect()
            };
            let ended = that(|it| !it.runs);
            if !ended.is_empty() {
                // Whatever this call has started says more.
                self.check_started()?;
                bail!("{} ended; see `log` in its folder", name_nodes(&ended));
            }
            let silent = that(|it| !it.answers);
            let mut unseen = that(|it| it.live != Some(true));
            if unseen.is_empty() {
                unseen = self.numbers.iter().copied().filter(|number| !self.serves(*number)).collect();
            }
            let behind = view.nodes.iter().filter(|it| it.is_behind).map(|it| it.node).collect::<Vec<_>>();
            let awaited = match (silent.as_slice(), unseen.as_slice()) {
                ([], []) if behind.is_empty() => return Ok(()),
                ([], []) => format!("{} to know of all others", name_nodes(&behind)),
                ([], unseen) => format!("{} to be found in ZooKeeper", name_nodes(unseen)),
                (silent, _) => format!("{} to answer", name_nodes(silent)),
            };
            if wait.is_over() {
                let first = silent.first().or(unseen.first()).or(behind.first()).copied().unwrap_or_default();
                let zookeeper = view.zookeeper_wrong.map_or_else(String::new, |why| format!(" ({why})"));
                let (seconds, words) = (wait.seconds(), self.last_words(&format!("node {first}")));
                bail!("waited {seconds} s in vain for {awaited}{zookeeper}; {words}");
            }
            wait.tell(&awaited);
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Whether a node that this call has started says that it serves, which it does once it has shown itself.
    /// What ZooKeeper tells is not enough: a node that was killed stays there until its session ends.
    fn serves(&self, number: u32) -> bool {
        let name = format!("node {number}");
        self.started.iter().find(|it| it.name == name).is_none_or(|it| it.has_said("serving http"))
    }

    /// Errors: a process of this call has ended.
    fn check_started(&mut self) -> anyhow::Result<()> {
        self.started.iter_mut().try_for_each(LaunchedProcess::check)
    }

    /// The end of its log, as far as it is this start's; of what ran before this call, the end of all of it.
    fn last_words(&self, name: &str) -> String {
        if let Some(started) = self.started.iter().find(|it| it.name == name) {
            return started.last_words();
        }
        let number = name.strip_prefix("node ").and_then(|number| number.parse().ok());
        let log = number.map_or_else(|| self.folder.zookeeper_log(), |number| self.folder.node_log(number));
        let anew = "it ran before: `parhelion cluster stop --node` and `start` begin it anew";
        let anew = if number.is_some() { format!("{anew}; ") } else { String::new() };
        format!("{anew}{}", end_of_log(&log, 0))
    }

    /// Ends what was started, nodes before ZooKeeper, and forgets it.
    async fn fail(&mut self, keep: bool) {
        self.stop_started(keep).await;
        if self.record.has_run && !keep {
            // Nodes that were to be added are none of the cluster's.
            let before = self.nodes_before;
            self.record.nodes.retain(|it| it.node <= before || it.process.is_some());
        }
        if let Err(error) = self.folder.save(&self.record) {
            output::note(&format!("{error:#}"));
        }
    }

    async fn stop_started(&mut self, keep: bool) {
        if self.started.is_empty() {
            return;
        }
        let names: Vec<&str> = self.started.iter().map(|it| it.name.as_str()).collect();
        if keep {
            output::note(&format!("left running, as far as it does: {}", names.join(", ")));
            return;
        }
        output::note(&format!("stopping what was started: {}", names.join(", ")));
        let target = |it: &LaunchedProcess| HaltTarget { name: it.name.clone(), process: it.process.clone() };
        let (zookeeper, nodes): (Vec<_>, Vec<_>) =
            self.started.iter().map(target).partition(|it| it.name == "ZooKeeper");
        for targets in [nodes, zookeeper] {
            match halt(&targets, HaltMethod::Terminate(UNDONE_WITHIN)).await {
                Ok(_) => self.forget(&targets),
                Err(error) => output::note(&format!("{error:#}")),
            }
        }
    }

    fn forget(&mut self, ended: &[HaltTarget]) {
        let nodes = self.record.nodes.iter_mut().map(|it| &mut it.process);
        let zookeeper = self.record.zookeeper.own.iter_mut().map(|it| &mut it.process);
        for process in nodes.chain(zookeeper) {
            if process.as_ref().is_some_and(|it| ended.iter().any(|target| target.process == *it)) {
                *process = None;
            }
        }
    }

    fn print(&self, dir: &str) {
        let mut table = output::table();
        table.set_header(["node", "url", "pid"]);
        for it in &self.record.nodes {
            let pid = it.process.as_ref().filter(|it| it.runs());
            let pid = pid.map_or_else(|| "does not run".to_owned(), |it| it.pid.to_string());
            table.add_row([it.node.to_string(), it.url.clone(), pid]);
        }
        output::line(&table.to_string());
        let pid = self.record.zookeeper_process().map_or_else(String::new, |it| format!(" (pid {})", it.pid));
        output::line(&format!("ZooKeeper {}{pid}\nstore {}", self.record.zookeeper.at, self.record.store));
        output::note(&format!("stop it with `parhelion cluster down --dir {dir}`"));
    }

    fn to_json(&self) -> Value {
        let running = |it: &Option<ProcessIdentity>| it.as_ref().filter(|it| it.runs()).map(|it| it.pid);
        let nodes = self.record.nodes.iter();
        let nodes: Vec<Value> =
            nodes.map(|it| json!({"node": it.node, "url": it.url, "pid": running(&it.process)})).collect();
        json!({
            "nodes": nodes, "zk": self.record.zookeeper.at,
            "zkPid": self.record.zookeeper_process().map(|it| it.pid), "store": self.record.store,
        })
    }
}
