//! What was asked of the object store where shards are at home, as metrics. Counted by the store, priced by
//! the binary, which knows the rates; a node with its data on a disk has none of it. The binary fills it from
//! the store's counters each time that somebody asks for metrics (`handlers/metrics.rs`); nothing is counted
//! here, and no request waits for it.

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreFigures {
    pub all: StoreRequestFigures,
    /// By what the objects are for, and its name.
    pub kinds: Vec<(&'static str, StoreRequestFigures)>,
    /// Of copies on the local disk; `None` where there is no cache.
    pub cache: Option<StoreCacheFigures>,
}

/// Since the node began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreRequestFigures {
    pub puts: u64,
    pub gets: u64,
    pub lists: u64,
    pub deletes: u64,
    /// Requests behind the first of a call.
    pub retries: u64,
    pub bytes_put: u64,
    pub bytes_got: u64,
    /// What requests cost in a month that goes on like this.
    pub price_a_month: f64,
}

/// Copies of segment files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCacheFigures {
    pub files: u64,
    pub bytes: u64,
    pub hits: u64,
    pub misses: u64,
    pub evicted: u64,
    /// Damaged copies that were made whole again.
    pub mended: u64,
}
