//! The scores of matches, for the page only. Bounds that cost nothing come first: what a block's best document scores, what
//! a document of this length could score at most. A frequency is decoded when those do not decide.
//!
//! Scores are Lucene's: each term's in single precision, added up in double, rounded once.

use plan::Result;
use tantivy::DocId;

use super::matching::Matching;
use super::union::{Union, WINDOW};
use crate::search::SearchSegment;
use crate::search::bits::Bits;
use crate::search::bm25::{NO_NORM, Similarity};
use crate::search::collect::Best;
use crate::search::error::engine_error;
use crate::search::node::TermNode;
use crate::search::norms::Norms;
use crate::search::postings::{Entry, TermBlocks};

/// A term that scores, in one segment.
pub(super) struct ScoredTerm {
    pub(super) blocks: TermBlocks,
    norms: Norms,
    similarity: Similarity,
    /// Whether frequency and length count; else every document scores as one with the term once.
    varies: bool,
    /// How much more than a block's best pair another of its pairs can score: the pair was chosen under the segment's own
    /// average length.
    slack: f32,
}

impl ScoredTerm {
    /// `None` when no document of the segment has the term.
    pub(super) fn open(node: &TermNode, segment: &SearchSegment<'_>) -> Result<Option<Self>> {
        let Some(info) = node.info_in(segment.number) else { return Ok(None) };
        let blocks = segment.view.postings().blocks(segment.reader, node.term.field(), info)?;
        let norms = Norms::open(segment.reader, node.scoring.norms).map_err(engine_error)?;
        let similarity = node.scoring.similarity.clone();
        let slack = slack(node, segment)?;
        Ok(Some(Self { blocks, norms, similarity, varies: node.varies, slack }))
    }

    #[inline]
    pub(super) fn score(&self, doc: DocId, freq: u32) -> f32 {
        if self.varies {
            self.similarity.score(freq as f32, self.norms.of(doc))
        } else {
            self.similarity.score(1.0, NO_NORM)
        }
    }

    /// No document of the block scores more.
    #[inline]
    fn bound(&self, block: &Entry) -> f32 {
        if !self.varies {
            return self.similarity.score(1.0, NO_NORM);
        }
        match block.best {
            // Equal frequencies: the shortest was the best under any average.
            Some(pair) if block.freq_max == 1 => self.similarity.score(1.0, pair.norm),
            Some(pair) => self.similarity.score(pair.freq as f32, pair.norm) * self.slack,
            None => self.similarity.weight,
        }
    }

    /// Moves to the block of `doc`; it scores no more than this there.
    #[inline]
    fn doc_bound(&mut self, doc: DocId) -> f32 {
        self.blocks.skip_to(doc);
        let block = self.blocks.entry();
        self.score(doc, block.freq_max).min(self.bound(block))
    }

    /// The score of `doc`, which has to be in the current block or after it, if it has the term.
    #[inline]
    pub(super) fn score_of(&mut self, doc: DocId) -> Option<f32> {
        let freq = self.blocks.freq_in(doc)?;
        Some(self.score(doc, freq))
    }

    /// No document of a window scores more. Moves to the first block that reaches into it.
    #[inline]
    pub(super) fn bound_in(&mut self, from: DocId, to: DocId) -> f32 {
        self.blocks.skip_to(from);
        let mut bound = 0.0f32;
        self.blocks.look_ahead(to, |block| bound = bound.max(self.bound(block)));
        bound
    }

    /// Adds the scores of a window's documents, and marks them as seen.
    pub(super) fn add_scores(
        &mut self,
        from: DocId,
        scores: &mut [f64; WINDOW],
        seen: &mut [u64; WINDOW / 64],
    ) {
        let Self { blocks, norms, similarity, varies, .. } = self;
        blocks.for_each_with_freqs(from, from.saturating_add(WINDOW as u32), |docs, freqs| {
            for (doc, freq) in docs.iter().zip(freqs) {
                let score = match varies {
                    true => similarity.score(*freq as f32, norms.of(*doc)),
                    false => similarity.score(1.0, NO_NORM),
                };
                // Below the window's size by the caller's bounds; the remainder spares the check.
                let place = (doc - from) as usize % WINDOW;
                scores[place] += f64::from(score);
                seen[place / 64] |= 1 << (place % 64);
            }
        });
    }

