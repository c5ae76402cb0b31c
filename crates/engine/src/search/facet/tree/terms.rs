//! A bucket for each value of a field: counted, chosen, and only the chosen ones looked into. Where a
//! statistic decides which are chosen, it alone is computed of all.
//!
//! In: the documents of the bucket above and the facet made ready (`open`); out: buckets in the order of
//! their values, with what was left out before and behind the page. Where several shards are asked nothing is
//! cut: the page is chosen above them.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use plan::partial::{BucketPartial, ByValue, LeftOut, TermsPartial};
use plan::{
    CutDepth, DomainChange, FieldClass, Prelim, Query, Result, ShardListing, TermsFacet, TermsSort, Value,
};
use tantivy::schema::Field;

use super::below::{BucketsBelow, TreeContext};
use super::docs::{BucketDocs, Placed};
use super::every_value::{Counts, OfEvery, asked_of_every_value};
use super::first::first;
use super::from_postings;
use super::keys::{KeyColumn, Keys, NumberForm};
use super::path::{Path, PathTo, Step};
use super::rank::StatRank;
use super::related::Slots;
use super::summary::{OpenStats, Summary, fill_stats};
use crate::layout::FieldLayout;
use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;
use crate::search::key_table::KeyTable;
use crate::search::lower::exists_docs;
use crate::segment::bits::Bits;

pub(super) struct OpenTerms<'p> {
    plan: &'p TermsFacet,
    domain: &'p DomainChange,
    /// `None` where no document has the field.
    column: Option<KeyColumn>,
    /// Where each value of the column is found by a term.
    terms: Option<Field>,
    /// The keys that may have a bucket.
    keys: Range<u64>,
    /// The documents with a value, where those without are asked for.
    with_value: Option<Domain>,
}

/// A key and how many documents have it.
type Counted = (u64, u64);

impl<'p> OpenTerms<'p> {
    pub(super) fn open(
        context: &SearchContext<'_>,
        (plan, domain): (&'p TermsFacet, &'p DomainChange),
    ) -> Result<Self> {
        let layout = context.layout.field(&plan.field);
        let column = |layout: &Arc<FieldLayout>| match layout.spec.properties.uninvertible {
            true => KeyColumn::with_words(context, layout),
            false => KeyColumn::open(context, layout),
        };
        let column = layout.map(column).transpose()?.flatten();
        let terms = layout.and_then(|layout| from_postings::terms_of_values(layout));
        let keys = match (&column, &plan.prefix) {
            (Some(KeyColumn::Strings(strings)), Some(prefix)) => strings.with_prefix(prefix)?,
            _ => 0..u64::MAX,
        };
        let with_value = match layout.filter(|_| plan.missing) {
            Some(layout) => {
                let segments = context.segments.iter();
                let docs = segments.map(|segment| Ok(Arc::new(exists_docs(segment.view, layout)?)));
                Some(docs.collect::<Result<_>>()?)
            }
            None => None,
        };
        Ok(Self { plan, domain, column, terms, keys, with_value })
    }

    pub(super) fn cut(
        &self,
        tree: TreeContext<'_>,
        below: &dyn BucketsBelow,
        docs: &BucketDocs<'_>,
        path: Option<&Path<'_>>,
    ) -> Result<TermsPartial> {
        let enumerable = self.column.as_ref().is_some_and(is_enumerable);
        let mut found = TermsPartial { docs: docs.count(), enumerable, ..TermsPartial::default() };
        let beside = |docs: &BucketDocs<'_>, step: Step<'_>| {
            below.bucket(tree, docs, PathTo::by(&Path { above: path, step }))
        };
        if self.plan.missing {
            let without = self.with_value.as_ref().map(|with_value| docs.restricted(with_value, false));
            found.missing = Some(beside(without.as_ref().unwrap_or(docs), Step::Missing(&self.plan.field))?);
        }
        if tree.is_whole() && below.needs().adds_to_absent {
            // What is computed of any bucket whose value no document of this shard has.
            let absent = beside(&docs.emptied(), Step::Query(&Query::Nothing))?;
            found.values.absent = Some(Box::new(absent));
        }
        let hopeless = !tree.is_whole() && enumerable && found.docs < self.plan.count_min;
        let Some(column) = self.column.as_ref().filter(|_| !hopeless) else {
            let all =
                self.plan.all_buckets.then(|| all_buckets(below.stats(), 0, &Placed::default(), tree.depth));
            found.all_buckets = all.transpose()?;
            return Ok(found);
        };
        let cutting = Cutting { terms: self, column, docs, below, context: tree.context, path };
        let counts = cutting.counts(tree)?;
        let table = &*counts.table;
        if self.plan.all_buckets {
            found.all_buckets = Some(cutting.all_buckets(table, tree.depth)?);
        }
        let candidates = self.plan.num_buckets.then(|| cutting.candidates(table).count() as u64);
        let (chosen, before) = match tree.depth {
            CutDepth::Page => cutting.chosen(&counts)?,
            CutDepth::Whole => (cutting.listed(table, &mut found.values.unlisted_max)?, 0),
        };
        let others = candidates.unwrap_or_default().saturating_sub(before + chosen.len() as u64);
        let list = match (&self.plan.listing, found.values.unlisted_max) {
            (ShardListing::Ranked, _) => cutting.ranked(tree, &chosen, &counts)?,
            (_, 0) => cutting.looked_into(tree, &chosen, &counts)?,
            // Which of them are shown is not known yet.
            _ => cutting.counted(tree, &chosen, 1)?,
        };
        let left_out = LeftOut { before, others: if tree.is_whole() { 0 } else { others } };
        found.values = ByValue { list, left_out, ..found.values };
        Ok(found)
    }
}

