//! Hits in groups. `values` says which group a hit belongs to, `heads` finds the best hit of each group,
//! `members` the others (`by_score` those of the first groups, where scores decide). Grouping orders groups
//! by their heads and gives back members, as parts that merge with those of other shards: of one that is not
//! alone the heads first, the members of what is on the page when it is asked again. `collapse` leaves
//! only the heads among the hits, so that all that comes after it counts and sorts those (`choice` says which
//! these are, of one shard or of several); `expand` finds the members behind the heads of a page.

mod by_score;
mod choice;
mod collapse;
mod expand;
mod heads;
mod members;
mod values;

use std::collections::HashSet;
use std::sync::Arc;

use plan::partial::{GroupPartial, GroupsPartial, HeadsStep};
use plan::{Filter, GroupBy, GroupListing, GroupPlan, Grouping, Query, Result, SearchPlan, Value};

pub(super) use collapse::Collapser;
pub(super) use expand::{expand, values_of};
pub(super) use values::{Groups, SegmentGroups};

use self::choice::{HeadsChoice, chosen_bits, heads_as_bits};
use self::collapse::candidates;
use self::heads::{Head, heads};
use self::members::{Members, Wanted, members};
use super::collect::Order;
use super::mask::{self, PreparedFilter};
use super::node::Node;
use crate::search::context::SearchContext;
use crate::segment::bits::Bits;

/// The hits in the groups that `grouping` asks for, for each of its fields, functions and queries.
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
    let found = grouping.by.iter().map(|one| match (&one.by, &one.listing) {
        (GroupBy::Query(_), GroupListing::Named(_) | GroupListing::Counted(_)) => {
            Ok(GroupsPartial::default())
        }
        (GroupBy::Query(query), _) => search.of_query(context, (one, query), (node, hits)),
        (_, GroupListing::Page) => search.page(context, one, (node, hits)),
        (_, GroupListing::Leading) => search.leading(context, one, (node, hits)),
        (_, GroupListing::Named(values)) => {
            search.named(context, (one, values), &search.wanted(one, &[]), (node, hits))
        }
        (_, GroupListing::Counted(values)) => {
            let counted = Wanted { limit: 0, score_max: false, ..search.wanted(one, &[]) };
            search.named(context, (one, values), &counted, (node, hits))
        }
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

    /// The groups up to the end of the page by their best hits. Where groups are counted, `groups` has met
    /// all of them afterwards.
    fn first(
        &self,
        context: &SearchContext<'_>,
        groups: &mut Groups,
        (node, hits): (&Node, &[Arc<Bits>]),
    ) -> Result<Vec<Head>> {
        let end = self.grouping.groups.end();
        match !self.grouping.count_groups && by_score::decides(&self.sort, node, end) {
            true => by_score::first(context, (node, hits), groups, end),
            false => heads(context, (node, hits), groups, &self.sort, end),
        }
    }

    /// The groups on the page of a shard that is alone.
    fn page(
        &self,
        context: &SearchContext<'_>,
        one: &Grouping,
        (node, hits): (&Node, &[Arc<Bits>]),
    ) -> Result<GroupsPartial> {
        let mut groups = Groups::open(context, &one.by)?;
        let heads = self.first(context, &mut groups, (node, hits))?;
        // Of groups that the page begins behind no members are needed.
        let shown = heads.get(self.grouping.groups.start..).unwrap_or_default();
        let chosen: Vec<u32> = shown.iter().map(|head| head.group).collect();
        // Only a score says of a head that it is the best of its group by score.
        let best = if self.sort.is_by_score() { shown } else { &[] };
        let wanted = Wanted { best, ..self.wanted(one, &chosen) };
        let collected = wanted_members(context, (node, hits), &mut groups, &wanted)?;
        let left_out = if self.grouping.count_groups { groups.len() - heads.len() } else { 0 };
        let skipped = heads.len() - chosen.len();
        let collected = std::iter::repeat_with(Members::default).take(skipped).chain(collected);
        let mut found = GroupsPartial::default();
        found.values.left_out.others = left_out as u64;
        for (head, members) in heads.into_iter().zip(collected) {
            found.add(groups.value(head.group)?, members.partial(Some(head.hit), one.within.end()));
        }
        found.order_by_value();
        Ok(found)
    }

    /// The first groups of a shard among others, without their members.
    fn leading(
        &self,
        context: &SearchContext<'_>,
        one: &Grouping,
        hits: (&Node, &[Arc<Bits>]),
    ) -> Result<GroupsPartial> {
        let mut groups = Groups::open(context, &one.by)?;
        let heads = self.first(context, &mut groups, hits)?;
        let mut found = GroupsPartial::default();
        let mut listed = HashSet::new();
        for Head { group, hit } in heads {
            listed.insert(group);
            found.add(groups.value(group)?, GroupPartial { head: Some(hit), ..GroupPartial::default() });
        }
        if self.grouping.count_groups {
            for group in (0..).take(groups.len()).filter(|group| !listed.contains(group)) {
                found.add(groups.value(group)?, GroupPartial::default());
            }
        }
        found.order_by_value();
        Ok(found)
    }

    /// The members of groups that were chosen of all shards' first ones.
    fn named(
        &self,
        context: &SearchContext<'_>,
        (one, values): (&Grouping, &[Option<Value>]),
        wanted: &Wanted<'_>,
        (node, hits): (&Node, &[Arc<Bits>]),
    ) -> Result<GroupsPartial> {
        let mut found = GroupsPartial::default();
        if values.is_empty() {
            return Ok(found);
        }
        let mut groups = Groups::open(context, &one.by)?;
        let (mut known, mut numbers) = (Vec::new(), Vec::new());
        for value in values {
            if let Some(group) = groups.find(value.as_ref())? {
                known.push(value);
                numbers.push(group);
            }
        }
        let wanted = Wanted { groups: &numbers, ..*wanted };
        let limit = wanted.limit;
        let members = wanted_members(context, (node, hits), &mut groups, &wanted)?;
        for (value, members) in known.into_iter().zip(members).filter(|(_, members)| members.total > 0) {
            found.add(value.clone(), members.partial(None, limit));
        }
        found.order_by_value();
        Ok(found)
    }
}

/// The hits of the wanted groups, in the order of those.
fn wanted_members(
    context: &SearchContext<'_>,
    (node, hits): (&Node, &[Arc<Bits>]),
    groups: &mut Groups,
    wanted: &Wanted<'_>,
) -> Result<Vec<Members>> {
    match by_score::members(context, (node, hits), groups, wanted)? {
        Some(members) => Ok(members),
        None => members(context, (node, hits), groups, wanted),
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
