//! Values below values: the field facet of a first field, and for each of its values that of the next field over the hits
//! that have the value. Counting is `field.rs`'s; here the hits are narrowed on the way down.

use std::sync::Arc;

use plan::{FieldFacet, Filter, PivotCount, Query, Result, Value};

use super::tree::Opened;
use super::{Domain, field};
use crate::search::SearchContext;
use crate::search::lower::exists_docs;
use crate::search::mask::{self, PreparedFilter};

/// `stats` are computed of the hits of each value.
pub(super) fn count(
    context: &SearchContext<'_>,
    levels: &[FieldFacet],
    stats: Option<&Opened<'_>>,
    domain: &Domain,
) -> Result<Vec<PivotCount>> {
    let Some((level, rest)) = levels.split_first() else { return Ok(Vec::new()) };
    let counted = field::count(context, level, domain)?;
    let missing = counted.missing.filter(|count| *count > 0).map(|count| (None, count));
    let values = counted.counts.into_iter().map(|(value, count)| (Some(value), count));
    let mut pivots = Vec::new();
    for (value, count) in values.chain(missing).take_while(|_| !context.allowance.is_used_up()) {
        let mut pivot =
            PivotCount { field: level.field.clone(), value, count, below: Vec::new(), stats: None };
        if count > 0 && (stats.is_some() || !rest.is_empty()) {
            let hits = narrowed(context, level, pivot.value.as_ref(), domain)?;
            pivot.below = self::count(context, rest, stats, &hits)?;
            pivot.stats = stats.map(|stats| stats.compute(context, &hits)).transpose()?;
        }
        pivots.push(pivot);
    }
    Ok(pivots)
}

/// The hits that have the value, or none at all.
fn narrowed(
    context: &SearchContext<'_>,
    level: &FieldFacet,
    value: Option<&Value>,
    domain: &Domain,
) -> Result<Domain> {
    let Some(value) = value else { return without_value(context, level, domain) };
    let query = Query::Term { field: level.field.clone(), value: value.clone() };
    let filter = Filter { query, cache: true, cost: 0, tags: Vec::new() };
    let filter = PreparedFilter::prepare(context, &filter)?;
    let mut narrowed = domain.clone();
    for (segment, hits) in context.segments.iter().zip(&mut narrowed) {
        let bits = mask::filter_bits(context, segment, &filter)?;
        Arc::make_mut(hits).intersect(&bits);
    }
    Ok(narrowed)
}

fn without_value(context: &SearchContext<'_>, level: &FieldFacet, domain: &Domain) -> Result<Domain> {
    let mut narrowed = domain.clone();
    let Some(layout) = context.layout.field(&level.field) else { return Ok(narrowed) };
    for (segment, hits) in context.segments.iter().zip(&mut narrowed) {
        let present = exists_docs(segment.view, layout)?;
        Arc::make_mut(hits).subtract(&present);
    }
    Ok(narrowed)
}
