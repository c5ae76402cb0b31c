//! The page of a machine's hiccups: for each size of memory the histogram without neighbours and with the most of them, and the
//! figures of every arm.

use std::fmt::Write as _;

use super::chart::{Axis, Chart, Labels, Line};
use super::charts::outline;
use super::page::STYLE;
use super::scale::Kind;
use super::text::{duration, escape, number};
use crate::jitter::{Jitter, JitterArm};
use crate::run::Whose;

const COLUMNS: [&str; 15] = [
    "memory",
    "neighbours",
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
         <p>The same piece of work over and over: {} steps through memory, on {} processors. What differs is the \
         platform's.</p><p class=\"soft\"><code>{}</code>, {started}</p>",
        number(jitter.options.steps as f64),
        jitter.cores,
        escape(command),
        started = escape(started),
    );
    for megabytes in &jitter.options.megabytes {
        let of_size: Vec<&JitterArm> = jitter.arms.iter().filter(|arm| arm.megabytes == *megabytes).collect();
        let _ = write!(page, "<h2>{megabytes} MB</h2>{}", chart(*megabytes, &of_size));
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

/// The arms with the fewest and the most neighbours.
fn chart(megabytes: u64, arms: &[&JitterArm]) -> String {
    let by_neighbours = |arm: &&&JitterArm| arm.neighbours;
    let fewest = arms.iter().min_by_key(by_neighbours).map(|arm| (Whose::Ours, *arm));
    let most = arms.iter().max_by_key(by_neighbours).map(|arm| (Whose::Peer, *arm));
    let most = most.filter(|_| arms.len() > 1);
    let line = |(whose, arm): (Whose, &JitterArm)| Line {
        whose,
        label: format!("{} neighbours", arm.neighbours),
        points: outline(&arm.histogram, arm.pieces),
        marked: false,
        faint: false,
    };
    let chart = Chart {
        title: format!("how many pieces took how long, {megabytes} MB"),
        x: Axis { name: "time of a piece", kind: Kind::Log, tick: duration },
        y: Axis { name: "% of pieces", kind: Kind::Linear, tick: number },
        labels: Labels::Peak,
        lines: [fewest, most].into_iter().flatten().map(line).collect(),
    };
    chart.svg()
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
    let first = [format!("{} MB", arm.megabytes), arm.neighbours.to_string(), number(arm.pieces as f64)];
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
