//! The tokens of a document, as numbers: which term, at which position. Made outside every lock by `prepare`,
//! taken by `postings_builder.rs`, which groups them by term. Positions are ours, as in Lucene: gaps between
//! values, tokens on top of another.

use std::collections::HashSet;

use tantivy::schema::Field;

use crate::indexing::term_table::{FieldTerm, TermTable};

/// One occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its number in the table of the group.
    pub(crate) term: u32,
    pub(crate) position: u32,
}

/// Takes the tokens of one field of one document.
pub(crate) struct FieldTokens<'a> {
    field: Field,
    terms: &'a mut TermTable,
    tokens: &'a mut Vec<Token>,
    /// How many tokens there were before.
    start: usize,
    /// Where the last token stands, before the first -1, as in Lucene.
    position: i64,
    any: bool,
    /// Tokens that count in the field's length: all but those on top of another.
    pub(crate) length: u32,
}

impl<'a> FieldTokens<'a> {
    pub(crate) fn new(field: Field, terms: &'a mut TermTable, tokens: &'a mut Vec<Token>) -> Self {
        Self { field, start: tokens.len(), terms, tokens, position: -1, any: false, length: 0 }
    }

    /// Adds a term `increment` positions after the one before; its position.
    #[inline]
    pub(crate) fn token(&mut self, increment: u32, term: &[u8]) -> u32 {
        self.position = (self.position + i64::from(increment)).clamp(0, i64::from(u32::MAX >> 1));
        let position = u32::try_from(self.position).unwrap_or_default();
        let term = self.terms.number(FieldTerm::new(self.field, term));
        self.tokens.push(Token { term, position });
        self.length += u32::from(increment > 0 || !self.any);
        self.any = true;
        position
    }

    /// How many terms there are, each counted once: the length of a field that keeps no frequencies, as
    /// Lucene has it.
    pub(crate) fn distinct(&self) -> u32 {
        let own = self.tokens.get(self.start..).unwrap_or_default();
        let terms: HashSet<u32> = own.iter().map(|token| token.term).collect();
        u32::try_from(terms.len()).unwrap_or(u32::MAX)
    }

    /// Leaves `positions` free: after the last token of a value, and between two values.
    pub(crate) fn skip(&mut self, positions: u32) {
        self.position = (self.position + i64::from(positions)).min(i64::from(u32::MAX >> 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_lucene() {
        let (mut terms, mut tokens) = (TermTable::default(), Vec::new());
        let mut field = FieldTokens::new(Field::from_field_id(7), &mut terms, &mut tokens);
        for (increment, term) in [(0, "ein"), (0, "one"), (2, "größer")] {
            field.token(increment, term.as_bytes());
        }
        field.skip(100);
        field.token(1, b"one");
        assert_eq!(field.length, 3);
        let found: Vec<_> = tokens.iter().map(|token| (token.term, token.position)).collect();
        assert_eq!(found, [(0, 0), (1, 0), (2, 2), (1, 103)]);
    }
}
