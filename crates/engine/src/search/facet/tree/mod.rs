//! Trees of facets with statistics over the hits of a search. The tree is opened once (`open`): columns, bits
//! of queries. Then each bucket is computed from its documents (`docs`): statistics (`summary`, `sums`) of
//! all buckets of a facet in one pass over the column, and sub-facets (`terms`, `ranges`) of the buckets that
//! are shown, whose documents were sorted by bucket in one pass too. Nothing is searched for a bucket unless
//! it excludes filters of the search.

mod distinct;
mod docs;
mod first;
mod functions;
mod keys;
mod open;
mod path;
mod ranges;
mod related;
mod summary;
mod sums;
mod table;
mod terms;

use plan::partial::{BucketPartial, StatPartial, SubFacetPartial};
use plan::{BucketPlan, CutDepth, Result};

use docs::BucketDocs;
use open::{Base, Cut, OpenBucket, OpenFacet};
use path::{Path, Step};

use related::Slots;

use super::heatmap;
use super::room::Room;
use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;
use crate::search::facet::domains::Domains;
use crate::search::lower::moved;

/// Computes `plan` of all hits.
pub(super) fn compute(domains: &mut Domains<'_>, plan: &BucketPlan) -> Result<BucketPartial> {
    let open = Opened::open(domains, plan)?;
    open.compute(domains.context, domains.room, &domains.all)
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
        room: &Room,
        hits: &Domain,
    ) -> Result<BucketPartial> {
        let tree = Tree { context, room, depth: self.depth };
        tree.bucket(&self.bucket, &BucketDocs::of(hits.clone()), Way::to(None))
    }
}

/// How one bucket was come to.
#[derive(Clone, Copy)]
struct Way<'w> {
    path: Option<&'w Path<'w>>,
    /// The last step, where the bucket is more than what it was cut from.
    own: Option<&'w Step<'w>>,
}

impl<'w> Way<'w> {
    /// A bucket that is all there is at the end of a path.
    fn to(path: Option<&'w Path<'w>>) -> Self {
        Self { path, own: None }
    }

    fn by(path: &'w Path<'w>) -> Self {
        Self { path: Some(path), own: Some(&path.step) }
    }

    /// To what the bucket was cut from.
    fn above(self) -> Option<&'w Path<'w>> {
        match self.own {
            Some(_) => self.path.and_then(|path| path.above),
            None => self.path,
        }
    }
}

/// What buckets are computed with.
#[derive(Clone, Copy)]
struct Tree<'c> {
    context: &'c SearchContext<'c>,
    room: &'c Room,
    depth: CutDepth,
}

impl Tree<'_> {
    fn is_whole(self) -> bool {
        self.depth == CutDepth::Whole
    }

    fn bucket(self, open: &OpenBucket<'_>, docs: &BucketDocs<'_>, way: Way<'_>) -> Result<BucketPartial> {
        let count = docs.count();
        if self.context.allowance.is_used_up() {
            return Ok(BucketPartial { count, ..BucketPartial::default() });
        }
        // What is empty here may not be so elsewhere.
        let shown = count > 0 || open.plan.process_empty || self.depth == CutDepth::Whole;
        let skipped = open.stats.is_empty() || !shown;
        let stats = if skipped { Vec::new() } else { self.stats(open, docs, way)? };
        Ok(BucketPartial { count, stats, facets: self.facets(open, docs, count, way.path)? })
    }

    /// The statistics of one bucket.
    fn stats(self, open: &OpenBucket<'_>, docs: &BucketDocs<'_>, way: Way<'_>) -> Result<Vec<StatPartial>> {
        let mut summary = open.stats.summary(1, None);
        let mut slots = Vec::new();
        for segment in 0..docs.segments() {
            docs.each_batch(segment, &self.context.allowance, |docs| {
                slots.resize(docs.len(), 0);
                summary.add(segment, docs, &slots);
            });
        }
        let count = |others: &BucketDocs<'_>| {
            let common = match way.own {
                Some(own) => own.restrict(self.context, others)?,
                None => others.restricted(&docs.bits(self.context), true),
            };
            Ok(vec![common.count()])
        };
        summary.relate(&Slots { context: self.context, path: way.above(), count: &count })?;
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
            let skipped = empty && !facet.outgrows_nothing && !(self.is_whole() && facet.adds_to_absent);
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
        for by in &facet.plan.domain.moves {
            docs = BucketDocs::of(moved(self.context, by, &docs.bits(self.context))?);
        }
        for bits in &facet.filters {
            docs = docs.restricted(bits, true);
        }
        Ok(match &facet.cut {
            Cut::Query(None) => SubFacetPartial::Query(self.bucket(&facet.below, &docs, Way::to(path))?),
            Cut::Query(Some((query, bits))) => {
                let path = Path { above: path, step: Step::Query(query) };
                let docs = docs.restricted(bits, true);
                SubFacetPartial::Query(self.bucket(&facet.below, &docs, Way::by(&path))?)
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
