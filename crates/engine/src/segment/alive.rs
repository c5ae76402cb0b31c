//! Which documents of a segment are dead. Marks are made as updates arrive; a refresh takes the marks of its
//! moment.
//!
//! The bits are shared until somebody marks on: taking costs a reference count, marking after that one copy
//! (125 KB at a million documents). One `Marks` accompanies a segment from its first document in memory to
//! its last merge.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::directory::OwnedBytes;
use tantivy::fastfield::AliveBitSet;

/// The marks of one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dead {
    /// One bit a document, set when dead; documents past the end are alive.
    words: Arc<Vec<u64>>,
    count: u32,
}

impl Dead {
    pub(crate) fn contains(&self, doc: u32) -> bool {
        self.words.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Whether both are the same marks; marks are only ever added.
    pub(crate) fn same_as(&self, other: &Dead) -> bool {
        self.count == other.count
    }

    fn mark(&mut self, doc: u32) -> bool {
        if self.contains(doc) {
            return false;
        }
        let at = doc as usize / 64;
        // Copies only while a snapshot holds the words of its moment.
        let words = Arc::make_mut(&mut self.words);
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        if let Some(word) = words.get_mut(at) {
            *word |= 1 << (doc % 64);
        }
        self.count += 1;
        true
    }

    /// The dead documents, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let base = u32::try_from(at * 64).unwrap_or(u32::MAX);
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| base + bit)
        })
    }

    /// Dead documents before each word of 64, for [`Ranks::alive_before`].
    pub(crate) fn ranks(&self) -> Ranks {
        let mut before = 0;
        let counts = self.words.iter().map(|word| {
            let count = before;
            before += word.count_ones();
            count
        });
        Ranks { counts: counts.collect(), dead: self.clone() }
    }

    /// As tantivy reads it: the count of documents, then the words of the alive ones. `None` when none is
    /// dead.
    pub(crate) fn to_alive(&self, max_doc: u32) -> Option<AliveBitSet> {
        if self.count == 0 {
            return None;
        }
        let mut bytes = Vec::with_capacity(max_doc as usize / 8 + 16);
        bytes.extend_from_slice(&max_doc.to_le_bytes());
        for at in 0..max_doc.div_ceil(64) {
            let dead = self.words.get(at as usize).copied().unwrap_or(0);
            let docs = (max_doc - at * 64).min(64);
            // Bits behind the last document count as dead, or tantivy would count them among the living.
            let padding = if docs == 64 { 0 } else { u64::MAX << docs };
            bytes.extend_from_slice(&(!dead & !padding).to_le_bytes());
        }
        Some(AliveBitSet::open(OwnedBytes::new(bytes)))
    }

    /// The form kept beside a persisted segment.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let words: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        let count = words.iter().map(|word| word.count_ones()).sum();
        Self { words: Arc::new(words), count }
    }
}

impl FromIterator<u32> for Dead {
    fn from_iter<I: IntoIterator<Item = u32>>(docs: I) -> Self {
        let mut dead = Dead::default();
        for doc in docs {
            dead.mark(doc);
        }
        dead
    }
}

/// Counts of dead documents, for renumbering.
pub(crate) struct Ranks {
    counts: Vec<u32>,
    dead: Dead,
}

impl Ranks {
    /// Living documents with a smaller number.
    pub(crate) fn alive_before(&self, doc: u32) -> u32 {
        let at = doc as usize / 64;
        let dead = match (self.counts.get(at), self.dead.words.get(at)) {
            (Some(count), Some(word)) => count + (word & ((1u64 << (doc % 64)) - 1)).count_ones(),
            // Behind the last word nobody is dead: all the dead are before.
            _ => self.dead.count,
        };
        doc - dead
    }

    pub(crate) fn dead(&self) -> &Dead {
        &self.dead
    }
}

/// The marks of a segment as they stand. Shared by the id map, the writer and the segment.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    now: Mutex<Dead>,
}

impl Marks {
    pub(crate) fn new(dead: Dead) -> Self {
        Self { now: Mutex::new(dead) }
    }

    fn lock(&self) -> MutexGuard<'_, Dead> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a document dead; false when it was already.
    pub(crate) fn mark(&self, doc: u32) -> bool {
        self.lock().mark(doc)
    }

    pub(crate) fn mark_all(&self, docs: impl Iterator<Item = u32>) {
        let mut dead = self.lock();
        for doc in docs {
            dead.mark(doc);
        }
    }

    pub(crate) fn is_dead(&self, doc: u32) -> bool {
        self.lock().contains(doc)
    }

    pub(crate) fn current(&self) -> Dead {
        self.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_marks_do_not_change() {
        let marks = Marks::default();
        assert!(marks.mark(70) && !marks.mark(70));
        let taken = marks.current();
        marks.mark(3);
        assert!(taken.contains(70) && !taken.contains(3) && taken.count() == 1);
        assert_eq!(marks.current().iter().collect::<Vec<_>>(), [3, 70]);
        assert!(!taken.same_as(&marks.current()));
    }

    #[test]
    fn ranks_count_the_living() {
        let dead: Dead = [0, 5, 63, 64, 130].into_iter().collect();
        let ranks = dead.ranks();
        for doc in 0..300 {
            let expected = (0..doc).filter(|other| !dead.contains(*other)).count() as u32;
            assert_eq!(ranks.alive_before(doc), expected, "{doc}");
        }
    }

    #[test]
    fn tantivy_reads_the_rest_as_alive() {
        for max_doc in [1u32, 63, 64, 65, 200] {
            let dead: Dead = [0, max_doc - 1].into_iter().collect();
            let alive = dead.to_alive(max_doc).unwrap();
            assert_eq!(alive.num_alive_docs() as u32, max_doc - dead.count(), "{max_doc}");
            assert!((0..max_doc).all(|doc| alive.is_alive(doc) != dead.contains(doc)));
            assert_eq!(Dead::from_bytes(&dead.to_bytes()).count(), dead.count());
        }
        assert!(Dead::default().to_alive(10).is_none());
    }
}
