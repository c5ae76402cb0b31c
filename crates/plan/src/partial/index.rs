//! What one shard's index holds: its fields, and the terms of a field with their counts. Dead documents count
//! as in Lucene. Counts are of the shard alone; bounds on them are judged when those of all shards are added
//! up.

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use super::sorted::merge_sorted;
use crate::search::terms::TermCount;

/// Terms in their order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermCounts(pub Vec<TermCount>);

impl Merge for TermCounts {
    fn merge(self, other: Self) -> Self {
        let join = |own: TermCount, other: TermCount| TermCount {
            documents: own.documents + other.documents,
            occurrences: own.occurrences.merge(other.occurrences),
            term: own.term,
        };
        Self(merge_sorted(self.0, other.0, |own, other| own.term.cmp(&other.term), join))
    }
}

/// What a shard knows of the words that a [`crate::WordsPlan`] asks for, in its order; of the first ones only
/// where the request's allowance was used up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordCounts {
    /// All documents.
    pub documents: u64,
    pub exact: Vec<u64>,
    pub near: Vec<TermCounts>,
}

/// Of the words that every shard has looked up: a sum over some shards would pass for the whole.
impl Merge for WordCounts {
    fn merge(self, other: Self) -> Self {
        Self {
            documents: self.documents + other.documents,
            exact: of_both(self.exact, other.exact),
            near: of_both(self.near, other.near),
        }
    }
}

/// Place by place, as far as both go; unlike lists, of which an empty one has nothing to add.
fn of_both<T: Merge>(own: Vec<T>, other: Vec<T>) -> Vec<T> {
    own.into_iter().zip(other).map(|(own, other)| own.merge(other)).collect()
}

/// Concrete fields in order of their names, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedFields(pub Vec<IndexedField>);

/// One concrete field of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedField {
    pub name: String,
    /// Documents with a value, deleted ones included until a merge drops them.
    pub docs: u64,
    /// Terms, summed over segments and shards: an upper bound when there are several. `None` without an
    /// inverted index.
    pub distinct: Option<u64>,
    /// Whether any document has it.
    pub in_index: bool,
}

impl Merge for IndexedFields {
    fn merge(self, other: Self) -> Self {
        let join = |own: IndexedField, other: IndexedField| IndexedField {
            docs: own.docs + other.docs,
            distinct: own.distinct.merge(other.distinct),
            in_index: own.in_index || other.in_index,
            name: own.name,
        };
        Self(merge_sorted(self.0, other.0, |own, other| own.name.cmp(&other.name), join))
    }
}

/// What concrete fields take of the segments, in order of their names, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldBytes {
    pub fields: Vec<OneFieldBytes>,
    /// What is no field's own: frames of files, versions, and what is derived of several.
    pub shared: u64,
}

/// What one field takes of the segments, in bytes of their files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneFieldBytes {
    pub name: String,
    /// The dictionary of its terms.
    pub terms: u64,
    pub postings: u64,
    pub positions: u64,
    /// Lengths of its texts.
    pub norms: u64,
    /// Its values by document (Solr's docValues), payloads among them.
    pub columns: u64,
    /// Its share of the stored documents, as some of them have it: an estimate, since all fields of some
    /// documents are compressed together.
    pub stored: u64,
    /// What preparing its values takes, for all documents of the segments, in microseconds: an estimate from
    /// some of them, of the values that are kept.
    pub indexing_us: u64,
}

impl OneFieldBytes {
    pub fn total(&self) -> u64 {
        let Self { name: _, terms, postings, positions, norms, columns, stored, indexing_us: _ } = self;
        terms + postings + positions + norms + columns + stored
    }
}

impl Merge for FieldBytes {
    fn merge(self, other: Self) -> Self {
        let join = |own: OneFieldBytes, other: OneFieldBytes| OneFieldBytes {
            terms: own.terms + other.terms,
            postings: own.postings + other.postings,
            positions: own.positions + other.positions,
            norms: own.norms + other.norms,
            columns: own.columns + other.columns,
            stored: own.stored + other.stored,
            indexing_us: own.indexing_us + other.indexing_us,
            name: own.name,
        };
        let fields = merge_sorted(self.fields, other.fields, |own, other| own.name.cmp(&other.name), join);
        Self { fields, shared: self.shared + other.shared }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_term_add_up() {
        let counts = |terms: &[(&str, u64)]| {
            let count = |(term, documents): &(&str, u64)| TermCount {
                term: (*term).to_owned(),
                documents: *documents,
                occurrences: Some(documents * 2),
            };
            TermCounts(terms.iter().map(count).collect())
        };
        let (one, other) = (counts(&[("a", 1), ("c", 2)]), counts(&[("a", 3), ("b", 1), ("d", 1)]));
        let together = counts(&[("a", 4), ("b", 1), ("c", 2), ("d", 1)]);
        assert_eq!(one.clone().merge(other.clone()), together);
        assert_eq!(other.merge(one), together);
    }

    #[test]
    fn words_that_one_shard_has_not_looked_up_are_not_known() {
        let counts = |exact: &[u64]| WordCounts { documents: 2, exact: exact.to_vec(), near: Vec::new() };
        let check = |one: &[u64], other: &[u64], expected: &[u64]| {
            assert_eq!(counts(one).merge(counts(other)).exact, expected);
            assert_eq!(counts(other).merge(counts(one)).exact, expected);
        };
        check(&[1, 2], &[3, 4], &[4, 6]);
        check(&[1, 2], &[3], &[4]);
        check(&[1, 2], &[], &[]);
    }

    #[test]
    fn a_field_without_terms_in_one_shard_has_those_of_the_others() {
        let field = |docs, distinct| {
            IndexedFields(vec![IndexedField { name: "f".to_owned(), docs, distinct, in_index: docs > 0 }])
        };
        assert_eq!(field(0, None).merge(field(2, Some(3))), field(2, Some(3)));
        assert_eq!(field(1, Some(1)).merge(field(2, Some(3))), field(3, Some(4)));
    }
}
