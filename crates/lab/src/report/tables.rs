//! The tables of the report, as HTML. In: a finished run; out: markup, escaped. Computes nothing: what a
//! figure means was decided when the run was concluded, and charts are `charts.rs`.

use std::fmt::Write as _;

use super::text::{duration, escape, headline, number, shape, standing, verdict_word};
use crate::replay::Change;
use crate::run::{Agreement, Arm, Figures, IndexingRatio, Run, Whose};
use crate::statistics::Interval;

/// A table from its header and rows; cells are HTML.
fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut html = String::from(r#"<div class="wide"><table><thead><tr>"#);
    header.iter().for_each(|name| {
        let _ = write!(html, "<th>{name}</th>");
    });
    html.push_str("</tr></thead><tbody>");
    for row in rows {
        html.push_str("<tr>");
        row.iter().for_each(|cell| {
            let _ = write!(html, "<td>{cell}</td>");
        });
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    html
}

pub fn verdicts(run: &Run) -> String {
    let rows: Vec<Vec<String>> = run
        .verdicts
        .iter()
        .map(|verdict| {
            vec![escape(&verdict.claim.then), escape(&verdict.now), word(verdict_word(verdict.met))]
        })
        .collect();
    table(&["then", "now", "verdict"], &rows)
}

pub fn changes(changes: &[Change]) -> String {
    let row = |change: &Change| {
        vec![
            escape(&change.case),
            escape(&change.load),
            escape(&change.then),
            escape(&change.now),
            word(change.verdict),
        ]
    };
    table(&["case", "load", "then", "now", "verdict"], &changes.iter().map(row).collect::<Vec<_>>())
}

/// One row an arm: the peer's figures are *then*, ours are *now*, the interval is the verdict.
pub fn arms(run: &Run) -> String {
    let header = [
        "case",
        "hits",
        "load",
        "then: peer /s",
        "p50",
        "p99",
        "CPU",
        "now: ours /s",
        "p50",
        "p99",
        "CPU",
        "ratio",
        "95 %",
        "CPU ratio",
        "verdict",
    ];
    let row = |(name, hits, arm): (&str, Option<u64>, &Arm)| {
        let mut cells =
            vec![escape(name), hits.map(|hits| number(hits as f64)).unwrap_or_default(), shape(arm.shape)];
        cells.extend(figures(arm.peer.as_ref()));
        cells.extend(figures(arm.ours.as_ref()));
        let interval = headline(arm);
        cells.push(interval.map(|found| format!("<b>{}×</b>", number(found.median))).unwrap_or_default());
        cells.push(
            interval.map(|found| format!("{}–{}", number(found.low), number(found.high))).unwrap_or_default(),
        );
        cells.push(arm.cpu_ratio.map(|found| format!("{}×", number(found.median))).unwrap_or_default());
        cells.push(match interval {
            _ if !arm.counts() => word("void"),
            Some(interval) => word(standing(interval)),
            None => String::new(),
        });
        cells
    };
    let rows: Vec<_> = run.arms().map(|(case, arm)| row((&case.name, case.hits, arm))).collect();
    table(&header, &rows)
}

fn figures(figures: Option<&Figures>) -> [String; 4] {
    figures.map_or_else(Default::default, |figures| {
        [
            number(figures.per_second),
            duration(figures.p50_us),
            duration(figures.p99_us),
            figures.cpu_us_per_request.map(duration).unwrap_or_default(),
        ]
    })
}

pub fn indexing(run: &Run) -> String {
    let row = |figures: &crate::run::Indexing| {
        let name = if figures.whose == Whose::Ours { "ours" } else { "peer" };
        let seconds = |value: Option<f64>| value.map(number).unwrap_or_default();
        vec![
            name.to_owned(),
            number(figures.docs as f64),
            number(figures.seconds),
            number(figures.docs_per_second),
            seconds(figures.server_cpu_seconds),
            seconds(figures.docs_per_cpu_second),
            seconds(figures.generator_cpu_seconds),
        ]
    };
    let header =
        ["", "documents", "seconds", "documents/s", "server CPU s", "documents/CPU s", "generator CPU s"];
    let mut shown = table(&header, &run.indexing.iter().map(row).collect::<Vec<_>>());
    if let Some(ratio) = &run.indexing_ratio {
        let _ = write!(shown, "<p>{}</p>", indexing_ratio(ratio));
    }
    shown
}

/// Ours against the peer in a line.
fn indexing_ratio(ratio: &IndexingRatio) -> String {
    let shown = |interval: Option<Interval>| {
        interval.map_or_else(
            || "unknown".to_owned(),
            |it| format!("<b>{}×</b> ({}–{})", number(it.median), number(it.low), number(it.high)),
        )
    };
    format!("documents a second {}, a CPU second {}", shown(ratio.throughput), shown(ratio.cpu))
}

/// Is the generator to be trusted: its share of the machine, its lag, and whether warm-up ended by itself.
pub fn generator(run: &Run) -> String {
    let mut rows = Vec::new();
    for (case, arm) in run.arms() {
        for (name, figures) in [("ours", &arm.ours), ("peer", &arm.peer)] {
            let Some(figures) = figures else { continue };
            let warm = if figures.warm_up.settled { "no trend left" } else { "ended by time" };
            let warm = if figures.warm_up.seconds == 0.0 {
                String::new()
            } else {
                format!("{} s, {warm}", number(figures.warm_up.seconds))
            };
            rows.push(vec![
                escape(&case.name),
                shape(arm.shape),
                name.to_owned(),
                number(figures.requests as f64),
                number(figures.errors as f64),
                figures
                    .generator_cpu_share
                    .map(|share| format!("{} %", number(share * 100.0)))
                    .unwrap_or_default(),
                figures.lag_p999_us.map(duration).unwrap_or_default(),
                warm,
            ]);
        }
    }
    let header =
        ["case", "load", "", "answers", "errors", "generator's share of the cores", "lag p99.9", "warm-up"];
    table(&header, &rows)
}

/// What does not count, and why.
pub fn left_out(run: &Run) -> String {
    let mut rows: Vec<Vec<String>> = run
        .skipped
        .iter()
        .map(|case| vec![escape(&case.case), word("skipped"), escape(&case.reason)])
        .collect();
    for case in &run.cases {
        if let Agreement::Void { reason } = &case.agreement {
            rows.push(vec![escape(&case.name), word("void"), escape(reason)]);
        }
    }
    for (case, arm) in run.arms() {
        let reasons = arm.void.iter();
        rows.extend(reasons.map(|reason| {
            vec![format!("{} · {}", escape(&case.name), shape(arm.shape)), word("void"), escape(reason)]
        }));
    }
    table(&["case", "", "why"], &rows)
}

pub fn manifest(run: &Run) -> String {
    let manifest = &run.manifest;
    let host = &manifest.host;
    let memory =
        |bytes: Option<u64>| bytes.map(|bytes| format!(", {} MB resident", bytes >> 20)).unwrap_or_default();
    let server = |facts: &crate::run::ServerFacts| {
        let segments = facts.segments.map(|count| format!(", {count} segments")).unwrap_or_default();
        format!("{} ({}){}{segments}", facts.url, facts.version, memory(facts.resident_bytes))
    };
    let facts = [
        ("command", manifest.command.clone()),
        ("started", manifest.started.clone()),
        (
            "version",
            [Some(manifest.version.clone()), manifest.commit.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
        ),
        (
            "workload",
            format!(
                "{}, {} documents, seed {}",
                manifest.options.workload, manifest.options.docs, manifest.options.seed
            ),
        ),
        ("corpus checksum", manifest.corpus_checksum.clone().unwrap_or_default()),
        ("caches", if manifest.options.cached { "may answer" } else { "kept out by cache=false" }.to_owned()),
        ("ours", manifest.ours.as_ref().map(server).unwrap_or_default()),
        ("peer", manifest.peer.as_ref().map(server).unwrap_or_default()),
        ("host", format!("{}, {}, {}", host.name, host.kernel, host.cpu)),
        ("cores and memory", format!("{}, {} MB", host.cores, host.memory_bytes >> 20)),
        ("load average before", host.load_average.clone()),
    ];
    let rows: Vec<Vec<String>> =
        facts.iter().map(|(name, value)| vec![(*name).to_owned(), escape(value)]).collect();
    table(&["", ""], &rows)
}

/// A verdict as a word with a mark, so that it is not shown by colour alone.
fn word(verdict: &str) -> String {
    let mark = match verdict {
        "ahead" | "met" | "faster" => "▲",
        "behind" | "not met" | "slower" => "▼",
        "even" | "holds" => "●",
        _ => "○",
    };
    format!("{mark} {verdict}")
}
