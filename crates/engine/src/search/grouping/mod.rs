//! Hits in groups. `values` says which group a hit belongs to, `heads` finds the best hit of each group,
//! `members` the others (`by_score` those of the first groups, where scores decide). Grouping orders groups
//! by their heads and gives back members, as parts that merge with those of other shards; `collapse` leaves
//! only the heads among the hits, so that all that comes after it counts and sorts those (`choice` says which
//! these are, of one shard or of several); `expand` finds the members behind the heads of a page.

mod by_score;
mod choice;
mod collapse;
mod expand;
mod heads;
mod members;
mod values;

use std::sync::Arc;

use plan::partial::{GroupsPartial, HeadsStep};
use plan::{CutDepth, Filter, GroupBy, GroupPlan, Grouping, Query, Result, SearchPlan};

pub(super) use collapse::Collapser;
pub(super) use expand::{expand, values_of};
pub(super) use values::{Groups, SegmentGroups};

use self::choice::{HeadsChoice, chosen_bits, heads_as_bits};
use self::collapse::candidates;
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
        let (limit, score_max) = (one.within.end(), self.plan.scores);
        Wanted { groups, best: &[], order: &self.within, limit, score_max }
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
        let shown = heads.get(start..).unwrap_or_default();
        let chosen: Vec<u32> = shown.iter().map(|head| head.group).collect();
        // Only a score says of a head that it is the best of its group by score.
        let best = if self.sort.is_by_score() { shown } else { &[] };
        let wanted = Wanted { best, ..self.wanted(one, &chosen) };
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

/// What facets count of grouped hits, which are those without the filters that have one of the tags.
pub(super) fn truncated(
    context: &SearchContext<'_>,
    (plan, without_tags): (&SearchPlan, &[String]),
    (node, hits): (&Node, Vec<Arc<Bits>>),
) -> Result<Vec<Arc<Bits>>> {
    let Some(grouping) = &plan.shape.groups else { return Ok(hits) };
    if let Some(documents) = plan.chosen_heads(without_tags, plan.shape.collapses.len()) {
        return Ok(chosen_bits(context, documents));
    }
    match HeadsChoice::of_groups(context, grouping)? {
        Some(mut choice) => Ok(heads_as_bits(context, &choice.heads(context, (node, &hits))?)),
        None => Ok(hits),
    }
}

/// The best hits of this snapshot in the groups of a step; `hits` are those under the filters that have none
/// of its tags.
pub(super) fn named_heads(
    context: &SearchContext<'_>,
    (plan, step): (&SearchPlan, &HeadsStep),
    (node, hits): (&Node, Vec<Arc<Bits>>),
) -> Result<GroupsPartial> {
    let hits = Collapser(plan).before(step, context, node, hits)?;
    let (choice, hits) = match (plan.shape.collapses.get(step.number), &plan.shape.groups) {
        (Some(collapse), _) => {
            let (candidates, _) = candidates(context, collapse, hits)?;
            (Some(HeadsChoice::of_collapse(context, collapse)?), candidates)
        }
        (None, Some(groups)) => (HeadsChoice::of_groups(context, groups)?, hits),
        (None, None) => (None, hits),
    };
    choice.map_or_else(|| Ok(GroupsPartial::default()), |choice| choice.named(context, (node, &hits)))
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
