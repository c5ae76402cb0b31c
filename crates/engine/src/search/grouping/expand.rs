//! The members of the groups that a page shows hits of, other than those hits: what collapsing left out. Found among the
//! documents of the search's own query and filters, or of others where the plan says so; collapsing does not apply to them.

use std::sync::Arc;

use plan::{ExpandPlan, GroupBy, Result, SearchPlan};

use super::FoundGroup;
use super::members::{Members, Wanted, members};
use super::values::Groups;
use crate::search::SearchContext;
use crate::search::bits::Bits;
use crate::search::collect::{Found, Order};
use crate::search::lower::lower_scored;
use crate::search::mask::{self, PreparedFilter};
use crate::search::node::Node;

/// The groups of the page that have other members, in the order of the page.
pub(crate) fn expand(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    expand: &ExpandPlan,
    page: &[Found],
) -> Result<(Node, Vec<FoundGroup>)> {
    let node = lower_scored(context, expand.query.as_ref().unwrap_or(&plan.query))?;
    let mut groups = Groups::open(context, &GroupBy::Field(expand.field.clone()))?;
    let shown = shown(context, &mut groups, expand, page)?;
    if shown.is_empty() {
        return Ok((node, Vec::new()));
    }
    let hits = others(context, plan, expand, &node, page)?;
    let order = Order::resolve(context, &expand.sort)?;
    let wanted = Wanted { groups: &shown, order: &order, limit: expand.rows, score_max: false };
    let members = members(context, (&node, &hits), &mut groups, &wanted)?;
    let found = shown.iter().zip(members).filter(|(_, members)| members.total > 0);
    let found = found.map(|(group, members)| {
        let Members { total, score_max: _, found } = members;
        // Solr's own, which does not look for it.
        let score_max = plan.scores.then_some(f32::NAN);
        Ok(FoundGroup { value: groups.value(*group)?, total, score_max, found })
    });
    let found = found.collect::<Result<_>>()?;
    Ok((node, found))
}

/// The groups of the page's hits, each once.
fn shown(
    context: &SearchContext<'_>,
    groups: &mut Groups,
    expand: &ExpandPlan,
    page: &[Found],
) -> Result<Vec<u32>> {
    let mut by_segment: Vec<(usize, Found)> = page.iter().copied().enumerate().collect();
    by_segment.sort_by_key(|(_, found)| (found.segment, found.doc));
    let mut shown: Vec<(usize, u32)> = Vec::with_capacity(page.len());
    for same in by_segment.chunk_by(|(_, left), (_, right)| left.segment == right.segment) {
        let segment = same.first().and_then(|(_, found)| context.segments.get(found.segment));
        let Some(segment) = segment else { continue };
        let mut of_segment = groups.segment(segment)?;
        shown.extend(same.iter().map(|(place, found)| (*place, of_segment.of(found.doc))));
    }
    shown.sort_unstable();
    let mut known = std::collections::HashSet::new();
    let nulls = groups.without_value().filter(|_| !expand.nulls);
    let wanted = shown.into_iter().map(|(_, group)| group);
    Ok(wanted.filter(|group| Some(*group) != nulls && known.insert(*group)).collect())
}

/// The documents that may be shown: all but the page's.
fn others(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    expand: &ExpandPlan,
    node: &Node,
    page: &[Found],
) -> Result<Vec<Arc<Bits>>> {
    let filters = expand.filters.as_ref().unwrap_or(&plan.filters).iter();
    let filters =
        filters.map(|filter| PreparedFilter::prepare(context, filter)).collect::<Result<Vec<_>>>()?;
    let mut hits = mask::hits(context, node, &mask::masks(context, filters.iter())?)?;
    for found in page {
        if let Some(hits) = hits.get_mut(found.segment) {
            Arc::make_mut(hits).remove(found.doc);
        }
    }
    Ok(hits)
}
