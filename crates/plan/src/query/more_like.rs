//! Documents like another: whose words to take, which of them, and the query they make. Shapes and defaults
//! follow Lucene's `MoreLikeThis`. Shards know words and how rare they are (`partial::LikeWords`,
//! `partial::LikeCounts`); which of them are taken is decided here, of as many shards as were asked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::java_map::java_bucket;
use crate::partial::{LikeCounts, LikeFieldCounts, LikeWord, LikeWords};
use crate::tie_heap::TieHeap;
use crate::value::Value;

/// What to be like, and by which words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoreLike {
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
    /// The collections whose shards have the document and say which words tell enough, where a query over
    /// several asks for likes; none where the words are those of one shard, or whoever asks gathers them.
    #[serde(default)]
    pub collections: Vec<Arc<str>>,
    pub of: LikeSource,
    /// Whose words count, with what they weigh.
    pub fields: Vec<(Arc<str>, f32)>,
    pub choice: LikeChoice,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LikeSource {
    /// The visible document with this id.
    Document(String),
    /// Words as each of the fields reads them.
    Text(String),
}

/// Which words are taken. Lengths are in UTF-16 units, 0 is no bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikeChoice {
    /// How often the document has the word.
    pub frequency_min: u32,
    /// How many documents have it.
    pub documents_min: u64,
    pub documents_max: u64,
    /// The same as a share of all documents, in percent, in place of `documents_max`.
    pub percent_max: Option<u64>,
    pub length_min: usize,
    pub length_max: usize,
    /// The best this many.
    pub terms_max: usize,
    /// Words read of each text.
    pub tokens_max: usize,
    /// Whether a word weighs by how telling it is.
    pub weighted: bool,
}

impl Default for LikeChoice {
    fn default() -> Self {
        Self {
            frequency_min: 2,
            documents_min: 5,
            documents_max: u64::MAX,
            percent_max: None,
            length_min: 0,
            length_max: 0,
            terms_max: 25,
            tokens_max: 5000,
            weighted: false,
        }
    }
}

/// A word by which documents are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct LikeTerm {
    pub field: Arc<str>,
    pub value: Value,
    pub boost: f32,
}

impl MoreLike {
    /// The words that tell most, the least telling first, as Lucene lists them. Errors: a document that no
    /// shard has.
    ///
    /// Solr goes through fields and words in the order of its hash maps, which decides between words that
    /// tell as much.
    pub fn chosen(&self, words: LikeWords, counts: &LikeCounts) -> Result<Vec<LikeTerm>> {
        let words = words.0.ok_or_else(|| self.no_document())?;
        let fields = self.fields.iter().zip(words).zip(&counts.fields);
        let mut fields: Vec<_> = fields.filter(|((_, words), _)| !words.is_empty()).collect();
        let (names, all) = (fields.len(), fields.iter().map(|((_, words), _)| words.len()).sum());
        fields.sort_by_key(|(((name, _), _), _)| java_bucket(name, names));
        let limit = self.choice.terms_max.min(all);
        let mut best = TieHeap::new(|(one, _): &(f32, LikeTerm), (other, _)| one.total_cmp(other));
        for (((name, boost), words), field) in fields {
            let count = words.len();
            let mut words: Vec<_> = words.into_iter().zip(&field.words).collect();
            words.sort_by_key(|(word, _)| java_bucket(word.text(), count));
            for (word, documents) in words {
                let Some(score) = self.choice.score(&word, *documents, (field, counts.documents)) else {
                    continue;
                };
                let term = LikeTerm { field: name.clone(), value: word.value, boost: *boost };
                if best.len() < limit {
                    best.push((score, term));
                } else if best.peek().is_some_and(|(least, _)| *least < score) {
                    best.replace_least((score, term));
                }
            }
        }
        let first = best.peek().map_or(1.0, |(score, _)| *score);
        let weigh = |(score, term): (f32, LikeTerm)| {
            let own = if self.choice.weighted { score / first } else { 1.0 };
            LikeTerm { boost: term.boost * own, ..term }
        };
        Ok(std::iter::from_fn(|| best.pop()).map(weigh).collect())
    }

    fn no_document(&self) -> Error {
        let id = if let LikeSource::Document(id) = &self.of { id.as_str() } else { "" };
        let message = "Error completing MLT request. Could not fetch document with id";
        Error::bad_request(format!("{message} [{id}]"))
    }
}

impl LikeChoice {
    /// How telling a word of this many documents is: by Lucene's classic measure, whatever the index scores
    /// by. `None` when it is not wanted.
    fn score(&self, word: &LikeWord, documents: u64, (field, all): (&LikeFieldCounts, u64)) -> Option<f32> {
        let most = self.percent_max.map_or(self.documents_max, |percent| percent.saturating_mul(all) / 100);
        let wanted = word.frequency >= self.frequency_min
            && documents >= self.documents_min.max(1)
            && documents <= most;
        let rarity = (field.documents + 1) as f64 / (documents + 1) as f64;
        wanted.then(|| word.frequency as f32 * (rarity.ln() + 1.0) as f32)
    }
}
