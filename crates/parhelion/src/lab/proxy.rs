//! `parhelion lab proxy`: a TCP proxy with faults, by flags, by a script, and by lines on standard input. The
//! proxy itself is the crate `faultproxy`; this reads its commands and shows what went through. It works
//! above TCP and needs no rights. For applications and clients by hand; tests use the crate itself.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use faultproxy::{Command, Direction, FaultProxy, Faults, Script, Traffic};
use tokio::sync::mpsc;

use crate::output;

#[derive(Debug, Args)]
#[command(after_help = "\
Faults, of one direction or both: delay=20ms jitter=5ms rate=12m loss=0.001 reset-after=4k cut-after=1m cut clear
While it runs, lines on standard input change it:
  to-client delay=50ms    replaces the faults of that direction (to-server, to-client, both)
  reset                   resets every open connection
  refuse | admit          resets each new connection | no longer
  stats                   prints what has gone through
A script has such lines with a time since the start before each: `30s to-server cut`; `60s repeat` begins anew.")]
pub struct ProxyArgs {
    /// Where clients connect; port 0 finds a free one. The address is the first line that is printed.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The server behind it.
    #[arg(long, value_name = "HOST:PORT")]
    upstream: String,
    /// Faults from clients to the server.
    #[arg(long, value_name = "FAULTS", default_value = "clear")]
    to_server: Faults,
    /// Faults from the server to clients.
    #[arg(long, value_name = "FAULTS", default_value = "clear")]
    to_client: Faults,
    /// A file of timed commands.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Decides jitter and losses.
    #[arg(long, default_value_t = 42)]
    seed: u64,
}

/// Until it is interrupted; the end of standard input does not end it.
pub async fn run(args: ProxyArgs) -> anyhow::Result<()> {
    let script = args.script.as_ref().map(read_script).transpose()?.unwrap_or_default();
    let proxy = FaultProxy::start(args.listen, &args.upstream, args.seed)
        .await
        .with_context(|| format!("cannot listen at `{}`", args.listen))?;
    proxy.set(Direction::ToServer, args.to_server);
    proxy.set(Direction::ToClient, args.to_client);
    output::line(&proxy.address().to_string());
    let obey = async {
        let mut lines = standard_input();
        while let Some(line) = lines.recv().await {
            obey_line(&proxy, line.trim());
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(proxy.play(&script), obey) } => {}
        stopped = tokio::signal::ctrl_c() => stopped?,
    }
    output::line(&shown(&proxy.traffic()));
    Ok(())
}

fn read_script(path: &PathBuf) -> anyhow::Result<Script> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    text.parse().with_context(|| format!("cannot use `{}`", path.display()))
}

/// Lines as they come, read on a thread of their own, which ends with the process.
fn standard_input() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// A wrong line is reported and changes nothing.
fn obey_line(proxy: &FaultProxy, line: &str) {
    match line {
        "" => {}
        "stats" => output::line(&shown(&proxy.traffic())),
        command => match command.parse::<Command>() {
            Ok(command) => proxy.apply(&command),
            Err(error) => output::note(&format!("error: {error}")),
        },
    }
}

fn shown(traffic: &Traffic) -> String {
    let Traffic { connections, resets, bytes_to_server, bytes_to_client } = traffic;
    format!(
        "{connections} connections, {resets} reset, {bytes_to_server} bytes to the server, {bytes_to_client} to clients"
    )
}
