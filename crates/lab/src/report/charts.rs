//! Which charts a run has: the ratios of all cases, and for each case its throughput-latency curve, its
//! latency by percentile and its histogram. In: a finished run; out: SVG as text. Axes, lines and labels are
//! drawn by `chart.rs`, numbers are placed by `scale.rs`.

use std::fmt::Write as _;

use super::chart::{Axis, Chart, Labels, Line, marker, open};
use super::scale::{Kind, Scale};
use super::text::{duration, escape, number, shape, standing};
use crate::load::Shape;
use crate::run::{Arm, CaseRecord, Figures, Run, Whose};
use crate::statistics::Interval;

const ROW: f64 = 20.0;

/// A row for each closed arm that counts: our throughput over the peer's, with its interval, on a logarithmic
/// axis.
pub fn ratios(run: &Run) -> String {
    let rows: Vec<(String, Interval)> = run
        .arms()
        .filter(|(_, arm)| arm.counts())
        .filter_map(|(case, arm)| Some((format!("{} · {}", case.name, arm.closed()?), arm.ratio?)))
        .collect();
    let Some(high) = rows.iter().map(|row| row.1.high).max_by(f64::total_cmp) else { return String::new() };
    let low = rows.iter().map(|row| row.1.low).fold(1.0, f64::min);
    let (width, left) = (720.0, 200.0);
    let height = rows.len() as f64 * ROW + 40.0;
    let x = Scale::new(Kind::Log, (low / 1.2, high.max(1.0) * 1.2), (left, width - 90.0));
    let mut svg = open(width, height, "our throughput over the peer's, median and 95 % interval");
    let base = height - 24.0;
    for tick in x.ticks() {
        let (at, class) = (x.at(tick), if tick == 1.0 { "axis" } else { "grid" });
        let _ = write!(svg, r#"<path class="{class}" d="M{at:.1} 4V{base}"/>"#);
        let _ = write!(
            svg,
            r#"<text x="{at:.1}" y="{:.1}" text-anchor="middle">{}×</text>"#,
            base + 16.0,
            number(tick)
        );
    }
    for (index, (name, interval)) in rows.iter().enumerate() {
        write_ratio(&mut svg, &x, (left, width), 4.0 + (index as f64 + 0.5) * ROW, (name, *interval));
    }
    svg.push_str("</svg>");
    svg
}

fn write_ratio(
    svg: &mut String,
    x: &Scale,
    (left, width): (f64, f64),
    y: f64,
    (name, interval): (&str, Interval),
) {
    let (low, high) = (x.at(interval.low), x.at(interval.high));
    let text = y + 4.0;
    let _ =
        write!(svg, r#"<text x="{:.1}" y="{text:.1}" text-anchor="end">{}</text>"#, left - 8.0, escape(name));
    let _ = write!(svg, r#"<path class="ours line" d="M{low:.1} {y:.1}H{high:.1}"/>"#);
    svg.push_str(&marker(Whose::Ours, x.at(interval.median), y));
    let (median, word) = (number(interval.median), standing(interval));
    let _ = write!(svg, r#"<text x="{:.1}" y="{text:.1}">{median}× {word}</text>"#, width - 84.0);
}

/// Latency against throughput, from the open arms; empty without any.
pub fn curve(case: &CaseRecord) -> String {
    let open = || case.arms.iter().filter(|arm| matches!(arm.shape, Shape::Open { .. }) && arm.counts());
    let line = |whose: Whose, name: &str, of: fn(&Figures) -> f64, faint: bool| {
        let figures = open().filter_map(|arm| side(arm, whose));
        // In the order of the rates asked for, so that a line bends back where more was asked for than went
        // through.
        let points = figures.map(|figures| (figures.per_second, of(figures))).collect();
        Line { whose, label: format!("{} {name}", word(whose)), points, marked: true, faint }
    };
    let both = [Whose::Ours, Whose::Peer];
    let lines = both.into_iter().flat_map(|whose| {
        [
            line(whose, "p99", |figures| figures.p99_us, false),
            line(whose, "p50", |figures| figures.p50_us, true),
        ]
    });
    let chart = Chart {
        title: format!("{}: latency from the intended send against answers a second", case.name),
        x: Axis { name: "answers a second", kind: Kind::Linear, tick: number },
        y: Axis { name: "latency", kind: Kind::Log, tick: duration },
        labels: Labels::End,
        lines: lines.collect(),
    };
    chart.svg()
}

/// Latency by percentile, of one arm.
pub fn percentiles(case: &CaseRecord, arm: &Arm) -> String {
    let lines = both(arm).map(|(whose, figures)| {
        let total = figures.requests.max(1) as f64;
        let mut below = 0;
        let points = figures.histogram.iter().map(|(us, count)| {
            let share = below as f64 / total;
            below += count;
            (share, *us)
        });
        Line { whose, label: word(whose).to_owned(), points: points.collect(), marked: false, faint: false }
    });
    let chart = Chart {
        title: format!("{}: latency by percentile, {}", case.name, shape(arm.shape)),
        x: Axis {
            name: "percentile",
            kind: Kind::Nines,
            tick: |share| format!("{}", (share * 1e4).round() / 100.0),
        },
        y: Axis { name: "latency", kind: Kind::Log, tick: duration },
        labels: Labels::End,
        lines: lines.collect(),
    };
    chart.svg()
}

/// Share of the answers by latency, of one arm, in steps of a twentieth of a decade.
pub fn histogram(case: &CaseRecord, arm: &Arm) -> String {
    let lines = both(arm).map(|(whose, figures)| Line {
        whose,
        label: word(whose).to_owned(),
        points: outline(&figures.histogram, figures.requests),
        marked: false,
        faint: false,
    });
    let chart = Chart {
        title: format!("{}: how many answers took how long, {}", case.name, shape(arm.shape)),
        x: Axis { name: "latency", kind: Kind::Log, tick: duration },
        y: Axis { name: "% of answers", kind: Kind::Linear, tick: number },
        labels: Labels::Peak,
        lines: lines.collect(),
    };
    chart.svg()
}

/// Steps up and down along the bars, each a share of all in percent.
pub fn outline(histogram: &[(f64, u64)], all: u64) -> Vec<(f64, f64)> {
    let mut bars: Vec<(i32, u64)> = Vec::new();
    for (us, count) in histogram {
        let bar = (us.max(1e-3).log10() * 20.0).ceil() as i32;
        match bars.last_mut() {
            Some((last, sum)) if *last == bar => *sum += count,
            _ => bars.push((bar, *count)),
        }
    }
    let bound = |bar: i32| 10f64.powf(f64::from(bar) / 20.0);
    let mut points = Vec::new();
    for (bar, count) in bars {
        let share = count as f64 * 100.0 / all.max(1) as f64;
        if points.last().is_none_or(|(x, _)| *x < bound(bar - 1) * 0.999) {
            points.extend(points.last().map(|(x, _): &(f64, f64)| (*x, 0.0)));
            points.push((bound(bar - 1), 0.0));
        }
        points.extend([(bound(bar - 1), share), (bound(bar), share)]);
    }
    points.extend(points.last().map(|(x, _)| (*x, 0.0)));
    points
}

fn both(arm: &Arm) -> impl Iterator<Item = (Whose, &Figures)> {
    [Whose::Ours, Whose::Peer].into_iter().filter_map(|whose| Some((whose, side(arm, whose)?)))
}

fn side(arm: &Arm, whose: Whose) -> Option<&Figures> {
    match whose {
        Whose::Ours => arm.ours.as_ref(),
        Whose::Peer => arm.peer.as_ref(),
    }
}

fn word(whose: Whose) -> &'static str {
    super::chart::class(whose)
}
