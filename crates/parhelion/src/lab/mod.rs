//! `parhelion lab`: benchmarks with known answers, ours beside a peer in one run. Arguments and files only:
//! what is measured and how is the lab's. In: arguments; out: progress on standard error, results as tables,
//! JSON and HTML files. Each experiment with flags of its own has a file beside.

mod bounds;
mod compression;
mod console;
mod hold;
mod jitter;
mod overload;
mod own_server;
mod proxy;
mod replicas;
mod reports;
mod stale;
mod store;
mod throttle;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use client::{Login, SolrUrl};
use lab::{Arrivals, Open, Origin, Paths, Run, RunOptions, Setup, Side, SolrOptions};
use meter::Clock as _;
use plan::format_instant;

use crate::ambient::SystemClock;
use crate::login::{LoginArgs, without_secrets};
use crate::output;

#[derive(Debug, Args)]
pub struct LabArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Index a workload, check its answers, and time it; with a peer, both in turn.
    ///
    /// Collections are made where they are missing, with the fields of the `_default` configset, and emptied
    /// first.
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Run {
        #[command(subcommand)]
        experiment: Option<Experiment>,
        /// One of those that `lab list` shows.
        #[arg(required = true)]
        workload: Option<String>,
        #[command(flatten)]
        args: Box<RunArgs>,
    },
    /// Short for `run fruit`.
    Fruit(RunArgs),
    /// Do a run again as its report says, and say what has changed.
    Replay {
        /// An HTML or JSON report.
        #[arg(value_name = "REPORT")]
        then: PathBuf,
        #[command(flatten)]
        login: LoginArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Start or stop a server to compare with.
    Peer {
        #[command(subcommand)]
        peer: PeerCommand,
    },
    /// Hold idle connections while others are busy: memory, resets, what is left half closed.
    Hold(hold::HoldArgs),
    /// Ask more than the server can do: what is refused, how long the rest takes, memory.
    Overload(overload::OverloadArgs),
    /// Do the same work over and over, idle and beside busy neighbours: how long it takes, and what the slow
    /// ones wait for.
    Jitter(jitter::JitterArgs),
    /// Stand between clients and a server, and do what networks do: delay, narrow, cut, reset.
    Proxy(proxy::ProxyArgs),
    /// Show the workloads, or the field reports with their numbers.
    List(reports::ListArgs),
}

/// Runs with arms and flags of their own.
#[derive(Debug, Subcommand)]
enum Experiment {
    /// Connections that the server closes: trusted, checked before each use, or swept in time; resets,
    /// CLOSE_WAIT, cost.
    StaleCheck(stale::StaleArgs),
    /// Answers over a narrow link, as they are and packed: bytes, time, processor.
    Compression(compression::CompressionArgs),
    /// More updates than a server can do, beside searches: with an objective for these, and without.
    Throttle(throttle::ThrottleArgs),
    /// Shards in an S3 store whose answers are late: how long updates wait, how many PUTs they cost, how soon
    /// another process takes over.
    Store(store::StoreHomeArgs),
    /// Two replicas of each shard against one, on a cluster of this machine: processor time of whoever leads,
    /// and of all; bytes between the nodes.
    Replicas(replicas::ReplicasArgs),
}

#[derive(Debug, Subcommand)]
enum PeerCommand {
    /// A real Solr from Maven Central, with the fields of the workloads; needs a JDK (17 or newer) and Maven.
    Solr(PeerArgs),
}

#[derive(Debug, Args)]
struct PeerArgs {
    /// Start it, or find it running, and print its URL.
    #[arg(long, required_unless_present = "down", conflicts_with = "down")]
    up: bool,
    /// Stop it.
    #[arg(long)]
    down: bool,
    /// With --down: delete its data too.
    #[arg(long, requires = "down")]
    wipe: bool,
    #[arg(long, default_value_t = PEER_PORT, value_parser = clap::value_parser!(u16).range(1024..=64_000))]
    port: u16,
    /// Java heap, as in -Xmx.
    #[arg(long, default_value = "1g")]
    heap: String,
    /// Filter, result and document caches as Solr comes, instead of none.
    #[arg(long)]
    caches: bool,
    /// Two nodes with collections of two shards, instead of one node.
    #[arg(long)]
    cloud: bool,
}

