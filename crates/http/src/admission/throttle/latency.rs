//! How long searches took recently, for a goal that follows from it: a histogram that forgets.
//!
//! In: times, as they end; out: a quantile of them. Buckets are an eighth of a doubling wide, so a quantile
//! is at most a tenth too high, and never too low.

use std::time::Duration;

/// A doubling has this many.
const PER_DOUBLING: f64 = 8.0;
/// Up to 67 s; what takes longer is counted as that.
const BUCKETS: usize = 26 * PER_DOUBLING as usize;
/// With fewer than these nothing is known.
const SAMPLES_MIN: f64 = 16.0;

/// Counts are weights: of a search that ended just now 1, of earlier ones less.
pub(super) struct RecentTimes {
    weights: Box<[f64; BUCKETS]>,
    total: f64,
}

impl RecentTimes {
    pub fn new() -> Self {
        Self { weights: Box::new([0.0; BUCKETS]), total: 0.0 }
    }

    pub fn record(&mut self, time: Duration) {
        let micros = time.as_secs_f64() * 1e6;
        // As an index what is below a microsecond is 0.
        let bucket = (micros.max(1.0).log2() * PER_DOUBLING) as usize;
        if let Some(weight) = self.weights.get_mut(bucket.min(BUCKETS - 1)) {
            *weight += 1.0;
            self.total += 1.0;
        }
    }

    /// All that is known counts this share of what it did.
    pub fn forget(&mut self, share: f64) {
        self.weights.iter_mut().for_each(|weight| *weight *= share);
        self.total *= share;
    }

    /// The bound of the bucket that the quantile lies in; `None` while too little is known.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        if self.total < SAMPLES_MIN {
            return None;
        }
        let mut above = self.total * (1.0 - quantile);
        let bucket = self.weights.iter().rposition(|weight| {
            above -= weight;
            above < 0.0
        })?;
        Some(Duration::from_secs_f64(((bucket + 1) as f64 / PER_DOUBLING).exp2() / 1e6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_a_little_too_high_at_most() {
        let mut times = RecentTimes::new();
        assert_eq!(times.quantile(0.5), None);
        (1..=1000).for_each(|ms| times.record(Duration::from_millis(ms)));
        for (quantile, ms) in [(0.5, 500.0), (0.9, 900.0), (0.99, 990.0)] {
            let found = times.quantile(quantile).unwrap().as_secs_f64() * 1e3;
            assert!((ms..ms * 1.1).contains(&found), "{quantile}: {found}");
        }
        times.record(Duration::from_secs(1_000_000));
        times.record(Duration::ZERO);
        assert!(times.quantile(0.9999).unwrap() > Duration::from_secs(60));
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut times = RecentTimes::new();
        (0..1000).for_each(|_| times.record(Duration::from_millis(800)));
        (0..40).for_each(|_| times.forget(0.8));
        (0..100).for_each(|_| times.record(Duration::from_millis(3)));
        assert!(times.quantile(0.99).unwrap() < Duration::from_millis(4));
        (0..40).for_each(|_| times.forget(0.8));
        assert_eq!(times.quantile(0.99), None);
    }
}
