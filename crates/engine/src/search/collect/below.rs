//! Which documents below a hit give it its sort key (Solr's `childfield`): those just before it, up to the
//! parent before, that match a query and live. In: two queries, for parents and for children; out: for a
//! document the children just before it. What of their values orders the hit is the sort's.

use std::sync::Arc;

use plan::{Query, Result};
use tantivy::DocId;

use crate::search::context::{SearchContext, SearchSegment};
use crate::search::mask::{self, PreparedFilter};
use crate::segment::bits::Bits;

/// The blocks of each segment.
pub(super) struct Below {
    parents: Vec<Arc<Bits>>,
    children: Vec<Arc<Bits>>,
}

impl Below {
    pub(super) fn open(context: &SearchContext<'_>, parents: &Query, children: &Query) -> Result<Self> {
        let bits = |query: &Query| {
            let filter = PreparedFilter::of_query(context, query)?;
            let bits = context.segments.iter().map(|segment| mask::filter_bits(context, segment, &filter));
            bits.collect::<Result<Vec<_>>>()
        };
        Ok(Self { parents: bits(parents)?, children: bits(children)? })
    }

    pub(super) fn of(&self, segment: &SearchSegment<'_>) -> Option<SegmentBelow> {
        let mut children = self.children.get(segment.number)?.clone();
        if let Some(alive) = &segment.alive {
            Arc::make_mut(&mut children).intersect(alive);
        }
        Some(SegmentBelow { parents: self.parents.get(segment.number)?.clone(), children })
    }
}

/// The blocks of one segment.
pub(super) struct SegmentBelow {
    parents: Arc<Bits>,
    children: Arc<Bits>,
}

impl SegmentBelow {
    /// The documents below `doc` that count, ascending.
    pub(super) fn children(&self, doc: DocId) -> impl Iterator<Item = DocId> + '_ {
        let before = self.parents.last_before(doc);
        self.children.iter_in(before.map_or(0, |parent| parent + 1), doc)
    }
}
