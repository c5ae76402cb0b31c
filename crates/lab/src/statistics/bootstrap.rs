//! How far a median may be trusted: the percentile bootstrap (Efron, 1979). Resamples are seeded, so that a report can be
//! recomputed from its raw data to the last digit.

use serde::{Deserialize, Serialize};

use super::median;
use crate::random::Random;

const RESAMPLES: usize = 2000;

/// A median and the bounds between which 95 % of the resampled medians lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// `None` of nothing. Of few values the bounds are among the values themselves: five pairs cannot promise more.
pub fn median_interval(values: &[f64], seed: u64) -> Option<Interval> {
    let middle = median(values)?;
    let mut random = Random::new(seed);
    let mut resample = vec![0.0; values.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            resample.iter_mut().for_each(|slot| *slot = values[random.below(values.len() as u64) as usize]);
            median(&resample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at = |share: f64| medians[((RESAMPLES - 1) as f64 * share).round() as usize];
    Some(Interval { median: middle, low: at(0.025), high: at(0.975) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_holds_the_median_and_narrows() {
        let mut random = Random::new(5);
        let noisy: Vec<f64> = (0..200).map(|_| 3.0 + random.unit()).collect();
        let (few, many) = (median_interval(&noisy[..5], 1).unwrap(), median_interval(&noisy, 1).unwrap());
        for interval in [few, many] {
            assert!(interval.low <= interval.median && interval.median <= interval.high);
        }
        assert!(many.high - many.low < few.high - few.low);
        assert!(many.low > 3.3 && many.high < 3.7, "{many:?}");
    }

    #[test]
    fn a_seed_gives_the_same_interval() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!(median_interval(&values, 9), median_interval(&values, 9));
        assert_eq!(median_interval(&values, 9).unwrap().median, 4.0);
    }

    #[test]
    fn edges() {
        assert_eq!(median_interval(&[], 1), None);
        assert_eq!(median_interval(&[2.0], 1), Some(Interval { median: 2.0, low: 2.0, high: 2.0 }));
    }
}
