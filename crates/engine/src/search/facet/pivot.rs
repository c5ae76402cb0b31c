//! Values below values: the field facet of a first field, and for each of its values that of the next field over the hits
//! that have the value. Counting is `field.rs`'s; here the hits are narrowed on the way down.

use std::sync::Arc;

use plan::{FieldFacet, Filter, PivotCount, PivotFacet, Query, Result, Value};

use super::tree::Opened;
use super::units::Units;
use super::{Domain, field, range};
use crate::search::SearchContext;
use crate::search::lower::exists_docs;
use crate::search::mask::{self, PreparedFilter};

/// A value with what hangs on it takes so many places of the facets' room.
const PLACES: usize = 16;

/// What is computed of the hits of each value.
pub(super) struct Below<'p> {
    pub(super) facet: &'p PivotFacet,
    pub(super) stats: Option<Opened<'p>>,
}

impl Below<'_> {
    fn asks_more(&self) -> bool {
        self.stats.is_some() || !self.facet.queries.is_empty() || !self.facet.ranges.is_empty()
    }
}

/// `None` where there is nothing to list.
pub(super) fn count(
    units: Units<'_>,
    levels: &[FieldFacet],
    below: &Below<'_>,
    domain: &Domain,
) -> Result<Option<Vec<PivotCount>>> {
    let Some((level, rest)) = levels.split_first() else { return Ok(None) };
    let counted = field::count(units, level, domain)?;
    units.room.take(counted.counts.len(), PLACES - 1)?;
    if counted.counts.is_empty() && counted.missing.is_none() {
        return Ok(None);
    }
    // Those without a value need as many hits as a value does, and some.
    let missing = counted.missing.filter(|count| *count >= level.count_min.max(1)).map(|count| (None, count));
    let values = counted.counts.into_iter().map(|(value, count)| (Some(value), count));
    let mut pivots = Vec::new();
    for (value, count) in values.chain(missing).take_while(|_| !units.context.allowance.is_used_up()) {
        let mut pivot = PivotCount::of(&level.field, value, count);
        if count > 0 && (below.asks_more() || !rest.is_empty()) {
            let hits = narrowed(units.context, level, pivot.value.as_ref(), domain)?;
            pivot.below = self::count(units, rest, below, &hits)?;
            fill(units, below, &hits, &mut pivot)?;
        }
        pivots.push(pivot);
    }
    Ok(Some(pivots))
}

fn fill(units: Units<'_>, below: &Below<'_>, hits: &Domain, pivot: &mut PivotCount) -> Result<()> {
    pivot.stats =
        below.stats.as_ref().map(|stats| stats.compute(units.context, units.room, hits)).transpose()?;
    for one in &below.facet.queries {
        pivot.queries.push((one.key.clone(), units.matching(&one.query, hits)?));
    }
    for one in &below.facet.ranges {
        pivot.ranges.push(range::count(units, one, hits)?);
    }
    Ok(())
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
