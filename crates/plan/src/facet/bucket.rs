//! Trees of facets with statistics, resolved: what is computed of a set of documents (a *bucket*), and how it
//! is cut into smaller ones of which the same may be asked. Solr's JSON facets are one; its statistics of
//! fields are another, of two levels. The outermost bucket is all hits of the search.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facet::heatmap::{HeatmapFacet, HeatmapResult};
use crate::facet::listing::{ShardListing, ShownValues};
use crate::facet::range::{OtherRange, RangeBucket};
use crate::function::operand::CurrencyOf;
use crate::query::relation::Move;
use crate::query::shape::Range;
use crate::query::tree::{Function, Query};
use crate::value::Value;

/// What is computed of one bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BucketPlan {
    pub stats: Vec<NamedStat>,
    pub facets: Vec<SubFacet>,
    /// Compute all of it even where the bucket is empty (Solr's `processEmpty`).
    pub process_empty: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedStat {
    /// The name in the response.
    pub key: String,
    pub stat: Stat,
}

/// A number, or a few, that sums up the documents of a bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stat {
    pub function: StatFunction,
    pub source: StatSource,
}

/// What a statistic is taken of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StatSource {
    /// All values of the field.
    Field(Arc<str>),
    /// Computed of each document; numbers. Of a document that lacks what the function reads, a number other
    /// than 0 may be computed all the same: it counts unless `present_only`.
    Function { function: Function, present_only: bool },
    /// The documents themselves; only [`StatFunction::CountValues`] reads it.
    Documents,
    /// The parents of the documents, which are those that match, each once; only
    /// [`StatFunction::CountValues`] reads it.
    Parents(Query),
    /// All documents of the index that match one query, and those that match another; only
    /// [`StatFunction::Relatedness`] reads it.
    Sets { foreground: Query, background: Query },
    /// The field's values, of documents one behind another with the same value only one; only
    /// [`StatFunction::CountValues`] reads it.
    Runs(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StatFunction {
    Sum,
    /// 0 of no values.
    Average,
    /// As [`StatFunction::Average`], but of no values not a number; of dates a date, or nothing.
    Mean,
    Min,
    Max,
    SumOfSquares,
    /// Of a sample: divided by one less than there are values; 0 of fewer than two.
    Variance,
    /// The root of [`StatFunction::Variance`].
    StdDev,
    /// How many distinct values.
    Distinct,
    /// The distinct values themselves, in their order.
    DistinctValues,
    CountValues,
    /// How many documents without a value.
    Missing,
    /// Values below which these shares (0 to 100) of all lie.
    Percentiles(Vec<f64>),
    /// How much more of the foreground has the bucket's value than of the background: from -1 to 1; nothing
    /// to compare where less than `popularity_min` of the background's documents have it in either.
    Relatedness {
        popularity_min: f64,
    },
}

/// A way to cut a bucket into smaller ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubFacet {
    pub key: String,
    pub domain: DomainChange,
    pub kind: SubFacetKind,
    /// What is computed of each smaller bucket.
    pub below: BucketPlan,
}

impl BucketPlan {
    /// Whether what is computed of a bucket looks at other documents than the bucket's.
    pub fn reaches_out(&self) -> bool {
        let reaches = |facet: &SubFacet| facet.domain.widens() || facet.below.reaches_out();
        self.compares_sets() || self.facets.iter().any(reaches)
    }

    /// Whether a bucket without documents in a shard still has something to merge.
    pub fn adds_to_absent(&self) -> bool {
        self.compares_sets() || self.facets.iter().any(SubFacet::adds_to_absent)
    }

    fn compares_sets(&self) -> bool {
        self.stats.iter().any(|named| matches!(named.stat.source, StatSource::Sets { .. }))
    }
}

impl SubFacet {
    /// Whether there may be something to show although the bucket above is empty.
    pub fn outgrows_nothing(&self) -> bool {
        self.domain.widens() || self.below.facets.iter().any(Self::outgrows_nothing)
    }

    /// Whether it has something to merge although the bucket above is empty in a shard: values without
    /// documents, say.
    pub fn adds_to_absent(&self) -> bool {
        let lists_empty = self.terms().is_some_and(|terms| terms.count_min == 0);
        self.domain.widens() || lists_empty || self.below.adds_to_absent()
    }

    /// The statistic that orders the values, where the page is cut by it and there is more to compute of
    /// what is shown; the same for all shards.
    pub fn ranked_by(&self) -> Option<usize> {
        let terms = self.terms()?;
        let TermsSort::Stat(stat) = terms.sort else { return None };
        let cuts =
            terms.limit.is_some() && terms.prelim.is_none() && !terms.num_buckets && terms.count_min > 0;
        let has_more = self.below.stats.len() > 1 || !self.below.facets.is_empty();
        let of_own = !self.below.reaches_out() && !self.below.adds_to_absent();
        (cuts && has_more && of_own).then_some(stat)
    }

    /// The same with its values listed so.
    #[must_use]
    pub fn listing(&self, listing: ShardListing) -> Self {
        let mut facet = self.clone();
        if let SubFacetKind::Terms(terms) = &mut facet.kind {
            terms.listing = listing;
        }
        facet
    }

