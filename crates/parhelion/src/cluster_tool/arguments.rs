//! The flags that the commands share, and those of `up`: what clap reads, checked as far as that goes without
//! looking at anything. Doc comments are the help. What a cluster that is there allows to change is for
//! `record` to say.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use membership::ZooKeeperPlace;

/// As many as fit between the ports of the first node and of ZooKeeper, and more than one machine should run.
const NODES_MAX: i64 = 64;

#[derive(Debug, Args)]
pub struct UpArgs {
    #[command(flatten)]
    pub at: FolderArgs,
    /// How many nodes: 3 at first, then as many as there are. More than there are adds some.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=NODES_MAX))]
    pub nodes: Option<u32>,
    /// Where shards are at home: s3://bucket/prefix, gs://…, az://… or file:///folder, as `serve --store`
    /// takes it. Without it, the folder `store` in --dir.
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// A ZooKeeper that runs: `HOST:PORT[,HOST:PORT…][/chroot]`. The chroot is this cluster's alone. Without
    /// it, one is started.
    #[arg(long, value_name = "WHERE")]
    pub zk: Option<ZooKeeperPlace>,
    /// The first node's port, the next ones' behind it, and ZooKeeper's 1000 above, as in Solr. Without it,
    /// ports that are free. A node keeps its port.
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub base_port: Option<u16>,
    /// How long a node may be silent before the others take it for gone, as `serve --zk-session`: 30 unless
    /// told otherwise. The ZooKeeper that is started makes at least 4 of it. A cluster keeps its own.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub zk_session: Option<u64>,
    /// Where something fails, leave what was started running, to look at it.
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub patience: Patience,
}

#[derive(Debug, Args)]
pub struct FolderArgs {
    /// The cluster's folder, of which it is the only content; `up` makes it when missing.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Patience {
    /// Wait so long for processes to be ready, or to end.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

impl Patience {
    pub fn time(self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}
