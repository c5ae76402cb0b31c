//! `parhelion serve`: a node on one address until it is told to stop.

use std::path::PathBuf;

use clap::Args;

use crate::output;
use crate::server::{Server, ServerArgs, interrupted};

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on. Anything but loopback is open to whoever can reach it.
    #[arg(long, default_value = "127.0.0.1", env = "PARHELION_HOST")]
    host: String,
    /// The port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 8983, env = "PARHELION_PORT")]
    port: u16,
    /// Where collections are kept; made when missing.
    #[arg(long, value_name = "DIR", default_value = "parhelion-data", env = "PARHELION_DATA_DIR")]
    data_dir: PathBuf,
    /// The only folder below which backups are made and found; without it there are none.
    #[arg(long, value_name = "DIR", env = "PARHELION_BACKUP_DIR")]
    backup_dir: Option<PathBuf>,
    /// A folder whose children are configsets, as Solr keeps them; `_default` is built in.
    #[arg(long, value_name = "DIR", env = "PARHELION_CONFIGSET_DIR")]
    configset_dir: Option<PathBuf>,
    /// Answer every request afresh: keep no answers, results, filters or documents. For measurements.
    #[arg(long, env = "PARHELION_NO_CACHE")]
    no_cache: bool,
}

pub async fn run(args: ServeArgs) -> anyhow::Result<()> {
    let ServeArgs { host, port, data_dir, backup_dir, configset_dir, no_cache } = args;
    let shown = data_dir.display().to_string();
    let server =
        Server::start(ServerArgs { host, port, data_dir, backup_dir, configset_dir, cache: !no_cache })
            .await?;
    output::line(&format!("serving {} (data in {shown}); stop with Ctrl-C", server.url()));
    interrupted().await;
    output::note("stopping");
    server.stop().await
}
