//! Warm-up that ends by test, not by clock: short windows of load until throughput neither drifts nor differs
//! between halves. A JVM compiles for a while; a page cache fills; both show as a trend. The test itself is
//! `statistics/trend.rs`'s. It may end with a trend when the time is up; `record.rs` keeps that it did, and
//! the report shows it.

use std::time::{Duration, Instant};

use super::record::WarmUp;
use crate::error::Error;
use crate::load::{self, Shape, Target};
use crate::statistics::settled;

const WINDOW: Duration = Duration::from_millis(125);
/// Windows that must be without trend.
const WINDOWS: usize = 8;

/// Loads `target` in a closed loop until its throughput is settled, at most `at_most`.
pub fn warm(target: Target<'_>, connections: usize, at_most: Duration) -> Result<WarmUp, Error> {
    until_settled(at_most, || {
        let load = load::run(target, Shape::Closed { connections }, WINDOW.min(at_most), 0)?;
        Ok(load.per_second())
    })
}

/// Calls `window` for throughputs until they are settled or `at_most` has passed, once at least.
pub fn until_settled(
    at_most: Duration,
    mut window: impl FnMut() -> Result<f64, Error>,
) -> Result<WarmUp, Error> {
    let started = Instant::now();
    let mut throughputs = Vec::new();
    loop {
        throughputs.push(window()?);
        let settled = settled(&throughputs, WINDOWS);
        let elapsed = started.elapsed();
        if settled || elapsed >= at_most {
            return Ok(WarmUp { seconds: elapsed.as_secs_f64(), settled });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_when_the_trend_is_gone_or_time_is_up() {
        let mut rising = (0..).map(|window: u32| f64::from(window.min(20)));
        let mut windows = 0;
        let warm_up = until_settled(Duration::from_secs(3600), || {
            windows += 1;
            Ok(rising.next().unwrap())
        });
        assert!(warm_up.unwrap().settled);
        assert!((21..40).contains(&windows), "{windows}");
        let warm_up = until_settled(Duration::ZERO, || Ok(1.0)).unwrap();
        assert!(!warm_up.settled);
    }
}
