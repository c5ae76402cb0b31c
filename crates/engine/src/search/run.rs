//! One search from plan to result: what restricts, what scores, what is counted, what the page shows.

use std::sync::Arc;

use plan::{Query, Result, SearchPlan, SearchResult, SortBy, SortKey, Value};
use tantivy::DocId;

use super::bits::Bits;
use super::collect::{self, Best, Found};
use super::evaluate::Evaluator;
use super::explain::MovedParts;
use super::function::{Reader, lower};
use super::lower::{lower_scored, lower_unscored};
use super::mask::{self, Masks, PreparedFilter};
use super::node::{BooleanNode, DocSource, Node};
use super::result_cache::{KeptResult, ResultKey};
use super::terms::{Count, Direct};
use super::{SearchContext, explain, facet, fetch};

/// `key` is where the result may be kept.
pub(super) fn search(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    key: Option<ResultKey>,
) -> Result<SearchResult> {
    let kept = key.as_ref().and_then(|key| context.caches.results.get(key, plan));
    if let Some(kept) = kept {
        return loaded(context, plan, &kept);
    }
    let (result, kept) = searched(context, plan)?;
    if let Some(key) = key.filter(|_| result.total_exact) {
        context.caches.results.insert(key, Arc::new(kept));
    }
    Ok(result)
}

/// A search whose hits are known.
fn loaded(context: &SearchContext<'_>, plan: &SearchPlan, kept: &KeptResult) -> Result<SearchResult> {
    let KeptResult { found, total, .. } = kept;
    let page: Vec<Found> = found.iter().copied().skip(plan.page.start).take(plan.page.rows).collect();
    let mut values = values(context, &plan.functions, &page)?.into_iter();
    let show = |found: &Found| {
        let hit = fetch::hit(context, found, &plan.fields, found.score.filter(|_| plan.scores), None)?;
        Ok(plan::Hit { values: values.next().unwrap_or_default(), ..hit })
    };
    Ok(SearchResult {
        total: *total,
        total_exact: true,
        score_max: kept.score_max.filter(|_| plan.scores),
        hits: page.iter().map(show).collect::<Result<_>>()?,
        facets: plan::FacetResult::default(),
        shape: plan::ShapeResult::default(),
    })
}

fn searched(context: &SearchContext<'_>, plan: &SearchPlan) -> Result<(SearchResult, KeptResult)> {
    let by_score = matches!(plan.sort.as_slice(), [] | [SortKey { by: SortBy::Score, descending: true }]);
    let uses_score = plan.sort.iter().any(|key| key.by == SortBy::Score);
    let scored = by_score || uses_score || plan.scores || plan.explain;
    let node =
        if scored { lower_scored(context, &plan.query)? } else { lower_unscored(context, &plan.query)? };
    let prepare = |filter| PreparedFilter::prepare(context, filter);
    let mut filters = plan.filters.iter().map(prepare).collect::<Result<Vec<_>>>()?;
    let (node, moved) = split(node, &mut filters);
    let masks = mask::masks(context, filters.iter())?;
    let run = Run { context, plan, node: &node, moved, masks: &masks };
    let hits =
        if plan.facets.reads_hits() || !by_score { Some(mask::hits(context, &node, &masks)?) } else { None };
    let (found, count) = run.found_and_count(by_score, hits.as_deref())?;
    let Count { total, exact } = count;
    let facets = match &hits {
        Some(hits) if plan.facets.reads_hits() => facet::count(context, &plan.facets, &node, &filters, hits)?,
        _ => plan::FacetResult::default(),
    };
    let score_max = run.score_max(by_score, &found)?;
    let page: Vec<_> = found.iter().copied().skip(plan.page.start).take(plan.page.rows).collect();
    let shape = run.shape(&page)?;
    let result = SearchResult { total, total_exact: exact, score_max, hits: run.hits(page)?, facets, shape };
    // Where no rows are wanted none are looked for, whatever the start.
    let limit = if plan.page.rows > 0 { plan.page.end() } else { 0 };
    Ok((result, KeptResult { found, limit, total, score_max }))
}

