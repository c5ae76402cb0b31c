//! How far a median may be trusted: the percentile bootstrap (Efron, 1979). Resamples are seeded, so that a
//! report can be recomputed from its raw data to the last digit. In: one number for each pair of slices; out:
//! an interval. It asks for no shape of the noise, which on shared machines is lopsided and in bursts.

use serde::{Deserialize, Serialize};

use super::{geometric_mean, median};
use crate::random::Random;

const RESAMPLES: usize = 2000;

/// A median and the bounds between which 95 % of the resampled medians lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// `None` of nothing. Of few values the bounds are among the values themselves: five pairs cannot promise
/// more.
pub fn median_interval(values: &[f64], seed: u64) -> Option<Interval> {
    bootstrap(seed, median(values)?, |random| median(&resampled(values, random)))
}

/// The geometric mean of the groups' medians, each group resampled by itself: its groups (the cases of a run)
/// are what they are, its values (the pairs of a case) are a sample. `None` where a group is empty or has a
/// value not above 0.
pub fn mean_interval(groups: &[Vec<f64>], seed: u64) -> Option<Interval> {
    let mean_of = |medians: Option<Vec<f64>>| geometric_mean(&medians?);
    let middle = mean_of(groups.iter().map(|values| median(values)).collect())?;
    bootstrap(seed, middle, |random| {
        mean_of(groups.iter().map(|values| median(&resampled(values, random))).collect())
    })
}

fn bootstrap(seed: u64, middle: f64, mut once: impl FnMut(&mut Random) -> Option<f64>) -> Option<Interval> {
    let mut random = Random::new(seed);
    let mut found: Vec<f64> = (0..RESAMPLES).filter_map(|_| once(&mut random)).collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found.get(((RESAMPLES - 1) as f64 * share).round() as usize).copied();
    Some(Interval { median: middle, low: at(0.025)?, high: at(0.975)? })
}

/// As many of `values` as there are, with repetitions.
fn resampled(values: &[f64], random: &mut Random) -> Vec<f64> {
    values.iter().map(|_| values[random.below(values.len() as u64) as usize]).collect()
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

    #[test]
    fn a_mean_over_groups_is_surer_than_one_group() {
        let mut random = Random::new(3);
        let mut group = || -> Vec<f64> { (0..15).map(|_| 0.9 + 0.2 * random.unit()).collect() };
        let groups: Vec<Vec<f64>> = (0..30).map(|_| group()).collect();
        let (one, all) = (mean_interval(&groups[..1], 1).unwrap(), mean_interval(&groups, 1).unwrap());
        assert_eq!(Some(one), median_interval(&groups[0], 1));
        assert!(all.high - all.low < (one.high - one.low) / 3.0, "{all:?} {one:?}");
        assert!(all.low < 1.0 && 1.0 < all.high, "{all:?}");
        assert_eq!(mean_interval(&[], 1), None);
        assert_eq!(mean_interval(&[vec![1.0], vec![]], 1), None);
    }
}
