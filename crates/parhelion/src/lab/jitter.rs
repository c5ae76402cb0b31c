//! `parhelion lab jitter`: how evenly this machine does the same work over and over. Flags, what a thread has
//! used by the machine's counts, and tables; the work, and what is concluded of it, are the lab's. The counts
//! are read here and handed to the lab, since what a thread has used only the machine knows: below the binary
//! nothing reads a clock or `/proc` by itself.

use std::fs;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use client::{SolrClient, SolrUrl};
use lab::{Company, Counts, Jitter, JitterArm, JitterOptions, JitterSeams, JitterWork, ServerAsked};
use meter::{Clock as _, Usage};
use plan::format_instant;
use tokio::runtime::Handle;

use crate::ambient::SystemClock;
use crate::login::{LoginArgs, without_secrets};
use crate::output;

#[derive(Debug, Args)]
pub struct JitterArgs {
    /// Memory that the work goes through, or with --clock-reads ballast: resident and not touched again. Each
    /// size has its arms.
    #[arg(long, visible_alias = "ballast-mb", value_delimiter = ',', value_name = "MB", default_values_t = [1, 500, 900], value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    megabytes: Vec<u64>,
    /// Threads that only compute, beside the work; an arm for each number.
    #[arg(long, value_delimiter = ',', value_name = "THREADS", default_values_t = [0, 2], value_parser = clap::value_parser!(u16).range(..=1024))]
    neighbours: Vec<u16>,
    /// Steps of one piece of work, each a word somewhere in the memory.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    steps: u64,
    /// One piece of work is this many readings of the clock instead (7000 in the field report).
    #[arg(long, value_name = "READS", conflicts_with = "steps", value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    clock_reads: Option<u64>,
    /// An arm beside this server too, which is asked --server-rate times a second; it has to be on this
    /// machine to matter.
    #[arg(long, value_name = "URL")]
    server: Option<SolrUrl>,
    /// What it is asked: a path below the URL, parameters and all.
    #[arg(long, value_name = "PATH", default_value = "admin/info/health", requires = "server")]
    server_path: String,
    /// How often a second, by schedule, one request after the other.
    #[arg(long, value_name = "REQUESTS", default_value_t = 100, requires = "server", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    server_rate: u32,
    /// Forbid this process transparent huge pages. Without it they are asked for, and how much memory lies in
    /// them is told: the other arm.
    #[arg(long)]
    no_huge_pages: bool,
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
    #[command(flatten)]
    login: LoginArgs,
}

pub async fn run(args: JitterArgs) -> anyhow::Result<()> {
    if args.no_huge_pages {
        forbid_huge_pages()?;
    }
    let started = format_instant(SystemClock.now_ms());
    let (json, report) = (args.json, args.report.clone());
    // All of it waits: for the server, for pieces of work.
    let jitter = tokio::task::spawn_blocking(move || measure(&args)).await??;
    if json {
        output::json(&serde_json::to_value(&jitter)?);
    } else {
        output::line(&table(&jitter));
    }
    if let Some(path) = &report {
        let command = without_secrets(std::env::args()).join(" ");
        fs::write(path, lab::jitter_html(&jitter, &command, &started))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        output::note(&format!("report: {}", path.display()));
    }
    Ok(())
}

fn measure(args: &JitterArgs) -> anyhow::Result<Jitter> {
    let asking = args.asking()?;
    let ask_server = |stop: &AtomicBool| asking.as_ref().map(|asking| asking.run(stop)).unwrap_or_default();
    let seams = JitterSeams {
        read: &read,
        watch: &output::note,
        advise: if args.no_huge_pages { &|_| () } else { &ask_for_huge_pages },
        huge_megabytes: &huge_megabytes,
        ask_server: &ask_server,
    };
    Ok(lab::jitter(args.options(), &seams)?)
}

impl JitterArgs {
    fn options(&self) -> JitterOptions {
        let neighbours = self.neighbours.iter().map(|threads| Company::Neighbours((*threads).into()));
        JitterOptions {
            megabytes: self.megabytes.clone(),
            company: neighbours.chain(self.server.iter().map(|_| Company::Server)).collect(),
            work: self.clock_reads.map_or(JitterWork::Steps(self.steps), JitterWork::ClockReads),
            seconds: self.seconds.into(),
            rounds: self.rounds,
            huge_pages: !self.no_huge_pages,
        }
    }

    /// Errors: where the server does not answer as it should, which is better known before than after.
    fn asking(&self) -> anyhow::Result<Option<Asking>> {
        let Some(url) = &self.server else { return Ok(None) };
        let url = url.clone().with_login(self.login.login()?);
        let client = SolrClient::new(url, Duration::from_secs(10));
        let asking = Asking {
            client,
            runtime: Handle::current(),
            path: self.server_path.clone(),
            rate: self.server_rate,
        };
        asking.ask().context("the server refuses what it is to be asked")?;
        Ok(Some(asking))
    }
}

/// A server that is asked at a steady pace.
struct Asking {
    client: SolrClient,
    runtime: Handle,
    path: String,
    rate: u32,
}

impl Asking {
    /// By schedule: a request that was late is caught up with.
    fn run(&self, stop: &AtomicBool) -> ServerAsked {
        let began = Instant::now();
        let mut asked = ServerAsked::default();
        while !stop.load(Ordering::Relaxed) {
            let due = Duration::from_secs_f64(asked.requests as f64 / f64::from(self.rate));
            std::thread::sleep(due.saturating_sub(began.elapsed()));
            asked.requests += 1;
            asked.failures += u64::from(self.ask().is_err());
        }
        asked
    }

