//! The terms of a field that are a few edits away from a word, found by an automaton over the dictionaries of
//! all segments: for fuzzy queries and for spelling.
//!
//! In: the word, the number of edits and the exact beginning; out: the terms with their documents counted
//! over the snapshot, and how like the word they are by Lucene's measure. Which of them become clauses is
//! `lower/fuzzy.rs`'s.

use std::collections::BTreeMap;

use plan::{Fuzzy, Result};
use tantivy::Term;
use tantivy::query::{DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy_fst::Automaton;

use super::sets::TERMS_A_LOOK;
use crate::errors::from_tantivy;
use crate::layout::{FieldLayout, InvertedKind};
use crate::search::context::SearchContext;

/// No longer words are looked for: their automaton would outgrow its use.
pub const TERM_CHARS_MAX: usize = 255;

/// A term with how like the word it is, from 0 to 1.
pub(super) struct NearTerm {
    pub(super) text: String,
    pub(super) doc_freq: u64,
    pub(super) similarity: f32,
}

impl NearTerm {
    pub(super) fn of(fuzzy: &Fuzzy, text: String, doc_freq: u64) -> Self {
        Self { similarity: similarity(fuzzy, &text), text, doc_freq }
    }
}

/// All of them, in term order. The word has at most [`TERM_CHARS_MAX`] characters.
pub(super) fn near_terms(context: &SearchContext<'_>, field: Field, fuzzy: &Fuzzy) -> Result<Vec<NearTerm>> {
    let near = counted_near_terms(context, field, fuzzy)?.into_iter();
    Ok(near.map(|(text, doc_freq)| NearTerm::of(fuzzy, text, doc_freq)).collect())
}

/// The same with their documents alone.
pub(super) fn counted_near_terms(
    context: &SearchContext<'_>,
    field: Field,
    fuzzy: &Fuzzy,
) -> Result<Vec<(String, u64)>> {
    let automaton = PrefixThen::new(field, fuzzy)?;
    let mut found: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for segment in &context.segments {
        let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
        let mut terms = inverted.terms().search(&automaton).into_stream().map_err(from_tantivy)?;
        let mut read = 0u32;
        while terms.advance() {
            read += 1;
            if read.is_multiple_of(TERMS_A_LOOK) && context.allowance.is_used_up() {
                break;
            }
            // Dead documents are counted until a merge drops them, as in Lucene.
            *found.entry(terms.key().to_vec()).or_default() += u64::from(terms.value().doc_freq);
        }
    }
    let texts =
        found.into_iter().filter_map(|(bytes, doc_freq)| Some((String::from_utf8(bytes).ok()?, doc_freq)));
    Ok(texts.collect())
}

/// Whether `found` is one of the terms that a fuzzy query means.
pub(crate) fn is_near(fuzzy: &Fuzzy, found: &str) -> bool {
    let (wanted, found): (Vec<char>, Vec<char>) = (fuzzy.term.chars().collect(), found.chars().collect());
    let edits_max = usize::from(fuzzy.edits_max);
    if edits_max == 0 || wanted.len() > TERM_CHARS_MAX || wanted.len().abs_diff(found.len()) > edits_max {
        // An edit changes the length by one at most. A word that is too long has no automaton, so it means
        // itself.
        return wanted == found;
    }
    let prefix = fuzzy.prefix_length.min(wanted.len());
    wanted.get(..prefix) == found.get(..prefix) && edits(&wanted, &found, fuzzy.transpositions) <= edits_max
}

/// The inverted index of a field whose terms are texts.
pub(super) fn text_field(layout: &FieldLayout) -> Option<Field> {
    match layout.inverted_kind? {
        InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key => layout.inverted,
        _ => None,
    }
}

/// 1 - edits / the shorter length in characters, not below 0.
pub fn similarity(fuzzy: &Fuzzy, found: &str) -> f32 {
    let (wanted, found): (Vec<char>, Vec<char>) = (fuzzy.term.chars().collect(), found.chars().collect());
    let edits = edits(&wanted, &found, fuzzy.transpositions);
    if edits == 0 {
        return 1.0;
    }
    (1.0 - edits as f32 / wanted.len().min(found.len()) as f32).max(0.0)
}

/// Insertions, deletions, replacements and, if they count as one, swaps of neighbours between two words
/// (optimal string alignment).
fn edits(left: &[char], right: &[char], swaps: bool) -> usize {
    // Half of the greatest, since 1 is added to it.
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
    let mut above: Vec<usize> = (0..=right.len()).collect();
    let mut two_above: Vec<usize> = Vec::new();
    let mut before: Option<char> = None;
    for (number, letter) in left.iter().enumerate() {
        let mut row = vec![number + 1];
        let mut other_before: Option<char> = None;
        for (column, other) in right.iter().enumerate() {
            let replaced = at(&above, column) + usize::from(letter != other);
            let mut best = replaced.min(at(&above, column + 1) + 1).min(at(&row, column) + 1);
            if swaps && before == Some(*other) && other_before == Some(*letter) {
                best = best.min(at(&two_above, column.wrapping_sub(1)) + 1);
            }
            row.push(best);
            other_before = Some(*other);
        }
        before = Some(*letter);
        two_above = std::mem::replace(&mut above, row);
    }
    at(&above, right.len())
}

/// A literal prefix, then an automaton over the rest.
struct PrefixThen {
    prefix: Vec<u8>,
    rest: DfaWrapper,
}

impl PrefixThen {
    fn new(field: Field, fuzzy: &Fuzzy) -> Result<Self> {
        let at = fuzzy.term.char_indices().nth(fuzzy.prefix_length).map_or(fuzzy.term.len(), |(at, _)| at);
        let (prefix, rest) = fuzzy.term.split_at(at);
        let rest =
            // tantivy's automata know no exact beginning, so this one is of the rest alone.
            FuzzyTermQuery::new(Term::from_field_text(field, rest), fuzzy.edits_max, fuzzy.transpositions)
                .automaton()
                .map_err(from_tantivy)?;
        Ok(Self { prefix: prefix.as_bytes().to_vec(), rest })
    }
}

#[derive(Clone)]
enum PrefixState {
    Before(usize),
    Within(u32),
    Dead,
}

impl Automaton for PrefixThen {
    type State = PrefixState;

    fn start(&self) -> PrefixState {
        if self.prefix.is_empty() { PrefixState::Within(self.rest.start()) } else { PrefixState::Before(0) }
    }

    fn is_match(&self, state: &PrefixState) -> bool {
        matches!(state, PrefixState::Within(inner) if self.rest.is_match(inner))
    }

    fn can_match(&self, state: &PrefixState) -> bool {
        match state {
            PrefixState::Before(_) => true,
            PrefixState::Within(inner) => self.rest.can_match(inner),
            PrefixState::Dead => false,
        }
    }

    fn accept(&self, state: &PrefixState, byte: u8) -> PrefixState {
        match state {
            PrefixState::Before(at) if self.prefix.get(*at) == Some(&byte) => {
                if at + 1 == self.prefix.len() {
                    PrefixState::Within(self.rest.start())
                } else {
                    PrefixState::Before(at + 1)
                }
            }
            PrefixState::Within(inner) => PrefixState::Within(self.rest.accept(inner, byte)),
            _ => PrefixState::Dead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_count_as_one_edit() {
        let check = |left: &str, right: &str, expected: usize| {
            let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
            assert_eq!(edits(&left, &right, true), expected);
        };
        check("", "", 0);
        check("abc", "abc", 0);
        check("abc", "acb", 1);
        check("abcd", "acbde", 2);
        check("kitten", "sitting", 3);
        check("é", "", 1);
    }
}
