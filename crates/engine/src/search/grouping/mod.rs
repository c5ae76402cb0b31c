//! Hits in groups. `values` says which group a hit belongs to, `heads` finds the best hit of each group,
//! `members` the others (`by_score` those of the first groups, where scores decide). Grouping orders groups
//! by their heads and gives back members, as parts that merge with those of other shards; `collapse` leaves
//! only the heads among the hits, so that all that comes after it counts and sorts those; `expand` finds the
//! members behind the heads of a page.

mod by_score;
mod collapse;
mod expand;
mod heads;
mod members;
mod values;

use std::sync::Arc;

use plan::partial::GroupsPartial;
use plan::{CutDepth, Filter, GroupBy, GroupPlan, Grouping, Query, Result, SearchPlan};

pub(super) use collapse::Collapser;
pub(super) use expand::{expand, values_of};
pub(super) use values::{Groups, SegmentGroups};

use self::heads::heads;
use self::members::{Members, Wanted, members};
use super::collect::Order;
use super::mask::{self, PreparedFilter};
use super::node::Node;
use crate::search::context::SearchContext;
use crate::segment::bits::Bits;

/// The hits in the groups that `grouping` asks for, for each of its fields, functions and queries, as deep as
/// the plan lets a shard cut.
pub(super) fn grouped(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    grouping: &GroupPlan,
    (node, hits): (&Node, &[Arc<Bits>]),
) -> Result<Vec<GroupsPartial>> {
    let sort = Order::resolve(context, &plan.sort)?;
    let within = Order::resolve(context, &grouping.sort)?;
    let search = GroupSearch { plan, grouping, sort, within };
    let matches = hits.iter().map(|bits| u64::from(bits.count())).sum();
    let found = grouping.by.iter().map(|one| match &one.by {
        GroupBy::Query(query) => search.of_query(context, (one, query), (node, hits)),
        GroupBy::Field(_) | GroupBy::Function(_) => search.of_values(context, one, (node, hits)),
    });
    found.map(|found| Ok(GroupsPartial { matches, ..found? })).collect()
}

/// What of groups is wanted.
struct GroupSearch<'a> {
    plan: &'a SearchPlan,
    grouping: &'a GroupPlan,
    /// Of groups, by their first hits.
    sort: Order,
    /// Of hits in a group.
    within: Order,
}

impl GroupSearch<'_> {
    fn wanted<'a>(&'a self, one: &Grouping, groups: &'a [u32]) -> Wanted<'a> {
        Wanted { groups, order: &self.within, limit: one.within.end(), score_max: self.plan.scores }
    }

    fn of_query(
        &self,
        context: &SearchContext<'_>,
        (one, query): (&Grouping, &Query),
        (node, hits): (&Node, &[Arc<Bits>]),
    ) -> Result<GroupsPartial> {
        let mut groups = Groups::open(context, &one.by)?;
        let hits = restricted(context, query, hits)?;
        let found = members(context, (node, &hits), &mut groups, &self.wanted(one, &[0]))?;
        let without = found.into_iter().next().map(|members| members.partial(None, one.within.end()));
        Ok(GroupsPartial { without, ..GroupsPartial::default() })
    }

    fn of_values(
        &self,
        context: &SearchContext<'_>,
        one: &Grouping,
        (node, hits): (&Node, &[Arc<Bits>]),
    ) -> Result<GroupsPartial> {
        // Of groups that the page begins behind one shard needs no members; other shards may push them into
        // the page.
        let (start, end) = match self.plan.facets.depth {
            CutDepth::Page => (self.grouping.groups.start, self.grouping.groups.end()),
            CutDepth::Whole => (0, usize::MAX),
        };
        let mut groups = Groups::open(context, &one.by)?;
        let heads = match !self.grouping.count_groups && by_score::decides(&self.sort, node, end) {
            true => by_score::first(context, (node, hits), &mut groups, end)?,
            false => heads(context, (node, hits), &mut groups, &self.sort, end)?,
        };
        let chosen: Vec<u32> = heads.iter().skip(start).map(|head| head.group).collect();
        let wanted = self.wanted(one, &chosen);
        let collected = match by_score::members(context, (node, hits), &groups, &wanted)? {
            Some(members) => members,
            None => members(context, (node, hits), &mut groups, &wanted)?,
        };
        let left_out = if self.grouping.count_groups { groups.len() - heads.len() } else { 0 };
        let skipped = heads.len() - chosen.len();
        let collected = std::iter::repeat_with(Members::default).take(skipped).chain(collected);
        let mut found = GroupsPartial::default();
        found.values.left_out.others = left_out as u64;
        for (head, members) in heads.into_iter().zip(collected) {
            let partial = members.partial(Some(head.hit), one.within.end());
            match groups.value(head.group)? {
                Some(value) => found.values.list.push((value, partial)),
                None => found.without = Some(partial),
            }
        }
        found.values.list.sort_by(|(left, _), (right, _)| left.order(right));
        Ok(found)
    }
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
        if let Some(kept) = kept.get_mut(head.hit.segment_number()) {
            kept.insert(head.hit.doc);
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
