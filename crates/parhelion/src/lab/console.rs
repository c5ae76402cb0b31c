//! A run on the terminal: progress while it lasts, tables when it is done. In: the lab's notes and its
//! finished run; out: lines. Computes nothing; the page with charts is the lab's own report. Progress goes to
//! standard error and tables to standard output, so that `--json` and redirected tables stay clean.

use indicatif::{ProgressBar, ProgressStyle};
use lab::{Agreement, Arm, Change, Figures, Interval, Run, Shape, Watch, Whose};

use crate::output;

/// More lines about what is void than these hide the table.
const VOID_SHOWN: usize = 10;

/// Notes as lines on standard error, indexing as a bar.
pub struct Watcher {
    bar: ProgressBar,
}

impl Default for Watcher {
    fn default() -> Self {
        let template = "{bar:40} {pos}/{len} docs, {per_sec}, {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = if output::on_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        Self { bar: bar.with_style(style) }
    }
}

impl Watch for Watcher {
    fn note(&self, text: &str) {
        self.bar.finish_and_clear();
        output::note(text);
    }

    fn indexed(&self, _: Whose, docs: u64, of: u64) {
        if docs == 0 {
            self.bar.reset();
            self.bar.set_length(of);
        }
        self.bar.set_position(docs);
    }
}

pub fn workloads() -> String {
    let mut table = output::table();
    table.set_header(["workload", "docs", "what it is"]);
    for facts in lab::workloads() {
        table.add_row([facts.name, &facts.docs.to_string(), facts.about]);
    }
    table.to_string()
}

pub fn print(run: &Run) {
    for figures in &run.indexing {
        let cpu =
            figures.docs_per_cpu_second.map(|docs| format!(", {docs:.0} docs/CPU-s")).unwrap_or_default();
        output::line(&format!(
            "{}: indexed {} docs in {:.1} s, {:.0} docs/s{cpu}",
            name_of(figures.whose),
            figures.docs,
            figures.seconds,
            figures.docs_per_second
        ));
    }
    if let Some(ratio) = &run.indexing_ratio {
        let shown = |interval: Option<lab::Interval>| {
            interval
                .map_or_else(String::new, |it| format!("{:.3}× ({:.3}–{:.3})", it.median, it.low, it.high))
        };
        let (throughput, cpu) = (shown(ratio.throughput), shown(ratio.cpu));
        output::line(&format!("indexing: docs/s {throughput}, docs/CPU-s {cpu}"));
    }
    output::line(&arms(run));
    let void = void(run);
    void.iter().take(VOID_SHOWN).for_each(|line| output::line(line));
    if let Some(more @ 1..) = void.len().checked_sub(VOID_SHOWN) {
        output::line(&format!("void: {more} more, which --report or --json shows"));
    }
    run.skipped.iter().for_each(|case| output::line(&format!("skipped: {}: {}", case.case, case.reason)));
    for mean in &run.means {
        let Some(ratio) = mean.ratio else { continue };
        let bounds = mean.cpu_bounds.map(|it| format!(" ({:.3}–{:.3})", it.low, it.high)).unwrap_or_default();
        let cpu = mean.cpu_ratio.map(|cpu| format!(", CPU {cpu:.3}×{bounds}")).unwrap_or_default();
        let (connections, cases) = (mean.connections, mean.cases);
        output::line(&format!(
            "geometric mean at {connections} connections over {cases} cases: {ratio:.2}×{cpu}"
        ));
    }
    print_verdicts(run);
}

/// What does not count, and why: a line each.
fn void(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for case in &run.cases {
        if let Agreement::Void { reason } = &case.agreement {
            lines.push(format!("void: {}: {reason}", case.name));
        }
    }
    for (case, arm) in run.arms().filter(|(_, arm)| !arm.counts()) {
        lines.push(format!("void: {} {}: {}", case.name, shape(arm), arm.void.join("; ")));
    }
    lines
}

fn print_verdicts(run: &Run) {
    let mut table = output::table();
    table.set_header(["then", "now", "verdict"]);
    for verdict in &run.verdicts {
        table.add_row([&verdict.claim.then, &verdict.now, lab::verdict_word(verdict.met)]);
    }
    if !run.verdicts.is_empty() {
        output::line(&format!("\n{table}"));
    }
}

pub fn print_changes(then: &Run, now: &Run, changes: &[Change]) {
    let mut table = output::table();
    table.set_header(["case", "load", "then", "now", "verdict"]);
    for change in changes {
        table.add_row([&change.case, &change.load, &change.then, &change.now, change.verdict]);
    }
    output::line(&format!(
        "\nthen {} on {}, now on {}",
        then.manifest.started, then.manifest.host.name, now.manifest.host.name
    ));
    output::line(&table.to_string());
}

fn arms(run: &Run) -> String {
    let mut table = output::table();
    table.set_header([
        "case",
        "hits",
        "load",
        "ours req/s",
        "p50 µs",
        "p99 µs",
        "CPU µs",
        "peer req/s",
        "p50 µs",
        "p99 µs",
        "CPU µs",
        "ratio",
        "95 %",
        "CPU ratio",
    ]);
    for (case, arm) in run.arms() {
        let hits = case.hits.map(|hits| hits.to_string()).unwrap_or_default();
        let mut cells = vec![case.name.clone(), hits, shape(arm)];
        cells.extend(cells_of(arm.ours.as_ref()));
        cells.extend(cells_of(arm.peer.as_ref()));
        // An open loop sets the throughput; what the sides differ in is how long they take.
        let ratio = arm.ratio.or(arm.p99_ratio);
        let bounds = if arm.counts() { ratio.map(bounds).unwrap_or_default() } else { "void".to_owned() };
        cells.push(ratio.map(|ratio| format!("{:.2}×", ratio.median)).unwrap_or_default());
        cells.push(bounds);
        cells.push(arm.cpu_ratio.map(|ratio| format!("{:.2}×", ratio.median)).unwrap_or_default());
        table.add_row(cells);
    }
    table.to_string()
}

fn shape(arm: &Arm) -> String {
    match arm.shape {
        Shape::Closed { connections } => format!("{connections} conn"),
        Shape::Open { per_second, .. } => format!("{per_second:.0}/s"),
    }
}

fn cells_of(figures: Option<&Figures>) -> [String; 4] {
    figures.map_or_else(Default::default, |figures| {
        [
            format!("{:.0}", figures.per_second),
            format!("{:.0}", figures.p50_us),
            format!("{:.0}", figures.p99_us),
            figures.cpu_us_per_request.map(|cpu| format!("{cpu:.0}")).unwrap_or_default(),
        ]
    })
}

fn bounds(interval: Interval) -> String {
    format!("{:.2}–{:.2}", interval.low, interval.high)
}

/// Memory as people read it; where the machine does not say it, that.
pub fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6))
}

fn name_of(whose: Whose) -> &'static str {
    match whose {
        Whose::Ours => "ours",
        Whose::Peer => "peer",
    }
}
