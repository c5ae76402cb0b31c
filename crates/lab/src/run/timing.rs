//! The timed part of a run: all cases warm once, then each case under each shape of load. Blocks for as long
//! as it takes. In: two sides that are indexed and agree; out: the record's arms. Sides take turns by slices,
//! so that a machine that drifts slows both.

use std::time::{Duration, Instant};

use super::measure::{Contender, Method, measure};
use super::options::RunOptions;
use super::prepare::{Prepared, Ready};
use super::record::{Agreement, Arm, CaseRecord, Figures, Skipped};
use super::warm::until_settled;
use super::watch::Watch;
use crate::error::Error;
use crate::load::{self, Habit, Shape, Target};
use crate::side::Side;

type Sides<'a> = [Option<&'a Side>; 2];

pub fn time_all(
    options: &RunOptions,
    cores: usize,
    prepared: Vec<Prepared>,
    sides: Sides<'_>,
    watch: &dyn Watch,
) -> Result<(Vec<CaseRecord>, Vec<Skipped>), Error> {
    let (mut ready, mut skipped) = (Vec::new(), Vec::new());
    for prepared in prepared {
        match prepared {
            Prepared::Ready(case) => ready.push(case),
            Prepared::Skipped(case) => skipped.push(case),
        }
    }
    let method = Method::of(options, cores);
    warm_all(&ready, sides, method.warm_max, watch)?;
    let mut cases = Vec::new();
    for ready in ready {
        watch.note(&format!("timing {}", ready.case.name));
        let arms = match &ready.agreement {
            Agreement::Equal { .. } => arms(options, &ready, sides, &method)?,
            Agreement::Void { .. } => Vec::new(),
        };
        let Ready { case, hits, agreement, .. } = *ready;
        cases.push(CaseRecord {
            name: case.name,
            about: case.about,
            hits,
            questions: case.questions.len(),
            agreement,
            arms,
        });
    }
    Ok((cases, skipped))
}

/// Rounds over all cases until a side's throughput is settled: what compiles or loads once is then done.
fn warm_all(
    ready: &[Box<Ready>],
    sides: Sides<'_>,
    at_most: Duration,
    watch: &dyn Watch,
) -> Result<(), Error> {
    for (at, side) in sides.iter().enumerate() {
        let targets: Vec<Target<'_>> = ready.iter().filter_map(|ready| target(ready, *side, at)).collect();
        if targets.is_empty() {
            continue;
        }
        let warm_up = until_settled(at_most, || {
            let started = Instant::now();
            let mut answered = 0;
            for target in &targets {
                let shape = Shape::Closed { connections: 2 };
                answered += load::run(*target, shape, Duration::from_millis(50), 0)?.answered();
            }
            Ok(answered as f64 / started.elapsed().as_secs_f64())
        })?;
        let whose = ["ours", "the peer"][at];
        let trend = if warm_up.settled { "no trend left" } else { "still a trend" };
        watch.note(&format!("{whose} warmed over all cases for {:.1} s, {trend}", warm_up.seconds));
    }
    Ok(())
}

fn arms(options: &RunOptions, ready: &Ready, sides: Sides<'_>, method: &Method) -> Result<Vec<Arm>, Error> {
    let contenders: [Option<Contender<'_>>; 2] = std::array::from_fn(|at| {
        let (side, requests) = (sides[at]?, ready.requests[at].as_ref()?);
        Some(Contender { side, requests, habit: Habit::KeptAlive })
    });
    let mut arms = Vec::new();
    for connections in &options.connections {
        let shape = Shape::Closed { connections: *connections };
        arms.push(measure(contenders[0], contenders[1], shape, method)?);
    }
    let peaks = [peak(&arms, |arm| arm.ours.as_ref()), peak(&arms, |arm| arm.peer.as_ref())];
    let connections = options.open.connections.max(1);
    for per_second in rates(options, peaks) {
        let shape = Shape::Open { per_second, arrivals: options.open.arrivals, connections };
        // Far beyond its peak a side only builds up a queue, and the slice would not end.
        let able =
            |at: usize| contenders[at].filter(|_| peaks[at].is_none_or(|peak| per_second <= peak * 1.1));
        if able(0).is_some() || able(1).is_some() {
            arms.push(measure(able(0), able(1), shape, method)?);
        }
    }
    Ok(arms)
}

fn peak(arms: &[Arm], of: impl Fn(&Arm) -> Option<&Figures>) -> Option<f64> {
    arms.iter().filter_map(|arm| of(arm).map(|figures| figures.per_second)).max_by(f64::total_cmp)
}

/// The open-loop rates of a case: those asked for, and shares of the higher peak and of the lower, so that
/// both curves have points up to their knees.
fn rates(options: &RunOptions, peaks: [Option<f64>; 2]) -> Vec<f64> {
    let shares = peaks
        .iter()
        .flatten()
        .flat_map(|peak| options.open.peak_shares.iter().map(move |share| share * peak));
    let mut rates: Vec<f64> =
        options.open.per_second.iter().copied().chain(shares).filter(|rate| *rate > 0.0).collect();
    rates.sort_by(f64::total_cmp);
    // Nearer points say nothing more.
    rates.dedup_by(|next, kept| *next < *kept * 1.05);
    rates
}

fn target<'a>(ready: &'a Ready, side: Option<&'a Side>, at: usize) -> Option<Target<'a>> {
    let sound = matches!(ready.agreement, Agreement::Equal { .. });
    let (side, requests) = (side?, ready.requests[at].as_ref()?);
    sound.then(|| Target {
        authority: side.url().authority(),
        requests,
        server: &side.processes,
        habit: Habit::KeptAlive,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample_options;

    #[test]
    fn rates_are_those_asked_for_and_shares_of_both_peaks() {
        let mut options = sample_options();
        let check =
            |options: &RunOptions, peaks, expected: &[f64]| assert_eq!(rates(options, peaks), expected);
        check(&options, [Some(1000.0), None], &[100.0]);
        options.open.peak_shares = vec![0.1, 0.5];
        check(&options, [Some(1000.0), None], &[100.0, 500.0]);
        check(&options, [Some(1000.0), Some(400.0)], &[40.0, 100.0, 200.0, 500.0]);
        options.open.per_second.clear();
        check(&options, [None, None], &[]);
    }
}
