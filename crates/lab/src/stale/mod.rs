//! `stale-check`: what a client does about connections that the server has closed. After Zezeski, whose
//! cluster gained two to four times the throughput and a tenth of a second when its client stopped asking
//! each connection whether it is still there. Three arms take turns against one server that closes idle
//! connections soon: trust and hope, check each, sweep in time. Bursts of changing width with pauses between
//! them have connections idle for all sorts of times.

mod arm;
mod counts;
mod long_idle;
mod pools;
mod server;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::error::Error;
use crate::random::Random;
use crate::run::Watch;
use crate::verdict::BoundVerdict;
pub use arm::StaleArm;
use arm::{PATH, close_wait};
use counts::BurstCounts;
pub use long_idle::{LongIdleFigures, LongIdleOptions};
use pools::{NaivePool, Pool, SweptPool};
use server::IdleServer;

/// The report's gain.
const FACTOR_THEN: f64 = 2.0;
/// What a lease of a kept connection may take, in microseconds.
const LEASE_US_MAX: f64 = 5.0;

#[derive(Clone, Copy, Debug)]
pub struct StaleOptions {
    /// Of each arm.
    pub requests: u64,
    /// Workers of the widest burst.
    pub workers: usize,
    /// Requests of a burst.
    pub burst: u64,
    /// The server closes connections that are idle for this long.
    pub server_idle: Duration,
    /// And our client before that.
    pub client_idle: Duration,
    /// Each arm's requests in this many parts, in turn with the other arms'.
    pub rounds: u64,
    /// Decides widths and pauses.
    pub seed: u64,
    /// The one long pause of each arm, before all others; none without it.
    pub long_idle: Option<LongIdleOptions>,
}

/// What came of an arm.
#[derive(Clone, Debug, Serialize)]
pub struct StaleFigures {
    pub arm: StaleArm,
    pub requests: u64,
    pub failed: u64,
    /// Those among the failed whose connection was closed or reset.
    pub resets: u64,
    /// Sockets that the server has closed and the client has not, at most, after a pause. `None` without
    /// `/proc`.
    pub close_wait_max: Option<usize>,
    /// To get a kept connection, its check included, in microseconds.
    pub lease_us_p50: f64,
    pub lease_us_p99: f64,
    /// Of a request.
    pub p50_us: f64,
    pub p99_us: f64,
    /// While bursts last; the median of the rounds.
    pub per_second: f64,
}

/// All arms, and what they say.
#[derive(Clone, Debug, Serialize)]
pub struct Stale {
    pub arms: Vec<StaleFigures>,
    /// Throughput of the sweeper's arm over the checking one's: median of the rounds.
    pub sweeper_over_check: f64,
    /// What the check adds to the median request, in microseconds: *check* less *none*, which differ in
    /// nothing else.
    pub check_costs_us: f64,
    pub long_idle: Vec<LongIdleFigures>,
    pub verdicts: Vec<BoundVerdict>,
}

/// An arm over its rounds.
#[derive(Default)]
struct Tally {
    counts: BurstCounts,
    close_wait_max: Option<usize>,
    per_second: Vec<f64>,
    /// Of the client, which keeps its own: of the worst round.
    lease_ns: Option<(u64, u64)>,
}

/// Errors: the server cannot listen, or there are no threads left.
pub fn stale_check(options: &StaleOptions, watch: &Arc<dyn Watch>) -> Result<Stale, Error> {
    let wrong = |error: std::io::Error| Error::Load {
        url: "the lab's own server".to_owned(),
        reason: error.to_string(),
    };
    let mut waited = Vec::new();
    if let Some(long) = &options.long_idle {
        watch.note(&format!("all arms idle for {} s", (long.server_idle + long.margin).as_secs()));
        waited = long_idle::long_idle(long)?;
    }
    let server = IdleServer::start(options.server_idle).map_err(wrong)?;
    let authority = server.address.to_string();
    let mut tallies = StaleArm::ALL.map(|_| Tally::default());
    for round in 0..options.rounds.max(1) {
        watch.note(&format!("round {} of {}", round + 1, options.rounds.max(1)));
        for (arm, tally) in StaleArm::ALL.into_iter().zip(&mut tallies) {
            run_round(arm, &authority, options, round, tally)?;
        }
    }
    Ok(conclude(&tallies, waited))
}

