//! What is summed up of one column by the number of the bucket, and the parts of statistics that come of it:
//! counts, moments, extremes, distinct keys, samples.
//!
//! In: documents with their buckets, whose keys or computed values are read here a batch at a time; out:
//! parts that merge with those of other shards. Which of the lists are kept is decided by `Needs`; the final
//! number is computed above all shards.

use plan::partial::{self, DistinctValues, Extreme, Samples, StatPartial};
use plan::{CutDepth, Error, Result, StatFunction, StatSource};
use tantivy::{DocId, TERMINATED};

use super::distinct::Distinct;
use super::functions::{FunctionColumn, FunctionWalk};
use super::keys::{KeyColumn, Keys, real_key};
use super::rank::{NO_RANK, StatRank};
use super::related::{SetCounts, Slots};
use super::stat_source::OpenSource;

/// What is kept of one source, by bucket. Lists that nothing needs are empty.
pub(super) struct SourceSums<'o> {
    source: &'o OpenSource,
    counts: Vec<u64>,
    moments: Vec<Moments>,
    /// Least and greatest key.
    extremes: Vec<(u64, u64)>,
    /// Documents without a value.
    absent: Vec<u64>,
    distinct: Option<Distinct>,
    samples: Vec<Vec<f64>>,
    /// What was counted last, of parents and of runs.
    last: Vec<Option<(usize, u64)>>,
    /// Where a function is, in the segment at hand.
    walk: Option<FunctionWalk>,
    related: SetCounts,
    failure: Option<Error>,
}

#[derive(Clone, Copy, Default)]
struct Moments {
    sum: f64,
    squares: f64,
}

impl<'o> SourceSums<'o> {
    pub(super) fn new(source: &'o OpenSource, buckets: usize) -> Self {
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
            last: vec![None; many(matches!(source.source, StatSource::Parents(_) | StatSource::Runs(_)))],
            walk: None,
            related: SetCounts::default(),
            failure: None,
        }
    }

    /// Adds documents of a segment, each to the bucket of the number beside it.
    pub(super) fn add(&mut self, segment: usize, docs: &[DocId], slots: &[u32], room: &mut BatchRoom) {
        if self.source.sets.is_some() {
            return;
        }
        let BatchRoom { keys, slots_of_keys, numbers } = room;
        if let Some(parents) = self.source.parents.as_ref().and_then(|parents| parents.get(segment)) {
            let parents = docs.iter().map(|doc| parents.next_from(*doc));
            for (parent, slot) in parents.zip(slots).filter(|(parent, _)| *parent != TERMINATED) {
                self.add_change((segment, u64::from(parent)), *slot);
            }
            return;
        }
        let Some(column) = &self.source.column else {
            let documents = self.source.source == StatSource::Documents;
            let counts = if documents { &mut self.counts } else { &mut self.absent };
            return spread(counts, slots, slots, |count, _| *count += 1);
        };
        match &self.source.function {
            None => column.read(segment, docs, false, keys),
            Some(function) => match walk(&mut self.walk, function, segment) {
                Ok(walk) => walk.into_iter().for_each(|walk| walk.read(docs, keys)),
                Err(error) => return self.failure = Some(error),
            },
        }
        let own = slots;
        if let StatSource::Runs(_) = self.source.source {
            let (slots, all) = (keys.places(slots, slots_of_keys), keys.all());
            return slots.iter().zip(all).for_each(|(slot, key)| self.add_change((segment, *key), *slot));
        }
        let (slots, all) = (keys.places(slots, slots_of_keys), keys.all());
        spread(&mut self.counts, slots, all, |count, _| *count += 1);
        let comparable = column.comparable_keys();
        spread(&mut self.extremes, slots, all, |(least, greatest), key| {
            if comparable.contains(&key) {
                *least = key.min(*least);
                *greatest = key.max(*greatest);
            }
        });
        if self.source.needs.moments || self.source.needs.samples {
            column.numbers(all, numbers);
            spread(&mut self.samples, slots, numbers, Vec::push);
            spread(&mut self.moments, slots, numbers, |Moments { sum, squares }, number| {
                *sum += number;
                *squares += number * number;
            });
        }
        if let Some(distinct) = &mut self.distinct {
            slots.iter().zip(all).for_each(|(slot, key)| distinct.add(*slot as usize, *key));
        }
        if self.source.needs.absent {
            let absent = &mut self.absent;
            keys.each_absent(own.len() as u32, |place| {
                let slot = own.get(place as usize);
                if let Some(count) = slot.and_then(|slot| absent.get_mut(*slot as usize)) {
                    *count += 1;
                }
            });
        }
    }
}

impl SourceSums<'_> {
    /// Counts what is not what was counted last in its bucket.
    fn add_change(&mut self, key: (usize, u64), slot: u32) {
        let slot = slot as usize;
        if let (Some(last), Some(count)) = (self.last.get_mut(slot), self.counts.get_mut(slot))
            && *last != Some(key)
        {
            *last = Some(key);
            *count += 1;
        }
    }
}

/// The walk over a segment, begun where it is not the one before.
fn walk<'w>(
    known: &'w mut Option<FunctionWalk>,
    function: &FunctionColumn,
    segment: usize,
) -> Result<Option<&'w mut FunctionWalk>> {
    if known.as_ref().is_none_or(|walk| walk.segment != segment) {
        *known = function.walk(segment)?;
    }
    Ok(known.as_mut())
}

/// Values of the batch at hand, kept for the next.
#[derive(Default)]
pub(super) struct BatchRoom {
    keys: Keys,
    slots_of_keys: Vec<u32>,
    numbers: Vec<f64>,
}

