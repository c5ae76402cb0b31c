//! Pivots: a list of fields, each resolved as a field facet of its own options but for the least count.

use plan::{Error, PivotFacet, Result};

use super::{field, stats};
use crate::params::facet as params;
use crate::query::{QueryContext, split_local_params};

pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<PivotFacet> {
    let (local, rest) = split_local_params(text, context.params)?;
    for name in ["query", "range"] {
        if local.get(name).is_some() {
            return Err(Error::bad_request(format!(
                "local parameter `{name}` of `facet.pivot` is not supported yet; leave it out"
            )));
        }
    }
    let fields = local.get("v").unwrap_or(rest);
    let mut levels = Vec::new();
    // A space before a name belongs to it, as in Solr.
    for name in fields.split(',').filter(|name| !name.is_empty()) {
        let (mut facet, _) = field::resolve(context, name)?;
        let least = params::PIVOT_MIN_COUNT.read_for(context.params, &local, name)?;
        facet.count_min = u64::try_from(least.unwrap_or(1)).unwrap_or(0);
        levels.push(facet);
    }
    if levels.is_empty() {
        return Err(Error::bad_request(format!("Pivot Facet needs at least one field name: {fields}")));
    }
    let key = local.get("key").unwrap_or(fields).to_owned();
    let stats = stats::tagged(context, &local.list("stats"))?;
    Ok(PivotFacet { key, levels, exclude_tags: local.list("ex"), stats })
}
