//! What searches of a shard keep from one another: statistics of fields, the bits of the living, the bits of filters. All of
//! it hangs on segments, which never change but for their dead, so nothing here is ever invalid; a refresh only tells which
//! segments are gone.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan::Result;
use tantivy::index::SegmentId;
use tantivy::schema::Field;

use super::bits::Bits;
use super::facet::GlobalOrdinals;
use super::filter_cache::FilterCache;
use super::stats::SegmentFieldStats;
use crate::snapshot::{SegmentView, Snapshot};

/// One for a shard, shared by its searches.
pub(crate) struct SearchCaches {
    stats: Mutex<HashMap<(SegmentId, Field), SegmentFieldStats>>,
    /// With the count of dead they belong to.
    alive: Mutex<HashMap<SegmentId, (u32, Arc<Bits>)>>,
    pub(crate) filters: FilterCache,
    /// By column, for the segments it was last asked for.
    ordinals: Mutex<HashMap<Field, NumberedSegments>>,
    /// The number of the snapshot last seen.
    snapshot: AtomicU64,
}

/// Segments and the numbers that hold for them together.
type NumberedSegments = (Vec<SegmentId>, Arc<GlobalOrdinals>);

/// What cached filters may hold unless told otherwise: 512 filters of a million documents.
const FILTER_BYTES_MAX: usize = 64 << 20;

impl Default for SearchCaches {
    fn default() -> Self {
        Self::new(FILTER_BYTES_MAX)
    }
}

impl SearchCaches {
    /// `filter_bytes_max` bounds what cached filters may hold.
    pub(crate) fn new(filter_bytes_max: usize) -> Self {
        let filters = FilterCache::new(filter_bytes_max);
        Self {
            stats: Mutex::default(),
            alive: Mutex::default(),
            filters,
            ordinals: Mutex::default(),
            snapshot: AtomicU64::new(0),
        }
    }

    /// Forgets what belongs to segments that a newer snapshot no longer has.
    pub(super) fn follow(&self, snapshot: &Snapshot) {
        if self.snapshot.fetch_max(snapshot.number(), Ordering::Relaxed) >= snapshot.number() {
            return;
        }
        let present: HashSet<SegmentId> = snapshot.segments().iter().map(|view| view.id()).collect();
        lock(&self.stats).retain(|(id, _), _| present.contains(id));
        lock(&self.alive).retain(|id, _| present.contains(id));
        lock(&self.ordinals).retain(|_, (segments, _)| segments.iter().all(|id| present.contains(id)));
        self.filters.retain(&present);
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

    /// The common numbers of a column's values in these segments, made by `build` where they are not the ones last asked for.
    pub(super) fn ordinals(
        &self,
        field: Field,
        segments: Vec<SegmentId>,
        build: impl FnOnce() -> Result<GlobalOrdinals>,
    ) -> Result<Arc<GlobalOrdinals>> {
        if let Some((known, ordinals)) = lock(&self.ordinals).get(&field)
            && *known == segments
        {
            return Ok(ordinals.clone());
        }
        let ordinals = Arc::new(build()?);
        lock(&self.ordinals).insert(field, (segments, ordinals.clone()));
        Ok(ordinals)
    }

    /// The living documents of a segment; `None` when all live.
    pub(super) fn alive(&self, view: &SegmentView) -> Option<Arc<Bits>> {
        let dead = view.dead.count();
        if dead == 0 {
            return None;
        }
        if let Some((known, bits)) = lock(&self.alive).get(&view.id())
            && *known == dead
        {
            return Some(bits.clone());
        }
        let mut bits = Bits::all(view.reader().max_doc());
        bits.subtract(&Bits::from_docs(view.reader().max_doc(), view.dead.iter()));
        let bits = Arc::new(bits);
        lock(&self.alive).insert(view.id(), (dead, bits.clone()));
        Some(bits)
    }
}

fn lock<K: Eq + Hash, V>(map: &Mutex<HashMap<K, V>>) -> MutexGuard<'_, HashMap<K, V>> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}
