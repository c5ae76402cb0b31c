//! The members of the groups that a page shows hits of, other than those hits: what collapsing left out.
//! Found among the documents of the search's own query and filters, or of others where the plan says so;
//! collapsing does not apply to them. Groups come by their values, since the page may show hits of other
//! shards.

use std::sync::Arc;

use plan::partial::{GroupPartial, HitRef};
use plan::{ExpandPlan, GroupBy, Result, SearchPlan, Value};

use super::members::{Wanted, members};
use super::values::Groups;
use crate::search::collect::Order;
use crate::search::context::SearchContext;
use crate::search::mask::{self, PreparedFilter};
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// The other members of the groups with these values, in their order. `page` is what the page shows of this
/// snapshot.
pub(crate) fn expand(
    context: &SearchContext<'_>,
    (plan, expand): (&SearchPlan, &ExpandPlan),
    node: &Node,
    (values, page): (&[Option<Value>], &[&HitRef]),
) -> Result<Vec<GroupPartial>> {
    let mut groups = Groups::open(context, &GroupBy::Field(expand.field.clone()))?;
    let known = values.iter().map(|value| groups.find(value.as_ref())).collect::<Result<Vec<_>>>()?;
    let wanted: Vec<u32> = known.iter().copied().flatten().collect();
    let hits = others(context, plan, expand, node, page)?;
    let order = Order::resolve(context, &expand.sort)?;
    let wanted = Wanted { groups: &wanted, best: &[], order: &order, limit: expand.rows, score_max: false };
    let mut found = members(context, (node, &hits), &mut groups, &wanted)?.into_iter();
    let of_group = |known: Option<u32>| known.and_then(|_| found.next()).unwrap_or_default();
    Ok(known.into_iter().map(of_group).map(|members| members.partial(None, expand.rows)).collect())
}

/// What hits have in a field by which groups are expanded.
pub(crate) fn values_of(
    context: &SearchContext<'_>,
    field: &Arc<str>,
    hits: &[&HitRef],
) -> Result<Vec<Option<Value>>> {
    let mut groups = Groups::of_few(context, &GroupBy::Field(field.clone()))?;
    let mut numbers = vec![None; hits.len()];
    // Columns are read in index order.
    let mut order: Vec<_> = hits.iter().zip(&mut numbers).collect();
    order.sort_by_key(|(hit, _)| hit.position());
    for same in order.chunk_by_mut(|(left, _), (right, _)| left.segment == right.segment) {
        let segment = same.first().and_then(|(hit, _)| context.segments.get(hit.segment_number()));
        let Some(segment) = segment else { continue };
        let mut of_segment = groups.segment(segment)?;
        for (hit, number) in same {
            **number = Some(of_segment.of(hit.doc));
        }
    }
    numbers.into_iter().map(|number| number.map_or(Ok(None), |number| groups.value(number))).collect()
}

/// The documents that may be shown: all but the page's.
fn others(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    expand: &ExpandPlan,
    node: &Node,
    page: &[&HitRef],
) -> Result<Vec<Arc<Bits>>> {
    let filters = expand.filters.as_ref().unwrap_or(&plan.filters).iter();
    let filters =
        filters.map(|filter| PreparedFilter::prepare(context, filter)).collect::<Result<Vec<_>>>()?;
    let mut hits = mask::hits(context, node, &mask::masks(context, filters.iter())?)?;
    for hit in page {
        if let Some(hits) = hits.get_mut(hit.segment_number()) {
            Arc::make_mut(hits).remove(hit.doc);
        }
    }
    Ok(hits)
}
