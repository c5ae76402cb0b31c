//! The window of hits that a request asks for. `solr` reads `start` and `rows` into it, and nobody adds the
//! two but here: the same sum in several places would overflow in some.

use serde::{Deserialize, Serialize};

/// `rows` hits after the first `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub start: usize,
    pub rows: usize,
}

impl Page {
    /// One past the last hit asked for. The only place that adds the two. Solr differs: its sum wraps and the
    /// search fails; a page past the end is empty here (`compat/select/sorting.yaml`).
    pub fn end(self) -> usize {
        self.start.saturating_add(self.rows)
    }
}
