//! The terms of a field in their order, each once, from the dictionaries of all segments at once: read side
//! by side, so that no more than one term of each segment is held. What becomes of them is the caller's. In:
//! a field and where to begin; out: terms with the segments that have them. No posting is read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use plan::Result;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use crate::errors::from_tantivy;
use crate::search::context::{SearchContext, SearchSegment};

/// Where a term is: segments with what their dictionaries say.
pub(super) type Infos<'a, 's> = Vec<(&'s SearchSegment<'a>, TermInfo)>;

/// Calls `take` with each term from `start` on, until it says no. Merged as they are read: gathered in a tree
/// first, ten million ids took several hundred megabytes more (2026-11).
pub(super) fn each_term<'a>(
    context: &SearchContext<'a>,
    field: Field,
    start: &[u8],
    take: &mut dyn FnMut(&[u8], &Infos<'a, '_>) -> Result<bool>,
) -> Result<()> {
    let inverted: Vec<_> = context
        .segments
        .iter()
        .map(|segment| Ok((segment, segment.reader.inverted_index(field).map_err(from_tantivy)?)))
        .collect::<Result<_>>()?;
    let mut streams = Vec::with_capacity(inverted.len());
    let mut heap = BinaryHeap::new();
    for (at, (segment, inverted)) in inverted.iter().enumerate() {
        let mut stream = inverted.terms().range().ge(start).into_stream().map_err(from_tantivy)?;
        if stream.advance() {
            heap.push(Reverse((stream.key().to_vec(), at)));
        }
        streams.push((*segment, stream));
    }
    while let Some(Reverse((term, first))) = heap.pop() {
        let mut same = vec![first];
        while heap.peek().is_some_and(|Reverse((next, _))| *next == term)
            && let Some(Reverse((_, at))) = heap.pop()
        {
            same.push(at);
        }
        let mut infos = Vec::with_capacity(same.len());
        for at in same {
            let Some((segment, stream)) = streams.get_mut(at) else { continue };
            infos.push((*segment, stream.value().clone()));
            if stream.advance() {
                heap.push(Reverse((stream.key().to_vec(), at)));
            }
        }
        if !take(&term, &infos)? {
            return Ok(());
        }
    }
    Ok(())
}
