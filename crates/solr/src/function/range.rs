//! `{!frange l=… u=… incl=… incu=…}function`: bounds are read as the function's kind, as Lucene's values read
//! them. In: local parameters and the function's text; out: `plan::FunctionRange`. A number that the kind
//! cannot hold is refused rather than cut.

use std::ops::Bound;

use plan::{Error, Function, FunctionRange, Kind, Result, Value};

use super::check::check_number;
use super::cursor::not_a_number;
use super::of_query::parse_function;
use crate::query::{LocalParams, QueryContext, java_float};

pub(crate) fn function_range(
    context: &QueryContext<'_>,
    local: &LocalParams,
    text: &str,
    depth: usize,
) -> Result<FunctionRange> {
    let function = parse_function(context, text, depth + 1)?
        .ok_or_else(|| Error::bad_request("`{!frange}` holds no function; put one behind it, or in `v`"))?;
    // A field by itself may be a text, whose range is one of terms.
    if !matches!(function, Function::Field { .. }) {
        check_number(&function)?;
    }
    let lower = bound(context, &function, local.get("l"), inclusive(local, "incl")?)?;
    let upper = bound(context, &function, local.get("u"), inclusive(local, "incu")?)?;
    Ok(FunctionRange { function, lower, upper })
}

fn inclusive(local: &LocalParams, name: &str) -> Result<bool> {
    match local.get(name) {
        None | Some("true" | "on" | "yes") => Ok(true),
        Some("false" | "off" | "no") => Ok(false),
        Some(other) => Err(Error::bad_request(format!("invalid boolean value: {other}"))),
    }
}

fn bound(
    context: &QueryContext<'_>,
    function: &Function,
    text: Option<&str>,
    inclusive: bool,
) -> Result<Bound<Value>> {
    let Some(text) = text else { return Ok(Bound::Unbounded) };
    let value = value(context, function, text)?;
    Ok(if inclusive { Bound::Included(value) } else { Bound::Excluded(value) })
}

/// Solr differs: what is no number is an error 500 there; here it is the client's
/// (`compat/query/function_syntax.yaml`).
fn value(context: &QueryContext<'_>, function: &Function, text: &str) -> Result<Value> {
    let field = matches!(function, Function::Field { .. });
    let value = match function.kind() {
        Kind::Int => text.parse().ok().map(Value::Int),
        Kind::Long => text.parse().ok().map(Value::Long),
        Kind::Double => java_float(text).map(Value::Double),
        Kind::Date => Some(Value::Date(context.dates.parse(text)?)),
        Kind::Str if field => Some(Value::Str(text.to_owned())),
        _ => java_float(text).map(Value::Float),
    };
    value.ok_or_else(|| not_a_number(text))
}
