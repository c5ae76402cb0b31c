//! A bucket for each range of a column, and for what lies before, after and between them. Bounds become keys,
//! so that one search among whole numbers finds the ranges of a value, whatever its type.
//!
//! In: the documents of the bucket above; out: counts, statistics and sub-facets for each range in the plan's
//! order. A document counts once in a range, and in every range that holds one of its values.

use std::ops::Bound;

use plan::partial::BucketPartial;
use plan::{Error, FieldClass, Function, RangeBucket, RangesFacet, Result, Value};
use tantivy::DocId;

use super::below::{BucketsBelow, TreeContext};
use super::docs::{BucketDocs, Placed};
use super::functions::FunctionColumn;
use super::keys::{KeyColumn, Keys, real_key};
use super::path::{Path, Step};
use super::related::Slots;
use super::summary::fill_stats;
use crate::search::context::SearchContext;
use crate::search::facet::domain::{Domain, query_bits};
use crate::segment::bits::Bits;

pub(super) struct OpenRanges<'p> {
    plan: &'p RangesFacet,
    values: Values,
    /// First and last key of each range, those of the others behind.
    spans: Vec<(u64, u64)>,
    /// How many spans from the front neither begin nor end before the one before them.
    ascending: usize,
}

impl<'p> OpenRanges<'p> {
    pub(super) fn open(context: &SearchContext<'_>, plan: &'p RangesFacet) -> Result<Self> {
        let values = Values::open(context, plan)?;
        let spans: Vec<_> = plan.all().map(|bucket| span(&values, bucket)).collect();
        let own = spans.get(..plan.buckets.len()).unwrap_or_default();
        let in_order =
            |pair: &&[(u64, u64)]| matches!(pair, [left, right] if left.0 <= right.0 && left.1 <= right.1);
        let ascending = if own.is_empty() { 0 } else { own.windows(2).take_while(in_order).count() + 1 };
        Ok(Self { plan, values, spans, ascending })
    }

    /// All ranges, those of the others last.
    pub(super) fn cut(
        &self,
        tree: TreeContext<'_>,
        below: &dyn BucketsBelow,
        docs: &BucketDocs<'_>,
        path: Option<&Path<'_>>,
    ) -> Result<Vec<BucketPartial>> {
        tree.room.reserve(self.plan.all().count(), below.needs().places)?;
        let (counts, placed) = self.place(tree.context, docs, below.needs().more_than_count)?;
        let bucket = |count| BucketPartial { count, ..BucketPartial::default() };
        let mut found: Vec<BucketPartial> = counts.into_iter().map(bucket).collect();
        let count = |others: &BucketDocs<'_>| Ok(self.place(tree.context, others, false)?.0);
        fill_stats(
            (below.stats(), &Slots { context: tree.context, path, count: &count }),
            (&placed, tree.depth),
            found.iter_mut(),
        )?;
        if below.needs().sub_facets {
            let grouped = placed.into_groups(found.len());
            for (slot, (range, bucket)) in self.plan.all().zip(&mut found).enumerate() {
                let path = Path { above: path, step: Step::Range(self.plan, range) };
                bucket.facets = below.facets(tree, &grouped.bucket(slot), bucket.count, Some(&path))?;
            }
        }
        Ok(found)
    }

    /// How many documents each range has, and with `placed` which.
    fn place(
        &self,
        context: &SearchContext<'_>,
        docs: &BucketDocs<'_>,
        placed: bool,
    ) -> Result<(Vec<u64>, Placed)> {
        let count = self.plan.all().count();
        let (mut counts, mut places) = (vec![0u64; count], Placed::new(docs.segments()));
        let mut keys = Keys::default();
        for segment in 0..docs.segments() {
            let mut last = vec![u32::MAX; count];
            let mut add = |doc: DocId, range: usize| {
                if let (Some(count), Some(last)) = (counts.get_mut(range), last.get_mut(range))
                    && *last != doc
                {
                    *last = doc;
                    *count += 1;
                    if placed {
                        places.push(segment, doc, range as u32);
                    }
                }
            };
            if let Values::Matches(ranges) = &self.values {
                let own: Vec<&Bits> =
                    ranges.iter().filter_map(|bits| bits.get(segment)).map(|it| &**it).collect();
                docs.each_batch(segment, &context.allowance, |docs| {
                    for doc in docs.iter().copied() {
                        let holds = own.iter().enumerate().filter(|(_, bits)| bits.contains(doc));
                        holds.for_each(|(range, _)| add(doc, range));
                    }
                });
                continue;
            }
            let Some(mut values) = self.values.of(segment)? else { continue };
            docs.each_batch(segment, &context.allowance, |docs| {
                values(docs, &mut keys);
                keys.each(docs, |doc, key| self.each_range(key, |range| add(doc, range)));
            });
        }
        Ok((counts, places))
    }

