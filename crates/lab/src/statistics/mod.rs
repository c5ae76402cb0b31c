//! What a row of measurements says: its median, how sure the median is, whether it still drifts. Pure
//! functions of numbers and a seed. Medians and not means, because a slice that another tenant spoiled should
//! count as one slice and no more. Latencies within a slice are histograms (`load/`), and are merged, not
//! averaged.

mod bootstrap;
mod trend;

pub use bootstrap::{Interval, mean_interval, median_interval};
pub use trend::settled;

/// The middle of `values`, the mean of both middles where their count is even; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    sorted.get(sorted.len() / 2 - 1).map(|lower| f64::midpoint(*lower, upper))
}

/// The mean of factors; `None` of nothing or where one is not above 0.
pub fn geometric_mean(factors: &[f64]) -> Option<f64> {
    let sound = !factors.is_empty() && factors.iter().all(|factor| *factor > 0.0);
    sound.then(|| (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_means() {
        let check = |values: &[f64], expected| assert_eq!(median(values), expected, "{values:?}");
        check(&[], None);
        check(&[3.0], Some(3.0));
        check(&[9.0, 1.0, 2.0], Some(2.0));
        check(&[4.0, 1.0, 2.0, 9.0], Some(3.0));
        assert_eq!(geometric_mean(&[2.0, 8.0]), Some(4.0));
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }
}
