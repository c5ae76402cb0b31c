//! Sets of documents of one segment, one bit a document: filters, ranges, the hits that facets count. Unions
//! and intersections run a word at a time.
//!
//! Knows nothing of segments, deletes or queries but the number of documents. How many are in a set is
//! counted once and remembered until it changes. Bits of dense terms as they lie in files are `term_bits`'.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tantivy::{DocId, TERMINATED};

/// Documents below `max_doc`; bits past it are never set.
#[derive(Debug)]
pub(crate) struct Bits {
    words: Vec<u64>,
    max_doc: u32,
    /// How many there are, once that was asked; a search asks the same set several times.
    counted: AtomicU32,
}

const NOT_COUNTED: u32 = u32::MAX;

/// Adds documents to a set that nobody asks meanwhile: each costs one write, where [`Bits::insert`] forgets
/// the count anew and finds the words behind their vector (a tenth of what `body_t:ab*` costs over 200,000
/// documents of 1 KB).
pub(crate) struct Inserter<'a> {
    words: &'a mut [u64],
}

impl Inserter<'_> {
    /// As [`Bits::insert`].
    #[inline]
    pub(crate) fn insert(&mut self, doc: DocId) {
        if let Some(word) = self.words.get_mut((doc / 64) as usize) {
            *word |= 1 << (doc % 64);
        }
    }
}

impl Default for Bits {
    fn default() -> Self {
        Self::none(0)
    }
}

impl Clone for Bits {
    fn clone(&self) -> Self {
        let counted = AtomicU32::new(self.counted.load(Ordering::Relaxed));
        Self { words: self.words.clone(), max_doc: self.max_doc, counted }
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        (self.max_doc, &self.words) == (other.max_doc, &other.words)
    }
}

impl Eq for Bits {}

impl Bits {
    fn of_words(max_doc: u32, words: Vec<u64>) -> Self {
        Self { words, max_doc, counted: AtomicU32::new(NOT_COUNTED) }
    }

    /// The words, to be changed.
    #[inline]
    fn words_mut(&mut self) -> &mut Vec<u64> {
        *self.counted.get_mut() = NOT_COUNTED;
        &mut self.words
    }

    pub(crate) fn none(max_doc: u32) -> Self {
        Self::of_words(max_doc, vec![0; max_doc.div_ceil(64) as usize])
    }

    pub(crate) fn all(max_doc: u32) -> Self {
        let mut bits = Self::of_words(max_doc, vec![u64::MAX; max_doc.div_ceil(64) as usize]);
        bits.clear_padding();
        bits
    }

    pub(crate) fn from_docs(max_doc: u32, docs: impl IntoIterator<Item = DocId>) -> Self {
        let mut bits = Self::none(max_doc);
        let mut inserter = bits.inserter();
        docs.into_iter().for_each(|doc| inserter.insert(doc));
        bits
    }

    /// One past the last document there can be.
    pub(crate) fn max_doc(&self) -> u32 {
        self.max_doc
    }

    /// Adds a document; one past the end is left out.
    #[inline]
    pub(crate) fn insert(&mut self, doc: DocId) {
        if let Some(word) = self.words_mut().get_mut((doc / 64) as usize) {
            *word |= 1 << (doc % 64);
        }
    }

