//! One search from plan to the shard's part of the result: what restricts, what scores, which hits come
//! first, what is counted of all. Hits are references; `fetch` shows those that the page turns out to have.
//!
//! Here is decided which way a search goes: whether all hits are found first, since facets, groups or a sort
//! read them, or the best are collected with most hits never looked at. Where the allowance is used up on the
//! way, the part says before which component it was cut.

use std::sync::Arc;

use meter::Phase;
use plan::partial::{GroupsPartial, HeadsStep, HitRef, RankedHits, ShardResult};
use plan::{Component, CutDepth, Result, SearchPlan, SortBy, SortKey};

use super::collect::{self};
use super::context::Masks;
use super::grouping::{self, Collapser};
use super::lower::{lower_scored, lower_unscored};
use super::mask::{self, PreparedFilter};
use super::node::Node;
use super::restrictions::split;
use super::result_cache::{KeptResult, ResultLookup};
use super::rounds::Rounds;
use super::scores::fill_scores;
use super::terms::{Count, Direct};
use super::{facet, rerank};
use crate::search::collect::best::Best;
use crate::search::context::SearchContext;
use crate::segment::bits::Bits;

/// `lookup` is by what the result may be kept.
pub(super) fn search(
    context: &SearchContext<'_>,
    (plan, rounds): (&SearchPlan, &Rounds),
    lookup: Option<&ResultLookup<'_>>,
) -> Result<ShardResult> {
    if let Some(kept) = lookup.and_then(|lookup| context.caches.results.get(lookup)) {
        return Ok(kept.result(plan));
    }
    let result = searched(context, plan, rounds)?;
    // What was cut short, or not counted to its end, is right for this request's bounds and for no other.
    if let Some(lookup) = lookup.filter(|_| result.total_exact && result.cut_before.is_none()) {
        context.caches.results.insert(lookup, KeptResult::of(plan, &result));
    }
    Ok(result)
}

fn searched(context: &SearchContext<'_>, plan: &SearchPlan, rounds: &Rounds) -> Result<ShardResult> {
    let by_score = SortKey::are_by_score(&plan.sort);
    let scored = by_score
        || plan.scores
        || plan.explain
        || plan.shape.rerank.is_some()
        || plan.orders().any(|key| key.by == SortBy::Score);
    let (node, filters) = prepared(context, plan, scored)?;
    let mut round = rounds.before(plan);
    // Hits are all that filters and collapses have left: as masks they leave the same, and cost nothing.
    let masks = match &round {
        Some(round) => round.hits.iter().cloned().map(Some).collect(),
        None => collapsed(context, plan, &node, mask::masks(context, filters.iter())?)?,
    };
    let run = Run { context, plan, node: &node, masks: &masks };
    let reads_hits = plan.facets.reads_hits() || !by_score || plan.shape.groups.is_some();
    let hits = match &round {
        Some(round) => Some(round.hits.clone()),
        None if reads_hits => Some(mask::hits(context, &node, &masks)?),
        None => None,
    };
    let (found, count) = run.found_and_count(by_score, hits.as_deref())?;
    let whole = !context.allowance.is_used_up();
    if let (Some(hits), None, true) = (&hits, &round, whole && plan.may_be_asked_again()) {
        round = Some(rounds.begin(plan, hits));
    }
    let facets = match &hits {
        Some(hits) if whole && plan.facets.reads_hits() => {
            let searched = facet::Searched { node: &node, filters: &filters, plan, round: round.as_deref() };
            let _counting = context.trace.enter(Phase::Facet);
            Some(facet::count(context, &plan.facets, &searched, hits)?)
        }
        _ => None,
    };
    // Half a count is none.
    let cut = context.allowance.is_used_up().then_some(Component::Facet);
    let score_max = run.score_max(by_score, &found, hits.as_deref())?;
    Ok(ShardResult {
        total: count.total,
        total_exact: count.exact && whole,
        score_max,
        hits: RankedHits { limit: run.wanted(), list: run.scored(found)? },
        facets: facets.filter(|_| cut.is_none()),
        groups: run.grouped(hits.as_deref())?,
        cut_before: cut.or_else(|| context.allowance.is_used_up().then_some(Component::Expand)),
    })
}

/// What matches, and what restricts it.
fn prepared(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    scored: bool,
) -> Result<(Node, Vec<PreparedFilter>)> {
    let node =
        if scored { lower_scored(context, &plan.query)? } else { lower_unscored(context, &plan.query)? };
    let prepare = |filter| PreparedFilter::prepare(context, filter);
    let mut filters = plan.filters.iter().map(prepare).collect::<Result<Vec<_>>>()?;
    let (node, _) = split(node, &mut filters);
    // What moved there is the query's still, and left out with it.
    filters.iter_mut().skip(plan.filters.len()).for_each(|moved| moved.tags.clone_from(&plan.query_tags));
    Ok((node, filters))
}