    /// Waits for the answer, on a thread that is not the runtime's.
    fn ask(&self) -> Result<client::Response, client::Error> {
        self.runtime.block_on(self.client.get(&self.path, &[])).and_then(client::Response::ok)
    }
}

/// For what is allocated from now on.
#[cfg(target_os = "linux")]
fn forbid_huge_pages() -> anyhow::Result<()> {
    rustix::thread::disable_transparent_huge_pages(true).context("the kernel does not forbid huge pages")
}

#[cfg(not(target_os = "linux"))]
fn forbid_huge_pages() -> anyhow::Result<()> {
    anyhow::bail!("`--no-huge-pages` needs Linux")
}

/// Where the kernel gives them to those who ask (`madvise`), as most distributions have it, an arm with huge
/// pages would be one without. What it gives is read afterwards: that it refuses says nothing more.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "every wrapper of madvise is unsafe: other advice than this takes pages away")]
fn ask_for_huge_pages(memory: &mut [MaybeUninit<u64>]) {
    use rustix::mm::{Advice, madvise};
    let page_bytes = rustix::param::page_size();
    let skipped = memory.as_ptr().align_offset(page_bytes);
    let Some(pages) = memory.get_mut(skipped..) else { return };
    let bytes = size_of_val(pages) / page_bytes * page_bytes;
    // SAFETY: the pages lie within memory that is borrowed for writing, and keep their content whatever the
    // size of page that it is kept in.
    let _ = unsafe { madvise(pages.as_mut_ptr().cast(), bytes, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: &mut [MaybeUninit<u64>]) {}

/// Linux from 4.14 on.
fn huge_megabytes() -> Option<u64> {
    anonymous_huge_megabytes(&fs::read_to_string("/proc/self/smaps_rollup").ok()?)
}

fn anonymous_huge_megabytes(rollup: &str) -> Option<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? >> 10)
}

/// What the thread at hand has used.
fn read() -> Counts {
    let Usage { cpu_ns, run_queue_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults } =
        SystemClock.thread_usage(u64::MAX).unwrap_or_default();
    Counts { cpu_ns, run_queue_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults }
}

const COLUMNS: [&str; 14] = [
    "MB",
    "beside",
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
    let mut out = format!(
        "{table}\ncpu, run queue, switches and faults (minor + major) are of one piece, on average\n\n\
         pieces by how long they took\n{}",
        buckets_table(jitter)
    );
    out.extend(jitter.arms.iter().filter_map(|arm| server_words(arm, jitter.options.seconds)));
    let arms_of_sizes = jitter.arms.chunk_by(|one, next| one.megabytes == next.megabytes);
    out.extend(
        arms_of_sizes.filter_map(<[JitterArm]>::first).filter_map(|arm| huge_words(arm, &jitter.options)),
    );
    out
}

/// Whether the arm with huge pages is one.
fn huge_words(arm: &JitterArm, options: &JitterOptions) -> Option<String> {
    let asked = if options.huge_pages { "asked for" } else { "forbidden" };
    let JitterArm { megabytes, huge_megabytes, .. } = arm;
    Some(format!(
        "\n{megabytes} MB: huge pages were {asked}, the process had {} MB in them",
        (*huge_megabytes)?
    ))
}

/// Whether the server had the work that it was to have.
fn server_words(arm: &JitterArm, seconds: f64) -> Option<String> {
    let ServerAsked { requests, failures } = arm.server?;
    let rate = requests as f64 / seconds;
    Some(format!(
        "\n{} MB: the server was asked {rate:.0} times a second, {failures} requests failed",
        arm.megabytes
    ))
}

/// How many pieces took how long.
fn buckets_table(jitter: &Jitter) -> String {
    let mut table = output::table();
    let bounds = jitter.arms.iter().take(1).flat_map(|arm| &arm.buckets);
    let names = bounds.map(ToString::to_string);
    table.set_header(["MB", "beside"].map(str::to_owned).into_iter().chain(names));
    table.add_rows(jitter.arms.iter().map(|arm| {
        let first = [arm.megabytes.to_string(), arm.company.to_string()];
        let counts = arm.buckets.iter().map(|bucket| bucket.pieces.to_string());
        first.into_iter().chain(counts).collect::<Vec<_>>()
    }));
    table.to_string()
}

fn row(arm: &JitterArm) -> Vec<String> {
    let mean = &arm.mean;
    let millis = |us: f64| format!("{:.2}", us / 1e3);
    let time = |us: Option<f64>| us.map(millis).unwrap_or_default();
    let count = |count: Option<f64>| count.map(|count| format!("{count:.2}")).unwrap_or_default();
    let faults = mean.minor_faults.zip(mean.major_faults);
    let faults = faults.map(|(minor, major)| format!("{minor:.2}+{major:.2}")).unwrap_or_default();
    let first = [arm.megabytes.to_string(), arm.company.to_string(), arm.pieces.to_string()];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_pages_are_told_as_the_kernel_counts_them() {
        let rollup = "7f0000000000-7fff00000000 ---p 00000000 00:00 0 [rollup]\nRss: 9 kB\nAnonHugePages:    524288 kB\n";
        assert_eq!([anonymous_huge_megabytes(rollup), anonymous_huge_megabytes("")], [Some(512), None]);
    }

    /// Whether it is given is the kernel's to say; what is asked for stays as it was.
    #[test]
    fn asking_for_huge_pages_leaves_memory_whole() {
        let mut memory = vec![MaybeUninit::new(7_u64); 1 << 19];
        ask_for_huge_pages(&mut memory);
        ask_for_huge_pages(&mut memory[..3]);
        assert_eq!(memory.len(), 1 << 19);
    }
}
