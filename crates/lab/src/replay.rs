//! Two runs of one manifest beside each other: what was then, what is now, whether it holds. Compares ratios
//! to the peer where there was one, because machines differ, and throughput or latency otherwise. In: a run
//! read back from its report and the run of today; out: a change for each arm. An interval that overlaps the
//! other is no change: machines have moods.

use serde::Serialize;

use crate::load::Shape;
use crate::run::{Arm, Run};
use crate::statistics::Interval;

/// Without a peer figures of two runs differ by this much without meaning anything.
const NOISE: f64 = 0.1;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    pub case: String,
    pub load: String,
    pub then: String,
    pub now: String,
    /// `faster`, `slower` or `holds`; `gone` where the run has no such arm any more.
    pub verdict: &'static str,
}

/// One change for each arm of `then` that counted.
pub fn changes(then: &Run, now: &Run) -> Vec<Change> {
    let counted = then.arms().filter(|(_, arm)| arm.counts());
    counted
        .map(|(case, old)| {
            let mut found =
                now.arms().filter(|(other, arm)| other.name == case.name && same_load(arm.shape, old.shape));
            let new = found.next().map(|(_, arm)| arm).filter(|arm| arm.counts());
            let (then, now, verdict) = judge(old, new);
            Change { case: case.name.clone(), load: load(old.shape), then, now, verdict }
        })
        .collect()
}

fn judge(old: &Arm, new: Option<&Arm>) -> (String, String, &'static str) {
    let Some(new) = new else { return (figure(old), String::new(), "gone") };
    let verdict = match (interval(old), interval(new)) {
        (Some(old), Some(new)) if new.low > old.high => "faster",
        (Some(old), Some(new)) if new.high < old.low => "slower",
        (Some(_), Some(_)) => "holds",
        _ => by_figures(old, new),
    };
    (figure(old), figure(new), verdict)
}

fn by_figures(old: &Arm, new: &Arm) -> &'static str {
    let Some((old_figures, new_figures)) = old.ours.as_ref().zip(new.ours.as_ref()) else { return "gone" };
    let gain = match old.shape {
        Shape::Closed { .. } => new_figures.per_second / old_figures.per_second,
        Shape::Open { .. } => old_figures.p99_us / new_figures.p99_us,
    };
    match gain {
        _ if gain > 1.0 + NOISE => "faster",
        _ if gain < 1.0 - NOISE => "slower",
        _ => "holds",
    }
}

fn interval(arm: &Arm) -> Option<Interval> {
    arm.ratio.or(arm.p99_ratio)
}

fn figure(arm: &Arm) -> String {
    let Some(ours) = &arm.ours else { return String::new() };
    let figure = match arm.shape {
        Shape::Closed { .. } => format!("{:.0}/s", ours.per_second),
        Shape::Open { .. } => format!("p99 {:.0} µs", ours.p99_us),
    };
    interval(arm).map_or(figure.clone(), |ratio| format!("{figure}, {:.2}× the peer", ratio.median))
}

/// Rates that were shares of a measured peak differ between runs a little.
fn same_load(a: Shape, b: Shape) -> bool {
    match (a, b) {
        (Shape::Open { per_second: a, .. }, Shape::Open { per_second: b, .. }) => (a / b - 1.0).abs() < 0.02,
        _ => a == b,
    }
}

fn load(shape: Shape) -> String {
    match shape {
        Shape::Closed { connections } => format!("{connections} connections"),
        Shape::Open { per_second, .. } => format!("{per_second:.0}/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample_run;

    fn verdicts(change: impl Fn(&mut Arm)) -> Vec<&'static str> {
        let (then, mut now) = (sample_run(), sample_run());
        now.cases[0].arms.iter_mut().for_each(change);
        changes(&then, &now).iter().map(|change| change.verdict).collect()
    }

    #[test]
    fn intervals_apart_are_a_change() {
        let times = |factor: f64| {
            move |arm: &mut Arm| {
                let scaled = |interval: Interval| Interval {
                    median: interval.median * factor,
                    low: interval.low * factor,
                    high: interval.high * factor,
                };
                arm.ratio = arm.ratio.map(scaled);
                arm.p99_ratio = arm.p99_ratio.map(scaled);
            }
        };
        assert_eq!(verdicts(times(1.0)), ["holds", "holds"]);
        assert_eq!(verdicts(times(1.15)), ["holds", "holds"]);
        assert_eq!(verdicts(times(2.0)), ["faster", "faster"]);
        assert_eq!(verdicts(times(0.5)), ["slower", "slower"]);
        assert_eq!(verdicts(|arm| arm.void.push("late".into())), ["gone", "gone"]);
    }

    #[test]
    fn without_a_peer_the_figures_decide() {
        let (mut then, mut now) = (sample_run(), sample_run());
        for run in [&mut then, &mut now] {
            run.cases[0].arms.iter_mut().for_each(|arm| (arm.ratio, arm.p99_ratio) = (None, None));
        }
        now.cases[0].arms[0].ours.as_mut().unwrap().per_second *= 1.5;
        now.cases[0].arms[1].ours.as_mut().unwrap().p99_us *= 1.5;
        let seen: Vec<_> = changes(&then, &now)
            .into_iter()
            .map(|change| (change.then, change.now, change.verdict))
            .collect();
        assert_eq!(seen[0], ("1000/s".into(), "1500/s".into(), "faster"));
        assert_eq!(seen[1], ("p99 400 µs".into(), "p99 600 µs".into(), "slower"));
    }
}
