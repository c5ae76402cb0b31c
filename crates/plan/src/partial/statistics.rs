//! What scores depend on beside the document that is scored: how many documents there are, how many have a
//! field and how long it is in them, how many have each term. Each shard counts its own, the sums of all are
//! what each of them scores by; so that a score does not depend on how documents are spread over shards.
//!
//! Made by `engine` of what a plan's query asks for, summed up and handed back with the plan in `cluster`.
//! Dead documents count until a merge drops them, as in Lucene. The source of the definitions are
//! `CollectionStatistics` and `TermStatistics` of Lucene 9.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::index::TermCounts;
use super::merge::Merge;
use crate::query::shape::Fuzzy;
use crate::query::tree::Function;

/// A term of a field, by the bytes that the index has for it.
pub type StatisticsTerm = (Arc<str>, Box<[u8]>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchStatistics {
    pub documents: u64,
    /// Those of them that are not dead.
    pub living: u64,
    pub fields: BTreeMap<Arc<str>, FieldStatistics>,
    /// Documents with each term that a query asks for.
    pub terms: BTreeMap<StatisticsTerm, u64>,
    /// How often each term occurs whose occurrences are asked for.
    pub occurrences: BTreeMap<StatisticsTerm, u64>,
    /// Of each fuzzy term the nearest terms, as many as it may stand for: the nearest of all shards are among
    /// them, and every shard that has such a term names it.
    pub near: Vec<(Fuzzy, TermCounts)>,
    /// Of each function whose values are scaled (Solr's `scale`) the least and the greatest.
    pub extremes: Vec<(Function, Extremes)>,
}

/// Over all documents, infinities and what is no number left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// Infinite where there is none, as is `greatest`.
    pub least: f32,
    pub greatest: f32,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { least: f32::INFINITY, greatest: f32::NEG_INFINITY }
    }
}

impl Merge for Extremes {
    fn merge(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }
}

/// Of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldStatistics {
    /// Documents with at least one term.
    pub documents: u64,
    /// Terms counted as often as they occur.
    pub occurrences: u64,
}

impl Merge for FieldStatistics {
    fn merge(self, other: Self) -> Self {
        Self {
            documents: self.documents + other.documents,
            occurrences: self.occurrences + other.occurrences,
        }
    }
}

impl SearchStatistics {
    /// How many postings the terms have that a query asks for.
    pub(crate) fn postings(&self) -> u64 {
        self.terms.values().sum()
    }
}

impl Merge for SearchStatistics {
    fn merge(self, other: Self) -> Self {
        Self {
            documents: self.documents + other.documents,
            living: self.living + other.living,
            fields: by_key(self.fields, other.fields),
            terms: by_key(self.terms, other.terms),
            occurrences: by_key(self.occurrences, other.occurrences),
            near: by_asked(self.near, other.near),
            extremes: by_asked(self.extremes, other.extremes),
        }
    }
}

/// By what was asked, which has an equality and no order.
fn by_asked<K: PartialEq, T: Merge + Default>(mut own: Vec<(K, T)>, others: Vec<(K, T)>) -> Vec<(K, T)> {
    for (asked, other) in others {
        match own.iter_mut().find(|(known, _)| *known == asked) {
            Some((_, own)) => *own = std::mem::take(own).merge(other),
            None => own.push((asked, other)),
        }
    }
    own
}

fn by_key<K: Ord, T: Merge + Default>(mut own: BTreeMap<K, T>, others: BTreeMap<K, T>) -> BTreeMap<K, T> {
    for (key, other) in others {
        let sum = own.entry(key).or_default();
        *sum = std::mem::take(sum).merge(other);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::terms::TermCount;
    use crate::value::Value;

    #[test]
    fn shards_add_up() {
        let term = |word: &str| -> StatisticsTerm { ("title_t".into(), word.as_bytes().into()) };
        let near = |word: &str, documents| TermCount { term: word.to_owned(), documents, occurrences: None };
        let fuzzy = Fuzzy {
            field: "title_t".into(),
            term: "fox".into(),
            edits_max: 2,
            prefix_length: 0,
            transpositions: true,
            terms_max: 50,
        };
        let one = SearchStatistics {
            documents: 5,
            living: 4,
            fields: [("title_t".into(), FieldStatistics { documents: 3, occurrences: 9 })].into(),
            terms: [(term("fox"), 2), (term("owl"), 1)].into(),
            occurrences: BTreeMap::new(),
            near: vec![(fuzzy.clone(), TermCounts(vec![near("fix", 1), near("fox", 2)]))],
            extremes: vec![(Function::Constant(Value::Int(1)), Extremes { least: 1.0, greatest: 3.0 })],
        };
        let other = SearchStatistics {
            documents: 2,
            living: 2,
            fields: [("title_t".into(), FieldStatistics { documents: 1, occurrences: 4 })].into(),
            terms: [(term("fox"), 1)].into(),
            occurrences: [(term("fox"), 7)].into(),
            near: vec![(fuzzy, TermCounts(vec![near("fox", 1)]))],
            extremes: vec![(Function::Constant(Value::Int(1)), Extremes { least: -1.0, greatest: 2.0 })],
        };
        let merged = one.clone().merge(other.clone());
        assert_eq!(merged, other.merge(one));
        assert_eq!((merged.documents, merged.living), (7, 6));
        assert_eq!(merged.fields["title_t"], FieldStatistics { documents: 4, occurrences: 13 });
        assert_eq!((merged.terms[&term("fox")], merged.terms[&term("owl")]), (3, 1));
        assert_eq!(merged.occurrences[&term("fox")], 7);
        assert_eq!(merged.extremes[0].1, Extremes { least: -1.0, greatest: 3.0 });
        assert_eq!(merged.near[0].1.0, [near("fix", 1), near("fox", 3)]);
    }
}
