//! The best hits where scores have no bound to prune by: every match is scored, a batch at a time. In: the
//! matches as bits, found before. What can be bounded goes by `top_k`, what goes by terms alone by `terms`.
//! Out: the best hits in `Best`, after the allowance was looked at between batches.

use std::sync::Arc;

use plan::Result;
use plan::partial::HitRef;

use super::best::{Best, Hopefuls as _};
use crate::search::context::SearchContext;
use crate::search::evaluate::Evaluator;
use crate::search::function::{DOC_BATCH, each_doc_batch};
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// The `limit` best of `hits`, best first.
pub(crate) fn best_of(
    context: &SearchContext<'_>,
    node: &Node,
    hits: &[Arc<Bits>],
    limit: usize,
) -> Result<Vec<HitRef>> {
    let mut best = Best::new(limit, &context.allowance);
    for (segment, hits) in context.segments.iter().zip(hits) {
        if limit == 0 {
            break;
        }
        best.enter(segment.number);
        let mut evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
        let mut scores = [0.0f32; DOC_BATCH];
        each_doc_batch(hits, &context.allowance, |docs| {
            let Some(scores) = scores.get_mut(..docs.len()) else { return };
            evaluator.scores(docs, scores);
            for (doc, score) in docs.iter().zip(scores) {
                // Equal scores stand in index order: an equal one comes too late.
                if best.bar().is_none_or(|bar| *score > bar) {
                    best.offer(*doc, *score);
                }
            }
        });
    }
    Ok(best.into_hits())
}
