//! Statistics of many buckets at once: what is summed up of one column, by the number of the bucket. Statistics of the same
//! field share one reading of it. What no statistic asks for is not kept.

use std::cmp::Ordering;

use plan::{NamedStat, Result, Stat, StatFunction, StatSource, StatValue, Value};
use tantivy::DocId;

use super::distinct::Distinct;
use super::keys::{KeyColumn, Keys};
use crate::search::SearchContext;

/// A source of statistics, opened, and what is asked of it.
pub(super) struct OpenSource {
    source: StatSource,
    /// `None` for documents, and for a field that no document has.
    column: Option<KeyColumn>,
    needs: Needs,
}

/// What has to be kept by bucket.
#[derive(Clone, Copy, Default)]
struct Needs {
    moments: bool,
    extremes: bool,
    absent: bool,
    distinct: bool,
    samples: bool,
}

/// The statistics of one plan, with the places of their sources.
pub(super) struct OpenStats<'p> {
    stats: Vec<(&'p NamedStat, usize)>,
    sources: Vec<OpenSource>,
}

impl<'p> OpenStats<'p> {
    pub(super) fn open(context: &SearchContext<'_>, stats: &'p [NamedStat]) -> Result<Self> {
        let mut opened = Self { stats: Vec::with_capacity(stats.len()), sources: Vec::new() };
        for named in stats {
            let Stat { function, source } = &named.stat;
            let known = opened.sources.iter().position(|open| open.source == *source);
            let place = known.unwrap_or(opened.sources.len());
            if known.is_none() {
                opened.sources.push(OpenSource::open(context, source)?);
            }
            if let Some(source) = opened.sources.get_mut(place) {
                source.needs.add(function);
            }
            opened.stats.push((named, place));
        }
        Ok(opened)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stats.is_empty()
    }

    /// For buckets numbered below `buckets`, all empty yet. With `only`, for that statistic alone.
    pub(super) fn summary(&self, buckets: usize, only: Option<usize>) -> Summary<'_> {
        let wanted = only.and_then(|stat| self.stats.get(stat)).map(|(_, place)| *place);
        let sums = self.sources.iter().enumerate().map(|(place, source)| {
            let skipped = wanted.is_some_and(|wanted| wanted != place);
            (!skipped).then(|| SourceSums::new(source, buckets))
        });
        Summary { stats: &self.stats, sums: sums.collect(), keys: Keys::default() }
    }
}

impl OpenSource {
    fn open(context: &SearchContext<'_>, source: &StatSource) -> Result<Self> {
        let column = match source {
            StatSource::Field(name) => match context.layout.field(name) {
                Some(layout) => KeyColumn::open(context, layout)?,
                None => None,
            },
            StatSource::Documents => None,
        };
        Ok(Self { source: source.clone(), column, needs: Needs::default() })
    }
}

impl Needs {
    fn add(&mut self, function: &StatFunction) {
        match function {
            StatFunction::Sum
            | StatFunction::Average
            | StatFunction::Mean
            | StatFunction::SumOfSquares
            | StatFunction::Variance
            | StatFunction::StdDev => self.moments = true,
            StatFunction::Min | StatFunction::Max => self.extremes = true,
            StatFunction::Distinct | StatFunction::DistinctValues => self.distinct = true,
            StatFunction::CountValues => {}
            StatFunction::Missing => self.absent = true,
            StatFunction::Percentiles(_) => self.samples = true,
        }
    }
}

/// Statistics of some buckets, in the making and made.
pub(super) struct Summary<'o> {
    stats: &'o [(&'o NamedStat, usize)],
    sums: Vec<Option<SourceSums<'o>>>,
    keys: Keys,
}

impl Summary<'_> {
    /// Adds documents of a segment, each to the bucket of the number beside it.
    pub(super) fn add(&mut self, segment: usize, docs: &[DocId], slots: &[u32]) {
        for sums in self.sums.iter_mut().flatten() {
            sums.add(segment, docs, slots, &mut self.keys);
        }
    }

    /// To be called once, after all documents have been added.
    pub(super) fn finish(&mut self) {
        for sums in self.sums.iter_mut().flatten() {
            sums.samples.iter_mut().for_each(|samples| samples.sort_unstable_by(f64::total_cmp));
        }
    }

    /// The statistics of a bucket.
    pub(super) fn values(&self, slot: usize) -> Result<Vec<(String, StatValue)>> {
        let mut values = Vec::with_capacity(self.stats.len());
        for (named, place) in self.stats {
            let Some(Some(sums)) = self.sums.get(*place) else { continue };
            let value = sums.value(&named.stat.function, slot)?.unwrap_or(StatValue::Nothing);
            values.push((named.key.clone(), value));
        }
        Ok(values)
    }

    /// How one bucket's statistic compares with another's. One without a value comes before all, and an end of reals without
    /// one after all, as in Solr, where it is not a number.
    pub(super) fn compare(&self, stat: usize, left: usize, right: usize) -> Ordering {
        let Some((named, place)) = self.stats.get(stat) else { return Ordering::Equal };
        let Some(Some(sums)) = self.sums.get(*place) else { return Ordering::Equal };
        let function = &named.stat.function;
        match function {
            StatFunction::Min | StatFunction::Max => {
                let least = *function == StatFunction::Min;
                let (left, right) = (sums.extreme(least, left), sums.extreme(least, right));
                match sums.source.column.as_ref().is_some_and(KeyColumn::is_real) {
                    true => left.is_none().cmp(&right.is_none()).then(left.cmp(&right)),
                    false => left.cmp(&right),
                }
            }
            _ => {
                let number = |slot| sums.number(function, slot).unwrap_or(f64::NEG_INFINITY);
                number(left).total_cmp(&number(right))
            }
        }
    }
}

