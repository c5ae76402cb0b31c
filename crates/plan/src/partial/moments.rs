//! Counts, sums and sums of squares, and the numbers that follow from them.
//!
//! A shard adds up its values one by one in double precision, as Solr does, so that the sum of one shard is
//! Solr's to the last digit. Sums of shards are then added without rounding (Shewchuk, "Adaptive Precision
//! Floating-Point Arithmetic", 1997) and rounded once: the order of shards does not show. Against one shard
//! with all n values v the difference is at most n · 2^-52 · Σ|v|, and nothing where all partial sums are
//! whole numbers below 2^53, as those of integers and dates mostly are.

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use crate::facet::bucket::StatFunction;

/// What is summed up of numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    pub count: u64,
    pub sum: Sum,
    pub squares: Sum,
    /// Whether the numbers are dates: then so is their mean.
    pub dates: bool,
}

impl Moments {
    /// A statistic that follows from these.
    pub fn number(&self, function: &StatFunction) -> Option<f64> {
        let (count, sum) = (self.count as f64, self.sum.value());
        Some(match function {
            StatFunction::Sum => sum,
            StatFunction::SumOfSquares => self.squares.value(),
            StatFunction::Average if self.count == 0 => 0.0,
            StatFunction::Average | StatFunction::Mean => sum / count,
            StatFunction::Variance => variance(count, sum, self.squares.value()),
            StatFunction::StdDev => variance(count, sum, self.squares.value()).sqrt(),
            _ => return None,
        })
    }
}

impl Merge for Moments {
    fn merge(self, other: Self) -> Self {
        let Self { count, sum, squares, dates } = other;
        Self {
            count: self.count + count,
            sum: self.sum.merge(sum),
            squares: self.squares.merge(squares),
            dates: self.dates || dates,
        }
    }
}

/// Of a sample, from its sums, as Solr computes it.
fn variance(count: f64, sum: f64, squares: f64) -> f64 {
    if count < 2.0 {
        return 0.0;
    }
    let variance = (count * squares - sum * sum) / (count * (count - 1.0));
    // Below 0 it is by rounding. What is no number, of endless values or such, stays so.
    if variance < 0.0 { 0.0 } else { variance }
}

/// A sum of doubles that loses nothing by merging, as long as it does not pass the largest double on the way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sum {
    /// Of one shard all there is; what is endless or no number is here as well.
    head: f64,
    /// What adding up the heads lost: no two overlap, ascending in size. Not allocated for one shard.
    rest: Vec<f64>,
}

/// Equal sums may be kept in other parts.
impl PartialEq for Sum {
    fn eq(&self, other: &Self) -> bool {
        self.value().to_bits() == other.value().to_bits()
    }
}

impl From<f64> for Sum {
    fn from(head: f64) -> Self {
        Self { head, rest: Vec::new() }
    }
}

impl Sum {
    /// Rounded once.
    pub fn value(&self) -> f64 {
        rounded(&self.rest, self.head)
    }

    fn add(&mut self, number: f64) {
        if !(self.head.is_finite() && number.is_finite()) {
            self.head += number;
            self.rest.clear();
            return;
        }
        // Shewchuk's Grow-Expansion: from the smallest part on, each rounding error stays behind.
        let mut carried = number;
        let parts = std::mem::take(&mut self.rest).into_iter().chain([self.head]);
        for part in parts {
            let (sum, error) = two_sum(carried, part);
            if error != 0.0 {
                self.rest.push(error);
            }
            carried = sum;
        }
        self.head = carried;
        if !self.head.is_finite() {
            self.rest.clear();
        }
    }
}

impl Merge for Sum {
    fn merge(mut self, other: Self) -> Self {
        let Self { head, rest } = other;
        rest.into_iter().chain([head]).for_each(|part| self.add(part));
        self
    }
}

/// The sum as it is rounded, and what that lost (Knuth).
fn two_sum(left: f64, right: f64) -> (f64, f64) {
    let sum = left + right;
    let from_right = sum - left;
    (sum, (left - (sum - from_right)) + (right - from_right))
}

/// The double nearest to the sum of parts that do not overlap, the smallest first and `head` greatest.
fn rounded(rest: &[f64], head: f64) -> f64 {
    let mut sum = head;
    for (at, part) in rest.iter().enumerate().rev() {
        let (next, error) = two_sum(sum, *part);
        sum = next;
        if error == 0.0 {
            continue;
        }
        // Half way between two doubles: what is below decides, and it has not been looked at.
        let below = at.checked_sub(1).and_then(|below| rest.get(below)).copied().unwrap_or_default();
        let twice = error * 2.0;
        if (error < 0.0) == (below < 0.0) && below != 0.0 && (sum + twice) - sum == twice {
            sum += twice;
        }
        break;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(numbers: &[f64]) -> Sum {
        numbers.iter().map(|number| Sum::from(*number)).fold(Sum::default(), Merge::merge)
    }

    #[test]
    fn the_order_of_parts_does_not_show() {
        let check = |numbers: &[f64], expected: f64| {
            let turned: Vec<f64> = numbers.iter().rev().copied().collect();
            let (left, right) = numbers.split_at(numbers.len() / 2);
            let found = [sum(numbers), sum(&turned), sum(right).merge(sum(left))].map(|sum| sum.value());
            assert_eq!(found, [expected; 3], "{numbers:?}");
        };
        check(&[0.1; 10], 1.0);
        check(&[1e100, 1.0, -1e100, 1e-30], 1.0);
        check(&[1.0, 1e-16, 1e-16, 1e-16], 1.000_000_000_000_000_2);
        // Half way, and above it by what is lost far below.
        check(&[1.0, f64::EPSILON / 2.0, 1e-300], 1.0 + f64::EPSILON);
        check(&[1.0, f64::EPSILON / 2.0, -1e-300], 1.0);
        check(&[f64::INFINITY, 1.0, -5.0, 2.0], f64::INFINITY);
        assert!(sum(&[f64::INFINITY, 1.0, f64::NEG_INFINITY]).value().is_nan());
    }

    #[test]
    fn one_part_is_what_it_was() {
        let naive = 0.1 + 0.2;
        assert_eq!(Sum::from(naive).value(), naive);
        assert_eq!(Sum::from(naive).merge(Sum::default()).value(), naive);
    }

    #[test]
    fn the_variance_is_that_of_a_sample() {
        assert_eq!(variance(0.0, 0.0, 0.0), 0.0);
        assert_eq!(variance(1.0, 5.0, 25.0), 0.0);
        assert_eq!(variance(3.0, 6.0, 14.0), 1.0);
        assert_eq!(variance(2.0, 0.2, 0.02), 0.0);
        assert!(variance(2.0, f64::INFINITY, f64::INFINITY).is_nan());
    }
}
