//! Trees of facets with statistics over the hits of a search. The tree is opened once (`open`): columns, bits
//! of queries. Then each bucket is computed from its documents (`docs`): statistics (`summary`, `sums`) of
//! all buckets of a facet in one pass over the column, and sub-facets (`terms`, `ranges`) of the buckets that
//! are shown, whose documents were sorted by bucket in one pass too. Nothing is searched for a bucket unless
//! it excludes filters of the search.

mod below;
mod distinct;
mod docs;
mod every_value;
mod first;
mod from_postings;
mod functions;
mod keys;
mod open;
mod origin;
mod path;
mod ranges;
mod rank;
mod related;
mod stat_source;
mod summary;
mod sums;
mod terms;

use plan::partial::{BucketPartial, StatPartial, SubFacetPartial};
use plan::{BucketPlan, CutDepth, Result};

use below::{BucketNeeds, BucketsBelow, TreeContext};
use docs::BucketDocs;
use open::{Base, Cut, OpenBucket, OpenFacet};
use path::{Path, PathTo, Step};
use related::Slots;
use summary::OpenStats;

use super::heatmap;
use super::room::BucketBudget;
use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;
use crate::search::facet::domains::{Domains, Searched};
use crate::search::lower::moved;

/// Computes `plan` of all hits.
pub(super) fn compute(domains: &mut Domains<'_>, plan: &BucketPlan) -> Result<BucketPartial> {
    let open = Opened::open(domains, plan)?;
    open.compute(domains.context, (domains.room, domains.searched), &domains.all)
}

/// A tree made ready for a snapshot.
pub(super) struct Opened<'p> {
    bucket: OpenBucket<'p>,
    depth: CutDepth,
}

impl<'p> Opened<'p> {
    pub(super) fn open(domains: &mut Domains<'_>, plan: &'p BucketPlan) -> Result<Self> {
        Ok(Self { bucket: OpenBucket::open(domains, plan)?, depth: domains.depth })
    }

    /// The tree of these hits.
    pub(super) fn compute(
        &self,
        context: &SearchContext<'_>,
        (room, searched): (&BucketBudget, &Searched<'_>),
        hits: &Domain,
    ) -> Result<BucketPartial> {
        let tree = TreeContext { context, room, depth: self.depth, searched };
        tree.bucket(&self.bucket, &BucketDocs::of(hits.clone()), PathTo::to(None))
    }
}

impl BucketsBelow for OpenBucket<'_> {
    fn stats(&self) -> &OpenStats<'_> {
        &self.stats
    }

    fn needs(&self) -> BucketNeeds {
        self.needs
    }

    fn bucket(&self, tree: TreeContext<'_>, docs: &BucketDocs<'_>, to: PathTo<'_>) -> Result<BucketPartial> {
        tree.bucket(self, docs, to)
    }

    fn facets(
        &self,
        tree: TreeContext<'_>,
        docs: &BucketDocs<'_>,
        count: u64,
        path: Option<&Path<'_>>,
    ) -> Result<Vec<Option<SubFacetPartial>>> {
        tree.facets(self, docs, count, path)
    }
}

