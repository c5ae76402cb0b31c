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
    let mut groups: Vec<_> = valued.chain(without.map(|partial| (None, partial))).collect();
    let groups_total = plan.count_groups.then(|| groups.len() as u64 + others);
    groups.sort_by(|(_, left), (_, right)| match (&left.head, &right.head) {
        (Some(left), Some(right)) => left.order(right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    });
    let page = groups.into_iter().skip(plan.groups.start).take(plan.groups.rows);
    GroupedResult { matches, groups_total, groups: page.map(shown).collect() }
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
