//! A cache bounded in bytes that counts what it is asked: the one kind there is, under different keys. What
//! is used often stays when much is asked for once (S3-FIFO, by `quick_cache`).
//!
//! Callers say what an entry costs, and make keys under which a value is never wrong: nothing here becomes
//! invalid by itself. Filters, kept results and stored documents are in such caches; their counts go to
//! status pages and metrics as `plan::CacheStats`.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;
use plan::CacheStats;
use quick_cache::{Equivalent, Lifecycle, Weighter};

/// Values of `V` by `K`; a value is cloned out, so let it be an `Arc` or the like.
pub struct Cache<K, V> {
    entries: quick_cache::sync::Cache<K, CacheEntry<V>, ByBytes, RandomState, Evictions>,
    bytes_max: u64,
    lookups: AtomicU64,
    hits: AtomicU64,
    inserts: AtomicU64,
    evictions: Arc<AtomicU64>,
}

#[derive(Clone)]
struct CacheEntry<V> {
    value: V,
    bytes: u64,
}

#[derive(Clone)]
struct ByBytes;

impl<K, V> Weighter<K, CacheEntry<V>> for ByBytes {
    fn weight(&self, _: &K, entry: &CacheEntry<V>) -> u64 {
        entry.bytes
    }
}

#[derive(Clone)]
struct Evictions(Arc<AtomicU64>);

impl<K, V> Lifecycle<K, V> for Evictions {
    type RequestState = ();

    fn on_evict(&self, (): &mut (), _: K, _: V) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// What an entry costs beside key and value.
const ENTRY_BYTES: u64 = 128;
/// For the first size of the tables.
const ENTRIES_EXPECTED: usize = 64;

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// Holds up to `bytes_max` of what inserts say their entries cost; 0 holds nothing and counts nothing.
    pub fn new(bytes_max: u64) -> Self {
        let evictions = Arc::new(AtomicU64::new(0));
        // Keys are the users', who could play against a known hash: its seed is this process's own. No answer
        // hangs on it.
        let entries = quick_cache::sync::Cache::with(
            ENTRIES_EXPECTED,
            bytes_max,
            ByBytes,
            RandomState::default(),
            Evictions(evictions.clone()),
        );
        let (lookups, hits, inserts) = Default::default();
        Self { entries, bytes_max, lookups, hits, inserts, evictions }
    }

    /// Whether it may hold anything.
    pub fn is_on(&self) -> bool {
        self.bytes_max > 0
    }

    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.get_if(key, |_| true)
    }

    /// A value that does not serve is as good as none.
    pub fn get_if<Q>(&self, key: &Q, serves: impl FnOnce(&V) -> bool) -> Option<V>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        if !self.is_on() {
            return None;
        }
        self.lookups.fetch_add(1, Ordering::Relaxed);
        let entry = self.entries.get(key).filter(|entry| serves(&entry.value))?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(entry.value)
    }

    /// `bytes` is what key and value hold. One that is too large for the cache is not kept.
    pub fn insert(&self, key: K, value: V, bytes: u64) {
        if self.is_on() {
            self.inserts.fetch_add(1, Ordering::Relaxed);
            self.entries.insert(key, CacheEntry { value, bytes: bytes + ENTRY_BYTES });
        }
    }

    /// Forgets the others.
    pub fn retain(&self, keep: impl Fn(&K) -> bool) {
        self.entries.retain(|key, _| keep(key));
    }

    pub fn stats(&self) -> CacheStats {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStats {
            lookups: count(&self.lookups),
            hits: count(&self.hits),
            inserts: count(&self.inserts),
            evictions: count(&self.evictions),
            size: self.entries.len() as u64,
            bytes: self.entries.weight(),
            bytes_max: self.bytes_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_counted() {
        let cache: Cache<String, u32> = Cache::new(1 << 20);
        assert_eq!(cache.get("a"), None);
        cache.insert("a".to_owned(), 1, 8);
        assert_eq!(cache.get("a"), Some(1));
        let stats = cache.stats();
        assert_eq!((stats.lookups, stats.hits, stats.inserts, stats.evictions, stats.size), (2, 1, 1, 0, 1));
        assert_eq!(stats.bytes, 8 + ENTRY_BYTES);
        cache.retain(|key| key != "a");
        assert_eq!((cache.get("a"), cache.stats().size), (None, 0));
    }

    #[test]
    fn bytes_are_bounded() {
        let cache: Cache<u32, u32> = Cache::new(64 << 10);
        (0..10_000).for_each(|key| cache.insert(key, key, 1 << 10));
        let stats = cache.stats();
        assert!(stats.bytes <= 64 << 10 && stats.size > 0, "{stats:?}");
        assert!(stats.evictions >= 10_000 - 64, "{stats:?}");
        cache.insert(0, 0, 1 << 20);
        assert_eq!(cache.get(&0), None);
    }

    #[test]
    fn one_that_is_off_holds_nothing() {
        let cache: Cache<u32, u32> = Cache::new(0);
        cache.insert(1, 1, 1);
        assert_eq!((cache.get(&1), cache.stats()), (None, CacheStats::default()));
    }
}
