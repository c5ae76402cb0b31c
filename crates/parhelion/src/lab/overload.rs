//! `parhelion lab overload`: more than a server can do. Flags and the lines shown; what is sent, and what
//! counts as refused, is `lab::overload`'s. It needs a server that was started with `--no-cache`, since kept
//! answers are never refused.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use client::SolrUrl;
use lab::{OverloadOptions, Overloaded, Side};

use super::console::{Watcher, megabytes};
use crate::output;

#[derive(Debug, Args)]
pub struct OverloadArgs {
    /// The server.
    #[arg(long, default_value = "http://127.0.0.1:8983/solr", env = "PARHELION_URL")]
    url: SolrUrl,
    /// Whose corpus and questions.
    #[arg(default_value = "zipf")]
    workload: String,
    /// Which of its cases is asked, uncached.
    #[arg(long, default_value = "edismax")]
    case: String,
    /// The collection; it is emptied. By default `lab_` and the workload's name.
    #[arg(short, long)]
    collection: Option<String>,
    /// Documents of the corpus.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    docs: u64,
    /// The corpus is there from an earlier run.
    #[arg(long)]
    no_index: bool,
    /// How much more than the server can do.
    #[arg(long, default_value_t = 3.0)]
    factor: f64,
    /// For how long. What it can do is found out before, in a third of the time.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Requests that may be under way at once.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: u16,
    /// Decides documents, questions and arrivals.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// An error when a request was neither answered nor refused, the server is gone, or the generator came late.
pub async fn run(args: OverloadArgs) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.factor.is_finite() && args.factor > 0.0,
        "cannot use `--factor`: `{}` is not above 0",
        args.factor
    );
    let collection = args.collection.unwrap_or_else(|| format!("lab_{}", args.workload));
    let options = OverloadOptions {
        workload: args.workload,
        docs: args.docs,
        seed: args.seed,
        case: args.case,
        index: !args.no_index,
        factor: args.factor,
        duration: Duration::from_secs(args.seconds),
        connections: args.connections.into(),
    };
    let side = Side::new(args.url, &collection);
    let seen = lab::overload(options, side, Arc::new(Watcher::default())).await?;
    if args.json {
        output::json(&serde_json::to_value(&seen)?);
    } else {
        output::line(&shown(&seen));
    }
    anyhow::ensure!(
        !seen.is_void(),
        "void: {} requests left late, so that the generator's own queue was measured; use more `--connections`, a lower \
         `--factor` or a costlier `--case`",
        seen.late
    );
    let why = seen.first_failure.as_deref().unwrap_or("it does not answer any more");
    anyhow::ensure!(seen.failed == 0 && seen.lives, "{} request(s) failed: {why}", seen.failed);
    Ok(())
}

fn shown(seen: &Overloaded) -> String {
    let [before, most] = seen.resident_bytes.map(megabytes);
    let (unloaded, overloaded) = (seen.unloaded, seen.overloaded);
    format!(
        "{:.0} requests a second can be answered; {:.0} were asked, for {:.1} s\n\
         {} admitted ({:.0} a second), {} refused with 429 ({} without Retry-After), {} failed, {} left late\n\
         latency of what was admitted: p50 {:.2} ms, p99 {:.2} ms; unloaded p50 {:.2} ms, p99 {:.2} ms: p99 is {:.2} times\n\
         server's memory: {before} before, {most} at most",
        seen.capacity_per_second,
        seen.asked_per_second,
        seen.seconds,
        seen.admitted,
        seen.admitted as f64 / seen.seconds,
        seen.refused,
        seen.refused_without_hint,
        seen.failed,
        seen.late,
        overloaded.p50_ms,
        overloaded.p99_ms,
        unloaded.p50_ms,
        unloaded.p99_ms,
        seen.p99_ratio(),
    )
}
