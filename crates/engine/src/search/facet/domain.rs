//! What a facet counts over: documents of each segment, as bits, the hits of a search or those of a query.
//! Dead documents may be among those of a query: it is kept as a filter's bits are.

use std::sync::Arc;

use plan::{Filter, Query, Result};

use crate::search::context::SearchContext;
use crate::search::mask::{self, PreparedFilter};
use crate::segment::bits::Bits;

/// The hits of each segment.
pub(crate) type Domain = Vec<Arc<Bits>>;

/// The documents that match, dead or alive, kept as a filter's are.
pub(crate) fn query_bits(context: &SearchContext<'_>, query: &Query) -> Result<Domain> {
    let filter = Filter { query: query.clone(), cache: true, cost: 0, tags: Vec::new() };
    let filter = PreparedFilter::prepare(context, &filter)?;
    context.segments.iter().map(|segment| mask::filter_bits(context, segment, &filter)).collect()
}
