//! The scores of matches, for the page only. Bounds that cost nothing come first: what a block's best
//! document scores, what a document of this length could score at most. A frequency is decoded when those do
//! not decide.
//!
//! Scores are Lucene's: each term's in single precision, added up in double, rounded once. Here is one term;
//! several are `conjunction.rs` and `union.rs`.

use plan::Result;
use tantivy::{DocId, SegmentReader};

use super::query::allows;
use crate::errors::from_tantivy;
use crate::search::bm25::{NO_NORM, Similarity};
use crate::search::collect::best::{Best, Hopefuls as _};
use crate::search::leaf_nodes::{TermNode, TermWeight};
use crate::search::norms::Norms;
use crate::segment::bits::Bits;
use crate::segment::postings::block::POSTINGS_BLOCK;
use crate::segment::postings::{SkipEntry, TermBlocks};
use crate::segment::term_bits::TermBits;
use crate::snapshot::SegmentView;

/// Documents of a window.
pub(super) const WINDOW: usize = 2048;
/// Parts of a window, which are looked at only where something was added, and documents of each.
pub(super) const WINDOW_PARTS: usize = 32;
pub(super) const WINDOW_PART: usize = WINDOW / WINDOW_PARTS;

/// Blocks between looks at the allowance.
pub(super) const BLOCKS_A_LOOK: u32 = 64;

/// A term that scores, in one segment.
pub(crate) struct ScoredTerm {
    pub(super) blocks: TermBlocks,
    /// All its documents as bits, where the segment keeps those.
    bits: Option<TermBits>,
    worth: Worth,
    /// How much more than a block's best pair another of its pairs can score: the pair was chosen under the
    /// segment's own average length.
    slack: f32,
    /// The last document of the block that was asked about last, and its bound.
    bounded: Option<DocId>,
    bound_there: f32,
}

/// What a document with the term scores.
struct Worth {
    norms: Norms,
    similarity: Similarity,
    /// Whether frequency and length count; else every document scores as one with the term once.
    varies: bool,
}

impl Worth {
    #[inline]
    fn of(&self, doc: DocId, freq: u32) -> f32 {
        if self.varies { self.similarity.score(freq as f32, self.norms.of(doc)) } else { self.always() }
    }

    fn always(&self) -> f32 {
        self.similarity.score(1.0, NO_NORM)
    }

    /// Of documents of a block, by their frequencies.
    #[inline]
    fn of_all<'r>(&self, docs: &[DocId], freqs: &[u32], room: &'r mut [f32; POSTINGS_BLOCK]) -> &'r [f32] {
        let scores = room.get_mut(..docs.len()).unwrap_or_default();
        if self.varies {
            self.similarity.score_all(freqs, docs.iter().map(|doc| self.norms.of(*doc)), scores);
        } else {
            scores.fill(self.always());
        }
        scores
    }
}

impl ScoredTerm {
    /// `None` when no document of the segment has the term.
    pub(crate) fn open(node: &TermNode, segment: usize, view: &SegmentView) -> Result<Option<Self>> {
        let Some(info) = node.info_in(segment) else { return Ok(None) };
        let blocks = view.postings().blocks(view.reader(), node.term.field(), info)?;
        let norms = Norms::open(view.reader(), node.scoring.norms).map_err(from_tantivy)?;
        let similarity = node.scoring.similarity.clone();
        let slack = slack(&node.scoring, view.reader())?;
        let varies = node.varies;
        let bits = view.term_bits(node.term.field(), info);
        let worth = Worth { norms, similarity, varies };
        Ok(Some(Self { blocks, bits, worth, slack, bounded: None, bound_there: 0.0 }))
    }

    /// No document of the block scores more.
    #[inline]
    pub(super) fn bound(&self, block: &SkipEntry) -> f32 {
        let Worth { similarity, varies, .. } = &self.worth;
        match varies {
            false => self.worth.always(),
            // What fills no block has no best pair.
            true => {
                similarity.bound(block.best.map(|pair| (pair.freq, pair.norm)), block.freq_max, self.slack)
            }
        }
    }

    /// No document scores more.
    pub(crate) fn most(&self) -> f32 {
        if self.worth.varies { self.worth.similarity.most() } else { self.worth.always() }
    }

    /// Moves to the block of `doc`; no document scores more there.
    #[inline]
    pub(crate) fn block_bound(&mut self, doc: DocId) -> f32 {
        if self.bounded != Some(self.blocks.entry().last()) || self.blocks.entry().last() < doc {
            self.blocks.skip_to(doc);
            self.bounded = Some(self.blocks.entry().last());
            self.bound_there = self.bound(self.blocks.entry());
        }
        self.bound_there
    }

    /// The score of `doc`, which has to be in the current block or after it, if it has the term.
    #[inline]
    pub(crate) fn score_of(&mut self, doc: DocId) -> Option<f32> {
        let freq = self.freq_of(doc)?;
        Some(self.worth.of(doc, freq))
    }

