//! Queries as functions: what a text in any query syntax is worth for each document. The text is read by the
//! request's parsers, `func` unless it names another, which is how functions nest in queries and queries in
//! functions without knowing each other.

use plan::{Function, Query, Result};

use crate::debug::QueryPrinter;
use crate::query::QueryContext;

/// The function that `text` is, whole: in function syntax, or in that which its local parameters name, whose
/// scores are then the values. `None` when nothing is asked for; `depth` counts the nesting so far.
pub(crate) fn parse_function(
    context: &QueryContext<'_>,
    text: &str,
    depth: usize,
) -> Result<Option<Function>> {
    Ok(context.subquery(text, Some("func"), depth)?.map(|query| as_function(context, query)))
}

/// A query as a function: itself if it is one, else its score.
pub(crate) fn as_function(context: &QueryContext<'_>, query: Query) -> Function {
    match query {
        Query::Function(function) => *function,
        other => score_of(context, other, 0.0),
    }
}

/// A query as a factor of scores: as [`as_function`], but 1 where it does not match, instead of 0.
pub(crate) fn as_factor(context: &QueryContext<'_>, query: Query) -> Function {
    match as_function(context, query) {
        // As a factor 0 would make every document worthless that the query does not match.
        Function::Score { query, missing: 0.0, label } => Function::Score { query, missing: 1.0, label },
        other => other,
    }
}

pub(super) fn score_of(context: &QueryContext<'_>, query: Query, missing: f32) -> Function {
    let label = QueryPrinter::new(context.schema).text(&query);
    Function::Score { query: Box::new(query), missing, label }
}
