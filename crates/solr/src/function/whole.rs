//! Functions from a text of their own: all of it (`{!func}`), or its front, as sorts and field lists hold
//! them. Here the syntax (`parse.rs`) and the names (`names.rs`) meet. It is the one file that knows both, so
//! that names may call the syntax and the syntax no name.

use plan::{Function, Query, Result};

use super::failure::Failure;
use super::names::find;
use super::of_query::as_function;
use super::parse::FunctionSource;
use crate::query::{LocalParams, QueryContext, split_local_params};

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
        let query = context.subquery(whole, None, 1)?.unwrap_or(Query::Nothing);
        return Ok(Leading { function: as_function(context, query), end: start, key });
    }
    let value = local.get("v");
    let mut source = FunctionSource::new(context, &local, value.unwrap_or(rest), 0, find);
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
    let function = FunctionSource::new(context, local, text, depth, find).whole()?;
    Ok(function)
}
