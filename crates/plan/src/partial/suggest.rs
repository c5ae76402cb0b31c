//! What one shard suggests: entries, best first, or how often words follow one another. Weights are the
//! shard's own; the cut, and what falls with the place of a word, come when those of all shards are together.
//! In: what a suggester's lookup found in one shard; out: a part that merges in any order, and `cluster`
//! finishes. What is highlighted, and how weights look, is `solr`'s.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::merge::Merge;
use super::sorted::merge_sorted;
use crate::search::suggest::Suggestion;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SuggestPartial {
    Entries(SuggestedEntries),
    NextWords(NextWords),
}

impl Default for SuggestPartial {
    fn default() -> Self {
        Self::Entries(SuggestedEntries::default())
    }
}

impl Merge for SuggestPartial {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Self::Entries(own), Self::Entries(other)) => Self::Entries(own.merge(other)),
            (Self::NextWords(own), Self::NextWords(other)) => Self::NextWords(own.merge(other)),
            // A suggester that is not built yet has no entries, whatever its kind.
            (Self::Entries(own), other @ Self::NextWords(_)) if own.list.is_empty() => other,
            (own, _) => own,
        }
    }
}

/// Entries in their order, the best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SuggestedEntries {
    pub list: Vec<SuggestedEntry>,
    pub order: EntryOrder,
    pub same_texts: SameTexts,
    /// Present when shown weights fall with the place of the word found: this many times the entries asked
    /// for are weighed.
    pub blend: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuggestedEntry {
    /// With the weight that the entry has.
    pub suggestion: Suggestion,
    /// It is just what was typed, and comes first.
    pub exact: bool,
    /// Decides between equal weights: how the entry is spelt.
    pub key: String,
    /// Then decides how many stand before it in its shard.
    pub place: u32,
    /// How much of the weight is shown.
    pub share: f64,
}

impl SuggestedEntry {
    /// With nothing that puts it before others but its weight or its text.
    pub fn of(suggestion: Suggestion) -> Self {
        Self { suggestion, exact: false, key: String::new(), place: 0, share: 1.0 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryOrder {
    #[default]
    Weight,
    Text,
}

/// What becomes of entries of one text that several shards have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SameTexts {
    /// Each is one document's and stands for itself.
    #[default]
    Each,
    Heaviest,
    /// Weights are counts, and add up.
    Sum,
    /// All shards have the same entries.
    Shared,
}

impl SuggestedEntries {
    /// The same of a source that says what becomes of equal texts.
    pub fn from_source(mut self, same_texts: SameTexts) -> Self {
        self.same_texts = same_texts;
        if same_texts == SameTexts::Sum {
            // Sums have no place of their own: equal ones are in the order of their texts, as terms are.
            self.list.iter_mut().for_each(|entry| entry.place = 0);
        }
        self
    }

    /// Total, but for entries that are the same in all that is shown.
    fn compare(&self, one: &SuggestedEntry, other: &SuggestedEntry) -> Ordering {
        let shown = |it: &SuggestedEntry| (it.suggestion.text.clone(), it.suggestion.payload.clone());
        let by_weight = match self.order {
            EntryOrder::Weight => other.suggestion.weight.cmp(&one.suggestion.weight),
            EntryOrder::Text => one.suggestion.text.cmp(&other.suggestion.text),
        };
        other
            .exact
            .cmp(&one.exact)
            .then(by_weight)
            .then_with(|| one.key.cmp(&other.key))
            .then_with(|| one.place.cmp(&other.place))
            .then_with(|| shown(one).cmp(&shown(other)))
            .then_with(|| other.suggestion.weight.cmp(&one.suggestion.weight))
    }

    /// Each text once: as its first entry, with the weights of all if they add up.
    fn join_texts(&mut self) {
        let mut joined: HashMap<String, SuggestedEntry> = HashMap::with_capacity(self.list.len());
        for entry in std::mem::take(&mut self.list) {
            match joined.get_mut(&entry.suggestion.text) {
                Some(known) if self.same_texts == SameTexts::Sum => {
                    known.suggestion.weight = known.suggestion.weight.saturating_add(entry.suggestion.weight);
                }
                Some(_) => {}
                None => drop(joined.insert(entry.suggestion.text.clone(), entry)),
            }
        }
        let mut list: Vec<SuggestedEntry> = joined.into_values().collect();
        list.sort_by(|one, other| self.compare(one, other));
        self.list = list;
    }
}

impl Merge for SuggestedEntries {
    fn merge(mut self, other: Self) -> Self {
        if self.list.is_empty() {
            return other;
        }
        if other.list.is_empty() || self.same_texts == SameTexts::Shared {
            return self;
        }
        let own = std::mem::take(&mut self.list);
        // Never equal, so that none gets lost.
        let order =
            |one: &SuggestedEntry, other: &SuggestedEntry| self.compare(one, other).then(Ordering::Less);
        self.list = merge_sorted(own, other.list, order, |own, _| own);
        if self.same_texts != SameTexts::Each {
            self.join_texts();
        }
        self
    }
}

/// How often words follow those that were typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NextWords {
    /// Stands between words.
    pub separator: u8,
    /// All words.
    pub words: u64,
    /// Those that begin with as much of what was typed as is known, then with less and less of it.
    pub sequences: Vec<WordSequences>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordSequences {
    /// How often the words before the last occur; `None` where there are none, or they are not known: then
    /// all words count.
    pub context: Option<u64>,
    /// Sequences of words in order of their bytes, with how often they occur.
    pub list: Vec<(Vec<u8>, u64)>,
}

impl Merge for NextWords {
    fn merge(self, other: Self) -> Self {
        let Self { separator, words, sequences } = self;
        Self { separator, words: words + other.words, sequences: sequences.merge(other.sequences) }
    }
}

impl Merge for WordSequences {
    fn merge(self, other: Self) -> Self {
        let join = |(text, own): (Vec<u8>, u64), (_, other)| (text, own + other);
        let list = merge_sorted(self.list, other.list, |(own, _), (other, _)| own.cmp(other), join);
        Self { context: self.context.merge(other.context), list }
    }
}
