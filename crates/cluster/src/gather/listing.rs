//! Which values of a facet shards are asked for next, where they list their most frequent ones first: until
//! nothing that is not listed by all can be on the page. The answer is that of whole lists, to the last
//! count.
//!
//! In: what shards have listed (`plan::partial`), and how far the page reaches; out: the next listing, or
//! none where all is known. A value's count lies between what was listed of it and that plus what every other
//! shard may have kept back. The count that the page's last value has at least is a bar: whoever cannot reach
//! it is out. This is the threshold algorithm of Fagin, Lotem and Naor (2003), in the rounds of Cao and
//! Wang's TPUT (2004): it takes three at most, and one where a shard has few values.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use plan::partial::{ByValue, FieldCounts, Merge, ShardResult, SubFacetPartial, TermsPartial, UnitCount};
use plan::{
    BucketPlan, FacetPlan, FieldFacet, GroupListing, Page, SearchPlan, ShardListing, ShownValues, Value,
};

use crate::finish::values_to_page_end;

/// What one shard has listed.
struct Listed<'p> {
    counts: Vec<(&'p Value, u64)>,
    unlisted_max: u64,
}

/// What is known of the count of one value.
#[derive(Clone, Copy)]
struct Known<'p> {
    value: &'p Value,
    least: u64,
    most: u64,
}

/// What the count of the last value shown is known to be at least, by facet: classic ones, then those of the
/// tree. Of all rounds so far: a later list may lack what an earlier one had.
#[derive(Default)]
pub(super) struct Bars {
    fields: Vec<u64>,
    sub_facets: Vec<u64>,
    /// Of the tree those whose page is known, as a statistic orders it.
    ranked: HashSet<usize>,
}

/// The facets of a plan that shards are asked for again, and nothing else; `None` where all is known. By
/// the same places as in the plan are those that come back put in ([`AskedAgain::put`]).
pub(super) struct AskedAgain {
    fields: Vec<usize>,
    sub_facets: Vec<usize>,
    facets: FacetPlan,
}

impl AskedAgain {
    pub(super) fn of(plan: &FacetPlan, parts: &mut [ShardResult], bars: &mut Bars) -> Option<Self> {
        bars.fields.resize(plan.fields.len(), 1);
        bars.sub_facets.resize(plan.tree.as_ref().map_or(0, |tree| tree.facets.len()), 1);
        if parts.iter().any(|part| part.facets.is_none()) {
            return None;
        }
        let mut again = Self { fields: Vec::new(), sub_facets: Vec::new(), facets: FacetPlan::default() };
        for ((at, facet), bar) in plan.fields.iter().enumerate().zip(&mut bars.fields) {
            let listed: Vec<_> =
                parts.iter().filter_map(|part| field_values(part, at)).map(Listed::of_field).collect();
            if let Some(listing) = facet.shown_values().and_then(|shown| next_listing(shown, &listed, bar)) {
                again.fields.push(at);
                again.facets.fields.push(FieldFacet { listing, ..facet.clone() });
            }
        }
        let mut tree = BucketPlan::default();
        let sub_facets = plan.tree.iter().flat_map(|tree| &tree.facets);
        for ((at, facet), bar) in sub_facets.enumerate().zip(&mut bars.sub_facets) {
            let next = match facet.shown_values() {
                Some(shown) => {
                    let values = parts.iter().filter_map(|part| terms_values(part, at));
                    next_listing(shown, &values.map(Listed::of_terms).collect::<Vec<_>>(), bar)
                }
                None => facet.ranked_by().filter(|_| bars.ranked.insert(at)).and_then(|stat| {
                    let values = parts.iter_mut().filter_map(|part| taken_values(part, at));
                    named(values_to_page_end(facet, stat, values.reduce(Merge::merge)?))
                }),
            };
            if let Some(listing) = next {
                again.sub_facets.push(at);
                tree.facets.push(facet.listing(listing));
            }
        }
        let is_asked = !(again.fields.is_empty() && again.sub_facets.is_empty());
        again.facets.tree = (!again.sub_facets.is_empty()).then_some(tree);
        is_asked.then_some(again)
    }

    /// What a shard is asked: its plan without what it has answered already.
    pub(super) fn plan(&self, plan: &SearchPlan) -> SearchPlan {
        let FacetPlan { enabled, depth, .. } = plan.facets;
        let facets = FacetPlan { enabled, depth, ..self.facets.clone() };
        // The first round has found the page and its scores: none of it would be looked at.
        let shape = plan.shape.listing_groups(|| GroupListing::Named(Arc::from([])));
        SearchPlan { facets, shape, page: Page { start: 0, rows: 0 }, scores: false, ..plan.clone() }
    }

