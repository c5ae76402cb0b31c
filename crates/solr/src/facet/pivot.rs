//! Pivots: a list of fields, each resolved as a field facet of its own options but for the least count, and
//! what is computed of each value's hits: the statistics, queries and ranges that bear the tags which local
//! parameters name.

use plan::{Error, PivotFacet, Result};

use super::{field, query, range, stats};
use crate::params::facet as params;
use crate::query::{LocalParams, QueryContext, split_local_params};

pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<PivotFacet> {
    let (local, rest) = split_local_params(text, context.params)?;
    let fields = local.get("v").unwrap_or(rest);
    let mut levels = Vec::new();
    // A space before a name belongs to it, as in Solr.
    for name in fields.split(',').filter(|name| !name.is_empty()) {
        let (mut facet, _) = field::resolve(context, name)?;
        let least = params::PIVOT_MIN_COUNT.read_for(context.params, &local, name)?;
        // `facet.pivot.mincount` alone counts: a level's own `facet.mincount` is for the field's own facet.
        facet.count_min = u64::try_from(least).unwrap_or(0);
        levels.push(facet);
    }
    if levels.is_empty() {
        return Err(Error::bad_request(format!("Pivot Facet needs at least one field name: {fields}")));
    }
    let (queries, ranges) = (tagged(context, &local, "query")?, tagged(context, &local, "range")?);
    Ok(PivotFacet {
        key: local.get("key").unwrap_or(fields).to_owned(),
        levels,
        exclude_tags: local.list("ex"),
        stats: stats::tagged(context, tag(&local, "stats")?)?,
        queries: queries.into_iter().map(|text| query::resolve(context, text)).collect::<Result<_>>()?,
        ranges: ranges.into_iter().map(|text| range::resolve(context, text)).collect::<Result<_>>()?,
    })
}

/// The tag that a local parameter names; what of the request it chooses from, for Solr's message.
fn tag<'a>(local: &'a LocalParams, name: &str) -> Result<Option<&'a str>> {
    let Some(tag) = local.get(name) else { return Ok(None) };
    // The missing blank in the message is Solr's own.
    if tag.contains(',') {
        let param = if name == "stats" { "stats.field".to_owned() } else { format!("facet.{name}") };
        return Err(Error::bad_request(format!(
            "{name} local param of facet.pivotmay not include tags separated by a comma - please use a common tag \
             on all {param} params you wish to compute under this pivot"
        )));
    }
    Ok(Some(tag))
}

/// Those of the request's `facet.<name>` that bear the tag.
fn tagged<'a>(context: &QueryContext<'a>, local: &LocalParams, name: &str) -> Result<Vec<&'a str>> {
    let Some(tag) = tag(local, name)? else { return Ok(Vec::new()) };
    let all = if name == "query" { params::QUERY } else { params::RANGE };
    let mut found = Vec::new();
    for text in all.sent_all(context.params) {
        let (own, _) = split_local_params(text, context.params)?;
        if own.list("tag").iter().any(|own| own == tag) {
            found.push(text);
        }
    }
    Ok(found)
}