    /// Calls `take` with the places of the ranges that hold `key`.
    fn each_range(&self, key: u64, mut take: impl FnMut(usize)) {
        let (ordered, rest) = self.spans.split_at_checked(self.ascending).unwrap_or_default();
        let begun = ordered.partition_point(|(first, _)| *first <= key);
        let before = ordered.iter().enumerate().take(begun).rev();
        before.take_while(|(_, (_, last))| *last >= key).for_each(|(range, _)| take(range));
        for (range, (first, last)) in (ordered.len()..).zip(rest) {
            if (*first..=*last).contains(&key) {
                take(range);
            }
        }
    }
}

/// What the ranges are ranges of.
enum Values {
    /// No document has the field.
    None,
    Column(KeyColumn),
    Money(FunctionColumn),
    /// Of a field that is only indexed, or of stretches of time: the documents of each range, those of the
    /// others last.
    Matches(Vec<Domain>),
}

type ReadKeys<'a> = Box<dyn FnMut(&[DocId], &mut Keys) + 'a>;

impl Values {
    fn open(context: &SearchContext<'_>, plan: &RangesFacet) -> Result<Self> {
        if let Some(money) = &plan.money {
            let amounts = Function::Currency(money.clone());
            let amounts = FunctionColumn::open(context, &amounts, true)?;
            return Ok(Self::Money(amounts));
        }
        let layout = context.layout.field(&plan.field);
        let is_spans = layout.is_some_and(|layout| layout.class() == FieldClass::DateRange);
        if layout.is_some_and(|layout| !layout.class().is_point()) && !is_spans {
            let name = &plan.field;
            return Err(Error::bad_request(format!("Unable to range facet on field:{name}")));
        }
        let Some(layout) = layout else { return Ok(Self::None) };
        if let Some(column) = KeyColumn::open(context, layout)? {
            return Ok(Self::Column(column));
        }
        let matches = plan.all().map(|bucket| query_bits(context, &plan.query(bucket)));
        Ok(Self::Matches(matches.collect::<Result<_>>()?))
    }

    /// Of a bound.
    fn key(&self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Self::Column(column), value) => column.key(value),
            (Self::Money(_), Value::Double(amount)) => Some(real_key(*amount)),
            _ => None,
        }
    }

    /// Reads the keys of documents of a segment, going forward.
    fn of(&self, segment: usize) -> Result<Option<ReadKeys<'_>>> {
        Ok(match self {
            Self::None | Self::Matches(_) => None,
            Self::Column(column) => Some(Box::new(move |docs, keys| column.read(segment, docs, false, keys))),
            Self::Money(amounts) => {
                let walk = amounts.walk(segment)?;
                walk.map(|mut walk| -> ReadKeys<'_> { Box::new(move |docs, keys| walk.read(docs, keys)) })
            }
        })
    }
}

/// First and last key of a range; the first is past the last where it holds nothing.
fn span(values: &Values, bucket: &RangeBucket) -> (u64, u64) {
    let nothing = (u64::MAX, 0);
    let first = match &bucket.lower {
        Bound::Included(value) => values.key(value),
        Bound::Excluded(value) => values.key(value).and_then(|key| key.checked_add(1)),
        Bound::Unbounded => Some(0),
    };
    let last = match &bucket.upper {
        Bound::Included(value) => values.key(value),
        Bound::Excluded(value) => values.key(value).and_then(|key| key.checked_sub(1)),
        Bound::Unbounded => Some(u64::MAX),
    };
    first.zip(last).unwrap_or(nothing)
}
