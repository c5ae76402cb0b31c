//! The best documents of a union, by windows: what the terms could score at most in a window decides which of them must be
//! looked at (the essential ones) and which only for documents that the others have raised high enough. Known as MaxScore
//! with block maxima (Turtle and Flood 1995; Mallia, Siedlaczek and Suel 2019 compare the family).

use tantivy::DocId;

use super::scoring::ScoredTerm;
use crate::search::bits::Bits;
use crate::search::collect::Best;

/// Documents of a window.
pub(super) const WINDOW: usize = 2048;
/// Documents of a window's parts, which are looked at only where something was added: 32 of them.
pub(super) const GROUP: usize = WINDOW / 32;
/// What no score was added to. Added to any score, zero among them, it is gone.
const UNTOUCHED: f64 = -0.0;

pub(super) struct Union {
    terms: Vec<Bounded>,
    max_doc: u32,
    /// Scores of the window's documents so far.
    scores: Box<[f64; WINDOW]>,
}

struct Bounded {
    term: ScoredTerm,
    /// In the current window.
    bound: f32,
}

impl Union {
    pub(super) fn new(terms: Vec<ScoredTerm>, max_doc: u32) -> Self {
        let terms = terms.into_iter().map(|term| Bounded { term, bound: 0.0 }).collect();
        Self { terms, max_doc, scores: Box::new([UNTOUCHED; WINDOW]) }
    }

    /// Offers what can enter the page.
    pub(super) fn collect(&mut self, mask: Option<&Bits>, best: &mut Best) {
        for from in (0..self.max_doc).step_by(WINDOW) {
            let to = from.saturating_add(WINDOW as u32);
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
        let mut touched = 0;
        for bounded in essential {
            touched |= bounded.term.add_scores(from, &mut self.scores);
        }
        let rest: f64 = others.iter().map(|bounded| f64::from(bounded.bound)).sum();
        let groups = self.scores.chunks_exact_mut(GROUP).enumerate();
        for (at, scores) in groups.filter(|(at, _)| touched >> at & 1 == 1) {
            let can_enter =
                |score: f64, best: &Best| best.bar().is_none_or(|bar| (score + rest) as f32 > bar);
            if can_enter(greatest(scores), best) {
                for (doc, score) in (from + (at * GROUP) as u32..).zip(&*scores) {
                    let hit = score.to_bits() != UNTOUCHED.to_bits() && can_enter(*score, best);
                    if hit && super::allows(mask, doc) {
                        finish(doc, *score, rest, others, best);
                    }
                }
            }
            scores.fill(UNTOUCHED);
        }
    }
}

/// Of scores, none of which is less than nothing. By lanes, so that a compiler takes several at once.
fn greatest(scores: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut most = [0.0; LANES];
    for scores in scores.chunks_exact(LANES) {
        for (most, score) in most.iter_mut().zip(scores) {
            *most = if *score > *most { *score } else { *most };
        }
    }
    most.into_iter().fold(0.0, f64::max)
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
