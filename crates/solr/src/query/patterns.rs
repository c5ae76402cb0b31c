//! `{!prefix}` and `{!fuzzy}`: values that begin like a text, and terms a few edits away from one. Each takes
//! its text as one value or term; patterns within a query of `lucene` are read by its fields (`leaf.rs`,
//! `field.rs`).

use plan::{Error, Fuzzy, Query, Result};

use super::request::Request;
use crate::params::{integer, switch_value};

/// Terms that a fuzzy one may stand for at most, as Lucene bounds its clauses.
const TERMS_MAX: usize = 1024;
const EDITS_MAX: u8 = 2;

/// `{!prefix f=…}`: values that begin so, without analysis.
pub(super) fn prefix(request: &Request<'_>) -> Result<Option<Query>> {
    let field = request.context.field_quoted(request.field_name()?)?;
    // Every value begins with nothing.
    if request.text.is_empty() {
        return request.context.exists_query(&field).map(Some);
    }
    if field.spec.class().is_point() {
        return Err(Error::bad_request("Can't run prefix queries on numeric fields"));
    }
    request.context.prefixes.check(&field.name, request.text)?;
    Ok(Some(Query::Prefix { field: field.name, prefix: request.text.to_owned() }))
}

/// `{!fuzzy f=… maxEdits=… prefixLength=… maxExpansions=… transpositions=…}`. An unknown field matches
/// nothing. Solr differs: what is out of bounds, or no number, is an error 500 there
/// (`compat/query/fuzzy.yaml`).
pub(super) fn fuzzy(request: &Request<'_>) -> Result<Option<Query>> {
    let field = request.context.find(request.field_name()?);
    let Some(field) = field.filter(|_| !request.text.is_empty()) else { return Ok(Some(Query::Nothing)) };
    let number = |name: &str, default: usize| match request.local.get(name).map(integer).transpose()? {
        None => Ok(default),
        Some(number) => usize::try_from(number)
            .map_err(|_| Error::bad_request(format!("{name} cannot be negative: `{number}`; use 0 or more"))),
    };
    let edits = number("maxEdits", usize::from(EDITS_MAX))?;
    let edits_max = u8::try_from(edits).ok().filter(|edits| *edits <= EDITS_MAX);
    let edits_max = edits_max.ok_or_else(|| Error::bad_request("maxEdits must be between 0 and 2"))?;
    let prefix_length = number("prefixLength", 0)?;
    let terms_max = number("maxExpansions", Fuzzy::TERMS_MAX)?;
    if terms_max == 0 {
        return Err(Error::bad_request("maxExpansions must be positive."));
    }
    let transpositions = request.local.get("transpositions").map_or(Ok(true), switch_value)?;
    let term = request.context.normalize(&field, request.text)?;
    Ok(Some(Query::Fuzzy(Fuzzy {
        prefix_length,
        transpositions,
        // More than that no boolean query of Lucene holds, so Solr cuts it there without a word.
        terms_max: terms_max.min(TERMS_MAX),
        ..Fuzzy::new(field.name, term, edits_max)
    })))
}
