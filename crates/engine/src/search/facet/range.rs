//! Facets over ranges of a column. One pass over the hits; the buckets are found by their lower bounds, and a document
//! counts once in each bucket that any of its values falls into.

use std::ops::Bound;

use plan::{Error, RangeBucket, RangeFacet, RangeFacetResult, Result, Value};
use tantivy::columnar::Column;

use super::Domain;
use crate::layout::{ColumnRef, FieldLayout};
use crate::search::SearchContext;
use crate::search::bits::Bits;
use crate::search::columns::AnyColumn;
use crate::search::lower::{integer, real};

pub(super) fn count(
    context: &SearchContext<'_>,
    facet: &RangeFacet,
    domain: &Domain,
) -> Result<RangeFacetResult> {
    let buckets = || facet.buckets.iter().chain(facet.others.iter().map(|(_, bucket)| bucket));
    let mut counts = vec![0u64; buckets().count()];
    if let Some(layout) = context.layout.field(&facet.field) {
        let column = column_of(layout)?;
        let segments = context.segments.iter().zip(domain);
        for (segment, hits) in segments.take_while(|_| !context.allowance.is_used_up()) {
            match segment.view.column(column)? {
                Some(AnyColumn::I64(column)) => tally(&column, hits, &spans(buckets(), integer), &mut counts),
                Some(AnyColumn::F64(column)) => tally(&column, hits, &spans(buckets(), real), &mut counts),
                _ => {}
            }
        }
    }
    let (own, others) = counts.split_at(facet.buckets.len());
    let labels = facet.buckets.iter().map(|bucket| bucket.label.clone());
    Ok(RangeFacetResult {
        key: facet.key.clone(),
        gap: facet.gap.clone(),
        start: facet.start.clone(),
        end: facet.end.clone(),
        counts: labels.zip(own.iter().copied()).filter(|(_, count)| *count >= facet.count_min).collect(),
        others: facet.others.iter().map(|(which, _)| *which).zip(others.iter().copied()).collect(),
    })
}

fn column_of(layout: &FieldLayout) -> Result<&ColumnRef> {
    let point = layout.class().is_point();
    layout.column.as_ref().filter(|_| point).ok_or_else(|| {
        Error::bad_request(format!(
            "Unable to range facet on field:{}: it needs a number or date with docValues",
            layout.name
        ))
    })
}

/// A bucket in the column's own values.
struct Span<T> {
    lower: Bound<T>,
    upper: Bound<T>,
}

fn spans<'b, T>(
    buckets: impl Iterator<Item = &'b RangeBucket>,
    read: impl Fn(&Value) -> Option<T>,
) -> Vec<Span<T>> {
    let bound = |bound: &Bound<Value>| match bound {
        Bound::Included(value) => read(value).map_or(Bound::Unbounded, Bound::Included),
        Bound::Excluded(value) => read(value).map_or(Bound::Unbounded, Bound::Excluded),
        Bound::Unbounded => Bound::Unbounded,
    };
    buckets.map(|bucket| Span { lower: bound(&bucket.lower), upper: bound(&bucket.upper) }).collect()
}

impl<T: PartialOrd> Span<T> {
    fn begins_by(&self, value: &T) -> bool {
        match &self.lower {
            Bound::Included(lower) => lower <= value,
            Bound::Excluded(lower) => lower < value,
            Bound::Unbounded => true,
        }
    }

    fn contains(&self, value: &T) -> bool {
        let below = match &self.upper {
            Bound::Included(upper) => value <= upper,
            Bound::Excluded(upper) => value < upper,
            Bound::Unbounded => true,
        };
        below && self.begins_by(value)
    }
}

/// How many spans from the front stand in ascending order of their lower bounds.
fn ascending<T: PartialOrd + Copy>(spans: &[Span<T>]) -> usize {
    let low = |span: &Span<T>| match &span.lower {
        Bound::Included(lower) | Bound::Excluded(lower) => Some(*lower),
        Bound::Unbounded => None,
    };
    let in_order = |pair: &&[Span<T>]| match pair {
        [left, right] => low(left).zip(low(right)).is_some_and(|(left, right)| left < right),
        _ => false,
    };
    if spans.is_empty() { 0 } else { spans.windows(2).take_while(in_order).count() + 1 }
}

fn tally<T>(column: &Column<T>, hits: &Bits, spans: &[Span<T>], counts: &mut [u64])
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    let (ordered, rest) = spans.split_at(ascending(spans));
    let mut last_doc = vec![u32::MAX; spans.len()];
    for doc in hits.iter() {
        for value in column.values_for_doc(doc) {
            let mut add = |at: usize| {
                if let (Some(count), Some(last)) = (counts.get_mut(at), last_doc.get_mut(at))
                    && *last != doc
                {
                    *last = doc;
                    *count += 1;
                }
            };
            let begun = ordered.partition_point(|span| span.begins_by(&value));
            for at in begun.saturating_sub(2)..begun {
                if ordered.get(at).is_some_and(|span| span.contains(&value)) {
                    add(at);
                }
            }
            for (at, span) in rest.iter().enumerate() {
                if span.contains(&value) {
                    add(ordered.len() + at);
                }
            }
        }
    }
}
