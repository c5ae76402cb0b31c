//! The best documents of a union, by windows: what the terms could score at most in a window decides which of them must be
//! looked at (the essential ones) and which only for documents that the others have raised high enough. Known as MaxScore
//! with block maxima (Turtle and Flood 1995; Mallia, Siedlaczek and Suel 2019 compare the family).

use tantivy::DocId;

use super::scoring::ScoredTerm;
use crate::search::bits::Bits;
use crate::search::collect::Best;

/// Documents of a window.
pub(super) const WINDOW: usize = 2048;

pub(super) struct Union {
    terms: Vec<Bounded>,
    max_doc: u32,
    /// Scores of the window's documents so far.
    scores: Box<[f64; WINDOW]>,
    /// Which of them any essential term has.
    seen: [u64; WINDOW / 64],
}

struct Bounded {
    term: ScoredTerm,
    /// In the current window.
    bound: f32,
}

impl Union {
    pub(super) fn new(terms: Vec<ScoredTerm>, max_doc: u32) -> Self {
        let terms = terms.into_iter().map(|term| Bounded { term, bound: 0.0 }).collect();
        Self { terms, max_doc, scores: Box::new([0.0; WINDOW]), seen: [0; WINDOW / 64] }
    }

    /// Offers what can enter the page.
    pub(super) fn collect(&mut self, mask: Option<&Bits>, best: &mut Best) {
        for from in (0..self.max_doc).step_by(WINDOW) {
            let to = from.saturating_add(WINDOW as u32);
            if from > 0 && best.is_cut() {
                return;
            }
            let bar = best.bar();
            let Some(bar) = bar else {
                self.window(from, 0, mask, best);
                continue;
            };
            for bounded in &mut self.terms {
                bounded.bound = bounded.term.bound_in(from, to);
            }
            self.terms.sort_by(|left, right| left.bound.total_cmp(&right.bound));
            let others = inessential(&self.terms, bar);
            if others < self.terms.len() {
                self.window(from, others, mask, best);
            }
        }
    }

    /// Scores a window; the first `others` terms can raise no document over the bar by themselves.
    fn window(&mut self, from: DocId, others: usize, mask: Option<&Bits>, best: &mut Best) {
        let (others, essential) = self.terms.split_at_mut(others);
        for bounded in essential {
            bounded.term.add_scores(from, &mut self.scores, &mut self.seen);
        }
        let rest: f64 = others.iter().map(|bounded| f64::from(bounded.bound)).sum();
        let touched = self.seen;
        if let Some(mask) = mask {
            mask.keep_common(from, &mut self.seen);
        }
        for at in (0..WINDOW / 64).filter(|at| touched[*at] != 0) {
            let mut word = std::mem::take(&mut self.seen[at]);
            while word != 0 {
                let place = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let doc = from + place as u32;
                let score = self.scores[place];
                if best.bar().is_none_or(|bar| (score + rest) as f32 > bar) {
                    finish(doc, score, rest, others, best);
                }
            }
            self.scores[at * 64..at * 64 + 64].fill(0.0);
        }
    }
}

/// Adds what the other terms give, the greatest first, as long as the document can still enter.
fn finish(doc: DocId, mut score: f64, mut rest: f64, others: &mut [Bounded], best: &mut Best) {
    for bounded in others.iter_mut().rev() {
        if best.bar().is_some_and(|bar| (score + rest) as f32 <= bar) {
            return;
        }
        rest -= f64::from(bounded.bound);
        score += bounded.term.score_of(doc).map_or(0.0, f64::from);
    }
    best.offer(doc, score as f32);
}

/// How many of the terms, least bound first, cannot lift a document over the bar together.
fn inessential(terms: &[Bounded], bar: f32) -> usize {
    let mut sum = 0.0f64;
    terms
        .iter()
        .take_while(|bounded| {
            sum += f64::from(bounded.bound);
            sum as f32 <= bar
        })
        .count()
}