fn run_round(
    arm: StaleArm,
    authority: &str,
    options: &StaleOptions,
    round: u64,
    tally: &mut Tally,
) -> Result<(), Error> {
    let swept = match arm {
        StaleArm::Sweeper => Some(SweptPool::new(authority, PATH, options.client_idle)?),
        StaleArm::None | StaleArm::Check => None,
    };
    let naive = NaivePool::new(authority, PATH, arm == StaleArm::Check);
    let pool: &dyn Pool = swept.as_ref().map_or(&naive, |swept| swept);
    // Every arm meets the same widths and pauses.
    let mut random = Random::of_item(options.seed, round);
    let (mut busy, mut asked) = (Duration::ZERO, 0);
    let wanted = options.requests / options.rounds.max(1);
    while asked < wanted {
        let workers = 1 + random.below(options.workers.max(1) as u64) as usize;
        let started = Instant::now();
        let counts = pool.burst(workers, options.burst.min(wanted - asked).max(workers as u64));
        busy += started.elapsed();
        asked += counts.requests.max(1);
        tally.counts.add(&counts);
        // From none to twice the server's patience: some are closed in the pause, some just before it ends,
        // some not.
        thread::sleep(options.server_idle.mul_f64(2.0 * random.unit()));
        tally.close_wait_max = tally.close_wait_max.max(close_wait(authority));
    }
    tally.per_second.push(asked as f64 / busy.as_secs_f64());
    tally.lease_ns = swept.map_or(tally.lease_ns, |swept| {
        let ((p50, p99), (worst_p50, worst_p99)) = (swept.lease_ns(), tally.lease_ns.unwrap_or_default());
        Some((p50.max(worst_p50), p99.max(worst_p99)))
    });
    Ok(())
}

fn conclude(tallies: &[Tally; 3], long_idle: Vec<LongIdleFigures>) -> Stale {
    let arms: Vec<StaleFigures> =
        StaleArm::ALL.into_iter().zip(tallies).map(|(arm, tally)| tally.figures(arm)).collect();
    let [none, check, sweeper] = [&arms[0], &arms[1], &arms[2]];
    let ratios = tallies[2].per_second.iter().zip(&tallies[1].per_second).map(|(ours, theirs)| ours / theirs);
    let sweeper_over_check = median(ratios.collect());
    let check_costs_us = check.p50_us - none.p50_us;
    let verdict = |then: &str, now: String, holds| BoundVerdict { then: then.to_owned(), now, holds };
    let close_wait = |figures: &StaleFigures| {
        figures.close_wait_max.map_or("unknown".to_owned(), |count| count.to_string())
    };
    let mut verdicts = vec![
        verdict(
            "without a check and without a sweeper, requests meet closed connections",
            format!("{} resets, {} in CLOSE_WAIT", none.resets, close_wait(none)),
            none.resets > 0,
        ),
        verdict(
            "with a sweeper none does, and nothing stays half closed",
            format!("{} failed, {} in CLOSE_WAIT", sweeper.failed, close_wait(sweeper)),
            sweeper.failed == 0 && sweeper.close_wait_max.unwrap_or(0) == 0,
        ),
        verdict(
            "a lease takes less than 5 us",
            format!("{:.1} us at p50, {:.1} us at p99", sweeper.lease_us_p50, sweeper.lease_us_p99),
            sweeper.lease_us_p50 < LEASE_US_MAX,
        ),
        verdict(
            "no stale check (Zezeski): 2 to 4 times the throughput",
            format!(
                "{sweeper_over_check:.2} times; the check adds {check_costs_us:.0} us to the median request"
            ),
            sweeper_over_check >= FACTOR_THEN,
        ),
    ];
    verdicts.extend(conclude_long_idle(&long_idle));
    Stale { sweeper_over_check, check_costs_us, long_idle, verdicts, arms }
}

