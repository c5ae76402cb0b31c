//! Solr's function syntax, `sum(pages_i,recip(ms(NOW,published_dt),1,2,3))`, to `plan::Function`. `cursor.rs`
//! cuts the text, `parse.rs` reads values and arguments, `names.rs` has a line for each function, `term.rs`,
//! `date.rs` and `geo.rs` those that read their arguments their own way, `field.rs` says what a field is
//! worth. Needs a schema, reads no index.

mod check;
mod cursor;
mod date;
mod field;
mod geo;
mod names;
mod parse;
mod range;
mod term;
#[cfg(test)]
mod tests;
mod vector;

use plan::{Error, Function, Query, Result};

pub(crate) use check::check_number;
pub(crate) use parse::FunctionSource;
pub(crate) use range::function_range;

use crate::debug::QueryPrinter;
use crate::query::syntax::SyntaxError;
use crate::query::{LocalParams, QueryContext, split_local_params, subquery};

/// Why a text is no function: Solr tells what cannot be read from what cannot be meant.
#[derive(Debug)]
pub(crate) enum Failure {
    Syntax(SyntaxError),
    Meaning(Error),
}

impl From<SyntaxError> for Failure {
    fn from(error: SyntaxError) -> Self {
        Failure::Syntax(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Meaning(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Syntax(error) => error.into(),
            Failure::Meaning(error) => error,
        }
    }
}

/// The function that `text` is, whole: in function syntax, or in that which its local parameters name, whose
/// scores are then the values. `None` when nothing is asked for; `depth` counts the nesting so far.
pub(crate) fn parse_function(
    context: &QueryContext<'_>,
    text: &str,
    depth: usize,
) -> Result<Option<Function>> {
    Ok(subquery(context, text, Some("func"), depth)?.map(|query| as_function(context, query)))
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
        Function::Score { query, missing: 0.0, label } => Function::Score { query, missing: 1.0, label },
        other => other,
    }
}

fn score_of(context: &QueryContext<'_>, query: Query, missing: f32) -> Function {
    let label = QueryPrinter::new(context.schema).text(&query);
    Function::Score { query: Box::new(query), missing, label }
}

/// A function at the front of a text that goes on.
pub(crate) struct Leading {
    pub function: Function,
    /// Where the text goes on.
    pub end: usize,
    /// The local parameter `key`.
    pub key: Option<String>,
}

/// Reads one function off the front of `text`, as sorts and field lists hold them.
pub(crate) fn leading_function(context: &QueryContext<'_>, text: &str) -> Result<Leading, Failure> {
    let (local, rest) = split_local_params(text, context.params)?;
    let start = text.len() - rest.len();
    let key = local.get("key").map(str::to_owned);
    if !matches!(local.get("type"), None | Some("func")) {
        let whole = if local.get("v").is_some() { text.get(..start).unwrap_or(text) } else { text };
        let query = subquery(context, whole, None, 1)?.unwrap_or(Query::Nothing);
        return Ok(Leading { function: as_function(context, query), end: start, key });
    }
    let value = local.get("v");
    let mut source = FunctionSource::new(context, &local, value.unwrap_or(rest), 0);
    let function = source.leading()?;
    let end = if value.is_some() { start } else { start + source.consumed() };
    Ok(Leading { function, end, key })
}

/// `{!func}`: the whole text is a function.
pub(crate) fn whole_function(
    context: &QueryContext<'_>,
    local: &LocalParams,
    text: &str,
    depth: usize,
) -> Result<Function> {
    let function = FunctionSource::new(context, local, text, depth).whole()?;
    Ok(function)
}
