//! Queries by where words stand: in order or in any, near one another, or not within something else; and by
//! what was stored with them, their payloads. `{!complexphrase}`, `{!surround}`, `{!payload_score}` and
//! `{!payload_check}` resolve to these; shapes and names are those of Lucene's span queries.

use crate::query::payload::PayloadUse;
use crate::query::tree::{Query, Span, SpanQuery};

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
