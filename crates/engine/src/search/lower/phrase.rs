//! Phrases: the terms of each position, counted from the first. A phrase of one position is its terms.
//!
//! In: a phrase of a plan, already analysed; out: a node with its terms, statistics of all of them, and its
//! text as Lucene prints it. A position that no document has makes it match nothing. Finding it in documents
//! is `search/phrase.rs`'s and `search/terms/phrase.rs`'s.

use std::sync::Arc;

use plan::{Error, Phrase, PhrasePosition, Result, Value};
use tantivy::Term;

use crate::layout::{FieldLayout, InvertedKind};
use crate::search::leaf_nodes::PhraseNode;
use crate::search::lower::lowering::Lowering;
use crate::search::node::{BooleanNode, Node};
use crate::search::repeats::{self, REPEATS_MAX};

/// How often a term counts that stands at several places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeats {
    /// At each, as in Lucene's `PhraseQuery`.
    Each,
    /// As in its spans, in the order of terms.
    Once,
}

impl Lowering<'_> {
    pub(super) fn phrase(&mut self, phrase: &Phrase, boost: f32) -> Result<Node> {
        self.phrase_counting(phrase, Repeats::Each, None, boost)
    }

    /// `shown` is the text of another query which the phrase stands for.
    pub(super) fn phrase_counting(
        &mut self,
        phrase: &Phrase,
        repeats: Repeats,
        shown: Option<String>,
        boost: f32,
    ) -> Result<Node> {
        let Some(layout) = self.field(&phrase.field) else { return Ok(Node::Nothing) };
        let Some(field) = layout.inverted else { return Ok(Node::Nothing) };
        if let [only] = phrase.positions.as_slice() {
            return self.any_of(&phrase.field, &only.terms, boost);
        }
        require_positions(layout, phrase)?;
        let Some(first) = phrase.positions.first() else { return Ok(Node::Nothing) };
        let mut counted = Vec::new();
        let mut positions = Vec::with_capacity(phrase.positions.len());
        for PhrasePosition { position, terms } in &phrase.positions {
            let mut present = Vec::with_capacity(terms.len());
            for text in terms {
                let term = Term::from_field_text(field, text);
                let doc_freq = self.doc_freq(layout, &term)?;
                if doc_freq > 0 || !self.scored {
                    counted.push((text.clone(), doc_freq));
                    present.push(term);
                }
            }
            if present.is_empty() {
                return Ok(Node::Nothing);
            }
            positions.push((position.saturating_sub(first.position), present));
        }
        if repeats == Repeats::Once {
            counted.sort_by(|(text, _), (other, _)| text.cmp(other));
            counted.dedup_by(|(text, _), (other, _)| text == other);
        }
        let scoring = self.scoring(layout, field, counted, boost)?;
        let label = shown.unwrap_or_else(|| label(phrase));
        let groups = sharing(phrase.slop, &positions)?;
        Ok(Node::Phrase(Arc::new(PhraseNode { positions, slop: phrase.slop, groups, label, scoring })))
    }

    pub(super) fn any_of(&mut self, name: &Arc<str>, terms: &[String], boost: f32) -> Result<Node> {
        let mut node = BooleanNode { minimum: 1, ..BooleanNode::default() };
        for term in terms {
            let part = self.term(name, &Value::Str(term.clone()), boost)?;
            if !part.is_nothing() {
                node.optional.push(part);
            }
        }
        Ok(match node.optional.len() {
            0 => Node::Nothing,
            1 => node.optional.remove(0),
            _ => Node::Boolean(node),
        })
    }
}

fn require_positions(layout: &FieldLayout, phrase: &Phrase) -> Result<()> {
    match layout.inverted_kind {
        Some(InvertedKind::Text { positions: true, .. }) => Ok(()),
        _ => {
            let (name, shown) = (&layout.name, label(phrase));
            Err(Error::bad_request(format!(
                "field \"{name}\" was indexed without position data; cannot run PhraseQuery (phrase={shown})"
            )))
        }
    }
}

/// As Lucene prints it: `field:"a (b c) ? d"~2`.
fn label(phrase: &Phrase) -> String {
    let mut shown = Vec::new();
    let mut expected = phrase.positions.first().map_or(0, |first| first.position);
    for PhrasePosition { position, terms } in &phrase.positions {
        while expected < *position && shown.len() < 1000 {
            shown.push("?".to_owned());
            expected += 1;
        }
        expected = position.saturating_add(1);
        shown.push(match terms.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(" ")),
        });
    }
    let slop = if phrase.slop > 0 { format!("~{}", phrase.slop) } else { String::new() };
    format!("{}:\"{}\"{slop}", phrase.field, shown.join(" "))
}

/// Which positions share a term, where that matters.
fn sharing(slop: u32, positions: &[(u32, Vec<Term>)]) -> Result<Vec<Option<usize>>> {
    if slop == 0 {
        return Ok(Vec::new());
    }
    let groups = repeats::groups(positions.iter().map(|(_, terms)| terms.as_slice()));
    match repeats::are_too_many(&groups) {
        false => Ok(groups),
        true => Err(Error::bad_request(format!(
            "a phrase with slop that has a word more than {REPEATS_MAX} times; search for it without slop"
        ))),
    }
}
