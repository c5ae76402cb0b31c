//! The hits of the groups on the page, asked for once it is known which groups these are: of the thousands
//! that a search may have, ten are shown. In: the groups that shards named first, merged; out: the same with
//! the hits of those on the page, from all shards. What a group's hits are in a shard is `engine`'s
//! (`search/grouping`), the order of groups is `finish`'s.

use std::sync::Arc;

use plan::partial::{GroupPartial, GroupsPartial, Merge, RankedHits, ShardResult};
use plan::{FacetPlan, GroupListing, Page, SearchPlan, SortKey, Value};

use crate::finish::groups_on_page;

/// The groups whose hits shards are asked for.
pub(super) struct MembersAsked {
    /// By the places of [`plan::GroupPlan::by`].
    shown: Vec<Arc<[Option<Value>]>>,
    /// Whether shards have told the hits that are shown: where scores order groups and hits, a group's first
    /// hit is its best. Then they are asked how many there are, and no more.
    heads_suffice: bool,
}

impl MembersAsked {
    /// `None` where there are none.
    pub(super) fn of(plan: &SearchPlan, merged: &ShardResult) -> Option<Self> {
        let groups = plan.shape.groups.as_ref().filter(|_| plan.shape.lists_groups())?;
        let found = groups.by.iter().zip(&merged.groups);
        let shown = found.map(|(one, found)| Arc::from(groups_on_page(groups, one, found)));
        let shown: Vec<Arc<[Option<Value>]>> = shown.collect();
        let by_score = SortKey::are_by_score(&plan.sort) && SortKey::are_by_score(&groups.sort);
        let heads_suffice = by_score && groups.by.iter().all(|one| one.within.end() <= 1);
        shown.iter().any(|values| !values.is_empty()).then_some(Self { shown, heads_suffice })
    }

    /// What a shard is asked: its plan with these groups and nothing that it has answered already.
    pub(super) fn plan(&self, plan: &SearchPlan) -> SearchPlan {
        let facets = FacetPlan { depth: plan.facets.depth, ..FacetPlan::default() };
        // Nothing else may differ: by the rest of the plan a shard knows the hits that it has found before.
        let listing = if self.heads_suffice { GroupListing::Counted } else { GroupListing::Named };
        let mut shown = self.shown.iter().cloned().map(listing);
        let shape = plan.shape.listing_groups(|| shown.next().unwrap_or_default());
        SearchPlan { facets, shape, page: Page { start: 0, rows: 0 }, ..plan.clone() }
    }

    /// Puts what all shards have of the groups into the search's result.
    pub(super) fn put(&self, plan: &SearchPlan, into: &mut ShardResult, of_page: ShardResult) {
        into.cut_before = into.cut_before.take().or(of_page.cut_before);
        for (found, members) in into.groups.iter_mut().zip(of_page.groups) {
            if self.heads_suffice {
                let groups = found.values.list.iter_mut().map(|(_, group)| group);
                groups.chain(&mut found.without).for_each(|group| show_head(plan, group));
            }
            put(found, members);
        }
    }
}

fn show_head(plan: &SearchPlan, group: &mut GroupPartial) {
    if let Some(head) = &group.head {
        group.score_max = head.score.filter(|_| plan.scores);
        group.hits = RankedHits { limit: 1, list: vec![head.clone()] };
    }
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
