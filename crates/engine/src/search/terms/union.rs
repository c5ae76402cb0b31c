//! The best documents of a union, by windows: what the terms could score at most in a window decides which of
//! them must be looked at (the essential ones) and which only for documents that the others have raised high
//! enough. Known as MaxScore with block maxima (Turtle and Flood 1995; Mallia, Siedlaczek and Suel 2019
//! compare the family).

use tantivy::DocId;

use super::query::allows;
use super::scoring::ScoredTerm;
use super::scoring::{WINDOW, WINDOW_PART, WINDOW_PARTS};
use crate::search::collect::best::{Best, Hopefuls as _};
use crate::segment::bits::Bits;

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
    /// How many documents a window has on average.
    in_window: u32,
}

impl Union {
    pub(super) fn new(terms: Vec<ScoredTerm>, max_doc: u32) -> Self {
        let bounded = |term: ScoredTerm| {
            let in_window = u64::from(term.blocks.doc_freq()) * WINDOW as u64 / u64::from(max_doc.max(1));
            Bounded { term, bound: 0.0, in_window: in_window as u32 }
        };
        let terms = terms.into_iter().map(bounded).collect();
        Self { terms, max_doc, scores: Box::new([UNTOUCHED; WINDOW]) }
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
                // Until there are enough hits every document may enter.
                self.window(from, 0, mask, best);
                continue;
            };
            for bounded in &mut self.terms {
                bounded.bound = bounded.term.bound_in(from, to);
            }
            // By what they can give here: which of them are essential changes from window to window.
            self.terms.sort_by(|left, right| left.bound.total_cmp(&right.bound));
            let others = inessential(&self.terms, bar);
            // Else all of them together lift no document of this window over the bar.
            if others < self.terms.len() {
                self.window(from, others, mask, best);
            }
        }
    }

    /// Scores a window; the first `others` terms can raise no document over the bar by themselves.
    fn window(&mut self, from: DocId, others: usize, mask: Option<&Bits>, best: &mut Best) {
        let Self { terms, scores, .. } = self;
        let mut touched = 0;
        for bounded in &mut terms[others..] {
            touched |= bounded.term.add_scores(from, scores);
        }
        let mut asked = others;
        let (mut others, mut rest, mut found);
        loop {
            (others, _) = terms.split_at_mut(asked);
            rest = others.iter().map(|bounded| f64::from(bounded.bound)).sum();
            found = candidates(scores, touched, rest, best.bar());
            // Of a term that too many candidates would be asked about, all are added sooner.
            match others.last_mut().filter(|next| next.is_asked_too_often(&found)) {
                Some(next) => touched |= next.term.add_scores(from, scores),
                None => break,
            }
            asked -= 1;
        }
        for (at, mut left) in found.into_iter().enumerate() {
            while left != 0 {
                let place = at * WINDOW_PART + left.trailing_zeros() as usize;
                left &= left - 1;
                let doc = from + place as u32;
                if allows(mask, doc) {
                    finish(doc, scores[place % WINDOW], rest, others, best);
                }
            }
        }
        let (groups, _) = scores.as_chunks_mut::<WINDOW_PART>();
        let touched = groups.iter_mut().enumerate().filter(|(at, _)| touched >> at & 1 == 1);
        touched.for_each(|(_, scores)| scores.fill(UNTOUCHED));
    }
}

impl Bounded {
    /// Whether asking about each candidate would be more work than adding all documents of the window.
    fn is_asked_too_often(&self, candidates: &[u64; WINDOW_PARTS]) -> bool {
        /// What asking about one costs, in documents added.
        const ASKING: u32 = 3;
        let count: u32 = candidates.iter().map(|bits| bits.count_ones()).sum();
        count * ASKING > self.in_window
    }
}

/// By group, in bits: the places that were touched and may get over the bar.
fn candidates(scores: &[f64; WINDOW], touched: u32, rest: f64, bar: Option<f32>) -> [u64; WINDOW_PARTS] {
    let mut found = [0; WINDOW_PARTS];
    let (groups, _) = scores.as_chunks::<WINDOW_PART>();
    for (at, (found, scores)) in found.iter_mut().zip(groups).enumerate() {
        if touched >> at & 1 == 1 {
            *found = match bar.map(f64::from) {
                // Less does not become more by being rounded to single precision.
                Some(bar) => places(scores, |score| score + rest > bar),
                None => places(scores, |score| score.to_bits() != UNTOUCHED.to_bits()),
            };
        }
    }
    found
}

/// Where a group's scores are such. Each is looked at, whatever it is: a compiler takes several at once.
fn places(scores: &[f64; WINDOW_PART], such: impl Fn(f64) -> bool) -> u64 {
    let mut bits = 0;
    for (place, score) in scores.iter().enumerate() {
        bits |= u64::from(such(*score)) << place;
    }
    bits
}

/// Adds what the other terms give, the greatest first, as long as the document can still enter.
fn finish(doc: DocId, mut score: f64, mut rest: f64, others: &mut [Bounded], best: &mut Best) {
    let hopeless = |score: f64, best: &Best| best.bar().is_some_and(|bar| score as f32 <= bar);
    for bounded in others.iter_mut().rev() {
        if hopeless(score + rest, best) {
            return;
        }
        rest -= f64::from(bounded.bound);
        score += bounded.term.score_of(doc).map_or(0.0, f64::from);
    }
    if !hopeless(score, best) {
        best.offer(doc, score as f32);
    }
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
