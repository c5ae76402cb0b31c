//! The tokens of a text, analysed again as they were for the index, with where they stand in the text: Solr
//! may have them from term vectors or offsets in the index, here there is only the stored text.
//!
//! In: a `Text` and which tokens are wanted; out: tokens with units and positions, those of several values
//! with the type's gap between, and an index of them by their text.

use std::collections::HashMap;
use std::ops::Range;

use analysis::{Token as AnalysisToken, TokenStream};

use super::text::{Text, VALUE_SEPARATOR};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) text: String,
    /// In units of the text.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) position: u32,
}

/// How the texts of a field become tokens.
pub(super) enum TokenReader {
    /// With the type's gap of positions between values.
    Analyzed { stream: TokenStream, gap: u32 },
    /// Each value is one token.
    Whole,
}

impl TokenReader {
    /// The tokens of all values of a text that `wanted` takes.
    pub(super) fn tokens(&mut self, text: &Text, wanted: impl Fn(&str) -> bool) -> Vec<Token> {
        let mut found = Vec::new();
        let (mut at, mut position) = (0, 0);
        for value in text.as_str().split(VALUE_SEPARATOR) {
            position = self.value(text, at..at + value.len(), position, &wanted, &mut found);
            at += value.len() + VALUE_SEPARATOR.len_utf8();
        }
        found
    }

    /// Adds the tokens of the value at `bytes`, whose positions begin at `position`; the result is where
    /// those of the next value begin.
    fn value(
        &mut self,
        text: &Text,
        bytes: Range<usize>,
        position: u32,
        wanted: &impl Fn(&str) -> bool,
        found: &mut Vec<Token>,
    ) -> u32 {
        let value = text.as_str().get(bytes.clone()).unwrap_or_default();
        let TokenReader::Analyzed { stream, gap } = self else {
            if wanted(value) {
                let (start, end) = (text.unit(bytes.start), text.unit(bytes.end));
                found.push(Token { text: value.to_owned(), start, end, position });
            }
            return position.saturating_add(1);
        };
        let mut next = position;
        let mut tokens = stream.start(value);
        while tokens.advance() {
            let token: &AnalysisToken = tokens.token();
            next = next.saturating_add(token.position_increment);
            if wanted(&token.text) {
                let unit = |offset: u32| text.unit(bytes.start + offset as usize);
                let (start, end) = (unit(token.start), unit(token.end));
                found.push(Token { text: token.text.clone(), start, end, position: next.saturating_sub(1) });
            }
        }
        next.saturating_add(tokens.finish().position_increment).saturating_add(*gap)
    }
}

/// Tokens by their text.
pub(super) struct TokenIndex<'a>(HashMap<&'a str, Vec<&'a Token>>);

impl<'a> TokenIndex<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        let mut index: HashMap<&str, Vec<&Token>> = HashMap::new();
        for token in tokens {
            index.entry(&token.text).or_default().push(token);
        }
        Self(index)
    }

    /// In order of the text.
    pub(super) fn of(&self, text: &str) -> &[&'a Token] {
        self.0.get(text).map_or(&[], Vec::as_slice)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }
}
