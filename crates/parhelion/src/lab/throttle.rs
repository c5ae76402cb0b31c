//! `parhelion lab run throttle`: more updates than a server can do, with an objective for its searches and
//! without. Flags, the two servers, and the table; what is sent when, and what holds, is `lab::throttle`'s.
//! The arm without an objective has to break it, or the other proves nothing.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use lab::{Side, ThrottleFigures, ThrottleOptions, Throttled};

use super::bounds;
use super::console::Watcher;
use super::own_server::OwnServer;
use crate::output;

const COLLECTION: &str = "lab_throttle";

#[derive(Debug, Args)]
pub struct ThrottleArgs {
    /// What 99 of 100 searches may take.
    #[arg(long, default_value_t = 50, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    objective: u64,
    /// Searches a second.
    #[arg(long, default_value_t = 100, value_name = "RATE", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    searches: u32,
    /// How many times what it can do the server is sent.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    factor: u32,
    /// For how long; what it can do, and what the objective allows, is found out before in sevenfold a sixth
    /// of it.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Documents that are there at first.
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    docs: u64,
    /// Documents of an update.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    update_docs: u64,
    /// Decides documents, questions and arrivals.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// The lab's own servers, one after the other. An error when searches do not keep to the objective, or when
/// they do without one, and nothing is proved.
pub async fn run(args: ThrottleArgs) -> anyhow::Result<()> {
    let options = ThrottleOptions {
        docs: args.docs,
        seed: args.seed,
        searches: args.searches.into(),
        update_docs: args.update_docs,
        objective: Duration::from_millis(args.objective),
        factor: args.factor.into(),
        duration: Duration::from_secs(args.seconds),
    };
    let watch: Arc<dyn lab::Watch> = Arc::new(Watcher::default());
    let baseline = {
        let server = OwnServer::start(&[])?;
        lab::throttle_baseline(options, Side::new(server.url.clone(), COLLECTION), watch.clone()).await?
    };
    let objective = format!("p99={}ms", args.objective);
    let server = OwnServer::start(&["--objective", &objective])?;
    let side = Side::new(server.url.clone(), COLLECTION);
    let throttled = lab::throttle(options, side, baseline, watch).await?;
    if args.json {
        output::json(&serde_json::to_value(&throttled)?);
    } else {
        print(&throttled);
    }
    let [bites, keeps, ..] = &throttled.verdicts[..] else { return Ok(()) };
    anyhow::ensure!(bites.holds, "searches keep to it without an objective: ask for less time, or send more");
    anyhow::ensure!(keeps.holds, "searches do not keep to the objective: {}", keeps.now);
    Ok(())
}

fn print(throttled: &Throttled) {
    output::line(&format!(
        "searches alone take {:.1} ms at p99; {:.0} documents a second can be indexed alone, {:.0} within the objective",
        throttled.unloaded_p99_ms, throttled.docs_per_second_alone, throttled.docs_per_second_allowed
    ));
    let mut table = output::table();
    table.set_header(["objective", "search p50", "p99 ms", "docs/s sent", "taken", "429", "failed"]);
    table.add_row(row("none".to_owned(), &throttled.without));
    table.add_row(row(format!("{:.0} ms", throttled.objective_ms), &throttled.with));
    output::line(&table.to_string());
    bounds::print(&throttled.verdicts);
}

fn row(name: String, figures: &ThrottleFigures) -> [String; 7] {
    [
        name,
        format!("{:.1}", figures.p50_ms),
        format!("{:.1}", figures.p99_ms),
        format!("{:.0}", figures.docs_sent_per_second),
        format!("{:.0}", figures.docs_per_second),
        figures.refused.to_string(),
        (figures.searches_failed + figures.updates_failed).to_string(),
    ]
}