pub(super) fn matching_docs(context: &SearchContext<'_>, query: &Query) -> Result<Vec<(usize, Vec<DocId>)>> {
    let node = lower_unscored(context, query)?;
    let masks = mask::masks(context, std::iter::empty())?;
    let hits = mask::hits(context, &node, &masks)?;
    let docs = hits.iter().map(|bits| bits.iter().collect::<Vec<_>>()).enumerate();
    Ok(docs.filter(|(_, docs)| !docs.is_empty()).collect())
}

/// Moves what only restricts from the query to the filters: pruning works on what is left.
fn split(node: Node, filters: &mut Vec<PreparedFilter>) -> (Node, MovedParts) {
    let Node::Boolean(mut boolean) = node else { return (node, MovedParts::default()) };
    let moved = MovedParts {
        filters: boolean.filters.iter().map(explain::label).collect(),
        prohibited: !boolean.prohibited.is_empty(),
    };
    filters.extend(boolean.filters.drain(..).map(|node| PreparedFilter::of_node(node, false)));
    filters.extend(boolean.prohibited.drain(..).map(|node| PreparedFilter::of_node(node, true)));
    (whole(boolean), moved)
}

/// What is left of a combination whose restrictions have moved away.
fn whole(mut boolean: BooleanNode) -> Node {
    match (boolean.required.len(), boolean.optional.len(), boolean.minimum) {
        (1, 0, _) => boolean.required.remove(0),
        (0, 1, 1) => boolean.optional.remove(0),
        (0, _, 0) => {
            // Only filters decide; the optional parts may add to the score.
            boolean.required.push(Node::constant(DocSource::All, 0.0, "*:*"));
            Node::Boolean(boolean)
        }
        _ => Node::Boolean(boolean),
    }
}

struct Run<'a> {
    context: &'a SearchContext<'a>,
    plan: &'a SearchPlan,
    node: &'a Node,
    moved: MovedParts,
    masks: &'a Masks,
}

