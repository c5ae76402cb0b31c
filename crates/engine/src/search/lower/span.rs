//! Span queries: patterns become the terms that they stand for in this index, terms get numbers and
//! statistics. Neighbours in order are a phrase, and terms alone are what they are anywhere, without
//! positions.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use plan::{Error, PayloadUse, Phrase, PhrasePosition, Result, Span, SpanQuery};
use tantivy::Term;
use tantivy::schema::Field;

use super::phrase::Repeats;
use crate::layout::{FieldLayout, InvertedKind};
use crate::search::columns::SegmentColumns;
use crate::search::lower::lowering::Lowering;
use crate::search::node::Node;
use crate::search::span::{Payloads, SpanNode, SpanShape};

impl Lowering<'_> {
    pub(super) fn span(&mut self, query: &SpanQuery, boost: f32) -> Result<Node> {
        let Some(layout) = self.field(&query.field) else { return Ok(Node::Nothing) };
        let Some(field) = layout.inverted else { return Ok(Node::Nothing) };
        let span = self.resolved(field, &query.span)?;
        if query.payload.is_none() {
            if let Some(terms) = words_alone(&span) {
                return self.any_of(&query.field, &terms, boost);
            }
            if let Some(phrase) = as_phrase(&query.field, &span) {
                let label = span.describe(&query.field, &|_| String::new());
                return self.phrase_counting(&phrase, Repeats::Once, Some(label), boost);
            }
        }
        self.span_node(query, &span, (layout, field), boost)
    }

    fn span_node(
        &mut self,
        query: &SpanQuery,
        span: &Span,
        (layout, field): (&FieldLayout, Field),
        boost: f32,
    ) -> Result<Node> {
        let own = span.describe(&query.field, &|_| String::new());
        require_positions(layout, &own)?;
        let counted = self.counted((layout, field), span)?;
        if counted.is_empty() && self.scored {
            return Ok(Node::Nothing);
        }
        let mut words = Words { field, numbers: HashMap::new(), terms: Vec::new() };
        let shape = words.shape(span);
        let label = match &query.payload {
            Some(PayloadUse::Check { .. }) => query.describe(&own),
            _ => own,
        };
        let payload = match &query.payload {
            None => None,
            Some(how) => {
                let columns = layout.payloads.as_ref().map(|column| SegmentColumns::of(self.context, column));
                Some(Payloads { how: how.clone(), columns: columns.transpose()? })
            }
        };
        let scoring = self.scoring(layout, field, counted, boost)?;
        Ok(Node::Span(Arc::new(SpanNode { shape, terms: words.terms, label, scoring, payload })))
    }

    /// The same without patterns.
    fn resolved(&self, field: Field, span: &Span) -> Result<Span> {
        let all = |spans: &[Span]| -> Result<Vec<Span>> {
            spans.iter().map(|span| self.resolved(field, span)).collect()
        };
        Ok(match span {
            Span::Word(word) => Span::Word(word.clone()),
            Span::Pattern(query) => {
                let mut terms = BTreeSet::new();
                self.terms_of(field, query, &mut terms)?;
                let mut words: Vec<Span> = terms.into_iter().map(Span::Word).collect();
                if words.len() == 1 { words.remove(0) } else { Span::Any(words) }
            }
            Span::Any(spans) => Span::Any(all(spans)?),
            Span::Near { spans, slop, in_order } => {
                Span::Near { spans: all(spans)?, slop: *slop, in_order: *in_order }
            }
            Span::Without(spans) => {
                let [found, excluded] = &**spans;
                Span::Without(Box::new([self.resolved(field, found)?, self.resolved(field, excluded)?]))
            }
        })
    }

    /// The terms that are looked for, in their order, with how many documents have them.
    fn counted(&self, (layout, field): (&FieldLayout, Field), span: &Span) -> Result<Vec<(String, u64)>> {
        let words: BTreeSet<String> = span.words().into_iter().collect();
        let mut counted = Vec::with_capacity(words.len());
        for word in words {
            let doc_freq = self.doc_freq(layout, &Term::from_field_text(field, &word))?;
            if doc_freq > 0 {
                counted.push((word, doc_freq));
            }
        }
        Ok(counted)
    }
}

/// The terms of a span that is nothing but one of them.
fn words_alone(span: &Span) -> Option<Vec<String>> {
    let word = |span: &Span| if let Span::Word(word) = span { Some(word.clone()) } else { None };
    match span {
        Span::Any(spans) => spans.iter().map(word).collect(),
        one => Some(vec![word(one)?]),
    }
}

/// The phrase that neighbours in order are, for which there is a quicker way.
fn as_phrase(field: &Arc<str>, span: &Span) -> Option<Phrase> {
    let Span::Near { spans, slop: 0, in_order: true } = span else { return None };
    let mut positions = Vec::with_capacity(spans.len());
    for (position, span) in (0..).zip(spans) {
        positions.push(PhrasePosition { position, terms: words_alone(span)? });
    }
    Some(Phrase { field: field.clone(), positions, slop: 0 })
}

fn require_positions(layout: &FieldLayout, shown: &str) -> Result<()> {
    match layout.inverted_kind {
        Some(InvertedKind::Text { positions: true, .. }) => Ok(()),
        _ => Err(Error::bad_request(format!(
            "field \"{}\" was indexed without position data; cannot run SpanQuery ({shown})",
            layout.name
        ))),
    }
}

/// Numbers for words, each once.
struct Words {
    field: Field,
    numbers: HashMap<String, usize>,
    terms: Vec<Term>,
}

impl Words {
    fn shape(&mut self, span: &Span) -> SpanShape {
        match span {
            Span::Word(word) => SpanShape::Word(self.number(word)),
            // There are none left.
            Span::Pattern(_) => SpanShape::Any(Vec::new()),
            Span::Any(spans) => SpanShape::Any(self.shapes(spans)),
            Span::Near { spans, slop, in_order } => {
                SpanShape::Near { shapes: self.shapes(spans), slop: *slop, in_order: *in_order }
            }
            Span::Without(spans) => {
                let [found, excluded] = &**spans;
                SpanShape::Without(Box::new([self.shape(found), self.shape(excluded)]))
            }
        }
    }

    fn shapes(&mut self, spans: &[Span]) -> Vec<SpanShape> {
        spans.iter().map(|span| self.shape(span)).collect()
    }

    fn number(&mut self, word: &str) -> usize {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        self.terms.push(Term::from_field_text(self.field, word));
        self.numbers.insert(word.to_owned(), self.terms.len() - 1);
        self.terms.len() - 1
    }
}
