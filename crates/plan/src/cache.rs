//! A cache in figures: what its owner counts, summed over a collection's shards, and shown under Solr's names
//! by `solr`. Which caches there are, and what evicts, is decided elsewhere. Sums over shards add up as if
//! there were one cache, so that a node shows one figure.

use serde::{Deserialize, Serialize};

/// Counted since the cache was made; `bytes` are held now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheStats {
    pub lookups: u64,
    pub hits: u64,
    pub inserts: u64,
    pub evictions: u64,
    /// Entries held now.
    pub size: u64,
    pub bytes: u64,
    pub bytes_max: u64,
}

impl CacheStats {
    /// Of both caches together.
    pub fn plus(&self, other: &Self) -> Self {
        let Self { lookups, hits, inserts, evictions, size, bytes, bytes_max } = *self;
        Self {
            lookups: lookups + other.lookups,
            hits: hits + other.hits,
            inserts: inserts + other.inserts,
            evictions: evictions + other.evictions,
            size: size + other.size,
            bytes: bytes + other.bytes,
            bytes_max: bytes_max + other.bytes_max,
        }
    }
}
