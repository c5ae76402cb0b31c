//! The first groups where the best score of each decides, which is how groups are ordered unless a request
//! says otherwise. What cannot be the best hit of one of them is neither scored nor asked for its group: the
//! bounds are those of `top_k`.

use std::sync::Arc;

use meter::Allowance;
use plan::Result;
use plan::partial::HitRef;
use tantivy::{DocId, Term};

use super::heads::Head;
use super::members::{Members, Wanted};
use super::values::{Groups, SegmentGroups};
use crate::search::collect::best::Hopefuls;
use crate::search::collect::{Order, offer_segment, top_k};
use crate::search::context::SearchContext;
use crate::search::evaluate::Evaluator;
use crate::search::matches::any_term;
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// More groups than these are better kept by number than in a list.
const FEW: usize = 128;

/// Whether [`first`] finds the same groups as the way of all orders.
pub(super) fn decides(order: &Order, node: &Node, limit: usize) -> bool {
    order.is_by_score() && !node.is_unbounded() && limit <= FEW
}

/// The first `limit` groups by their best scores, in that order. `groups` meets no more than it has to.
pub(super) fn first(
    context: &SearchContext<'_>,
    (node, hits): (&Node, &[Arc<Bits>]),
    groups: &mut Groups,
    limit: usize,
) -> Result<Vec<Head>> {
    let mut first = Vec::new();
    for (segment, hits) in context.segments.iter().zip(hits) {
        if limit > 0 && !hits.is_empty() {
            let evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
            let groups = groups.segment(segment)?;
            let allowance = &context.allowance;
            let mut best =
                BestOfSegment { groups, segment: segment.number, first: &mut first, limit, allowance };
            offer_segment(evaluator, hits, segment.max_doc(), &mut best);
        }
    }
    Ok(first.into_iter().map(|(_, head)| head).collect())
}

/// The members of chosen groups whose best come first, where each group is all that have a term: they are
/// found and counted without looking at other hits. `None` where some group has no term.
pub(super) fn members(
    context: &SearchContext<'_>,
    (node, hits): (&Node, &[Arc<Bits>]),
    groups: &Groups,
    wanted: &Wanted<'_>,
) -> Result<Option<Vec<Members>>> {
    if !decides(wanted.order, node, wanted.groups.len()) {
        return Ok(None);
    }
    let terms = wanted.groups.iter().map(|group| groups.term(*group)).collect::<Result<Option<Vec<_>>>>()?;
    let of_term = |(at, term): (usize, Term)| {
        let own = context
            .segments
            .iter()
            .zip(hits)
            .map(|(segment, hits)| any_term(segment, std::iter::once(&term), Some(hits)).map(Arc::new));
        let own = own.collect::<Result<Vec<_>>>()?;
        // One at least, for the best score.
        let least = wanted.limit.max(usize::from(wanted.score_max));
        let mut hits = match wanted.best.get(at).filter(|_| least <= 1) {
            Some(best) => vec![best.hit.clone()],
            None if least == 0 => Vec::new(),
            None => top_k(context, node, &own, least)?,
        };
        let score_max = hits.first().and_then(|best| best.score).filter(|_| wanted.score_max);
        hits.truncate(wanted.limit);
        Ok(Members { total: own.iter().map(|bits| u64::from(bits.count())).sum(), score_max, hits })
    };
    terms.map(|terms| terms.into_iter().enumerate().map(of_term).collect()).transpose()
}

struct BestOfSegment<'a> {
    groups: SegmentGroups<'a>,
    segment: usize,
    /// The first groups so far with their best scores, in order, of segments before this one too.
    first: &'a mut Vec<(f32, Head)>,
    limit: usize,
    allowance: &'a Allowance,
}

impl Hopefuls for BestOfSegment<'_> {
    fn bar(&self) -> Option<f32> {
        self.limit.checked_sub(1).and_then(|last| self.first.get(last)).map(|(score, _)| *score)
    }

    /// Of equal scores the one offered first stays in front.
    fn offer(&mut self, doc: DocId, score: f32) {
        if self.bar().is_some_and(|bar| score <= bar) {
            return;
        }
        let group = self.groups.of(doc);
        if let Some(known) = self.first.iter().position(|(_, head)| head.group == group) {
            if self.first.get(known).is_some_and(|(best, _)| *best >= score) {
                return;
            }
            self.first.remove(known);
        }
        let place = self.first.partition_point(|(other, _)| *other >= score);
        let hit = HitRef::scored(self.segment, doc, score);
        self.first.insert(place, (score, Head { group, hit }));
        self.first.truncate(self.limit);
    }

    fn is_cut(&self) -> bool {
        self.allowance.is_used_up()
    }
}
