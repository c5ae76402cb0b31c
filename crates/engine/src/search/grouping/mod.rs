//! Hits in groups. `values` says which group a hit belongs to, `heads` finds the best hit of each group, `members` the others.
//! (`by_score` those of the first groups, where scores decide). Grouping orders groups by their heads and shows members; `collapse` leaves only the heads among the hits, so that all
//! that comes after it counts and sorts those; `expand` shows the members behind the heads of a page.

mod by_score;
mod collapse;
mod expand;
mod heads;
mod members;
mod values;

use std::sync::Arc;

use plan::{Filter, GroupBy, GroupPlan, Query, Result, SearchPlan, Value};

pub(super) use collapse::Collapser;
pub(super) use expand::expand;
pub(super) use values::{Groups, SegmentGroups};

use self::heads::heads;
use self::members::{Wanted, members};
use super::SearchContext;
use super::bits::Bits;
use super::collect::{Found, Order};
use super::mask::{self, PreparedFilter};
use super::node::Node;

/// As `plan::GroupedResult`, of hits that are not loaded yet.
pub(super) struct FoundGroups {
    pub(super) groups_total: Option<u64>,
    pub(super) groups: Vec<FoundGroup>,
}

pub(super) struct FoundGroup {
    pub(super) value: Option<Value>,
    pub(super) total: u64,
    pub(super) score_max: Option<f32>,
    /// Those within the group that are wanted.
    pub(super) found: Vec<Found>,
}

/// The hits in the groups that `grouping` asks for, for each of its fields, functions and queries.
pub(super) fn grouped(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    grouping: &GroupPlan,
    (node, hits): (&Node, &[Arc<Bits>]),
) -> Result<Vec<FoundGroups>> {
    let sort = Order::resolve(context, &plan.sort)?;
    let within = Order::resolve(context, &grouping.sort)?;
    let mut results = Vec::with_capacity(grouping.by.len());
    for one in &grouping.by {
        let mut groups = Groups::open(context, &one.by)?;
        let wanted =
            |groups| Wanted { groups, order: &within, limit: one.within.end(), score_max: plan.scores };
        let (chosen, collected) = match &one.by {
            GroupBy::Query(query) => {
                let hits = restricted(context, query, hits)?;
                (vec![0], members(context, (node, &hits), &mut groups, &wanted(&[0]))?)
            }
            GroupBy::Field(_) | GroupBy::Function(_) => {
                let limit = grouping.groups.end();
                let first = match !grouping.count_groups && by_score::decides(&sort, node, limit) {
                    true => by_score::first(context, (node, hits), &mut groups, limit)?,
                    false => heads(context, (node, hits), &mut groups, &sort, limit)?,
                };
                let chosen = first.iter().skip(grouping.groups.start).map(|head| head.group);
                let chosen: Vec<u32> = chosen.collect();
                let collected = match by_score::members(context, (node, hits), &groups, &wanted(&chosen))? {
                    Some(members) => members,
                    None => members(context, (node, hits), &mut groups, &wanted(&chosen))?,
                };
                (chosen, collected)
            }
        };
        let shown = chosen.iter().zip(collected).map(|(group, members)| {
            let found = members.found.into_iter().skip(one.within.start).collect();
            let value = groups.value(*group)?;
            Ok(FoundGroup { value, total: members.total, score_max: members.score_max, found })
        });
        let shown = shown.collect::<Result<_>>()?;
        let groups_total = grouping.count_groups.then(|| groups.len() as u64);
        results.push(FoundGroups { groups_total, groups: shown });
    }
    Ok(results)
}

/// What facets count under `group.truncate`: the best hit of each group of the first field or function.
pub(super) fn truncated(
    context: &SearchContext<'_>,
    grouping: &GroupPlan,
    (node, hits): (&Node, &[Arc<Bits>]),
) -> Result<Vec<Arc<Bits>>> {
    let by = grouping.by.iter().find(|one| !matches!(one.by, GroupBy::Query(_)));
    let Some(by) = by.filter(|_| grouping.truncate) else { return Ok(hits.to_vec()) };
    let mut groups = Groups::open(context, &by.by)?;
    let order = Order::resolve(context, &grouping.sort)?;
    only_heads(context, (node, hits), &mut groups, &order)
}

/// The best hit of each group as bits.
fn only_heads(
    context: &SearchContext<'_>,
    (node, hits): (&Node, &[Arc<Bits>]),
    groups: &mut Groups,
    order: &Order,
) -> Result<Vec<Arc<Bits>>> {
    let mut kept: Vec<Bits> = context.segments.iter().map(|segment| Bits::none(segment.max_doc())).collect();
    for head in heads(context, (node, hits), groups, order, usize::MAX)? {
        if let Some(kept) = kept.get_mut(head.found.segment) {
            kept.insert(head.found.doc);
        }
    }
    Ok(kept.into_iter().map(Arc::new).collect())
}

/// The hits that match a query, whose documents are kept as a filter's are.
fn restricted(context: &SearchContext<'_>, query: &Query, hits: &[Arc<Bits>]) -> Result<Vec<Arc<Bits>>> {
    let filter = Filter { query: query.clone(), cache: true, cost: 0, tags: Vec::new() };
    let filter = PreparedFilter::prepare(context, &filter)?;
    let pairs = context.segments.iter().zip(hits);
    let restricted = pairs.map(|(segment, hits)| {
        let mut own = Bits::clone(&*mask::filter_bits(context, segment, &filter)?);
        own.intersect(hits);
        Ok(Arc::new(own))
    });
    restricted.collect()
}
