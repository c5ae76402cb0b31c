//! The parts of a Korean word as tokens: pieces of a compound, or the stem and the endings that an inflected
//! form stands for. Where they come from, the dictionary or a user's entry, is the tokenizer's. Here lengths
//! in characters become places in the text, or texts that stand nowhere in it get the place of the whole
//! word.

use std::borrow::Cow;

use crate::morphology::{Draft, Morpheme};

/// How a word is composed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Simple,
    /// The parts are pieces of the word, each with its place.
    Compound,
    /// The parts are other texts than pieces of the word.
    Inflected,
    /// The parts are pieces of the word, each with the place of the whole.
    Analysed,
}

/// The part of speech of a common noun.
pub(super) const NOUN: &str = "NNG";

/// The part of speech of a piece of a word, and its length in characters.
pub(super) type WordPart = (Cow<'static, str>, usize);

/// A word at its place in the text.
pub(super) struct Found<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'a> Found<'a> {
    pub(super) fn surface(&self) -> &'a str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Pieces of given lengths in characters. They are taken from the beginning of the word, but their places
    /// are counted from its end: the same unless a user's entry leaves a rest.
    pub(super) fn pieces(&self, parts: Vec<WordPart>, placed: bool) -> Vec<Draft> {
        let surface = self.surface();
        let bound = |chars: usize| surface.char_indices().nth(chars).map_or(surface.len(), |(at, _)| at);
        let total: usize = parts.iter().map(|(_, length)| length).sum();
        let rest = surface.chars().count().saturating_sub(total);
        let mut at = 0;
        let mut drafts = Vec::with_capacity(parts.len());
        for (tag, length) in parts {
            let piece = surface.get(bound(at)..bound(at + length)).unwrap_or_default();
            let (from, to) = (bound(at + rest), bound(at + rest + length));
            let (start, end) =
                if placed { (self.start + from, self.start + to) } else { (self.start, self.end) };
            drafts.push(part(start, end, tag, piece));
            at += length;
        }
        drafts
    }

    /// Parts that are spelt out.
    pub(super) fn restored(&self, packed: &[u8]) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let mut rest = packed;
        while let Some((tag, after)) = read_text(rest) {
            let Some((text, after)) = read_text(after) else { break };
            drafts.push(part(self.start, self.end, Cow::Owned(tag.to_owned()), text));
            rest = after;
        }
        drafts
    }
}

fn part(start: usize, end: usize, tag: Cow<'static, str>, text: &str) -> Draft {
    Draft { term: Some(text.to_owned()), ..Draft::new(start, end, Morpheme::KoreanPart(tag)) }
}

/// Parts of speech and lengths in characters.
pub(super) fn read_lengths(packed: &[u8]) -> Vec<WordPart> {
    let mut parts = Vec::new();
    let mut rest = packed;
    while let Some((tag, after)) = read_text(rest) {
        let Some((length, after)) = after.split_first() else { break };
        parts.push((Cow::Owned(tag.to_owned()), usize::from(*length)));
        rest = after;
    }
    parts
}

/// A text with its length before it, and what follows.
fn read_text(packed: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = packed.split_first()?;
    let (text, rest) = rest.split_at_checked(usize::from(*length))?;
    Some((std::str::from_utf8(text).ok()?, rest))
}
