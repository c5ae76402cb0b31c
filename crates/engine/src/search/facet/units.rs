//! What classic facets count: hits, or the groups that hits are in, each once for a value however many of its
//! hits have it (Solr's `group.facet`). Groups are numbered by `grouping`; pairs of value and group are kept,
//! sorted and cleared of repeats.

use std::sync::Arc;

use plan::partial::{GroupSet, UnitCount};
use plan::{CutDepth, Error, Filter, GroupBy, Query, Result, Value};
use tantivy::DocId;
use tantivy::columnar::Column;

use super::ordinals::Strings;
use super::room::BucketBudget;
use super::values;
use super::values::each_distinct;
use crate::layout::{ColumnKind, ColumnRef};
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::facet::domain::Domain;
use crate::search::function::{
    DOC_BATCH, FunctionReader, FunctionValues as _, LoweredFunction, each_doc_batch,
};
use crate::search::grouping::{Groups, SegmentGroups};
use crate::search::mask::{self, PreparedFilter};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

/// This many groups of a set take the room of a bucket.
const GROUPS_A_PLACE: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Units<'a> {
    pub(super) context: &'a SearchContext<'a>,
    /// The field of the groups; `None` counts hits.
    pub(super) groups_of: Option<&'a Arc<str>>,
    pub(super) room: &'a BucketBudget,
    pub(super) depth: CutDepth,
}

