//! Queries by where words stand: in order or in any, near one another, or not within something else; and by
//! what was stored with them, their payloads. `{!complexphrase}`, `{!surround}`, `{!payload_score}` and
//! `{!payload_check}` resolve to these; shapes and names are those of Lucene's span queries.

use std::sync::Arc;

use crate::query::Query;
use crate::query::match_scope::MatchScope;
use crate::query::payload::{PayloadDecoder, PayloadFunction, PayloadKind, PayloadOperation};
use crate::value::Value;

/// A span query, of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanQuery {
    pub field: Arc<str>,
    pub span: Span,
    pub payload: Option<PayloadUse>,
    /// As written, where debug output shows that.
    pub text: Option<String>,
}

/// A stretch of words.
#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    Word(String),
    /// Any of the words that a prefix, wildcard, regular expression, fuzzy term or range finds in the index.
    Pattern(Box<Query>),
    Any(Vec<Span>),
    Near {
        spans: Vec<Span>,
        /// Words between, at most.
        slop: u32,
        in_order: bool,
    },
    /// Where the first stands and the second does not overlap it.
    Without(Box<[Span; 2]>),
}

/// What is done with the payloads of a stretch.
#[derive(Clone, Debug, PartialEq)]
pub enum PayloadUse {
    Score {
        decoder: PayloadDecoder,
        how: PayloadFunction,
        /// Whether the score is multiplied by what it would be without payloads.
        times_score: bool,
    },
    /// Only stretches whose payloads, one by one, compare so with these.
    Check { kind: PayloadKind, operation: PayloadOperation, payloads: Vec<Value> },
}

impl Span {
    /// As [`Query::scope`].
    pub(crate) fn scope(&self) -> MatchScope {
        let of_all = |spans: &[Span]| spans.iter().map(Span::scope).max().unwrap_or(MatchScope::Segment);
        match self {
            Span::Word(_) => MatchScope::Segment,
            // So many words of the whole index, at most.
            Span::Pattern(_) => MatchScope::Snapshot,
            Span::Any(spans) | Span::Near { spans, .. } => of_all(spans),
            Span::Without(both) => of_all(&**both),
        }
    }
}

impl SpanQuery {
    /// In Lucene's words, `of` being what it says of the span.
    pub fn describe(&self, of: &str) -> String {
        match &self.payload {
            None => of.to_owned(),
            Some(PayloadUse::Score { how, times_score, .. }) => {
                format!("PayloadScoreQuery({of}, function: {}, includeSpanScore: {times_score})", how.class())
            }
            Some(PayloadUse::Check { kind, operation, payloads }) => {
                let shown: String =
                    payloads.iter().map(|payload| format!("{};", payload.to_text())).collect();
                let (kind, operation) = (kind.name(), operation.name());
                format!(
                    "SpanPayloadCheckQuery({of}, payloadRef: {shown}, payloadType:{kind};, operation:{operation};)"
                )
            }
        }
    }
}

impl Span {
    /// Words it looks for by name: patterns are left out, and what must not be there.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        self.each_word(&mut |word| words.push(word.to_owned()));
        words
    }

    fn each_word(&self, take: &mut dyn FnMut(&str)) {
        match self {
            Span::Word(word) => take(word),
            Span::Pattern(_) => {}
            Span::Any(spans) | Span::Near { spans, .. } => {
                spans.iter().for_each(|span| span.each_word(take));
            }
            Span::Without(spans) => spans.iter().take(1).for_each(|span| span.each_word(take)),
        }
    }

    /// In Lucene's words, patterns by `pattern`.
    pub fn describe(&self, field: &str, pattern: &dyn Fn(&Query) -> String) -> String {
        let all = |spans: &[Span]| {
            spans.iter().map(|span| span.describe(field, pattern)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Span::Word(word) => format!("{field}:{word}"),
            Span::Pattern(query) => pattern(query),
            Span::Any(spans) => format!("spanOr([{}])", all(spans)),
            Span::Near { spans, slop, in_order } => format!("spanNear([{}], {slop}, {in_order})", all(spans)),
            Span::Without(spans) => format!("spanNot({}, 0, 0)", all(&spans[..])),
        }
    }
}
