//! `parhelion demo`: a node or a cluster, a collection, real files from this machine, and what to try next.
//! It walks the same road as any client: everything goes through HTTP. In: folders of text files; out: a
//! collection, and commands to copy. The server is `serve`'s, the cluster `cluster up`'s, over a temporary
//! folder unless one is named.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Args;
use client::SolrClient;
use http::Compress;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use ingest::{Batcher, Progress, Registry, Sender, Totals, files_below, read_source};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

#[cfg(target_os = "linux")]
use crate::cluster_tool::ShownCluster;
use crate::limits::LimitArgs;
use crate::listen::ListenAddress;
use crate::output;
use crate::server::{Server, ServerArgs, interrupted};
use crate::zookeeper::ZooKeeperArgs;

const COLLECTION: &str = "sources";
/// Of each shard in a cluster: any one node may be lost.
const REPLICAS: usize = 2;

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folders to index. Without any: the sources of the crates that cargo has downloaded on this machine.
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// 0 takes any free port.
    #[arg(long, default_value_t = 8983)]
    port: u16,
    /// So many nodes instead of one, as `parhelion cluster up` starts them, which needs Java for ZooKeeper:
    /// they listen on loopback, on --port and those behind it, and end with the demo.
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "N", conflicts_with_all = ["host", "insecure_open"], value_parser = clap::value_parser!(u32).range(2..=9))]
    nodes: Option<u32>,
    /// Listen beyond loopback: whoever reaches the address may do everything.
    #[arg(long)]
    insecure_open: bool,
    /// Keep the data here. Without it, it lies in a temporary folder and goes when the demo ends.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Stop after the summary instead of serving on.
    #[arg(long)]
    exit: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// A folder to walk, and whether its children are crates.
struct Root {
    folder: PathBuf,
    crates: bool,
}

struct Summary {
    sent: Totals,
    skipped: u64,
    elapsed: Duration,
}

/// What serves.
enum DemoServer {
    Node(Box<Server>),
    #[cfg(target_os = "linux")]
    Cluster(ShownCluster),
}

impl DemoServer {
    /// Nodes of a cluster log at the level `log`.
    async fn start(args: &DemoArgs, data_dir: PathBuf, log: LevelFilter) -> anyhow::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(nodes) = args.nodes {
            let port = Some(args.port).filter(|port| *port > 0);
            let cluster = ShownCluster::start(&data_dir, (nodes, log), (port, "--port")).await?;
            return Ok(Self::Cluster(cluster));
        }
        let _ = log;
        let server_args = ServerArgs {
            places: vec![ListenAddress::Address(args.host.clone(), args.port)],
            tls: None,
            compress: Compress::default(),
            data_dir,
            store: None,
            zookeeper: ZooKeeperArgs::default(),
            security: None,
            insecure_open: args.insecure_open,
            backup_dir: None,
            configset_dir: None,
            cache: true,
            limits: LimitArgs::default(),
            query_log: None,
            logs: None,
        };
        Server::start(server_args).await.map(|server| Self::Node(Box::new(server)))
    }

    fn url(&self) -> &str {
        match self {
            Self::Node(server) => server.url(),
            #[cfg(target_os = "linux")]
            Self::Cluster(cluster) => cluster.urls.first().map_or("", String::as_str),
        }
    }

    /// How many nodes there are; each leads a shard, and has another's copy.
    fn nodes(&self) -> usize {
        match self {
            Self::Node(_) => 1,
            #[cfg(target_os = "linux")]
            Self::Cluster(cluster) => cluster.urls.len(),
        }
    }

    /// What else there is to try.
    fn more_to_try(&self) -> String {
        match self {
            Self::Node(_) => String::new(),
            #[cfg(target_os = "linux")]
            Self::Cluster(cluster) => lose_a_node(cluster),
        }
    }

    async fn stop(self) -> anyhow::Result<()> {
        match self {
            Self::Node(server) => server.stop().await,
            #[cfg(target_os = "linux")]
            Self::Cluster(cluster) => cluster.stop().await,
        }
    }
}

