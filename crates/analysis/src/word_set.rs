//! A set of words that a filter looks tokens up in: stop words, protected words, common words. Looking up
//! allocates nothing; with `ignoreCase` the words are kept in lower case and tokens are compared in lower
//! case.

use rustc_hash::FxHashSet;

use crate::chars::to_lower;

/// Words, with or without regard to case.
#[derive(Debug, Default)]
pub(crate) struct WordSet {
    words: FxHashSet<Box<str>>,
    ignore_case: bool,
    len_max: usize,
}

/// Tokens longer than this are lowered on the heap for a look-up; shorter ones on the stack.
const STACK_BYTES: usize = 64;

impl WordSet {
    /// A set of the given words.
    pub(crate) fn new(words: impl IntoIterator<Item = String>, ignore_case: bool) -> Self {
        let lower = |word: String| if ignore_case { word.chars().map(to_lower).collect() } else { word };
        let words: FxHashSet<Box<str>> = words.into_iter().map(|word| lower(word).into_boxed_str()).collect();
        // Stop words are short: a length rules out most long tokens before they are hashed.
        let len_max = words.iter().map(|word| word.len()).max().unwrap_or(0);
        WordSet { words, ignore_case, len_max }
    }

    /// Whether the word is in the set.
    #[inline]
    pub(crate) fn contains(&self, word: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        if !self.ignore_case {
            return word.len() <= self.len_max && self.words.contains(word);
        }
        if word.is_ascii() { self.contains_ascii(word) } else { self.contains_lowered(word) }
    }

    fn contains_ascii(&self, word: &str) -> bool {
        if word.len() > self.len_max {
            return false;
        }
        let mut buffer = [0u8; STACK_BYTES];
        // On the stack: with `ignoreCase` this runs for every token, and the heap is left alone.
        let Some(lowered) = buffer.get_mut(..word.len()) else { return self.contains_lowered(word) };
        lowered.copy_from_slice(word.as_bytes());
        lowered.make_ascii_lowercase();
        std::str::from_utf8(lowered).is_ok_and(|lowered| self.words.contains(lowered))
    }

    fn contains_lowered(&self, word: &str) -> bool {
        let lowered: String = word.chars().map(to_lower).collect();
        self.words.contains(lowered.as_str())
    }
}
