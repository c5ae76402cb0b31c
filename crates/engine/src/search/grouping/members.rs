//! The hits of chosen groups: how many, how good, and the first of each.
//!
//! In: the hits by segment, the numbers of the groups that the page shows and the order within a group; out:
//! for each group its total, best score and first hits, which become parts that merge with other shards'.
//! Which groups are shown is decided before (`by_score`, `heads`).

use std::collections::BinaryHeap;
use std::sync::Arc;

use plan::Result;
use plan::partial::{GroupPartial, HitRef, RankedHits};
use tantivy::DocId;

use super::heads::Head;
use super::values::Groups;
use crate::search::collect::{Key, Order, offer};
use crate::search::context::SearchContext;
use crate::search::evaluate::Evaluator;
use crate::search::function::{DOC_BATCH, each_doc_batch};
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// The hits of one group.
#[derive(Default)]
pub(super) struct Members {
    pub(super) total: u64,
    pub(super) score_max: Option<f32>,
    /// The first in their order.
    pub(super) hits: Vec<HitRef>,
}

impl Members {
    /// As a part that merges, of the first `limit`.
    pub(super) fn partial(self, head: Option<HitRef>, limit: usize) -> GroupPartial {
        let Self { total, score_max, hits } = self;
        GroupPartial { head, total, score_max, hits: RankedHits { limit, list: hits } }
    }
}

/// Which groups are wanted, and what of them.
pub(super) struct Wanted<'a> {
    pub(super) groups: &'a [u32],
    /// The hit of the best score of each, where it is known.
    pub(super) best: &'a [Head],
    pub(super) order: &'a Order,
    pub(super) limit: usize,
    pub(super) score_max: bool,
}

/// The hits of the wanted groups, in the order of those.
pub(super) fn members(
    context: &SearchContext<'_>,
    (node, hits): (&Node, &[Arc<Bits>]),
    groups: &mut Groups,
    wanted: &Wanted<'_>,
) -> Result<Vec<Members>> {
    let places = places(wanted.groups);
    let mut collected: Vec<Collected> = wanted.groups.iter().map(|_| Collected::default()).collect();
    for (segment, hits) in context.segments.iter().zip(hits) {
        let mut sources = wanted.order.open(context, node, segment)?;
        let mut evaluator = match wanted.score_max {
            true => Some(Evaluator::open(context.layout.tantivy(), node, segment.reader)?),
            false => None,
        };
        let mut groups = groups.segment(segment)?;
        let mut own = [0; DOC_BATCH];
        each_doc_batch(hits, &context.allowance, |docs| {
            groups.of_block(docs, own.get_mut(..docs.len()).unwrap_or_default());
            for (doc, group) in docs.iter().copied().zip(own) {
                let place = places.get(group as usize).copied().unwrap_or(NOWHERE);
                let Some(one) = collected.get_mut(place as usize) else { continue };
                one.total += 1;
                if let Some(score) = evaluator.as_mut().and_then(|evaluator| evaluator.score(doc)) {
                    one.score_max = Some(one.score_max.map_or(score, |best| best.max(score)));
                }
                if wanted.limit > 0 {
                    let keys = sources.iter_mut().map(|source| source.key(doc)).collect();
                    offer(&mut one.heap, (keys, doc), wanted.limit);
                }
            }
        });
        for one in &mut collected {
            for (keys, doc) in one.heap.drain() {
                one.merged.push(wanted.order.hit(&sources, &keys, (segment.number, doc))?);
            }
        }
    }
    Ok(collected.into_iter().map(|one| one.ordered(wanted)).collect())
}

const NOWHERE: u32 = u32::MAX;

/// By group its place among the wanted.
fn places(groups: &[u32]) -> Vec<u32> {
    let len = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut places = vec![NOWHERE; len];
    for (place, group) in (0..).zip(groups) {
        if let Some(room) = places.get_mut(*group as usize) {
            *room = place;
        }
    }
    places
}

#[derive(Default)]
struct Collected {
    total: u64,
    score_max: Option<f32>,
    /// The first of the segment at hand.
    heap: BinaryHeap<(Vec<Key>, DocId)>,
    merged: Vec<HitRef>,
}

impl Collected {
    fn ordered(mut self, wanted: &Wanted<'_>) -> Members {
        self.merged.sort_by(HitRef::order);
        self.merged.truncate(wanted.limit);
        Members { total: self.total, score_max: self.score_max, hits: self.merged }
    }
}
