//! Hits in the order of columns, scores or neither. Within a segment every key is one number whose natural
//! order is the sort's; only the best of each segment become hits, whose values compare across segments and
//! shards.

use std::collections::BinaryHeap;
use std::sync::Arc;

use meter::Allowance;
use plan::partial::HitRef;
use plan::{CursorMark, Result, SortKey};
use tantivy::DocId;

use super::cursor::Behind;
use super::key::Key;
use super::keys::{SortBasis, SortField};
use super::order::Order;
use super::source::KeySource;
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::function::{DOC_BATCH, each_doc_batch};
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// The first `limit` of `hits` in the order of `keys`, of those behind `mark` if there is one; ties in index
/// order.
pub(crate) fn sorted(
    context: &SearchContext<'_>,
    node: &Node,
    hits: &[Arc<Bits>],
    (keys, mark): (&[SortKey], Option<&CursorMark>),
    limit: usize,
) -> Result<Vec<HitRef>> {
    let order = Order::resolve(context, keys)?;
    let mut all: Vec<HitRef> = Vec::new();
    for (segment, hits) in context.segments.iter().zip(hits) {
        let mut sources = order.open(context, node, segment)?;
        let behind = Behind::open(&order, &sources, mark)?;
        let first = walk(&order, &mut sources, segment, hits, (&behind, limit));
        let hits = first.as_ref().unwrap_or(hits);
        let best = best_of_segment(&mut sources, hits, (&behind, limit), &context.allowance);
        for (values, doc) in best {
            all.push(order.hit(&sources, &values, (segment.number, doc))?);
        }
    }
    all.sort_by(HitRef::order);
    all.truncate(limit);
    Ok(all)
}

/// Hits that hold the first `limit` of a segment: those met when walking the order of the first key's values.
/// `None` where there is no such order, or where hits are so rare that looking at each is cheaper.
fn walk(
    order: &Order,
    sources: &mut [KeySource],
    segment: &SearchSegment<'_>,
    hits: &Bits,
    (behind, limit): (&Behind, usize),
) -> Option<Bits> {
    /// A step of a walk costs as much as looking at this many hits.
    const STEP: u64 = 2;
    let SortField { by: SortBasis::Column { column, .. }, descending } = order.first()? else { return None };
    let values = segment.view.value_order(column).filter(|values| values.len() == segment.max_doc())?;
    let source = sources.first_mut()?;
    let count = u64::from(hits.count());
    if count == 0 || limit as u64 * u64::from(values.len()) / count * STEP >= count {
        return None;
    }
    let doc_at = |step| values.doc(if *descending { values.len() - 1 - step } else { step });
    let start = first_step(values.len(), |step| source.key(doc_at(step)) >= behind.least());
    let mut first = Bits::none(segment.max_doc());
    let (mut found, mut last) = (0, None);
    for step in start..values.len() {
        let doc = doc_at(step);
        if hits.contains(doc) {
            let key = source.key(doc);
            // Equal ones all count: the other keys, or the index order, decide among them.
            if found >= limit && Some(key) != last {
                break;
            }
            first.insert(doc);
            // Of those equal to the mark the other keys say whether they are behind it.
            found += usize::from(!behind.begins_with(key));
            last = Some(key);
        }
    }
    Some(first)
}

/// The first step of which `holds` is true, which it is of all after it.
fn first_step(len: u32, mut holds: impl FnMut(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The first `limit` documents of a segment behind a mark with their keys, in no order.
fn best_of_segment(
    sources: &mut [KeySource],
    hits: &Bits,
    (behind, limit): (&Behind, usize),
    allowance: &Allowance,
) -> Vec<(Vec<Key>, DocId)> {
    let mut heap: BinaryHeap<(Vec<Key>, DocId)> = BinaryHeap::new();
    if limit == 0 {
        return Vec::new();
    }
    let Some((first, others)) = sources.split_first_mut() else { return Vec::new() };
    let mut batch = [0; DOC_BATCH];
    // Keys below are not behind the mark; those above cannot enter, once there are enough.
    let (least, mut bar) = (behind.least(), Key::MAX);
    each_doc_batch(hits, allowance, |docs| {
        let batch = batch.get_mut(..docs.len()).unwrap_or_default();
        first.keys(docs, batch);
        for (doc, key) in docs.iter().zip(batch.iter()) {
            if *key > bar || *key < least {
                continue;
            }
            let mut keys = Vec::with_capacity(others.len() + 1);
            keys.push(*key);
            keys.extend(others.iter_mut().map(|source| source.key(*doc)));
            if behind.holds(&keys) {
                offer(&mut heap, (keys, *doc), limit);
                bar = bar_of(&heap, limit, others.is_empty());
            }
        }
    });
    heap.into_vec()
}

/// The greatest first key that can still enter. Equal ones stand in index order, where no other key decides.
fn bar_of(heap: &BinaryHeap<(Vec<Key>, DocId)>, limit: usize, alone: bool) -> Key {
    let worst = heap.peek().and_then(|(keys, _)| keys.first()).filter(|_| heap.len() >= limit);
    worst.map_or(Key::MAX, |worst| if alone { worst.saturating_sub(1) } else { *worst })
}

/// Puts an entry among the `limit` least.
pub(crate) fn offer<T: Ord>(heap: &mut BinaryHeap<T>, entry: T, limit: usize) {
    if heap.len() < limit {
        heap.push(entry);
    } else if let Some(mut worst) = heap.peek_mut()
        && entry < *worst
    {
        *worst = entry;
    }
}
