//! Whether a row of windows still drifts: the test by which warm-up ends. Mann-Kendall (1945) asks only for
//! order, so one slow window does not decide, and needs no assumption about the noise. In: throughputs of
//! windows of equal length; out: yes or no. Two conditions, since a slow drift within a long row of noise
//! passes one of them alone.

use super::median;

/// Direction of a row of values, if any can be distinguished from chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trend {
    Rising,
    Falling,
    None,
}

/// Below this |z| a row of values counts as without trend: two-sided p = 0.2, stricter about drift than the
/// usual 0.05 because here the costly error is to stop too soon.
const Z_MAX: f64 = 1.2816;
/// Halves whose medians differ by more are not settled, whatever the test says.
const DRIFT_MAX: f64 = 0.05;

/// The Mann-Kendall test with its normal approximation and continuity correction, ties not corrected for;
/// values below four have no trend that could be distinguished.
fn mann_kendall(values: &[f64]) -> Trend {
    let count = values.len() as f64;
    let mut sum = 0i64;
    for (index, earlier) in values.iter().enumerate() {
        for later in &values[index + 1..] {
            sum += i64::from(later > earlier) - i64::from(later < earlier);
        }
    }
    let deviation = (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
    let z = (sum.unsigned_abs().saturating_sub(1)) as f64 / deviation;
    match sum {
        _ if values.len() < 4 || z <= Z_MAX => Trend::None,
        1.. => Trend::Rising,
        _ => Trend::Falling,
    }
}

/// Whether the last `window` values neither drift nor differ between their halves.
pub fn settled(values: &[f64], window: usize) -> bool {
    let Some(start) = values.len().checked_sub(window) else { return false };
    let (first, second) = values[start..].split_at(window / 2);
    let close = median(first)
        .zip(median(second))
        .is_some_and(|(a, b)| (a - b).abs() <= DRIFT_MAX * a.abs().max(b.abs()));
    close && mann_kendall(&values[start..]) == Trend::None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn trends_are_told_from_noise() {
        let check = |values: &[f64], expected| assert_eq!(mann_kendall(values), expected, "{values:?}");
        check(&[], Trend::None);
        check(&[1.0, 2.0, 3.0], Trend::None);
        check(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Trend::Rising);
        check(&[6.0, 5.0, 4.5, 3.0, 2.0, 1.0], Trend::Falling);
        check(&[5.0; 8], Trend::None);
        check(&[3.0, 5.0, 4.0, 3.5, 5.0, 3.2, 4.4, 4.1], Trend::None);
        // One window that stalls is no trend.
        check(&[5.0, 5.1, 4.9, 5.0, 1.0, 5.2, 4.8, 5.0], Trend::None);
    }

    #[test]
    fn noise_alone_is_rarely_called_a_trend() {
        let mut random = Random::new(11);
        let called = (0..1000)
            .filter(|_| mann_kendall(&std::array::from_fn::<f64, 8, _>(|_| random.unit())) != Trend::None)
            .count();
        assert!((100..300).contains(&called), "{called} of 1000, where 200 are meant");
    }

    #[test]
    fn a_warming_row_settles_on_its_plateau() {
        let warming: Vec<f64> =
            (0..40u32).map(|n| 100.0 * (1.0 - 0.7f64.powi(n as i32)) + f64::from(n % 2)).collect();
        let settles = (0..=40).find(|count| settled(&warming[..*count], 8)).unwrap();
        assert!((10..25).contains(&settles), "{settles}");
        assert!(!settled(&[100.0; 7], 8));
        assert!(settled(&[100.0; 8], 8));
    }
}
