//! What a run's arms add up to: means over the cases that count, and a verdict on each claim. Pure. An arm
//! that is void counts for nothing. In: cases with their slices; out: means with intervals, and verdicts.
//! Drawing at random is seeded, so that the same record concludes alike.

use super::record::{Arm, CaseRecord, Figures, Mean, Slice, Verdict};
use crate::statistics::{Interval, geometric_mean, mean_interval};
use crate::workload::{Claim, ClaimTest};

/// One mean for each number of connections of the closed loops.
pub fn means(cases: &[CaseRecord], seed: u64) -> Vec<Mean> {
    let mut connections: Vec<usize> = closed(cases).map(|(_, connections, _)| connections).collect();
    connections.sort_unstable();
    connections.dedup();
    connections.into_iter().map(|connections| mean(cases, connections, seed)).collect()
}

fn mean(cases: &[CaseRecord], connections: usize, seed: u64) -> Mean {
    let arms: Vec<&Arm> = closed(cases)
        .filter(|(_, found, arm)| *found == connections && arm.counts())
        .map(|(_, _, arm)| arm)
        .collect();
    let over = |of: fn(&Arm) -> Option<Interval>| {
        let medians: Vec<f64> =
            arms.iter().filter_map(|arm| of(arm)).map(|interval| interval.median).collect();
        geometric_mean(&medians)
    };
    Mean {
        connections,
        cases: arms.len(),
        ratio: over(|arm| arm.ratio),
        cpu_ratio: over(|arm| arm.cpu_ratio),
        cpu_bounds: mean_interval(&arms.iter().map(|arm| cpu_ratios(arm)).collect::<Vec<_>>(), seed),
    }
}

/// The peer's processor time a request divided by ours, pair by pair.
fn cpu_ratios(arm: &Arm) -> Vec<f64> {
    let (Some(ours), Some(peer)) = (&arm.ours, &arm.peer) else { return Vec::new() };
    let each = |slice: &Slice| Some(slice.server_cpu_seconds? / slice.requests.max(1) as f64);
    let pairs = ours.slices.iter().zip(&peer.slices);
    pairs
        .filter_map(|(ours, peer)| Some(each(peer)? / each(ours)?))
        .filter(|ratio| ratio.is_normal())
        .collect()
}

pub fn verdicts(claims: &[Claim], cases: &[CaseRecord]) -> Vec<Verdict> {
    claims.iter().map(|claim| verdict(claim, cases)).collect()
}

fn verdict(claim: &Claim, cases: &[CaseRecord]) -> Verdict {
    let (now, met) = judge(&claim.test, cases);
    Verdict { claim: claim.clone(), now, met }
}

/// What the cases show, and whether it is enough.
fn judge(test: &ClaimTest, cases: &[CaseRecord]) -> (String, Option<bool>) {
    let untimed = |case: &str| (format!("`{case}` was not timed"), None);
    match test {
        ClaimTest::RatioAtLeast { connections, factor } => {
            ratio_of_all(&mean(cases, *connections, 0), *factor)
        }
        ClaimTest::AheadEverywhere => ahead(cases),
        ClaimTest::CaseRatioAtLeast { case, connections, factor } => case_ratio(cases, case, *connections)
            .map_or_else(
                || untimed(case),
                |Interval { median, .. }| {
                    (
                        format!("{median:.2} times in `{case}` at {connections} connections"),
                        Some(median >= *factor),
                    )
                },
            ),
        ClaimTest::P99AtMostMs { case, connections, ms } => ours(cases, case, *connections).map_or_else(
            || untimed(case),
            |figures| {
                let p99_ms = figures.p99_us / 1e3;
                (format!("p99 {p99_ms:.2} ms in `{case}` at {connections} connections"), Some(p99_ms <= *ms))
            },
        ),
        ClaimTest::PerSecondAtLeast { case, connections, per_second } => ours(cases, case, *connections)
            .map_or_else(
                || untimed(case),
                |Figures { per_second: found, .. }| {
                    (
                        format!("{found:.0} requests/s in `{case}` at {connections} connections"),
                        Some(found >= per_second),
                    )
                },
            ),
    }
}

fn ratio_of_all(mean: &Mean, factor: f64) -> (String, Option<bool>) {
    let Some(ratio) = mean.ratio else { return ("no peer in this run".to_owned(), None) };
    (format!("{ratio:.2} times the peer at {} connections", mean.connections), Some(ratio >= factor))
}

fn ahead(cases: &[CaseRecord]) -> (String, Option<bool>) {
    let ratios: Vec<Interval> =
        closed(cases).filter(|(_, _, arm)| arm.counts()).filter_map(|(_, _, arm)| arm.ratio).collect();
    let ahead = ratios.iter().filter(|ratio| ratio.low > 1.0).count();
    let met = (!ratios.is_empty()).then_some(ahead == ratios.len());
    (format!("ahead in {ahead} of {} comparisons", ratios.len()), met)
}

fn case_ratio(cases: &[CaseRecord], name: &str, connections: usize) -> Option<Interval> {
    let mut arms =
        closed(cases).filter(|(case, found, arm)| case.name == name && *found == connections && arm.counts());
    arms.next()?.2.ratio
}

fn ours<'a>(cases: &'a [CaseRecord], name: &str, connections: usize) -> Option<&'a Figures> {
    let mut arms =
        closed(cases).filter(|(case, found, arm)| case.name == name && *found == connections && arm.counts());
    arms.next()?.2.ours.as_ref()
}

fn closed(cases: &[CaseRecord]) -> impl Iterator<Item = (&CaseRecord, usize, &Arm)> {
    let arms = cases.iter().flat_map(|case| case.arms.iter().map(move |arm| (case, arm)));
    arms.filter_map(|(case, arm)| Some((case, arm.closed()?, arm)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample_run;

    #[test]
    fn claims_are_judged_by_the_arms_that_count() {
        let run = sample_run();
        let check = |test: ClaimTest, now: &str, met| {
            let claim = Claim { then: "then".into(), test };
            let verdict = verdict(&claim, &run.cases);
            assert_eq!((verdict.now.as_str(), verdict.met), (now, met));
        };
        let ratio = |connections, factor| ClaimTest::RatioAtLeast { connections, factor };
        check(ratio(1, 2.0), "2.00 times the peer at 1 connections", Some(true));
        check(ratio(1, 9.0), "2.00 times the peer at 1 connections", Some(false));
        check(ratio(7, 1.0), "no peer in this run", None);
        let p99 = |case: &str, ms| ClaimTest::P99AtMostMs { case: case.into(), connections: 1, ms };
        check(p99("alpha", 1.0), "p99 0.40 ms in `alpha` at 1 connections", Some(true));
        check(p99("alpha", 0.1), "p99 0.40 ms in `alpha` at 1 connections", Some(false));
        check(p99("none", 1.0), "`none` was not timed", None);
    }

    #[test]
    fn means_leave_void_arms_out() {
        let mut run = sample_run();
        let before = means(&run.cases, 1);
        assert_eq!((before[0].cases, before[0].ratio), (1, Some(2.0)));
        assert_eq!(before[0].cpu_bounds, Some(Interval { median: 1.0, low: 1.0, high: 1.0 }));
        run.cases[0].arms[0].void.push("late".into());
        let after = means(&run.cases, 1);
        assert_eq!((after[0].cases, after[0].ratio, after[0].cpu_bounds), (0, None, None));
    }
}
