//! A node on an address, within this process: what `serve` and `demo` start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use cluster::{CacheSizes, Node, NodeConfig};
use http::ServeConfig;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::ambient::{SystemClock, new_uuid};
use crate::configsets;

/// What to listen on and where the data is.
#[derive(Clone, Debug)]
pub struct ServerArgs {
    pub host: String,
    pub port: u16,
    pub data_dir: PathBuf,
    /// The only folder below which backups are made and found.
    pub backup_dir: Option<PathBuf>,
    /// A folder of configsets, beside the built-in one.
    pub configset_dir: Option<PathBuf>,
    /// Whether answers, results, filters and documents are kept for later requests.
    pub cache: bool,
}

/// A listening server. Dropping it does not stop it; [`Server::stop`] does.
pub struct Server {
    pub address: SocketAddr,
    node: Arc<Node>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Opens the data, then the address: whoever can connect gets answers.
    pub async fn start(args: ServerArgs) -> anyhow::Result<Self> {
        let ServerArgs { host, port, data_dir, backup_dir, configset_dir, cache } = args;
        let configsets = configsets::load(configset_dir.as_deref())?;
        let listener = bind(&host, port).await?;
        let address = listener.local_addr()?;
        let config = NodeConfig {
            data_dir: data_dir.clone(),
            clock: Arc::new(SystemClock),
            shards: cluster::engine_shards(if cache { CacheSizes::default() } else { CacheSizes::NONE }),
            name: format!("{host}:{}_solr", address.port()),
        };
        let node = tokio::task::spawn_blocking(|| Node::open(config))
            .await?
            .with_context(|| format!("cannot open the data in `{}`", data_dir.display()))?;
        let (stop, stopped) = watch::channel(false);
        let mut config = ServeConfig::new(configsets, Arc::new(new_uuid));
        // Clients may name it in full.
        config.backup_dir = backup_dir.map(std::path::absolute).transpose()?;
        if !cache {
            config.answer_bytes_max = 0;
        }
        let serving = tokio::spawn(http::serve(listener, node.clone(), config, until(stopped)));
        Ok(Self { address, node, stop, serving })
    }

    /// The Solr URL.
    pub fn url(&self) -> String {
        format!("http://{}/solr", self.address)
    }

    /// Ends open requests, flushes, closes.
    pub async fn stop(self) -> anyhow::Result<()> {
        let _ = self.stop.send(true);
        self.serving.await??;
        let node = self.node;
        tokio::task::spawn_blocking(move || node.close())
            .await?
            .context("cannot close cleanly; the log keeps what was acknowledged")
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // An error means that the sender is gone, which is a stop too.
    let _ = stopped.wait_for(|stop| *stop).await;
}

async fn bind(host: &str, port: u16) -> anyhow::Result<TcpListener> {
    match TcpListener::bind((host, port)).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            bail!(
                "port {port} of {host} is taken; stop the program that listens there, or choose another with --port (0: any free one)"
            )
        }
        Err(error) => Err(error).with_context(|| format!("cannot listen on {host}:{port}")),
    }
}

/// Returns on Ctrl-C or, where there is one, the terminate signal.
pub async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
