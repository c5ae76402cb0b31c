//! One shard's part of a statistic: what is needed to merge it, not yet the number that is shown. The engine
//! fills it, `crates/cluster/src/finish/stats.rs` makes the number; an average travels as the moments it is
//! made of, a percentile as the values it is taken from.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::distinct::DistinctValues;
use super::merge::Merge;
use super::moments::Moments;
use super::related::RelatedCounts;
use super::sorted::merge_sorted;
use crate::value::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StatPartial {
    /// Of values, of documents without one, or of parents: each is one shard's alone.
    Count(u64),
    /// For sums, averages and how far values lie apart.
    Moments(Moments),
    Extreme(Extreme),
    Distinct(DistinctValues),
    Samples(Samples),
    /// `None` where a bucket is compared with nothing, as that of all values is.
    Related(Option<RelatedCounts>),
}

impl Merge for StatPartial {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Self::Count(own), Self::Count(other)) => Self::Count(own + other),
            (Self::Moments(own), Self::Moments(other)) => Self::Moments(own.merge(other)),
            (Self::Extreme(own), Self::Extreme(other)) => Self::Extreme(own.merge(other)),
            (Self::Distinct(own), Self::Distinct(other)) => Self::Distinct(own.merge(other)),
            (Self::Samples(own), Self::Samples(other)) => Self::Samples(own.merge(other)),
            (Self::Related(own), Self::Related(other)) => Self::Related(own.merge(other)),
            // One place of one plan is of one kind.
            (own, _) => own,
        }
    }
}

/// The least or the greatest value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extreme {
    pub least: bool,
    /// As it is shown; `None` of no values.
    pub value: Option<Value>,
    /// Whether there would be reals or truths: such an end without a value comes after all others, as in
    /// Solr, where it is not a number.
    pub reals: bool,
}

impl Merge for Extreme {
    fn merge(self, other: Self) -> Self {
        let keeps = |own: &Value, other: &Value| match own.order(other) {
            Ordering::Less => self.least,
            Ordering::Greater => !self.least,
            Ordering::Equal => true,
        };
        let value = match (self.value, other.value) {
            (Some(own), Some(other)) => Some(if keeps(&own, &other) { own } else { other }),
            (own, other) => own.or(other),
        };
        Self { least: self.least, value, reals: self.reals || other.reals }
    }
}

/// Numbers in ascending order, of which shares are asked for. All are kept: merging is sorting, and the
/// answer is exact. Solr differs: it keeps a digest of many values, which for some hundred is as exact as
/// this and of more comes near it (`compat/facet/json_stats.yaml`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    kept: Vec<f64>,
    /// The places of those that were kept, where that is not all; [`crate::CutDepth::Page`] allows it.
    places: Option<Vec<usize>>,
    count: usize,
}

impl Samples {
    /// Of numbers in ascending order.
    pub fn all(sorted: Vec<f64>) -> Self {
        Self { count: sorted.len(), kept: sorted, places: None }
    }

    /// Only those that answer for these shares.
    pub fn at(sorted: &[f64], shares: &[f64]) -> Self {
        let place = |share: &f64| place_of(*share, sorted.len());
        let mut places: Vec<usize> = shares.iter().filter_map(place).collect();
        places.sort_unstable();
        places.dedup();
        let kept = places.iter().filter_map(|place| sorted.get(*place)).copied().collect();
        Self { kept, places: Some(places), count: sorted.len() }
    }

    /// The value at the share's place (0 to 100) among all.
    pub fn at_share(&self, share: f64) -> Option<f64> {
        let place = place_of(share, self.count)?;
        let kept = match &self.places {
            None => place,
            Some(places) => places.binary_search(&place).ok()?,
        };
        self.kept.get(kept).copied()
    }
}

/// The place of a share (0 to 100) among this many numbers in their order.
fn place_of(share: f64, count: usize) -> Option<usize> {
    let place = (share / 100.0 * count as f64) as usize;
    Some(place.min(count.checked_sub(1)?))
}

impl Merge for Samples {
    fn merge(self, other: Self) -> Self {
        // Never equal, so that none gets lost.
        let order = |own: &f64, other: &f64| own.total_cmp(other).then(Ordering::Less);
        Self::all(merge_sorted(self.kept, other.kept, order, |own, _| own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_at_their_place() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        let check = |share, expected| {
            let all = Samples::all(sorted.to_vec());
            assert_eq!(all.at_share(share), expected, "{share}");
            assert_eq!(Samples::at(&sorted, &[90.0, share]).at_share(share), expected, "{share}");
        };
        check(0.0, Some(1.0));
        check(24.0, Some(1.0));
        check(25.0, Some(2.0));
        check(50.0, Some(3.0));
        check(100.0, Some(4.0));
        assert_eq!(Samples::default().at_share(50.0), None);
        assert_eq!(Samples::at(&[], &[50.0]).at_share(50.0), None);
    }

    #[test]
    fn extremes_are_those_of_all() {
        let end = |least, value: &str| Extreme { least, value: Some(Value::Str(value.into())), reals: false };
        assert_eq!(end(true, "b").merge(end(true, "a")), end(true, "a"));
        assert_eq!(end(false, "b").merge(end(false, "a")), end(false, "b"));
        let none = Extreme { least: true, value: None, reals: true };
        let merged = none.clone().merge(end(true, "z"));
        assert_eq!(merged, Extreme { reals: true, ..end(true, "z") });
        assert_eq!(end(true, "z").merge(none), merged);
    }
}
