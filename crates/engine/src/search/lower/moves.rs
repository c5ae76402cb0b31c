//! From documents at hand to others, for facets whose domain is not that of the bucket above: the same ways
//! that queries go. In: documents of a bucket as bits; out: documents of another domain as bits, all living
//! ones. Where a collection has several shards, joins and graphs start from the documents that a query finds
//! on all of them.

use std::sync::Arc;

use plan::{Join, Move, Query, Result};

use crate::search::context::SearchContext;
use crate::search::lower::lowering::Lowering;
use crate::search::mask::{self, PreparedFilter};
use crate::segment::bits::Bits;

/// The documents that a move leads to from `docs`, by segment; `everywhere` finds these on all shards, for
/// moves that ask them.
pub(crate) fn moved(
    context: &SearchContext<'_>,
    by: &Move,
    (docs, everywhere): (&[Arc<Bits>], Option<&Query>),
) -> Result<Vec<Arc<Bits>>> {
    let mut lowering = Lowering { context, scored: false };
    match by {
        Move::ToParents(parents) => through_blocks(context, parents, docs, parents_of),
        Move::ToChildren(parents) => through_blocks(context, parents, docs, children_of),
        Move::Join { collection, from, to } => {
            let (here, there) = (lowering.field(from), lowering.field(to));
            if let (Some(here), Some(there)) = (here, there) {
                super::join::check_kinds(here, there)?;
            }
            match (collection, everywhere, here, there) {
                (Some(collection), Some(query), _, Some(there)) => {
                    let join = over_shards(context, query, (from, to));
                    let values = context.peers(collection)?.joined(collection, &join, false)?;
                    lowering.living_holders(there, &values.0)
                }
                (None, _, Some(here), Some(there)) => lowering.step(there, here, docs),
                _ => Ok(none(context)),
            }
        }
        Move::Graph(graph) => match (&graph.collection, everywhere) {
            (Some(collection), Some(query)) => lowering.reached_over_shards(collection, query, graph, docs),
            _ => lowering.reached(graph, docs),
        },
    }
}

fn none(context: &SearchContext<'_>) -> Vec<Arc<Bits>> {
    context.segments.iter().map(|segment| Arc::new(Bits::none(segment.max_doc()))).collect()
}

/// What shards are asked whose values lead on, which is no other collection's.
fn over_shards(context: &SearchContext<'_>, query: &Query, (from, to): (&Arc<str>, &Arc<str>)) -> Join {
    let schema_version = Some(context.layout.lineage().version);
    Join {
        collection: None,
        schema_version,
        query: query.clone(),
        from: from.clone(),
        to: to.clone(),
        score: None,
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
