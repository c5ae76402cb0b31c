//! `{!surround}`: words near one another, by operators with distances. `grammar.rs` reads the text, over the
//! tokens of `token.rs`; here it becomes a query. Words are taken as written, without analysis, as in Solr;
//! so are those that patterns stand for, which score like words.

mod grammar;
#[cfg(test)]
mod tests;
mod token;

use std::sync::Arc;

use plan::{Clause, Error, Occur, Query, Result, Span, SpanQuery, Value};

use self::grammar::{Near, Operator, Tree, parse, refused};
use super::lucene::boost_factor;
use super::request::Request;
use crate::params::query::{BASIC_QUERIES_MAX, DF};

/// Words and patterns of one query, whatever the request says.
const WORDS_MAX: i32 = 1000;

pub(super) fn surround(request: &Request<'_>) -> Result<Option<Query>> {
    let tree = parse(request.text)?;
    // What is no number counts as not sent.
    let most = request.near(&BASIC_QUERIES_MAX).or_else(|_| BASIC_QUERIES_MAX.parse(None))?;
    let count = words(&tree);
    if count > usize::try_from(most.min(WORDS_MAX)).unwrap_or(0) {
        return Err(Error::bad_request(format!("Exceeded maximum of {most} basic queries.")));
    }
    let default = request.sent(&DF).map(str::to_owned);
    Reading { request }.query(&tree, default.as_slice()).map(Some)
}

fn words(tree: &Tree) -> usize {
    match tree {
        Tree::Word(_) | Tree::Prefix(_) | Tree::Truncated(_) => 1,
        Tree::Joined { parts, .. } => parts.iter().map(words).sum(),
        Tree::Weighted(tree, _) | Tree::Fields(_, tree) => words(tree),
    }
}

struct Reading<'a> {
    request: &'a Request<'a>,
}

impl Reading<'_> {
    fn query(&self, tree: &Tree, fields: &[String]) -> Result<Query> {
        Ok(match tree {
            Tree::Fields(names, tree) => self.query(tree, names)?,
            Tree::Weighted(tree, weight) => {
                Query::Boost { query: Box::new(self.query(tree, fields)?), boost: boost_factor(*weight)? }
            }
            Tree::Joined { operator: Operator::Near(near), parts, .. } => {
                self.on_each(fields, |field| span_query(field, self.near(near, parts, field)?))?
            }
            Tree::Joined { operator, parts, .. } => {
                let parts = parts.iter().map(|part| self.query(part, fields));
                boolean(operator, parts.collect::<Result<Vec<_>>>()?)
            }
            simple => self.on_each(fields, |field| match simple {
                Tree::Word(word) => Ok(Query::Term { field: field.clone(), value: Value::Str(word.clone()) }),
                pattern => span_query(field, self.span(pattern, field, None)?),
            })?,
        })
    }

    /// The query on each of the fields, of which any may match.
    fn on_each(&self, names: &[String], query: impl Fn(&Arc<str>) -> Result<Query>) -> Result<Query> {
        if names.is_empty() {
            return Err(Error::bad_request("`{!surround}` has neither a field nor `df`; name one"));
        }
        let mut queries = Vec::with_capacity(names.len());
        for name in names {
            queries.push(query(&self.request.context.field(name)?.name)?);
        }
        Ok(if queries.len() == 1 { queries.remove(0) } else { boolean(&Operator::Or, queries) })
    }

    fn near(&self, near: &Near, parts: &[Tree], field: &Arc<str>) -> Result<Span> {
        let spans = parts.iter().map(|part| self.span(part, field, Some(near)));
        let spans = spans.collect::<Result<Vec<_>>>()?;
        Ok(Span::Near { spans, slop: near.distance.saturating_sub(1), in_order: near.in_order })
    }

    /// What may stand inside of `outer`: words, patterns, any of those, and words near one another.
    fn span(&self, tree: &Tree, field: &Arc<str>, outer: Option<&Near>) -> Result<Span> {
        let pattern = |query| Span::Pattern(Box::new(query));
        Ok(match tree {
            Tree::Word(word) => Span::Word(word.clone()),
            Tree::Prefix(prefix) => pattern(Query::Prefix { field: field.clone(), prefix: prefix.clone() }),
            Tree::Truncated(text) => {
                pattern(Query::Wildcard { field: field.clone(), pattern: text.replace('\\', "\\\\") })
            }
            // Solr differs in nothing: weights inside of what is near do not count.
            Tree::Weighted(tree, _) => self.span(tree, field, outer)?,
            Tree::Joined { operator: Operator::Near(near), parts, .. } => self.near(near, parts, field)?,
            Tree::Joined { operator: Operator::Or, parts, .. } => {
                let spans = parts.iter().map(|part| self.span(part, field, outer));
                Span::Any(spans.collect::<Result<_>>()?)
            }
            Tree::Joined { text, .. } => return Err(not_near(outer, text)),
            Tree::Fields(names, _) => return Err(not_near(outer, &names.join(":"))),
        })
    }
}

fn not_near(outer: Option<&Near>, shown: &str) -> Error {
    let name = outer.map_or("", |near| near.name.as_str());
    refused(&format!("Operator {name}: Operator {name} does not allow subquery {shown}"))
}

fn span_query(field: &Arc<str>, span: Span) -> Result<Query> {
    Ok(Query::Span(Box::new(SpanQuery { field: field.clone(), span, payload: None, text: None })))
}

fn boolean(operator: &Operator, queries: Vec<Query>) -> Query {
    let occur = |at: usize| match operator {
        Operator::And => Occur::Must,
        Operator::Not if at == 0 => Occur::Must,
        Operator::Not => Occur::MustNot,
        _ => Occur::Should,
    };
    let clauses = queries.into_iter().enumerate().map(|(at, query)| Clause { occur: occur(at), query });
    Query::Boolean { clauses: clauses.collect(), minimum_should_match: 0 }
}
