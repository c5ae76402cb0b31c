//! `parhelion lab hold`: idle connections and busy ones, and what they cost the server.

use clap::Args;
use client::SolrUrl;
use lab::{Held, HoldOptions};

use crate::login::LoginArgs;
use crate::output;

#[derive(Debug, Args)]
pub struct HoldArgs {
    /// The server.
    #[arg(long, default_value = "http://127.0.0.1:8983/solr", env = "PARHELION_URL")]
    url: SolrUrl,
    #[command(flatten)]
    login: LoginArgs,
    /// What is asked, below the Solr URL.
    #[arg(long, default_value = "admin/info/health")]
    path: String,
    /// Connections that ask once and then stay.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(0..=60_000))]
    idle: u32,
    /// Connections that ask all the time.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=4096))]
    busy: u32,
    /// Requests of the busy ones together.
    #[arg(long, default_value_t = 1_000_000)]
    requests: u64,
    /// Close a busy connection after so many requests and open another.
    #[arg(long, default_value_t = 100, value_name = "REQUESTS")]
    renew: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// An error when a request failed or a connection was lost.
pub async fn run(args: HoldArgs) -> anyhow::Result<()> {
    let options = HoldOptions {
        url: args.url.with_login(args.login.login()?),
        path: args.path,
        idle: args.idle as usize,
        busy: args.busy as usize,
        requests: args.requests,
        requests_per_connection: args.renew,
    };
    crate::listen::connections_max();
    let held = tokio::task::spawn_blocking(move || lab::hold(&options)).await??;
    if args.json {
        output::json(&serde_json::to_value(&held)?);
    } else {
        output::line(&shown(&held));
    }
    let why = held.first_failure.as_deref().unwrap_or("closed by the server");
    let lost = held.failed + held.idle_lost as u64;
    anyhow::ensure!(
        lost == 0,
        "{} request(s) failed, {} idle connection(s) lost: {why}",
        held.failed,
        held.idle_lost
    );
    Ok(())
}

fn shown(held: &Held) -> String {
    let resident = held.resident_bytes.map(|bytes| match bytes {
        Some(bytes) => format!("{:.1} MB", bytes as f64 / 1e6),
        None => "unknown".to_owned(),
    });
    let [before, loaded, after] = resident;
    let close_wait = held.close_wait.map_or("unknown".to_owned(), |count| count.to_string());
    format!(
        "{} requests over {} connections in {:.1} s, {} failed\n{} idle connections, {} lost, {close_wait} in CLOSE_WAIT\n\
         server's memory: {before} before, {loaded} with the idle connections, {after} at the end",
        held.requests, held.busy, held.seconds, held.failed, held.idle, held.idle_lost
    )
}