/// Nodes of a cluster log at the level `log`.
pub async fn run(args: DemoArgs, log: LevelFilter) -> anyhow::Result<()> {
    let roots = roots(&args.folders)?;
    let temporary = tempfile::Builder::new()
        .prefix("parhelion-demo-")
        .tempdir()
        .context("cannot make a temporary folder")?;
    // One below: a cluster wants a folder that holds nothing else.
    let data_dir = args.data_dir.clone().unwrap_or_else(|| temporary.path().join("data"));
    let server = DemoServer::start(&args, data_dir, log).await?;
    // A cluster's processes outlive this one, so that it has to end them whatever becomes of the work.
    let shown = tokio::select! {
        shown = show(&args, &server, roots) => shown,
        () = interrupted() => {
            output::note("stopping");
            Ok(())
        }
    };
    server.stop().await.and(shown)
}

/// Until somebody interrupts it, unless it is to end by itself.
async fn show(args: &DemoArgs, server: &DemoServer, roots: Vec<Root>) -> anyhow::Result<()> {
    let client = SolrClient::new(server.url().parse()?, Duration::from_secs(120));
    make_collection(&client, server.nodes()).await?;
    let summary = index(&client, roots).await?;
    if args.json {
        output::json(&summary.to_json(server.url()));
    } else {
        summary.print();
    }
    if args.exit {
        return Ok(());
    }
    if !args.json {
        output::line(&try_this(server));
    }
    std::future::pending().await
}

fn roots(folders: &[PathBuf]) -> anyhow::Result<Vec<Root>> {
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        bail!("`{}` is not a folder", missing.display());
    }
    if !folders.is_empty() {
        return Ok(folders.iter().map(|folder| Root { folder: folder.clone(), crates: false }).collect());
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let found = home.map(|home| Registry::sources(&home)).unwrap_or_default();
    if found.is_empty() {
        bail!("cargo has downloaded no crates here; name a folder: `parhelion demo FOLDER`");
    }
    Ok(found.into_iter().map(|folder| Root { folder, crates: true }).collect())
}

/// Makes the collection anew, with a field for each fact about a file.
async fn make_collection(client: &SolrClient, nodes: usize) -> anyhow::Result<()> {
    client.get("admin/collections", &[("action", "DELETE"), ("name", COLLECTION)]).await?;
    let (shards, replicas) = (nodes.to_string(), nodes.min(REPLICAS).to_string());
    let create = [
        ("action", "CREATE"),
        ("name", COLLECTION),
        ("numShards", shards.as_str()),
        ("replicationFactor", &replicas),
        ("collection.configName", "_default"),
    ];
    client.get("admin/collections", &create).await?.ok().context("cannot create the collection")?;
    let string = |name: &str| json!({"name": name, "type": "string"});
    let fields = json!({"add-field": [
        string("path"), string("name"), string("crate"), string("version"), string("licence"), string("language"),
        {"name": "size", "type": "plong"},
        {"name": "modified", "type": "pdate"},
        {"name": "text", "type": "text_general", "multiValued": false},
    ]});
    let path = format!("{COLLECTION}/schema");
    client
        .post(&path, &[], "application/json", fields.to_string().into())
        .await?
        .ok()
        .context("cannot add the fields")?;
    Ok(())
}

