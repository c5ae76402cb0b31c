//! What a chain is made of while it runs: the traits of the three kinds of stages, and `Input`, through which
//! a filter pulls tokens from the stages before it. A stage is its own prototype: an `Analyzer` keeps one of
//! each and a `TokenStream` works on clones, so configuration sits behind `Arc` and state is cheap to copy
//! when empty.

use std::borrow::Cow;

use crate::offsets::{Filtered, OffsetMap};
use crate::token::{Token, offset};

/// Changes the text before it is cut.
pub(crate) trait CharFilter: Send + Sync {
    /// The changed text with the way back to the offsets of the given one.
    fn filter(&self, text: &str) -> Filtered;
}

/// Cuts a text into tokens.
pub(crate) trait Tokenizer: Send + Sync {
    /// Prepares for a new text.
    fn reset(&mut self);
    /// Puts the next token into `token` (all fields, see `Token::set`), or returns false at the end. `text`
    /// is the same in all calls between two resets.
    fn next(&mut self, text: &str, token: &mut Token) -> bool;
    /// Positions of words behind the last token that were left out, asked for after `next` returned false.
    fn skipped(&self) -> u32 {
        0
    }
    /// A copy to work with.
    fn fresh(&self) -> Box<dyn Tokenizer>;
}

/// Changes, drops or adds tokens.
pub(crate) trait Filter: Send + Sync {
    /// Prepares for a new text.
    fn reset(&mut self) {}
    /// Puts the next token into `token`, or returns false at the end and whenever it is asked again.
    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool;
    /// What follows the last token; called once, after `next` returned false.
    fn finish(&mut self, input: &mut Input<'_>) -> Ending {
        input.finish()
    }
    /// Whether it is none: Solr leaves filters without rules out of the chain.
    fn is_absent(&self) -> bool {
        false
    }
    /// A copy to work with.
    fn fresh(&self) -> Box<dyn Filter>;
}

/// What is left at the end of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Positions after the last token that removed tokens (stop words) held. The next value of a multi-valued
    /// field starts behind them and the field's position gap.
    pub position_increment: u32,
    /// The length of the original text in bytes.
    pub offset: u32,
}

/// The stages before a filter, with the text that they read.
pub(crate) struct Input<'a> {
    pub(crate) tokenizer: &'a mut dyn Tokenizer,
    pub(crate) filters: &'a mut [Box<dyn Filter>],
    pub(crate) text: &'a str,
    pub(crate) offsets: &'a [OffsetMap],
    pub(crate) original_len: usize,
}

impl Input<'_> {
    /// The next token of the stages before, in `token`; false at the end.
    #[inline]
    pub(crate) fn next(&mut self, token: &mut Token) -> bool {
        match self.filters.split_last_mut() {
            Some((last, before)) => last.next(
                &mut Input {
                    tokenizer: self.tokenizer,
                    filters: before,
                    text: self.text,
                    offsets: self.offsets,
                    original_len: self.original_len,
                },
                token,
            ),
            None => self.cut(token),
        }
    }

    #[inline]
    fn cut(&mut self, token: &mut Token) -> bool {
        if !self.tokenizer.next(self.text, token) {
            return false;
        }
        // The last char filter's first: tokens stand in what it made, and each map leads back to the text
        // that its filter was given.
        for map in self.offsets.iter().rev() {
            token.start = map.correct(token.start);
            token.end = map.correct(token.end);
        }
        true
    }

    /// What the stages before left at the end.
    pub(crate) fn finish(&mut self) -> Ending {
        match self.filters.split_last_mut() {
            Some((last, before)) => last.finish(&mut Input {
                tokenizer: self.tokenizer,
                filters: before,
                text: self.text,
                offsets: self.offsets,
                original_len: self.original_len,
            }),
            None => {
                Ending { position_increment: self.tokenizer.skipped(), offset: offset(self.original_len) }
            }
        }
    }
}

/// Runs the char filters one after the other.
pub(crate) fn run_char_filters<'a>(
    filters: &[Box<dyn CharFilter>],
    text: &'a str,
) -> (Cow<'a, str>, Vec<OffsetMap>) {
    let mut text = Cow::Borrowed(text);
    let mut offsets = Vec::with_capacity(filters.len());
    for filter in filters {
        let filtered = filter.filter(&text);
        text = Cow::Owned(filtered.text);
        offsets.push(filtered.offsets);
    }
    (text, offsets)
}
