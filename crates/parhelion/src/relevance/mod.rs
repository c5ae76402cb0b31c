//! `parhelion relevance`: judged queries against a server or against a run of before, measured as
//! `ir-measures` does, with gates for CI. Arguments and files only: parsing, asking and measuring are the
//! lab's.

mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use client::{SolrClient, SolrUrl};
use lab::relevance::{
    Gate, Judgments, Measure, Run, Template, ask, compare, parse_judgments, parse_run, parse_topics, score,
    write_run,
};

use self::report::Report;
use crate::login::LoginArgs;
use crate::output;

#[derive(Debug, Args)]
pub struct RelevanceArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask a collection judged queries, or take a run file, and measure how well the answers agree with the
    /// judgments.
    ///
    /// Means are over all judged queries: one without an answer counts as 0, one that nobody judged does not
    /// count. Measures are trec_eval's, by the names of `ir-measures`; the gain of nDCG is the grade.
    /// Documents without a judgment are taken as not relevant; Judged@k says how many have one.
    #[command(after_help = "\
Files:
  JUDGMENTS  TREC's qrels: `query 0 document grade` a line; grades from 1 on are relevant
  --queries  `id TAB query` a line, or JSON objects with `id` and `query`, or TREC's <top> topics
  --run      TREC's runs: `query Q0 document rank score tag` a line, in order of scores; of equal scores the later name comes first

Examples:
  parhelion relevance test judgments.txt --queries queries.tsv -c catalogue --handler /search
  parhelion relevance test judgments.txt --queries queries.tsv -c catalogue -p defType=edismax -p 'qf=title^3 text' \\
    --measure nDCG@10 --gate 'nDCG@10>=0.8' --write-run today.run
  parhelion relevance test judgments.txt --run today.run --baseline yesterday.run --per-query

The exit code is 1 when a measure is below its gate.")]
    Test(TestArgs),
}

#[derive(Debug, Args)]
struct TestArgs {
    /// Which documents are right for which query.
    judgments: PathBuf,
    /// The queries that the judgments name.
    #[arg(long, value_name = "FILE", required_unless_present = "run")]
    queries: Option<PathBuf>,
    /// Measure this run, ask no server.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "collection", "params", "write_run"])]
    run: Option<PathBuf>,
    #[command(flatten)]
    request: RequestArgs,
    /// A measure, as in nDCG@10, RR, P@5, R@100, AP, Success@1, Judged@10, `P(rel=2)@5`; may repeat. By
    /// default nDCG@10, RR and P@5, and those of the gates.
    #[arg(long = "measure", value_name = "MEASURE")]
    measures: Vec<Measure>,
    /// What a measure's mean must reach, as in `nDCG@10>=0.8`; may repeat.
    #[arg(long = "gate", value_name = "MEASURE>=VALUE")]
    gates: Vec<Gate>,
    /// A run to compare with: which queries became better, which worse.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the answers as a run, for a later --baseline or another tool.
    #[arg(long, value_name = "FILE")]
    write_run: Option<PathBuf>,
    /// Show each query.
    #[arg(long)]
    per_query: bool,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
}

/// How the server is asked.
#[derive(Debug, Args)]
struct RequestArgs {
    /// The Solr URL; `http://` and `/solr` may be left out.
    #[arg(long, default_value = "http://127.0.0.1:8983/solr", env = "PARHELION_URL")]
    url: SolrUrl,
    #[command(flatten)]
    login: LoginArgs,
    /// The collection or core.
    #[arg(short, long, value_name = "NAME", required_unless_present = "run", env = "PARHELION_COLLECTION")]
    collection: Option<String>,
    /// The handler that searches.
    #[arg(long, value_name = "PATH", default_value = "/select")]
    handler: String,
    /// A parameter of Solr's, as `name=value`; may repeat. The query stands for `{query}` in values, or goes
    /// into `q`.
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = crate::query::pair)]
    params: Vec<(String, String)>,
    /// The field by which judgments name documents.
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id_field: String,
    /// How many documents of an answer count; by default as many as the measures look at, or 1000.
    #[arg(long)]
    rows: Option<usize>,
    /// Give up on a request after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
}

/// How deep answers are looked at by measures without a bound, as TREC does.
const DEPTH: usize = 1000;

pub async fn run(args: RelevanceArgs) -> anyhow::Result<()> {
    let Command::Test(args) = args.command;
    let judgments = read(&args.judgments, parse_judgments)?;
    let measures = measures(&args);
    let run = match &args.run {
        Some(path) => read(path, parse_run)?,
        None => answers(&args, &judgments, &measures).await?,
    };
    let scores = score(&judgments, &run, &measures);
    let before = args.baseline.as_deref().map(|path| read(path, parse_run)).transpose()?;
    let before = before.map(|run| score(&judgments, &run, &measures));
    let comparisons = before.as_ref().map(|before| compare(&scores, before)).unwrap_or_default();
    let report =
        Report { scores: &scores, before: before.as_ref(), comparisons: &comparisons, gates: &args.gates };
    if args.json {
        output::json(&report.json());
    } else {
        report.print(args.per_query);
    }
    let missed = report.missed();
    if !missed.is_empty() {
        bail!("{}", missed.join("; "));
    }
    Ok(())
}

/// Those asked for, and those of the gates.
fn measures(args: &TestArgs) -> Vec<Measure> {
    const USUAL: [&str; 3] = ["nDCG@10", "RR", "P@5"];
    let mut measures = args.measures.clone();
    if measures.is_empty() {
        measures.extend(USUAL.iter().filter_map(|name| name.parse::<Measure>().ok()));
    }
    for gate in &args.gates {
        if !measures.contains(&gate.measure) {
            measures.push(gate.measure);
        }
    }
    measures
}

/// Asks the queries that are judged; what came back is written where a file is named for it.
async fn answers(args: &TestArgs, judgments: &Judgments, measures: &[Measure]) -> anyhow::Result<Run> {
    let path = args.queries.as_deref().context("name the queries with --queries FILE")?;
    let mut topics = read(path, parse_topics)?;
    let count = topics.len();
    topics.retain(|topic| judgments.by_query.contains_key(&topic.id));
    if topics.is_empty() {
        bail!(
            "no query of `{}` is judged in `{}`; their ids must agree",
            path.display(),
            args.judgments.display()
        );
    }
    if topics.len() < count {
        output::note(&format!(
            "{} of {count} queries are not judged; they are not asked",
            count - topics.len()
        ));
    }
    let RequestArgs { url, login, collection, handler, params, id_field, rows, timeout } = &args.request;
    let depth = measures.iter().map(|measure| measure.depth().unwrap_or(DEPTH)).max().unwrap_or(DEPTH);
    let template = Template {
        collection: collection.clone().context("name the collection with -c NAME")?,
        handler: handler.clone(),
        params: params.clone(),
        id_field: id_field.clone(),
        rows: rows.unwrap_or(depth),
    };
    let client = SolrClient::new(url.clone().with_login(login.login()?), Duration::from_secs(*timeout));
    let run = ask(&client, &template, &topics).await?;
    if let Some(path) = &args.write_run {
        let text = write_run(&run, "parhelion")?;
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(run)
}

/// A file, parsed; errors name it.
fn read<T, E>(path: &Path, parse: impl Fn(&str) -> Result<T, E>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    parse(&text).with_context(|| format!("cannot read `{}`", path.display()))
}
