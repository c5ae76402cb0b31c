//! What debug output adds for `dismax` and `edismax`: the query of `q.alt` and those of `bq`. In: what the
//! parser noted on its way (`query/dismax/notes.rs`); out: their texts, printed as every query is.

use plan::{Occur, Query};

use super::{Form, QueryPrinter};
use crate::query::Notes;
use crate::select::{Alternative, DismaxNotes};

impl QueryPrinter<'_> {
    pub(crate) fn notes(&self, notes: &Notes) -> DismaxNotes {
        let told = notes.extended || notes.boost_texts.is_some();
        let parsed = || notes.boosts.iter().map(|query| self.print(query, Form::Classes)).collect();
        DismaxNotes {
            alternative: notes.alternative.as_ref().map(|query| self.alternative(query)),
            boosts: told.then(|| (notes.boost_texts.clone(), parsed())),
            functions: notes.function_texts.clone(),
        }
    }

    /// Solr shows the object itself: its class and its text, of a boolean query each clause so.
    fn alternative(&self, query: &Query) -> Alternative {
        let Query::Boolean { clauses, .. } = query else {
            return Alternative::One(format!("{}:{}", self.class_path(query), self.text(query)));
        };
        let clause = |(sign, query): (&str, &Query)| {
            format!("org.apache.lucene.search.BooleanClause:{sign}{}", self.text(query))
        };
        let signed = clauses.iter().map(|one| match one.occur {
            Occur::Must => ("+", &one.query),
            Occur::Should => ("", &one.query),
            Occur::MustNot => ("-", &one.query),
            Occur::Filter => ("#", &one.query),
        });
        Alternative::Several(signed.map(clause).collect())
    }

    fn class_path(&self, query: &Query) -> String {
        let class = self.class(query).unwrap_or(match query {
            Query::Prefix { .. } => "PrefixQuery",
            Query::Wildcard { .. } => "WildcardQuery",
            Query::Fuzzy(_) => "FuzzyQuery",
            Query::Boost { .. } => "BoostQuery",
            _ => "TermQuery",
        });
        let package = match class {
            "SolrRangeQuery" | "FilterQuery" => "org.apache.solr.query",
            "FunctionQuery" => "org.apache.lucene.queries.function",
            _ => "org.apache.lucene.search",
        };
        format!("{package}.{class}")
    }
}