impl TreeContext<'_> {
    fn bucket(self, open: &OpenBucket<'_>, docs: &BucketDocs<'_>, to: PathTo<'_>) -> Result<BucketPartial> {
        let count = docs.count();
        if self.context.allowance.is_used_up() {
            return Ok(BucketPartial { count, ..BucketPartial::default() });
        }
        // What is empty here may not be so elsewhere.
        let shown = count > 0 || open.plan.process_empty || self.depth == CutDepth::Whole;
        let skipped = open.stats.is_empty() || !shown;
        let stats = if skipped { Vec::new() } else { self.stats(open, docs, to)? };
        Ok(BucketPartial { count, stats, facets: self.facets(open, docs, count, to.path)? })
    }

    /// The statistics of one bucket.
    fn stats(self, open: &OpenBucket<'_>, docs: &BucketDocs<'_>, to: PathTo<'_>) -> Result<Vec<StatPartial>> {
        let mut summary = open.stats.summary(1, None);
        let mut slots = Vec::new();
        for segment in 0..docs.segments() {
            docs.each_batch(segment, &self.context.allowance, |docs| {
                slots.resize(docs.len(), 0);
                summary.add(segment, docs, &slots);
            });
        }
        let count = |others: &BucketDocs<'_>| {
            let common = match to.own {
                Some(own) => own.restrict(self.context, others)?,
                None => others.restricted(&docs.bits(self.context), true),
            };
            Ok(vec![common.count()])
        };
        summary.relate(&Slots { context: self.context, path: to.above(), count: &count })?;
        summary.close()?;
        summary.partials(0, self.depth)
    }

    /// The sub-facets of a bucket of `count` documents.
    fn facets(
        self,
        open: &OpenBucket<'_>,
        docs: &BucketDocs<'_>,
        count: u64,
        path: Option<&Path<'_>>,
    ) -> Result<Vec<Option<SubFacetPartial>>> {
        let empty = count == 0 && !open.plan.process_empty;
        let goes_on = |_: &&OpenFacet<'_>| !self.context.allowance.is_used_up();
        let computed = open.facets.iter().take_while(goes_on).map(|facet| {
            let has_more =
                || facet.plan.outgrows_nothing() || (self.is_whole() && facet.plan.adds_to_absent());
            let skipped = empty && !has_more();
            if skipped { Ok(None) } else { self.facet(facet, docs, path).map(Some) }
        });
        computed.collect()
    }

    fn facet(
        self,
        facet: &OpenFacet<'_>,
        docs: &BucketDocs<'_>,
        path: Option<&Path<'_>>,
    ) -> Result<SubFacetPartial> {
        let mut docs = match &facet.base {
            Base::Bucket => docs.borrowed(),
            Base::Search(hits) => path::restrict(self.context, BucketDocs::of(hits.clone()), path)?,
            Base::Queries(hits) => BucketDocs::of(hits.clone()),
        };
        let domain = &facet.plan.domain;
        let mut everywhere = None;
        if domain.asks_shards() || facet.below.needs.asks_shards {
            let widened = matches!(facet.base, Base::Search(_));
            everywhere = Some(origin::before_moves(self.searched.plan, (domain, widened), path)?);
        }
        for by in &domain.moves {
            let bits = docs.bits(self.context);
            docs = BucketDocs::of(moved(self.context, by, (&bits, everywhere.as_ref()))?);
            let version = self.context.layout.lineage().version;
            everywhere = everywhere.map(|query| origin::after(by, version, query));
        }
        for bits in &facet.filters {
            docs = docs.restricted(bits, true);
        }
        let everywhere =
            everywhere.map(|query| origin::all_of(domain.filters.iter().cloned().chain([query]).collect()));
        let within = everywhere.as_ref().map(|query| Path { above: path, step: Step::Domain(query) });
        let path = within.as_ref().or(path);
        Ok(match &facet.cut {
            Cut::Query(None) => SubFacetPartial::Query(self.bucket(&facet.below, &docs, PathTo::to(path))?),
            Cut::Query(Some((query, bits))) => {
                let path = Path { above: path, step: Step::Query(query) };
                let docs = docs.restricted(bits, true);
                SubFacetPartial::Query(self.bucket(&facet.below, &docs, PathTo::by(&path))?)
            }
            Cut::Terms(terms) => SubFacetPartial::Terms(terms.cut(self, &facet.below, &docs, path)?),
            Cut::Ranges(ranges) => SubFacetPartial::Ranges(ranges.cut(self, &facet.below, &docs, path)?),
            Cut::Heatmap(facet) => {
                let domain = docs.bits(self.context);
                SubFacetPartial::Heatmap(heatmap::count(self.context, self.room, facet, &domain)?)
            }
        })
    }
}
