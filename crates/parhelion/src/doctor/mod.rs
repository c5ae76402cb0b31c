//! `parhelion doctor`: why a process hangs, why it is slow, what of this host or of a cluster will hurt next.
//! Only the command line: all looking and judging is the crate `doctor`'s. In: flags and names of processes;
//! out: text, JSON and exit codes. The clock is handed to the crate from here, as everywhere below the
//! binary.

mod bundle;
mod cluster;
mod listing;
mod tls;

use std::path::PathBuf;
use std::time::Duration;

use ::doctor::host::{HostOptions, lint, measure_host};
use ::doctor::render::{self, Extent};
use ::doctor::verdict::Cause;
use ::doctor::{Diagnosis, Machine, ObserveOptions, StuckOptions, add_stacks};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use meter::Clock as _;

use crate::ambient::SystemClock;
use crate::login::LoginArgs;
use crate::output;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(subcommand)]
    command: DoctorCommand,
}

#[derive(Debug, Subcommand)]
enum DoctorCommand {
    Stuck(StuckArgs),
    Slow(SlowArgs),
    Host(HostArgs),
    Cluster(cluster::ClusterArgs),
    Bundle(bundle::BundleArgs),
    /// Judge the processes and the host of a bundle, as `stuck --all` and `host` would have on its machine.
    Read {
        /// An archive that `doctor bundle` wrote.
        file: PathBuf,
        /// Show processes at work and at rest too.
        #[arg(long)]
        full: bool,
    },
    Causes(CausesArgs),
}

/// What a process waits for: call, file, socket, peer, lock, child, and since when.
///
/// Works on any process of this machine, without attaching to it, stopping it or sending it a signal. It is
/// watched for half a second; then one sentence says what it waits for, whom that is up to, and what to do
/// next. Whoever is blamed is looked at too, as far as that is on this machine. What the kernel does not show
/// is listed at the end, with how to see it (most often: run as root).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion doctor stuck 4711                a process by its number
  parhelion doctor stuck nightly-load        every process of that name
  parhelion doctor stuck --all               whatever on this machine stands still and should not
  parhelion doctor stuck 4711 --watch 5      again every 5 seconds
  parhelion doctor stuck 4711 --stacks       with the functions that each thread is in
  parhelion doctor stuck java --java         with the JVM's own stacks (sends it what jstack sends)
  parhelion doctor stuck 4711 --postgres postgresql://postgres@db:5432/app
                                             and who blocks it in the database

How to read it:
  STUCK  does not go on by itself, or waits for somebody for longer than --patience
  waits  waits for somebody, which may be in order
  fine   works, sleeps, or waits for work
`parhelion doctor causes` explains each cause.")]
struct StuckArgs {
    /// A process's number, or its name.
    #[arg(value_name = "PID|NAME", required_unless_present = "all")]
    process: Option<String>,
    /// Look at every process, and show those that are stuck; with --full all of them.
    #[arg(long, conflicts_with = "process")]
    all: bool,
    /// Look again after this many seconds, until interrupted.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "2",
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    watch: Option<u64>,
    /// How long to watch before judging.
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=60_000))]
    sample: u64,
    /// A wait for somebody that lasts longer is called stuck.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,
    /// Ask a JVM for its threads' stacks.
    #[arg(long, conflicts_with = "all")]
    java: bool,
    /// Walk the threads' own stacks, of a native program (x86-64), without stopping it.
    #[arg(long, conflicts_with = "all")]
    stacks: bool,
    /// Ask this database who blocks whom.
    #[arg(long, value_name = "URL", env = "PARHELION_DOCTOR_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,
    /// Show every thread and every open file.
    #[arg(long)]
    full: bool,
    /// Print facts and verdict as JSON.
    #[arg(long)]
    json: bool,
}

/// Where a process's time goes: work, waits for a processor, its cgroup's share, the disk, its memory,
/// others.
///
/// Watches it for some seconds and adds up, thread by thread, what the scheduler counts: time on a processor,
/// time ready without one, switches, faults, states; what its connections carried; and where it is a
/// Parhelion, what its own slow log says of the same time. Nothing is attached to it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion doctor slow 4711                 the next five seconds of a process
  parhelion doctor slow java --seconds 30    a longer look at each process of that name")]
struct SlowArgs {
    /// A process's number, or its name.
    #[arg(value_name = "PID|NAME")]
    process: String,
    /// How long to watch.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Print facts and verdict as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    login: LoginArgs,
}

