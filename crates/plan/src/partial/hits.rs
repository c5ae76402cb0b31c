//! The hits of a shard as references: where each is, and what orders it among those of all shards. No
//! documents: the page is known once all shards have answered, and only its hits are worth loading, in a
//! second step, from the same snapshots. Made by `engine`; merged and cut in `cluster`, which hands those of
//! the page back to be fetched.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use crate::value::Value;

/// A hit of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HitRef {
    /// Which of the shards that a request asks; a shard that speaks of itself says 0.
    pub shard: u32,
    /// Its number in the shard's snapshot.
    pub segment: u32,
    pub doc: u32,
    pub score: Option<f32>,
    /// By the query that gives a second opinion ([`crate::Rerank`]), where there is one and it finds the hit.
    pub second_score: Option<f32>,
    /// What the keys of the sort are worth, in their order; empty where the score alone decides, which is the
    /// path that must not allocate for each hit.
    pub sort: Vec<SortValue>,
}

impl HitRef {
    /// With nothing known of it but where it is.
    pub fn at(segment: usize, doc: u32) -> Self {
        Self { segment: u32::try_from(segment).unwrap_or(u32::MAX), doc, ..Self::default() }
    }

    pub fn scored(segment: usize, doc: u32, score: f32) -> Self {
        Self { score: Some(score), ..Self::at(segment, doc) }
    }

    /// The segment's number, to find it by.
    pub fn segment_number(&self) -> usize {
        self.segment as usize
    }

    /// Where it is. Ties end by this: shards in their order, index order within each, as in Solr.
    pub fn position(&self) -> (u32, u32, u32) {
        (self.shard, self.segment, self.doc)
    }

    /// The total order of hits of one search; no two are equal.
    pub fn order(&self, other: &Self) -> Ordering {
        let by_keys = if self.sort.is_empty() {
            other.score.unwrap_or(0.0).total_cmp(&self.score.unwrap_or(0.0))
        } else {
            let keys = self.sort.iter().zip(&other.sort).map(|(own, other)| own.order(other));
            keys.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        by_keys.then_with(|| self.position().cmp(&other.position()))
    }
}

/// What a sort key is worth for a hit, with its direction: such values compare without the plan, in any shard
/// and above all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SortValue {
    /// No value, and such hits come first.
    First,
    Ascending(Value),
    Descending(Value),
    /// No value, and such hits come last.
    Last,
}

impl SortValue {
    /// Of values of one key; smaller comes first.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Ascending(own), Self::Ascending(other)) => own.order(other),
            (Self::Descending(own), Self::Descending(other)) => other.order(own),
            _ => self.stage().cmp(&other.stage()),
        }
    }

    fn stage(&self) -> u8 {
        match self {
            Self::First => 0,
            Self::Ascending(_) | Self::Descending(_) => 1,
            Self::Last => 2,
        }
    }

    /// The value without its direction.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Ascending(value) | Self::Descending(value) => Some(value),
            Self::First | Self::Last => None,
        }
    }
}

/// The first hits in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankedHits {
    /// How many are wanted, of all shards together.
    pub limit: usize,
    pub list: Vec<HitRef>,
}

impl RankedHits {
    /// Says of which of the shards they are.
    pub fn name_shard(&mut self, number: u32) {
        self.list.iter_mut().for_each(|hit| hit.shard = number);
    }
}

impl Merge for RankedHits {
    /// A hit that some shard left out stands behind `limit` others of that shard, and so of all.
    fn merge(self, other: Self) -> Self {
        let limit = self.limit.max(other.limit);
        if other.list.is_empty() {
            return Self { limit, list: self.list };
        }
        let mut list = Vec::with_capacity(limit.min(self.list.len() + other.list.len()));
        let (mut own, mut others) = (self.list.into_iter().peekable(), other.list.into_iter().peekable());
        while list.len() < limit {
            let own_first = match (own.peek(), others.peek()) {
                (Some(own), Some(other)) => own.order(other).is_le(),
                (own, _) => own.is_some(),
            };
            let Some(next) = (if own_first { own.next() } else { others.next() }) else { break };
            list.push(next);
        }
        Self { limit, list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(shard: u32, doc: u32, key: SortValue) -> HitRef {
        HitRef { shard, sort: vec![key], ..HitRef::at(0, doc) }
    }

    #[test]
    fn missing_values_stand_where_their_key_puts_them() {
        use SortValue::{Ascending, Descending, First, Last};
        let check = |keys: [SortValue; 4]| {
            for (at, key) in keys.iter().enumerate() {
                for (other_at, other) in keys.iter().enumerate() {
                    assert_eq!(key.order(other), at.cmp(&other_at), "{key:?} {other:?}");
                }
            }
        };
        check([First, Ascending(Value::Int(-1)), Ascending(Value::Int(2)), Last]);
        check([First, Descending(Value::Str("b".into())), Descending(Value::Str("a".into())), Last]);
    }

    #[test]
    fn ties_end_by_shard_and_place() {
        let tie = |shard, doc| keyed(shard, doc, SortValue::Last);
        assert!(tie(0, 9).order(&tie(1, 0)).is_lt() && tie(1, 0).order(&tie(1, 1)).is_lt());
        let (high, low) = (HitRef::scored(0, 7, 2.0), HitRef::scored(0, 1, 1.0));
        assert!(high.order(&low).is_lt());
        assert!(HitRef::scored(0, 1, 1.0).order(&HitRef::scored(1, 0, 1.0)).is_lt());
    }

    #[test]
    fn the_first_of_all_are_kept() {
        let part = |shard, scores: &[f32]| {
            let list =
                scores.iter().zip(0..).map(|(score, doc)| HitRef { shard, ..HitRef::scored(0, doc, *score) });
            RankedHits { limit: 3, list: list.collect() }
        };
        let scores = |hits: RankedHits| -> Vec<(u32, f32)> {
            hits.list.iter().map(|hit| (hit.shard, hit.score.unwrap())).collect()
        };
        let merged = || part(0, &[3.0, 1.0]).merge(part(1, &[3.0, 2.0, 0.5]));
        assert_eq!(scores(merged()), [(0, 3.0), (1, 3.0), (1, 2.0)]);
        assert_eq!(part(1, &[3.0, 2.0, 0.5]).merge(part(0, &[3.0, 1.0])), merged());
        assert_eq!(RankedHits::default().merge(merged()), merged());
        assert_eq!(merged().merge(RankedHits::default()), merged());
    }
}
