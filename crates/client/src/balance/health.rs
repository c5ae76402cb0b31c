//! Whether a server is asked: it is left out after failures in a row, longer each time, and comes back
//! slowly, so that one that is just starting is not met by everything at once. A state machine over points in
//! time; it waits for nothing.

use std::time::Duration;

use tokio::time::Instant;

use crate::options::EjectionOptions;

/// The share of its requests that a server gets when it comes back.
const REENTRY_SHARE: f64 = 0.1;

#[derive(Debug, Default)]
pub(super) struct Health {
    failures_in_row: u32,
    ejection: Option<Ejection>,
}

#[derive(Debug)]
struct Ejection {
    until: Instant,
    /// How often in a row, which its length follows from.
    count: u32,
}

/// What an attempt says of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Good,
    Failed,
    /// Nothing accepts connections there: one such is enough.
    Unreachable,
}

impl Health {
    /// The share of requests for which the server is a candidate: 0 while it is left out.
    pub fn share(&self, now: Instant, options: &EjectionOptions) -> f64 {
        let Some(ejection) = &self.ejection else { return 1.0 };
        if now < ejection.until {
            return 0.0;
        }
        let back_for = now.duration_since(ejection.until);
        if back_for >= options.reentry {
            return 1.0;
        }
        let progress = back_for.as_secs_f64() / options.reentry.as_secs_f64();
        REENTRY_SHARE + (1.0 - REENTRY_SHARE) * progress
    }

    /// Whether the server is left out from now on.
    pub fn record(&mut self, verdict: Verdict, now: Instant, options: &EjectionOptions) -> bool {
        match verdict {
            Verdict::Good => {
                self.failures_in_row = 0;
                if self.share(now, options) >= 1.0 {
                    self.ejection = None;
                }
                return false;
            }
            Verdict::Failed => self.failures_in_row += 1,
            Verdict::Unreachable => self.failures_in_row = self.failures_in_row.max(options.failures.max(1)),
        }
        // Answers to what was asked before it was left out say nothing new.
        let is_out = self.ejection.as_ref().is_some_and(|ejection| now < ejection.until);
        // One that is coming back has used up its credit: a single failure is enough.
        let is_back = self.ejection.is_some() && self.share(now, options) < 1.0;
        if is_out || self.failures_in_row < options.failures.max(1) && !is_back {
            return false;
        }
        self.eject(now, options);
        true
    }

    fn eject(&mut self, now: Instant, options: &EjectionOptions) {
        let count = self.ejection.as_ref().map_or(0, |ejection| ejection.count) + 1;
        let factor = 1_u32.checked_shl(count - 1).unwrap_or(u32::MAX);
        let period = options.period.checked_mul(factor).unwrap_or(Duration::MAX).min(options.period_max);
        self.ejection = Some(Ejection { until: now + period, count });
        self.failures_in_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 failures, 1 s up to 60 s, 10 s to come back.
    const OPTIONS: EjectionOptions = EjectionOptions {
        failures: 3,
        period: Duration::from_secs(1),
        period_max: Duration::from_secs(60),
        reentry: Duration::from_secs(10),
    };

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_eject_and_time_brings_back() {
        let (mut health, start) = (Health::default(), Instant::now());
        let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
        assert!(!health.record(Verdict::Failed, at(0), &OPTIONS));
        assert!(!health.record(Verdict::Failed, at(0), &OPTIONS));
        assert!(!health.record(Verdict::Good, at(0), &OPTIONS));
        assert!(!health.record(Verdict::Failed, at(0), &OPTIONS));
        assert!(!health.record(Verdict::Failed, at(0), &OPTIONS));
        assert!(health.record(Verdict::Failed, at(0), &OPTIONS));
        let check = |milliseconds: u64, share: f64| {
            let found = health.share(at(milliseconds), &OPTIONS);
            assert!((found - share).abs() < 1e-9, "{milliseconds}: {found}");
        };
        check(0, 0.0);
        check(999, 0.0);
        check(1000, 0.1);
        check(6000, 0.55);
        check(11_000, 1.0);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_fails_again_is_left_out_longer() {
        let (mut health, mut now) = (Health::default(), Instant::now());
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert!(health.record(Verdict::Unreachable, now, &OPTIONS));
            // What was under way fails too, and does not count.
            assert!(!health.record(Verdict::Unreachable, now, &OPTIONS));
            let period = Duration::from_secs(seconds);
            assert_eq!(health.share(now + period - Duration::from_millis(1), &OPTIONS), 0.0);
            now += period;
            assert!(health.share(now, &OPTIONS) > 0.0, "{seconds}");
        }
        // A good answer after it has come back altogether forgets the past.
        now += OPTIONS.reentry;
        assert!(!health.record(Verdict::Good, now, &OPTIONS));
        assert!(health.record(Verdict::Unreachable, now, &OPTIONS));
        assert!(health.share(now + OPTIONS.period, &OPTIONS) > 0.0);
    }
}
