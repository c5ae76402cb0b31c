//! The best hit of each group, as the hits that stay: by which value they are grouped, in which order the
//! best is the first. A shard that is alone takes what it finds; one of several names its own
//! ([`plan::partial::HeadsStep`]) and is told which of them are the best of all shards.

use std::sync::Arc;

use plan::partial::{GroupPartial, GroupsPartial};
use plan::{Collapse, GroupBy, GroupPlan, Result};

use super::heads::{Head, heads};
use super::values::Groups;
use crate::search::collect::Order;
use crate::search::context::SearchContext;
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// A choice to make.
pub(super) struct HeadsChoice {
    groups: Groups,
    order: Order,
}

impl HeadsChoice {
    pub(super) fn of_collapse(context: &SearchContext<'_>, collapse: &Collapse) -> Result<Self> {
        let groups = Groups::open(context, &GroupBy::Field(collapse.field.clone()))?;
        Ok(Self { groups, order: Order::resolve(context, &collapse.best)? })
    }

    /// What facets count under `group.truncate`; `None` where they count all.
    pub(super) fn of_groups(context: &SearchContext<'_>, grouping: &GroupPlan) -> Result<Option<Self>> {
        let Some(by) = grouping.truncated_by() else { return Ok(None) };
        let groups = Groups::open(context, &by.by)?;
        Ok(Some(Self { groups, order: Order::resolve(context, &grouping.sort)? }))
    }

    pub(super) fn heads(
        &mut self,
        context: &SearchContext<'_>,
        hits: (&Node, &[Arc<Bits>]),
    ) -> Result<Vec<Head>> {
        heads(context, hits, &mut self.groups, &self.order, usize::MAX)
    }

    /// The same as parts that merge with those of other shards.
    pub(super) fn named(
        mut self,
        context: &SearchContext<'_>,
        hits: (&Node, &[Arc<Bits>]),
    ) -> Result<GroupsPartial> {
        let mut named = GroupsPartial::default();
        for head in self.heads(context, hits)? {
            let part = GroupPartial { head: Some(head.hit), ..GroupPartial::default() };
            named.add(self.groups.value(head.group)?, part);
        }
        named.order_by_value();
        Ok(named)
    }
}

pub(super) fn heads_as_bits(context: &SearchContext<'_>, heads: &[Head]) -> Vec<Arc<Bits>> {
    bits(context, heads.iter().map(|head| (head.hit.segment_number(), head.hit.doc)))
}

/// Of documents that were chosen above: (segment, document).
pub(super) fn chosen_bits(context: &SearchContext<'_>, documents: &[(u32, u32)]) -> Vec<Arc<Bits>> {
    bits(context, documents.iter().map(|(segment, doc)| (*segment as usize, *doc)))
}

fn bits(context: &SearchContext<'_>, documents: impl Iterator<Item = (usize, u32)>) -> Vec<Arc<Bits>> {
    let mut kept: Vec<Bits> = context.segments.iter().map(|segment| Bits::none(segment.max_doc())).collect();
    for (segment, doc) in documents {
        if let Some(kept) = kept.get_mut(segment) {
            kept.insert(doc);
        }
    }
    kept.into_iter().map(Arc::new).collect()
}
