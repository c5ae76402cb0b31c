//! Lucene's priority queue, step by step: a binary heap with the least key at its root. Which of several equal entries stays,
//! and in which order they come out, is decided by how such a heap moves them; Solr shows it, so it is told here the same way.

/// Entries by a key, the least first.
pub(super) struct LeastFirst<K, T> {
    heap: Vec<(K, T)>,
}

impl<K: PartialOrd + Copy, T> LeastFirst<K, T> {
    pub(super) fn new() -> Self {
        Self { heap: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// The least key.
    pub(super) fn least(&self) -> Option<K> {
        self.key(0)
    }

    pub(super) fn push(&mut self, key: K, entry: T) {
        self.heap.push((key, entry));
        let mut at = self.heap.len() - 1;
        while at > 0 && self.key(at) < self.key((at - 1) / 2) {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// Puts an entry in the place of the least.
    pub(super) fn replace_least(&mut self, key: K, entry: T) {
        if let Some(least) = self.heap.first_mut() {
            *least = (key, entry);
            self.sink();
        }
    }

    /// Takes the least out.
    pub(super) fn pop(&mut self) -> Option<(K, T)> {
        if self.heap.is_empty() {
            return None;
        }
        let least = self.heap.swap_remove(0);
        self.sink();
        Some(least)
    }

    fn key(&self, at: usize) -> Option<K> {
        self.heap.get(at).map(|(key, _)| *key)
    }

    /// Moves the root down to where it belongs.
    fn sink(&mut self) {
        let mut at = 0;
        while let Some(mut below) = self.key(2 * at + 1).map(|_| 2 * at + 1) {
            if self.key(below + 1).is_some_and(|right| Some(right) < self.key(below)) {
                below += 1;
            }
            if self.key(below) >= self.key(at) {
                break;
            }
            self.heap.swap(at, below);
            at = below;
        }
    }
}
