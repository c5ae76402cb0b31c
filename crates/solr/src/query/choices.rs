//! Parsers that choose: `{!switch}` among queries by a text, `{!maxscore}` the best clause by its score. Both
//! are made of queries that there are, and add no node to the tree. In: local parameters and text; out: the
//! query that was chosen, read by its own parser. Which documents match is decided there; nothing here looks
//! at a field.

use plan::{Clause, Occur, Query, Result};

use super::lucene::lucene;
use super::request::Request;
use super::syntax::SyntaxError;
use crate::params::dismax::TIE;

/// `{!switch case=… case.foo=… default=…}foo`: the query of the case that the text is; `case` stands for no
/// text.
pub(super) fn switch(request: &Request<'_>) -> Result<Option<Query>> {
    let text = request.text.trim();
    let name = if text.is_empty() { "case".to_owned() } else { format!("case.{text}") };
    let chosen = request.local.get(&name).or_else(|| request.local.get("default"));
    let Some(chosen) = chosen else {
        let message = format!("No default, and no switch case matching specified query string: \"{text}\"");
        return Err(SyntaxError::plain(message).into());
    };
    // Read as a query of its own, so a case may name another parser by `{!…}`.
    request.nested_by(1, chosen, None)
}

/// `{!maxscore tie=…}`: as `lucene`, but of the optional clauses the best one scores.
pub(super) fn max_score(request: &Request<'_>) -> Result<Option<Query>> {
    let tie = TIE.parse(request.local.get(TIE.name))?;
    Ok(lucene(request)?.map(|query| best_clause(query, tie)))
}

fn best_clause(query: Query, tie_breaker: f32) -> Query {
    let clauses = match query {
        Query::Boolean { clauses, .. } => clauses,
        Query::Boost { query, boost } => {
            // A factor on the whole, `(a b)^2`, stands outside of the clauses that compete.
            return Query::Boost { query: Box::new(best_clause(*query, tie_breaker)), boost };
        }
        other => return other,
    };
    let (optional, rest): (Vec<_>, Vec<_>) =
        clauses.into_iter().partition(|clause| clause.occur == Occur::Should);
    let mut clauses = Vec::with_capacity(rest.len() + 1);
    if !optional.is_empty() {
        // Solr wraps each clause in a boolean query of one, which debug output shows.
        let alone = |clause| Query::Boolean { clauses: vec![clause], minimum_should_match: 0 };
        let queries = optional.into_iter().map(alone).collect();
        let query = Query::DisjunctionMax { queries, tie_breaker };
        clauses.push(Clause { occur: Occur::Should, query });
    }
    clauses.extend(rest);
    Query::Boolean { clauses, minimum_should_match: 0 }
}
