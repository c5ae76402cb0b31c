//! The documents of one bucket, and many buckets' documents side by side. The hits of a search are bits;
//! smaller buckets are lists, cut out of common ones, so that a bucket costs what it holds and not what the
//! index holds.

use std::borrow::Cow;
use std::sync::Arc;

use meter::Allowance;
use tantivy::DocId;

use crate::search::context::SearchContext;
use crate::search::facet::domain::Domain;
use crate::segment::bits::Bits;

/// Documents that are handed on at once.
const BATCH: usize = 1024;
/// Batches between looks at the allowance.
const BATCHES_A_LOOK: u32 = 8;

/// One bucket's documents, by segment, ascending in each.
pub(super) enum BucketDocs<'a> {
    Hits(Cow<'a, [Arc<Bits>]>),
    Lists(Vec<Cow<'a, [DocId]>>),
}

impl<'a> BucketDocs<'a> {
    pub(super) fn of(hits: Domain) -> Self {
        Self::Hits(Cow::Owned(hits))
    }

    /// The same documents for as long as these live.
    pub(super) fn borrowed(&self) -> BucketDocs<'_> {
        match self {
            Self::Hits(hits) => BucketDocs::Hits(Cow::Borrowed(hits)),
            Self::Lists(lists) => {
                BucketDocs::Lists(lists.iter().map(|list| Cow::Borrowed(&**list)).collect())
            }
        }
    }

    /// None of them.
    pub(super) fn emptied(&self) -> BucketDocs<'static> {
        BucketDocs::Lists((0..self.segments()).map(|_| Cow::Owned(Vec::new())).collect())
    }

    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Hits(hits) => hits.iter().map(|bits| u64::from(bits.count())).sum(),
            Self::Lists(lists) => lists.iter().map(|list| list.len() as u64).sum(),
        }
    }

    /// How many segments there are.
    pub(super) fn segments(&self) -> usize {
        match self {
            Self::Hits(hits) => hits.len(),
            Self::Lists(lists) => lists.len(),
        }
    }

    /// Hands on the documents of a segment, in order, some at a time, until `allowance` is used up.
    pub(super) fn each_batch(&self, segment: usize, allowance: &Allowance, mut take: impl FnMut(&[DocId])) {
        let mut batches = 0u32;
        let mut take = |docs: &[DocId]| {
            batches += 1;
            let over = match batches.is_multiple_of(BATCHES_A_LOOK) {
                true => allowance.is_used_up(),
                false => allowance.was_used_up(),
            };
            if !over {
                take(docs);
            }
        };
        match self {
            Self::Hits(hits) => {
                hits.get(segment).into_iter().for_each(|bits| bits.for_each_run(&mut take));
            }
            Self::Lists(lists) => {
                lists.get(segment).into_iter().flat_map(|list| list.chunks(BATCH)).for_each(take);
            }
        }
    }

    /// The same documents as bits.
    pub(super) fn bits(&self, context: &SearchContext<'_>) -> Domain {
        match self {
            Self::Hits(hits) => hits.to_vec(),
            Self::Lists(lists) => {
                let bits = context.segments.iter().zip(lists).map(|(segment, list)| {
                    Arc::new(Bits::from_docs(segment.max_doc(), list.iter().copied()))
                });
                bits.collect()
            }
        }
    }

    /// Those that are also in `other`, or are not.
    pub(super) fn restricted(&self, other: &[Arc<Bits>], keep: bool) -> BucketDocs<'a> {
        match self {
            Self::Hits(hits) => {
                let mut hits = hits.to_vec();
                for (own, other) in hits.iter_mut().zip(other) {
                    let own = Arc::make_mut(own);
                    if keep { own.intersect(other) } else { own.subtract(other) }
                }
                BucketDocs::of(hits)
            }
            Self::Lists(lists) => BucketDocs::Lists(
                lists
                    .iter()
                    .zip(other)
                    .map(|(list, other)| {
                        list.iter()
                            .copied()
                            .filter(|doc| other.contains(*doc) == keep)
                            .collect::<Vec<_>>()
                            .into()
                    })
                    .collect(),
            ),
        }
    }
}

/// Documents with the number of the bucket each is in; a document may be in several. By segment, in order of
/// documents, or those of a bucket together in order.
#[derive(Default)]
pub(super) struct Placed {
    segments: Vec<PlacedSegment>,
}

#[derive(Default)]
struct PlacedSegment {
    docs: Vec<DocId>,
    slots: Vec<u32>,
}

