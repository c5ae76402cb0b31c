//! From documents at hand to others, for facets whose domain is not that of the bucket above: the same ways
//! that queries go. In: documents of a bucket as bits; out: documents of another domain as bits, all living
//! ones. Over several shards joins and graphs of buckets are refused before
//! (`crates/solr/src/facet/tree/moves.rs`).

use std::sync::Arc;

use plan::{Move, Query, Result};

use crate::search::context::SearchContext;
use crate::search::lower::lowering::Lowering;
use crate::search::mask::{self, PreparedFilter};
use crate::segment::bits::Bits;

/// The documents that a move leads to from `docs`, by segment.
pub(crate) fn moved(context: &SearchContext<'_>, by: &Move, docs: &[Arc<Bits>]) -> Result<Vec<Arc<Bits>>> {
    let mut lowering = Lowering { context, scored: false };
    match by {
        Move::ToParents(parents) => through_blocks(context, parents, docs, parents_of),
        Move::ToChildren(parents) => through_blocks(context, parents, docs, children_of),
        Move::Join { from, to } => match (lowering.field(from), lowering.field(to)) {
            (Some(from), Some(to)) => {
                super::join::check_kinds(from, to)?;
                lowering.step(to, from, docs)
            }
            _ => Ok(context.segments.iter().map(|segment| Arc::new(Bits::none(segment.max_doc()))).collect()),
        },
        Move::Graph(graph) => lowering.reached(graph, docs),
    }
}

fn through_blocks(
    context: &SearchContext<'_>,
    parents: &Query,
    docs: &[Arc<Bits>],
    through: fn(&Bits, &Bits, &mut Bits),
) -> Result<Vec<Arc<Bits>>> {
    let parents = PreparedFilter::of_query(context, parents)?;
    let bits = context.segments.iter().zip(docs).map(|(segment, docs)| {
        let mut found = Bits::none(segment.max_doc());
        through(docs, &*mask::filter_bits(context, segment, &parents)?, &mut found);
        if let Some(alive) = &segment.alive {
            found.intersect(alive);
        }
        Ok(Arc::new(found))
    });
    bits.collect()
}

/// A parent is its own.
fn parents_of(docs: &Bits, parents: &Bits, found: &mut Bits) {
    docs.iter().for_each(|doc| found.insert(parents.next_from(doc)));
}

fn children_of(docs: &Bits, parents: &Bits, found: &mut Bits) {
    let mut first = 0;
    for parent in parents.iter() {
        if docs.contains(parent) {
            (first..parent).for_each(|child| found.insert(child));
        }
        first = parent + 1;
    }
}
