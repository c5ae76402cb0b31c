//! The page of a machine's hiccups: for each size of memory and each company the histogram beside that of the
//! first arm, the pieces by how long they took, and the figures of every arm. In: what `jitter/` measured;
//! out: one file of HTML. Colours, axes and tables are those of the other reports (`page.rs`, `chart.rs`).

use std::fmt::Write as _;

use super::chart::{Axis, Chart, Labels, Line};
use super::charts::outline;
use super::page::STYLE;
use super::scale::Kind;
use super::text::{duration, escape, number};
use crate::jitter::{Jitter, JitterArm, JitterWork};
use crate::run::Whose;

const COLUMNS: [&str; 15] = [
    "memory",
    "beside",
    "pieces",
    "p50",
    "p90",
    "p99",
    "p99.9",
    "max",
    "CPU",
    "run queue",
    "vol. switches",
    "invol. switches",
    "minor faults",
    "major faults",
    "the slowest hundredth",
];

/// `command` and `started` are shown as they are.
pub fn jitter_html(jitter: &Jitter, command: &str, started: &str) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>jitter of {started}</title><style>{STYLE}</style><h1>jitter</h1>\
         <p>The same piece of work over and over: {}, on {} processors{}. What differs is the \
         platform's.</p><p class=\"soft\"><code>{}</code>, {started}</p>",
        work(jitter.options.work),
        jitter.cores,
        huge_pages(jitter),
        escape(command),
        started = escape(started),
    );
    for megabytes in &jitter.options.megabytes {
        let of_size: Vec<&JitterArm> = jitter.arms.iter().filter(|arm| arm.megabytes == *megabytes).collect();
        let _ = write!(page, "<h2>{megabytes} MB</h2>{}{}", charts(*megabytes, &of_size), buckets(&of_size));
    }
    let head: String = COLUMNS.iter().map(|name| format!("<th>{name}</th>")).collect();
    let rows: String = jitter.arms.iter().map(row).collect();
    let _ = write!(
        page,
        "<h2>Figures</h2><p class=\"soft\">CPU, run queue (ready, with no processor free), switches and faults are of one \
         piece, on average.</p><div class=\"wide\"><table><tr>{head}</tr>{rows}</table></div></html>"
    );
    page
}

fn huge_pages(jitter: &Jitter) -> String {
    let most = jitter.arms.iter().filter_map(|arm| arm.huge_megabytes).max();
    match (jitter.options.huge_pages, most) {
        (false, _) => ", without transparent huge pages".to_owned(),
        (true, Some(megabytes)) => format!(", with up to {megabytes} MB in transparent huge pages"),
        (true, None) => String::new(),
    }
}

fn work(work: JitterWork) -> String {
    match work {
        JitterWork::Steps(steps) => format!("{} steps through memory", number(steps as f64)),
        JitterWork::ClockReads(reads) => {
            format!("{} readings of the clock, beside memory that is not touched", number(reads as f64))
        }
    }
}

/// Each arm beside the one with the least company.
fn charts(megabytes: u64, arms: &[&JitterArm]) -> String {
    let Some(least) = arms.iter().min_by_key(|arm| arm.company) else { return String::new() };
    let others: Vec<_> = arms.iter().filter(|arm| arm.company != least.company).collect();
    match others.is_empty() {
        true => chart(megabytes, least, None),
        false => others.iter().map(|other| chart(megabytes, least, Some(other))).collect(),
    }
}

fn chart(megabytes: u64, least: &JitterArm, other: Option<&JitterArm>) -> String {
    let line = |(whose, arm): (Whose, &JitterArm)| Line {
        whose,
        label: arm.company.to_string(),
        points: outline(&arm.histogram, arm.pieces),
        marked: false,
        faint: false,
    };
    let both = [Some((Whose::Ours, least)), other.map(|other| (Whose::Peer, other))];
    let chart = Chart {
        title: format!("how many pieces took how long, {megabytes} MB"),
        x: Axis { name: "time of a piece", kind: Kind::Log, tick: duration },
        y: Axis { name: "% of pieces", kind: Kind::Linear, tick: number },
        labels: Labels::Peak,
        lines: both.into_iter().flatten().map(line).collect(),
    };
    chart.svg()
}

/// How many pieces took how long, a row for each arm.
fn buckets(arms: &[&JitterArm]) -> String {
    let bounds = arms.first().into_iter().flat_map(|arm| &arm.buckets);
    let head: String = bounds.map(|bucket| format!("<th>{}</th>", escape(&bucket.to_string()))).collect();
    let row = |arm: &&JitterArm| {
        let cells = arm.buckets.iter().map(|bucket| format!("<td>{}</td>", number(bucket.pieces as f64)));
        format!("<tr><td>{}</td>{}</tr>", arm.company, cells.collect::<String>())
    };
    let rows: String = arms.iter().map(row).collect();
    format!("<div class=\"wide\"><table><tr><th>beside</th>{head}</tr>{rows}</table></div>")
}

fn row(arm: &JitterArm) -> String {
    let mean = &arm.mean;
    let count = |value: Option<f64>| value.map(number).unwrap_or_default();
    let time = |us: Option<f64>| us.map(duration).unwrap_or_default();
    let walls = [arm.p50_us, arm.p90_us, arm.p99_us, arm.p999_us, arm.max_us].map(duration);
    let used = [
        time(mean.cpu_us),
        time(mean.run_queue_us),
        count(mean.voluntary_switches),
        count(mean.involuntary_switches),
        count(mean.minor_faults),
        count(mean.major_faults),
    ];
    let first = [format!("{} MB", arm.megabytes), arm.company.to_string(), number(arm.pieces as f64)];
    let cells = first.into_iter().chain(walls).chain(used).chain([tail_cause(arm)]);
    format!("<tr>{}</tr>", cells.map(|cell| format!("<td>{cell}</td>")).collect::<String>())
}

/// In words what the slowest pieces are slow by.
pub fn tail_cause(arm: &JitterArm) -> String {
    let Some(tail) = &arm.tail else { return String::new() };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mut causes = vec![format!("{} longer", duration(tail.excess_us.max(0.0)))];
    let shares = [(tail.run_queue_share, "without a processor"), (tail.cpu_share, "more work")];
    causes.extend(shares.iter().filter_map(|(share, name)| Some(format!("{} {name}", percent((*share)?)))));
    causes.join(", ")
}
