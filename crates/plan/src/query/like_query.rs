//! The query that finds documents like another, of the words that were taken for it. The words, and how they
//! are chosen, are `more_like`'s, which holds no query. In: terms with weights, as the shards chose them
//! together; out: a query for the second search. The document itself is left out by its key.

use std::sync::Arc;

use crate::query::more_like::{LikeSource, LikeTerm, MoreLike};
use crate::query::shape::Occur;
use crate::query::tree::{Clause, Query};
use crate::value::Value;

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
