//! Facets over the hits of a search, as parts that merge with those of other shards (`plan::partial`):
//! classic ones here and in the files beside, trees of them in `tree`. A facet that excludes tagged filters
//! counts over the hits without them (`domains`). Classic ones may count groups in the place of hits
//! (`units`).

mod accept;
pub(crate) mod domain;
pub(crate) mod domains;
mod field;
mod heatmap;
mod ordinals;
mod pivot;
mod range;
mod room;
mod tree;
mod units;
mod values;

use std::sync::Arc;

use meter::Phase;
use plan::partial::FacetPartials;
use plan::{FacetPlan, Result};

pub(crate) use domains::{Searched, hits_without};
pub(crate) use ordinals::{Strings, ordinals};

use crate::search::context::SearchContext;
use crate::segment::bits::Bits;
use domains::Domains;
use room::BucketBudget;
use units::Units;

/// Counts all that `plan` asks for. `hits` are those under every filter.
pub(crate) fn count(
    context: &SearchContext<'_>,
    plan: &FacetPlan,
    searched: &Searched<'_>,
    hits: &[Arc<Bits>],
) -> Result<FacetPartials> {
    let room = BucketBudget::default();
    let depth = plan.depth;
    let mut domains = Domains::open(context, searched, (&room, depth), hits)?;
    let units = Units { context, groups_of: plan.groups_of.as_ref(), room: &room, depth };
    let mut result = FacetPartials::default();
    // What is half counted is not shown: the rest need not be counted.
    let goes_on = || !context.allowance.is_used_up();
    for facet in plan.queries.iter().take_while(|_| goes_on()) {
        result.queries.push(units.matching(&facet.query, &domains.without(&facet.exclude_tags)?)?);
    }
    for facet in plan.fields.iter().take_while(|_| goes_on()) {
        result.fields.push(field::count(units, facet, &domains.without(&facet.exclude_tags)?)?);
    }
    for facet in plan.ranges.iter().take_while(|_| goes_on()) {
        result.ranges.push(range::count(units, facet, &domains.without(&facet.exclude_tags)?)?);
    }
    for facet in plan.intervals.iter().take_while(|_| goes_on()) {
        let domain = domains.without(&facet.exclude_tags)?;
        let counts = facet.intervals.iter().map(|one| units.matching(&one.query, &domain));
        result.intervals.push(counts.collect::<Result<_>>()?);
    }
    for facet in plan.pivots.iter().take_while(|_| goes_on()) {
        let domain = domains.without(&facet.exclude_tags)?;
        let stats = facet.stats.as_ref().map(|plan| tree::Opened::open(&mut domains, plan)).transpose()?;
        result.pivots.push(pivot::count(
            units,
            &facet.levels,
            &pivot::Below { facet, stats, searched },
            &domain,
        )?);
    }
    for facet in plan.heatmaps.iter().take_while(|_| goes_on()) {
        let domain = domains.without(&facet.exclude_tags)?;
        result.heatmaps.push(heatmap::count(context, &room, facet, &domain)?);
    }
    let counting = plan.tree.as_ref().map(|_| context.trace.enter(Phase::FacetModule));
    result.tree = plan.tree.as_ref().map(|plan| tree::compute(&mut domains, plan)).transpose()?;
    drop(counting);
    let _stats = plan.stats.as_ref().map(|_| context.trace.enter(Phase::Stats));
    result.stats = plan.stats.as_ref().map(|plan| tree::compute(&mut domains, plan)).transpose()?;
    Ok(result)
}