    /// To add many documents one by one.
    pub(crate) fn inserter(&mut self) -> Inserter<'_> {
        Inserter { words: self.words_mut() }
    }

    #[inline]
    pub(crate) fn remove(&mut self, doc: DocId) {
        if let Some(word) = self.words_mut().get_mut((doc / 64) as usize) {
            *word &= !(1 << (doc % 64));
        }
    }

    /// What is in `these` and not in `those`, both one bit a document, least significant first; a slice that
    /// ends early lacks the rest.
    pub(crate) fn difference(max_doc: u32, these: &[u8], those: &[u8]) -> Self {
        let len = max_doc.div_ceil(64) as usize;
        let mut words: Vec<u64> = words_of(these).take(len).collect();
        words.resize(len, 0);
        words.iter_mut().zip(words_of(those)).for_each(|(own, word)| *own &= !word);
        Self::of_words(max_doc, words)
    }

    #[inline]
    pub(crate) fn contains(&self, doc: DocId) -> bool {
        self.words.get((doc / 64) as usize).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    pub(crate) fn count(&self) -> u32 {
        // Relaxed: the count follows from the words alone, and these change through `&mut self` only, which
        // forgets it. Who does not see it yet counts again.
        let known = self.counted.load(Ordering::Relaxed);
        if known != NOT_COUNTED {
            return known;
        }
        let count = self.words.iter().map(|word| word.count_ones()).sum();
        self.counted.store(count, Ordering::Relaxed);
        count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The documents that are in `least` of the sets or more, counted in binary, 64 documents at a time.
    pub(crate) fn at_least(max_doc: u32, sets: &[Arc<Bits>], least: usize) -> Self {
        let mut bits = Self::none(max_doc);
        let mut digits = vec![0u64; (usize::BITS - sets.len().leading_zeros()) as usize];
        for (at, word) in bits.words_mut().iter_mut().enumerate() {
            digits.fill(0);
            for set in sets {
                let mut carry = set.words.get(at).copied().unwrap_or(0);
                for digit in &mut digits {
                    (*digit, carry) = (*digit ^ carry, *digit & carry);
                }
            }
            // Greater or equal, from the highest digit down.
            let (mut greater, mut equal) = (0, u64::MAX);
            for (number, digit) in digits.iter().enumerate().rev() {
                if least >> number & 1 == 0 {
                    greater |= equal & digit;
                    equal &= !digit;
                } else {
                    equal &= digit;
                }
            }
            *word = greater | equal;
        }
        bits.clear_padding();
        bits
    }

    /// How many documents from `from` up to and without `to` are in it; both are multiples of 64.
    pub(crate) fn count_in(&self, from: DocId, to: DocId) -> u32 {
        let end = ((to / 64) as usize).min(self.words.len());
        let words = self.words.get((from / 64) as usize..end).unwrap_or_default();
        words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether more than half of all are in it.
    pub(crate) fn is_most(&self) -> bool {
        self.count() > self.max_doc / 2
    }

    /// How many documents are in both.
    pub(crate) fn count_common(&self, other: &Bits) -> u32 {
        self.words.iter().zip(&other.words).map(|(left, right)| (left & right).count_ones()).sum()
    }

    pub(crate) fn intersect(&mut self, other: &Bits) {
        self.words_mut().iter_mut().zip(&other.words).for_each(|(left, right)| *left &= right);
    }

    pub(crate) fn union(&mut self, other: &Bits) {
        self.words_mut().iter_mut().zip(&other.words).for_each(|(left, right)| *left |= right);
    }

    pub(crate) fn subtract(&mut self, other: &Bits) {
        self.words_mut().iter_mut().zip(&other.words).for_each(|(left, right)| *left &= !right);
    }

    /// The first document at or after `doc`, or [`TERMINATED`].
    #[inline]
    pub(crate) fn next_from(&self, doc: DocId) -> DocId {
        let mut at = (doc / 64) as usize;
        let Some(first) = self.words.get(at) else { return TERMINATED };
        let mut word = first & u64::MAX << (doc % 64);
        while word == 0 {
            at += 1;
            match self.words.get(at) {
                Some(next) => word = *next,
                None => return TERMINATED,
            }
        }
        at as u32 * 64 + word.trailing_zeros()
    }

    /// The last document before `doc`.
    pub(crate) fn last_before(&self, doc: DocId) -> Option<DocId> {
        let (at, bit) = ((doc / 64) as usize, doc % 64);
        let first = self.words.get(at).map_or(0, |word| word & !(u64::MAX << bit));
        let before = self.words.get(..at.min(self.words.len())).unwrap_or_default().iter().rev().copied();
        let (back, word) = [first].into_iter().chain(before).enumerate().find(|(_, word)| *word != 0)?;
        Some((at - back) as u32 * 64 + 63 - word.leading_zeros())
    }

    /// Ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = DocId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(at as u32 * 64 + bit)
            })
        })
    }

    /// Ascending, some hundreds at a time: faster than one by one.
    pub(crate) fn for_each_run(&self, mut each: impl FnMut(&[DocId])) {
        self.each_run::<1024>(|docs| {
            each(docs);
            ControlFlow::Continue(())
        });
    }

    /// Ascending, `LEN` at a time but for the last, which are fewer; `LEN` is at least 64.
    pub(crate) fn each_run<const LEN: usize>(&self, mut each: impl FnMut(&[DocId]) -> ControlFlow<()>) {
        /// Words that are passed over together where they are all empty.
        const TOGETHER: usize = 8;
        let mut run = Vec::with_capacity(LEN + 64);
        for (words, first) in self.words.chunks(TOGETHER).zip((0..).step_by(TOGETHER * 64)) {
            if words.iter().fold(0, |any, word| any | word) == 0 {
                continue;
            }
            for (word, first) in words.iter().zip((first..).step_by(64)) {
                push_docs(&mut run, *word, first);
                if let Some(whole) = run.get(..LEN) {
                    if each(whole).is_break() {
                        return;
                    }
                    run.drain(..LEN);
                }
            }
        }
        if !run.is_empty() {
            let _ = each(&run);
        }
    }

    /// The others.
    pub(crate) fn complement(&self) -> Self {
        let mut others = Self::of_words(self.max_doc, self.words.iter().map(|word| !word).collect());
        others.clear_padding();
        others
    }

    /// Those from `from` up to and without `to`, ascending.
    pub(crate) fn iter_in(&self, from: DocId, to: DocId) -> impl Iterator<Item = DocId> + '_ {
        let mut next = self.next_from(from);
        std::iter::from_fn(move || {
            let doc = (next < to).then_some(next)?;
            next = self.next_from(doc + 1);
            Some(doc)
        })
    }

    /// Puts `words` in place of those from document `from` on, a multiple of 64; what is past the end is left
    /// out.
    pub(crate) fn put_words(&mut self, from: DocId, words: &[u64]) {
        let own = self.words_mut().get_mut((from / 64) as usize..).unwrap_or_default();
        own.iter_mut().zip(words).for_each(|(own, word)| *own = *word);
        self.clear_padding();
    }

    /// Clears in `words`, whose first bit is document `from` (a multiple of 64), what is not in this set.
    pub(crate) fn keep_common(&self, from: DocId, words: &mut [u64]) {
        let own = self.words.get((from / 64) as usize..).unwrap_or_default();
        let (common, rest) = words.split_at_mut(own.len().min(words.len()));
        common.iter_mut().zip(own).for_each(|(word, own)| *word &= own);
        rest.fill(0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    fn clear_padding(&mut self) {
        let used = self.max_doc % 64;
        if let (Some(last), true) = (self.words_mut().last_mut(), used > 0) {
            *last &= !(u64::MAX << used);
        }
    }
}

/// Adds the documents of a word whose first bit is document `first`.
#[inline]
fn push_docs(run: &mut Vec<DocId>, word: u64, first: DocId) {
    let mut rest = word;
    if rest == u64::MAX {
        run.extend(first..first + 64);
        rest = 0;
    }
    while rest != 0 {
        run.push(first + rest.trailing_zeros());
        rest &= rest - 1;
    }
}

/// Words from their bytes, least significant first.
pub(crate) fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_combine_by_words() {
        for max_doc in [0u32, 1, 63, 64, 65, 130, 3000] {
            assert_eq!(Bits::all(max_doc).count(), max_doc);
            let mut even = Bits::from_docs(max_doc, (0..max_doc).step_by(2));
            assert_eq!(even.iter().collect::<Vec<_>>(), (0..max_doc).step_by(2).collect::<Vec<_>>());
            for bits in [&even, &Bits::all(max_doc)] {
                let mut by_runs = Vec::new();
                bits.for_each_run(|docs| by_runs.extend_from_slice(docs));
                assert!(bits.iter().eq(by_runs));
                let mut begun = Vec::new();
                bits.each_run::<64>(|docs| {
                    begun.extend_from_slice(docs);
                    if begun.len() < 128 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                assert!(bits.iter().take(128).eq(begun));
            }
            let odd = even.complement();
            assert_eq!(odd.iter().collect::<Vec<_>>(), (1..max_doc).step_by(2).collect::<Vec<_>>());
            let third = Bits::from_docs(max_doc, (0..max_doc).step_by(3));
            assert_eq!(even.count_common(&third) as usize, (0..max_doc).step_by(6).count());
            even.subtract(&third);
            assert!(even.iter().all(|doc| doc % 2 == 0 && doc % 3 != 0));
        }
    }

    #[test]
    fn documents_in_enough_sets_are_counted_in_binary() {
        let max_doc = 200;
        let sets: Vec<_> =
            [1, 2, 3, 5, 7].map(|step| Arc::new(Bits::from_docs(max_doc, (0..max_doc).step_by(step)))).into();
        for least in 1..=5 {
            let wanted = (0..max_doc)
                .filter(|doc| [1, 2, 3, 5, 7].iter().filter(|step| *doc % **step == 0).count() >= least);
            let found = Bits::at_least(max_doc, &sets, least);
            assert_eq!(found, Bits::from_docs(max_doc, wanted), "{least}");
            assert_eq!(
                found.count_in(64, 192),
                found.iter().filter(|doc| (64..192).contains(doc)).count() as u32
            );
        }
    }
}
