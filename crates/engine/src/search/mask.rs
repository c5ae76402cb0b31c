//! Which documents of a segment may be hits at all: the living ones that pass every filter. Filters come from the cache where
//! they may; uncached ones run in ascending order of cost.

use std::sync::Arc;

use plan::{Filter, Query, Result};
use tantivy::query::Weight;

use super::bits::Bits;
use super::error::engine_error;
use super::filter_cache::key_of;
use super::function::FunctionRangeNode;
use super::lower::lower_unscored;
use super::node::{Constant, DocSource, Node};
use super::terms::Direct;
use super::{SearchContext, SearchSegment, weight};

/// The documents allowed in each segment; `None` is all of them.
pub(crate) type Masks = Vec<Option<Arc<Bits>>>;

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
        let key = filter.cache.then(|| match filter.query.is_related() {
            // What it finds is true of this snapshot only.
            true => format!("{}@{}", context.snapshot, key_of(&filter.query)).into(),
            false => key_of(&filter.query),
        });
        let kept = key.as_ref().filter(|_| filter.query.is_related()).and_then(|key| kept(context, key));
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

    /// A range of a function that is not kept: it need not look at documents that other filters have left out.
    fn late_range(&self) -> Option<&FunctionRangeNode> {
        match &self.node {
            Node::Constant(Constant { source: DocSource::FunctionRange(range), .. })
                if self.key.is_none() =>
            {
                Some(range)
            }
            _ => None,
        }
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
        let bits = match (filter.late_range(), &mask) {
            (Some(range), Some(left)) => Arc::new(range.bits_among(segment.reader, left)?),
            _ => filter_bits(context, segment, filter)?,
        };
        mask = Some(match (mask, filter.negative) {
            (None, false) => bits,
            (None, true) => {
                let mut all = Bits::all(segment.max_doc());
                all.subtract(&bits);
                Arc::new(all)
            }
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
    Ok(mask)
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
    let bits = node_bits(context, segment, &filter.node)?;
    if let Some(key) = &filter.key {
        context.caches.filters.insert(segment.view.id(), key, &bits);
    }
    Ok(bits)
}

/// All documents of the segment that match, dead or alive.
pub(crate) fn node_bits(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    node: &Node,
) -> Result<Arc<Bits>> {
    match node {
        Node::Function(_) => return Ok(Arc::new(Bits::all(segment.max_doc()))),
        Node::Preset(preset) => return Ok(preset.bits(segment.reader)),
        Node::Boosted(boosted) => return node_bits(context, segment, &boosted.node),
        _ => {}
    }
    if let Node::Constant(constant) = node {
        if let Some(computed) = constant.source.computed() {
            return computed.bits(segment.reader);
        }
        if matches!(constant.source, DocSource::All) {
            return Ok(Arc::new(Bits::all(segment.max_doc())));
        }
    }
    if let Some(direct) = Direct::of(node) {
        return direct.bits(segment).map(Arc::new);
    }
    let weight = weight::unscored(context.layout.tantivy(), node)?;
    collect_bits(&*weight, segment).map(Arc::new)
}

fn collect_bits(weight: &dyn Weight, segment: &SearchSegment<'_>) -> Result<Bits> {
    let mut bits = Bits::none(segment.max_doc());
    weight
        .for_each_no_score(segment.reader, &mut |docs| docs.iter().for_each(|doc| bits.insert(*doc)))
        .map_err(engine_error)?;
    Ok(bits)
}

fn allowed(mut bits: Arc<Bits>, mask: Option<&Arc<Bits>>) -> Result<Arc<Bits>> {
    if let Some(mask) = mask {
        Arc::make_mut(&mut bits).intersect(mask);
    }
    Ok(bits)
}

/// The hits of a node in each segment.
pub(crate) fn hits(context: &SearchContext<'_>, node: &Node, masks: &Masks) -> Result<Vec<Arc<Bits>>> {
    context
        .segments
        .iter()
        .zip(masks)
        .map(|(segment, mask)| allowed(node_bits(context, segment, node)?, mask.as_ref()))
        .collect()
}