/// What of this host will hurt next: each finding with what was measured, why it matters, and the command
/// that mends it.
///
/// Says nothing of what was not measured. `certain` hurts now, `likely` under load or on a bad day, `hint`
/// depends on what the host is for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion doctor host --data-dir /var/lib/parhelion    with the disk measured: 200 syncs, 2 s at most
  parhelion doctor host --time-server pool.ntp.org       with the clock compared
  parhelion doctor host --zookeeper zk1:2181,zk2:2181    with what ZooKeeper says of itself (conf, mntr, srvr)
  parhelion doctor host --data-dir /var/zookeeper --zookeeper-config zoo.cfg --zookeeper-log zookeeper.log
                                                         its time-outs against its own disk and log")]
struct HostArgs {
    /// Measure how long a sync takes in this folder (writes 800 KB, and removes them).
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Ask these ZooKeeper servers, by their four-letter words.
    #[arg(long, value_delimiter = ',', value_name = "HOST:PORT")]
    zookeeper: Vec<String>,
    /// Compare the clock with this time server's (NTP).
    #[arg(long, value_name = "HOST[:PORT]")]
    time_server: Option<String>,
    /// Read this `zoo.cfg`.
    #[arg(long, value_name = "FILE")]
    zookeeper_config: Option<PathBuf>,
    /// Read this log of a ZooKeeper server.
    #[arg(long, value_name = "FILE")]
    zookeeper_log: Option<PathBuf>,
    /// Print facts and findings as JSON.
    #[arg(long)]
    json: bool,
}

/// Every cause that the doctor tells apart: what it means, and the next step; one in full by its name.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion doctor causes                    all of them, a line or two each
  parhelion doctor causes answer-owed        one: what is seen, why it matters, the old way, the next step")]
struct CausesArgs {
    /// The name that a verdict gave.
    name: Option<String>,
    /// As the documentation has it: the page of the cause, or without a name the list of all.
    #[arg(long)]
    markdown: bool,
    /// Write the list and the page of each cause into this folder, as `causes.md` and `causes/NAME.md`.
    #[arg(long, value_name = "DIR", requires = "markdown", conflicts_with = "name")]
    into: Option<PathBuf>,
}

fn causes(args: &CausesArgs) -> anyhow::Result<()> {
    if let Some(folder) = &args.into {
        let write = |path: PathBuf, text: String| {
            std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
        };
        let pages = folder.join("causes");
        std::fs::create_dir_all(&pages).with_context(|| format!("cannot make `{}`", pages.display()))?;
        write(folder.join("causes.md"), render::causes_index())?;
        return Cause::ALL.iter().try_for_each(|cause| {
            write(pages.join(format!("{}.md", cause.name())), render::cause_page(*cause))
        });
    }
    let text = match &args.name {
        None if args.markdown => render::causes_index(),
        None => render::causes(),
        Some(name) => {
            let unknown = || format!("there is no cause `{name}`; `parhelion doctor causes` lists them");
            let cause = Cause::find(name).with_context(unknown)?;
            if args.markdown { render::cause_page(cause) } else { render::cause(cause) }
        }
    };
    output::write_stdout(text.as_bytes());
    Ok(())
}

pub async fn run(args: DoctorArgs) -> anyhow::Result<()> {
    match args.command {
        DoctorCommand::Stuck(args) => stuck(args).await,
        DoctorCommand::Slow(args) => slow(args).await,
        DoctorCommand::Host(args) => host(args),
        DoctorCommand::Cluster(args) => cluster::run(args).await,
        DoctorCommand::Bundle(args) => bundle::run(args).await,
        DoctorCommand::Read { file, full } => bundle::read(&file, full),
        DoctorCommand::Causes(args) => causes(&args),
    }
}

