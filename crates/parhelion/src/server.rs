//! A node that listens, within this process: what `serve` and `demo` start. Owns the order: addresses are
//! taken before the data is opened, so that whoever can connect waits for it and gets answers; at the end
//! open requests end, then the node flushes and closes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use cluster::{CacheSizes, Node, NodeConfig, ThreadScheduler};
use http::{Compress, PublicView, ServeConfig, Tls};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::ambient::{SystemClock, new_uuid};
use crate::configsets;
use crate::follow::{self, Following};
use crate::guard;
use crate::limits::LimitArgs;
use crate::listen::{self, Bound, ListenAddress};
use crate::logs::ProcessLogs;
use crate::machine;
use crate::members::MemberClients;
use crate::object_store::{OpenBackups, OpenStore, StoreArgs, check_apart};
use crate::output;
use crate::query_log::{self, QueryLogArgs, QueryLogSwitch, QueryLogWriter};
use crate::watch::Watching;
use crate::zookeeper::{ShownNode, ZooKeeperArgs};

/// What Solr calls a node that has no address.
const NAMELESS: &str = "localhost:8983";

/// What to listen on and where the data is.
#[derive(Clone)]
pub struct ServerArgs {
    /// At least one.
    pub places: Vec<ListenAddress>,
    /// For the addresses among them.
    pub tls: Option<Tls>,
    pub compress: Compress,
    pub data_dir: PathBuf,
    /// Where shards are at home; `None`, or one without an address, is the data directory.
    pub store: Option<StoreArgs>,
    /// Where clients that do not know the node find it.
    pub zookeeper: ZooKeeperArgs,
    /// A `security.json` for data that has none.
    pub security: Option<PathBuf>,
    /// Whether other machines may reach it though nobody has to log in.
    pub insecure_open: bool,
    /// The only folder, or bucket by its URL, below which backups are made and found.
    pub backup_dir: Option<String>,
    /// A folder of configsets, beside the built-in one.
    pub configset_dir: Option<PathBuf>,
    /// Whether answers, results, filters and documents are kept for later requests.
    pub cache: bool,
    pub limits: LimitArgs,
    /// `None` keeps no query log.
    pub query_log: Option<QueryLogArgs>,
    /// What requests may see and change of the log; `None` is nothing.
    pub logs: Option<Arc<ProcessLogs>>,
}

/// A listening server. Dropping it does not stop it; [`Server::stop`] does.
pub struct Server {
    /// As clients name them, in the order asked for.
    places: Vec<String>,
    sockets: Vec<PathBuf>,
    node: Arc<Node>,
    /// Behind the node, which asks it until it is closed.
    _store: Option<OpenStore>,
    _backups: Option<OpenBackups>,
    stop: watch::Sender<bool>,
    _watching: Watching,
    _following: Option<Following>,
    query_log: Option<Arc<QueryLogWriter>>,
    shown: Option<Arc<ShownNode>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Takes the places, then opens the data: whoever can connect waits for it and gets answers.
    pub async fn start(args: ServerArgs) -> anyhow::Result<Self> {
        let ServerArgs {
            places,
            tls,
            compress,
            data_dir,
            store,
            zookeeper,
            security,
            insecure_open,
            backup_dir,
            configset_dir,
            cache,
            limits,
            query_log,
            logs,
        } = args;
        let configsets = configsets::load(configset_dir.as_deref())?;
        let mut bound = Vec::with_capacity(places.len());
        for place in &places {
            bound.push(listen::bind(place, tls.as_ref()).await?);
        }
        let name = bound.iter().find_map(|bound| bound.name.as_deref()).unwrap_or(NAMELESS);
        let follow_ms = store.as_ref().filter(|it| it.read_only).map(|it| it.follow);
        let (caches, scheduler) =
            (if cache { CacheSizes::default() } else { CacheSizes::NONE }, Arc::new(ThreadScheduler));
        let config = NodeConfig {
            data_dir: data_dir.clone(),
            clock: Arc::new(SystemClock),
            shards: match follow_ms {
                Some(every_ms) => cluster::engine_readers(caches, scheduler, every_ms),
                None => cluster::engine_shards(caches, scheduler),
            },
            name: format!("{}_solr", zookeeper.address(name)),
        };
        // One of several where both the documents and who lives are shared.
        let scheme = if tls.is_some() { "https" } else { "http" };
        let shares = zookeeper.zk.is_some() && store.as_ref().is_some_and(|it| it.store.is_some());
        let member_url = shares.then(|| format!("{scheme}://{}", zookeeper.address(name)));
        let url = store.as_ref().and_then(|it| it.store.clone());
        if let (Some(store), Some(backups)) = (&url, &backup_dir) {
            check_apart(store, backups)?;
        }
        let place = url.unwrap_or_else(|| data_dir.display().to_string());
        let (node, store) =
            tokio::task::spawn_blocking(move || open_node(config, store.as_ref(), member_url))
                .await?
                .with_context(|| format!("cannot open the data in `{place}`"))?;
        note_left_alone(&node, &data_dir);
        let security = guard::load(&node, &data_dir, security.as_deref()).await?;
        let exposed: Vec<_> = bound.iter().filter(|it| it.exposed).map(|it| it.shown.as_str()).collect();
        guard::check_exposed(&exposed, security.as_deref(), insecure_open)?;
        let (stop, stopped) = watch::channel(false);
        let mut config = ServeConfig::new(configsets, Arc::new(new_uuid));
        node.replace_gone_after(zookeeper.replace_after_ms());
        let shown = match zookeeper.place()? {
            Some(place) => {
                let shown = (place, zookeeper.facts());
                Some(ShownNode::start(shown, &node, config.configsets.clone()).await?)
            }
            None => None,
        };
        config.view = shown.clone().map(|shown| shown as Arc<dyn PublicView>);
        if node.is_member() {
            config.forward = Some(Arc::new(MemberClients::default()));
        }
        config.compress = compress;
        config.security = security;
        limits.apply(&mut config);
        config.connections_max = config.connections_max.min(listen::connections_max());
        config.watch = crate::watch::watch();
        config.host_notes = crate::watch::host_notes(&data_dir);
        let watching = crate::watch::start(config.watch.clone(), &node)?;
        config.read_only = follow_ms.is_some();
        let every = follow_ms.map(Duration::from_millis);
        let following = every.map(|every| follow::start(&node, every)).transpose()?;
        let query_log = query_log.map(|args| start_query_log(&args, &data_dir, &mut config)).transpose()?;
        config.machine = Arc::new(move || machine::facts(&data_dir));
        if let Some(figures) = store.as_ref().map(OpenStore::figures) {
            config.store = Arc::new(move || Some(figures()));
        }
        if let Some(logs) = logs {
            config.logs = logs;
        }
        let backups = match backup_dir {
            Some(place) => Some(tokio::task::spawn_blocking(move || open_backups(&place)).await??),
            None => None,
        };
        config.backup_dir = backups.as_ref().map(OpenBackups::root);
        if !cache {
            config.answer_bytes_max = 0;
        }
        let (places, sockets) = bound
            .iter()
            .map(|bound| (bound.shown.clone(), bound.socket.clone()))
            .collect::<(Vec<_>, Vec<_>)>();
        let sockets = sockets.into_iter().flatten().collect();
        let listeners = bound.into_iter().map(|Bound { listener, .. }| listener).collect();
        let serving = tokio::spawn(http::serve(listeners, node.clone(), config, until(stopped)));
        if let Some(shown) = &shown {
            shown.appear().await?;
        }
        Ok(Self {
            places,
            sockets,
            node,
            _store: store,
            _backups: backups,
            stop,
            _watching: watching,
            _following: following,
            query_log: query_log.flatten(),
            shown,
            serving,
        })
    }

