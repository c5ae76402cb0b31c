//! How long requests took recently, for hedging by quantile. Two histograms take turns: one fills while the
//! other is read. So what is read is at least one window and at most two old, without a clock. Only answers
//! are recorded, not failures: a refused connection is quick and would make every hedge too early.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

/// Requests after which the histograms change places.
const WINDOW: u64 = 1000;
/// With fewer than these nothing is known.
const SAMPLES_MIN: u64 = 20;

pub(super) struct RecentLatency(Mutex<[Histogram<u64>; 2]>);

impl RecentLatency {
    pub fn new() -> Self {
        let histogram = || Histogram::new_with_max(3_600_000_000, 2).expect("bounds in order");
        Self(Mutex::new([histogram(), histogram()]))
    }

    pub fn record(&self, latency: Duration) {
        let mut histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [filling, read] = &mut *histograms;
        filling.saturating_record(u64::try_from(latency.as_micros()).unwrap_or(u64::MAX));
        if filling.len() >= WINDOW {
            std::mem::swap(filling, read);
            filling.reset();
        }
    }

    /// `None` while too little is known.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        let histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [filling, read] = &*histograms;
        let known = if read.is_empty() { filling } else { read };
        (known.len() >= SAMPLES_MIN).then(|| Duration::from_micros(known.value_at_quantile(quantile)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thousand_count() {
        let recent = RecentLatency::new();
        let p95 = || recent.quantile(0.95).map(|latency| latency.as_millis());
        for _ in 0..SAMPLES_MIN {
            assert_eq!(p95(), None);
            recent.record(Duration::from_millis(10));
        }
        assert_eq!(p95(), Some(10));
        for milliseconds in [20, 40] {
            (0..WINDOW).for_each(|_| recent.record(Duration::from_millis(milliseconds)));
        }
        assert!(p95().is_some_and(|p95| (39..=41).contains(&p95)), "{:?}", p95());
    }
}
