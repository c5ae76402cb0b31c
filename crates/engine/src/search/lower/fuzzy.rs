//! Fuzzy terms as Lucene's `FuzzyQuery` runs them: the 50 nearest terms of the whole snapshot, each boosted by its
//! similarity, scored as if each were as frequent as the most frequent one.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{Error, Fuzzy, Result, Value};
use tantivy::Term;
use tantivy::query::{DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy_fst::Automaton;

use super::Lowering;
use crate::layout::{FieldLayout, InvertedKind};
use crate::search::error::engine_error;
use crate::search::node::{BooleanNode, Node, TermNode};
use crate::search::stats::term_infos;

/// Lucene's `FuzzyQuery.defaultMaxExpansions`.
const EXPANSIONS_MAX: usize = 50;
const EDITS_MAX: u8 = 2;
/// Longer terms are compared exactly: their automaton would outgrow its use.
const TERM_CHARS_MAX: usize = 255;

impl Lowering<'_> {
    pub(super) fn fuzzy(&mut self, fuzzy: &Fuzzy, boost: f32) -> Result<Node> {
        if fuzzy.edits_max > EDITS_MAX {
            return Err(Error::bad_request(format!(
                "a fuzzy query allows `{}` edits; use 0, 1 or 2",
                fuzzy.edits_max
            )));
        }
        let Some(layout) = self.field(&fuzzy.field) else { return Ok(Node::Nothing) };
        let Some(field) = text_field(layout) else { return Ok(Node::Nothing) };
        if fuzzy.edits_max == 0 || fuzzy.term.chars().count() > TERM_CHARS_MAX {
            return self.term(&fuzzy.field, &Value::Str(fuzzy.term.clone()), boost);
        }
        let nearest = self.nearest(field, fuzzy)?;
        let doc_freq = nearest.iter().map(|near| near.doc_freq).max().unwrap_or(0);
        let mut node = BooleanNode { minimum: 1, ..BooleanNode::default() };
        for near in nearest {
            let label = format!("{}:{}", fuzzy.field, near.text);
            let term = Term::from_field_text(field, &near.text);
            let scoring =
                self.scoring(layout, field, vec![(near.text, doc_freq)], boost * near.similarity)?;
            let infos = term_infos(self.context, &term)?;
            node.optional.push(Node::Term(Arc::new(TermNode { term, infos, label, scoring, varies: true })));
        }
        Ok(match node.optional.len() {
            0 => Node::Nothing,
            1 => node.optional.remove(0),
            _ => Node::Boolean(node),
        })
    }

    /// The nearest terms: most similar first chosen, ties in term order.
    fn nearest(&self, field: Field, fuzzy: &Fuzzy) -> Result<Vec<Near>> {
        let automaton = PrefixThen::new(field, fuzzy)?;
        let mut found: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for segment in &self.context.segments {
            let inverted = segment.reader.inverted_index(field).map_err(engine_error)?;
            let mut terms = inverted.terms().search(&automaton).into_stream().map_err(engine_error)?;
            while terms.advance() {
                *found.entry(terms.key().to_vec()).or_default() += u64::from(terms.value().doc_freq);
            }
        }
        let mut nearest: Vec<Near> = found
            .into_iter()
            .filter_map(|(bytes, doc_freq)| {
                let text = String::from_utf8(bytes).ok()?;
                let similarity = similarity(&fuzzy.term, &text);
                Some(Near { text, doc_freq, similarity })
            })
            .collect();
        nearest.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| a.text.cmp(&b.text)));
        nearest.truncate(EXPANSIONS_MAX);
        nearest.sort_by(|a, b| a.text.cmp(&b.text));
        Ok(nearest)
    }
}

/// Whether `found` is one of the terms that a fuzzy query means.
pub(crate) fn is_near(fuzzy: &Fuzzy, found: &str) -> bool {
    let (wanted, found): (Vec<char>, Vec<char>) = (fuzzy.term.chars().collect(), found.chars().collect());
    let edits_max = usize::from(fuzzy.edits_max);
    if edits_max == 0 || wanted.len() > TERM_CHARS_MAX || wanted.len().abs_diff(found.len()) > edits_max {
        return wanted == found;
    }
    let prefix = fuzzy.prefix_length.min(wanted.len());
    wanted.get(..prefix) == found.get(..prefix) && edits(&wanted, &found) <= edits_max
}

struct Near {
    text: String,
    doc_freq: u64,
    similarity: f32,
}

fn text_field(layout: &FieldLayout) -> Option<Field> {
    match layout.inverted_kind? {
        InvertedKind::Text { .. } | InvertedKind::Term { .. } | InvertedKind::Key => layout.inverted,
        _ => None,
    }
}

/// 1 - edits / the shorter length in characters, not below 0.
fn similarity(wanted: &str, found: &str) -> f32 {
    let (wanted, found): (Vec<char>, Vec<char>) = (wanted.chars().collect(), found.chars().collect());
    let edits = edits(&wanted, &found);
    if edits == 0 {
        return 1.0;
    }
    (1.0 - edits as f32 / wanted.len().min(found.len()) as f32).max(0.0)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
fn edits(left: &[char], right: &[char]) -> usize {
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
            if before == Some(*other) && other_before == Some(*letter) {
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
        let rest = FuzzyTermQuery::new(Term::from_field_text(field, rest), fuzzy.edits_max, true)
            .automaton()
            .map_err(engine_error)?;
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
            assert_eq!(edits(&left, &right), expected);
        };
        check("", "", 0);
        check("abc", "abc", 0);
        check("abc", "acb", 1);
        check("abcd", "acbde", 2);
        check("kitten", "sitting", 3);
        check("é", "", 1);
    }
}
