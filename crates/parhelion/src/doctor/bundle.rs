//! `parhelion doctor bundle` and `doctor read`: the command line of both; what is packed, left out and judged
//! is the crate `doctor`'s. In: arguments; out: one archive file, or what an archive says. What a server is
//! asked for the bundle is the table here.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::doctor::host::{HostOptions, lint, measure_host};
use ::doctor::render;
use ::doctor::{Bundle, Diagnosis, Machine, ObserveOptions, Pseudonyms, add_stacks};
use anyhow::Context as _;
use clap::Args;
use client::{ClientOptions, SolrClient, SolrUrl};
use meter::Clock as _;

use super::tls::TlsArgs;
use crate::ambient::SystemClock;
use crate::login::LoginArgs;
use crate::output;

/// One archive for support: what every process waits for, facts of the host, the kernel's figures, logs of
/// the last hour, stacks of our own threads, what our server tells of itself.
///
/// A gzipped tar of text. Passwords, tokens, keys and logins in URLs are taken out of command lines and logs
/// before anything is written; addresses and names of hosts stay, unless --hide-hosts calls them otherwise.
/// Look it through before you send it: `tar -xzOf FILE | less`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion doctor bundle support.tar.gz --data-dir /var/lib/parhelion --url http://127.0.0.1:8983/solr
  journalctl -u parhelion --since -1h -o cat > parhelion.log
  parhelion doctor bundle support.tar.gz --log-file parhelion.log --hide-hosts
  parhelion doctor read support.tar.gz       what the doctor makes of it, on any machine")]
pub struct BundleArgs {
    /// The archive to write; one that is there is left alone.
    file: PathBuf,
    /// Measure how long a sync takes in this folder.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Take in the last hour of this log, 32 MiB at most; may be given several times.
    #[arg(long, value_name = "FILE")]
    log_file: Vec<PathBuf>,
    /// Ask this server for its health, figures, slow requests and last errors; `http://` and `/solr` may be
    /// left out.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Call hosts otherwise: addresses 192.0.2.1 and so on, names host-1, each the same everywhere.
    #[arg(long)]
    hide_hosts: bool,
    #[command(flatten)]
    tls: TlsArgs,
    #[command(flatten)]
    login: LoginArgs,
}

/// A path, its parameters, and the name of the text that keeps the answer.
type Question = (&'static str, &'static [(&'static str, &'static str)], &'static str);

/// What a server is asked for.
const QUESTIONS: [Question; 6] = [
    ("admin/info/health", &[], "server/health.json"),
    ("admin/info/system", &[], "server/system.json"),
    ("admin/metrics", &[], "server/metrics.json"),
    ("admin/slow", &[], "server/slow.json"),
    ("admin/info/logging", &[("since", "0")], "server/logging.json"),
    ("admin/doctor", &[], "server/doctor.json"),
];

pub async fn run(args: BundleArgs) -> anyhow::Result<()> {
    // Before half a minute is spent on what then cannot be written.
    let named = || format!("cannot write `{}`; name a file that is not there yet", args.file.display());
    let file = File::create_new(&args.file).with_context(named)?;
    let collected = collect(&args).await;
    let written = collected.and_then(|bundle| {
        let hosts = args.hide_hosts.then(Pseudonyms::of_this_machine);
        bundle.write(file, hosts).with_context(|| format!("cannot write `{}`", args.file.display()))?;
        Ok(bundle)
    });
    match written {
        Ok(bundle) => {
            let (processes, texts) = (bundle.processes.len(), bundle.texts.len());
            output::note(&format!("{}: {processes} processes, {texts} texts", args.file.display()));
            Ok(())
        }
        Err(error) => {
            // What is half a bundle is none.
            let _ = std::fs::remove_file(&args.file);
            Err(error)
        }
    }
}

async fn collect(args: &BundleArgs) -> anyhow::Result<Bundle> {
    let mut bundle = Bundle::default();
    for log in &args.log_file {
        bundle.add_log(log).with_context(|| format!("cannot read `{}`", log.display()))?;
    }
    if let Some(url) = &args.url {
        ask_server(&mut bundle, args, url).await?;
    }
    bundle.add_figures();
    let machine = Machine::observe()?;
    let pids: Vec<i32> = machine.processes().iter().map(|label| label.pid).collect();
    let observe =
        ObserveOptions { period: Duration::from_millis(500), samples: 4, now_ms: SystemClock.now_ms() };
    bundle.processes = machine.all(&pids, &observe);
    bundle.processes.iter_mut().filter(|facts| facts.label.name == "parhelion").for_each(add_stacks);
    bundle.host = measure_host(&HostOptions {
        data_dir: args.data_dir.clone(),
        zookeeper: Vec::new(),
        zookeeper_config: None,
        zookeeper_log: None,
        time_server: None,
        now_ms: || SystemClock.now_ms(),
        pause: Duration::from_millis(500),
    })?;
    Ok(bundle)
}

/// A question that it does not answer is a text too: silence is no health.
async fn ask_server(bundle: &mut Bundle, args: &BundleArgs, url: &str) -> anyhow::Result<()> {
    let url = url.parse::<SolrUrl>()?.with_login(args.login.login()?);
    let options =
        ClientOptions { tls: args.tls.tls()?, timeout: Duration::from_secs(10), ..ClientOptions::default() };
    let client = SolrClient::with_options(url, options);
    for (path, params, name) in QUESTIONS {
        let asked = async { client.get(path, params).await?.ok() };
        let text = match asked.await {
            Ok(answer) => String::from_utf8_lossy(&answer.body).into_owned(),
            Err(error) => format!("not told: {error}\n"),
        };
        bundle.texts.push((name.to_owned(), text));
    }
    Ok(())
}

pub fn read(path: &Path, full: bool) -> anyhow::Result<()> {
    let named = || format!("cannot read `{}`", path.display());
    let bundle = Bundle::read(File::open(path).with_context(named)?).with_context(named)?;
    let mut findings = lint(&bundle.host);
    findings.extend(bundle.findings());
    findings.sort_by_key(|finding| finding.sure);
    let host = render::host(&bundle.host, &findings);
    let texts: Vec<&str> = bundle.texts.iter().map(|(name, _)| name.as_str()).collect();
    let held = format!("\nit also holds {}\n", texts.join(", "));
    let judged = bundle.processes.into_iter().map(|facts| {
        let verdict = ::doctor::verdict::judge(&facts, 60_000);
        Diagnosis { verdict, facts }
    });
    let found: Vec<Diagnosis> = judged.collect();
    super::listing::show_all(full, &found);
    for diagnosis in &found {
        output::write_stdout(render::stacks(&diagnosis.facts).as_bytes());
    }
    output::write_stdout((host + &held).as_bytes());
    Ok(())
}
