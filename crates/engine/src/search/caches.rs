//! What searches of a shard keep from one another: statistics of fields, the bits of filters, sources of
//! documents. All of it belongs to segments, which never change but for their dead, so nothing here is ever
//! invalid; a refresh only tells which segments are gone. Results depend on the snapshot.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use plan::{CacheStats, Result};
use tantivy::DocId;
use tantivy::index::SegmentId;
use tantivy::schema::Field;

use super::filter_cache::FilterCache;
use super::result_cache::ResultCache;
use crate::cache::Cache;
use crate::config::CacheSizes;
use crate::search::peers::Peers;
use crate::snapshot::Snapshot;
use crate::snapshot::field_stats::SegmentFieldStats;
use crate::snapshot::global_ordinals::GlobalOrdinals;

/// One for a shard, shared by its searches.
pub(crate) struct SearchCaches {
    /// Where joins find other collections, once that is known.
    pub(super) peers: OnceLock<Arc<dyn Peers>>,
    stats: Mutex<HashMap<(SegmentId, Field), SegmentFieldStats>>,
    pub(crate) filters: FilterCache,
    pub(crate) results: ResultCache,
    /// Sources by place.
    pub(super) documents: Cache<(SegmentId, DocId), Arc<[u8]>>,
    /// By column, for the segments it was last asked for.
    ordinals: Mutex<HashMap<Arc<str>, NumberedSegments>>,
    /// The number of the snapshot last seen.
    snapshot: AtomicU64,
}

/// Segments and the numbers that hold for them together.
type NumberedSegments = (Vec<SegmentId>, Arc<GlobalOrdinals>);

impl Default for SearchCaches {
    /// For a search that stands alone: what it may want twice itself.
    fn default() -> Self {
        Self::new(&CacheSizes { results: 0, documents: 0, ..CacheSizes::default() })
    }
}

impl SearchCaches {
    pub(crate) fn new(sizes: &CacheSizes) -> Self {
        Self {
            stats: Mutex::default(),
            filters: FilterCache::new(sizes.filters),
            results: ResultCache::new(sizes.results),
            documents: Cache::new(sizes.documents),
            ordinals: Mutex::default(),
            snapshot: AtomicU64::new(0),
            peers: OnceLock::new(),
        }
    }

    /// Forgets what belongs to segments that a newer snapshot no longer has.
    pub(super) fn follow(&self, snapshot: &Snapshot) {
        // Once for each newer snapshot. Who still reads an older one must not throw away what the newer
        // needs. Relaxed: the number guards nothing, each map has a lock of its own.
        if self.snapshot.fetch_max(snapshot.number(), Ordering::Relaxed) >= snapshot.number() {
            return;
        }
        let present: HashSet<SegmentId> = snapshot.segments().iter().map(|view| view.id()).collect();
        lock(&self.stats).retain(|(id, _), _| present.contains(id));
        lock(&self.ordinals).retain(|_, (segments, _)| segments.iter().all(|id| present.contains(id)));
        self.filters.retain(&present);
        self.documents.retain(|(id, _)| present.contains(id));
        self.results.retain(snapshot.number());
    }

    /// Makes other collections known, once.
    /// For a search that stands alone, and knows the same other collections.
    pub(crate) fn of_one_search(&self) -> Self {
        let own = Self::default();
        self.peers.get().cloned().into_iter().for_each(|peers| own.set_peers(peers));
        own
    }

    pub(crate) fn set_peers(&self, peers: Arc<dyn Peers>) {
        drop(self.peers.set(peers));
    }

    /// Figures of what Solr has too, by its names.
    pub(crate) fn figures(&self) -> Vec<(&'static str, CacheStats)> {
        vec![
            ("documentCache", self.documents.stats()),
            ("filterCache", self.filters.stats()),
            ("queryResultCache", self.results.stats()),
        ]
    }

    /// What `compute` says about a field of a segment, asked once in the segment's life.
    pub(super) fn stats(
        &self,
        id: SegmentId,
        field: Field,
        compute: impl FnOnce() -> Result<SegmentFieldStats>,
    ) -> Result<SegmentFieldStats> {
        if let Some(known) = lock(&self.stats).get(&(id, field)) {
            return Ok(*known);
        }
        let stats = compute()?;
        lock(&self.stats).insert((id, field), stats);
        Ok(stats)
    }

    /// The common numbers of a column's values in these segments, made by `build` where they are not the ones
    /// last asked for.
    pub(super) fn ordinals(
        &self,
        column: &Arc<str>,
        segments: Vec<SegmentId>,
        build: impl FnOnce() -> Result<GlobalOrdinals>,
    ) -> Result<Arc<GlobalOrdinals>> {
        if let Some((known, ordinals)) = lock(&self.ordinals).get(column)
            && *known == segments
        {
            return Ok(ordinals.clone());
        }
        let ordinals = Arc::new(build()?);
        lock(&self.ordinals).insert(column.clone(), (segments, ordinals.clone()));
        Ok(ordinals)
    }
}

fn lock<K: Eq + Hash, V>(map: &Mutex<HashMap<K, V>>) -> MutexGuard<'_, HashMap<K, V>> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}
