//! What classic facets count: hits, or the groups that hits are in (Solr's `group.facet`). Groups travel as
//! their values, since the same group may have hits in several shards and counts once. Hits are counted by
//! addition, groups by union: that is why a part keeps the values and the answer only their number.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use super::sorted::merge_sorted;
use crate::value::Value;

/// How many hits or groups there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UnitCount {
    /// Hits, each of which is one shard's alone; or groups, where no other shard counts them.
    Number(u64),
    /// Groups by their values, as several shards may have hits of one.
    Groups(Box<GroupSet>),
}

/// The values of groups in ascending order, each once; `None` is the group of the hits without one. Shards
/// share the texts of their groups among all sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupSet(Vec<Option<Arc<Value>>>);

impl Default for UnitCount {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl UnitCount {
    pub fn count(&self) -> u64 {
        match self {
            Self::Number(count) => *count,
            Self::Groups(groups) => groups.0.len() as u64,
        }
    }
}

impl GroupSet {
    pub fn of(mut values: Vec<Option<Arc<Value>>>) -> Self {
        values.sort_unstable_by(order);
        values.dedup_by(|one, other| order(one, other).is_eq());
        Self(values)
    }
}

fn order(one: &Option<Arc<Value>>, other: &Option<Arc<Value>>) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => one.order(other),
        (one, other) => one.is_some().cmp(&other.is_some()),
    }
}

impl Merge for UnitCount {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            // Of a value that a shard has never met.
            (Self::Number(0), counted) | (counted, Self::Number(0)) => counted,
            (Self::Groups(own), Self::Groups(other)) => Self::Groups(own.merge(other)),
            // One plan counts either.
            (own, other) => Self::Number(own.count() + other.count()),
        }
    }
}

impl Merge for GroupSet {
    fn merge(self, other: Self) -> Self {
        Self(merge_sorted(self.0, other.0, order, |own, _| own))
    }
}
