//! `parhelion lab jitter`: how evenly this machine does the same work over and over.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use lab::{Counts, Jitter, JitterArm, JitterOptions};
use meter::{Clock as _, Usage};
use plan::format_instant;

use crate::ambient::SystemClock;
use crate::output;

#[derive(Debug, Args)]
pub struct JitterArgs {
    /// Memory that the work goes through; each size has its arms.
    #[arg(long, value_delimiter = ',', value_name = "MB", default_values_t = [1, 500, 900], value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    megabytes: Vec<u64>,
    /// Threads that only compute, beside the work; an arm for each number.
    #[arg(long, value_delimiter = ',', value_name = "THREADS", default_values_t = [0, 2], value_parser = clap::value_parser!(u16).range(..=1024))]
    neighbours: Vec<u16>,
    /// Steps of one piece of work, each a word somewhere in the memory.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    steps: u64,
    /// Length of each arm.
    #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Arms of the same memory take turns, so often each.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Write the report here: one HTML file with the histograms.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print what came of it as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

pub async fn run(args: JitterArgs) -> anyhow::Result<()> {
    let options = JitterOptions {
        megabytes: args.megabytes,
        neighbours: args.neighbours.into_iter().map(usize::from).collect(),
        steps: args.steps,
        seconds: args.seconds.into(),
        rounds: args.rounds,
    };
    let started = format_instant(SystemClock.now_ms());
    let measure = move || lab::jitter(options, &read, &output::note);
    let jitter = tokio::task::spawn_blocking(measure).await??;
    if args.json {
        output::json(&serde_json::to_value(&jitter)?);
    } else {
        output::line(&table(&jitter));
    }
    if let Some(path) = &args.report {
        let command = std::env::args().collect::<Vec<_>>().join(" ");
        fs::write(path, lab::jitter_html(&jitter, &command, &started))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        output::note(&format!("report: {}", path.display()));
    }
    Ok(())
}

/// What the thread at hand has used.
fn read() -> Counts {
    let Usage { cpu_ns, run_queue_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults } =
        SystemClock.thread_usage(u64::MAX).unwrap_or_default();
    Counts { cpu_ns, run_queue_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults }
}

const COLUMNS: [&str; 14] = [
    "MB",
    "busy",
    "pieces",
    "p50 ms",
    "p90",
    "p99",
    "p99.9",
    "max",
    "cpu ms",
    "run queue",
    "vol. sw.",
    "invol. sw.",
    "faults",
    "the slowest hundredth",
];

fn table(jitter: &Jitter) -> String {
    let mut table = output::table();
    table.set_header(COLUMNS);
    table.add_rows(jitter.arms.iter().map(row));
    format!("{table}\ncpu, run queue, switches and faults (minor + major) are of one piece, on average")
}

fn row(arm: &JitterArm) -> Vec<String> {
    let mean = &arm.mean;
    let millis = |us: f64| format!("{:.2}", us / 1e3);
    let time = |us: Option<f64>| us.map(millis).unwrap_or_default();
    let count = |count: Option<f64>| count.map(|count| format!("{count:.2}")).unwrap_or_default();
    let faults = mean.minor_faults.zip(mean.major_faults);
    let faults = faults.map(|(minor, major)| format!("{minor:.2}+{major:.2}")).unwrap_or_default();
    let first = [arm.megabytes, arm.neighbours as u64, arm.pieces].map(|number| number.to_string());
    let walls = [arm.p50_us, arm.p90_us, arm.p99_us, arm.p999_us, arm.max_us].map(millis);
    let used = [
        time(mean.cpu_us),
        time(mean.run_queue_us),
        count(mean.voluntary_switches),
        count(mean.involuntary_switches),
        faults,
        lab::tail_cause(arm),
    ];
    first.into_iter().chain(walls).chain(used).collect()
}
