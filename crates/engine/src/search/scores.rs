//! Scores of hits that were found without: by a sort, or as members of groups. Run last, for what is shown or
//! looked at again; hits that were found by score have theirs already.

use plan::Result;
use plan::partial::HitRef;

use super::evaluate::Evaluator;
use super::node::Node;
use crate::search::context::SearchContext;

/// Scores by `node` those of the hits that have no score yet. Evaluators want them in index order.
pub(super) fn fill_scores<'h>(
    context: &SearchContext<'_>,
    node: &Node,
    hits: impl Iterator<Item = &'h mut HitRef>,
) -> Result<()> {
    let mut order: Vec<&mut HitRef> = hits.filter(|hit| hit.score.is_none()).collect();
    order.sort_by_key(|hit| hit.position());
    for group in order.chunk_by_mut(|left, right| left.segment == right.segment) {
        let segment = group.first().and_then(|hit| context.segments.get(hit.segment_number()));
        let Some(segment) = segment else { continue };
        let mut evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
        for hit in group {
            hit.score = Some(evaluator.score(hit.doc).unwrap_or(0.0));
        }
    }
    Ok(())
}
