//! Groups in the order of their first hits, cut to the page, and each group's hits to its own. In: the groups
//! of all shards, merged; out: references, since documents are fetched for what is left of them only. Sorting
//! within a shard and the choice of each group's best were done before (`engine`, `plan::partial`); a cut
//! below this place would lose hits of a group that another shard begins.

use plan::partial::{GroupPartial, GroupsPartial, HitRef};
use plan::{Group, GroupBy, GroupPlan, GroupedResult, Grouping, SearchPlan, Value};

use super::hits::cut;

pub(super) fn finish_groups(plan: &SearchPlan, merged: Vec<GroupsPartial>) -> Vec<GroupedResult<HitRef>> {
    let Some(groups) = &plan.shape.groups else { return Vec::new() };
    groups.by.iter().zip(merged).map(|(one, merged)| grouped(groups, one, merged)).collect()
}

fn grouped(plan: &GroupPlan, one: &Grouping, merged: GroupsPartial) -> GroupedResult<HitRef> {
    let GroupsPartial { matches, values, without } = merged;
    let shown = |(value, partial): (Option<Value>, GroupPartial)| {
        let GroupPartial { head: _, total, score_max, hits } = partial;
        Group { value, total, score_max, hits: cut(hits.list, one.within) }
    };
    if let GroupBy::Query(_) = one.by {
        // One group, on whatever page of groups.
        let groups = without.into_iter().map(|partial| shown((None, partial))).collect();
        return GroupedResult { matches, groups_total: None, groups };
    }
    let others = values.left_out.others;
    let valued = values.list.into_iter().map(|(value, partial)| (Some(value), partial));
    let groups: Vec<_> = valued.chain(without.map(|partial| (None, partial))).collect();
    let groups_total = plan.count_groups.then(|| groups.len() as u64 + others);
    let page = page(plan, groups, |(_, group)| group.head.as_ref());
    GroupedResult { matches, groups_total, groups: page.map(shown).collect() }
}

/// What is on the page of groups, in order.
fn page<T>(
    plan: &GroupPlan,
    mut groups: Vec<T>,
    head: impl Fn(&T) -> Option<&HitRef>,
) -> impl Iterator<Item = T> {
    groups.sort_by(|left, right| match (head(left), head(right)) {
        (Some(left), Some(right)) => left.order(right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    });
    groups.into_iter().skip(plan.groups.start).take(plan.groups.rows)
}

/// The values of the groups on the page, whose hits are still to be asked for; none of a query's.
pub(crate) fn groups_on_page(plan: &GroupPlan, one: &Grouping, merged: &GroupsPartial) -> Vec<Option<Value>> {
    if let GroupBy::Query(_) = one.by {
        return Vec::new();
    }
    let valued = merged.values.list.iter().map(|(value, group)| (Some(value), group));
    let groups = valued.chain(merged.without.iter().map(|group| (None, group)));
    page(plan, groups.collect(), |(_, group)| group.head.as_ref()).map(|(value, _)| value.cloned()).collect()
}

/// The other members of the page's groups: of those that have some.
pub(crate) fn finish_expanded(
    plan: &SearchPlan,
    values: Vec<Option<Value>>,
    merged: Vec<GroupPartial>,
) -> Vec<Group<HitRef>> {
    // Solr's own, which does not look for it.
    let score_max = plan.scores.then_some(f32::NAN);
    let found = values.into_iter().zip(merged).filter(|(_, partial)| partial.total > 0);
    let shown = found.map(|(value, partial)| {
        let GroupPartial { head: _, total, score_max: _, hits } = partial;
        Group { value, total, score_max, hits: hits.list }
    });
    shown.collect()
}
