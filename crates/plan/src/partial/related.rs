//! Relatedness: how much more of a foreground is in a bucket than of a background. Grainger et al., "The
//! Semantic Knowledge Graph" (2016), give the measure: how far the count in the foreground is from what the
//! background lets expect, squeezed between -1 and 1. Counts merge; the measure follows from them.

use serde::{Deserialize, Serialize};

use super::merge::Merge;

/// Sizes of both sets on the way to a bucket, and how much of each is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedCounts {
    pub foreground_size: u64,
    pub background_size: u64,
    pub foreground: u64,
    pub background: u64,
}

impl Merge for RelatedCounts {
    fn merge(self, other: Self) -> Self {
        Self {
            foreground_size: self.foreground_size + other.foreground_size,
            background_size: self.background_size + other.background_size,
            foreground: self.foreground + other.foreground,
            background: self.background + other.background,
        }
    }
}

impl RelatedCounts {
    /// From -1 to 1; endlessly little where less than `popularity_min` of the background is in the bucket.
    pub fn relatedness(&self, popularity_min: f64) -> f64 {
        let (foreground, background) = self.popularities();
        if foreground < popularity_min || background < popularity_min {
            return f64::NEG_INFINITY;
        }
        related((self.foreground, self.foreground_size), (self.background, self.background_size))
    }

    /// Shares of the background, also the foreground's.
    pub fn popularities(&self) -> (f64, f64) {
        let share = |count: u64| five_digits(count as f64 / self.background_size as f64);
        (share(self.foreground), share(self.background))
    }
}

/// Of counts with the sizes of their sets.
fn related((found, size): (u64, u64), (known, background_size): (u64, u64)) -> f64 {
    let (size, share) = (size as f64, known as f64 / background_size as f64);
    let spread = (size * share * (1.0 - share)).sqrt();
    let distance = (found as f64 - size * share) / if spread == 0.0 { 1e-10 } else { spread };
    let squeezed = |shift: f64, scale: f64| (distance + shift) / (scale + (distance + shift).abs());
    let steps = [(-80.0, 50.0), (-30.0, 30.0), (0.0, 30.0), (30.0, 30.0), (80.0, 50.0)];
    five_digits(steps.iter().map(|(shift, scale)| 0.2 * squeezed(*shift, *scale)).sum())
}

/// Rounded as Java does: what is no number is 0, what is endless the largest long.
fn five_digits(number: f64) -> f64 {
    (number * 1e5 + 0.5).floor() as i64 as f64 / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1 (`compat/facet/relatedness.yaml`).
    #[test]
    fn what_is_expected_is_not_related() {
        assert_eq!(related((2, 7), (10, 38)), 0.00151);
        assert_eq!(related((1, 7), (11, 38)), -0.00941);
        assert_eq!(related((11, 38), (11, 38)), 0.0);
        assert_eq!(related((3, 7), (0, 0)), 0.0);
        assert_eq!(five_digits(f64::INFINITY), 92_233_720_368_547.77);
    }
}