    /// Offers what can enter the page.
    pub(super) fn collect(&mut self, mask: Option<&Bits>, best: &mut Best) {
        loop {
            if best.bar().is_none_or(|bar| self.bound(self.blocks.entry()) > bar) {
                self.collect_block(mask, best);
            }
            if self.blocks.in_tail() {
                return;
            }
            self.blocks.next_block();
        }
    }

    fn collect_block(&mut self, mask: Option<&Bits>, best: &mut Best) {
        let Self { blocks, norms, similarity, varies, .. } = self;
        let (docs, freqs) = blocks.docs_and_freqs();
        for (doc, freq) in docs.iter().zip(freqs) {
            if super::allows(mask, *doc) {
                let score = match varies {
                    true => similarity.score(*freq as f32, norms.of(*doc)),
                    false => similarity.score(1.0, NO_NORM),
                };
                best.offer(*doc, score);
            }
        }
    }
}

/// Scores what is known to match all of `required`.
pub(super) struct Conjunction {
    required: Vec<ScoredTerm>,
    optional: Vec<ScoredTerm>,
}

impl Conjunction {
    pub(super) fn new(required: Vec<ScoredTerm>, optional: Vec<ScoredTerm>) -> Self {
        Self { required, optional }
    }

    /// Offers what can enter the page of all that match, and tells how many those are. Few matches are scored one by one;
    /// many as the union that they are a part of, whose windows are passed over as a whole.
    pub(super) fn collect(mut self, mut matching: Matching<'_>, max_doc: u32, best: &mut Best) -> u64 {
        /// A match scored alone costs as much as so many documents of a window, and so many cost less than all windows do.
        const ALONE: u64 = 256;
        const FEW: u64 = if cfg!(test) { 8 } else { 1024 };
        let listed: u64 = self.required.iter().map(|term| u64::from(term.blocks.doc_freq())).sum();
        let mut found = Vec::new();
        matching.list(&mut found);
        let count = found.len() as u64;
        if count <= FEW || count * ALONE < listed || !self.optional.is_empty() {
            found.into_iter().for_each(|doc| self.offer(doc, best));
        } else {
            Union::new(self.required, max_doc).collect(Some(&Bits::from_docs(max_doc, found)), best);
        }
        count
    }

    fn offer(&mut self, doc: DocId, best: &mut Best) {
        if let Some(bar) = best.bar() {
            let bounds = self.required.iter_mut().chain(&mut self.optional);
            let bound: f64 = bounds.map(|term| f64::from(term.doc_bound(doc))).sum();
            if bound as f32 <= bar {
                return;
            }
        }
        let required: f64 = sum(&mut self.required, doc);
        let optional: f64 = sum(&mut self.optional, doc);
        best.offer(doc, required as f32 + optional as f32);
    }
}

fn sum(terms: &mut [ScoredTerm], doc: DocId) -> f64 {
    terms.iter_mut().filter_map(|term| term.score_of(doc)).map(f64::from).sum()
}

/// The ratio of the two averages bounds the ratio of two scores; the rest is for rounding.
fn slack(node: &TermNode, segment: &SearchSegment<'_>) -> Result<f32> {
    const ROUNDING: f32 = 1.000_001;
    let Some(field) = node.scoring.norms else { return Ok(ROUNDING) };
    let inverted = segment.reader.inverted_index(field).map_err(engine_error)?;
    let local = inverted.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
    let ratio = local / node.scoring.similarity.average_length;
    if ratio.is_finite() && ratio > 0.0 { Ok(ratio.max(1.0 / ratio) * ROUNDING) } else { Ok(f32::INFINITY) }
}
