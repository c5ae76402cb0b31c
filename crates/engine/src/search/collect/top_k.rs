//! The best hits by score, ties in index order. Tantivy's scorers skip what cannot enter; a document that might is scored
//! again exactly, and the exact score decides. Their scores differ by rounding only (measured 1.5e-7 of the score), so the
//! bar handed down is a little below the true one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use plan::Result;
use tantivy::{DocId, Score};

use super::{Found, scan};
use crate::search::bits::Bits;
use crate::search::error::engine_error;
use crate::search::evaluate::Evaluator;
use crate::search::mask::{self, Masks};
use crate::search::node::Node;
use crate::search::{SearchContext, SearchSegment, weight};

/// Candidates are looked at exactly from this share of the bar on.
const ROUNDING: f32 = 0.999_99;

/// The greatest element is the worst hit.
#[derive(PartialEq)]
struct Ranked {
    score: f32,
    segment: usize,
    doc: DocId,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| (self.segment, self.doc).cmp(&(other.segment, other.doc)))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `limit` best, best first.
pub(crate) fn top_k(
    context: &SearchContext<'_>,
    node: &Node,
    masks: &Masks,
    limit: usize,
) -> Result<Vec<Found>> {
    if node.is_unbounded() {
        return scan::best_of(context, node, &mask::hits(context, node, masks)?, limit);
    }
    let mut best = Best::new(limit);
    if limit > 0 {
        let weight = weight::scored(context, node)?;
        for segment in &context.segments {
            best.enter(segment.number);
            let slack = slack(node, segment)?;
            let mut evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
            let mask = masks.get(segment.number).and_then(Option::as_deref);
            if let Some(mask) = mask.filter(|mask| is_narrow(mask, segment)) {
                for doc in mask.iter() {
                    if let Some(score) = evaluator.score(doc) {
                        best.offer(doc, score);
                    }
                }
                continue;
            }
            let bar = |best: &Best| match best.bar() {
                None => Score::MIN,
                Some(bar) => lowered(bar, slack),
            };
            let start = bar(&best);
            weight
                .for_each_pruning(start, segment.reader, &mut |doc, _| {
                    if mask.is_none_or(|mask| mask.contains(doc))
                        && let Some(score) = evaluator.score(doc)
                    {
                        best.offer(doc, score);
                    }
                    bar(&best)
                })
                .map_err(engine_error)?;
        }
    }
    Ok(best.into_found())
}

/// The `limit` best and the number of all, in one pass that skips nothing.
pub(crate) fn top_k_and_count(
    context: &SearchContext<'_>,
    node: &Node,
    masks: &Masks,
    limit: usize,
) -> Result<(Vec<Found>, u64)> {
    if node.is_unbounded() {
        let hits = mask::hits(context, node, masks)?;
        let total = hits.iter().map(|bits| u64::from(bits.count())).sum();
        return Ok((scan::best_of(context, node, &hits, limit)?, total));
    }
    let mut best = Best::new(limit);
    let mut total = 0;
    let weight = weight::scored(context, node)?;
    for segment in &context.segments {
        best.enter(segment.number);
        let mut evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
        let mask = masks.get(segment.number).and_then(Option::as_deref);
        weight
            .for_each(segment.reader, &mut |doc, about| {
                if mask.is_some_and(|mask| !mask.contains(doc)) {
                    return;
                }
                total += 1;
                if best.bar().is_none_or(|bar| about > lowered(bar, 1.0))
                    && let Some(score) = evaluator.score(doc)
                {
                    best.offer(doc, score);
                }
            })
            .map_err(engine_error)?;
    }
    Ok((best.into_found(), total))
}

/// Whether so few documents are allowed that looking at each beats walking the query's.
pub(super) fn is_narrow(mask: &Bits, segment: &SearchSegment<'_>) -> bool {
    const SHARE: u32 = 64;
    mask.count() <= segment.max_doc() / SHARE
}

/// The best hits so far, of one segment after another.
pub(crate) struct Best {
    heap: BinaryHeap<Ranked>,
    limit: usize,
    segment: usize,
    /// The worst score, once there are enough.
    bar: Option<f32>,
}

impl Best {
    pub(crate) fn new(limit: usize) -> Self {
        Self { heap: BinaryHeap::new(), limit, segment: 0, bar: None }
    }

    /// From here on documents are of this segment.
    pub(crate) fn enter(&mut self, segment: usize) {
        self.segment = segment;
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// The score to beat, once there are enough. Equal scores stand in index order: an equal one comes too late.
    #[inline]
    pub(crate) fn bar(&self) -> Option<f32> {
        self.bar
    }

    #[inline]
    pub(crate) fn offer(&mut self, doc: DocId, score: f32) {
        if self.bar.is_none_or(|bar| score >= bar) {
            self.enter_if_better(Ranked { score, segment: self.segment, doc });
        }
    }

    fn enter_if_better(&mut self, hit: Ranked) {
        if self.heap.len() < self.limit {
            self.heap.push(hit);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
        if self.heap.len() >= self.limit {
            self.bar = self.heap.peek().map(|worst| worst.score);
        }
    }

    pub(crate) fn into_found(self) -> Vec<Found> {
        let ordered = self.heap.into_sorted_vec();
        let found = |hit: Ranked| Found { segment: hit.segment, doc: hit.doc, score: Some(hit.score) };
        ordered.into_iter().map(found).collect()
    }
}

fn lowered(bar: f32, slack: f32) -> f32 {
    if bar > 0.0 { bar * ROUNDING * slack } else { bar }
}

/// Tantivy chose the best (frequency, length) of a block by the segment's own average length; under the snapshot's average
/// another document of the block may score higher, by at most the ratio of the averages.
fn slack(node: &Node, segment: &SearchSegment<'_>) -> Result<f32> {
    let mut slack = 1.0f32;
    let mut failed = None;
    node.visit_scorings(&mut |scoring| {
        let Some(field) = scoring.norms else { return };
        match segment.reader.inverted_index(field) {
            Ok(inverted) => {
                let local = inverted.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
                let ratio = local / scoring.similarity.average_length;
                if ratio.is_finite() && ratio > 0.0 {
                    slack = slack.min(ratio.min(1.0 / ratio));
                }
            }
            Err(error) => failed = Some(error),
        }
    });
    failed.map_or(Ok(slack), |error| Err(engine_error(error)))
}
