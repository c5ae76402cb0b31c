//! `parhelion lab`: benchmarks with known answers, ours beside a peer in one run.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use client::{SolrClient, SolrUrl};
use indicatif::{ProgressBar, ProgressStyle};
use ingest::Progress;
use lab::{Fruit, FruitOptions, FruitReport, LoadFigures, QUERIES, Side};

use crate::output;

#[derive(Debug, Args)]
pub struct LabArgs {
    #[command(subcommand)]
    workload: Workload,
}

#[derive(Debug, Subcommand)]
enum Workload {
    /// A million documents, terms in exactly 1 … 1,000,000 of them, twelve boolean queries with known counts.
    ///
    /// Both servers must be up and have the collection, with `id` a string and `*_t` analysed text, as the `_default`
    /// configset has. Load is closed-loop: peak throughput, latency as seen by a client that waits.
    Fruit(FruitArgs),
}

#[derive(Debug, Args)]
struct FruitArgs {
    /// Our server.
    #[arg(long, default_value = "http://127.0.0.1:8983/solr", env = "PARHELION_URL")]
    url: SolrUrl,
    /// A Solr to compare with, in turn, in the same run.
    #[arg(long, value_name = "URL")]
    peer: Option<SolrUrl>,
    #[arg(short, long, default_value = "fruit")]
    collection: String,
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(10..=10_000_000))]
    docs: u64,
    /// Connections at once; each number is a run of its own.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16])]
    connections: Vec<usize>,
    /// Length of one timed slice; ours and the peer's take turns.
    #[arg(long, default_value_t = 500, value_name = "MILLISECONDS")]
    slice: u64,
    /// Timed slices a side, after one that only warms.
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// The corpus is there from an earlier run; only check the counts and time.
    #[arg(long)]
    no_index: bool,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(args: LabArgs) -> anyhow::Result<()> {
    let Workload::Fruit(args) = args.workload;
    let corpus = Fruit::new(args.docs);
    let side = |url: &SolrUrl| Side {
        client: SolrClient::new(url.clone(), Duration::from_secs(120)),
        collection: args.collection.clone(),
    };
    let (ours, peer) = (side(&args.url), args.peer.as_ref().map(side));
    let mut report = FruitReport {
        workload: "fruit",
        docs: args.docs,
        url: args.url.to_string(),
        peer: args.peer.as_ref().map(ToString::to_string),
        indexing: None,
        peer_indexing: None,
        rows: Vec::new(),
        ratio_means: Vec::new(),
    };
    if !args.no_index {
        report.indexing = Some(index(&ours, &corpus).await?);
        if let Some(peer) = &peer {
            report.peer_indexing = Some(index(peer, &corpus).await?);
        }
    }
    lab::verify(&ours, &corpus).await?;
    if let Some(peer) = &peer {
        lab::verify(peer, &corpus).await?;
    }
    output::note("all twelve counts are exact; timing");
    let options = FruitOptions {
        corpus,
        connections: args.connections.clone(),
        slice: Duration::from_millis(args.slice),
        pairs: args.pairs,
    };
    let json = args.json;
    let report =
        tokio::task::spawn_blocking(move || time_all(&ours, peer.as_ref(), &options, report)).await??;
    if json {
        output::json(&serde_json::to_value(&report)?);
    } else {
        print(&report);
    }
    Ok(())
}

async fn index(side: &Side, corpus: &Fruit) -> anyhow::Result<lab::IndexFigures> {
    let progress = Arc::new(Progress::default());
    let bar = if output::on_terminal() { ProgressBar::new(corpus.docs) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} docs, {per_sec}, {eta} left")?;
    let bar = bar.with_style(style).with_message(side.client.url().to_string());
    let watch = {
        let (bar, progress) = (bar.clone(), progress.clone());
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(200));
            loop {
                ticks.tick().await;
                bar.set_position(progress.totals().docs);
            }
        })
    };
    let figures = lab::index(side, corpus, &progress).await;
    watch.abort();
    bar.finish_and_clear();
    figures.with_context(|| format!("cannot index into `{}`", side.collection))
}

fn time_all(
    ours: &Side,
    peer: Option<&Side>,
    options: &FruitOptions,
    mut report: FruitReport,
) -> Result<FruitReport, lab::Error> {
    for connections in &options.connections {
        for query in &QUERIES {
            report.rows.push(lab::measure(ours, peer, query, *connections, options)?);
        }
    }
    report.summarise();
    Ok(report)
}

fn print(report: &FruitReport) {
    for (whose, figures) in [("ours", &report.indexing), ("peer", &report.peer_indexing)] {
        if let Some(figures) = figures {
            let lab::IndexFigures { docs, seconds, docs_per_second } = figures;
            output::line(&format!(
                "{whose}: indexed {docs} docs in {seconds:.1} s, {docs_per_second:.0} docs/s"
            ));
        }
    }
    let mut table = output::table();
    table.set_header([
        "query",
        "hits",
        "conns",
        "ours req/s",
        "p50 µs",
        "p99 µs",
        "peer req/s",
        "p50 µs",
        "p99 µs",
        "ratio",
    ]);
    for row in &report.rows {
        let mut cells = vec![row.query.to_owned(), row.hits.to_string(), row.connections.to_string()];
        cells.extend(cells_of(Some(&row.ours)));
        cells.extend(cells_of(row.peer.as_ref()));
        cells.push(row.ratio.map(|ratio| format!("{ratio:.2}×")).unwrap_or_default());
        table.add_row(cells);
    }
    output::line(&table.to_string());
    for (connections, mean) in &report.ratio_means {
        output::line(&format!("geometric mean at {connections} connections: {mean:.2}×"));
    }
}

fn cells_of(figures: Option<&LoadFigures>) -> [String; 3] {
    figures.map_or_else(Default::default, |figures| {
        [format!("{:.0}", figures.per_second), figures.p50_us.to_string(), figures.p99_us.to_string()]
    })
}