/// Adds each value to the sum of its bucket. Of one bucket the numbers are not looked at; of none there is
/// nothing to add to.
#[inline]
fn spread<S, V: Copy>(sums: &mut [S], slots: &[u32], values: &[V], add: impl Fn(&mut S, V)) {
    match sums {
        [] => {}
        [only] => values.iter().for_each(|value| add(only, *value)),
        sums => {
            for (slot, value) in slots.iter().zip(values) {
                if let Some(sum) = sums.get_mut(*slot as usize) {
                    add(sum, *value);
                }
            }
        }
    }
}

impl SourceSums<'_> {
    pub(super) fn relate(&mut self, slots: &Slots<'_>) -> Result<()> {
        if let Some(sets) = &self.source.sets {
            self.related = sets.counts(slots)?;
        }
        Ok(())
    }

    /// To be called once, after all documents have been added.
    pub(super) fn close(&mut self) -> Result<()> {
        self.samples.iter_mut().for_each(|samples| samples.sort_unstable_by(f64::total_cmp));
        self.failure.take().map_or(Ok(()), Err)
    }

    /// What orders buckets by a statistic. One without a value comes before all, and an end of reals without
    /// one after all, as in Solr, where it is not a number.
    pub(super) fn rank(&self, function: &StatFunction, slot: usize) -> StatRank {
        match function {
            StatFunction::Min | StatFunction::Max => {
                let end = self.extreme(*function == StatFunction::Min, slot);
                end.map_or((if self.is_real() { 2 } else { 0 }, 0, [0; 2]), |key| (1, key, [0; 2]))
            }
            StatFunction::Relatedness { popularity_min } => self.related.rank(slot, *popularity_min),
            _ => self.number(function, slot).map_or(NO_RANK, |number| (1, real_key(number), [0; 2])),
        }
    }

    fn count(&self, slot: usize) -> u64 {
        self.counts.get(slot).copied().unwrap_or_default()
    }

    fn extreme(&self, least: bool, slot: usize) -> Option<u64> {
        let (low, high) = self.extremes.get(slot)?;
        (low <= high).then_some(if least { *low } else { *high })
    }

    /// A statistic that is one number.
    fn number(&self, function: &StatFunction, slot: usize) -> Option<f64> {
        match function {
            StatFunction::Percentiles(shares) => {
                let samples = Samples::at(self.samples.get(slot)?, shares.get(..1)?);
                samples.at_share(*shares.first()?)
            }
            StatFunction::CountValues => Some(self.count(slot) as f64),
            StatFunction::Missing => Some(self.absent(slot) as f64),
            StatFunction::Distinct => Some(self.distinct(slot) as f64),
            function => self.moments(slot).number(function),
        }
    }

    fn absent(&self, slot: usize) -> u64 {
        self.absent.get(slot).copied().unwrap_or_default()
    }

    fn distinct(&self, slot: usize) -> u64 {
        self.distinct.as_ref().map_or(0, |distinct| distinct.count(slot))
    }

    fn moments(&self, slot: usize) -> partial::Moments {
        let Moments { sum, squares } = self.moments.get(slot).copied().unwrap_or_default();
        let dates = self.source.column.as_ref().is_some_and(KeyColumn::is_date);
        partial::Moments { count: self.count(slot), sum: sum.into(), squares: squares.into(), dates }
    }

    /// What of a statistic merges with that of other shards; at [`CutDepth::Page`] no more than the statistic
    /// is made of.
    pub(super) fn partial(
        &self,
        function: &StatFunction,
        slot: usize,
        depth: CutDepth,
    ) -> Result<StatPartial> {
        Ok(match function {
            StatFunction::Min | StatFunction::Max => {
                StatPartial::Extreme(self.end(*function == StatFunction::Min, slot)?)
            }
            StatFunction::Distinct if depth == CutDepth::Page => {
                StatPartial::Distinct(DistinctValues::counted(self.distinct(slot)))
            }
            StatFunction::Distinct | StatFunction::DistinctValues => {
                StatPartial::Distinct(self.distinct_values(slot)?)
            }
            StatFunction::CountValues => StatPartial::Count(self.count(slot)),
            StatFunction::Missing => StatPartial::Count(self.absent(slot)),
            StatFunction::Relatedness { .. } => StatPartial::Related(self.related.of(slot)),
            StatFunction::Percentiles(shares) => {
                let sorted = self.samples.get(slot).map(Vec::as_slice).unwrap_or_default();
                StatPartial::Samples(match depth {
                    CutDepth::Page => Samples::at(sorted, shares),
                    CutDepth::Whole => Samples::all(sorted.to_vec()),
                })
            }
            _ => StatPartial::Moments(self.moments(slot)),
        })
    }

    fn end(&self, least: bool, slot: usize) -> Result<Extreme> {
        let key = self.extreme(least, slot).zip(self.source.column.as_ref());
        let value = key.map(|(key, column)| column.extreme(key)).transpose()?;
        Ok(Extreme { least, value, reals: self.is_real() })
    }

    fn distinct_values(&self, slot: usize) -> Result<DistinctValues> {
        let Some((distinct, column)) = self.distinct.as_ref().zip(self.source.column.as_ref()) else {
            return Ok(DistinctValues::default());
        };
        column.distinct_values(distinct.keys(slot))
    }

    fn is_real(&self) -> bool {
        self.source.column.as_ref().is_some_and(KeyColumn::is_real)
    }
}