    /// Puts what came back in the place of what it was asked for.
    pub(super) fn put(&self, into: &mut ShardResult, again: ShardResult) {
        let (Some(own), Some(again)) = (&mut into.facets, again.facets) else {
            // Half a count is none.
            (into.facets, into.cut_before) = (None, again.cut_before.or(into.cut_before.take()));
            return;
        };
        for (at, part) in self.fields.iter().zip(again.fields) {
            if let Some(own) = own.fields.get_mut(*at) {
                *own = part;
            }
        }
        let (Some(own), Some(again)) = (&mut own.tree, again.tree) else { return };
        for (at, part) in self.sub_facets.iter().zip(again.facets) {
            if let Some(own) = own.facets.get_mut(*at) {
                *own = part;
            }
        }
    }
}

fn field_values(part: &ShardResult, at: usize) -> Option<&ByValue<UnitCount>> {
    match &part.facets.as_ref()?.fields.get(at)?.counts {
        FieldCounts::Values(values) => Some(values),
        FieldCounts::Named(_) => None,
    }
}

fn terms_values(part: &ShardResult, at: usize) -> Option<&TermsPartial> {
    match part.facets.as_ref()?.tree.as_ref()?.facets.get(at)?.as_ref()? {
        SubFacetPartial::Terms(terms) => Some(terms),
        _ => None,
    }
}

/// What was ranked, without what will be asked for anew.
fn taken_values(part: &mut ShardResult, at: usize) -> Option<TermsPartial> {
    match part.facets.as_mut()?.tree.as_mut()?.facets.get_mut(at)?.as_mut()? {
        SubFacetPartial::Terms(TermsPartial { docs, enumerable, values, .. }) => Some(TermsPartial {
            docs: *docs,
            enumerable: *enumerable,
            values: std::mem::take(values),
            ..TermsPartial::default()
        }),
        _ => None,
    }
}

/// Just these values, if there are any.
fn named(mut values: Vec<Value>) -> Option<ShardListing> {
    values.sort_by(Value::order);
    (!values.is_empty()).then(|| ShardListing::Named(Arc::from(values)))
}

impl<'p> Listed<'p> {
    fn of_field(values: &'p ByValue<UnitCount>) -> Self {
        let counts = values.list.iter().map(|(value, count)| (value, count.count())).collect();
        Self { counts, unlisted_max: values.unlisted_max }
    }

    fn of_terms(terms: &'p TermsPartial) -> Self {
        let counts = terms.values.list.iter().map(|(value, bucket)| (value, bucket.count)).collect();
        Self { counts, unlisted_max: terms.values.unlisted_max }
    }
}

