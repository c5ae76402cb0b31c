//! How a bucket came out of those above it, as queries. Needed only where a facet below leaves out filters of
//! the search: its documents come from a wider search and are narrowed on the same way again. In: the buckets
//! from the root down; out: masks by segment. Where no facet leaves out a filter, which is nearly always,
//! none of it is made.

use std::sync::Arc;

use plan::{Clause, Filter, Occur, Query, RangeBucket, RangesFacet, Result, Value};

use super::docs::BucketDocs;
use crate::search::context::SearchContext;
use crate::search::mask::{self, PreparedFilter};

/// The last step and those before it.
pub(super) struct Path<'a> {
    pub(super) above: Option<&'a Path<'a>>,
    pub(super) step: Step<'a>,
}

pub(super) enum Step<'a> {
    Query(&'a Query),
    /// The documents with this value of the field.
    Value(&'a Arc<str>, &'a Value),
    /// Those without any.
    Missing(&'a Arc<str>),
    Range(&'a RangesFacet, &'a RangeBucket),
    /// The documents of a facet whose domain is another than the bucket above. No step on the way back to
    /// what a filter left out.
    Domain(&'a Query),
}

impl Step<'_> {
    pub(super) fn query(&self) -> Query {
        match self {
            Step::Query(query) | Step::Domain(query) => (*query).clone(),
            Step::Value(field, value) => Query::Term { field: (*field).clone(), value: (*value).clone() },
            Step::Missing(field) => {
                let exists = Query::Exists { field: (*field).clone() };
                let clauses = [(Occur::Must, Query::All), (Occur::MustNot, exists)];
                let clauses = clauses.map(|(occur, query)| Clause { occur, query }).into();
                Query::Boolean { clauses, minimum_should_match: 0 }
            }
            Step::Range(facet, bucket) => facet.query(bucket),
        }
    }

    /// The documents that went this step.
    pub(super) fn restrict<'d>(
        &self,
        context: &SearchContext<'_>,
        docs: &BucketDocs<'d>,
    ) -> Result<BucketDocs<'d>> {
        let filter = Filter { query: self.query(), cache: false, cost: 0, tags: Vec::new() };
        let filter = PreparedFilter::prepare(context, &filter)?;
        let bits = context.segments.iter().map(|segment| mask::filter_bits(context, segment, &filter));
        Ok(docs.restricted(&bits.collect::<Result<Vec<_>>>()?, true))
    }
}

/// The documents that went the whole way.
pub(super) fn restrict<'d>(
    context: &SearchContext<'_>,
    mut docs: BucketDocs<'d>,
    path: Option<&Path<'_>>,
) -> Result<BucketDocs<'d>> {
    let mut rest = path;
    while let Some(Path { above, step }) = rest {
        if !matches!(step, Step::Domain(_)) {
            docs = step.restrict(context, &docs)?;
        }
        rest = *above;
    }
    Ok(docs)
}

/// How one bucket was come to.
#[derive(Clone, Copy)]
pub(super) struct PathTo<'w> {
    pub(super) path: Option<&'w Path<'w>>,
    /// The last step, where the bucket is more than what it was cut from.
    pub(super) own: Option<&'w Step<'w>>,
}

impl<'w> PathTo<'w> {
    /// A bucket that is all there is at the end of a path.
    pub(super) fn to(path: Option<&'w Path<'w>>) -> Self {
        Self { path, own: None }
    }

    pub(super) fn by(path: &'w Path<'w>) -> Self {
        Self { path: Some(path), own: Some(&path.step) }
    }

    /// To what the bucket was cut from.
    pub(super) fn above(self) -> Option<&'w Path<'w>> {
        match self.own {
            Some(_) => self.path.and_then(|path| path.above),
            None => self.path,
        }
    }
}
