//! One search from plan to result: what restricts, what scores, what is counted, what the page shows.

use std::sync::Arc;

use meter::Phase;
use plan::partial::ShardResult;
use plan::{Component, Explanation, Result, SearchPlan, SortBy, SortKey, Value};

use super::bits::Bits;
use super::collect::{self, Best, Found};
use super::descend::{self, Descent};
use super::evaluate::Evaluator;
use super::explain::MovedParts;
use super::function::{Reader, lower};
use super::grouping::{self, Collapser};
use super::lower::{lower_scored, lower_unscored};
use super::mask::{self, Masks, PreparedFilter};
use super::node::{BooleanNode, DocSource, Node};
use super::result_cache::{KeptResult, ResultLookup};
use super::terms::{Count, Direct};
use super::{SearchContext, explain, facet, fetch, rerank};

/// `lookup` is by what the result may be kept.
pub(super) fn search(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    lookup: Option<&ResultLookup<'_>>,
) -> Result<ShardResult> {
    if let Some(kept) = lookup.and_then(|lookup| context.caches.results.get(lookup)) {
        return loaded(context, plan, &kept);
    }
    let (result, kept) = searched(context, plan)?;
    if let Some(lookup) = lookup.filter(|_| result.total_exact && result.cut_before.is_none()) {
        context.caches.results.insert(lookup, Arc::new(kept));
    }
    Ok(result)
}

/// A search whose hits are known.
fn loaded(context: &SearchContext<'_>, plan: &SearchPlan, kept: &KeptResult) -> Result<ShardResult> {
    let KeptResult { found, total, .. } = kept;
    let page: Vec<Found> = found.iter().copied().skip(plan.page.start).take(plan.page.rows).collect();
    Ok(ShardResult {
        total: *total,
        total_exact: true,
        score_max: kept.score_max.filter(|_| plan.scores),
        hits: shown(context, plan, &page, |_| Ok(None))?,
        facets: None,
        shape: plan::ShapeResult::default(),
        highlights: Vec::new(),
        cut_before: None,
    })
}

fn searched(context: &SearchContext<'_>, plan: &SearchPlan) -> Result<(ShardResult, KeptResult)> {
    let by_score = matches!(plan.sort.as_slice(), [] | [SortKey { by: SortBy::Score, descending: true }]);
    let scored = by_score
        || plan.scores
        || plan.explain
        || plan.shape.rerank.is_some()
        || plan.orders().any(|key| key.by == SortBy::Score);
    let node =
        if scored { lower_scored(context, &plan.query)? } else { lower_unscored(context, &plan.query)? };
    let prepare = |filter| PreparedFilter::prepare(context, filter);
    let mut filters = plan.filters.iter().map(prepare).collect::<Result<Vec<_>>>()?;
    let (node, moved) = split(node, &mut filters);
    let masks = mask::masks(context, filters.iter())?;
    let collapser = Collapser(&plan.shape.collapses);
    let masks = collapsed(context, &collapser, &node, masks)?;
    let run = Run { context, plan, node: &node, moved, masks: &masks };
    let reads_hits = plan.facets.reads_hits() || !by_score || plan.shape.groups.is_some();
    let hits = if reads_hits { Some(mask::hits(context, &node, &masks)?) } else { None };
    let (found, count) = run.found_and_count(by_score, hits.as_deref())?;
    let whole = !context.allowance.is_used_up();
    let Count { total, exact } = count;
    let facets = match &hits {
        Some(hits) if whole && plan.facets.reads_hits() => {
            let groups = plan.shape.groups.as_ref();
            let searched = facet::Searched { node: &node, filters: &filters, collapser: &collapser, groups };
            let _counting = context.trace.enter(Phase::Facet);
            Some(facet::count(context, &plan.facets, &searched, hits)?)
        }
        _ => None,
    };
    // Half a count is none.
    let cut = context.allowance.is_used_up().then_some(Component::Facet);
    let facets = facets.filter(|_| cut.is_none());
    let score_max = run.score_max(by_score, &found, hits.as_deref())?;
    let found = run.reranked(found)?;
    let page: Vec<_> = found.iter().copied().skip(plan.page.start).take(plan.page.rows).collect();
    let shape = run.shape(&page, hits.as_deref())?;
    let cut_before = cut.or_else(|| context.allowance.is_used_up().then_some(Component::Expand));
    let result = ShardResult {
        total,
        total_exact: exact && whole,
        score_max,
        hits: run.hits(page)?,
        facets,
        shape,
        highlights: Vec::new(),
        cut_before,
    };
    // Where no rows are wanted none are looked for, whatever the start.
    let limit = if plan.page.rows > 0 { plan.page.end() } else { 0 };
    Ok((result, KeptResult { found, limit, total, score_max }))
}

