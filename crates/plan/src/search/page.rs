//! The window of hits that a request asks for.

/// `rows` hits after the first `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