impl Placed {
    pub(super) fn new(segments: usize) -> Self {
        Self { segments: (0..segments).map(|_| PlacedSegment::default()).collect() }
    }

    #[inline]
    pub(super) fn push(&mut self, segment: usize, doc: DocId, slot: u32) {
        if let Some(placed) = self.segments.get_mut(segment) {
            placed.docs.push(doc);
            placed.slots.push(slot);
        }
    }

    /// Hands on documents with their buckets' numbers: (segment, documents, numbers).
    pub(super) fn each_batch(&self, mut take: impl FnMut(usize, &[DocId], &[u32])) {
        for (segment, placed) in self.segments.iter().enumerate() {
            let batches = placed.docs.chunks(BATCH).zip(placed.slots.chunks(BATCH));
            batches.for_each(|(docs, slots)| take(segment, docs, slots));
        }
    }

    /// The documents sorted by bucket: counted, then put where the counts of those before say. Order within
    /// one stays.
    pub(super) fn into_groups(self, slots: usize) -> Grouped {
        let group = |placed: PlacedSegment| {
            let mut ends = vec![0u32; slots + 1];
            for slot in &placed.slots {
                if let Some(count) = ends.get_mut(*slot as usize + 1) {
                    *count += 1;
                }
            }
            let mut sum = 0;
            for end in &mut ends {
                sum += *end;
                *end = sum;
            }
            if placed.slots.is_sorted() {
                return GroupedSegment { docs: placed.docs, starts: ends };
            }
            let (starts, mut next) = (ends.clone(), ends);
            let mut docs = vec![0; placed.docs.len()];
            for (doc, slot) in placed.docs.iter().zip(&placed.slots) {
                let Some(at) = next.get_mut(*slot as usize) else { continue };
                if let Some(place) = docs.get_mut(*at as usize) {
                    *place = *doc;
                }
                *at += 1;
            }
            GroupedSegment { docs, starts }
        };
        Grouped { segments: self.segments.into_iter().map(group).collect() }
    }
}

/// The documents of many buckets, those of one together.
pub(super) struct Grouped {
    segments: Vec<GroupedSegment>,
}

struct GroupedSegment {
    docs: Vec<DocId>,
    /// Where each bucket begins, and at last where all end.
    starts: Vec<u32>,
}

impl Grouped {
    pub(super) fn bucket(&self, slot: usize) -> BucketDocs<'_> {
        let list = |group: &'_ GroupedSegment| {
            let bound = |at: usize| group.starts.get(at).map_or(group.docs.len(), |start| *start as usize);
            bound(slot)..bound(slot + 1)
        };
        let lists = self.segments.iter();
        BucketDocs::Lists(
            lists.map(|group| Cow::Borrowed(group.docs.get(list(group)).unwrap_or_default())).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs_of(bucket: &BucketDocs<'_>, segment: usize) -> Vec<DocId> {
        let mut found = Vec::new();
        bucket.each_batch(segment, &Allowance::default(), |docs| found.extend_from_slice(docs));
        found
    }

    #[test]
    fn placed_documents_come_together_by_bucket() {
        let mut placed = Placed::new(2);
        for (doc, slot) in [(0, 2), (1, 0), (1, 2), (5, 1), (7, 2)] {
            placed.push(1, doc, slot);
        }
        let grouped = placed.into_groups(4);
        let check = |slot: usize, expected: &[DocId]| {
            let bucket = grouped.bucket(slot);
            assert_eq!(docs_of(&bucket, 1), expected, "{slot}");
            assert_eq!((bucket.count(), docs_of(&bucket, 0).len()), (expected.len() as u64, 0));
        };
        check(0, &[1]);
        check(1, &[5]);
        check(2, &[0, 1, 7]);
        check(3, &[]);
        check(9, &[]);
    }

    #[test]
    fn bits_and_lists_are_restricted_alike() {
        let bits = |docs: &[DocId]| Arc::new(Bits::from_docs(3000, docs.iter().copied()));
        let own = [1, 2, 1500, 2999];
        let other = [bits(&[2, 3, 2999])];
        for bucket in [BucketDocs::of(vec![bits(&own)]), BucketDocs::Lists(vec![Cow::Borrowed(&own)])] {
            assert_eq!(docs_of(&bucket, 0), own);
            assert_eq!(docs_of(&bucket.restricted(&other, true), 0), [2, 2999]);
            assert_eq!(docs_of(&bucket.restricted(&other, false), 0), [1, 1500]);
        }
    }
}
