//! The second opinion on a search's first hits: how another query scores them. What becomes of the two scores
//! is decided once, above the shards. In: the first hits as references; out: the same with a second score
//! where the query finds them. It runs in the first step of a search, since what is on the page depends on
//! it.

use plan::partial::HitRef;
use plan::{Explanation, Rerank, Result, Value};

use super::evaluate::Evaluator;
use super::explain;
use super::lower::lower_scored;
use super::node::Node;
use crate::search::context::SearchContext;

/// Scores the first of `hits` by the other query, where that finds them. Evaluators want documents in index
/// order.
pub(super) fn fill_second_scores(
    context: &SearchContext<'_>,
    rerank: &Rerank,
    hits: &mut [HitRef],
) -> Result<()> {
    let node = lower_scored(context, &rerank.query)?;
    let mut order: Vec<&mut HitRef> = hits.iter_mut().take(rerank.hits).collect();
    order.sort_by_key(|hit| hit.position());
    for group in order.chunk_by_mut(|left, right| left.segment == right.segment) {
        let segment = group.first().and_then(|hit| context.segments.get(hit.segment_number()));
        let Some(segment) = segment else { continue };
        let mut evaluator = Evaluator::open(context.layout.tantivy(), &node, segment.reader)?;
        for hit in group {
            hit.second_score = evaluator.score(hit.doc);
        }
    }
    Ok(())
}

/// The explanation of a hit, around that of its first score.
pub(super) fn explained(
    context: &SearchContext<'_>,
    rerank: &Rerank,
    hit: &HitRef,
    first: Explanation,
) -> Result<Explanation> {
    let node = lower_scored(context, &rerank.query)?;
    let second = second_of(context, &node, hit)?;
    let part = |value: Value, description: &str, details| Explanation {
        matched: true,
        value,
        description: description.to_owned(),
        details,
    };
    let second = match second {
        Some(score) => {
            let why = explain::explain(context, &node, hit, &explain::MovedParts::default())?;
            part(Value::Float(score), "second pass score", vec![why])
        }
        None => part(Value::Float(0.0), "no second pass score", vec![]),
    };
    let value = hit.score.map_or_else(|| first.value.clone(), Value::Float);
    let first = part(first.value.clone(), "first pass score", vec![first]);
    let description = "combined first and second pass score using class \
                       org.apache.solr.search.ReRankQParserPlugin$ReRankQueryRescorer";
    Ok(part(value, description, vec![first, second]))
}

fn second_of(context: &SearchContext<'_>, node: &Node, hit: &HitRef) -> Result<Option<f32>> {
    let Some(segment) = context.segments.get(hit.segment_number()) else { return Ok(None) };
    Ok(Evaluator::open(context.layout.tantivy(), node, segment.reader)?.score(hit.doc))
}
