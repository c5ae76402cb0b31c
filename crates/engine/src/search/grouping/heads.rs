//! The best hit of each group, in one pass over the hits. Only the groups that may come first in the snapshot
//! are compared across segments: a group among the first of all is among the first of the segment that has
//! its best hit.

use std::collections::HashMap;
use std::sync::Arc;

use plan::Result;
use plan::partial::HitRef;
use tantivy::DocId;

use super::values::Groups;
use crate::search::collect::{Key, KeySource, Order};
use crate::search::context::SearchContext;
use crate::search::function::{DOC_BATCH, each_doc_batch};
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// A group with its best hit.
pub(super) struct Head {
    pub(super) group: u32,
    pub(super) hit: HitRef,
}

/// The first `limit` groups by their best hits, in that order. `groups` has met all groups of the hits
/// afterwards.
pub(super) fn heads(
    context: &SearchContext<'_>,
    (node, hits): (&Node, &[Arc<Bits>]),
    groups: &mut Groups,
    order: &Order,
    limit: usize,
) -> Result<Vec<Head>> {
    let mut heads: HashMap<u32, HitRef> = HashMap::new();
    let mut best = BestOfGroups::default();
    for (segment, hits) in context.segments.iter().zip(hits) {
        let mut sources = order.open(context, node, segment)?;
        best.collect(groups, segment, &mut sources, hits)?;
        for (group, keys, doc) in best.first(limit) {
            let hit = order.hit(&sources, keys, (segment.number, doc))?;
            match heads.get(&group) {
                Some(known) if known.order(&hit).is_le() => {}
                _ => drop(heads.insert(group, hit)),
            }
        }
        best.clear();
    }
    let mut heads: Vec<Head> = heads.into_iter().map(|(group, hit)| Head { group, hit }).collect();
    heads.sort_by(|left, right| left.hit.order(&right.hit));
    heads.truncate(limit);
    Ok(heads)
}

const NONE: DocId = DocId::MAX;

/// The best hit of each group in one segment.
#[derive(Default)]
struct BestOfGroups {
    /// How many keys a hit has.
    width: usize,
    /// By group; [`NONE`] where the segment has no hit of it.
    docs: Vec<DocId>,
    /// By group, `width` each.
    keys: Vec<Key>,
    met: Vec<u32>,
}

impl BestOfGroups {
    fn collect(
        &mut self,
        groups: &mut Groups,
        segment: &crate::search::context::SearchSegment<'_>,
        sources: &mut [KeySource],
        hits: &Bits,
    ) -> Result<()> {
        self.width = sources.len();
        let mut groups = groups.segment(segment)?;
        let Some((first, others)) = sources.split_first_mut() else { return Ok(()) };
        let (mut batch, mut own) = ([0; DOC_BATCH], [0; DOC_BATCH]);
        let mut keys = vec![0; self.width];
        each_doc_batch(hits, &segment.allowance, |docs| {
            let batch = batch.get_mut(..docs.len()).unwrap_or_default();
            first.keys(docs, batch);
            groups.of_block(docs, own.get_mut(..docs.len()).unwrap_or_default());
            for ((doc, key), group) in docs.iter().zip(batch.iter()).zip(own) {
                // Equal ones stand in index order, where no other key decides.
                if self
                    .keys_of(group)
                    .first()
                    .is_some_and(|best| key > best || (key == best && others.is_empty()))
                {
                    continue;
                }
                let behind = others.iter_mut().map(|source| source.key(*doc));
                keys.iter_mut().zip(std::iter::once(*key).chain(behind)).for_each(|(to, from)| *to = from);
                self.offer(group, &keys, *doc);
            }
        });
        Ok(())
    }

    /// Of the group's best hit, if it has one.
    fn keys_of(&self, group: u32) -> &[Key] {
        let at = group as usize;
        match self.docs.get(at) {
            Some(doc) if *doc != NONE => {
                self.keys.get(at * self.width..(at + 1) * self.width).unwrap_or_default()
            }
            _ => &[],
        }
    }

    fn offer(&mut self, group: u32, keys: &[Key], doc: DocId) {
        let at = group as usize;
        if self.docs.len() <= at {
            self.docs.resize(at + 1, NONE);
            self.keys.resize((at + 1) * self.width, 0);
        }
        let known = self.keys_of(group);
        if !known.is_empty() && known <= keys {
            return;
        }
        if known.is_empty() {
            self.met.push(group);
        }
        if let (Some(best), Some(room)) =
            (self.docs.get_mut(at), self.keys.get_mut(at * self.width..(at + 1) * self.width))
        {
            *best = doc;
            room.copy_from_slice(keys);
        }
    }

    /// The first groups in no order: (group, keys, document).
    fn first(&mut self, limit: usize) -> impl Iterator<Item = (u32, &[Key], DocId)> {
        let mut met = std::mem::take(&mut self.met);
        if limit < met.len() {
            met.select_nth_unstable_by(limit, |left, right| self.entry(*left).cmp(&self.entry(*right)));
            // The others are cleared all the same.
            self.met = met.clone();
            met.truncate(limit);
        } else {
            self.met = met.clone();
        }
        let entries = &*self;
        met.into_iter().map(|group| {
            let (keys, doc) = entries.entry(group);
            (group, keys, doc)
        })
    }

    fn entry(&self, group: u32) -> (&[Key], DocId) {
        (self.keys_of(group), self.docs.get(group as usize).copied().unwrap_or(NONE))
    }

    fn clear(&mut self) {
        for group in self.met.drain(..) {
            if let Some(doc) = self.docs.get_mut(group as usize) {
                *doc = NONE;
            }
        }
    }
}
