//! A search over shards: each is asked for its part, the parts merge, the result is finished once, and what
//! the page turns out to show is fetched from the shards that have it. The first step, which is most of the
//! work, is done side by side where there are several; each shard's steps go by one pin. One shard is a merge
//! of one: there is no second way.

mod listing;
mod members;

use std::collections::HashSet;
use std::sync::Arc;

use meter::Meters;
use plan::partial::{
    ChosenHeads, ExpandRequest, FetchRequest, Fetched, GroupsPartial, HitRef, Merge, SearchStatistics,
    ShardResult,
};
use plan::{Component, Error, ExpandPlan, Group, Result, SearchPlan, SearchResult, ShardFound, Value};

use crate::finish::{finish_expanded, finish_search};
use crate::offload;
use crate::shard::{ShardSnapshot, ShardStep, call_shard};
use listing::{AskedAgain, Bars};
use members::MembersAsked;

/// Shards by their numbers, which hits name.
type Pins<'a> = &'a [Arc<dyn ShardSnapshot + 'a>];

/// What shards are asked: all of a collection the same, those of several collections each by its own schema.
#[derive(Clone, Copy)]
pub(crate) enum Plans<'a> {
    Alike(&'a SearchPlan),
    /// One for each shard.
    Each(&'a [Arc<SearchPlan>]),
}

impl<'a> Plans<'a> {
    /// Those that differ; there is one at least.
    fn distinct(self) -> Vec<&'a SearchPlan> {
        match self {
            Self::Alike(plan) => vec![plan],
            Self::Each(plans) => plans.iter().map(|plan| &**plan).collect(),
        }
    }
}

/// What `plan` finds in all of these shards together, one after the other. Blocks.
pub fn search_shards(pins: Pins<'_>, plan: &SearchPlan, meters: &Meters) -> Result<SearchResult> {
    searched(&InTurn(pins), pins, Plans::Alike(plan), meters)
}

/// The same, shards side by side where threads are free.
pub(crate) fn search_side_by_side(
    pins: &[Arc<dyn ShardSnapshot>],
    plans: Plans<'_>,
    meters: &Meters,
) -> Result<SearchResult> {
    searched(&SideBySide(pins), pins, plans, meters)
}

/// How each of several shards is asked, by its own plan; answers are in their order.
trait AskEach {
    fn ask_each<T: Send + 'static>(
        &self,
        step: ShardStep,
        plans: &[Arc<SearchPlan>],
        meters: &Meters,
        ask: impl Fn(&dyn ShardSnapshot, &SearchPlan, &Meters) -> Result<T> + Clone + Send + 'static,
    ) -> Result<Vec<T>>;
}

struct InTurn<'a>(Pins<'a>);

impl AskEach for InTurn<'_> {
    fn ask_each<T>(
        &self,
        step: ShardStep,
        plans: &[Arc<SearchPlan>],
        meters: &Meters,
        ask: impl Fn(&dyn ShardSnapshot, &SearchPlan, &Meters) -> Result<T>,
    ) -> Result<Vec<T>> {
        let asked = (0..).zip(self.0).zip(plans);
        let call = |((number, pin), plan): ((u32, &Arc<dyn ShardSnapshot + '_>), &Arc<SearchPlan>)| {
            call_shard(step, number, || ask(&**pin, plan, meters))
        };
        asked.map(call).collect()
    }
}

struct SideBySide<'a>(&'a [Arc<dyn ShardSnapshot>]);

impl AskEach for SideBySide<'_> {
    fn ask_each<T: Send + 'static>(
        &self,
        step: ShardStep,
        plans: &[Arc<SearchPlan>],
        meters: &Meters,
        ask: impl Fn(&dyn ShardSnapshot, &SearchPlan, &Meters) -> Result<T> + Clone + Send + 'static,
    ) -> Result<Vec<T>> {
        let job = |((number, pin), plan): ((u32, &Arc<dyn ShardSnapshot>), &Arc<SearchPlan>)| {
            let (pin, plan, meters, ask) = (pin.clone(), plan.clone(), meters.clone(), ask.clone());
            move || call_shard(step, number, || ask(&*pin, &plan, &meters))
        };
        offload::side_by_side((0..).zip(self.0).zip(plans).map(job).collect())?.into_iter().collect()
    }
}

fn searched(
    shards: &impl AskEach,
    pins: Pins<'_>,
    plans: Plans<'_>,
    meters: &Meters,
) -> Result<SearchResult> {
    // One that is alone gets the plan as it is: a copy would be most of what a short search takes.
    if let ([only], Plans::Alike(plan)) = (pins, plans) {
        let found = call_shard(ShardStep::Search, 0, || only.search(plan, meters))?;
        return finished(pins, &[plan], found, meters);
    }
    let (plans, soon_done) = plans_of_many(pins, plans, meters)?;
    // A search is ready by the time that another thread would have begun.
    if soon_done {
        return searched_by(&InTurn(pins), pins, plans, meters);
    }
    searched_by(shards, pins, plans, meters)
}