async fn index(client: &SolrClient, roots: Vec<Root>) -> anyhow::Result<Summary> {
    let started = Instant::now();
    let files: Vec<(usize, PathBuf)> = roots
        .iter()
        .enumerate()
        .flat_map(|(root, Root { folder, .. })| {
            files_below(std::slice::from_ref(folder)).files.into_iter().map(move |file| (root, file))
        })
        .collect();
    let bar = progress_bar(files.len() as u64);
    let progress = Arc::new(Progress::default());
    let sender = Sender::start(client, COLLECTION, 2, &progress);
    let queue = sender.queue();
    let watched = (bar.clone(), progress.clone());
    let reader = tokio::task::spawn_blocking(move || -> anyhow::Result<u64> {
        let (bar, progress) = watched;
        let mut crates = Registry::default();
        let mut batcher = Batcher::new(500, 2 << 20);
        let mut skipped = 0;
        for (root, file) in files {
            let Root { folder, crates: has_crates } = &roots[root];
            let package = if *has_crates { crates.crate_of(folder, &file) } else { None };
            let source = read_source(&file, &shown(folder, &file), package);
            skipped += u64::from(source.is_err());
            bar.inc(1);
            bar.set_message(HumanBytes(progress.totals().text_bytes).to_string());
            let full = source.ok().map(|source| batcher.push(&source, source.size)).transpose()?.flatten();
            if full.is_some_and(|batch| queue.blocking_send(batch).is_err()) {
                break;
            }
        }
        if let Some(batch) = batcher.finish() {
            let _ = queue.blocking_send(batch);
        }
        Ok(skipped)
    });
    let skipped = reader.await?;
    sender.finish().await?;
    let commit = [("commit", "true")];
    client.get(&format!("{COLLECTION}/update"), &commit).await?.ok().context("cannot commit")?;
    bar.finish_and_clear();
    Ok(Summary { sent: progress.totals(), skipped: skipped?, elapsed: started.elapsed() })
}

fn shown(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned()
}

fn progress_bar(files: u64) -> ProgressBar {
    if !output::on_terminal() {
        return ProgressBar::hidden();
    }
    let template = "indexing {bar:40} {pos}/{len} files, {msg}, {per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(files).with_style(style)
}

impl Summary {
    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    fn print(&self) {
        let Totals { docs, text_bytes } = self.sent;
        output::line(&format!(
            "indexed {} files, {} of text, in {:.1} s: {:.0} docs/s, {:.1} MB/s ({} passed over: binary or too large)",
            HumanCount(docs),
            HumanBytes(text_bytes),
            self.elapsed.as_secs_f64(),
            self.per_second(docs),
            self.per_second(text_bytes) / 1e6,
            HumanCount(self.skipped),
        ));
    }

    fn to_json(&self, url: &str) -> Value {
        let Totals { docs, text_bytes } = self.sent;
        json!({
            "url": url,
            "collection": COLLECTION,
            "docs": docs,
            "text_bytes": text_bytes,
            "skipped": self.skipped,
            "seconds": self.elapsed.as_secs_f64(),
            "docs_per_second": self.per_second(docs),
            "megabytes_per_second": self.per_second(text_bytes) / 1e6,
        })
    }
}

/// Its loss, seen from the one that clients ask.
#[cfg(target_os = "linux")]
fn lose_a_node(cluster: &ShownCluster) -> String {
    let (dir, last) = (cluster.dir(), cluster.urls.len());
    format!(
        r"
lose a node, and ask again

  parhelion cluster stop --dir {dir} --node {last} --kill
  parhelion cluster status --dir {dir}
  parhelion cluster start --dir {dir} --node {last}
"
    )
}

fn try_this(server: &DemoServer) -> String {
    let (url, more) = (server.url(), server.more_to_try());
    format!(
        r#"
three things to try:

  1. ask with curl
     curl '{url}/{COLLECTION}/select?q=text:(memory+AND+map)&fl=crate,path,score&facet=true&facet.field=language&facet.mincount=1'

  2. ask from the shell
     parhelion query --url {url} -c {COLLECTION} 'text:(lock AND poison*)' --fq language:Rust --fl crate,path,size --sort 'size desc'

  3. ask from an application, here in Python with pysolr
     import pysolr
     for doc in pysolr.Solr("{url}/{COLLECTION}").search("text:unsafe", fq="licence:MIT", rows=5):
         print(doc["path"])
{more}
serving {url}; stop with Ctrl-C"#
    )
}
