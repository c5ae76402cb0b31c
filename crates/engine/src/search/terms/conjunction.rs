//! The best of documents that are known to match: the required term of the greatest weight leads, a block at
//! a time, and the others are asked only about documents that can still enter.
//!
//! In: the terms with their weights, and what matches (`matching`); out: hits offered to `Best` with exact
//! scores, and how many documents match. Bounds are those of whole terms first, then of the blocks that a
//! document is in (ADR 4). Queries without a required term are `union`'s.

use tantivy::DocId;

use super::matching::Matching;
use super::scoring::{BLOCKS_A_LOOK, ScoredTerm};
use crate::search::collect::best::{Best, Hopefuls as _};
use crate::segment::postings::block::POSTINGS_BLOCK;

pub(super) struct Conjunction {
    lead: ScoredTerm,
    /// Heaviest first.
    others: Vec<Other>,
    /// How many terms are required; they come first in the query's order.
    required: usize,
    /// Where the lead stands in the query's order.
    lead_number: usize,
    /// In the query's order.
    scores: Vec<f32>,
}

struct Other {
    term: ScoredTerm,
    /// Where it stands in the query's order.
    number: usize,
    /// What it and those after it can give at most.
    most: f64,
}

impl Conjunction {
    /// `None` where nothing is required.
    pub(super) fn new(required: Vec<ScoredTerm>, optional: Vec<ScoredTerm>) -> Option<Self> {
        let (count, all) = (required.len(), required.len() + optional.len());
        let weights = required.iter().map(ScoredTerm::most).enumerate();
        let (lead_number, _) = weights.max_by(|left, right| left.1.total_cmp(&right.1))?;
        let (mut lead, mut others) = (None, Vec::new());
        for (number, term) in required.into_iter().chain(optional).enumerate() {
            if number == lead_number {
                lead = Some(term);
            } else {
                others.push(Other { most: f64::from(term.most()), term, number });
            }
        }
        // What can still come falls fastest this way, so that fewer terms are asked about a document.
        others.sort_by(|left, right| right.most.total_cmp(&left.most));
        let mut sum = 0.0;
        for other in others.iter_mut().rev() {
            sum += other.most;
            other.most = sum;
        }
        Some(Self { lead: lead?, others, required: count, lead_number, scores: vec![0.0; all] })
    }

    /// One term whose matches are known from something else, such as a filter.
    pub(super) fn alone(lead: ScoredTerm) -> Self {
        Self { lead, others: Vec::new(), required: 1, lead_number: 0, scores: vec![0.0] }
    }

    /// Offers what can enter the page of all that match, and tells how many those are.
    pub(super) fn collect(mut self, mut matching: Matching<'_>, best: &mut Best) -> u64 {
        let mut found = Vec::new();
        matching.list(&mut found);
        let (mut rest, mut blocks) = (&found[..], 0u32);
        while let Some(first) = rest.first() {
            self.lead.blocks.skip_to(*first);
            let last = self.lead.blocks.entry().last();
            // No block has more documents than that, and all that match are the lead's.
            let near = rest.get(..POSTINGS_BLOCK).unwrap_or(rest);
            let (block, behind) = rest.split_at(near.partition_point(|doc| *doc <= last));
            rest = behind;
            if best.bar().is_none_or(|bar| self.can_reach(self.lead.bound(self.lead.blocks.entry()), bar)) {
                self.collect_block(block, best);
            }
            blocks += 1;
            if blocks.is_multiple_of(BLOCKS_A_LOOK) && best.is_cut() {
                break;
            }
        }
        found.len() as u64
    }

    /// Whether a document that the lead gives so much can get over the bar.
    #[inline]
    fn can_reach(&self, score: f32, bar: f32) -> bool {
        let rest = self.others.first().map_or(0.0, |other| other.most);
        // As the sum itself is rounded. Greater and not equal: of equal scores the earlier document stands
        // first.
        (f64::from(score) + rest) as f32 > bar
    }

    /// `docs` are in the lead's current block.
    fn collect_block(&mut self, docs: &[DocId], best: &mut Best) {
        let mut scored = Vec::with_capacity(docs.len());
        self.lead.scores_of(docs, |doc, score| scored.push((doc, score)));
        for (doc, score) in scored {
            if best.bar().is_none_or(|bar| self.can_reach(score, bar)) {
                self.finish(doc, score, best);
            }
        }
    }

    /// Adds what the others give, as long as the document can still enter.
    fn finish(&mut self, doc: DocId, lead: f32, best: &mut Best) {
        let mut sum = f64::from(lead);
        for at in 0..self.others.len() {
            let after = self.others.get(at + 1).map_or(0.0, |other| other.most);
            let Some(other) = self.others.get_mut(at) else { return };
            if let Some(bar) = best.bar() {
                // First what costs nothing, then what makes the term move on.
                let bound = |other: &mut Other| f64::from(other.term.block_bound(doc)) + after;
                if (sum + other.most) as f32 <= bar || (sum + bound(other)) as f32 <= bar {
                    return;
                }
            }
            let score = other.term.score_of(doc).unwrap_or(0.0);
            sum += f64::from(score);
            if let Some(slot) = self.scores.get_mut(other.number) {
                *slot = score;
            }
        }
        if let Some(slot) = self.scores.get_mut(self.lead_number) {
            *slot = lead;
        }
        // Added up in the query's order, as Lucene does.
        let (required, optional) = self.scores.split_at(self.required.min(self.scores.len()));
        let sum = |scores: &[f32]| scores.iter().copied().map(f64::from).sum::<f64>() as f32;
        best.offer(doc, sum(required) + sum(optional));
    }
}
