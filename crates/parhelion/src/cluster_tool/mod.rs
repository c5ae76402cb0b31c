//! `parhelion cluster`: a cluster on one machine, of this very binary. `up` starts ZooKeeper and nodes and
//! waits until clients find them, `status` looks, `down` ends them; `stop` and `start` are for one node, to
//! see what its loss does.
//!
//! Here are the commands with their help. A cluster is a folder: what runs is written down there (`record`),
//! told apart from other processes by when it began (`process`), started by `launch` and `up`, looked at by
//! `view`, ended by `halt`. What a node does is `serve`'s; nothing here speaks to a node but as any client
//! does.

mod arguments;
mod folder;
mod halt;
mod launch;
mod plan;
mod ports;
mod process;
mod record;
mod srvr;
mod status;
mod up;
mod view;
mod waiting;
mod zookeeper;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use tracing::level_filters::LevelFilter;

use arguments::{FolderArgs, Patience, UpArgs};
use folder::{ClusterFolder, shell_word};
use halt::HaltMethod;

/// For nodes to end that nobody asks any more.
const SHOWN_ENDS_WITHIN: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub struct ClusterToolArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
enum ClusterCommand {
    /// Start a cluster on this machine: ZooKeeper, a store in a folder, nodes. Or what of it does not run.
    ///
    /// Returns when every node answers and clients find it in ZooKeeper; the processes go on without the
    /// command, listen on loopback alone, and write to `log` in their folders. Called again it starts what
    /// does not run, at the address that it had, and leaves the rest. Where something fails, or at Ctrl-C,
    /// what this call started is stopped again.
    ///
    /// ZooKeeper needs Java. It is taken from ZOOKEEPER_HOME, else from Debian's package `zookeeper`, else
    /// Maven (`mvn`) fetches it into the folder. Nodes have this command's environment, credentials of a
    /// store for example, and its --log.
    #[command(after_help = "\
Examples:
  parhelion cluster up --dir ./c                        three nodes, on ports that are free
  parhelion cluster up --dir ./c --nodes 2 --base-port 8983
                                                        nodes on 8983 and 8984, ZooKeeper on 9983
  parhelion cluster up --dir ./c --zk zk1:2181/films --store s3://bucket/prefix
                                                        with a ZooKeeper and a store that are there
  parhelion cluster up --dir ./c --json | jq -r '.nodes[0].url'")]
    Up(UpArgs),
    /// Show which nodes run, answer, are found in ZooKeeper, and which shards they lead.
    ///
    /// Ends with 1 where any of it is not as it should be.
    Status {
        #[command(flatten)]
        at: FolderArgs,
    },
    /// Stop the nodes, then ZooKeeper if the cluster has its own.
    ///
    /// Nodes are asked to stop and waited for; only who has not ended then is killed. What they had stays in
    /// the folder, for the next `up`.
    #[command(after_help = "\
Examples:
  parhelion cluster down --dir ./c
  parhelion cluster down --dir ./c --remove      and delete its data")]
    Down {
        #[command(flatten)]
        at: FolderArgs,
        /// Delete the folder's data when all have ended. A store or a ZooKeeper that was named with --store
        /// or --zk keeps what it has.
        #[arg(long)]
        remove: bool,
        #[command(flatten)]
        patience: Patience,
    },
    /// Start one node that does not run.
    Start {
        #[command(flatten)]
        at: FolderArgs,
        /// Which, by its number in `cluster status`.
        #[arg(long, value_name = "N")]
        node: u32,
        #[command(flatten)]
        patience: Patience,
    },
    /// Stop one node, or kill it: what does the cluster do then?
    #[command(after_help = "\
Examples:
  parhelion cluster stop --dir ./c --node 2 --kill     lose node 2
  parhelion cluster status --dir ./c                   who leads its shards now?
  parhelion cluster start --dir ./c --node 2           bring it back")]
    Stop {
        #[command(flatten)]
        at: FolderArgs,
        /// Which, by its number in `cluster status`.
        #[arg(long, value_name = "N")]
        node: u32,
        /// With SIGKILL, as a crash: it flushes nothing and says goodbye to nobody.
        #[arg(long)]
        kill: bool,
        #[command(flatten)]
        patience: Patience,
    },
}

/// A cluster for as long as another command shows it. Its folder is not held meanwhile: whoever watches may
/// stop nodes of it and look.
pub struct ShownCluster {
    dir: PathBuf,
    /// Of the nodes.
    pub urls: Vec<String>,
}

impl ShownCluster {
    /// Starts so many nodes in a folder, or what of them does not run. The first one's port may be chosen, by
    /// the flag of this name. Errors: what keeps them from it; then nothing runs.
    pub async fn start(
        dir: &Path,
        nodes: (u32, LevelFilter),
        ports: (Option<u16>, &'static str),
    ) -> anyhow::Result<Self> {
        let urls = up::raise(dir, nodes, ports).await?;
        Ok(Self { dir: dir.to_owned(), urls })
    }

    /// The folder, as a word of a shell.
    pub fn dir(&self) -> String {
        shell_word(&self.dir)
    }

    /// Ends all that runs of it by now, whoever started it.
    pub async fn stop(&self) -> anyhow::Result<()> {
        let (folder, mut record) = ClusterFolder::existing(&self.dir)?;
        halt::lower(&folder, &mut record, SHOWN_ENDS_WITHIN).await.map(drop)
    }
}

/// Nodes log at the level `log`, as this command does.
pub async fn run(args: ClusterToolArgs, log: LevelFilter) -> anyhow::Result<()> {
    match args.command {
        ClusterCommand::Up(args) => up::run(args, log).await,
        ClusterCommand::Start { at, node, patience } => up::start(&at, node, patience.time(), log).await,
        ClusterCommand::Status { at } => status::run(&at).await,
        ClusterCommand::Stop { at, node, kill, patience } => {
            let method = if kill { HaltMethod::Kill } else { HaltMethod::Terminate(patience.time()) };
            halt::stop(&at, node, method).await
        }
        ClusterCommand::Down { at, remove, patience } => halt::down(&at, remove, patience.time()).await,
    }
}
