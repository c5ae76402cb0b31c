//! The hits of the groups on the page, asked for once it is known which groups these are: of the thousands
//! that a search may have, ten are shown. In: the groups that shards named first, merged; out: the same with
//! the hits of those on the page, from all shards. What a group's hits are in a shard is `engine`'s
//! (`search/grouping`), the order of groups is `finish`'s.

use std::sync::Arc;

use plan::partial::{GroupPartial, GroupsPartial, Merge, ShardResult};
use plan::{FacetPlan, GroupListing, Page, SearchPlan, Value};

use crate::finish::groups_on_page;

/// The groups whose hits shards are asked for, by the places of [`plan::GroupPlan::by`].
pub(super) struct MembersAsked(Vec<Arc<[Option<Value>]>>);

impl MembersAsked {
    /// `None` where there are none.
    pub(super) fn of(plan: &SearchPlan, merged: &ShardResult) -> Option<Self> {
        let groups = plan.shape.groups.as_ref().filter(|_| plan.shape.lists_groups())?;
        let found = groups.by.iter().zip(&merged.groups);
        let shown = found.map(|(one, found)| Arc::from(groups_on_page(groups, one, found)));
        let shown: Vec<Arc<[Option<Value>]>> = shown.collect();
        shown.iter().any(|values| !values.is_empty()).then_some(Self(shown))
    }

    /// What a shard is asked: its plan with these groups and nothing that it has answered already.
    pub(super) fn plan(&self, plan: &SearchPlan) -> SearchPlan {
        let facets = FacetPlan { depth: plan.facets.depth, ..FacetPlan::default() };
        let mut shown = self.0.iter().cloned().map(GroupListing::Named);
        let shape = plan.shape.listing_groups(|| shown.next().unwrap_or_default());
        SearchPlan { facets, shape, page: Page { start: 0, rows: 0 }, ..plan.clone() }
    }
}

/// Puts what all shards have of the groups into the search's result.
pub(super) fn put_members(into: &mut ShardResult, of_page: ShardResult) {
    into.cut_before = into.cut_before.take().or(of_page.cut_before);
    into.groups.iter_mut().zip(of_page.groups).for_each(|(found, members)| put(found, members));
}

/// Both have their groups in value order.
fn put(found: &mut GroupsPartial, members: GroupsPartial) {
    let mut named = members.values.list.into_iter().peekable();
    for (value, group) in &mut found.values.list {
        while let Some((_, members)) = named.next_if(|(named, _)| named.order(value).is_le()) {
            merge_into(group, members);
        }
    }
    if let (Some(group), Some(members)) = (&mut found.without, members.without) {
        merge_into(group, members);
    }
}

fn merge_into(group: &mut GroupPartial, members: GroupPartial) {
    *group = std::mem::take(group).merge(members);
}