    /// The first place; a Solr URL if that is an address.
    pub fn url(&self) -> &str {
        self.places.first().map_or("", String::as_str)
    }

    /// All places, as clients name them.
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// Ends open requests, flushes, closes.
    pub async fn stop(self) -> anyhow::Result<()> {
        let is_member = self.node.is_member();
        match &self.shown {
            // The others take over what it has as soon as it leaves, so that it closes that first.
            Some(shown) if is_member => shown.rest().await,
            // Clients that look for live nodes turn elsewhere while open requests end.
            Some(shown) => shown.stop().await,
            None => {}
        }
        let _ = self.stop.send(true);
        self.serving.await??;
        for socket in &self.sockets {
            // The next server takes over a socket that stays.
            let _ = std::fs::remove_file(socket);
        }
        let (node, query_log) = (self.node, self.query_log);
        let close = move || {
            query_log.iter().for_each(|log| log.close());
            node.close()
        };
        let closed = tokio::task::spawn_blocking(close)
            .await?
            .context("cannot close cleanly; the log keeps what was acknowledged");
        if let Some(shown) = self.shown.filter(|_| is_member) {
            shown.stop().await;
        }
        closed
    }
}

/// `None` where there is to be none.
fn start_query_log(
    args: &QueryLogArgs,
    data_dir: &Path,
    config: &mut ServeConfig,
) -> anyhow::Result<Option<Arc<QueryLogWriter>>> {
    if args.query_log == QueryLogSwitch::Off {
        return Ok(None);
    }
    let bytes_max = u64::from(args.query_log_max_mb) << 20;
    let folder = query_log::folder_in(data_dir);
    let log = Arc::new(QueryLogWriter::start(folder, bytes_max, Arc::new(SystemClock))?);
    config.query_log = Some(log.clone());
    config.query_log_left_out.clone_from(&args.query_log_drop);
    Ok(Some(log))
}

/// Blocks.
fn open_backups(place: &str) -> anyhow::Result<OpenBackups> {
    OpenBackups::open(place).with_context(|| format!("cannot open the backups in `{place}`"))
}

fn open_node(
    config: NodeConfig,
    store: Option<&StoreArgs>,
    member_url: Option<String>,
) -> anyhow::Result<(Arc<Node>, Option<OpenStore>)> {
    let addressed = store.and_then(|args| Some((args, args.store.as_deref()?)));
    let Some((args, url)) = addressed else { return Ok((Node::open(config)?, None)) };
    let store = OpenStore::open(url, args.cache(&config.data_dir), args.store_prices)?;
    let homes = store.documents(&config.data_dir)?;
    if let Some(member_url) = member_url {
        let node = Node::open_member(config, homes, store.site(), (member_url, &new_uuid(), &new_uuid()))?;
        // Before clients come: what cannot be opened is tried again, and the rest is served.
        for error in node.take_part().err().into_iter().flatten() {
            tracing::warn!(%error, "not everything that is this node's is served; trying on");
        }
        return Ok((node, Some(store)));
    }
    let open = if args.read_only { Node::open_reader } else { Node::open_at };
    Ok((open(config, homes, store.site())?, Some(store)))
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // An error means that the sender is gone, which is a stop too.
    let _ = stopped.wait_for(|stop| *stop).await;
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

/// What is not known may be another release's, or the only copy of something: it is for people to remove.
fn note_left_alone(node: &Node, data_dir: &Path) {
    for key in node.left_alone() {
        let folder = data_dir.join("collections").join(key);
        output::note(&format!(
            "`{}` belongs to no collection that is known here and stays as it is; remove it if nothing in it is needed",
            folder.display()
        ));
    }
}
