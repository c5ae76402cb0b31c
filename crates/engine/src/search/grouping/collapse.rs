//! Collapsing: of the hits of each group only the best stays. It comes after all filters, and before
//! counting, sorting and facets, which know nothing of it.
//!
//! In: the hits under the filters, by segment, and the collapses of a plan; out: the hits that stay. Which of
//! a group is the best is found by `heads`; the groups' other members are shown by `expand`.

use std::sync::Arc;

use plan::{Collapse, GroupBy, NullPolicy, Result};

use super::only_heads;
use super::values::Groups;
use crate::search::collect::Order;
use crate::search::context::SearchContext;
use crate::search::node::Node;
use crate::search::sets::column_docs;
use crate::segment::bits::Bits;

/// The collapses of a search.
pub(crate) struct Collapser<'a>(pub(crate) &'a [Collapse]);

impl Collapser<'_> {
    pub(crate) fn is_tagged(&self, tags: &[String]) -> bool {
        self.0.iter().any(|one| excluded(one, tags))
    }

    /// The hits that stay, of those collapses that have none of the tags.
    pub(crate) fn without(
        &self,
        tags: &[String],
        context: &SearchContext<'_>,
        node: &Node,
        mut hits: Vec<Arc<Bits>>,
    ) -> Result<Vec<Arc<Bits>>> {
        for one in self.0.iter().filter(|one| !excluded(one, tags)) {
            hits = collapsed(context, one, (node, hits))?;
        }
        Ok(hits)
    }
}

fn excluded(one: &Collapse, tags: &[String]) -> bool {
    one.tags.iter().any(|tag| tags.contains(tag))
}

fn collapsed(
    context: &SearchContext<'_>,
    plan: &Collapse,
    (node, hits): (&Node, Vec<Arc<Bits>>),
) -> Result<Vec<Arc<Bits>>> {
    let order = Order::resolve(context, &plan.best)?;
    let mut groups = Groups::open(context, &GroupBy::Field(plan.field.clone()))?;
    if plan.nulls == NullPolicy::Collapse {
        return only_heads(context, (node, &hits), &mut groups, &order);
    }
    let (with, without) = divided(context, plan, hits)?;
    let mut kept = only_heads(context, (node, &with), &mut groups, &order)?;
    if plan.nulls == NullPolicy::Expand {
        for (kept, without) in kept.iter_mut().zip(&without) {
            Arc::make_mut(kept).union(without);
        }
    }
    Ok(kept)
}

/// The hits that have a value, and those that have none.
type Divided = (Vec<Arc<Bits>>, Vec<Bits>);

fn divided(context: &SearchContext<'_>, plan: &Collapse, hits: Vec<Arc<Bits>>) -> Result<Divided> {
    let column = context.layout.field(&plan.field).and_then(|layout| layout.column.as_ref());
    let mut divided = Divided::default();
    for (segment, mut hits) in context.segments.iter().zip(hits) {
        let valued = match column {
            Some(column) => column_docs(segment.reader, column)?,
            None => Bits::none(segment.max_doc()),
        };
        let mut without = Bits::clone(&hits);
        without.subtract(&valued);
        Arc::make_mut(&mut hits).intersect(&valued);
        divided.0.push(hits);
        divided.1.push(without);
    }
    Ok(divided)
}