/// What to ask all shards for; `None` where what they have listed is all that is needed. Raises `bar`.
fn next_listing(shown: ShownValues, shards: &[Listed<'_>], bar: &mut u64) -> Option<ShardListing> {
    let unlisted: u64 = shards.iter().map(|shard| shard.unlisted_max).sum();
    if unlisted == 0 {
        return None;
    }
    let mut known = known(shards, unlisted);
    // By what each has for certain: as many as the page reaches to have at least what the last of them has,
    // so the last one shown has no less, whatever else the shards kept back.
    known.sort_by_key(|one| Reverse(one.least));
    let last_shown = known.get(shown.reach.saturating_sub(1)).map_or(0, |one| one.least);
    *bar = last_shown.max(shown.count_min).max(*bar);
    let bar = *bar;
    if unlisted >= bar {
        // One that reaches the bar has its share of it in one of the shards at least.
        let least = bar.div_ceil(shards.len() as u64);
        // Where values are too few for the page, those without any hit may be on it.
        return Some(if least > 1 { ShardListing::Least(least) } else { ShardListing::All });
    }
    // Not above it alone: of equal counts the order of values decides, which no bound knows.
    known.retain(|one| one.most >= bar);
    let exact = known.iter().all(|one| one.least == one.most);
    if exact && !shown.more_than_count {
        return None;
    }
    if exact {
        // What is below a value costs far more than its count: only of those that are shown.
        known.sort_by(|one, other| other.least.cmp(&one.least).then_with(|| one.value.order(other.value)));
        known.truncate(shown.reach);
    }
    named(known.into_iter().map(|one| one.value.clone()).collect())
}

/// Each value that any of the shards has listed; `unlisted` is what all of them may have of any other.
fn known<'p>(shards: &[Listed<'p>], unlisted: u64) -> Vec<Known<'p>> {
    let listed = |shard: &Listed<'p>| {
        let kept_back = unlisted - shard.unlisted_max;
        let known =
            move |(value, count): &(&'p Value, u64)| Known { value, least: *count, most: count + kept_back };
        shard.counts.iter().map(known).collect::<Vec<_>>()
    };
    let mut all: Vec<Known<'p>> = shards.iter().flat_map(listed).collect();
    all.sort_by(|one, other| one.value.order(other.value));
    // Two that name it: what either may have beside its own count the other has in part told.
    all.dedup_by(|next, kept| {
        let same = next.value.order(kept.value).is_eq();
        if same {
            kept.most = (kept.most + next.most).saturating_sub(unlisted);
            kept.least += next.least;
        }
        same
    });
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Counts = BTreeMap<i32, u64>;

    /// What a shard that has these counts lists, as the engine does.
    fn list(counts: &Counts, listing: &ShardListing) -> (Vec<(Value, u64)>, u64) {
        let mut all: Vec<(Value, u64)> =
            counts.iter().map(|(value, count)| (Value::Int(*value), *count)).collect();
        let unlisted_max = match listing {
            ShardListing::All | ShardListing::First(_) | ShardListing::Ranked => 0,
            ShardListing::Leading(wanted) => {
                all.sort_by_key(|(_, count)| Reverse(*count));
                all.truncate(*wanted);
                if all.len() < *wanted { 0 } else { all.last().map_or(0, |(_, count)| *count) }
            }
            ShardListing::Least(least) => {
                all.retain(|(_, count)| count >= least);
                least - 1
            }
            ShardListing::Named(values) => {
                all.retain(|(value, _)| values.contains(value));
                0
            }
        };
        (all, unlisted_max)
    }

    /// What is shown of all that shards have listed in the end, and after how many rounds.
    fn gathered(shown: ShownValues, leading: usize, shards: &[Counts]) -> (Vec<(i32, u64)>, usize) {
        let (mut listing, mut rounds, mut bar) = (ShardListing::Leading(leading), 0, 1);
        loop {
            rounds += 1;
            let lists: Vec<_> = shards.iter().map(|counts| list(counts, &listing)).collect();
            let listed: Vec<Listed<'_>> = lists
                .iter()
                .map(|(list, unlisted_max)| Listed {
                    counts: list.iter().map(|(value, count)| (value, *count)).collect(),
                    unlisted_max: *unlisted_max,
                })
                .collect();
            match next_listing(shown, &listed, &mut bar) {
                Some(next) => listing = next,
                None => return (page(shown, lists.into_iter().flat_map(|(list, _)| list)), rounds),
            }
        }
    }

    fn page(shown: ShownValues, counted: impl Iterator<Item = (Value, u64)>) -> Vec<(i32, u64)> {
        let mut sums = Counts::new();
        for (value, count) in counted {
            if let Value::Int(value) = value {
                *sums.entry(value).or_default() += count;
            }
        }
        let mut page: Vec<_> = sums.into_iter().filter(|(_, count)| *count >= shown.count_min).collect();
        page.sort_by_key(|(_, count)| Reverse(*count));
        page.truncate(shown.reach);
        page
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_shown_is_what_whole_lists_would_show(
            shards in prop::collection::vec(prop::collection::btree_map(0i32..40, 1u64..9, 0..30), 1..8),
            (reach, count_min, leading) in (1usize..12, 0u64..12, 1usize..15),
            more_than_count in any::<bool>(),
        ) {
            let shown = ShownValues { reach, count_min, more_than_count };
            let (found, rounds) = gathered(shown, leading.max(reach), &shards);
            let whole = shards.iter().flat_map(|counts| list(counts, &ShardListing::All).0);
            prop_assert_eq!(found, page(shown, whole));
            prop_assert!(rounds <= 3, "{} rounds", rounds);
        }
    }

    #[test]
    fn few_values_take_one_round_and_even_counts_another() {
        let rounds = |counts: Counts| {
            let shown = ShownValues { reach: 3, count_min: 1, more_than_count: false };
            gathered(shown, 10, &[counts.clone(), counts]).1
        };
        assert_eq!(rounds((0..9).map(|value| (value, 5)).collect()), 1);
        assert_eq!(
            rounds((0..1000i32).map(|value| (value, 1000 / (1 + u64::from(value.unsigned_abs())))).collect()),
            1
        );
        assert_eq!(
            rounds((0..1000i32).map(|value| (value, 1 + u64::from(value.unsigned_abs()) % 7)).collect()),
            2
        );
    }
}