/// The best hits of this snapshot in the groups of a step, for a choice among those of all shards.
pub(super) fn heads(
    context: &SearchContext<'_>,
    plan: &SearchPlan,
    step: &HeadsStep,
) -> Result<GroupsPartial> {
    let by_score = plan.orders().any(|key| key.by == SortBy::Score);
    let (node, filters) = prepared(context, plan, by_score)?;
    let searched = facet::Searched { node: &node, filters: &filters, plan, round: None };
    let hits = facet::hits_without(context, &searched, &step.without_tags)?;
    grouping::named_heads(context, (plan, step), (&node, hits))
}

struct Run<'a> {
    context: &'a SearchContext<'a>,
    plan: &'a SearchPlan,
    node: &'a Node,
    masks: &'a Masks,
}

impl Run<'_> {
    fn found_and_count(&self, by_score: bool, hits: Option<&[Arc<Bits>]>) -> Result<(Vec<HitRef>, Count)> {
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

    /// Hits with the scores that the plan wants, and where it wants a second opinion that too: it is asked of
    /// each shard's first hits, which hold the first of all, and heeded above.
    fn scored(&self, mut found: Vec<HitRef>) -> Result<Vec<HitRef>> {
        let Some(rerank) = &self.plan.shape.rerank else {
            let shown = found.get_mut(self.first_shown(self.plan.page.start)..).unwrap_or_default();
            self.fill_scores(shown.iter_mut())?;
            return Ok(found);
        };
        fill_scores(self.context, self.node, found.iter_mut())?;
        rerank::fill_second_scores(self.context, rerank, &mut found)?;
        Ok(found)
    }

    fn fill_scores<'h>(&self, hits: impl Iterator<Item = &'h mut HitRef>) -> Result<()> {
        if !self.plan.scores {
            return Ok(());
        }
        fill_scores(self.context, self.node, hits)
    }

    /// Where what is shown begins: one shard's hits before the page are not, those of many may be.
    fn first_shown(&self, start: usize) -> usize {
        match self.plan.facets.depth {
            CutDepth::Page => start,
            CutDepth::Whole => 0,
        }
    }

    /// The hits up to the end of the page, in the order asked for.
    fn sorted(&self, hits: &[Arc<Bits>], total: u64) -> Result<Vec<HitRef>> {
        let limit = self.wanted().min(usize::try_from(total).unwrap_or(usize::MAX));
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mark = self.plan.shape.cursor.as_ref().and_then(|cursor| cursor.after.as_ref());
        collect::sorted(self.context, self.node, hits, (&self.plan.sort, mark), limit)
    }

    /// The `wanted` hits of the best scores, best first; `hits` are all, where they are known.
    fn best(&self, wanted: usize, hits: Option<&[Arc<Bits>]>) -> Result<Vec<HitRef>> {
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
            return Ok(best.into_hits());
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
    fn best_and_count(&self, wanted: usize) -> Result<(Vec<HitRef>, Count)> {
        if let Some((found, total)) = collect::first_and_count(self.context, self.node, self.masks, wanted)? {
            return Ok((found, Count::exact(total)));
        }
        if let Some(direct) = Direct::of(self.node) {
            let mut best = Best::new(wanted, &self.context.allowance);
            // Without a page there is nothing but the count.
            let enough = self.plan.count_enough.filter(|_| wanted > 0);
            let count = direct.collect(self.context, self.masks, &mut best, enough)?;
            return Ok((best.into_hits(), count));
        }
        let hits = mask::hits(self.context, self.node, self.masks)?;
        Ok((collect::top_k(self.context, self.node, &hits, wanted)?, Count::exact(total(&hits))))
    }

    fn grouped(&self, hits: Option<&[Arc<Bits>]>) -> Result<Vec<GroupsPartial>> {
        let (Some(groups), Some(hits)) = (&self.plan.shape.groups, hits) else { return Ok(Vec::new()) };
        let mut grouped = grouping::grouped(self.context, self.plan, groups, (self.node, hits))?;
        for (one, found) in groups.by.iter().zip(&mut grouped) {
            let lists = found.values.list.iter_mut().map(|(_, group)| group).chain(&mut found.without);
            let start = self.first_shown(one.within.start);
            self.fill_scores(lists.flat_map(|group| group.hits.list.iter_mut().skip(start)))?;
        }
        Ok(grouped)
    }

    fn score_max(&self, by_score: bool, found: &[HitRef], hits: Option<&[Arc<Bits>]>) -> Result<Option<f32>> {
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
}

fn total(hits: &[Arc<Bits>]) -> u64 {
    hits.iter().map(|bits| u64::from(bits.count())).sum()
}

/// The documents allowed, of which only those stay that collapsing keeps.
fn collapsed(context: &SearchContext<'_>, plan: &SearchPlan, node: &Node, masks: Masks) -> Result<Masks> {
    if plan.shape.collapses.is_empty() {
        return Ok(masks);
    }
    let hits = mask::hits(context, node, &masks)?;
    Ok(Collapser(plan).without(&[], context, node, hits)?.into_iter().map(Some).collect())
}