async fn slow(args: SlowArgs) -> anyhow::Result<()> {
    let login = args.login.login()?;
    // Anybody may call a process parhelion and listen.
    if login.is_some() && args.process.parse::<i32>().is_err() {
        bail!("cannot log in at whatever is called `{}`; name the process by its number", args.process);
    }
    // Ten samples a second tell states; what the scheduler counts is exact.
    let samples = u32::try_from(args.seconds * 10 + 1).unwrap_or(u32::MAX);
    let now_ms = SystemClock.now_ms();
    let options = ObserveOptions { period: Duration::from_secs(args.seconds), samples, now_ms };
    let machine = Machine::observe()?;
    let pids: Vec<i32> = machine.find(&args.process)?.iter().map(|label| label.pid).collect();
    let found = machine.all(&pids, &options);
    let later = Machine::observe()?;
    if found.is_empty() {
        bail!("`{}` ended while it was looked at", args.process);
    }
    for mut facts in found {
        facts.network = machine.network_until(&later, facts.label.pid);
        let verdict = ::doctor::judge_slow(&facts);
        let log = ::doctor::ask_own_slow_log(&facts, now_ms, login.clone()).await;
        if args.json {
            output::json(&serde_json::json!({"verdict": verdict, "slow_log": log, "facts": facts}));
            continue;
        }
        let log = log.as_ref().map(render::own_slow_log).unwrap_or_default();
        output::write_stdout((render::slow(&facts, &verdict) + &log).as_bytes());
    }
    Ok(())
}

fn host(args: HostArgs) -> anyhow::Result<()> {
    let options = HostOptions {
        data_dir: args.data_dir,
        zookeeper: args.zookeeper,
        zookeeper_config: args.zookeeper_config,
        zookeeper_log: args.zookeeper_log,
        time_server: args.time_server,
        now_ms: || SystemClock.now_ms(),
        pause: Duration::from_millis(500),
    };
    let facts = measure_host(&options)?;
    let findings = lint(&facts);
    if args.json {
        output::json(&serde_json::json!({"findings": findings, "facts": facts}));
    } else {
        output::write_stdout(render::host(&facts, &findings).as_bytes());
    }
    Ok(())
}

async fn stuck(args: StuckArgs) -> anyhow::Result<()> {
    loop {
        let found = look(&args).await?;
        show(&args, &found)?;
        let Some(seconds) = args.watch else { return Ok(()) };
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
}

async fn look(args: &StuckArgs) -> anyhow::Result<Vec<Diagnosis>> {
    let observe = ObserveOptions {
        period: Duration::from_millis(args.sample),
        samples: 4,
        now_ms: SystemClock.now_ms(),
    };
    let options = StuckOptions { observe, patience: Duration::from_secs(args.patience) };
    let machine = Machine::observe()?;
    let Some(wanted) = &args.process else {
        return with_database(args, ::doctor::diagnose_all(&machine, &options)).await;
    };
    let labels = machine.find(wanted)?;
    let mut found: Vec<Diagnosis> =
        labels.iter().filter_map(|label| ::doctor::diagnose(&machine, label.pid, &options).ok()).collect();
    if args.stacks {
        found.iter_mut().for_each(|one| add_stacks(&mut one.facts));
    }
    if found.is_empty() {
        bail!("`{wanted}` ended while it was looked at");
    }
    with_database(args, found).await
}

async fn with_database(args: &StuckArgs, found: Vec<Diagnosis>) -> anyhow::Result<Vec<Diagnosis>> {
    let Some(url) = &args.postgres else { return Ok(found) };
    let backends = ::doctor::ask_postgres(url, Duration::from_secs(5)).await.map_err(anyhow::Error::msg)?;
    Ok(found.into_iter().map(|one| one.with_database(&backends)).collect())
}

fn show(args: &StuckArgs, found: &[Diagnosis]) -> anyhow::Result<()> {
    if args.json {
        output::json(&serde_json::to_value(found)?);
        return Ok(());
    }
    if args.all {
        listing::show_all(args.full, found);
        ::doctor::hidden_processes().iter().for_each(|hidden| output::note(&format!("not seen: {hidden}")));
        return Ok(());
    }
    let extent = if args.full { Extent::Full } else { Extent::Short };
    for diagnosis in found {
        if args.watch.is_some() {
            output::line(&render::line(diagnosis));
            continue;
        }
        if !args.java {
            output::write_stdout(render::diagnosis(diagnosis, extent).as_bytes());
            continue;
        }
        let dump = ::doctor::thread_dump(&diagnosis.facts, Duration::from_secs(5));
        let dump = dump.with_context(|| format!("no thread dump of {}", diagnosis.facts.label))?;
        let diagnosis = diagnosis.clone().with_java(&dump);
        let text = render::diagnosis(&diagnosis, extent) + &render::java(&dump, &diagnosis);
        output::write_stdout(text.as_bytes());
    }
    Ok(())
}
