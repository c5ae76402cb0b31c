//! What orders buckets by a statistic. One without a value comes before all, and an end of reals without one
//! after all, as in Solr, where it is not a number.
//!
//! In: a statistic and its merged part; out: something to compare, for `buckets`. The engine has ranks of its
//! own for the one case in which a shard chooses the page (`crates/engine/src/search/facet/tree/summary.rs`);
//! both must order alike.

use std::cmp::Ordering;

use plan::partial::StatPartial;
use plan::{StatFunction, Value};

/// The place of a bucket among others.
#[derive(Clone, Debug)]
pub(super) enum Rank {
    BeforeAll,
    Number(f64),
    Value(Value),
    /// Equally related ones by how many there are: of the foreground, then of the background.
    Related(f64, [u64; 2]),
    AfterAll,
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => left.total_cmp(right),
            (Self::Value(left), Self::Value(right)) => left.order(right),
            (Self::Related(left, own), Self::Related(right, others)) => {
                left.total_cmp(right).then_with(|| own.cmp(others))
            }
            (left, right) => left.class().cmp(&right.class()),
        }
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

impl Rank {
    fn class(&self) -> u8 {
        match self {
            Self::BeforeAll => 0,
            Self::Number(_) | Self::Value(_) | Self::Related(..) => 1,
            Self::AfterAll => 2,
        }
    }
}

pub(super) fn rank(function: &StatFunction, merged: &StatPartial) -> Rank {
    match (function, merged) {
        // The values themselves have no order.
        (StatFunction::DistinctValues, _) => Rank::BeforeAll,
        (_, StatPartial::Count(count)) => Rank::Number(*count as f64),
        (_, StatPartial::Moments(moments)) => moments.number(function).map_or(Rank::BeforeAll, Rank::Number),
        (_, StatPartial::Extreme(end)) => match &end.value {
            Some(value) => Rank::Value(value.clone()),
            None if end.reals => Rank::AfterAll,
            None => Rank::BeforeAll,
        },
        (_, StatPartial::Distinct(distinct)) => Rank::Number(distinct.count() as f64),
        (StatFunction::Percentiles(shares), StatPartial::Samples(samples)) => {
            let value = shares.first().and_then(|share| samples.at_share(*share));
            value.map_or(Rank::BeforeAll, Rank::Number)
        }
        (StatFunction::Relatedness { popularity_min }, StatPartial::Related(Some(counts))) => {
            Rank::Related(counts.relatedness(*popularity_min), [counts.foreground, counts.background])
        }
        _ => Rank::BeforeAll,
    }
}