impl Units<'_> {
    /// Hits one by one, whatever else is counted.
    pub(super) fn hits(self) -> Self {
        Self { groups_of: None, ..self }
    }

    /// How many there are among `hits`.
    pub(super) fn among(self, hits: &[Arc<Bits>]) -> Result<UnitCount> {
        let Some(mut groups) = self.groups()? else {
            return Ok(UnitCount::Number(hits.iter().map(|bits| u64::from(bits.count())).sum()));
        };
        for (segment, hits) in self.context.segments.iter().zip(hits) {
            let mut groups = groups.segment(segment)?;
            for doc in hits.iter() {
                groups.of(doc);
            }
        }
        let count = groups.len();
        match self.named(&groups)? {
            Some(names) => {
                self.room.reserve(count / GROUPS_A_PLACE, 1)?;
                Ok(UnitCount::Groups(Box::new(GroupSet::of(names))))
            }
            None => Ok(UnitCount::Number(count as u64)),
        }
    }

    /// How many there are among the hits that also match `query`, whose documents are kept as a filter's are.
    pub(super) fn matching(self, query: &Query, hits: &[Arc<Bits>]) -> Result<UnitCount> {
        let filter = Filter { query: query.clone(), cache: true, cost: 0, tags: Vec::new() };
        let filter = PreparedFilter::prepare(self.context, &filter)?;
        let (mut total, mut matching) = (0, hits.to_vec());
        for (segment, hits) in self.context.segments.iter().zip(&mut matching) {
            let bits = mask::filter_bits(self.context, segment, &filter)?;
            match self.groups_of {
                Some(_) => Arc::make_mut(hits).intersect(&bits),
                None => total += u64::from(bits.count_common(hits)),
            }
        }
        if self.groups_of.is_some() { self.among(&matching) } else { Ok(UnitCount::Number(total)) }
    }

    /// By the number of a string.
    pub(super) fn by_string(self, strings: &Strings, domain: &Domain) -> Result<(Vec<u32>, GroupSets)> {
        let Some(mut groups) = self.groups()? else {
            return Ok((strings.counts(domain), GroupSets::default()));
        };
        let mut pairs = Pairs::default();
        for (segment, hits) in self.context.segments.iter().zip(domain) {
            let Some(column) = strings.column(segment.number) else { continue };
            let (mut groups, common) = (groups.segment(segment)?, strings.common(segment.number));
            for doc in hits.iter() {
                let group = groups.of(doc);
                each_distinct(column.ords(), doc, |ord| pairs.push(common(ord) as u32, group));
            }
        }
        self.counted(pairs, &groups, strings.cardinality())
    }

    /// By a number or truth, in its order; each becomes a value on its way into the list. Solr differs:
    /// groups of numbers are its own failure, an error 500 (`compat/select/grouping_facets.yaml`).
    pub(super) fn by_integer(
        self,
        column: &ColumnRef,
        domain: &Domain,
        zeros: bool,
        value: impl Fn(i64) -> Value,
    ) -> Result<Vec<(Value, UnitCount)>> {
        let counts = values::integers(self.context, column, domain, zeros)?;
        let Some(mut groups) = self.groups()? else {
            let hits = |(number, hits)| (value(number), UnitCount::Number(hits));
            return Ok(counts.into_iter().map(hits).collect());
        };
        if column.kind != ColumnKind::Bool {
            return Err(no_groups());
        }
        let mut pairs = Pairs::default();
        for (segment, hits) in self.context.segments.iter().zip(domain) {
            let Some(AnyColumn::Bool(column)) = segment.view.column(column)? else { continue };
            let mut groups = groups.segment(segment)?;
            for doc in hits.iter() {
                let group = groups.of(doc);
                each_distinct(&column, doc, |flag| pairs.push(u32::from(flag), group));
            }
        }
        let (grouped, sets) = self.counted(pairs, &groups, 2)?;
        let of = |flag: i64| grouped.get(flag as usize).copied().unwrap_or_default();
        Ok(counts.into_keys().map(|flag| (value(flag), sets.unit(flag as usize, of(flag)))).collect())
    }

    /// What has no values to pair with groups.
    pub(super) fn only_hits(self) -> Result<()> {
        if self.groups_of.is_some() { Err(no_groups()) } else { Ok(()) }
    }

    /// Tells `places` of the values of each hit in a segment's column where they are counted, and counts them
    /// there.
    pub(super) fn each_place<T>(
        self,
        (segment, column): (usize, &Column<T>),
        hits: &Bits,
        tally: &mut PlaceTally,
        mut places: impl FnMut(T, &mut dyn FnMut(usize)),
    ) -> Result<()>
    where
        T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
    {
        let Some(segment) = self.context.segments.get(segment) else { return Ok(()) };
        let mut tally = tally.of(segment)?;
        for doc in hits.iter() {
            let mut add = tally.of(doc);
            column.values_for_doc(doc).for_each(|value| places(value, &mut add));
        }
        Ok(())
    }

    /// As [`Units::each_place`], of a value that is worked out for each hit, where it has one.
    pub(super) fn each_computed_place(
        self,
        (segment, function): (usize, &LoweredFunction),
        hits: &Bits,
        tally: &mut PlaceTally,
        mut places: impl FnMut(f64, &mut dyn FnMut(usize)),
    ) -> Result<()> {
        let Some(segment) = self.context.segments.get(segment) else { return Ok(()) };
        let (mut tally, mut reader) = (tally.of(segment)?, FunctionReader::open(function, segment.reader)?);
        let (mut values, mut present) = ([0.0; DOC_BATCH], [false; DOC_BATCH]);
        each_doc_batch(hits, &segment.allowance, |docs| {
            let (Some(values), Some(present)) = (values.get_mut(..docs.len()), present.get_mut(..docs.len()))
            else {
                return;
            };
            reader.doubles(docs, values);
            reader.present(docs, present);
            let found = docs.iter().zip(values).zip(present).filter(|(_, present)| **present);
            found.for_each(|((doc, value), _)| places(*value, &mut tally.of(*doc)));
        });
        Ok(())
    }

    pub(super) fn tally(self, places: usize) -> Result<PlaceTally> {
        Ok(PlaceTally { counts: vec![0; places], groups: self.groups()?, pairs: Pairs::default() })
    }

    /// By key how many groups there are, and which, where other shards may count them too.
    fn counted(self, mut pairs: Pairs, groups: &Groups, keys: usize) -> Result<(Vec<u32>, GroupSets)> {
        let counts = pairs.counts(keys);
        let names = self.named(groups)?;
        if names.is_some() {
            self.room.reserve(pairs.distinct / GROUPS_A_PLACE, 1)?;
        }
        Ok((counts, names.map(|names| GroupSets { pairs: pairs.pairs, names }).unwrap_or_default()))
    }

    /// By group its value, where other shards may count it too.
    fn named(self, groups: &Groups) -> Result<Option<Vec<Option<Arc<Value>>>>> {
        if self.depth == CutDepth::Page {
            return Ok(None);
        }
        (0..groups.len() as u32)
            .map(|group| Ok(groups.value(group)?.map(Arc::new)))
            .collect::<Result<_>>()
            .map(Some)
    }

    fn groups(self) -> Result<Option<Groups>> {
        let field = |name: &Arc<str>| Groups::open(self.context, &GroupBy::Field(name.clone()));
        self.groups_of.map(field).transpose()
    }
}

