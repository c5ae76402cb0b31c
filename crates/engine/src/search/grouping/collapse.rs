//! Collapsing: of the hits of each group only the best stays. It comes after all filters, and before
//! counting, sorting and facets, which know nothing of it.
//!
//! In: the hits under the filters, by segment, and the collapses of a plan; out: the hits that stay. Which of
//! a group is the best is found by `heads`; the groups' other members are shown by `expand`.

use std::sync::Arc;

use plan::partial::HeadsStep;
use plan::{Collapse, NullPolicy, Result, SearchPlan};

use super::choice::{HeadsChoice, chosen_bits, heads_as_bits};
use crate::search::context::SearchContext;
use crate::search::facet::domain::query_bits;
use crate::search::node::Node;
use crate::search::sets::column_docs;
use crate::segment::bits::Bits;

/// The collapses of a search.
pub(crate) struct Collapser<'a>(pub(crate) &'a SearchPlan);

impl Collapser<'_> {
    fn collapses(&self) -> &[Collapse] {
        &self.0.shape.collapses
    }

    pub(crate) fn is_tagged(&self, tags: &[String]) -> bool {
        self.collapses().iter().any(|one| one.has_tag(tags))
    }

    /// The hits that stay, of those collapses that have none of the tags.
    pub(crate) fn without(
        &self,
        tags: &[String],
        context: &SearchContext<'_>,
        node: &Node,
        hits: Vec<Arc<Bits>>,
    ) -> Result<Vec<Arc<Bits>>> {
        self.before(&HeadsStep { without_tags: tags.to_vec(), number: usize::MAX }, context, node, hits)
    }

    /// The hits that stay before a step.
    pub(super) fn before(
        &self,
        step: &HeadsStep,
        context: &SearchContext<'_>,
        node: &Node,
        mut hits: Vec<Arc<Bits>>,
    ) -> Result<Vec<Arc<Bits>>> {
        let tags = &step.without_tags;
        for (number, one) in self.collapses().iter().enumerate().take(step.number) {
            if !one.has_tag(tags) {
                let chosen = self.0.chosen_heads(tags, number);
                hits = collapsed(context, (one, chosen), (node, hits))?;
            }
        }
        Ok(hits)
    }
}

fn collapsed(
    context: &SearchContext<'_>,
    (collapse, chosen): (&Collapse, Option<&[(u32, u32)]>),
    (node, hits): (&Node, Vec<Arc<Bits>>),
) -> Result<Vec<Arc<Bits>>> {
    let always = always_kept(context, collapse, &hits)?;
    let (candidates, without) = candidates(context, collapse, hits)?;
    let mut kept = match chosen {
        Some(documents) => chosen_bits(context, documents),
        None => {
            let mut choice = HeadsChoice::of_collapse(context, collapse)?;
            heads_as_bits(context, &choice.heads(context, (node, &candidates))?)
        }
    };
    if collapse.nulls == NullPolicy::Expand {
        for (kept, without) in kept.iter_mut().zip(&without) {
            Arc::make_mut(kept).union(without);
        }
    }
    for (kept, always) in kept.iter_mut().zip(&always) {
        Arc::make_mut(kept).union(always);
    }
    Ok(kept)
}

/// The hits that stay whatever else is in their group; nothing where the plan keeps none.
fn always_kept(context: &SearchContext<'_>, collapse: &Collapse, hits: &[Arc<Bits>]) -> Result<Vec<Bits>> {
    let Some(query) = &collapse.keep else { return Ok(Vec::new()) };
    let found = query_bits(context, query)?;
    let among = |(found, hits): (&Arc<Bits>, &Arc<Bits>)| {
        let mut bits = Bits::clone(found);
        bits.intersect(hits);
        bits
    };
    Ok(found.iter().zip(hits).map(among).collect())
}

/// The hits of which heads are chosen, and those that are left out of it, having no value.
type Candidates = (Vec<Arc<Bits>>, Vec<Bits>);

pub(super) fn candidates(
    context: &SearchContext<'_>,
    plan: &Collapse,
    hits: Vec<Arc<Bits>>,
) -> Result<Candidates> {
    if plan.nulls == NullPolicy::Collapse {
        return Ok((hits, Vec::new()));
    }
    let column = context.layout.field(&plan.field).and_then(|layout| layout.column.as_ref());
    let mut divided = Candidates::default();
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
