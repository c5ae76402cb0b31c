//! The best hits by score, ties in index order. Bounds come first: of a window of documents, then of the
//! blocks that a document is in; what might enter the page is scored, once and exactly. In: matches as bits
//! and a node with bounds; out: hits in `Best`. Counting is done before: what is skipped here has been
//! counted.

use std::sync::Arc;

use plan::Result;
use plan::partial::HitRef;
use tantivy::DocId;

use super::best::{Best, Hopefuls};
use super::scan;
use crate::search::context::SearchContext;
use crate::search::evaluate::Evaluator;
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// The `limit` best of `hits`, which match, best first.
pub(crate) fn top_k(
    context: &SearchContext<'_>,
    node: &Node,
    hits: &[Arc<Bits>],
    limit: usize,
) -> Result<Vec<HitRef>> {
    if node.is_unbounded() {
        return scan::best_of(context, node, hits, limit);
    }
    let mut best = Best::new(limit, &context.allowance);
    for (segment, hits) in context.segments.iter().zip(hits) {
        if limit > 0 && !hits.is_empty() {
            best.enter(segment.number);
            let evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
            offer_segment(evaluator, hits, segment.max_doc(), &mut best);
        }
    }
    Ok(best.into_hits())
}

/// Offers the hits of a segment by windows: what cannot get over the bar is not scored.
pub(crate) fn offer_segment(mut evaluator: Evaluator, hits: &Bits, max_doc: DocId, best: &mut impl Hopefuls) {
    const WINDOW: u32 = 2048;
    /// With fewer hits each is bounded by itself.
    const MANY: u32 = 32;
    for from in (0..max_doc).step_by(WINDOW as usize) {
        let to = from.saturating_add(WINDOW);
        let count = hits.count_in(from, to);
        let hopeless = |evaluator: &mut Evaluator, bar| evaluator.bound_in(from, to) <= bar;
        if count == 0 || count >= MANY && best.bar().is_some_and(|bar| hopeless(&mut evaluator, bar)) {
            continue;
        }
        for doc in hits.iter_in(from, to) {
            let score = match best.bar() {
                None => evaluator.score(doc),
                Some(bar) => evaluator.score_over(doc, bar),
            };
            if let Some(score) = score {
                best.offer(doc, score);
            }
        }
        if best.is_cut() {
            return;
        }
    }
}
