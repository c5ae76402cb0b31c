//! The exact number of hits, without scoring any, of what has no way of its own (`constant`, `terms`).

use plan::Result;
use tantivy::query::Weight;
use tantivy::{DocId, DocSet};

use super::top_k::is_narrow;
use crate::search::bits::Bits;
use crate::search::error::engine_error;
use crate::search::mask::Masks;
use crate::search::node::Node;
use crate::search::{SearchContext, SearchSegment, weight};

pub(crate) fn count(context: &SearchContext<'_>, node: &Node, masks: &Masks) -> Result<u64> {
    let weight = weight::unscored(context.layout.tantivy(), node)?;
    let mut total = 0;
    for (segment, mask) in context.segments.iter().zip(masks) {
        total += u64::from(match mask {
            None => weight.count(segment.reader).map_err(engine_error)?,
            Some(mask) => count_allowed(&*weight, segment, mask)?,
        });
    }
    Ok(total)
}

fn count_allowed(weight: &dyn Weight, segment: &SearchSegment<'_>, mask: &Bits) -> Result<u32> {
    if is_narrow(mask, segment) {
        let mut docs = weight.scorer(segment.reader, 1.0).map_err(engine_error)?;
        let matches = |doc: &DocId| {
            if docs.doc() < *doc {
                docs.seek(*doc);
            }
            docs.doc() == *doc
        };
        return Ok(mask.iter().filter(matches).count() as u32);
    }
    let mut count = 0;
    weight
        .for_each_no_score(segment.reader, &mut |docs| {
            count += docs.iter().filter(|doc| mask.contains(**doc)).count() as u32;
        })
        .map_err(engine_error)?;
    Ok(count)
}
