//! `parhelion lab hold`: idle connections and busy ones, and what they cost the server. Flags and the lines
//! shown; connections are held, and judged, by `lab::hold`. The limit of open files is raised as far as the
//! system lets it (`listen.rs`) before 10,000 connections are opened.

use clap::Args;
use client::SolrUrl;
use lab::{Held, HoldOptions};

use super::console::{Watcher, megabytes};
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
    /// Close a busy connection after this many requests and open another; every other time the server is
    /// asked to close it.
    #[arg(long, default_value_t = 100, value_name = "REQUESTS")]
    renew: u64,
    /// This many idle connections a second ask again, are closed or half closed, in turn.
    #[arg(long, default_value_t = 100, value_name = "PER_SECOND")]
    churn: u64,
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
        churn_per_second: args.churn,
    };
    crate::listen::connections_max();
    let held = tokio::task::spawn_blocking(move || lab::hold(&options, &Watcher::default())).await??;
    if args.json {
        output::json(&serde_json::to_value(&held)?);
    } else {
        output::line(&shown(&held));
    }
    let why = held.first_failure.as_deref().unwrap_or("closed by the server");
    let (half_closed, lost) = (held.close_wait.unwrap_or(0), held.idle_lost);
    anyhow::ensure!(
        held.failed + held.resets == 0 && lost + half_closed == 0,
        "{} request(s) failed, {} connection(s) reset, {lost} idle one(s) lost: {why}; {half_closed} in CLOSE_WAIT",
        held.failed,
        held.resets
    );
    Ok(())
}

fn shown(held: &Held) -> String {
    let [before, loaded, after] = held.resident_bytes.map(megabytes);
    let most = megabytes(held.resident_bytes_max);
    let close_wait = held.close_wait.map_or("unknown".to_owned(), |count| count.to_string());
    format!(
        "{} requests by {} clients over {} connections in {:.1} s: {} failed, {} resets\n\
         {} idle connections, {} times one came and went, {} lost, {close_wait} in CLOSE_WAIT\n\
         server's memory: {before} before, {loaded} with the idle connections, {most} at most, {after} at the end",
        held.requests,
        held.busy,
        held.connections,
        held.seconds,
        held.failed,
        held.resets,
        held.idle,
        held.churned,
        held.idle_lost
    )
}
