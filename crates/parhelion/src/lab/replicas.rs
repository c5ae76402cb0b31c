//! `parhelion lab run replicas`: flags and tables. In: a node of a cluster; out: what it costs to have two
//! replicas, on standard output. What is measured, and what holds, is `lab`'s.

use std::sync::Arc;

use clap::Args;
use client::SolrUrl;
use lab::{Replicas, ReplicasCompared, ReplicasOptions};

use super::bounds;
use super::console::Watcher;
use crate::output;

#[derive(Debug, Args)]
pub struct ReplicasArgs {
    /// A node of a cluster of two or more on this machine, as `parhelion cluster up --nodes 2` starts it.
    #[arg(long, env = "PARHELION_URL")]
    url: SolrUrl,
    /// Documents of 1 KB that go into each collection.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    docs: u64,
    /// Parts of them that are timed, in turn; one more warms up.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pairs: u16,
    /// Decides the documents.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// An error when a bound does not hold.
pub async fn run(args: ReplicasArgs) -> anyhow::Result<()> {
    let options = ReplicasOptions { docs: args.docs, seed: args.seed, pairs: args.pairs.into() };
    let measured = lab::replicas(options, args.url, Arc::new(Watcher::default())).await?;
    if args.json {
        output::json(&serde_json::to_value(&measured)?);
    } else {
        print(&measured);
    }
    bounds::check(&measured.verdicts)
}

fn print(measured: &Replicas) {
    let mut table = output::table();
    table.set_header(["shards", "replicas", "processor of", "docs/s", "docs/CPU s", "ratio"]);
    for (compared, counted) in [(&measured.followed, "whoever leads"), (&measured.crossed, "both nodes")] {
        let ReplicasCompared { shards, one, two, cpu_ratio } = compared;
        let ratio = cpu_ratio
            .map_or_else(String::new, |it| format!("{:.3} ({:.3} to {:.3})", it.median, it.low, it.high));
        for (replicas, row, ratio) in [("1", one, String::new()), ("2", two, ratio)] {
            table.add_row([
                shards.to_string(),
                replicas.to_owned(),
                counted.to_owned(),
                format!("{:.0}", row.docs_per_second),
                row.docs_per_cpu_second.map_or_else(|| "unknown".to_owned(), |docs| format!("{docs:.0}")),
                ratio,
            ]);
        }
    }
    output::line(&table.to_string());
    let traffic = measured.traffic;
    let per_byte = |bytes: u64| bytes as f64 / traffic.documents.max(1) as f64;
    output::line(&format!(
        "for each byte of documents the leader sent {:.3} bytes to its follower, which read {:.3} from the store",
        per_byte(traffic.answered),
        per_byte(traffic.from_store)
    ));
    bounds::print(&measured.verdicts);
}
