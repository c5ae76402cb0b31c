//! Analysed text as one string, and the tokenizer that gives it back to tantivy without another allocation.
//!
//! Text is analysed before any lock is taken; what the writer needs of a token is its position and its term. All values of
//! a field become one string, so that positions (gaps between values, tokens at one position) are ours and not
//! tantivy's. Numbers are written in ASCII, six bits a byte, so that the whole stays valid UTF-8.
//! Strings come from `document.rs`; a string of other making yields fewer tokens, never a panic.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name under which the tokenizer is registered.
pub(crate) const REPLAY_TOKENIZER: &str = "replay";

/// Writes the tokens of one field behind `text`.
pub(crate) struct ReplayWriter<'a> {
    text: &'a mut String,
    /// Where the last written token stands.
    written: u32,
    /// Where the last token stands, before the first -1, as in Lucene.
    position: i64,
    /// Tokens that count in the field's length: all but those on top of another.
    pub(crate) length: u32,
    /// Tokens written.
    pub(crate) tokens: u32,
}

impl<'a> ReplayWriter<'a> {
    pub(crate) fn new(text: &'a mut String) -> Self {
        Self { text, written: 0, position: -1, length: 0, tokens: 0 }
    }

    /// Adds a term `increment` positions after the one before.
    pub(crate) fn token(&mut self, increment: u32, term: &str) {
        self.position = (self.position + i64::from(increment)).clamp(0, i64::from(u32::MAX >> 1));
        let position = u32::try_from(self.position).unwrap_or_default();
        put_number(position - self.written, self.text);
        put_number(u32::try_from(term.len()).unwrap_or(u32::MAX), self.text);
        self.text.push_str(term);
        self.written = position;
        self.tokens += 1;
        self.length += u32::from(increment > 0 || self.tokens == 1);
    }

    /// Leaves `positions` free: after the last token of a value, and between two values.
    pub(crate) fn skip(&mut self, positions: u32) {
        self.position = (self.position + i64::from(positions)).min(i64::from(u32::MAX >> 1));
    }
}

fn put_number(mut number: u32, text: &mut String) {
    while number > 63 {
        text.push(char::from((number & 63) as u8 | 64));
        number >>= 6;
    }
    text.push(char::from(number as u8));
}

/// Tantivy's side: reads what a [`ReplayWriter`] wrote.
#[derive(Clone, Default)]
pub(crate) struct ReplayTokenizer {
    token: Token,
}

impl Tokenizer for ReplayTokenizer {
    type TokenStream<'a> = ReplayStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> ReplayStream<'a> {
        self.token.reset();
        ReplayStream { rest: text, position: 0, token: &mut self.token }
    }
}

pub(crate) struct ReplayStream<'a> {
    rest: &'a str,
    position: usize,
    token: &'a mut Token,
}

impl ReplayStream<'_> {
    fn next(&mut self) -> Option<()> {
        let delta = take_number(&mut self.rest)?;
        let len = take_number(&mut self.rest)? as usize;
        let (term, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        self.position += delta as usize;
        self.token.position = self.position;
        self.token.text.clear();
        self.token.text.push_str(term);
        Some(())
    }
}

impl TokenStream for ReplayStream<'_> {
    #[inline]
    fn advance(&mut self) -> bool {
        self.next().is_some()
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[inline]
fn take_number(text: &mut &str) -> Option<u32> {
    let (mut number, mut shift) = (0u32, 0u32);
    for (at, byte) in text.bytes().enumerate().take(6) {
        if byte >= 128 {
            return None;
        }
        number |= u32::from(byte & 63).checked_shl(shift)?;
        if byte & 64 == 0 {
            *text = text.get(at + 1..)?;
            return Some(number);
        }
        shift += 6;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(text: &str) -> Vec<(usize, String)> {
        let mut tokenizer = ReplayTokenizer::default();
        let mut stream = tokenizer.token_stream(text);
        let mut tokens = Vec::new();
        while stream.advance() {
            tokens.push((stream.token().position, stream.token().text.clone()));
        }
        tokens
    }

    #[test]
    fn tokens_come_back_with_their_positions() {
        let mut text = String::new();
        let mut writer = ReplayWriter::new(&mut text);
        writer.token(1, "ein");
        writer.token(0, "one");
        writer.token(2, "größer");
        writer.skip(100);
        writer.token(1, &"x".repeat(5000));
        assert_eq!((writer.length, writer.tokens), (3, 4));
        let expected =
            [(0, "ein".to_owned()), (0, "one".into()), (2, "größer".into()), (103, "x".repeat(5000))];
        assert_eq!(replay(&text), expected);
    }

    #[test]
    fn a_first_token_on_top_of_nothing_stands_at_the_start() {
        let mut text = String::new();
        ReplayWriter::new(&mut text).token(0, "a");
        assert_eq!(replay(&text), [(0, "a".to_owned())]);
    }

    #[test]
    fn strangers_do_not_panic() {
        for text in [
            "",
            "a",
            "\u{0}",
            "\u{0}\u{5}ab",
            "é",
            "@@@@@@@@",
            "\u{0}\u{1}é",
            "\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}",
        ] {
            replay(text);
        }
    }
}
