//! Classic facets from parameters to a plan: fields, ranges, queries, intervals, maps, pivots, with their
//! local parameters `key`, `ex`, `terms` and options given per field. Counting is the engine's, the
//! parameters are defined in `params/facet.rs`.

mod field;
mod heatmap;
mod interval;
mod pivot;
mod query;
mod range;
mod range_values;
mod stats;
mod target;
mod tree;
mod trouble;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use plan::{BucketPlan, Component, Error, FacetPlan, IntervalFacet, QueryFacet, Result};

use self::trouble::Trouble;
use crate::params::{facet as params, grouping};
use crate::query::QueryContext;

/// What the request asks to count.
#[derive(Debug, Default)]
pub(crate) struct Facets {
    pub plan: FacetPlan,
    /// What the response's header warns of.
    pub warnings: Vec<String>,
    /// Why nothing is counted. Solr finds mistakes in query and field facets after the search, and answers
    /// with the hits and the error; those in ranges it finds before.
    pub failure: Option<Error>,
}

/// All that the request asks to count, as far as the handler runs what counts it: classic facets, the tree of
/// its JSON, statistics of fields. What comes after a failure is not counted.
pub(crate) fn resolve_facets(context: &QueryContext<'_>, components: &[Component]) -> Result<Facets> {
    let runs = |component| components.contains(&component);
    let (stats, no_stats) = match runs(Component::Stats) {
        true => apart(stats::resolve(context))?,
        false => (None, None),
    };
    let tree = context.params.facet_tree().filter(|_| runs(Component::FacetModule));
    let (tree, no_tree) = apart(tree.map(|tree| tree::resolve(context, tree)).transpose())?;
    let mut facets = if runs(Component::Facet) { classic(context)? } else { Facets::default() };
    facets.plan.tree = tree.filter(|_| facets.failure.is_none());
    facets.failure = facets.failure.or(no_tree);
    facets.plan.stats = stats.filter(|_| facets.failure.is_none());
    facets.failure = facets.failure.or(no_stats);
    Ok(facets)
}

/// A plan, or what stands in its way once the search is done. What is found before the search is an error at
/// once.
fn apart(found: Result<Option<BucketPlan>, Trouble>) -> Result<(Option<BucketPlan>, Option<Error>)> {
    match found {
        Ok(plan) => Ok((plan, None)),
        Err(Trouble::Form(error)) => Err(error),
        Err(Trouble::Schema(error)) => Ok((None, Some(error))),
    }
}

/// Classic facets; none unless `facet` is on.
fn classic(context: &QueryContext<'_>) -> Result<Facets> {
    if !params::FACET.read(context.params)? {
        return Ok(Facets::default());
    }
    let ranges = params::RANGE.sent_all(context.params).map(|text| range::resolve(context, text));
    let ranges = ranges.collect::<Result<_>>()?;
    let mut facets = match counted(context) {
        Ok(facets) => Facets { plan: FacetPlan { ranges, ..facets.plan }, ..facets },
        Err(error) => return Ok(Facets { failure: Some(error), ..Facets::default() }),
    };
    let pivots = params::PIVOT.sent_all(context.params).map(|text| pivot::resolve(context, text));
    match pivots.collect::<Result<_>>() {
        Ok(pivots) => facets.plan.pivots = pivots,
        // By then the others are counted.
        Err(error) => facets.failure = Some(error),
    }
    Ok(facets)
}

/// Facets of queries, fields and intervals, and over maps.
fn counted(context: &QueryContext<'_>) -> Result<Facets> {
    let queries = params::QUERY.sent_all(context.params).map(|text| query::resolve(context, text));
    let queries: Vec<QueryFacet> = queries.collect::<Result<_>>()?;
    let groups_of = groups_of(context)?;
    let (mut fields, mut warnings) = (Vec::new(), Vec::new());
    for text in params::FIELD.sent_all(context.params) {
        params::THREADS.read(context.params)?;
        let (facet, warning) = field::resolve(context, text)?;
        fields.push(facet);
        warnings.extend(warning);
    }
    let intervals = params::INTERVAL.sent_all(context.params).map(|text| interval::resolve(context, text));
    let intervals: Vec<IntervalFacet> = intervals.collect::<Result<_>>()?;
    if groups_of.is_some() && !intervals.is_empty() {
        return Err(Error::bad_request("Interval Faceting can't be used with group.facet"));
    }
    let heatmaps = params::HEATMAP.sent_all(context.params).map(|text| heatmap::resolve(context, text));
    let heatmaps = heatmaps.collect::<Result<_>>()?;
    let plan =
        FacetPlan { enabled: true, queries, fields, intervals, heatmaps, groups_of, ..FacetPlan::default() };
    Ok(Facets { plan, warnings, failure: None })
}

/// The field whose groups are counted under `group.facet`.
fn groups_of(context: &QueryContext<'_>) -> Result<Option<Arc<str>>> {
    if !grouping::FACET.read(context.params)? {
        return Ok(None);
    }
    let grouped = grouping::GROUP.read(context.params)?;
    match grouping::FIELD.sent(context.params).filter(|_| grouped) {
        Some(name) => Ok(Some(context.field_quoted(name)?.name)),
        None => Err(Error::bad_request("Specify the group.field as parameter or local parameter")),
    }
}
