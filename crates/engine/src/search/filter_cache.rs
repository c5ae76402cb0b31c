//! The documents of a filter in a segment, kept for the next search that has the same filter. Keyed by the
//! query itself, so that two spellings of one filter share an entry; as bits, or as a list where that is
//! shorter.

use std::collections::HashSet;
use std::sync::Arc;

use plan::{CacheStats, Query};
use tantivy::DocId;
use tantivy::index::SegmentId;

use crate::cache::Cache;
use crate::segment::bits::Bits;

pub(crate) struct FilterCache(Cache<Key, Kept>);

type Key = (SegmentId, Arc<str>);

#[derive(Clone)]
enum Kept {
    Bits(Arc<Bits>),
    Docs(Arc<[DocId]>),
}

/// What identifies a query in the cache.
pub(crate) fn key_of(query: &Query) -> Arc<str> {
    format!("{query:?}").into()
}

impl FilterCache {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self(Cache::new(bytes_max))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_on()
    }

    /// `max_doc` is the segment's.
    pub(crate) fn get(&self, segment: SegmentId, key: &Arc<str>, max_doc: u32) -> Option<Arc<Bits>> {
        Some(match self.0.get(&(segment, key.clone()))? {
            Kept::Bits(bits) => bits,
            Kept::Docs(docs) => Arc::new(Bits::from_docs(max_doc, docs.iter().copied())),
        })
    }

    pub(crate) fn insert(&self, segment: SegmentId, key: &Arc<str>, bits: &Arc<Bits>) {
        if !self.is_on() {
            return;
        }
        let listed = bits.count() as usize * size_of::<DocId>();
        let (kept, bytes) = if listed < bits.bytes() {
            (Kept::Docs(bits.iter().collect()), listed)
        } else {
            (Kept::Bits(bits.clone()), bits.bytes())
        };
        self.0.insert((segment, key.clone()), kept, (bytes + key.len()) as u64);
    }

    /// Forgets the segments that are not `present`.
    pub(crate) fn retain(&self, present: &HashSet<SegmentId>) {
        self.0.retain(|(segment, _)| present.contains(segment));
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.0.stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_documents_are_kept_as_a_list() {
        let cache = FilterCache::new(1 << 20);
        let segment = SegmentId::generate_random();
        let check = |key: &str, docs: &[DocId], bytes: u64| {
            let (key, before) = (Arc::from(key), cache.stats().bytes);
            let bits = Arc::new(Bits::from_docs(6400, docs.iter().copied()));
            cache.insert(segment, &key, &bits);
            assert_eq!(cache.get(segment, &key, 6400), Some(bits));
            assert_eq!(cache.stats().bytes - before, bytes + 128 + key.len() as u64, "{key}");
        };
        check("none", &[], 0);
        check("few", &[1, 700, 6399], 12);
        check("many", &(0..6400).collect::<Vec<_>>(), 800);
        cache.retain(&HashSet::new());
        assert_eq!(cache.stats().size, 0);
    }
}