    pub(crate) fn terms(&self) -> Option<&TermsFacet> {
        match &self.kind {
            SubFacetKind::Terms(terms) => Some(terms),
            _ => None,
        }
    }

    /// `None` where the page is not of the most frequent values.
    pub fn shown_values(&self) -> Option<ShownValues> {
        let terms = self.terms()?;
        let TermsFacet { sort, descending, prelim, limit, offset, count_min, num_buckets, .. } = terms;
        let by_count = *sort == TermsSort::Count && *descending && prelim.is_none() && !num_buckets;
        let reach = offset.saturating_add(limit.filter(|limit| by_count && *limit > 0)?);
        let more_than_count = !(self.below.stats.is_empty() && self.below.facets.is_empty());
        Some(ShownValues { reach, count_min: *count_min, more_than_count })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SubFacetKind {
    /// One bucket: the documents that also match. Without a query all of them.
    Query(Option<Query>),
    /// A bucket for each value.
    Terms(TermsFacet),
    /// A bucket for each range.
    Ranges(RangesFacet),
    /// Counts over a map. Its key, its tags and what is below mean nothing.
    Heatmap(HeatmapFacet),
}

/// Which documents are cut, where that is not those of the bucket above.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DomainChange {
    /// The search's filters with these tags do not count.
    pub exclude_tags: Vec<String>,
    /// Instead of the search: documents that match all of these.
    pub queries: Option<Vec<Query>>,
    /// From the documents so far to others, one after the other.
    pub moves: Vec<Move>,
    /// Only documents that match all of these.
    pub filters: Vec<Query>,
}

impl DomainChange {
    /// Whether an empty bucket may become one that is not.
    pub fn widens(&self) -> bool {
        self.queries.is_some() || !self.exclude_tags.is_empty() || self.asks_shards()
    }

    /// Whether it leads from and to documents of several shards.
    pub fn asks_shards(&self) -> bool {
        self.moves.iter().any(Move::asks_shards)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermsFacet {
    pub field: Arc<str>,
    pub sort: TermsSort,
    pub descending: bool,
    /// Which values come into consideration for the page, where not all do.
    pub prelim: Option<Prelim>,
    /// `None` is all.
    pub limit: Option<usize>,
    pub offset: usize,
    pub count_min: u64,
    pub prefix: Option<String>,
    /// Also the bucket of documents without a value.
    pub missing: bool,
    /// Also how many values there are.
    pub num_buckets: bool,
    /// Also a bucket in which each document is as often as it has values.
    pub all_buckets: bool,
    pub listing: ShardListing,
}

/// An order by which values are chosen before those that are chosen are put in another (Solr's
/// `prelim_sort`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prelim {
    pub sort: TermsSort,
    pub descending: bool,
    /// How many more are chosen than the page reaches to.
    pub extra: usize,
}

/// What the buckets of a terms facet are ordered by; ties are in value order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TermsSort {
    Count,
    Index,
    /// A statistic of `below`, by its place there.
    Stat(usize),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangesFacet {
    pub field: Arc<str>,
    /// Of a field of prices: what is counted, bounds being amounts as it gives them.
    pub money: Option<Box<CurrencyOf>>,
    /// The value shown for each, and its bounds.
    pub buckets: Vec<(Value, RangeBucket)>,
    pub others: Vec<(OtherRange, RangeBucket)>,
    pub count_min: u64,
}

impl RangesFacet {
    /// The documents of one of its buckets.
    pub fn query(&self, bucket: &RangeBucket) -> Query {
        let (lower, upper) = (bucket.lower.clone(), bucket.upper.clone());
        match &self.money {
            Some(money) => money.between(lower, upper),
            None => Query::Range(Range { field: self.field.clone(), lower, upper }),
        }
    }

    /// The bounds of all its buckets, those of the others last.
    pub fn all(&self) -> impl Iterator<Item = &RangeBucket> {
        let buckets = self.buckets.iter().map(|(_, bucket)| bucket);
        buckets.chain(self.others.iter().map(|(_, bucket)| bucket))
    }
}

/// What was computed of one bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BucketResult {
    pub count: u64,
    /// In the order of the plan; none of an empty bucket, unless the plan asks for them.
    pub stats: Vec<(String, StatValue)>,
    pub facets: Vec<(String, SubFacetResult)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatValue {
    /// Of no values there is none.
    Nothing,
    One(Value),
    Many(Vec<Value>),
    /// (share, value); of no values there is none.
    Percentiles(Vec<(f64, Option<f64>)>),
    /// See [`StatFunction::Relatedness`]; the other two are shares of the background.
    Relatedness {
        relatedness: f64,
        foreground: f64,
        background: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum SubFacetResult {
    Query(BucketResult),
    Buckets(Buckets),
    Heatmap(HeatmapResult),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets {
    pub list: Vec<(Value, BucketResult)>,
    pub num_buckets: Option<u64>,
    pub all_buckets: Option<BucketResult>,
    pub missing: Option<BucketResult>,
    pub others: Vec<(OtherRange, BucketResult)>,
}
