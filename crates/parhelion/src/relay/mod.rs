//! `parhelion relay`: a sidecar for applications whose client cannot be changed. Arguments, files and signals
//! only: what is passed on and how is the relay's. In: flags, environment and a TOML file, in this order of
//! precedence; out: an address, and an exit code when it is told to stop. A changed file is taken up at
//! SIGHUP, or refused whole.

mod settings;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Args;
use relay::{Listener, Relay, RelayLimits};
use tokio::sync::mpsc;

use crate::listen::{self, ListenAddress};
use crate::login::LoginArgs;
use crate::output;
use crate::server::interrupted;
use settings::{Effective, Settings};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion relay --upstream https://solr.example.org/solr          an application asks http://127.0.0.1:8982/solr
  parhelion relay --upstream a:8983,b:8983 --cloud --hedge p95      by a cluster's state, with hedged searches
  parhelion relay --config relay.toml --listen unix:/run/solr.sock  by a file, and at a socket
A file has the flags' names, such as `upstream = [\"a:8983\", \"b:8983\"]`. SIGHUP reads it again.")]
pub struct RelayArgs {
    /// A TOML file with what is not set by flags or the environment, which both come first.
    #[arg(long, value_name = "FILE", env = "PARHELION_RELAY_CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    login: LoginArgs,
}

impl RelayArgs {
    fn read(&self) -> anyhow::Result<Effective> {
        Effective::read(&self.settings, &self.login, self.config.as_deref())
    }
}

pub async fn run(args: RelayArgs) -> anyhow::Result<()> {
    let first = args.read()?;
    ensure!(
        has_servers(&first),
        "there is no server to relay to; name one with --upstream URL, or who knows them with --zookeeper"
    );
    let (mut listeners, mut shown, mut sockets) = (Vec::new(), Vec::new(), Vec::new());
    for place in &first.places {
        let (listener, name) = bind(place).await?;
        listeners.push(listener);
        shown.push(name);
        sockets.extend(socket(place));
    }
    let connections_max = first.limits.connections_max.min(listen::connections_max());
    let relay = Relay::new(RelayLimits { connections_max, ..first.limits.clone() }, first.upstream.clone());
    let servers = first.upstream.servers.iter().map(|server| server.url.to_string());
    let zookeeper = first.upstream.zookeeper.iter().map(|zookeeper| format!("the nodes of {zookeeper}"));
    let servers: Vec<String> = servers.chain(zookeeper).collect();
    output::line(&format!("relaying {} to {}; stop with Ctrl-C", shown.join(" and "), servers.join(" and ")));
    let following = tokio::spawn(follow(args, first, relay.clone()));
    let ended = relay
        .serve(listeners, async {
            interrupted().await;
            output::note("stopping; what is under way ends first");
        })
        .await;
    following.abort();
    for socket in sockets {
        // The next relay takes over a socket that stays.
        let _ = std::fs::remove_file(socket);
    }
    ensure!(ended, "requests were still under way when the drain time was over; raise --drain-timeout");
    Ok(())
}

fn has_servers(effective: &Effective) -> bool {
    !effective.upstream.servers.is_empty() || effective.upstream.zookeeper.is_some()
}

async fn bind(place: &ListenAddress) -> anyhow::Result<(Listener, String)> {
    match place {
        ListenAddress::Address(host, port) => {
            let listener = listen::bind_address(host, *port).await?;
            let shown = format!("http://{}/solr", listener.local_addr()?);
            Ok((Listener::tcp(listener)?, shown))
        }
        #[cfg(unix)]
        ListenAddress::Unix(path) => {
            Ok((Listener::unix(listen::bind_socket_file(path)?), format!("unix:{}", path.display())))
        }
        #[cfg(not(unix))]
        ListenAddress::Unix(path) => {
            anyhow::bail!("this system has no such sockets as `unix:{}`; use HOST:PORT", path.display())
        }
    }
}

fn socket(place: &ListenAddress) -> Option<PathBuf> {
    match place {
        ListenAddress::Unix(path) => Some(path.clone()),
        ListenAddress::Address(..) => None,
    }
}

/// Takes a change of the file in whenever it is asked to. What cannot change while it runs, or cannot be
/// read, is told, and all stays as it is.
async fn follow(args: RelayArgs, mut present: Effective, relay: Relay) {
    let mut asked = hang_ups();
    while asked.recv().await.is_some() {
        match args.read().context("the configuration stays as it was") {
            Ok(next) if !has_servers(&next) => {
                output::note("the configuration stays as it was: it names no server");
            }
            Ok(next) => {
                if !next.starts_like(&present) {
                    output::note("where the relay listens and its limits change when it is started anew");
                }
                relay.reload(next.upstream.clone());
                output::note("configured anew");
                present = next;
            }
            Err(error) => output::note(&format!("{error:#}")),
        }
    }
}

/// One for each SIGHUP; none where there is no such thing.
fn hang_ups() -> mpsc::UnboundedReceiver<()> {
    let (tell, told) = mpsc::unbounded_channel();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // Now, not when the task first runs: until somebody listens the signal ends the process.
        if let Ok(mut hang_up) = signal(SignalKind::hangup()) {
            tokio::spawn(async move { while hang_up.recv().await.is_some() && tell.send(()).is_ok() {} });
        }
    }
    #[cfg(not(unix))]
    drop(tell);
    told
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use crate::cli::Cli;

    #[test]
    fn every_flag_is_in_a_group_of_the_help() {
        let mut cli = Cli::command();
        let relay = cli.find_subcommand_mut("relay").unwrap();
        let alone = relay.get_arguments().filter(|flag| flag.get_help_heading().is_none());
        let alone: Vec<&str> = alone.map(|flag| flag.get_id().as_str()).collect();
        assert_eq!(alone, ["config"]);
    }
}