/// Moves what only restricts from the query to the filters: pruning works on what is left.
fn split(node: Node, filters: &mut Vec<PreparedFilter>) -> (Node, MovedParts) {
    let Node::Boolean(mut boolean) = node else { return (node, MovedParts::default()) };
    let moved = MovedParts {
        filters: boolean.filters.iter().map(explain::label).collect(),
        prohibited: !boolean.prohibited.is_empty(),
        nested: matches!(boolean.required.as_slice(), [Node::Boolean(_)]) && boolean.optional.is_empty(),
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
        if let (Some(_), Some(hits)) = (&self.plan.shape.groups, hits) {
            return Ok((Vec::new(), Count::exact(total(hits))));
        }
        if let (Some(hits), false) = (hits, by_score) {
            let total = total(hits);
            return Ok((self.sorted(hits, total)?, Count::exact(total)));
        }
        let living: u64 =
            self.context.segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
        let wanted = self.wanted().min(usize::try_from(living).unwrap_or(usize::MAX));
        match hits {
            Some(hits) => Ok((self.best(wanted, Some(hits))?, Count::exact(total(hits)))),
            None => self.best_and_count(wanted),
        }
    }

    /// How many of the first hits have to be known.
    fn wanted(&self) -> usize {
        if self.plan.page.rows == 0 {
            return 0;
        }
        self.plan.page.end().max(self.plan.shape.rerank.as_ref().map_or(0, |rerank| rerank.hits))
    }

    fn reranked(&self, mut found: Vec<Found>) -> Result<Vec<Found>> {
        let Some(rerank) = &self.plan.shape.rerank else { return Ok(found) };
        self.fill_scores(&mut found)?;
        rerank::reranked(self.context, rerank, found)
    }

    /// The hits up to the end of the page, in the order asked for.
    fn sorted(&self, hits: &[Arc<Bits>], total: u64) -> Result<Vec<Found>> {
        let limit = self.wanted().min(usize::try_from(total).unwrap_or(usize::MAX));
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mark = self.plan.shape.cursor.as_ref().and_then(|cursor| cursor.after.as_ref());
        collect::sorted(self.context, self.node, hits, (&self.plan.sort, mark), limit)
    }

    /// The `wanted` hits of the best scores, best first; `hits` are all, where they are known.
    fn best(&self, wanted: usize, hits: Option<&[Arc<Bits>]>) -> Result<Vec<Found>> {
        if wanted == 0 {
            return Ok(Vec::new());
        }
        if let Some((found, _)) = collect::first_and_count(self.context, self.node, self.masks, wanted)? {
            return Ok(found);
        }
        if let Some(direct) = Direct::of(self.node) {
            let mut best = Best::new(wanted, &self.context.allowance);
            // How many there are is not asked.
            direct.collect(self.context, self.masks, &mut best, Some(0))?;
            return Ok(best.into_found());
        }
        match hits {
            Some(hits) => collect::top_k(self.context, self.node, hits, wanted),
            None => {
                let hits = mask::hits(self.context, self.node, self.masks)?;
                collect::top_k(self.context, self.node, &hits, wanted)
            }
        }
    }

    /// As [`Run::best`], and how many hits there are, as far as the plan wants it known.
    fn best_and_count(&self, wanted: usize) -> Result<(Vec<Found>, Count)> {
        if let Some((found, total)) = collect::first_and_count(self.context, self.node, self.masks, wanted)? {
            return Ok((found, Count::exact(total)));
        }
        if let Some(direct) = Direct::of(self.node) {
            let mut best = Best::new(wanted, &self.context.allowance);
            // Without a page there is nothing but the count.
            let enough = self.plan.count_enough.filter(|_| wanted > 0);
            let count = direct.collect(self.context, self.masks, &mut best, enough)?;
            return Ok((best.into_found(), count));
        }
        let hits = mask::hits(self.context, self.node, self.masks)?;
        Ok((collect::top_k(self.context, self.node, &hits, wanted)?, Count::exact(total(&hits))))
    }

    fn shape(&self, page: &[Found], hits: Option<&[Arc<Bits>]>) -> Result<plan::ShapeResult> {
        let plan::Shape { cursor, collapses: _, groups, expand, rerank: _ } = &self.plan.shape;
        let last = page.last().filter(|_| cursor.is_some());
        let mark = |hit| collect::mark(self.context, self.node, &self.plan.sort, hit);
        Ok(plan::ShapeResult {
            next: last.map(mark).transpose()?,
            groups: match (groups, hits) {
                (Some(groups), Some(hits)) => self.grouped(groups, hits)?,
                _ => Vec::new(),
            },
            expanded: match expand {
                Some(expand) => self.expanded(expand, page)?,
                None => Vec::new(),
            },
        })
    }

    fn grouped(&self, groups: &plan::GroupPlan, hits: &[Arc<Bits>]) -> Result<Vec<plan::GroupedResult>> {
        let matches = total(hits);
        let found = grouping::grouped(self.context, self.plan, groups, (self.node, hits))?;
        let loaded = found.into_iter().map(|one| {
            let groups = one.groups.into_iter().map(|group| self.group(group)).collect::<Result<_>>()?;
            Ok(plan::GroupedResult { matches, groups_total: one.groups_total, groups })
        });
        loaded.collect()
    }

    fn expanded(&self, expand: &plan::ExpandPlan, page: &[Found]) -> Result<Vec<plan::Group>> {
        let (node, groups) = grouping::expand(self.context, self.plan, expand, page)?;
        let Self { context, plan, node: _, moved: _, masks } = *self;
        let run = Run { context, plan, node: &node, moved: MovedParts::default(), masks };
        groups.into_iter().map(|group| run.group(group)).collect()
    }

    fn group(&self, group: grouping::FoundGroup) -> Result<plan::Group> {
        let grouping::FoundGroup { value, total, score_max, found } = group;
        Ok(plan::Group { value, total, score_max, hits: self.hits(found)? })
    }

    fn score_max(&self, by_score: bool, found: &[Found], hits: Option<&[Arc<Bits>]>) -> Result<Option<f32>> {
        if !self.plan.scores || self.plan.shape.groups.is_some() {
            return Ok(None);
        }
        let known = if by_score { found.first().and_then(|best| best.score) } else { None };
        let best = match known {
            Some(score) => Some(score),
            None => self.best(1, hits)?.first().and_then(|best| best.score),
        };
        // Lucene looks for the best from its least positive number on.
        Ok(Some(best.map_or(0.0, |best| best.max(f32::from_bits(1)))))
    }

    fn hits(&self, mut page: Vec<Found>) -> Result<Vec<plan::Hit>> {
        if self.plan.scores {
            self.fill_scores(&mut page)?;
        }
        shown(self.context, self.plan, &page, |found| match self.plan.explain {
            true => self.explained(found).map(Some),
            false => Ok(None),
        })
    }

    fn explained(&self, found: &Found) -> Result<Explanation> {
        let own = explain::explain(self.context, self.node, found, &self.moved)?;
        match &self.plan.shape.rerank {
            Some(rerank) => rerank::explained(self.context, rerank, found, own),
            None => Ok(own),
        }
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

fn total(hits: &[Arc<Bits>]) -> u64 {
    hits.iter().map(|bits| u64::from(bits.count())).sum()
}

/// The documents allowed, of which only those stay that collapsing keeps.
fn collapsed(
    context: &SearchContext<'_>,
    collapser: &Collapser<'_>,
    node: &Node,
    masks: Masks,
) -> Result<Masks> {
    if collapser.0.is_empty() {
        return Ok(masks);
    }
    let hits = mask::hits(context, node, &masks)?;
    Ok(collapser.without(&[], context, node, hits)?.into_iter().map(Some).collect())
}

/// A page as the plan wants it shown.
fn shown(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    page: &[Found],
    explain: impl Fn(&Found) -> Result<Option<Explanation>>,
) -> Result<Vec<plan::Hit>> {
    let _fetching = context.trace.enter(Phase::Fetch);
    let values = values(context, &plan.functions, page)?;
    let descents = plan.children.iter().map(|children| Descent::open(context, children));
    let descents = descents.collect::<Result<Vec<_>>>()?;
    let show = |(found, values): (&Found, _)| {
        let score = found.score.filter(|_| plan.scores);
        context.allowance.check()?;
        let hit = fetch::hit(context, found, &plan.fields, score, explain(found)?)?;
        let mut children = Vec::new();
        for descent in &descents {
            descend::add(&mut children, descent.below(found)?);
        }
        Ok(plan::Hit { children, values, ..hit })
    };
    page.iter().zip(values).map(show).collect()
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
