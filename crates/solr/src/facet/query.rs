//! `facet.query`: how many hits a query matches. In: its text with local parameters; out: a
//! `plan::QueryFacet` under the key it is shown by. It is the one facet whose text is a query, so the parsers
//! do all of it.

use plan::{QueryFacet, Result};

use crate::query::{QueryContext, parse_query};

/// The key of a query facet is its text with its local parameters, unless they say otherwise.
pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<QueryFacet> {
    let parsed = parse_query(context, text, "lucene")?;
    Ok(QueryFacet {
        key: parsed.local.get("key").unwrap_or(text).to_owned(),
        query: parsed.executable(),
        exclude_tags: parsed.local.list("ex"),
    })
}
