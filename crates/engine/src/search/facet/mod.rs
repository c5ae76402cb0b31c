//! Facets over the hits of a search: classic ones here and in the files beside, trees of them in `tree`. A facet that excludes tagged filters counts over the hits without them.

mod accept;
mod field;
mod ordinals;
mod pivot;
mod range;
mod tree;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use plan::{
    FacetPlan, FacetResult, FieldClass, Filter, IntervalFacetResult, PivotFacetResult, Result, Value,
};

pub(crate) use ordinals::{GlobalOrdinals, Strings, ordinals};

use super::SearchContext;
use super::bits::Bits;
use super::grouping::Collapser;
use super::mask::{self, PreparedFilter};
use super::node::Node;

/// The hits of each segment.
pub(crate) type Domain = Vec<Arc<Bits>>;

/// Counts all that `plan` asks for. `hits` are those under every filter.
pub(crate) fn count(
    context: &SearchContext<'_>,
    plan: &FacetPlan,
    node: &Node,
    (filters, collapser): (&[PreparedFilter], &Collapser<'_>),
    hits: &[Arc<Bits>],
) -> Result<FacetResult> {
    let mut domains =
        Domains { context, node, filters, collapser, all: hits.to_vec(), known: HashMap::new() };
    let mut result = FacetResult::default();
    // What is half counted is not shown: the rest need not be counted.
    let goes_on = || !context.allowance.is_used_up();
    for facet in plan.queries.iter().take_while(|_| goes_on()) {
        let count = query(context, &facet.query, &domains.without(&facet.exclude_tags)?)?;
        result.queries.push((facet.key.clone(), count));
    }
    for facet in plan.fields.iter().take_while(|_| goes_on()) {
        result.fields.push(field::count(context, facet, &domains.without(&facet.exclude_tags)?)?);
    }
    for facet in plan.ranges.iter().take_while(|_| goes_on()) {
        result.ranges.push(range::count(context, facet, &domains.without(&facet.exclude_tags)?)?);
    }
    for facet in plan.intervals.iter().take_while(|_| goes_on()) {
        let domain = domains.without(&facet.exclude_tags)?;
        let counts = facet.intervals.iter();
        let counts = counts.map(|one| Ok((one.key.clone(), query(context, &one.query, &domain)?)));
        let counts = counts.collect::<Result<_>>()?;
        result.intervals.push(IntervalFacetResult { key: facet.key.clone(), counts });
    }
    for facet in plan.pivots.iter().take_while(|_| goes_on()) {
        let domain = domains.without(&facet.exclude_tags)?;
        let stats = facet.stats.as_ref().map(|plan| tree::Opened::open(&mut domains, plan)).transpose()?;
        let counts = pivot::count(context, &facet.levels, stats.as_ref(), &domain)?;
        result.pivots.push(PivotFacetResult { key: facet.key.clone(), counts });
    }
    result.tree = plan.tree.as_ref().map(|plan| tree::compute(&mut domains, plan)).transpose()?;
    result.stats = plan.stats.as_ref().map(|plan| tree::compute(&mut domains, plan)).transpose()?;
    Ok(result)
}

/// Hits of the search that also match `query`, whose documents are kept as a filter's are.
fn query(context: &SearchContext<'_>, query: &plan::Query, domain: &Domain) -> Result<u64> {
    let filter = Filter { query: query.clone(), cache: true, cost: 0, tags: Vec::new() };
    let filter = PreparedFilter::prepare(context, &filter)?;
    let mut total = 0;
    for (segment, hits) in context.segments.iter().zip(domain) {
        total += u64::from(mask::filter_bits(context, segment, &filter)?.count_common(hits));
    }
    Ok(total)
}

/// The hits under all filters and, once asked, under all but those with certain tags.
struct Domains<'a> {
    context: &'a SearchContext<'a>,
    node: &'a Node,
    filters: &'a [PreparedFilter],
    collapser: &'a Collapser<'a>,
    all: Domain,
    known: HashMap<Vec<String>, Domain>,
}

impl Domains<'_> {
    fn without(&mut self, tags: &[String]) -> Result<Domain> {
        let excluded = |filter: &&PreparedFilter| filter.tags.iter().any(|tag| tags.contains(tag));
        if !self.filters.iter().any(|filter| excluded(&filter)) && !self.collapser.is_tagged(tags) {
            return Ok(self.all.clone());
        }
        if let Some(known) = self.known.get(tags) {
            return Ok(known.clone());
        }
        let kept = self.filters.iter().filter(|filter| !excluded(filter));
        let masks = mask::masks(self.context, kept)?;
        let domain = mask::hits(self.context, self.node, &masks)?;
        let domain = self.collapser.without(tags, self.context, self.node, domain)?;
        self.known.insert(tags.to_vec(), domain.clone());
        Ok(domain)
    }
}

/// A number of an integer column as its field's class shows it.
pub(crate) fn integer_value(class: FieldClass, number: i64) -> Value {
    match class {
        FieldClass::Date => Value::Date(number),
        FieldClass::Int => i32::try_from(number).map_or(Value::Long(number), Value::Int),
        _ => Value::Long(number),
    }
}

/// A number of a column of reals as its field's class shows it.
pub(crate) fn real_value(class: FieldClass, number: f64) -> Value {
    if class == FieldClass::Float { Value::Float(number as f32) } else { Value::Double(number) }
}
