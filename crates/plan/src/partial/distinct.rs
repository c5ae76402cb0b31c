//! The distinct values of a bucket, as one shard has them: counting those of several shards takes the values.
//! Made by `engine/search/facet/tree`, counted or shown by `crates/cluster/src/finish/stats.rs`. A hundred
//! thousand users are no rare answer, so that texts lie one behind the other: an allocation for each would
//! cost several times what it takes to find them.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use super::sorted::merge_sorted;
use crate::value::Value;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DistinctValues {
    listed: Listed,
    /// How many more there are that were only counted, which [`crate::CutDepth::Page`] allows.
    unlisted: u64,
}

/// In value order, each once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Listed {
    Texts(Texts),
    Values(Vec<Value>),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Texts {
    all: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Default for Listed {
    fn default() -> Self {
        Self::Values(Vec::new())
    }
}

impl DistinctValues {
    /// Values in their order, each once.
    pub fn of(values: Vec<Value>) -> Self {
        Self { listed: Listed::Values(values), unlisted: 0 }
    }

    /// Texts in their order, each once: `add` is called with the end of what is there so far, to put the next
    /// one behind it, and says whether there was one.
    ///
    /// Errors are those of `add`.
    pub fn of_texts<E>(mut add: impl FnMut(&mut String) -> Result<bool, E>) -> Result<Self, E> {
        let mut texts = Texts::default();
        while add(&mut texts.all)? {
            texts.ends.push(texts.all.len());
        }
        Ok(Self { listed: Listed::Texts(texts), unlisted: 0 })
    }

    /// Of one shard alone, whose values nobody adds others to.
    pub fn counted(count: u64) -> Self {
        Self { listed: Listed::default(), unlisted: count }
    }

    pub fn count(&self) -> u64 {
        let listed = match &self.listed {
            Listed::Texts(texts) => texts.ends.len(),
            Listed::Values(values) => values.len(),
        };
        listed as u64 + self.unlisted
    }

    pub fn into_values(self) -> Vec<Value> {
        match self.listed {
            Listed::Texts(texts) => texts.iter().map(|text| Value::Str(text.to_owned())).collect(),
            Listed::Values(values) => values,
        }
    }
}

impl Texts {
    fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.all.get(start..*end).unwrap_or_default())
    }

    fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    fn merge(&self, other: &Self) -> Self {
        let mut merged = Self {
            all: String::with_capacity(self.all.len().max(other.all.len())),
            ends: Vec::with_capacity(self.ends.len().max(other.ends.len())),
        };
        let (mut own, mut others) = (self.iter().peekable(), other.iter().peekable());
        while let (Some(left), Some(right)) = (own.peek(), others.peek()) {
            let order = left.cmp(right);
            merged.push(if order == Ordering::Greater { right } else { left });
            own.next_if(|_| order.is_le());
            others.next_if(|_| order.is_ge());
        }
        own.chain(others).for_each(|text| merged.push(text));
        merged
    }
}

impl Merge for DistinctValues {
    fn merge(self, other: Self) -> Self {
        let unlisted = self.unlisted + other.unlisted;
        let listed = match (self.listed, other.listed) {
            (Listed::Texts(own), Listed::Texts(other)) => Listed::Texts(own.merge(&other)),
            (own, other) => {
                let values = |listed| Self { listed, unlisted: 0 }.into_values();
                Listed::Values(merge_sorted(values(own), values(other), Value::order, |own, _| own))
            }
        };
        Self { listed, unlisted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[i64]) -> DistinctValues {
        DistinctValues::of(values.iter().map(|value| Value::Long(*value)).collect())
    }

    fn texts(texts: &[&str]) -> DistinctValues {
        let mut texts = texts.iter();
        let add = |all: &mut String| Ok::<_, ()>(texts.next().inspect(|text| all.push_str(text)).is_some());
        DistinctValues::of_texts(add).unwrap()
    }

    #[test]
    fn what_both_have_counts_once() {
        assert_eq!(numbers(&[1, 3, 5]).merge(numbers(&[2, 3])), numbers(&[1, 2, 3, 5]));
        assert_eq!(numbers(&[]).merge(numbers(&[7])).count(), 1);
        assert_eq!(
            texts(&["", "a", "c"]).merge(texts(&["", "b", "c", "d"])),
            texts(&["", "a", "b", "c", "d"])
        );
        assert_eq!(texts(&[]).merge(texts(&["x"])), texts(&["x"]));
        assert_eq!(DistinctValues::counted(3).merge(texts(&["x"])).count(), 4);
    }

    /// Collections of one alias may have a field of another type each.
    #[test]
    fn numbers_and_texts_stand_side_by_side() {
        let merged = texts(&["7", "x"]).merge(numbers(&[7]));
        let values = [Value::Long(7), Value::Str("7".into()), Value::Str("x".into())];
        assert_eq!((merged.count(), merged.into_values()), (3, values.to_vec()));
    }
}
