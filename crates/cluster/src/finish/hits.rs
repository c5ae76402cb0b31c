//! The page: hits in their last order, cut to what is asked for. A second opinion is heeded here, since which
//! hits come first, and between which bounds their scores are stretched, is known of all shards together
//! only. Arithmetic as Solr's, in single precision.

use std::cmp::Ordering;

use plan::partial::HitRef;
use plan::{CursorMark, Page, Rerank, SearchPlan, Value};

pub(super) fn finish_page(plan: &SearchPlan, hits: Vec<HitRef>) -> Vec<HitRef> {
    let hits = match &plan.shape.rerank {
        Some(rerank) => reranked(rerank, hits),
        None => hits,
    };
    cut(hits, plan.page)
}

pub(super) fn cut(mut hits: Vec<HitRef>, page: Page) -> Vec<HitRef> {
    hits.truncate(page.end());
    hits.drain(..page.start.min(hits.len()));
    hits
}

/// The mark of a hit: a page behind it begins with these values.
pub(super) fn mark(hit: &HitRef) -> CursorMark {
    if hit.sort.is_empty() {
        return vec![hit.score.map(Value::Float)];
    }
    hit.sort.iter().map(|value| value.value().cloned()).collect()
}

/// The first hits in a new order: both scores stretched to bounds if wanted, joined, and the hits sorted by
/// that. What comes behind them stays as it is. All of them have scores.
fn reranked(rerank: &Rerank, mut hits: Vec<HitRef>) -> Vec<HitRef> {
    // Solr differs: it stretches over as many hits as its cache takes at once.
    let first_range = Range::of(hits.iter().filter_map(|hit| hit.score));
    let first = |score: f32| stretched(score, first_range, rerank.first_scale);
    let behind = hits.split_off(rerank.hits.min(hits.len()));
    let second_range = Range::of(hits.iter().filter_map(|hit| hit.second_score));
    for hit in &mut hits {
        let second = hit.second_score.map(|score| stretched(score, second_range, rerank.second_scale));
        hit.score = hit.score.map(|score| rerank.joined(first(score), second));
    }
    hits.sort_by(|left, right| first_key(rerank, left, right).then_with(|| better(left, right)));
    hits.extend(behind.into_iter().map(|hit| HitRef { score: hit.score.map(first), ..hit }));
    hits
}

/// By the first key that sorted them, where that counts more than the joined score.
fn first_key(rerank: &Rerank, left: &HitRef, right: &HitRef) -> Ordering {
    let key = |hit: &HitRef| hit.sort.first().and_then(|key| key.value().cloned());
    match (rerank.after_first_key, key(left), key(right)) {
        (true, Some(left), Some(right)) => right.order(&left),
        _ => Ordering::Equal,
    }
}

/// By the joined score, whatever sorted them before.
fn better(left: &HitRef, right: &HitRef) -> Ordering {
    let score = |hit: &HitRef| hit.score.unwrap_or(0.0);
    score(right).total_cmp(&score(left)).then_with(|| left.position().cmp(&right.position()))
}

/// The least and the greatest of some scores.
#[derive(Clone, Copy)]
struct Range {
    least: f32,
    greatest: f32,
}

impl Range {
    fn of(scores: impl Iterator<Item = f32>) -> Self {
        let start = Self { least: f32::MAX, greatest: f32::MIN };
        scores.fold(start, |range, score| Self {
            least: range.least.min(score),
            greatest: range.greatest.max(score),
        })
    }
}

/// Where all scores are the same they become the middle of the bounds.
fn stretched(score: f32, range: Range, bounds: Option<(f32, f32)>) -> f32 {
    let Some((least, greatest)) = bounds else { return score };
    let share = match range.greatest - range.least {
        0.0 => 0.5,
        width => (score - range.least) / width,
    };
    share * (greatest - least) + least
}