/// Whether all values there are can be listed: strings and truths. With fewer documents than a bucket needs,
/// Solr does not look at these at all: they count for no statistic of all buckets either.
fn is_enumerable(column: &KeyColumn) -> bool {
    matches!(column, KeyColumn::Strings(_) | KeyColumn::Numbers(NumberForm::Of(FieldClass::Bool), ..))
}

/// One bucket being cut.
struct Cutting<'a> {
    terms: &'a OpenTerms<'a>,
    column: &'a KeyColumn,
    docs: &'a BucketDocs<'a>,
    below: &'a dyn BucketsBelow,
    context: &'a SearchContext<'a>,
    path: Option<&'a Path<'a>>,
}

impl<'a> Cutting<'a> {
    /// The values with how many documents each has, and what is summed up of every one of them.
    fn counts(&self, tree: TreeContext<'_>) -> Result<Counts<'a>> {
        let cut = (self.column, self.docs);
        let Some(only) = asked_of_every_value(self.terms.plan, cut, self.below, tree.depth) else {
            return Ok(Counts { table: self.known_or_counted(tree), of_every: None });
        };
        // Of hits a shorter way knows them: what all documents have, less those that are no hits.
        let known = self.is_kept(tree) || matches!(self.docs, BucketDocs::Hits(_));
        let new = || KeyTable::new(self.column.cardinality(), self.docs.count());
        let mut own = (!known).then(new);
        let summed_up = (self.below.stats(), only);
        let of_every = OfEvery::of(cut, summed_up, own.as_mut(), &self.context.allowance)?;
        let table = own.map_or_else(|| self.known_or_counted(tree), Arc::new);
        Ok(Counts { table, of_every: Some(of_every) })
    }

    /// Whether counts are kept for later rounds. Only an outermost facet keeps back what is asked for later;
    /// those below are all alike to a round.
    fn is_kept(&self, tree: TreeContext<'_>) -> bool {
        tree.searched.round.is_some() && self.terms.plan.listing != ShardListing::All
    }

    fn known_or_counted(&self, tree: TreeContext<'_>) -> Arc<KeyTable> {
        let OpenTerms { plan, domain, .. } = self.terms;
        match tree.searched.round.filter(|_| self.is_kept(tree)) {
            Some(round) => round.counts((domain, &plan.field), || self.count()),
            None => Arc::new(self.count()),
        }
    }

    fn count(&self) -> KeyTable {
        let mut table = KeyTable::new(self.column.cardinality(), self.docs.count());
        if let (KeyTable::Dense(_), KeyColumn::Strings(strings), BucketDocs::Hits(hits)) =
            (&table, self.column, self.docs)
        {
            return KeyTable::Dense(strings.counts(hits));
        }
        self.each(self.docs, |_, _, key| table.count(key));
        table
    }

    /// Calls `take` with (segment, document, key) for each distinct value of each document.
    fn each(&self, docs: &BucketDocs<'_>, mut take: impl FnMut(usize, u32, u64)) {
        let mut keys = Keys::default();
        for segment in 0..docs.segments() {
            docs.each_batch(segment, &self.context.allowance, |docs| {
                self.column.read(segment, docs, true, &mut keys);
                keys.each(docs, |doc, key| take(segment, doc, key));
            });
        }
    }

    /// What may have a bucket, however few documents it needs.
    fn candidates<'t>(&self, table: &'t KeyTable) -> Box<dyn Iterator<Item = Counted> + 't> {
        let keys = &self.terms.keys;
        if self.terms.plan.count_min == 0 {
            let known = self.column.known_keys();
            let known = known.start.max(keys.start)..known.end.min(keys.end);
            return Box::new(known.map(|key| (key, u64::from(table.count_of(key)))));
        }
        Box::new(table.counted(keys).map(|(key, count)| (key, u64::from(count))))
    }

    /// What has a bucket.
    fn with_documents_enough<'t>(&self, table: &'t KeyTable) -> impl Iterator<Item = Counted> + use<'t> {
        let least = self.terms.plan.count_min;
        self.candidates(table).filter(move |(_, count)| *count >= least)
    }

    /// What this shard lists beside others, in the order of values; `unlisted_max` comes to what it leaves
    /// out may have.
    fn listed(&self, table: &KeyTable, unlisted_max: &mut u64) -> Result<Vec<Counted>> {
        let needs = self.below.needs();
        if needs.adds_to_absent || needs.reaches_out {
            // A bucket is then more than this shard's documents of it.
            return Ok(self.all(table));
        }
        let mut listed = match &self.terms.plan.listing {
            ShardListing::All | ShardListing::First(_) | ShardListing::Ranked => return Ok(self.all(table)),
            ShardListing::Named(values) => {
                let keys = values.iter().map(|value| self.column.find(value)).collect::<Result<Vec<_>>>()?;
                let counted = keys.into_iter().flatten().map(|key| (key, u64::from(table.count_of(key))));
                counted.filter(|(_, count)| *count > 0).collect()
            }
            ShardListing::Least(least) => {
                *unlisted_max = least.saturating_sub(1);
                self.candidates(table).filter(|(_, count)| count >= least).collect::<Vec<_>>()
            }
            ShardListing::Leading(wanted) => {
                let most_first =
                    |left: &Counted, right: &Counted| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0));
                let leading = first(self.candidates(table), Some(*wanted), most_first);
                if leading.len() >= *wanted {
                    *unlisted_max = leading.last().map_or(0, |(_, count)| *count);
                }
                leading
            }
        };
        listed.sort_unstable();
        Ok(listed)
    }

    /// All values that may have a bucket in some shard, in their order.
    fn all(&self, table: &KeyTable) -> Vec<Counted> {
        let mut all: Vec<Counted> = self.candidates(table).collect();
        if self.below.needs().reaches_out {
            // What is computed of a bucket is then more than its documents say: values are needed that none
            // of them has.
            all.extend(self.known().into_iter().filter(|key| table.count_of(*key) == 0).map(|key| (key, 0)));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The keys of all living documents, at least.
    fn known(&self) -> Vec<u64> {
        let keys = &self.terms.keys;
        if is_enumerable(self.column) {
            let known = self.column.known_keys();
            return (known.start.max(keys.start)..known.end.min(keys.end)).collect();
        }
        let living =
            self.context.segments.iter().map(|segment| {
                segment.alive.clone().unwrap_or_else(|| Arc::new(Bits::all(segment.max_doc())))
            });
        let living = BucketDocs::of(living.collect());
        let mut table = KeyTable::new(None, living.count());
        self.each(&living, |_, _, key| table.count(key));
        table.counted(keys).map(|(key, _)| key).collect()
    }

    /// The page of buckets, in the order of their values, and how many come before it.
    fn chosen(&self, counts: &Counts<'_>) -> Result<(Vec<Counted>, u64)> {
        let plan = self.terms.plan;
        if plan.limit.is_none() && plan.offset == 0 {
            // Nothing is cut, so that no order matters here but that of values: who shows them orders them.
            let mut all: Vec<Counted> = self.with_documents_enough(&counts.table).collect();
            all.sort_unstable();
            return Ok((all, 0));
        }
        let wanted = plan.limit.map(|limit| plan.offset.saturating_add(limit));
        let top = match (plan.prelim, wanted) {
            (Some(Prelim { sort, descending, extra }), Some(wanted)) => {
                let some =
                    self.first(None, counts, (sort, descending), Some(wanted.saturating_add(extra)))?;
                self.first(Some(some), counts, (plan.sort, plan.descending), Some(wanted))?
            }
            _ => self.first(None, counts, (plan.sort, plan.descending), wanted)?,
        };
        let before = plan.offset.min(top.len());
        let mut page = top;
        page.drain(..before);
        page.sort_unstable();
        Ok((page, before as u64))
    }

    /// The first `wanted` of `chosen`, or of all that have documents enough, in order.
    fn first(
        &self,
        chosen: Option<Vec<Counted>>,
        counts: &Counts<'_>,
        (sort, descending): (TermsSort, bool),
        wanted: Option<usize>,
    ) -> Result<Vec<Counted>> {
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        let by_key = |left: &Counted, right: &Counted| left.0.cmp(&right.0);
        let candidates: Box<dyn Iterator<Item = Counted> + '_> = match chosen {
            Some(chosen) => Box::new(chosen.into_iter()),
            None => Box::new(self.with_documents_enough(&counts.table)),
        };
        Ok(match sort {
            TermsSort::Count => {
                let order = |left: &Counted, right: &Counted| {
                    turned(left.1.cmp(&right.1)).then_with(|| by_key(left, right))
                };
                first(candidates, wanted, order)
            }
            TermsSort::Index => first(candidates, wanted, |left, right| turned(by_key(left, right))),
            TermsSort::Stat(stat) => {
                let counted: Vec<Counted> = candidates.collect();
                let ranked = self.ranks(stat, &counted, counts)?.into_iter().zip(counted);
                let order = |(left, one): &(StatRank, Counted), (right, other): &(StatRank, Counted)| {
                    turned(left.cmp(right)).then_with(|| by_key(one, other))
                };
                first(ranked, wanted, order).into_iter().map(|(_, counted)| counted).collect()
            }
        })
    }

    /// What orders `counted` by a statistic.
    fn ranks(&self, stat: usize, counted: &[Counted], counts: &Counts<'_>) -> Result<Vec<StatRank>> {
        if let Some(summed) = counts.of_every(Some(stat)) {
            return Ok(summed.ranks(stat, counted.iter().map(|(key, _)| *key as usize)));
        }
        Ok(self.summed_up(stat, counted, &counts.table)?.ranks(stat, 0..counted.len()))
    }

    /// One statistic of all that are `counted`, each by its place there.
    fn summed_up(&self, stat: usize, counted: &[Counted], table: &KeyTable) -> Result<Summary<'_>> {
        let numbers = table.numbering(counted.iter().map(|(key, _)| *key));
        let mut summary = self.below.stats().summary(counted.len(), Some(stat));
        let placed = self.placed(counted, &numbers, true)?;
        placed.each_batch(|segment, docs, slots| summary.add(segment, docs, slots));
        let count = |others: &BucketDocs<'_>| Ok(self.numbered(others, &numbers, counted.len()));
        summary.relate(&Slots { context: self.context, path: self.path, count: &count })?;
        summary.close()?;
        Ok(summary)
    }

    /// How many of other documents have each value that the table gives a number.
    fn numbered(&self, others: &BucketDocs<'_>, table: &KeyTable, numbers: usize) -> Vec<u64> {
        let mut counts = vec![0; numbers];
        self.each(others, |_, _, key| {
            let number = table.number_of(key);
            if let Some(count) = number.and_then(|number| counts.get_mut(number as usize)) {
                *count += 1;
            }
        });
        counts
    }

    /// The documents that have one of `chosen`, each under the number that the table gives to its value.
    /// Within a segment they ascend where that is asked for, else maybe within their number alone.
    fn placed(&self, chosen: &[Counted], table: &KeyTable, ascending: bool) -> Result<Placed> {
        if let (KeyColumn::Strings(strings), Some(field), BucketDocs::Hits(hits)) =
            (self.column, self.terms.terms, self.docs)
            && let Some(placed) =
                from_postings::placed(self.context, (strings, field), (hits, chosen), ascending)?
        {
            return Ok(placed);
        }
        let mut placed = Placed::new(self.docs.segments());
        match table {
            KeyTable::Dense(numbers) => self.each(self.docs, |segment, doc, key| {
                let number = numbers.get(key as usize).copied().unwrap_or_default();
                if let Some(slot) = number.checked_sub(1) {
                    placed.push(segment, doc, slot);
                }
            }),
            KeyTable::Sparse(_) => self.each(self.docs, |segment, doc, key| {
                if let Some(slot) = table.number_of(key) {
                    placed.push(segment, doc, slot);
                }
            }),
        }
        Ok(placed)
    }

    /// The chosen buckets with how many documents each has; `places` is what each takes of the room.
    fn counted(
        &self,
        tree: TreeContext<'_>,
        chosen: &[Counted],
        places: usize,
    ) -> Result<Vec<(Value, BucketPartial)>> {
        tree.room.reserve(chosen.len(), places)?;
        let bucket = |count| BucketPartial { count, ..BucketPartial::default() };
        chosen.iter().map(|(key, count)| Ok((self.column.value(*key)?, bucket(*count)))).collect()
    }

    /// The chosen buckets with how many documents each has, and the statistic that orders them.
    fn ranked(
        &self,
        tree: TreeContext<'_>,
        chosen: &[Counted],
        counts: &Counts<'_>,
    ) -> Result<Vec<(Value, BucketPartial)>> {
        let mut list = self.counted(tree, chosen, 2)?;
        let TermsSort::Stat(stat) = self.terms.plan.sort else { return Ok(list) };
        let of_these;
        let (summary, every) = match counts.of_every(Some(stat)) {
            Some(summed) => (summed, true),
            None => {
                of_these = self.summed_up(stat, chosen, &counts.table)?;
                (&of_these, false)
            }
        };
        for (at, ((_, bucket), (key, _))) in list.iter_mut().zip(chosen).enumerate() {
            let slot = if every { *key as usize } else { at };
            bucket.stats.extend(summary.partial(stat, slot, tree.depth).transpose()?);
        }
        Ok(list)
    }

    /// The chosen buckets with what is asked of each.
    fn looked_into(
        &self,
        tree: TreeContext<'_>,
        chosen: &[Counted],
        counts: &Counts<'_>,
    ) -> Result<Vec<(Value, BucketPartial)>> {
        let mut list = self.counted(tree, chosen, self.below.needs().places)?;
        if list.is_empty() || !self.below.needs().more_than_count {
            return Ok(list);
        }
        if let Some(summed) = counts.of_every(None) {
            for ((_, bucket), (key, _)) in list.iter_mut().zip(chosen) {
                bucket.stats = summed.partials(*key as usize, tree.depth)?;
            }
            return Ok(list);
        }
        let numbers = counts.table.numbering(chosen.iter().map(|(key, _)| *key));
        let placed = self.placed(chosen, &numbers, !self.below.stats().is_empty())?;
        let count = |others: &BucketDocs<'_>| Ok(self.numbered(others, &numbers, chosen.len()));
        let slots = Slots { context: self.context, path: self.path, count: &count };
        fill_stats(
            (self.below.stats(), &slots),
            (&placed, tree.depth),
            list.iter_mut().map(|(_, bucket)| bucket),
        )?;
        if self.below.needs().sub_facets {
            let grouped = placed.into_groups(list.len());
            for (slot, (value, bucket)) in list.iter_mut().enumerate() {
                let path = Path { above: self.path, step: Step::Value(&self.terms.plan.field, value) };
                bucket.facets = self.below.facets(tree, &grouped.bucket(slot), bucket.count, Some(&path))?;
            }
        }
        Ok(list)
    }

    /// Every document as often as it has values; no sub-facets, as in Solr.
    fn all_buckets(&self, table: &KeyTable, depth: CutDepth) -> Result<BucketPartial> {
        let count = table.counted(&self.terms.keys).map(|(_, count)| u64::from(count)).sum();
        let mut placed = Placed::new(self.docs.segments());
        if !self.below.stats().is_empty() {
            self.each(self.docs, |segment, doc, key| {
                if self.terms.keys.contains(&key) {
                    placed.push(segment, doc, 0);
                }
            });
        }
        all_buckets(self.below.stats(), count, &placed, depth)
    }
}

/// The bucket of all values; it has statistics even when it is empty.
fn all_buckets(stats: &OpenStats<'_>, count: u64, placed: &Placed, depth: CutDepth) -> Result<BucketPartial> {
    let mut summary = stats.summary(1, None);
    placed.each_batch(|segment, docs, slots| summary.add(segment, docs, slots));
    summary.close()?;
    Ok(BucketPartial { count, stats: summary.partials(0, depth)?, facets: Vec::new() })
}
