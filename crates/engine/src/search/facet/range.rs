//! Facets over ranges of a column. One pass over the hits; the buckets are found by their lower bounds, and a
//! document, or its group, counts once in each bucket that any of its values falls into (`units`).
//!
//! In: buckets with typed bounds, as the plan laid them out from start, end and gap; out: a count for each.
//! Amounts of money are converted first. Ranges inside a tree of facets are `tree/ranges`'.

use std::ops::Bound;

use plan::partial::UnitCount;
use plan::{Error, FieldClass, Function, Query, Range, RangeBucket, RangeFacet, Result, Value};

use super::units::Units;
use crate::layout::{ColumnRef, FieldLayout};
use crate::search::column_values::{integer, real};
use crate::search::facet::domain::Domain;
use crate::search::function::lower;
use crate::segment::columns::AnyColumn;

/// The counts of all ranges, those of the others last.
pub(super) fn count(units: Units<'_>, facet: &RangeFacet, domain: &Domain) -> Result<Vec<UnitCount>> {
    let buckets = || facet.buckets.iter().chain(facet.others.iter().map(|(_, bucket)| bucket));
    units.room.reserve(buckets().count(), 1)?;
    let mut tally = units.tally(buckets().count())?;
    let segments = units.context.segments.iter().zip(domain);
    let segments = segments.take_while(|_| !units.context.allowance.is_used_up());
    if let Some(money) = &facet.money {
        let amounts = lower(units.context, &Function::Currency(money.clone()))?;
        let spans = Spans::new(buckets(), real);
        for (segment, hits) in segments {
            let places = |value, add: &mut dyn FnMut(usize)| spans.each(&value, add);
            units.each_computed_place((segment.number, &amounts), hits, &mut tally, places)?;
        }
    } else if let Some(layout) = units.context.layout.field(&facet.field) {
        let Some(column) = column_of(layout)? else { return matching(units, facet, domain) };
        for (segment, hits) in segments {
            match segment.view.column(column)? {
                Some(AnyColumn::I64(column)) => {
                    let spans = Spans::new(buckets(), integer);
                    let places = |value, add: &mut dyn FnMut(usize)| spans.each(&value, add);
                    units.each_place((segment.number, &column), hits, &mut tally, places)?;
                }
                Some(AnyColumn::F64(column)) => {
                    let spans = Spans::new(buckets(), real);
                    let places = |value, add: &mut dyn FnMut(usize)| spans.each(&value, add);
                    units.each_place((segment.number, &column), hits, &mut tally, places)?;
                }
                _ => {}
            }
        }
    }
    tally.counts(units)
}

/// `None` of a field whose ranges are found one by one.
fn column_of(layout: &FieldLayout) -> Result<Option<&ColumnRef>> {
    match layout.class() {
        class if class.is_point() => Ok(layout.column.as_ref()),
        // Its stretches of time are met by as many ranges as they are long.
        FieldClass::DateRange => Ok(None),
        _ => {
            let name = &layout.name;
            Err(Error::bad_request(format!("Unable to range facet on field:{name}: it is no number or date")))
        }
    }
}

/// Range by range as a query finds them.
fn matching(units: Units<'_>, facet: &RangeFacet, domain: &Domain) -> Result<Vec<UnitCount>> {
    let all = facet.buckets.iter().chain(facet.others.iter().map(|(_, bucket)| bucket));
    let counts = all.map(|bucket| {
        let (lower, upper) = (bucket.lower.clone(), bucket.upper.clone());
        let range = Query::Range(Range { field: facet.field.clone(), lower, upper });
        units.matching(&range, domain)
    });
    counts.collect()
}

/// A bucket in the column's own values.
struct Span<T> {
    lower: Bound<T>,
    upper: Bound<T>,
}

/// All buckets of a facet.
struct Spans<T> {
    spans: Vec<Span<T>>,
    /// How many from the front stand in ascending order of their lower bounds.
    ascending: usize,
}

impl<T: PartialOrd + Copy> Spans<T> {
    fn new<'b>(buckets: impl Iterator<Item = &'b RangeBucket>, read: impl Fn(&Value) -> Option<T>) -> Self {
        let bound = |bound: &Bound<Value>| match bound {
            Bound::Included(value) => read(value).map_or(Bound::Unbounded, Bound::Included),
            Bound::Excluded(value) => read(value).map_or(Bound::Unbounded, Bound::Excluded),
            Bound::Unbounded => Bound::Unbounded,
        };
        let span = |bucket: &RangeBucket| Span { lower: bound(&bucket.lower), upper: bound(&bucket.upper) };
        let spans: Vec<Span<T>> = buckets.map(span).collect();
        let ascending = ascending(&spans);
        Self { spans, ascending }
    }

    /// Calls `take` with the places of the buckets that hold the value.
    fn each(&self, value: &T, take: &mut dyn FnMut(usize)) {
        let (ordered, rest) = self.spans.split_at_checked(self.ascending).unwrap_or_default();
        let begun = ordered.partition_point(|span| span.begins_by(value));
        for at in begun.saturating_sub(2)..begun {
            if ordered.get(at).is_some_and(|span| span.contains(value)) {
                take(at);
            }
        }
        for (at, span) in (ordered.len()..).zip(rest) {
            if span.contains(value) {
                take(at);
            }
        }
    }
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