/// The steps of a search, by plans as shards get them that are not alone.
fn searched_by(
    shards: &impl AskEach,
    pins: Pins<'_>,
    plans: Vec<Arc<SearchPlan>>,
    meters: &Meters,
) -> Result<SearchResult> {
    let plans = with_heads(shards, plans, meters)?;
    let timed = |pin: &dyn ShardSnapshot, plan: &SearchPlan, meters: &Meters| {
        let begun_ms = meters.allowance.elapsed_ms();
        let part = pin.search(plan, meters)?;
        Ok((part, meters.allowance.elapsed_ms().saturating_sub(begun_ms)))
    };
    let parts = shards.ask_each(ShardStep::Search, &plans, meters, timed)?;
    let found = |(part, elapsed_ms): &(ShardResult, u64)| {
        let ShardResult { total, total_exact, score_max, .. } = *part;
        ShardFound { total, total_exact, score_max, elapsed_ms: *elapsed_ms }
    };
    let by_shard = parts.iter().map(found).collect();
    let mut parts: Vec<ShardResult> = parts.into_iter().map(|(part, _)| part).collect();
    list_what_is_shown(shards, &plans, &mut parts, meters)?;
    let mut merged = merged_parts(parts);
    if let Some((plan, asked)) = plans.first().and_then(|plan| Some((plan, MembersAsked::of(plan, &merged)?)))
    {
        let plans: Vec<_> = plans.iter().map(|plan| Arc::new(asked.plan(plan))).collect();
        let search = |pin: &dyn ShardSnapshot, plan: &SearchPlan, meters: &Meters| pin.search(plan, meters);
        let parts = shards.ask_each(ShardStep::Members, &plans, meters, search)?;
        asked.put(plan, &mut merged, merged_parts(parts));
    }
    // By the same plans: explanations and snippets of the second step go by their statistics too.
    let plans: Vec<&SearchPlan> = plans.iter().map(|plan| &**plan).collect();
    Ok(SearchResult { by_shard, ..finished(pins, &plans, merged, meters)? })
}

/// Asks for values of facets again, until no shard has kept back what may be on the page.
fn list_what_is_shown(
    shards: &impl AskEach,
    plans: &[Arc<SearchPlan>],
    parts: &mut [ShardResult],
    meters: &Meters,
) -> Result<()> {
    let Some(plan) = plans.first() else { return Ok(()) };
    let mut bars = Bars::default();
    while let Some(again) = AskedAgain::of(&plan.facets, parts, &mut bars) {
        let asked: Vec<_> = plans.iter().map(|plan| Arc::new(again.plan(plan))).collect();
        let search = |pin: &dyn ShardSnapshot, plan: &SearchPlan, meters: &Meters| pin.search(plan, meters);
        let found = shards.ask_each(ShardStep::Facets, &asked, meters, search)?;
        parts.iter_mut().zip(found).for_each(|(part, found)| again.put(part, found));
    }
    Ok(())
}

/// The plans, each with the hits of its shard that are the best of their groups in all shards, where the plan
/// leaves only these.
fn with_heads(
    shards: &impl AskEach,
    mut plans: Vec<Arc<SearchPlan>>,
    meters: &Meters,
) -> Result<Vec<Arc<SearchPlan>>> {
    for step in plans.first().map(|plan| plan.heads_steps()).unwrap_or_default() {
        let asked = step.clone();
        let heads = move |pin: &dyn ShardSnapshot, plan: &SearchPlan, meters: &Meters| {
            pin.heads(plan, &asked, meters)
        };
        let parts = shards.ask_each(ShardStep::Heads, &plans, meters, heads)?;
        let named = (0..).zip(parts).map(|(number, part)| part.of_shard(number));
        let all = named.reduce(GroupsPartial::merge);
        // Handed back as documents of the pinned snapshots: no shard has to compare values of another's.
        let mut chosen = vec![Vec::new(); plans.len()];
        for head in all.iter().flat_map(GroupsPartial::heads) {
            if let Some(own) = chosen.get_mut(head.shard as usize) {
                own.push((head.segment, head.doc));
            }
        }
        // The next step chooses among what this one leaves, so it goes along from here on.
        for (plan, documents) in plans.iter_mut().zip(chosen) {
            Arc::make_mut(plan).heads.push(ChosenHeads { step: step.clone(), documents });
        }
    }
    Ok(plans)
}

