//! The first hits in a new order: each scored by another query too, both scores stretched to bounds if wanted, joined, and
//! the hits sorted by that. What comes behind them stays as it is. Arithmetic as Solr's, in single precision.

use std::cmp::Ordering;

use plan::{Explanation, Rerank, Result, Value};

use super::SearchContext;
use super::collect::Found;
use super::evaluate::Evaluator;
use super::explain;
use super::lower::lower_scored;
use super::node::Node;

/// `found` in the new order; all of it has scores.
pub(super) fn reranked(
    context: &SearchContext<'_>,
    rerank: &Rerank,
    mut found: Vec<Found>,
) -> Result<Vec<Found>> {
    // Solr differs: it stretches over as many hits as its cache takes at once.
    let firsts: Vec<f32> = found.iter().filter_map(|hit| hit.score).collect();
    let first_range = Range::of(firsts.iter().copied());
    let first = |score: f32| stretched(score, first_range, rerank.first_scale);
    let behind = found.split_off(rerank.hits.min(found.len()));
    let seconds = second_scores(context, rerank, &found)?;
    let second_range = Range::of(seconds.iter().flatten().copied());
    for (hit, second) in found.iter_mut().zip(seconds) {
        let second = second.map(|score| stretched(score, second_range, rerank.second_scale));
        hit.score = hit.score.map(|score| rerank.joined(first(score), second));
    }
    found.sort_by(better);
    found.extend(behind.into_iter().map(|hit| Found { score: hit.score.map(first), ..hit }));
    Ok(found)
}

/// The explanation of a hit, around that of its first score.
pub(super) fn explained(
    context: &SearchContext<'_>,
    rerank: &Rerank,
    found: &Found,
    first: Explanation,
) -> Result<Explanation> {
    let node = lower_scored(context, &rerank.query)?;
    let second = second_of(context, &node, found)?;
    let part = |value: Value, description: &str, details| Explanation {
        matched: true,
        value,
        description: description.to_owned(),
        details,
    };
    let second = match second {
        Some(score) => {
            let why = explain::explain(context, &node, found, &explain::MovedParts::default())?;
            part(Value::Float(score), "second pass score", vec![why])
        }
        None => part(Value::Float(0.0), "no second pass score", vec![]),
    };
    let value = found.score.map_or_else(|| first.value.clone(), Value::Float);
    let first = part(first.value.clone(), "first pass score", vec![first]);
    let description = "combined first and second pass score using class \
                       org.apache.solr.search.ReRankQParserPlugin$ReRankQueryRescorer";
    Ok(part(value, description, vec![first, second]))
}

fn better(left: &Found, right: &Found) -> Ordering {
    let score = |hit: &Found| hit.score.unwrap_or(0.0);
    let by_score = score(right).total_cmp(&score(left));
    by_score.then_with(|| (left.segment, left.doc).cmp(&(right.segment, right.doc)))
}

/// Of each hit; `None` where the other query does not find it. Evaluators want documents in index order.
fn second_scores(context: &SearchContext<'_>, rerank: &Rerank, found: &[Found]) -> Result<Vec<Option<f32>>> {
    let node = lower_scored(context, &rerank.query)?;
    let mut scores = vec![None; found.len()];
    let mut order: Vec<_> = found.iter().zip(&mut scores).collect();
    order.sort_by_key(|(hit, _)| (hit.segment, hit.doc));
    for group in order.chunk_by_mut(|(left, _), (right, _)| left.segment == right.segment) {
        let segment = group.first().and_then(|(hit, _)| context.segments.get(hit.segment));
        let Some(segment) = segment else { continue };
        let mut evaluator = Evaluator::open(context.layout.tantivy(), &node, segment.reader)?;
        for (hit, score) in group {
            **score = evaluator.score(hit.doc);
        }
    }
    Ok(scores)
}

fn second_of(context: &SearchContext<'_>, node: &Node, hit: &Found) -> Result<Option<f32>> {
    let Some(segment) = context.segments.get(hit.segment) else { return Ok(None) };
    Ok(Evaluator::open(context.layout.tantivy(), node, segment.reader)?.score(hit.doc))
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
