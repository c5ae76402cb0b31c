//! The words of one field, as far as shards were asked for them. A word that is not known is noted, and asked
//! for with all others that were: a checker goes over a plan's words again and again, each time with more
//! known, until it misses none. So it reads like one that has the dictionary at hand, and shards are asked as
//! often as one answer depends on another, not once for each word: two or three times for words that are
//! near, up to three more than there may be cuts (`changes_max`) for torn ones.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use plan::partial::{TermCounts, WordCounts};
use plan::{Fuzzy, WordsPlan};

pub(super) struct Words {
    schema_version: Option<u64>,
    field: Arc<str>,
    documents_max: u64,
    exact: RefCell<Noted<String, u64>>,
    near: RefCell<Noted<NearWord, TermCounts>>,
}

/// A word, how many edits away its terms may be, and how many characters they begin with as it does.
type NearWord = (String, u8, usize);

/// A term near a word.
pub(super) struct NearTerm {
    pub(super) text: String,
    pub(super) documents: u64,
    /// How like the word it is, from 0 to 1.
    pub(super) similarity: f32,
}

impl Words {
    /// As a plan of this version of the schema names the field.
    pub(super) fn new(field: &Arc<str>, schema_version: Option<u64>) -> Self {
        let (exact, near) = (RefCell::default(), RefCell::default());
        Self { schema_version, field: field.clone(), documents_max: 0, exact, near }
    }

    /// All documents, once anything is known.
    pub(super) fn documents_max(&self) -> u64 {
        self.documents_max
    }

    /// The documents of a word, once they are known.
    pub(super) fn documents(&self, word: &str) -> Option<u64> {
        self.exact.borrow_mut().get(word).copied()
    }

    /// The terms at most this many edits away, that begin with the same `prefix` characters, in order, once
    /// they are known.
    pub(super) fn near(&self, word: &str, edits_max: u8, prefix: usize) -> Option<Vec<NearTerm>> {
        let mut near = self.near.borrow_mut();
        let terms = near.get(&(word.to_owned(), edits_max, prefix))?;
        let fuzzy = self.fuzzy(word, edits_max, prefix);
        let term = terms.0.iter().map(|count| NearTerm {
            text: count.term.clone(),
            documents: count.documents,
            similarity: engine::similarity(&fuzzy, &count.term),
        });
        Some(term.collect())
    }

    /// What was missed since something was learnt; `None` if nothing was.
    pub(super) fn missed(&self) -> Option<WordsPlan> {
        let (exact, near) = (self.exact.borrow(), self.near.borrow());
        let near = near.missed.iter().map(|(word, edits_max, prefix)| self.fuzzy(word, *edits_max, *prefix));
        let near: Vec<Fuzzy> = near.collect();
        let exact = exact.missed.clone();
        let plan = WordsPlan { schema_version: self.schema_version, field: self.field.clone(), exact, near };
        (!plan.exact.is_empty() || !plan.near.is_empty()).then_some(plan)
    }

    /// Takes in what all shards together know of what was missed; it may be of its first words alone.
    pub(super) fn learn(&mut self, counts: WordCounts) {
        let WordCounts { documents, exact, near } = counts;
        self.documents_max = documents;
        self.exact.get_mut().learn(exact);
        self.near.get_mut().learn(near);
    }

    fn fuzzy(&self, word: &str, edits_max: u8, prefix_length: usize) -> Fuzzy {
        Fuzzy { prefix_length, ..Fuzzy::new(self.field.clone(), word.to_owned(), edits_max) }
    }
}

/// What is known, and what was missed.
struct Noted<K, V> {
    /// `None` for what was missed and is not known yet.
    known: HashMap<K, Option<V>>,
    missed: Vec<K>,
}

impl<K, V> Default for Noted<K, V> {
    fn default() -> Self {
        Self { known: HashMap::new(), missed: Vec::new() }
    }
}

impl<K: Eq + Hash, V> Noted<K, V> {
    /// What is known of a key, which is copied only where it is missed for the first time.
    fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if !self.known.contains_key(key) {
            self.missed.push(key.to_owned());
            self.known.insert(key.to_owned(), None);
        }
        self.known.get(key)?.as_ref()
    }

    fn learn(&mut self, values: Vec<V>) {
        self.known.extend(std::mem::take(&mut self.missed).into_iter().zip(values.into_iter().map(Some)));
    }
}