/// Where our own Solr listens: beside the default port, which is our server's.
const PEER_PORT: u16 = 8984;

#[derive(Clone, Debug, Args)]
struct RunArgs {
    /// Our server.
    #[arg(long, default_value = "http://127.0.0.1:8983/solr", env = "PARHELION_URL")]
    url: SolrUrl,
    #[command(flatten)]
    login: LoginArgs,
    /// A Solr to compare with, in turn, in the same run.
    #[arg(long, value_name = "URL")]
    peer: Option<SolrUrl>,
    /// Start a Solr from Maven Central to compare with, as `lab peer solr --up` does; it runs on afterwards.
    #[arg(long, conflicts_with = "peer")]
    peer_solr: bool,
    /// The collection, on both servers; it is emptied. By default `lab_` and the workload's name.
    #[arg(short, long)]
    collection: Option<String>,
    /// Documents of the corpus; each workload has its own number.
    #[arg(long, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    docs: Option<u64>,
    /// Only these cases.
    #[arg(long = "case", value_name = "NAME", value_delimiter = ',')]
    cases: Vec<String>,
    /// Connections of the closed loops; each number is an arm of its own.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16], value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: Vec<u16>,
    /// Also open loops at these requests a second, timed from the intended send.
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    open: Vec<f64>,
    /// Also open loops at shares of both sides' peaks: a throughput-latency curve for each case.
    #[arg(long)]
    curve: bool,
    /// Space open-loop requests evenly instead of at random (Poisson).
    #[arg(long)]
    constant: bool,
    /// Requests of an open loop that may be under way at once.
    #[arg(long, default_value_t = 64, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=4096))]
    open_connections: u16,
    /// Timed slices a side, taken in turn. To tell 2 % from nothing takes 15.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pairs: u16,
    /// Length of one timed slice.
    #[arg(long, default_value_t = 500, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    slice: u64,
    /// Longest warm-up of a side before it is timed; it ends as soon as there is no trend.
    #[arg(long, default_value_t = 10_000, value_name = "MILLISECONDS")]
    warm_max: u64,
    /// Let caches answer. Otherwise every query and filter carries `cache=false`.
    #[arg(long)]
    cached: bool,
    /// The corpus is there from an earlier run; only check the answers and time.
    #[arg(long)]
    no_index: bool,
    /// Decides documents, questions and arrivals.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// For `containers`: a path of our server that answers an empty 200.
    #[arg(long, value_name = "PATH")]
    noop_path: Option<String>,
    /// For `containers`: a path of our server that answers the same JSON each time.
    #[arg(long, value_name = "PATH")]
    json_path: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Debug, Args)]
