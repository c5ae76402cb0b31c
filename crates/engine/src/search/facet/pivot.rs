//! Values below values: the field facet of a first field, and for each of its values that of the next field
//! over the hits that have the value. Counting is `field.rs`'s; here the hits are narrowed on the way down.
//!
//! Statistics, queries and ranges below a pivot are computed for each value's hits as well. Every
//! value takes of the facets' room, which bounds what a short request can multiply to.

use std::sync::Arc;

use plan::partial::{ByValue, PivotLevel, PivotPartial, UnitCount};
use plan::{CutDepth, FieldFacet, Filter, PivotFacet, Query, Result, Value};

use super::domains::Searched;
use super::tree::Opened;
use super::units::Units;
use super::{field, range};
use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;
use crate::search::lower::exists_docs;
use crate::search::mask::{self, PreparedFilter};
use crate::segment::bits::Bits;

/// A value with what is below it takes this many places of the facets' room.
const PLACES: usize = 16;

/// What is computed of the hits of each value.
pub(super) struct Below<'p> {
    pub(super) facet: &'p PivotFacet,
    pub(super) stats: Option<Opened<'p>>,
    pub(super) searched: &'p Searched<'p>,
}

impl Below<'_> {
    fn asks_more(&self) -> bool {
        self.stats.is_some() || !self.facet.queries.is_empty() || !self.facet.ranges.is_empty()
    }
}

/// The values of the first of `levels`, and below each those of the rest.
pub(super) fn count(
    units: Units<'_>,
    levels: &[FieldFacet],
    below: &Below<'_>,
    domain: &Domain,
) -> Result<PivotLevel> {
    let Some((level, rest)) = levels.split_first() else { return Ok(PivotLevel::default()) };
    let mut counted = field::count(units, level, domain)?;
    units.room.reserve(counted.len(), PLACES - 1)?;
    let absent = absent(units, rest, below, domain)?;
    let part = |value: Option<&Value>, count: UnitCount| match (count.count(), &absent) {
        (0, Some(absent)) => Ok((**absent).clone()),
        _ => looked_into(units, (level, rest), below, (value, count), domain),
    };
    let missing = match counted.missing.take() {
        // Too few to be shown where there is one shard: only that they were counted matters.
        Some(count) if units.depth == CutDepth::Page && count.count() < level.count_min => {
            Some(Box::new(PivotPartial::of(count)))
        }
        missing => missing.map(|count| part(None, count)).transpose()?.map(Box::new),
    };
    let ByValue { list, left_out, .. } = counted.into_values();
    let mut values = Vec::with_capacity(list.len());
    for (value, count) in list.into_iter().take_while(|_| !units.context.allowance.is_used_up()) {
        let part = part(Some(&value), count)?;
        values.push((value, part));
    }
    Ok(PivotLevel { values: ByValue { list: values, absent, left_out, unlisted_max: 0 }, missing })
}

/// What stands below values that no hit of this shard has: values without hits, where a level asks for them.
fn absent(
    units: Units<'_>,
    rest: &[FieldFacet],
    below: &Below<'_>,
    domain: &Domain,
) -> Result<Option<Box<PivotPartial>>> {
    if units.depth == CutDepth::Page || rest.iter().all(|level| level.count_min > 0) {
        return Ok(None);
    }
    let nothing: Domain = domain.iter().map(|hits| Arc::new(Bits::none(hits.max_doc()))).collect();
    let level = self::count(units, rest, below, &nothing)?;
    Ok(Some(Box::new(PivotPartial { below: Some(level), ..PivotPartial::default() })))
}

/// The hits of one value of a level, or of none.
fn looked_into(
    units: Units<'_>,
    (level, rest): (&FieldFacet, &[FieldFacet]),
    below: &Below<'_>,
    (value, count): (Option<&Value>, UnitCount),
    domain: &Domain,
) -> Result<PivotPartial> {
    let found = count.count();
    let mut part = PivotPartial::of(count);
    if found == 0 || (rest.is_empty() && !below.asks_more()) {
        return Ok(part);
    }
    let hits = narrowed(units.context, level, value, domain)?;
    if !rest.is_empty() {
        part.below = Some(self::count(units, rest, below, &hits)?);
    }
    part.stats = below
        .stats
        .as_ref()
        .map(|stats| stats.compute(units.context, (units.room, below.searched), &hits))
        .transpose()?;
    let queries = below.facet.queries.iter().map(|one| units.matching(&one.query, &hits));
    part.queries = queries.collect::<Result<_>>()?;
    let ranges = below.facet.ranges.iter().map(|one| range::count(units, one, &hits));
    part.ranges = ranges.collect::<Result<_>>()?;
    Ok(part)
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