/// What is asked of each, as one: the parts merge in the order of who is asked; `None` where nobody is.
pub(crate) fn gather_parts<A, T: Merge>(
    asked: impl IntoIterator<Item = A>,
    ask: impl FnMut(A) -> Result<T>,
) -> Result<Option<T>> {
    let parts = asked.into_iter().map(ask);
    parts.reduce(|merged, part| Ok(merged?.merge(part?))).transpose()
}

/// The plans as shards get them that are not alone, one for each: they score by what all of them count. And
/// whether they are done before another thread would wake.
pub(crate) fn plans_of_many(
    pins: Pins<'_>,
    plans: Plans<'_>,
    meters: &Meters,
) -> Result<(Vec<Arc<SearchPlan>>, bool)> {
    let mut distinct: Vec<SearchPlan> =
        plans.distinct().into_iter().map(SearchPlan::for_several_shards).collect();
    let needs_counts = distinct.iter().any(SearchPlan::needs_statistics);
    let counted = match needs_counts || distinct.iter().all(SearchPlan::may_be_soon_done) {
        true => statistics(pins.iter().zip(distinct.iter().cycle()), meters)?.map(Arc::new),
        false => None,
    };
    let soon_done =
        counted.as_ref().is_some_and(|counted| distinct.iter().all(|plan| plan.is_soon_done(counted)));
    if needs_counts {
        distinct.iter_mut().for_each(|plan| plan.statistics.clone_from(&counted));
    }
    let distinct: Vec<Arc<SearchPlan>> = distinct.into_iter().map(Arc::new).collect();
    Ok((distinct.iter().cycle().take(pins.len()).cloned().collect(), soon_done))
}

/// What the scores of a search depend on in all shards together. One is asked after the other: it is a look
/// into dictionaries, less work than it takes to wake a thread.
pub(crate) fn statistics<'s>(
    asked: impl IntoIterator<Item = (&'s Arc<dyn ShardSnapshot + 's>, &'s SearchPlan)>,
    meters: &Meters,
) -> Result<Option<SearchStatistics>> {
    gather_parts(asked, |(pin, plan)| pin.statistics(plan, meters))
}

/// The parts of all shards, in their order, as one.
fn merged_parts(parts: Vec<ShardResult>) -> ShardResult {
    let named = (0..).zip(parts).map(|(number, part)| part.of_shard(number));
    let none = || ShardResult { total_exact: true, ..ShardResult::default() };
    named.reduce(ShardResult::merge).unwrap_or_else(none)
}

/// The result of what all shards counted, with what its page shows; `plans` are one for each shard.
fn finished(
    pins: Pins<'_>,
    plans: &[&SearchPlan],
    merged: ShardResult,
    meters: &Meters,
) -> Result<SearchResult> {
    // Without shards there is nothing to finish, and nothing is asked.
    let Some(plan) = plans.first() else {
        return Ok(SearchResult { total_exact: true, ..SearchResult::default() });
    };
    let mut found = finish_search(plan, merged);
    if let Some(expand) = &plan.shape.expand {
        found.shape.expanded = expanded(pins, (plans, expand), &found.hits, meters)?;
        if found.cut_before.is_none() && meters.allowance.is_used_up() {
            found.cut_before = Some(Component::Expand);
        }
    }
    let mut shown = fetched(pins, plans, found, meters)?;
    let cut = plan.highlight.is_some() && meters.allowance.was_used_up();
    if cut && shown.cut_before != Some(Component::Facet) {
        shown.cut_before = Some(Component::Highlight);
    }
    Ok(shown)
}

/// Of the groups of `page` the members that it does not show. Only the shards that have a hit can say to
/// which group it belongs; any shard may have others of the group.
fn expanded(
    pins: Pins<'_>,
    (plans, expand): (&[&SearchPlan], &ExpandPlan),
    page: &[HitRef],
    meters: &Meters,
) -> Result<Vec<Group<HitRef>>> {
    let by_shard = by_shard(pins, page.iter());
    let mut groups = Vec::with_capacity(pins.len());
    for (((number, pin), plan), hits) in (0..).zip(pins).zip(plans).zip(&by_shard) {
        let call = || pin.group_values(plan, hits, meters);
        groups.push(call_shard(ShardStep::GroupValues, number, call)?.into_iter());
    }
    let (mut values, mut known): (Vec<Option<Value>>, HashSet<Option<String>>) = Default::default();
    for hit in page {
        let value = groups.get_mut(hit.shard as usize).and_then(Iterator::next).flatten();
        let is_wanted = expand.nulls || value.is_some();
        // By its text, which within one field is as distinct as the value; a real has no hash.
        if is_wanted && known.insert(value.as_ref().map(Value::to_text)) {
            values.push(value);
        }
    }
    let asked = (0..).zip(pins).zip(plans).zip(&by_shard);
    let merged = gather_parts(asked, |(((number, pin), plan), page)| {
        let call = || pin.expand(plan, &ExpandRequest { values: &values, page }, meters);
        let mut groups = call_shard(ShardStep::Expand, number, call)?;
        groups.iter_mut().for_each(|group| group.hits.name_shard(number));
        Ok(groups)
    })?;
    let first = plans.first().map(|plan| finish_expanded(plan, values, merged.unwrap_or_default()));
    Ok(first.unwrap_or_default())
}

