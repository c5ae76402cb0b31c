//! Documents like another: whose words to take, which of them, and the query they make. Shapes and defaults follow Lucene's
//! `MoreLikeThis`. Words are chosen by the engine, which knows how rare they are.

use std::sync::Arc;

use crate::query::{Clause, Occur, Query};
use crate::value::Value;

/// What to be like, and by which words.
#[derive(Clone, Debug, PartialEq)]
pub struct MoreLike {
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
    pub of: LikeSource,
    /// Whose words count, with what they weigh.
    pub fields: Vec<(Arc<str>, f32)>,
    pub choice: LikeChoice,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LikeSource {
    /// The visible document with this id.
    Document(String),
    /// Words as each of the fields reads them.
    Text(String),
}

/// Which words are taken. Lengths are in UTF-16 units, 0 is no bound.
#[derive(Clone, Debug, PartialEq)]
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
    /// The best so many.
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
    /// Documents with any of `terms`, but for the one they are like.
    pub fn query(&self, terms: &[LikeTerm], unique_key: Option<&Arc<str>>) -> Query {
        let any = terms.iter().map(|term| Clause { occur: Occur::Should, query: term.query() }).collect();
        let any = Query::Boolean { clauses: any, minimum_should_match: 0 };
        let (LikeSource::Document(id), Some(key)) = (&self.of, unique_key) else { return any };
        let same = Query::Term { field: key.clone(), value: Value::Str(id.clone()) };
        let clauses =
            vec![Clause { occur: Occur::Must, query: any }, Clause { occur: Occur::MustNot, query: same }];
        Query::Boolean { clauses, minimum_should_match: 0 }
    }
}

impl LikeTerm {
    /// Documents with the word.
    pub fn query(&self) -> Query {
        let term = Query::Term { field: self.field.clone(), value: self.value.clone() };
        if self.boost == 1.0 {
            return term;
        }
        Query::Boost { query: Box::new(term), boost: self.boost }
    }
}
