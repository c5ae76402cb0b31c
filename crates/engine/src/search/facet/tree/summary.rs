//! Statistics of many buckets at once: what is summed up of one column, by the number of the bucket.
//! Statistics of the same field share one reading of it. What no statistic asks for is not kept.
//!
//! In: batches of documents, each with the number of its bucket; out: a part for each statistic and bucket,
//! or the rank by which buckets are ordered. The sums themselves are kept by `sums`.

use plan::partial::{BucketPartial, StatPartial};
use plan::{CutDepth, NamedStat, Result, Stat, StatFunction};
use tantivy::DocId;

use super::docs::Placed;
use super::rank::{NO_RANK, StatRank};
use super::related::Slots;
use super::stat_source::OpenSource;
use super::sums::{BatchRoom, SourceSums};
use crate::search::context::SearchContext;

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

    /// How many numbers they are.
    pub(super) fn places(&self) -> usize {
        let of = |named: &NamedStat| match &named.stat.function {
            StatFunction::Percentiles(shares) => shares.len(),
            _ => 1,
        };
        self.stats.iter().map(|(named, _)| of(named)).sum()
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
        Summary { stats: &self.stats, sums: sums.collect(), room: BatchRoom::default() }
    }
}

/// Statistics of some buckets, in the making and made.
pub(super) struct Summary<'o> {
    stats: &'o [(&'o NamedStat, usize)],
    sums: Vec<Option<SourceSums<'o>>>,
    room: BatchRoom,
}

impl Summary<'_> {
    /// Adds documents of a segment, each to the bucket of the number beside it.
    pub(super) fn add(&mut self, segment: usize, docs: &[DocId], slots: &[u32]) {
        for sums in self.sums.iter_mut().flatten() {
            sums.add(segment, docs, slots, &mut self.room);
        }
    }

    /// Compares sets by the buckets, where a statistic asks for that.
    pub(super) fn relate(&mut self, slots: &Slots<'_>) -> Result<()> {
        self.sums.iter_mut().flatten().try_for_each(|sums| sums.relate(slots))
    }

    /// To be called once, after all documents have been added.
    /// Errors are those of reading the index, from whenever that was.
    pub(super) fn close(&mut self) -> Result<()> {
        self.sums.iter_mut().flatten().try_for_each(SourceSums::close)
    }

    /// One statistic of a bucket; `None` where it was not summed up.
    pub(super) fn partial(&self, stat: usize, slot: usize, depth: CutDepth) -> Option<Result<StatPartial>> {
        let (named, place) = self.stats.get(stat)?;
        let sums = self.sums.get(*place)?.as_ref()?;
        Some(sums.partial(&named.stat.function, slot, depth))
    }

    /// The statistics of a bucket, in the order of the plan.
    pub(super) fn partials(&self, slot: usize, depth: CutDepth) -> Result<Vec<StatPartial>> {
        let sums = |place: usize| self.sums.get(place).and_then(Option::as_ref);
        let stats = self.stats.iter().filter_map(|(named, place)| Some((named, sums(*place)?)));
        stats.map(|(named, sums)| sums.partial(&named.stat.function, slot, depth)).collect()
    }

    /// What orders buckets by a statistic.
    pub(super) fn ranks(&self, stat: usize, slots: impl Iterator<Item = usize>) -> Vec<StatRank> {
        let of = self.stats.get(stat).map(|(named, place)| (named, self.sums.get(*place)));
        let Some((named, Some(Some(sums)))) = of else { return slots.map(|_| NO_RANK).collect() };
        slots.map(|slot| sums.rank(&named.stat.function, slot)).collect()
    }
}

/// Gives each bucket the statistics of the documents under its place, empty ones too: they may be ordered by
/// one.
pub(super) fn fill_stats<'b>(
    (stats, slots): (&OpenStats<'_>, &Slots<'_>),
    (placed, depth): (&Placed, CutDepth),
    buckets: impl ExactSizeIterator<Item = &'b mut BucketPartial>,
) -> Result<()> {
    if stats.is_empty() {
        return Ok(());
    }
    let mut summary = stats.summary(buckets.len(), None);
    placed.each_batch(|segment, docs, slots| summary.add(segment, docs, slots));
    summary.relate(slots)?;
    summary.close()?;
    for (slot, bucket) in buckets.enumerate() {
        bucket.stats = summary.partials(slot, depth)?;
    }
    Ok(())
}
