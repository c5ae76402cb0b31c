//! Queries whose matches all score the same: the page is their first documents, and nothing is scored. In: a
//! lowered node and the masks of filters; out: the first hits and the exact count, which is a count of bits.
//! It is tried before anything else that collects: a filter alone, `*:*` and their like end here.

use plan::Result;
use plan::partial::HitRef;

use crate::search::context::Masks;
use crate::search::context::SearchContext;
use crate::search::mask;
use crate::search::node::{DocSource, Node};
use crate::segment::bits::Bits;

/// The first `limit` matches and the number of all; `None` when `node` is not such a query.
pub(crate) fn first_and_count(
    context: &SearchContext<'_>,
    node: &Node,
    masks: &Masks,
    limit: usize,
) -> Result<Option<(Vec<HitRef>, u64)>> {
    let Node::Constant(constant) = node else { return Ok(None) };
    let (mut found, mut total) = (Vec::new(), 0);
    for (segment, mask) in context.segments.iter().zip(masks) {
        let hit = |doc| HitRef::scored(segment.number, doc, constant.score);
        let room = limit.saturating_sub(found.len());
        let matches = match &constant.source {
            DocSource::All => None,
            _ => Some(mask::hits_in(context, segment, node, None)?),
        };
        match (matches.as_deref(), mask.as_deref()) {
            (None, None) => {
                found.extend((0..segment.max_doc()).take(room).map(hit));
                total += u64::from(segment.max_doc());
            }
            (Some(docs), None) | (None, Some(docs)) => {
                found.extend(docs.iter().take(room).map(hit));
                total += u64::from(docs.count());
            }
            (Some(docs), Some(mask)) => {
                found.extend(docs.iter().filter(|doc| mask.contains(*doc)).take(room).map(hit));
                total += u64::from(Bits::count_common(docs, mask));
            }
        }
    }
    Ok(Some((found, total)))
}
