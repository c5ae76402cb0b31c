//! Which documents of a segment may be hits at all: the living ones that pass every filter. Filters come from
//! the cache where they may; uncached ones run in ascending order of cost.
//!
//! In: the filters of a plan; out: bits by segment, which the query, facets and groups go by. What may be
//! kept, and for a segment or for a snapshot only, follows from the query's scope.

use std::sync::Arc;

use plan::{Filter, MatchScope, Query, Result};

use super::filter_cache::key_of;
use super::lower::lower_unscored;
use super::matches::matches;
use super::node::Node;
use crate::search::context::{Masks, SearchContext, SearchSegment};
use crate::segment::bits::Bits;

/// A filter ready to run in any segment.
pub(crate) struct PreparedFilter {
    /// Nothing where all its bits were kept.
    node: Node,
    /// The bits of all segments, where they were kept.
    kept: Option<Vec<Arc<Bits>>>,
    /// Present when its bits may be kept.
    key: Option<Arc<str>>,
    /// Takes its documents away instead of keeping them.
    negative: bool,
    pub(crate) tags: Vec<String>,
    cost: i32,
}

impl PreparedFilter {
    pub(crate) fn prepare(context: &SearchContext<'_>, filter: &Filter) -> Result<Self> {
        let scope = filter.query.scope();
        let key = match scope {
            _ if !filter.cache => None,
            MatchScope::Segment => Some(key_of(&filter.query)),
            // It may depend on what other shards count, of which this snapshot's number says nothing.
            MatchScope::Snapshot if context.is_counted_by_all() => None,
            // What it finds is true of this snapshot only.
            MatchScope::Snapshot => Some(format!("{}@{}", context.snapshot, key_of(&filter.query)).into()),
            MatchScope::Collections => None,
        };
        let kept = key.as_ref().filter(|_| scope == MatchScope::Snapshot).and_then(|key| kept(context, key));
        let node = if kept.is_some() { Node::Nothing } else { lower_unscored(context, &filter.query)? };
        Ok(Self { node, kept, key, negative: false, tags: filter.tags.clone(), cost: filter.cost })
    }

    /// A query on the way down whose bits are kept as a filter's are.
    pub(crate) fn of_query(context: &SearchContext<'_>, query: &Query) -> Result<Self> {
        Self::prepare(context, &Filter { query: query.clone(), cache: true, cost: 0, tags: Vec::new() })
    }

    /// A clause of the main query that only restricts.
    pub(crate) fn of_node(node: Node, negative: bool) -> Self {
        Self { node, kept: None, key: None, negative, tags: Vec::new(), cost: 0 }
    }

    pub(crate) fn cost(&self) -> i32 {
        self.cost
    }
}

/// A query that is worked out over all segments at once is not begun where the cache has them all.
fn kept(context: &SearchContext<'_>, key: &Arc<str>) -> Option<Vec<Arc<Bits>>> {
    let filters = &context.caches.filters;
    let bits = context.segments.iter().map(|segment| filters.get(segment.view.id(), key, segment.max_doc()));
    bits.collect()
}

/// The documents that pass `filters` and live.
pub(crate) fn masks<'f>(
    context: &SearchContext<'_>,
    filters: impl Iterator<Item = &'f PreparedFilter> + Clone,
) -> Result<Masks> {
    let mut ordered: Vec<&PreparedFilter> = filters.collect();
    ordered.sort_by_key(|filter| (filter.key.is_none(), filter.cost()));
    context.segments.iter().map(|segment| mask(context, segment, &ordered)).collect()
}

fn mask(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    filters: &[&PreparedFilter],
) -> Result<Option<Arc<Bits>>> {
    let mut mask: Option<Arc<Bits>> = segment.alive.clone();
    for filter in filters {
        if mask.as_ref().is_some_and(|mask| mask.is_empty()) {
            break;
        }
        let bits = match filter.key.as_ref().filter(|_| context.caches.filters.is_on()) {
            Some(_) => filter_bits(context, segment, filter)?,
            // What is not kept need not be known of documents that are out already.
            None => matches(context, segment, &filter.node, mask.as_ref())?,
        };
        mask = Some(match (mask, filter.negative) {
            (None, false) => bits,
            (None, true) => Arc::new(bits.complement()),
            (Some(mut mask), negative) => {
                let own = Arc::make_mut(&mut mask);
                if negative {
                    own.subtract(&bits);
                } else {
                    own.intersect(&bits);
                }
                mask
            }
        });
    }
    Ok(if context.allowance.was_used_up() { Some(Arc::new(Bits::none(segment.max_doc()))) } else { mask })
}

/// All documents of the segment that pass a filter, dead or alive, from the cache where they may be kept.
pub(crate) fn filter_bits(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    filter: &PreparedFilter,
) -> Result<Arc<Bits>> {
    if let Some(bits) = filter.kept.as_ref().and_then(|kept| kept.get(segment.number)) {
        return Ok(bits.clone());
    }
    let known = filter
        .key
        .as_ref()
        .and_then(|key| context.caches.filters.get(segment.view.id(), key, segment.max_doc()));
    if let Some(bits) = known {
        return Ok(bits);
    }
    // All documents, not those alone that are left here: the next search that has the filter leaves others.
    // Dead ones among them: of a segment only the marks change, so that what is kept stays right.
    let bits = matches(context, segment, &filter.node, None)?;
    // Half a filter is of no use to others.
    if let Some(key) = filter.key.as_ref().filter(|_| !context.allowance.was_used_up()) {
        context.caches.filters.insert(segment.view.id(), key, &bits);
    }
    Ok(bits)
}

/// The hits of a node in each segment.
pub(crate) fn hits(context: &SearchContext<'_>, node: &Node, masks: &Masks) -> Result<Vec<Arc<Bits>>> {
    let pairs = context.segments.iter().zip(masks);
    pairs.map(|(segment, mask)| hits_in(context, segment, node, mask.as_ref())).collect()
}

/// The hits of one segment: all of them, or none where the allowance was used up on the way.
pub(crate) fn hits_in(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    node: &Node,
    mask: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    let bits = matches(context, segment, node, mask)?;
    Ok(if context.allowance.was_used_up() { Arc::new(Bits::none(segment.max_doc())) } else { bits })
}