fn no_groups() -> Error {
    Error::bad_request("`group.facet` counts strings and booleans; use a field of these with docValues")
}

/// Counts at places that hits or groups fall into, each at most once.
pub(super) struct PlaceTally {
    counts: Vec<u64>,
    groups: Option<Groups>,
    pairs: Pairs,
}

/// The same in one segment.
struct SegmentTally<'t> {
    counts: &'t mut [u64],
    groups: Option<SegmentGroups<'t>>,
    pairs: &'t mut Pairs,
    /// By place the document that was counted last.
    last: Vec<DocId>,
}

impl SegmentTally<'_> {
    /// Counts a document at a place, if it is not counted there yet.
    fn of(&mut self, doc: DocId) -> impl FnMut(usize) {
        let group = self.groups.as_mut().map(|groups| groups.of(doc));
        move |at| match (group, self.counts.get_mut(at), self.last.get_mut(at)) {
            (Some(group), ..) => self.pairs.push(at as u32, group),
            (None, Some(count), Some(last)) if *last != doc => {
                *last = doc;
                *count += 1;
            }
            _ => {}
        }
    }
}

impl PlaceTally {
    fn of(&mut self, segment: &SearchSegment<'_>) -> Result<SegmentTally<'_>> {
        let Self { counts, groups, pairs } = self;
        let groups = groups.as_mut().map(|groups| groups.segment(segment)).transpose()?;
        let last = vec![DocId::MAX; counts.len()];
        Ok(SegmentTally { counts, groups, pairs, last })
    }

    pub(super) fn counts(self, units: Units<'_>) -> Result<Vec<UnitCount>> {
        let Self { counts, groups, pairs } = self;
        let Some(groups) = groups else { return Ok(counts.into_iter().map(UnitCount::Number).collect()) };
        let (counts, sets) = units.counted(pairs, &groups, counts.len())?;
        Ok((0..).zip(counts).map(|(at, count)| sets.unit(at, count)).collect())
    }
}

/// The groups of keys, where other shards may count them too.
#[derive(Default)]
pub(super) struct GroupSets {
    /// Sorted, each once; none where only the number of groups matters.
    pairs: Vec<(u32, u32)>,
    /// By group.
    names: Vec<Option<Arc<Value>>>,
}

impl GroupSets {
    /// What is counted of a key that has this many hits or groups.
    pub(super) fn unit(&self, key: usize, count: u32) -> UnitCount {
        if self.names.is_empty() {
            return UnitCount::Number(u64::from(count));
        }
        let start = self.pairs.partition_point(|(other, _)| (*other as usize) < key);
        let own = self.pairs.iter().skip(start).take(count as usize);
        let names = own.filter_map(|(_, group)| self.names.get(*group as usize).cloned());
        UnitCount::Groups(Box::new(GroupSet::of(names.collect())))
    }
}

/// Pairs of a key and a group. Repeats are cleared away as the pairs grow, so that they take at most twice
/// their room.
#[derive(Default)]
struct Pairs {
    pairs: Vec<(u32, u32)>,
    /// How many there were after they were last cleared.
    distinct: usize,
}

impl Pairs {
    fn push(&mut self, key: u32, group: u32) {
        if self.pairs.len() >= (self.distinct * 2).max(1 << 16) {
            self.clear_repeats();
        }
        self.pairs.push((key, group));
    }

    fn clear_repeats(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.distinct = self.pairs.len();
    }

    /// How many groups each key has, of keys below `keys`. No pair stands twice from then on.
    fn counts(&mut self, keys: usize) -> Vec<u32> {
        self.clear_repeats();
        let mut counts = vec![0; keys];
        for (key, _) in &self.pairs {
            if let Some(count) = counts.get_mut(*key as usize) {
                *count += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_counts_once_for_a_key() {
        let mut pairs = Pairs::default();
        for at in 0..300_000 {
            pairs.push(at % 3, at % 7);
        }
        assert!(pairs.pairs.len() <= 1 << 16);
        pairs.push(9, 0);
        assert_eq!(pairs.counts(4), [7, 7, 7, 0]);
    }
}