    #[inline]
    fn freq_of(&mut self, doc: DocId) -> Option<u32> {
        match &self.bits {
            Some(bits) => self.blocks.freq_by_rank(doc, bits),
            None => self.blocks.freq_in(doc),
        }
    }

    /// (frequency, norm) behind the score of `doc`, which has the term.
    pub(crate) fn counts(&mut self, doc: DocId) -> (f32, u8) {
        match self.freq_of(doc) {
            Some(freq) if self.worth.varies => (freq as f32, self.worth.norms.of(doc)),
            _ => (1.0, NO_NORM),
        }
    }

    /// The scores of `docs`, ascending, which are in the current block and have the term.
    #[inline]
    pub(super) fn scores_of(&mut self, docs: &[DocId], mut take: impl FnMut(DocId, f32)) {
        /// This many are found sooner by a walk over all.
        const MANY: usize = 16;
        if docs.len() < MANY {
            docs.iter().for_each(|doc| take(*doc, self.score_of(*doc).unwrap_or(0.0)));
            return;
        }
        let (held, freqs) = self.blocks.docs_and_freqs();
        let mut held = held.iter().zip(freqs);
        for doc in docs {
            let Some((_, freq)) = held.find(|(other, _)| *other == doc) else { return };
            take(*doc, self.worth.of(*doc, *freq));
        }
    }

    /// The scores of `docs`, ascending, all of which have the term.
    pub(crate) fn scores(&mut self, docs: &[DocId], scores: &mut [f32]) {
        let (mut rest, mut out) = (docs, scores.iter_mut());
        while let Some(first) = rest.first() {
            self.blocks.skip_to(*first);
            let last = self.blocks.entry().last();
            let (here, behind) = rest.split_at(rest.partition_point(|doc| *doc <= last));
            rest = behind;
            self.scores_of(here, |_, score| {
                if let Some(slot) = out.next() {
                    *slot = score;
                }
            });
        }
    }

    /// No document of a window scores more. Moves to the first block that reaches into it.
    #[inline]
    pub(crate) fn bound_in(&mut self, from: DocId, to: DocId) -> f32 {
        self.blocks.skip_to(from);
        let mut bound = 0.0f32;
        self.blocks.look_ahead(to, |block| bound = bound.max(self.bound(block)));
        bound
    }

    /// Adds the scores of a window's documents, and tells which of its groups they are in, by bits.
    pub(super) fn add_scores(&mut self, from: DocId, scores: &mut [f64; WINDOW]) -> u32 {
        let (mut touched, mut room) = (0, [0.0; POSTINGS_BLOCK]);
        let Self { blocks, worth, .. } = self;
        blocks.for_each_with_freqs(from, from.saturating_add(WINDOW as u32), |docs, freqs| {
            for (doc, score) in docs.iter().zip(worth.of_all(docs, freqs, &mut room)) {
                // Below the window's size by the caller's bounds; the remainder spares the check.
                let place = (doc - from) as usize % WINDOW;
                scores[place] += f64::from(*score);
                touched |= 1 << (place / WINDOW_PART);
            }
        });
        touched
    }

    /// Offers what can enter the page.
    pub(super) fn collect(&mut self, mask: Option<&Bits>, best: &mut Best) {
        let mut blocks = 0u32;
        loop {
            if best.bar().is_none_or(|bar| self.bound(self.blocks.entry()) > bar) {
                self.collect_block(mask, best);
            }
            blocks += 1;
            if self.blocks.in_tail() || blocks.is_multiple_of(BLOCKS_A_LOOK) && best.is_cut() {
                return;
            }
            self.blocks.next_block();
        }
    }

    fn collect_block(&mut self, mask: Option<&Bits>, best: &mut Best) {
        let (docs, freqs) = self.blocks.docs_and_freqs();
        // Read from `best` only where it may have moved: of a block's documents few get in, and most cost one
        // comparison.
        let mut bar = best.bar();
        for (doc, score) in docs.iter().zip(self.worth.of_all(docs, freqs, &mut [0.0; POSTINGS_BLOCK])) {
            if bar.is_none_or(|bar| *score > bar) && allows(mask, *doc) {
                best.offer(*doc, *score);
                bar = best.bar();
            }
        }
    }
}

/// How much more than a block's best pair another can score in this segment; the rest is for rounding.
pub(super) fn slack(scoring: &TermWeight, segment: &SegmentReader) -> Result<f32> {
    const ROUNDING: f32 = 1.000_001;
    let Some(field) = scoring.norms else { return Ok(ROUNDING) };
    let inverted = segment.inverted_index(field).map_err(from_tantivy)?;
    let local = inverted.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
    Ok(scoring.similarity.slack(local) * ROUNDING)
}
