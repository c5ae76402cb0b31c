//! Classic facets from parameters to a plan: fields, ranges, queries, with their local parameters `key`, `ex`, `terms` and
//! options given per field. Counting is the engine's, the parameters are defined in `params/facet.rs`.

mod field;
mod range;
mod range_values;

#[cfg(test)]
mod tests;

use plan::{FacetPlan, QueryFacet, Result};

use crate::params::facet as params;
use crate::query::{LocalParams, QueryContext, parse_query, split_local_params};

/// The facets that the request asks for; none unless `facet` is on.
pub(crate) fn resolve_facets(context: &QueryContext<'_>) -> Result<FacetPlan> {
    if params::FACET.read(context.params)? != Some(true) {
        return Ok(FacetPlan::default());
    }
    let all = context.params;
    Ok(FacetPlan {
        enabled: true,
        queries: all.all(params::QUERY.name).map(|text| query(context, text)).collect::<Result<_>>()?,
        fields: all
            .all(params::FIELD.name)
            .map(|text| field::resolve(context, text))
            .collect::<Result<_>>()?,
        ranges: all
            .all(params::RANGE.name)
            .map(|text| range::resolve(context, text))
            .collect::<Result<_>>()?,
    })
}

/// The key of a query facet is its text with its local parameters, unless they say otherwise.
fn query(context: &QueryContext<'_>, text: &str) -> Result<QueryFacet> {
    let parsed = parse_query(context, text, "lucene")?;
    Ok(QueryFacet {
        key: parsed.local.get("key").unwrap_or(text).to_owned(),
        query: parsed.executable(),
        exclude_tags: parsed.local.list("ex"),
    })
}

/// A field facet's or range facet's text: local parameters, the field, the key in the response.
struct Target {
    local: LocalParams,
    field: String,
    key: String,
}

impl Target {
    fn parse(context: &QueryContext<'_>, text: &str) -> Result<Self> {
        let (local, rest) = split_local_params(text, context.params)?;
        let field = local.get("v").unwrap_or(rest).to_owned();
        let key = local.get("key").unwrap_or(&field).to_owned();
        Ok(Self { local, field, key })
    }
}
