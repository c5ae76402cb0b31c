//! Facets over the hits of a search, as parts that merge with those of other shards (`plan::partial`): classic ones here and in the files beside, trees of them in `tree`. A facet that
//! excludes tagged filters counts over the hits without them. Classic ones may count groups in the place of hits (`units`).

mod accept;
mod field;
mod heatmap;
mod ordinals;
mod pivot;
mod range;
mod room;
mod tree;
mod units;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use meter::Phase;
use plan::partial::FacetPartials;
use plan::{CutDepth, FacetPlan, FieldClass, GroupPlan, Result, Value};

pub(crate) use ordinals::{GlobalOrdinals, Strings, ordinals};

use super::SearchContext;
use super::bits::Bits;
use super::grouping::{self, Collapser};
use super::mask::{self, PreparedFilter};
use super::node::Node;
use room::Room;
use units::Units;

/// The hits of each segment.
pub(crate) type Domain = Vec<Arc<Bits>>;

/// What the hits are hits of.
pub(crate) struct Searched<'a> {
    pub(crate) node: &'a Node,
    pub(crate) filters: &'a [PreparedFilter],
    pub(crate) collapser: &'a Collapser<'a>,
    /// Of which only the best hits are counted, where they say so.
    pub(crate) groups: Option<&'a GroupPlan>,
}

/// Counts all that `plan` asks for. `hits` are those under every filter.
pub(crate) fn count(
    context: &SearchContext<'_>,
    plan: &FacetPlan,
    searched: &Searched<'_>,
    hits: &[Arc<Bits>],
) -> Result<FacetPartials> {
    let all = counted(context, searched, hits.to_vec())?;
    let room = Room::default();
    let depth = plan.depth;
    let mut domains = Domains { context, searched, room: &room, depth, all, known: HashMap::new() };
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
        result.pivots.push(pivot::count(units, &facet.levels, &pivot::Below { facet, stats }, &domain)?);
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

/// Of grouped hits those that facets count.
fn counted(context: &SearchContext<'_>, searched: &Searched<'_>, hits: Domain) -> Result<Domain> {
    match searched.groups {
        Some(groups) => grouping::truncated(context, groups, (searched.node, &hits)),
        None => Ok(hits),
    }
}

/// The hits under all filters and, once asked, under all but those with certain tags.
struct Domains<'a> {
    context: &'a SearchContext<'a>,
    searched: &'a Searched<'a>,
    room: &'a Room,
    depth: CutDepth,
    all: Domain,
    known: HashMap<Vec<String>, Domain>,
}

impl Domains<'_> {
    /// Whether something that restricts the search has one of these tags.
    fn knows(&self, tags: &[String]) -> bool {
        let Searched { filters, collapser, .. } = self.searched;
        filters.iter().any(|filter| has_tag(filter, tags)) || collapser.is_tagged(tags)
    }

    fn without(&mut self, tags: &[String]) -> Result<Domain> {
        if !self.knows(tags) {
            return Ok(self.all.clone());
        }
        let Searched { node, filters, collapser, groups: _ } = self.searched;
        if let Some(known) = self.known.get(tags) {
            return Ok(known.clone());
        }
        let kept = filters.iter().filter(|filter| !has_tag(filter, tags));
        let masks = mask::masks(self.context, kept)?;
        let domain = mask::hits(self.context, node, &masks)?;
        let domain = collapser.without(tags, self.context, node, domain)?;
        let domain = counted(self.context, self.searched, domain)?;
        self.known.insert(tags.to_vec(), domain.clone());
        Ok(domain)
    }
}

fn has_tag(filter: &PreparedFilter, tags: &[String]) -> bool {
    filter.tags.iter().any(|tag| tags.contains(tag))
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
