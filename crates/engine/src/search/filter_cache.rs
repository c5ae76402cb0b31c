//! The documents of a filter in a segment, kept for the next search that has the same filter. Keyed by the query itself, so
//! that two spellings of one filter share an entry; bounded in bytes, the longest unused leaves first.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan::Query;
use tantivy::index::SegmentId;

use super::bits::Bits;

type Key = (SegmentId, Arc<str>);

pub(crate) struct FilterCache {
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// By time of last use.
    order: BTreeMap<u64, Key>,
    clock: u64,
    bytes: usize,
}

struct Entry {
    bits: Arc<Bits>,
    used: u64,
}

/// What identifies a query in the cache.
pub(crate) fn key_of(query: &Query) -> Arc<str> {
    format!("{query:?}").into()
}

impl FilterCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, state: Mutex::default() }
    }

    pub(crate) fn get(&self, segment: SegmentId, key: &Arc<str>) -> Option<Arc<Bits>> {
        self.lock().touch(&(segment, key.clone()))
    }

    pub(crate) fn insert(&self, segment: SegmentId, key: &Arc<str>, bits: Arc<Bits>) {
        let size = cost(key, &bits);
        if size > self.bytes_max {
            return;
        }
        let mut state = self.lock();
        state.remove(&(segment, key.clone()));
        state.bytes += size;
        state.clock += 1;
        let used = state.clock;
        state.order.insert(used, (segment, key.clone()));
        state.entries.insert((segment, key.clone()), Entry { bits, used });
        while state.bytes > self.bytes_max {
            let Some((_, oldest)) = state.order.pop_first() else { break };
            state.remove(&oldest);
        }
    }

    /// Forgets the segments that are not `present`.
    pub(crate) fn retain(&self, present: &HashSet<SegmentId>) {
        let mut state = self.lock();
        let gone: Vec<Key> = state.entries.keys().filter(|(id, _)| !present.contains(id)).cloned().collect();
        gone.iter().for_each(|key| state.remove(key));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn touch(&mut self, key: &Key) -> Option<Arc<Bits>> {
        self.clock += 1;
        let used = self.clock;
        let entry = self.entries.get_mut(key)?;
        self.order.remove(&entry.used);
        entry.used = used;
        self.order.insert(used, key.clone());
        Some(entry.bits.clone())
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.used);
            self.bytes -= cost(&key.1, &entry.bits);
        }
    }
}

fn cost(key: &str, bits: &Bits) -> usize {
    bits.bytes() + key.len() + 200
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_leaves_first() {
        let segment = SegmentId::generate_random();
        let bits = Arc::new(Bits::none(6400));
        let cache = FilterCache::new(3 * (800 + 201));
        let keys: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).to_vec();
        keys[..3].iter().for_each(|key| cache.insert(segment, key, bits.clone()));
        assert!(cache.get(segment, &keys[0]).is_some());
        cache.insert(segment, &keys[3], bits.clone());
        let present: Vec<bool> = keys.iter().map(|key| cache.get(segment, key).is_some()).collect();
        assert_eq!(present, [true, false, true, true]);
        cache.retain(&HashSet::new());
        assert!(keys.iter().all(|key| cache.get(segment, key).is_none()));
        assert_eq!(cache.lock().bytes, 0);
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let cache = FilterCache::new(10);
        let key: Arc<str> = "a".into();
        let segment = SegmentId::generate_random();
        cache.insert(segment, &key, Arc::new(Bits::none(6400)));
        assert!(cache.get(segment, &key).is_none());
    }
}
