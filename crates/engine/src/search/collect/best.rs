//! The best hits so far: what is offered stays as long as it scores enough, and says what the next one has to
//! beat. That bar is what blocks of postings and whole terms are passed over by.
//!
//! Whoever walks postings or bits offers documents with their scores (`top_k`, `scan`, `search/terms`); out
//! come references to the first hits, best first, ties in index order. Groups take hits by the same trait.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use meter::Allowance;
use plan::partial::HitRef;
use tantivy::DocId;

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

/// Those who take hits as long as they score enough.
pub(crate) trait Hopefuls {
    /// The score to beat, once there are enough. Equal scores stand in index order: an equal one comes too
    /// late.
    fn bar(&self) -> Option<f32>;
    /// Documents of a segment come in ascending order, segments in theirs.
    fn offer(&mut self, doc: DocId, score: f32);
    /// Whether no more is to be looked at. Asked after some work, so that something is found in any case.
    fn is_cut(&self) -> bool;
}

/// The best hits so far, of one segment after another.
pub(crate) struct Best {
    heap: BinaryHeap<Ranked>,
    limit: usize,
    segment: usize,
    /// The worst score, once there are enough.
    bar: Option<f32>,
    allowance: Allowance,
}

impl Best {
    pub(crate) fn new(limit: usize, allowance: &Allowance) -> Self {
        Self { heap: BinaryHeap::new(), limit, segment: 0, bar: None, allowance: allowance.clone() }
    }

    /// From here on documents are of this segment.
    pub(crate) fn enter(&mut self, segment: usize) {
        self.segment = segment;
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    fn enter_if_better(&mut self, hit: Ranked) {
        if self.heap.len() < self.limit {
            self.allowance.take_bytes(size_of::<Ranked>() + size_of::<HitRef>());
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

    pub(crate) fn into_hits(self) -> Vec<HitRef> {
        let ordered = self.heap.into_sorted_vec();
        ordered.into_iter().map(|hit| HitRef::scored(hit.segment, hit.doc, hit.score)).collect()
    }
}

impl Hopefuls for Best {
    #[inline]
    fn bar(&self) -> Option<f32> {
        self.bar
    }

    #[inline]
    fn offer(&mut self, doc: DocId, score: f32) {
        if self.bar.is_none_or(|bar| score >= bar) {
            self.enter_if_better(Ranked { score, segment: self.segment, doc });
        }
    }

    fn is_cut(&self) -> bool {
        self.allowance.is_used_up()
    }
}
