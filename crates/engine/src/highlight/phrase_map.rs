//! The terms and phrases of a query as a tree of words, which the `fastVector` method follows along a text.
//! Phrases of a query that overlap make longer ones. The rules are those of Lucene 9.12.3 (`FieldQuery`).
//!
//! Made once for each field from what is sought in it (`sought`); patterns are tried beside the tree.
//! Following it along a text is `phrase_list`'s.

use std::collections::HashMap;

use super::sought::{Leaf, LeafKind, Pattern, PhraseSought, Sought};

/// What may follow a word, and what the words so far are.
#[derive(Debug, Default)]
pub(super) struct PhraseMap {
    pub(super) end: Option<End>,
    below: HashMap<String, PhraseMap>,
}

/// A term or phrase of the query ends here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) slop: u32,
    pub(super) boost: f32,
    /// Chooses its tags.
    pub(super) number: usize,
}

/// All that a query looks for in a field.
pub(super) struct QueryPhrases<'a> {
    root: PhraseMap,
    patterns: Vec<(&'a Pattern, PhraseMap)>,
}

impl<'a> QueryPhrases<'a> {
    /// `alone`: the words of phrases count by themselves too.
    pub(super) fn of(sought: &'a Sought, alone: bool) -> Self {
        let mut found = Self { root: PhraseMap::default(), patterns: Vec::new() };
        let mut number = 0;
        let flat: Vec<Flat> = sought.marked().flat_map(Flat::of).collect();
        for one in expanded(&flat) {
            let words: Vec<&str> = one.words.iter().map(String::as_str).collect();
            found.root.add(&words, one.slop, one.boost, &mut number);
            if alone && words.len() > 1 {
                words.iter().for_each(|word| found.root.add(&[word], 0, one.boost, &mut number));
            }
        }
        for leaf in sought.marked() {
            // Solr's ranges are none of the queries that Lucene spells out here.
            if let LeafKind::Pattern(pattern) = &leaf.kind
                && !matches!(pattern, Pattern::Range(..))
            {
                let mut map = PhraseMap::default();
                map.add(&[], 0, leaf.boost, &mut number);
                found.patterns.push((pattern, map));
            }
        }
        found
    }

    /// What the query has that begins with a word.
    pub(super) fn begins(&self, word: &str) -> Option<&PhraseMap> {
        let by_pattern =
            || self.patterns.iter().find(|(pattern, _)| pattern.matches(word)).map(|(_, map)| map);
        self.root.then(word).or_else(by_pattern)
    }

    /// The term or phrase that these words are.
    pub(super) fn find<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Option<&PhraseMap> {
        let mut words = words.into_iter();
        let first = self.begins(words.next()?)?;
        words.try_fold(first, |map, word| map.then(word))
    }
}

impl PhraseMap {
    pub(super) fn then(&self, word: &str) -> Option<&PhraseMap> {
        self.below.get(word)
    }

    fn add(&mut self, words: &[&str], slop: u32, boost: f32, number: &mut usize) {
        let mut at = self;
        for word in words {
            at = at.below.entry((*word).to_owned()).or_default();
        }
        at.end = Some(End { slop, boost, number: *number });
        *number += 1;
    }
}

/// A term or a phrase.
#[derive(Clone, Debug, PartialEq)]
struct Flat {
    words: Vec<String>,
    slop: u32,
    boost: f32,
}

impl Flat {
    /// Lucene's method passes over phrases with a choice of words at one place.
    fn of(leaf: &Leaf) -> Vec<Self> {
        let flat = |words: Vec<String>, slop| Self { words, slop, boost: leaf.boost };
        match &leaf.kind {
            LeafKind::Terms(terms) => terms.iter().map(|term| flat(vec![term.clone()], 0)).collect(),
            LeafKind::Phrase(PhraseSought { places, slop }) => {
                let words: Option<Vec<String>> = places
                    .iter()
                    .map(|(_, terms)| if terms.len() == 1 { terms.first().cloned() } else { None })
                    .collect();
                words.map(|words| flat(words, *slop)).into_iter().collect()
            }
            LeafKind::Pattern(_) => Vec::new(),
        }
    }
}

/// Each once, with the longer phrases that overlapping ones make behind the first of them.
fn expanded(flat: &[Flat]) -> Vec<Flat> {
    let mut all: Vec<Flat> = Vec::new();
    let mut add = |one: Flat| {
        if !all.contains(&one) {
            all.push(one);
        }
    };
    for (at, one) in flat.iter().enumerate() {
        add(one.clone());
        let others = flat.iter().skip(at + 1).filter(|other| one.words.len() > 1 && other.words.len() > 1);
        for other in others.filter(|other| other.slop == one.slop && *other != one) {
            joined(one, other).into_iter().chain(joined(other, one)).for_each(&mut add);
        }
    }
    all
}

/// The phrases that begin as `first` and end as `second`.
fn joined(first: &Flat, second: &Flat) -> Vec<Flat> {
    let shared = |from: usize| {
        let tail = first.words.get(from..)?;
        let rest = second.words.strip_prefix(tail).filter(|rest| !rest.is_empty())?;
        let words = first.words.iter().chain(rest).cloned().collect();
        Some(Flat { words, slop: first.slop, boost: 1.0 })
    };
    (1..first.words.len()).filter_map(shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_phrases_make_longer_ones() {
        let flat =
            |text: &str| Flat { words: text.split(' ').map(str::to_owned).collect(), slop: 0, boost: 1.0 };
        let check = |given: &[&str], expected: &[&str]| {
            let given_flat: Vec<Flat> = given.iter().map(|text| flat(text)).collect();
            let found = expanded(&given_flat);
            assert_eq!(found, expected.iter().map(|text| flat(text)).collect::<Vec<_>>(), "{given:?}");
        };
        check(&["a", "b c", "c d"], &["a", "b c", "b c d", "c d"]);
        check(&["a b", "c d"], &["a b", "c d"]);
        check(&["a b", "a b"], &["a b"]);
    }
}