struct OutputArgs {
    /// Write the report here: one HTML file with charts, the raw data and the manifest inside.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the run as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Shares of the peak at which a curve has its points.
const CURVE: [f64; 6] = [0.1, 0.3, 0.5, 0.7, 0.85, 0.95];

pub async fn run(args: LabArgs) -> anyhow::Result<()> {
    match args.command {
        Command::Run { experiment: Some(experiment), .. } => run_experiment(experiment).await,
        Command::Run { workload, args, .. } => run_workload(&workload.unwrap_or_default(), *args).await,
        Command::Fruit(args) => run_workload("fruit", args).await,
        Command::Replay { then, login, output } => replay(&then, &login, &output).await,
        Command::Peer { peer: PeerCommand::Solr(args) } => peer_solr(&args).await,
        Command::Hold(args) => hold::run(args).await,
        Command::Overload(args) => overload::run(args).await,
        Command::Jitter(args) => jitter::run(args).await,
        Command::Proxy(args) => proxy::run(args).await,
        Command::List(args) => {
            reports::list(args);
            Ok(())
        }
    }
}

async fn run_experiment(experiment: Experiment) -> anyhow::Result<()> {
    match experiment {
        Experiment::StaleCheck(args) => stale::run(args).await,
        Experiment::Compression(args) => compression::run(args).await,
        Experiment::Throttle(args) => throttle::run(args).await,
        Experiment::Store(args) => store::run(args).await,
        Experiment::Replicas(args) => replicas::run(args).await,
    }
}

async fn peer_solr(args: &PeerArgs) -> anyhow::Result<()> {
    if args.down {
        let stopped = lab::down(args.port, args.wipe)?;
        output::note(&format!("stopped {stopped} node(s)"));
        return Ok(());
    }
    let options =
        SolrOptions { port: args.port, heap: args.heap.clone(), caches: args.caches, cloud: args.cloud };
    let url = lab::up(&options, &console::Watcher::default()).await?;
    output::line(&url.to_string());
    Ok(())
}

async fn run_workload(workload: &str, mut args: RunArgs) -> anyhow::Result<()> {
    let output = args.output.clone();
    if args.peer_solr {
        let options =
            SolrOptions { port: PEER_PORT, heap: "1g".to_owned(), caches: args.cached, cloud: false };
        args.peer = Some(lab::up(&options, &console::Watcher::default()).await?);
    }
    let login = args.login.login()?;
    let run = measure(options(workload, args)?, login).await?;
    if output.json {
        output::json(&serde_json::to_value(&run)?);
    } else {
        console::print(&run);
    }
    write_report(&output, &run, None)
}

async fn replay(report: &Path, login: &LoginArgs, output: &OutputArgs) -> anyhow::Result<()> {
    let text = fs::read_to_string(report).with_context(|| format!("cannot read `{}`", report.display()))?;
    let then = lab::read_run(&report.display().to_string(), &text)?;
    let now = measure(then.manifest.options.clone(), login.login()?).await?;
    let changes = lab::changes(&then, &now);
    if output.json {
        output::json(&serde_json::json!({ "run": now, "changes": changes }));
    } else {
        console::print(&now);
        console::print_changes(&then, &now, &changes);
    }
    write_report(output, &now, Some(&then))
}

/// The login is for our server alone.
async fn measure(options: RunOptions, login: Option<Login>) -> anyhow::Result<Run> {
    let side = |url: &str, login: Option<Login>| -> anyhow::Result<Side> {
        Ok(Side::new(url.parse::<SolrUrl>()?.with_login(login), &options.collection))
    };
    let ours = side(&options.url, login)?.with_nodes().await;
    let peer = match options.peer.as_deref() {
        Some(url) => Some(side(url, None)?.with_nodes().await),
        None => None,
    };
    let origin = Origin {
        command: without_secrets(std::env::args()).join(" "),
        started: format_instant(SystemClock.now_ms()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("PARHELION_COMMIT").map(str::to_owned),
    };
    let setup = Setup { options, ours, peer, origin };
    let watch = Arc::new(console::Watcher::default());
    Ok(lab::run(setup, watch).await?)
}

fn options(workload: &str, args: RunArgs) -> anyhow::Result<RunOptions> {
    let Some(facts) = lab::workloads().iter().find(|facts| facts.name == workload) else {
        bail!("`{workload}` is no workload; `parhelion lab list` shows them");
    };
    if args.open.iter().any(|rate| !rate.is_finite() || *rate <= 0.0) {
        bail!("cannot use `--open`: a rate must be above 0 requests a second");
    }
    let arrivals = if args.constant { Arrivals::Constant } else { Arrivals::Poisson };
    Ok(RunOptions {
        workload: workload.to_owned(),
        docs: args.docs.unwrap_or(facts.docs),
        seed: args.seed,
        url: args.url.to_string(),
        peer: args.peer.map(|peer| peer.to_string()),
        collection: args.collection.unwrap_or_else(|| format!("lab_{workload}")),
        cases: args.cases,
        connections: args.connections.into_iter().map(usize::from).collect(),
        open: Open {
            per_second: args.open,
            peak_shares: if args.curve { CURVE.to_vec() } else { Vec::new() },
            arrivals,
            connections: args.open_connections.into(),
        },
        pairs: args.pairs.into(),
        slice_ms: args.slice,
        warm_ms_max: args.warm_max,
        cached: args.cached,
        index: !args.no_index,
        paths: Paths { noop: args.noop_path, json: args.json_path },
    })
}

fn write_report(output: &OutputArgs, run: &Run, then: Option<&Run>) -> anyhow::Result<()> {
    let Some(path) = &output.report else { return Ok(()) };
    fs::write(path, lab::html(run, then)).with_context(|| format!("cannot write `{}`", path.display()))?;
    output::note(&format!("report: {}", path.display()));
    Ok(())
}
