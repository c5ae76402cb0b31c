//! What one shard knows of the words by which documents are like another: those of the document, which one
//! shard has, and how many of each shard's documents have them. [`crate::MoreLike::chosen`] chooses among
//! them.

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use crate::value::Value;

/// The words of what documents are to be like, by the plan's fields; `None` where this shard does not have
/// the document. A text has the same words in every shard that knows the field, and none in one that has met
/// no document with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LikeWords(pub Option<Vec<FieldWords>>);

/// The words of one field, in the order in which Solr reads them, each once.
pub type FieldWords = Vec<LikeWord>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikeWord {
    /// A text or a truth.
    pub value: Value,
    /// How often the source has it.
    pub frequency: u32,
}

impl LikeWord {
    /// As the index has it: a truth is one letter there.
    pub fn text(&self) -> &str {
        match &self.value {
            Value::Bool(flag) => {
                if *flag {
                    "T"
                } else {
                    "F"
                }
            }
            other => other.as_str().unwrap_or_default(),
        }
    }
}

/// A document lives in one shard. Of a text each field's words are those of any shard that knows the field.
impl Merge for LikeWords {
    fn merge(self, other: Self) -> Self {
        let (own, other) = match (self.0, other.0) {
            (Some(own), Some(other)) => (own, other),
            (own, other) => return Self(own.or(other)),
        };
        let known = |(own, other): (FieldWords, FieldWords)| if own.is_empty() { other } else { own };
        Self(Some(own.into_iter().zip(other).map(known).collect()))
    }
}

/// How many documents there are, dead ones included, and how many have each word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeCounts {
    pub documents: u64,
    /// By the plan's fields.
    pub fields: Vec<LikeFieldCounts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeFieldCounts {
    /// Documents with the field.
    pub documents: u64,
    /// By the words asked for.
    pub words: Vec<u64>,
}

impl Merge for LikeCounts {
    fn merge(self, other: Self) -> Self {
        Self { documents: self.documents + other.documents, fields: self.fields.merge(other.fields) }
    }
}

impl Merge for LikeFieldCounts {
    fn merge(self, other: Self) -> Self {
        Self { documents: self.documents + other.documents, words: self.words.merge(other.words) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(fields: [&[&str]; 3]) -> LikeWords {
        let word = |text: &&str| LikeWord { value: Value::Str((*text).to_owned()), frequency: 1 };
        LikeWords(Some(fields.map(|words| words.iter().map(word).collect()).to_vec()))
    }

    #[test]
    fn words_of_a_field_are_those_of_a_shard_that_knows_it() {
        let check = |one: &LikeWords, other: &LikeWords, expected: &LikeWords| {
            assert_eq!(one.clone().merge(other.clone()), *expected);
            assert_eq!(other.clone().merge(one.clone()), *expected);
        };
        let (one, other) = (words([&["red"], &[], &[]]), words([&["red"], &["a", "red"], &[]]));
        check(&one, &other, &other);
        check(&one, &words([&[], &["a"], &[]]), &words([&["red"], &["a"], &[]]));
        check(&one, &LikeWords(None), &one);
        check(&LikeWords(None), &LikeWords(None), &LikeWords(None));
    }
}