/// The result with its hits as they are shown.
fn fetched(
    pins: Pins<'_>,
    plans: &[&SearchPlan],
    mut found: SearchResult<HitRef>,
    meters: &Meters,
) -> Result<SearchResult> {
    let highlights = plans.first().is_some_and(|plan| plan.highlight.is_some());
    let highlight = highlights && found.cut_before.is_none();
    let (shown, others) = (by_shard(pins, found.shown()), by_shard(pins, found.expanded()));
    let (mut hits, mut highlights) = (Vec::with_capacity(pins.len()), Vec::with_capacity(pins.len()));
    let asked = (0..).zip(pins).zip(plans).zip(shown.iter().zip(&others));
    for (((number, pin), plan), (hits_here, expanded)) in asked {
        let request = FetchRequest { hits: hits_here, expanded, highlight };
        // One is asked even for nothing: it finds what is wrong with the plan.
        let is_asked = number == 0 || !hits_here.is_empty() || !expanded.is_empty();
        let call = || pin.fetch(plan, &request, meters);
        let mut fetched =
            if is_asked { call_shard(ShardStep::Fetch, number, call)? } else { Fetched::default() };
        fetched.hits.extend(fetched.expanded);
        hits.push(fetched.hits.into_iter());
        highlights.push(fetched.highlights.into_iter());
    }
    let of_hit = |hit: &HitRef| highlights.get_mut(hit.shard as usize).and_then(Iterator::next);
    found.highlights = if highlight { found.shown().filter_map(of_hit).collect() } else { Vec::new() };
    found.try_map(|hit| {
        let next = hits.get_mut(hit.shard as usize).and_then(Iterator::next);
        let fetched =
            next.ok_or_else(|| Error::internal("a shard fetched fewer hits than it was asked for"))?;
        Ok(plan::Hit { shard: hit.shard, ..fetched })
    })
}

/// The hits of each shard, in their order.
fn by_shard<'a>(pins: Pins<'_>, hits: impl Iterator<Item = &'a HitRef>) -> Vec<Vec<&'a HitRef>> {
    let mut by_shard = vec![Vec::new(); pins.len()];
    for hit in hits {
        if let Some(own) = by_shard.get_mut(hit.shard as usize) {
            own.push(hit);
        }
    }
    by_shard
}

#[cfg(test)]
mod tests {
    use plan::{Document, FieldSelection, Page, Query};

    use super::*;
    use crate::memory::MemorySnapshot;

    fn shard(ids: &[&str]) -> Arc<dyn ShardSnapshot> {
        let document = |id: &&str| {
            let fields = vec![("id".into(), vec![Value::Str((*id).to_owned())])];
            ((*id).to_owned(), Document { fields })
        };
        Arc::new(MemorySnapshot::of(ids.iter().map(document).collect()))
    }

    fn shown(pins: Pins<'_>, page: Page) -> (u64, Vec<(String, Document)>) {
        let fields = FieldSelection::everything();
        let plan = SearchPlan { page, fields, scores: true, ..SearchPlan::count(Query::All) };
        let found = search_shards(pins, &plan, &Meters::default()).unwrap();
        assert_eq!((found.total_exact, found.cut_before), (true, None));
        (found.total, found.hits.into_iter().map(|hit| (hit.id, hit.document)).collect())
    }

    #[test]
    fn a_page_is_of_all_shards() {
        let one = [shard(&["a", "b", "c", "d", "e", "f", "g"])];
        let many = [shard(&["a", "b"]), shard(&[]), shard(&["c"]), shard(&["d", "e", "f", "g"])];
        for (start, rows) in (0..8).flat_map(|start| (0..8).map(move |rows| (start, rows))) {
            let page = Page { start, rows };
            assert_eq!(shown(&many, page), shown(&one, page), "{page:?}");
        }
        let (total, hits) = shown(&many, Page { start: 1, rows: 3 });
        assert_eq!((total, hits.len(), hits[1].0.as_str()), (7, 3, "c"));
    }

    #[test]
    fn no_shards_have_nothing() {
        assert_eq!(shown(&[], Page { start: 0, rows: 10 }), (0, vec![]));
    }
}
