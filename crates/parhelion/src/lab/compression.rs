//! `parhelion lab run compression`: answers over a narrow link, as they are and packed.
//!
//! In: flags; out: tables and verdicts. The server and the narrow link are made here; what is measured, and
//! how, is the lab's.

use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use client::SolrUrl;
use faultproxy::{Direction, FaultProxy, Faults};
use lab::{Packing, PackingFigures, PackingOptions, Side};

use super::bounds;
use super::console::Watcher;
use super::own_server::OwnServer;
use crate::output;

#[derive(Debug, Args)]
pub struct CompressionArgs {
    /// A server, started with `--compress always`; without one the lab starts its own.
    #[arg(long)]
    url: Option<SolrUrl>,
    /// The collection; it is emptied.
    #[arg(short, long, default_value = "lab_compression")]
    collection: String,
    /// Rows of the corpus.
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(10_000..=100_000_000))]
    docs: u64,
    /// Requests of each coding and size.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    requests: u64,
    /// What the link carries, each way.
    #[arg(long, default_value_t = 12_000, value_name = "KB/S", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    link: u64,
    /// Decides the rows.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// An error when packed answers of a megabyte save too little.
pub async fn run(args: CompressionArgs) -> anyhow::Result<()> {
    let own = match &args.url {
        Some(_) => None,
        None => Some(OwnServer::start(&["--compress", "always"])?),
    };
    let url = args.url.or_else(|| own.as_ref().map(|own| own.url.clone())).context("there is no server")?;
    let link_bytes_per_second = args.link * 1000;
    let proxy = FaultProxy::start(([127, 0, 0, 1], 0).into(), url.authority(), args.seed).await?;
    for direction in Direction::BOTH {
        proxy.set(direction, Faults { rate: Some(link_bytes_per_second), ..Faults::default() });
    }
    let through = format!("http://{}{}", proxy.address(), url.context()).parse()?;
    let options =
        PackingOptions { docs: args.docs, seed: args.seed, requests: args.requests, link_bytes_per_second };
    let side = Side::new(url, &args.collection);
    let packing = lab::compression(options, side, through, Arc::new(Watcher::default())).await?;
    if args.json {
        output::json(&serde_json::to_value(&packing)?);
    } else {
        print(&packing);
    }
    let large = packing.verdicts.last().context("nothing was measured")?;
    anyhow::ensure!(large.holds, "packed answers of a megabyte save too little: {}", large.now);
    Ok(())
}

fn print(packing: &Packing) {
    let mut table = output::table();
    table.set_header([
        "rows",
        "coding",
        "bytes",
        "sent",
        "p50 ms",
        "p99 ms",
        "server CPU ms",
        "client CPU ms",
    ]);
    for figures in &packing.figures {
        table.add_row(row(figures));
    }
    output::line(&table.to_string());
    bounds::print(&packing.verdicts);
}

fn row(figures: &PackingFigures) -> [String; 8] {
    let cpu = |ms: Option<f64>| ms.map_or("unknown".to_owned(), |ms| format!("{ms:.2}"));
    [
        figures.rows.to_string(),
        figures.coding.to_owned(),
        format!("{:.0}", figures.bytes),
        format!("{:.0}", figures.bytes_sent),
        format!("{:.2}", figures.p50_ms),
        format!("{:.2}", figures.p99_ms),
        cpu(figures.server_cpu_ms),
        cpu(figures.client_cpu_ms),
    ]
}
