//! `parhelion lab run stale-check`: what clients do about connections that the server has closed, and what
//! that costs. Flags and the table; the server, the pools and the bursts are `lab::stale`'s. Each arm must
//! show its point: the one that trusts has to meet resets, or the others prove nothing.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use client::PoolOptions;
use lab::{LongIdleFigures, LongIdleOptions, Stale, StaleFigures, StaleOptions};

use super::bounds;
use super::console::Watcher;
use crate::output;

#[derive(Debug, Args)]
pub struct StaleArgs {
    /// Requests of each arm.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(100..))]
    requests: u64,
    /// Workers of the widest burst.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,
    /// Requests of a burst; after each there is a pause of up to twice the server's patience.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    burst: u64,
    /// The server, which the lab brings, closes connections that are idle for this long.
    #[arg(long, default_value_t = 200, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(10..=60_000))]
    server_idle: u64,
    /// And the client that sweeps before that.
    #[arg(long, default_value_t = 60, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    client_idle: u64,
    /// The arms take turns so often.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100))]
    rounds: u64,
    /// Before that, every arm asks nothing for as long as a server of its own waits: this long, and one
    /// second more. 0 leaves it out.
    #[arg(long, default_value_t = 50, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=3600))]
    long_idle: u64,
    /// Decides widths and pauses.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// An error when a client that sweeps lost a request all the same, or one that does not lost none.
pub async fn run(args: StaleArgs) -> anyhow::Result<()> {
    let options = StaleOptions {
        requests: args.requests,
        workers: args.workers.into(),
        burst: args.burst,
        server_idle: Duration::from_millis(args.server_idle),
        client_idle: Duration::from_millis(args.client_idle),
        rounds: args.rounds,
        seed: args.seed,
        long_idle: (args.long_idle > 0).then(|| LongIdleOptions {
            workers: args.workers.into(),
            server_idle: Duration::from_secs(args.long_idle),
            // As it comes: 15 s.
            client_idle: PoolOptions::default().idle_max.min(Duration::from_secs(args.long_idle) / 2),
            margin: Duration::from_secs(1),
        }),
    };
    let watch: Arc<dyn lab::Watch> = Arc::new(Watcher::default());
    let stale = tokio::task::spawn_blocking(move || lab::stale_check(&options, &watch)).await??;
    if args.json {
        output::json(&serde_json::to_value(&stale)?);
    } else {
        print(&stale);
    }
    let [bites, sweeps, ..] = &stale.verdicts[..] else { return Ok(()) };
    let long_idle = stale.verdicts.last().filter(|_| !stale.long_idle.is_empty());
    anyhow::ensure!(
        long_idle.is_none_or(|verdict| verdict.holds),
        "after the long pause sockets are not as they should be: {}",
        long_idle.map_or("", |verdict| &verdict.now)
    );
    anyhow::ensure!(
        bites.holds,
        "no connection was closed under a request: longer pauses or more requests are needed"
    );
    anyhow::ensure!(
        sweeps.holds,
        "the client that sweeps lost requests or left sockets half closed: {}",
        sweeps.now
    );
    Ok(())
}

fn print(stale: &Stale) {
    let mut table = output::table();
    let header = [
        "arm",
        "requests",
        "failed",
        "resets",
        "CLOSE_WAIT",
        "lease p50/p99",
        "request p50/p99",
        "requests/s",
    ];
    table.set_header(header);
    for arm in &stale.arms {
        table.add_row(row(arm));
    }
    output::line(&table.to_string());
    for arm in &stale.arms {
        output::line(&format!("{}: {}", name(arm), arm.arm.about()));
    }
    if let Some(first) = stale.long_idle.first() {
        output::line(&format!(
            "idle for longer than the server waits, looked at after {:.1} s:",
            first.looked_after_s
        ));
        let mut table = output::table();
        table.set_header(["arm", "CLOSE_WAIT before", "after", "requests then", "failed"]);
        for arm in &stale.long_idle {
            table.add_row(long_idle_row(arm));
        }
        output::line(&table.to_string());
    }
    bounds::print(&stale.verdicts);
}

fn row(arm: &StaleFigures) -> [String; 8] {
    let us = |p50: f64, p99: f64| format!("{p50:.1} / {p99:.1} us");
    [
        name(arm),
        arm.requests.to_string(),
        arm.failed.to_string(),
        arm.resets.to_string(),
        arm.close_wait_max.map_or("unknown".to_owned(), |count| count.to_string()),
        us(arm.lease_us_p50, arm.lease_us_p99),
        us(arm.p50_us, arm.p99_us),
        format!("{:.0}", arm.per_second),
    ]
}

fn long_idle_row(arm: &LongIdleFigures) -> [String; 5] {
    let count = |count: Option<usize>| count.map_or("unknown".to_owned(), |count| count.to_string());
    [
        format!("{:?}", arm.arm).to_lowercase(),
        count(arm.close_wait_before),
        count(arm.close_wait_after),
        arm.requests_after.to_string(),
        arm.failed_after.to_string(),
    ]
}

fn name(arm: &StaleFigures) -> String {
    format!("{:?}", arm.arm).to_lowercase()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::Cli;

    #[test]
    fn an_experiment_has_flags_of_its_own_and_a_workload_those_of_workloads() {
        let check = |line: &str, accepted: bool| {
            let words = ["parhelion", "lab", "run"].into_iter().chain(line.split_whitespace());
            assert_eq!(Cli::try_parse_from(words).is_ok(), accepted, "{line}");
        };
        check("stale-check --requests 1000 --server-idle 50", true);
        check("stale-check --long-idle 0", true);
        check("stale-check --docs 1000", false);
        check("fruit --docs 1000", true);
        check("--docs 1000 fruit", true);
        check("fruit --server-idle 50", false);
        check("", false);
    }
}
