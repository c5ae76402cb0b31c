//! Hits of one shard in groups. A group is known by its value, so groups merge as counts do; its hits merge
//! as hits do. Which groups are on the page, and which of their hits, is decided above all shards
//! (`crates/cluster/src/finish/groups.rs`); a shard gives as many of either as the page could need. One that
//! is not alone names its first groups, and gives the hits of those that turn out to be on the page when it
//! is asked again ([`crate::GroupListing`]).

use serde::{Deserialize, Serialize};

use super::ByValue;
use super::hits::{HitRef, RankedHits};
use super::merge::Merge;
use crate::value::Value;

/// The groups by one field, function or query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupsPartial {
    /// Hits in all groups.
    pub matches: u64,
    /// As [`crate::GroupListing`] has it. At [`crate::GroupListing::Page`], which does not merge, those up to
    /// the end of the page: `left_out` counts the others where the plan asks how many there are.
    pub values: ByValue<GroupPartial>,
    /// The hits without a value; those of a query too.
    pub without: Option<GroupPartial>,
}

impl GroupsPartial {
    /// Adds a group by its value, `None` being that of hits without one; to be
    /// [ordered](Self::order_by_value) once all are there.
    pub fn add(&mut self, value: Option<Value>, group: GroupPartial) {
        match value {
            Some(value) => self.values.list.push((value, group)),
            None => self.without = Some(group),
        }
    }

    pub fn order_by_value(&mut self) {
        self.values.list.sort_by(|(left, _), (right, _)| left.order(right));
    }
}

impl Merge for GroupsPartial {
    fn merge(self, other: Self) -> Self {
        Self {
            matches: self.matches + other.matches,
            values: self.values.merge(other.values),
            without: self.without.merge(other.without),
        }
    }
}

/// What a shard has of one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupPartial {
    /// Its first hit in the search's own order, by which groups are ordered; `None` for a query's, and where
    /// the group is not among the first.
    pub head: Option<HitRef>,
    /// 0 where hits are not listed.
    pub total: u64,
    /// Present when scores were computed.
    pub score_max: Option<f32>,
    /// In the order within groups.
    pub hits: RankedHits,
}

impl Merge for GroupPartial {
    fn merge(self, other: Self) -> Self {
        let head = match (self.head, other.head) {
            (Some(own), Some(other)) => Some(if own.order(&other).is_le() { own } else { other }),
            (own, other) => own.or(other),
        };
        Self {
            head,
            total: self.total + other.total,
            score_max: greatest(self.score_max, other.score_max),
            hits: self.hits.merge(other.hits),
        }
    }
}

/// The greatest of all shards' greatest scores.
pub(super) fn greatest(own: Option<f32>, other: Option<f32>) -> Option<f32> {
    match (own, other) {
        (Some(own), Some(other)) => Some(own.max(other)),
        (own, other) => own.or(other),
    }
}
