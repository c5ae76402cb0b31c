//! The second step of a search: what the page shows of hits that are known, from the snapshot that they were
//! found in. Documents, children, values of functions, explanations; which hits those are was decided above
//! the shards. `document` loads one.

mod document;

use meter::Phase;
use plan::partial::HitRef;
use plan::{Explanation, Hit, Query, Result, SearchPlan, Value};

pub(super) use document::read_stored;
pub(crate) use document::{document_at, stored_document};

use super::descend::{self, Descent};
use super::explain::{self, MovedParts};
use super::function::{FunctionReader, SingleValues as _, lower};
use super::lower::lower_scored;
use super::node::Node;
use super::rerank;
use super::restrictions::split;
use crate::search::context::SearchContext;

/// The hits of the page and of groups, in their order.
pub(crate) fn fetch_hits(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    hits: &[&HitRef],
) -> Result<Vec<Hit>> {
    if !plan.explain || hits.is_empty() {
        return fetch(context, plan, hits, |_| Ok(None));
    }
    let reasons = Reasons::of(context, &plan.query)?;
    fetch(context, plan, hits, |hit| {
        let own = reasons.of_hit(context, hit)?;
        Ok(Some(match &plan.shape.rerank {
            Some(rerank) => rerank::explained(context, rerank, hit, own)?,
            None => own,
        }))
    })
}

/// The other members of the page's groups, which a query of their own may have found. No second opinion is
/// asked of them, which is for the first hits of the search: their reasons are those of the scores that they
/// have.
pub(crate) fn fetch_expanded(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    hits: &[&HitRef],
) -> Result<Vec<Hit>> {
    if hits.is_empty() {
        // What is wrong with the plan's functions and children the page's hits have shown, even where there
        // are none.
        return Ok(Vec::new());
    }
    if !plan.explain {
        return fetch(context, plan, hits, |_| Ok(None));
    }
    let query = plan.shape.expand.as_ref().and_then(|expand| expand.query.as_ref());
    let (node, moved) = (lower_scored(context, query.unwrap_or(&plan.query))?, MovedParts::default());
    let reasons = Reasons { node, moved };
    fetch(context, plan, hits, |hit| reasons.of_hit(context, hit).map(Some))
}

/// A query as it is explained.
struct Reasons {
    node: Node,
    moved: MovedParts,
}

impl Reasons {
    fn of(context: &SearchContext<'_>, query: &Query) -> Result<Self> {
        // LoweredFunction anew: explanations are rare, and a node that went from the first step to the second
        // would tie the two together.
        let (node, moved) = split(lower_scored(context, query)?, &mut Vec::new());
        Ok(Self { node, moved })
    }

    fn of_hit(&self, context: &SearchContext<'_>, hit: &HitRef) -> Result<Explanation> {
        explain::explain(context, &self.node, hit, &self.moved)
    }
}

/// Hits as the plan wants them shown.
fn fetch(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    hits: &[&HitRef],
    explain: impl Fn(&HitRef) -> Result<Option<Explanation>>,
) -> Result<Vec<Hit>> {
    let _fetching = context.trace.enter(Phase::Fetch);
    let values = values(context, &plan.functions, hits)?;
    let descents = plan.children.iter().map(|children| Descent::open(context, children));
    let descents = descents.collect::<Result<Vec<_>>>()?;
    let show = |(hit, values): (&&HitRef, _)| {
        context.allowance.check()?;
        let shown = document::hit(context, hit, &plan.fields)?;
        let (score, explanation) = (hit.score.filter(|_| plan.scores), explain(hit)?);
        let mut children = Vec::new();
        for descent in &descents {
            descend::add(&mut children, descent.below(hit)?);
        }
        Ok(Hit { score, children, values, explanation, ..shown })
    };
    hits.iter().zip(values).map(show).collect()
}

/// What functions are worth for each hit. Readers want the hits in index order.
fn values(
    context: &SearchContext<'_>,
    functions: &[plan::Function],
    hits: &[&HitRef],
) -> Result<Vec<Vec<Option<Value>>>> {
    let lowered = functions.iter().map(|function| lower(context, function));
    let lowered = lowered.collect::<Result<Vec<_>>>()?;
    let mut values = vec![Vec::new(); hits.len()];
    let mut order: Vec<(&&HitRef, &mut Vec<Option<Value>>)> = hits.iter().zip(&mut values).collect();
    order.sort_by_key(|(hit, _)| hit.position());
    for group in order.chunk_by_mut(|(left, _), (right, _)| left.segment == right.segment) {
        let segment = group.first().and_then(|(hit, _)| context.segments.get(hit.segment_number()));
        let Some(segment) = segment.filter(|_| !lowered.is_empty()) else { continue };
        let readers = lowered.iter().map(|function| FunctionReader::open(function, segment.reader));
        let mut readers = readers.collect::<Result<Vec<_>>>()?;
        for (hit, values) in group {
            values.extend(readers.iter_mut().map(|reader| reader.value(hit.doc)));
        }
    }
    Ok(values)
}