/// What is kept of one source, by bucket. Lists that nothing needs are empty.
struct SourceSums<'o> {
    source: &'o OpenSource,
    counts: Vec<u64>,
    moments: Vec<Moments>,
    /// Least and greatest key.
    extremes: Vec<(u64, u64)>,
    /// Documents without a value.
    absent: Vec<u64>,
    distinct: Option<Distinct>,
    samples: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, Default)]
struct Moments {
    sum: f64,
    squares: f64,
}

impl<'o> SourceSums<'o> {
    fn new(source: &'o OpenSource, buckets: usize) -> Self {
        let needs = source.needs;
        let many = |needed: bool| if needed { buckets } else { 0 };
        let cardinality = source.column.as_ref().and_then(KeyColumn::cardinality);
        Self {
            source,
            counts: vec![0; buckets],
            moments: vec![Moments::default(); many(needs.moments)],
            extremes: vec![(u64::MAX, 0); many(needs.extremes)],
            absent: vec![0; many(needs.absent)],
            distinct: needs.distinct.then(|| Distinct::new(cardinality, buckets)),
            samples: vec![Vec::new(); many(needs.samples)],
        }
    }

    fn add(&mut self, segment: usize, docs: &[DocId], slots: &[u32], keys: &mut Keys) {
        let Some(column) = &self.source.column else {
            let counts =
                if self.source.source == StatSource::Documents { &mut self.counts } else { &mut self.absent };
            slots.iter().for_each(|slot| add_to(counts, *slot));
            return;
        };
        column.read(segment, docs, false, keys);
        let slot_of = |place: &u32| slots.get(*place as usize).copied();
        let values = || keys.places.iter().filter_map(slot_of).zip(&keys.keys);
        values().for_each(|(slot, _)| add_to(&mut self.counts, slot));
        if self.source.needs.moments {
            values().for_each(|(slot, key)| self.add_moments(column, slot, *key));
        }
        if self.source.needs.extremes {
            values().for_each(|(slot, key)| self.add_extreme(slot, *key));
        }
        if let Some(distinct) = &mut self.distinct {
            values().for_each(|(slot, key)| distinct.add(slot as usize, *key));
        }
        if self.source.needs.samples {
            values().for_each(|(slot, key)| self.add_sample(column, slot, *key));
        }
        if self.source.needs.absent {
            self.add_absent(slots, &keys.places);
        }
    }
}

fn add_to(counts: &mut [u64], slot: u32) {
    if let Some(count) = counts.get_mut(slot as usize) {
        *count += 1;
    }
}

