//! A cache in figures.

/// Counted since the cache was made; `bytes` are held now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
