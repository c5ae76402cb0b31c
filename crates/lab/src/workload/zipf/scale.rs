//! How large a `zipf` corpus is and from which seed: what its documents and its questions both follow from,
//! so that the questions know the counts without reading a document.

use crate::workload::instant::Instant;

/// 2020-01-01.
const FIRST_MS: u64 = 1_577_836_800_000;
/// Five years, over which the dates of any number of documents are spread.
const SPAN_MS: u64 = 5 * 365 * 86_400_000;

#[derive(Clone, Copy)]
pub(super) struct ZipfScale {
    pub docs: u64,
    pub seed: u64,
}

impl ZipfScale {
    /// The `rank`th of the dates in `created_dt`, each of which one document has.
    pub fn created(&self, rank: u64) -> Instant {
        Instant(FIRST_MS + rank * (SPAN_MS / self.docs).max(1))
    }
}
