//! A tree made ready for a snapshot: fields become columns, queries the bits of the documents that match,
//! once for all buckets.
//!
//! In: the facets of a plan and the domains of the search; out: what `terms`, `ranges` and `sums` work on,
//! bucket by bucket.

use std::sync::Arc;

use plan::{BucketPlan, DomainChange, Error, HeatmapFacet, Query, Result, SubFacet, SubFacetKind};

use super::below::BucketNeeds;
use super::ranges::OpenRanges;
use super::summary::OpenStats;
use super::terms::OpenTerms;
use crate::search::facet::domain::{Domain, query_bits};
use crate::search::facet::domains::Domains;
use crate::segment::bits::Bits;

pub(super) struct OpenBucket<'p> {
    pub(super) plan: &'p BucketPlan,
    pub(super) stats: OpenStats<'p>,
    pub(super) facets: Vec<OpenFacet<'p>>,
    pub(super) needs: BucketNeeds,
}

pub(super) struct OpenFacet<'p> {
    pub(super) plan: &'p SubFacet,
    pub(super) base: Base,
    /// By filter, by segment.
    pub(super) filters: Vec<Domain>,
    pub(super) cut: Cut<'p>,
    pub(super) below: OpenBucket<'p>,
}

/// Where the documents come from.
pub(super) enum Base {
    /// The bucket above.
    Bucket,
    /// Other hits of the search, narrowed as the bucket above was.
    Search(Domain),
    Queries(Domain),
}

pub(super) enum Cut<'p> {
    Query(Option<(&'p Query, Domain)>),
    Terms(OpenTerms<'p>),
    Ranges(OpenRanges<'p>),
    Heatmap(&'p HeatmapFacet),
}

impl<'p> OpenBucket<'p> {
    pub(super) fn open(domains: &mut Domains<'_>, plan: &'p BucketPlan) -> Result<Self> {
        let facets: Vec<OpenFacet<'_>> =
            plan.facets.iter().map(|facet| OpenFacet::open(domains, facet)).collect::<Result<_>>()?;
        let stats = OpenStats::open(domains.context, &plan.stats)?;
        let needs = BucketNeeds {
            places: 1 + stats.places(),
            sub_facets: !facets.is_empty(),
            more_than_count: !stats.is_empty() || !facets.is_empty(),
            adds_to_absent: plan.adds_to_absent(),
            asks_shards: facets
                .iter()
                .any(|facet| facet.plan.domain.asks_shards() || facet.below.needs.asks_shards),
            reaches_out: plan.reaches_out(),
        };
        Ok(Self { plan, stats, facets, needs })
    }
}

impl<'p> OpenFacet<'p> {
    fn open(domains: &mut Domains<'_>, plan: &'p SubFacet) -> Result<Self> {
        let context = domains.context;
        let below = OpenBucket::open(domains, &plan.below)?;
        if below.needs.asks_shards && matches!(plan.kind, SubFacetKind::Terms(_)) {
            // A value may have documents on one shard alone, and lead to some of another.
            return Err(Error::bad_request(
                "`domain.join` and `domain.graph` below a terms facet are not supported over several shards; put them \
                 into a facet of their own, or use a collection of one shard",
            ));
        }
        let cut = match &plan.kind {
            SubFacetKind::Query(None) => Cut::Query(None),
            SubFacetKind::Query(Some(query)) => Cut::Query(Some((query, query_bits(context, query)?))),
            SubFacetKind::Terms(terms) => Cut::Terms(OpenTerms::open(context, (terms, &plan.domain))?),
            SubFacetKind::Ranges(ranges) => Cut::Ranges(OpenRanges::open(context, ranges)?),
            SubFacetKind::Heatmap(facet) => Cut::Heatmap(facet),
        };
        let filters = plan.domain.filters.iter().map(|query| query_bits(context, query));
        let filters = filters.collect::<Result<_>>()?;
        let base = base(domains, &plan.domain)?;
        Ok(Self { plan, base, filters, cut, below })
    }
}

fn base(domains: &mut Domains<'_>, change: &DomainChange) -> Result<Base> {
    let context = domains.context;
    let Some(queries) = &change.queries else {
        // Tags that nothing has leave the bucket's documents, as in Solr.
        return Ok(match domains.knows(&change.exclude_tags) {
            false => Base::Bucket,
            true => Base::Search(domains.without(&change.exclude_tags)?),
        });
    };
    let all = |segment: &crate::search::context::SearchSegment<'_>| {
        segment.alive.clone().unwrap_or_else(|| Arc::new(Bits::all(segment.max_doc())))
    };
    let mut hits: Domain = context.segments.iter().map(all).collect();
    for query in queries {
        for (own, bits) in hits.iter_mut().zip(query_bits(context, query)?) {
            Arc::make_mut(own).intersect(&bits);
        }
    }
    Ok(Base::Queries(hits))
}