fn conclude_long_idle(figures: &[LongIdleFigures]) -> Option<BoundVerdict> {
    let [none, check, sweeper] = figures else { return None };
    let count = |count: Option<usize>| count.map_or("unknown".to_owned(), |count| count.to_string());
    Some(BoundVerdict {
        then: "a client without limit, idle for longer than its server waits: CLOSE_WAIT until somebody asks"
            .to_owned(),
        now: format!(
            "after {:.0} s {} of it, {} with checks, {} with a sweeper; of {} requests then {}, {} and {} failed",
            sweeper.looked_after_s,
            count(none.close_wait_after),
            count(check.close_wait_after),
            count(sweeper.close_wait_after),
            none.requests_after,
            none.failed_after,
            check.failed_after,
            sweeper.failed_after,
        ),
        holds: none.close_wait_before == Some(0)
            && none.close_wait_after > Some(0)
            && sweeper.close_wait_after == Some(0)
            && sweeper.failed_after == 0,
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

impl Tally {
    fn figures(&self, arm: StaleArm) -> StaleFigures {
        let BurstCounts { requests, failed, resets, latency_ns, lease_ns } = &self.counts;
        let quantile = |of: &Histogram<u64>, quantile| of.value_at_quantile(quantile);
        let (p50, p99) = self.lease_ns.unwrap_or((quantile(lease_ns, 0.5), quantile(lease_ns, 0.99)));
        let us = |nanoseconds: u64| nanoseconds as f64 / 1e3;
        StaleFigures {
            arm,
            requests: *requests,
            failed: *failed,
            resets: *resets,
            close_wait_max: self.close_wait_max,
            lease_us_p50: us(p50),
            lease_us_p99: us(p99),
            p50_us: us(quantile(latency_ns, 0.5)),
            p99_us: us(quantile(latency_ns, 0.99)),
            per_second: median(self.per_second.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Silent;

    /// Small, but with the point of it: whoever trusts without sweeping meets resets, whoever sweeps meets
    /// none.
    #[test]
    fn trust_without_a_sweeper_is_punished() {
        let options = StaleOptions {
            requests: 500,
            workers: 8,
            burst: 100,
            // Far enough apart for a machine that is busy with other things.
            server_idle: Duration::from_millis(200),
            client_idle: Duration::from_millis(20),
            rounds: 1,
            seed: 42,
            // What was just before the server closed is not looked at here: on a busy machine that is no
            // moment.
            long_idle: Some(LongIdleOptions {
                workers: 8,
                server_idle: Duration::from_millis(200),
                client_idle: Duration::from_millis(20),
                margin: Duration::from_millis(200),
            }),
        };
        let watch: Arc<dyn Watch> = Arc::new(Silent);
        let stale = stale_check(&options, &watch).unwrap();
        let [none, check, sweeper] = [&stale.arms[0], &stale.arms[1], &stale.arms[2]];
        assert!(none.resets > 0 && none.failed == none.resets, "{none:?}");
        assert!(none.close_wait_max.is_none_or(|count| count > 0), "{none:?}");
        assert!(check.failed < none.failed, "{check:?}");
        assert_eq!((sweeper.requests, sweeper.failed), (500, 0), "{sweeper:?}");
        assert!(stale.verdicts[0].holds && stale.verdicts[1].holds, "{:?}", stale.verdicts);
        let [none, check, sweeper] = &stale.long_idle[..] else { panic!("{:?}", stale.long_idle) };
        assert!(none.close_wait_after.is_none_or(|count| count > 0), "{none:?}");
        assert!(none.failed_after > 0 && check.failed_after < none.failed_after, "{none:?} {check:?}");
        assert!(sweeper.close_wait_after.is_none_or(|count| count == 0), "{sweeper:?}");
        assert_eq!((sweeper.requests_after, sweeper.failed_after), (64, 0), "{sweeper:?}");
    }
}