impl SourceSums<'_> {
    #[inline]
    fn add_moments(&mut self, column: &KeyColumn, slot: u32, key: u64) {
        if let Some(moments) = self.moments.get_mut(slot as usize) {
            let number = column.number(key);
            moments.sum += number;
            moments.squares += number * number;
        }
    }

    #[inline]
    fn add_extreme(&mut self, slot: u32, key: u64) {
        if let Some((least, greatest)) = self.extremes.get_mut(slot as usize) {
            *least = key.min(*least);
            *greatest = key.max(*greatest);
        }
    }

    fn add_sample(&mut self, column: &KeyColumn, slot: u32, key: u64) {
        if let Some(samples) = self.samples.get_mut(slot as usize) {
            samples.push(column.number(key));
        }
    }

    /// `present` are the places, ascending, of documents with a value.
    fn add_absent(&mut self, slots: &[u32], present: &[u32]) {
        let mut present = present.iter().copied().peekable();
        for (place, slot) in (0..).zip(slots) {
            let mut found = false;
            while present.next_if_eq(&place).is_some() {
                found = true;
            }
            if !found {
                add_to(&mut self.absent, *slot);
            }
        }
    }

    fn count(&self, slot: usize) -> u64 {
        self.counts.get(slot).copied().unwrap_or_default()
    }

    fn extreme(&self, least: bool, slot: usize) -> Option<u64> {
        let (low, high) = self.extremes.get(slot)?;
        (self.count(slot) > 0).then_some(if least { *low } else { *high })
    }

    /// A statistic that is one number.
    fn number(&self, function: &StatFunction, slot: usize) -> Option<f64> {
        let count = self.count(slot) as f64;
        let Moments { sum, squares } = self.moments.get(slot).copied().unwrap_or_default();
        Some(match function {
            StatFunction::Sum => sum,
            StatFunction::SumOfSquares => squares,
            StatFunction::Average if count == 0.0 => 0.0,
            StatFunction::Average => sum / count,
            StatFunction::Mean => sum / count,
            StatFunction::Variance => variance(count, sum, squares),
            StatFunction::StdDev => variance(count, sum, squares).sqrt(),
            StatFunction::Percentiles(shares) => return self.percentile(*shares.first()?, slot),
            StatFunction::CountValues => count,
            StatFunction::Missing => self.absent.get(slot).copied().unwrap_or_default() as f64,
            StatFunction::Distinct => self.distinct(slot) as f64,
            StatFunction::Min | StatFunction::Max | StatFunction::DistinctValues => return None,
        })
    }

    fn distinct(&self, slot: usize) -> u64 {
        self.distinct.as_ref().map_or(0, |distinct| distinct.count(slot))
    }

    fn percentile(&self, share: f64, slot: usize) -> Option<f64> {
        percentile(self.samples.get(slot)?, share)
    }

    fn value(&self, function: &StatFunction, slot: usize) -> Result<Option<StatValue>> {
        let long = |number: u64| Value::Long(i64::try_from(number).unwrap_or(i64::MAX));
        let one = |value| Ok(Some(StatValue::One(value)));
        match function {
            StatFunction::Min | StatFunction::Max => {
                let key = self.extreme(*function == StatFunction::Min, slot);
                let Some((key, column)) = key.zip(self.source.column.as_ref()) else { return Ok(None) };
                one(column.extreme(key)?)
            }
            StatFunction::Distinct => one(long(self.distinct(slot))),
            StatFunction::CountValues => one(long(self.count(slot))),
            StatFunction::Missing => one(long(self.absent.get(slot).copied().unwrap_or_default())),
            StatFunction::DistinctValues => self.distinct_values(slot),
            StatFunction::Percentiles(shares) => {
                let values = shares.iter().map(|share| (*share, self.percentile(*share, slot)));
                Ok(Some(StatValue::Percentiles(values.collect())))
            }
            StatFunction::Mean if self.source.column.as_ref().is_some_and(KeyColumn::is_date) => {
                let mean = self.number(function, slot).filter(|mean| !mean.is_nan());
                Ok(mean.map(|mean| StatValue::One(Value::Date(mean as i64))))
            }
            _ => Ok(self.number(function, slot).map(|number| StatValue::One(Value::Double(number)))),
        }
    }

    fn distinct_values(&self, slot: usize) -> Result<Option<StatValue>> {
        let Some((distinct, column)) = self.distinct.as_ref().zip(self.source.column.as_ref()) else {
            return Ok(Some(StatValue::Many(Vec::new())));
        };
        let values = distinct.keys(slot).into_iter().map(|key| column.value(key));
        Ok(Some(StatValue::Many(values.collect::<Result<_>>()?)))
    }
}

/// Of a sample, from its sums, as Solr computes it.
fn variance(count: f64, sum: f64, squares: f64) -> f64 {
    if count < 2.0 {
        return 0.0;
    }
    ((count * squares - sum * sum) / (count * (count - 1.0))).max(0.0)
}

/// The value at the share's place in `sorted`. Solr differs: it keeps a digest of many values, which for some hundred is as
/// exact as this and of more comes near it (`compat/facet/json_stats.yaml`).
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = (share / 100.0 * sorted.len() as f64) as usize;
    sorted.get(place.min(sorted.len().checked_sub(1)?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_at_their_place() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        let check = |share, expected| assert_eq!(percentile(&sorted, share), Some(expected), "{share}");
        check(0.0, 1.0);
        check(24.0, 1.0);
        check(25.0, 2.0);
        check(50.0, 3.0);
        check(100.0, 4.0);
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn the_variance_is_that_of_a_sample() {
        assert_eq!(variance(0.0, 0.0, 0.0), 0.0);
        assert_eq!(variance(1.0, 5.0, 25.0), 0.0);
        assert_eq!(variance(3.0, 6.0, 14.0), 1.0);
    }
}
