//! Statistics of many buckets at once: what is summed up of one column, by the number of the bucket.
//! Statistics of the same field share one reading of it. What no statistic asks for is not kept.
//!
//! In: batches of documents, each with the number of its bucket; out: a part for each statistic and bucket,
//! or the rank by which buckets are ordered. The sums themselves are kept by `sums`.

use plan::partial::StatPartial;
use plan::{CutDepth, NamedStat, Result, Stat, StatFunction, StatSource};
use tantivy::DocId;

use super::functions::FunctionColumn;
use super::keys::KeyColumn;
use super::open::query_bits;
use super::related::{Sets, Slots};
use super::sums::{Room, SourceSums};
use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;

/// What orders buckets by a statistic: whether there is one, its key, and what decides between equal ones.
pub(super) type Rank = (u8, u64, [u64; 2]);
pub(super) const NO_RANK: Rank = (0, 0, [0; 2]);

/// A source of statistics, opened, and what is asked of it.
pub(super) struct OpenSource {
    pub(super) source: StatSource,
    /// `None` for documents, and for a field that no document has.
    pub(super) column: Option<KeyColumn>,
    /// What computes the values that the column does not hold.
    pub(super) function: Option<FunctionColumn>,
    /// The parents of the documents, by segment.
    pub(super) parents: Option<Domain>,
    /// The sets that are compared.
    pub(super) sets: Option<Sets>,
    pub(super) needs: Needs,
}

/// What has to be kept by bucket.
#[derive(Clone, Copy, Default)]
pub(super) struct Needs {
    pub(super) moments: bool,
    pub(super) extremes: bool,
    pub(super) absent: bool,
    pub(super) distinct: bool,
    pub(super) samples: bool,
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

    /// Whether one is told by other documents than the bucket's.
    pub(super) fn compares_sets(&self) -> bool {
        self.sources.iter().any(|source| source.sets.is_some())
    }

    /// For buckets numbered below `buckets`, all empty yet. With `only`, for that statistic alone.
    pub(super) fn summary(&self, buckets: usize, only: Option<usize>) -> Summary<'_> {
        let wanted = only.and_then(|stat| self.stats.get(stat)).map(|(_, place)| *place);
        let sums = self.sources.iter().enumerate().map(|(place, source)| {
            let skipped = wanted.is_some_and(|wanted| wanted != place);
            (!skipped).then(|| SourceSums::new(source, buckets))
        });
        Summary { stats: &self.stats, sums: sums.collect(), room: Room::default() }
    }
}

impl OpenSource {
    fn open(context: &SearchContext<'_>, source: &StatSource) -> Result<Self> {
        let (mut column, mut function, mut parents, mut sets) = (None, None, None, None);
        match source {
            StatSource::Field(name) | StatSource::Runs(name) => {
                if let Some(layout) = context.layout.field(name) {
                    column = KeyColumn::with_words(context, layout)?;
                }
            }
            StatSource::Function { function: computed, present_only } => {
                column = Some(KeyColumn::computed());
                function = Some(FunctionColumn::open(context, computed, *present_only)?);
            }
            StatSource::Documents => {}
            StatSource::Parents(query) => parents = Some(query_bits(context, query)?),
            StatSource::Sets { foreground, background } => {
                sets = Some(Sets::open(context, foreground, background)?);
            }
        }
        Ok(Self { source: source.clone(), column, function, parents, sets, needs: Needs::default() })
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
            StatFunction::CountValues | StatFunction::Relatedness { .. } => {}
            StatFunction::Missing => self.absent = true,
            StatFunction::Percentiles(_) => self.samples = true,
        }
    }
}

/// Statistics of some buckets, in the making and made.
pub(super) struct Summary<'o> {
    stats: &'o [(&'o NamedStat, usize)],
    sums: Vec<Option<SourceSums<'o>>>,
    room: Room,
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

    /// The statistics of a bucket, in the order of the plan.
    pub(super) fn partials(&self, slot: usize, depth: CutDepth) -> Result<Vec<StatPartial>> {
        let sums = |place: usize| self.sums.get(place).and_then(Option::as_ref);
        let stats = self.stats.iter().filter_map(|(named, place)| Some((named, sums(*place)?)));
        stats.map(|(named, sums)| sums.partial(&named.stat.function, slot, depth)).collect()
    }

    /// By bucket what orders them by a statistic.
    pub(super) fn ranks(&self, stat: usize, buckets: usize) -> Vec<Rank> {
        let Some((named, place)) = self.stats.get(stat) else { return vec![NO_RANK; buckets] };
        let Some(Some(sums)) = self.sums.get(*place) else { return vec![NO_RANK; buckets] };
        (0..buckets).map(|slot| sums.rank(&named.stat.function, slot)).collect()
    }
}