impl Run<'_> {
    fn found_and_count(&self, by_score: bool, hits: Option<&[Arc<Bits>]>) -> Result<(Vec<Found>, Count)> {
        let end = self.plan.page.end();
        let living: u64 =
            self.context.segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
        let limit = end.min(usize::try_from(living).unwrap_or(usize::MAX));
        let wanted = if self.plan.page.rows > 0 { limit } else { 0 };
        if hits.is_none()
            && let Some((found, total)) =
                collect::first_and_count(self.context, self.node, self.masks, wanted)?
        {
            return Ok((found, Count::exact(total)));
        }
        if let (Some(direct), None) = (Direct::of(self.node), hits) {
            let mut best = Best::new(wanted);
            // Without a page there is nothing but the count.
            let enough = self.plan.count_enough.filter(|_| wanted > 0);
            let count = direct.collect(self.context, self.masks, &mut best, enough)?;
            return Ok((best.into_found(), count));
        }
        if hits.is_none() && self.plan.page.rows > 0 && (self.node.is_costly() || self.node.is_unbounded()) {
            let (found, total) = collect::top_k_and_count(self.context, self.node, self.masks, limit)?;
            return Ok((found, Count::exact(total)));
        }
        let total = match hits {
            Some(hits) => hits.iter().map(|bits| u64::from(bits.count())).sum(),
            None => collect::count(self.context, self.node, self.masks)?,
        };
        Ok((self.found(by_score, hits, total)?, Count::exact(total)))
    }

    /// The hits up to the end of the page, in order.
    fn found(&self, by_score: bool, hits: Option<&[Arc<Bits>]>, total: u64) -> Result<Vec<Found>> {
        if self.plan.page.rows == 0 {
            return Ok(Vec::new());
        }
        let limit = self.plan.page.end().min(usize::try_from(total).unwrap_or(usize::MAX));
        match hits {
            Some(hits) if !by_score => {
                let mark = self.plan.shape.cursor.as_ref().and_then(|cursor| cursor.after.as_ref());
                collect::sorted(self.context, self.node, hits, (&self.plan.sort, mark), limit)
            }
            _ => collect::top_k(self.context, self.node, self.masks, limit),
        }
    }

    fn shape(&self, page: &[Found]) -> Result<plan::ShapeResult> {
        let last = page.last().filter(|_| self.plan.shape.cursor.is_some());
        let mark = |hit| collect::mark(self.context, self.node, &self.plan.sort, hit);
        Ok(plan::ShapeResult { next: last.map(mark).transpose()?, ..plan::ShapeResult::default() })
    }

    fn score_max(&self, by_score: bool, found: &[Found]) -> Result<Option<f32>> {
        if !self.plan.scores {
            return Ok(None);
        }
        let known = if by_score { found.first().and_then(|best| best.score) } else { None };
        let best = match known {
            Some(score) => Some(score),
            None => collect::score_max(self.context, self.node, self.masks)?,
        };
        // Lucene looks for the best from its least positive number on.
        Ok(Some(best.map_or(0.0, |best| best.max(f32::from_bits(1)))))
    }

    fn hits(&self, mut page: Vec<Found>) -> Result<Vec<plan::Hit>> {
        if self.plan.scores {
            self.fill_scores(&mut page)?;
        }
        let mut values = values(self.context, &self.plan.functions, &page)?.into_iter();
        page.iter()
            .map(|found| {
                let explanation = match self.plan.explain {
                    true => Some(explain::explain(self.context, self.node, found, &self.moved)?),
                    false => None,
                };
                let score = found.score.filter(|_| self.plan.scores);
                let hit = fetch::hit(self.context, found, &self.plan.fields, score, explanation)?;
                Ok(plan::Hit { values: values.next().unwrap_or_default(), ..hit })
            })
            .collect()
    }

    /// Scores of hits that were found without; evaluators want them in index order.
    fn fill_scores(&self, page: &mut [Found]) -> Result<()> {
        let mut order: Vec<&mut Found> = page.iter_mut().filter(|found| found.score.is_none()).collect();
        order.sort_by_key(|found| (found.segment, found.doc));
        for group in order.chunk_by_mut(|left, right| left.segment == right.segment) {
            let Some(segment) = group.first().and_then(|found| self.context.segments.get(found.segment))
            else {
                continue;
            };
            let mut evaluator = Evaluator::open(self.context.layout.tantivy(), self.node, segment.reader)?;
            for found in group {
                found.score = Some(evaluator.score(found.doc).unwrap_or(0.0));
            }
        }
        Ok(())
    }
}

/// What functions are worth for each hit. Readers want the hits in index order.
fn values(
    context: &SearchContext<'_>,
    functions: &[plan::Function],
    page: &[Found],
) -> Result<Vec<Vec<Option<Value>>>> {
    let lowered = functions.iter().map(|function| lower(context, function));
    let lowered = lowered.collect::<Result<Vec<_>>>()?;
    let mut values = vec![Vec::new(); page.len()];
    let mut order: Vec<(&Found, &mut Vec<Option<Value>>)> = page.iter().zip(&mut values).collect();
    order.sort_by_key(|(found, _)| (found.segment, found.doc));
    for group in order.chunk_by_mut(|(left, _), (right, _)| left.segment == right.segment) {
        let segment = group.first().and_then(|(found, _)| context.segments.get(found.segment));
        let Some(segment) = segment.filter(|_| !lowered.is_empty()) else { continue };
        let readers = lowered.iter().map(|function| Reader::open(function, segment.reader));
        let mut readers = readers.collect::<Result<Vec<_>>>()?;
        for (found, values) in group {
            values.extend(readers.iter_mut().map(|reader| reader.value(found.doc)));
        }
    }
    Ok(values)
}
