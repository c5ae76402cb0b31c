//! Words within words and words made one: `dictionaryCompoundWord`, `fingerprint`, `fixBrokenOffsets`. The
//! compounds that are found by hyphenation are `compound_hyphenation.rs`. Parts stand on top of the word,
//! with its offsets, so that either is found and a snippet marks the whole. Dictionaries come from the
//! configset; nothing here knows a language.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::stage::{Filter, Input};
use crate::token::{Token, utf16_len};
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] =
    &[&DICTIONARY_COMPOUND_WORD, &FINGERPRINT, &FIX_BROKEN_OFFSETS];

static DICTIONARY_COMPOUND_WORD: FilterDefinition = FilterDefinition::new(
    "dictionaryCompoundWord",
    "compound.DictionaryCompoundWordTokenFilterFactory",
    &["dictionary", "minWordSize", "minSubwordSize", "maxSubwordSize", "onlyLongestMatch"],
    "Adds the words of a dictionary that a token is made of.",
    build_compound,
)
.reading(&["dictionary"]);

static FINGERPRINT: FilterDefinition = FilterDefinition::new(
    "fingerprint",
    "miscellaneous.FingerprintFilterFactory",
    &["maxOutputTokenSize", "separator"],
    "One token of all different tokens in order.",
    |args| {
        let size_max = args.count("maxOutputTokenSize", 1024, 1)?;
        Ok(Box::new(Fingerprint { size_max, separator: args.character("separator", ' ')?, done: false }))
    },
);

static FIX_BROKEN_OFFSETS: FilterDefinition = FilterDefinition::new(
    "fixBrokenOffsets",
    "miscellaneous.FixBrokenOffsetsFilterFactory",
    &[],
    "Makes offsets never go backwards.",
    |_| Ok(Box::new(FixOffsets { start: 0 })),
);

fn build_compound(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    args.required("dictionary")?;
    let rules = Rules {
        // With regard to case, as in Lucene, whose factory has no `ignoreCase`: `lowercase` comes before this
        // filter.
        words: args.words("dictionary", false)?.unwrap_or_default(),
        word_min: args.count("minWordSize", 5, 0)?,
        part_min: args.count("minSubwordSize", 2, 0)?,
        part_max: args.count("maxSubwordSize", 15, 0)?,
        longest_only: args.flag("onlyLongestMatch", true),
    };
    Ok(Box::new(Compound { rules: Arc::new(rules), ready: VecDeque::new() }))
}

struct Rules {
    words: WordSet,
    word_min: usize,
    part_min: usize,
    part_max: usize,
    longest_only: bool,
}

struct Compound {
    rules: Arc<Rules>,
    ready: VecDeque<Token>,
}

impl Compound {
    /// Queues the dictionary's words within the token, from left to right.
    fn queue(&mut self, token: &Token) {
        let rules = self.rules.clone();
        let bounds: Vec<usize> =
            token.text.char_indices().map(|(at, _)| at).chain([token.text.len()]).collect();
        let length = bounds.len() - 1;
        if length < rules.word_min {
            return;
        }
        let mut start = 0;
        while start + rules.part_min <= length {
            self.queue_from(token, &bounds, start);
            start += 1;
        }
    }

    /// Queues the words that start at one character.
    fn queue_from(&mut self, token: &Token, bounds: &[usize], start: usize) {
        let rules = self.rules.clone();
        let mut longest = None;
        let last = (bounds.len() - 1 - start).min(rules.part_max);
        for size in rules.part_min..=last {
            let (Some(from), Some(to)) = (bounds.get(start), bounds.get(start + size)) else { break };
            let part = token.text.get(*from..*to).unwrap_or_default();
            if !rules.words.contains(part) {
                continue;
            }
            // The part keeps the offsets of the whole word: a snippet marks the compound, not a piece of it.
            let piece = Token { text: part.to_owned(), position_increment: 0, ..token.clone() };
            if !rules.longest_only {
                self.ready.push_back(piece.clone());
            }
            longest = Some(piece);
        }
        if rules.longest_only {
            self.ready.extend(longest);
        }
    }
}

impl Filter for Compound {
    fn reset(&mut self) {
        self.ready.clear();
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(ready) = self.ready.pop_front() {
            *token = ready;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        self.queue(token);
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Compound { rules: self.rules.clone(), ready: VecDeque::new() })
    }
}

struct Fingerprint {
    size_max: usize,
    separator: char,
    done: bool,
}

impl Filter for Fingerprint {
    fn reset(&mut self) {
        self.done = false;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if std::mem::replace(&mut self.done, true) {
            return false;
        }
        // In order and without repeats, so that texts of the same words have the same fingerprint.
        let mut words = BTreeSet::new();
        let mut size = 0;
        while input.next(token) {
            if words.insert(token.text.clone()) {
                // One separator too many for the whole, which the comparison below allows for.
                size += utf16_len(&token.text) + 1;
            }
        }
        // Too long means no token at all, as in Lucene, rather than a cut one that other texts would share.
        if words.is_empty() || size > self.size_max + 1 {
            return false;
        }
        let separator = self.separator.to_string();
        let text = words.into_iter().collect::<Vec<String>>().join(&separator);
        let ending = input.finish();
        let kind = "fingerprint".into();
        *token = Token { text, start: 0, end: ending.offset, kind, ..Token::default() };
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Fingerprint { done: false, ..*self })
    }
}

struct FixOffsets {
    start: u32,
}

impl Filter for FixOffsets {
    fn reset(&mut self) {
        self.start = 0;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if !input.next(token) {
            return false;
        }
        token.start = token.start.max(self.start);
        token.end = token.end.max(token.start);
        self.start = token.start;
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(FixOffsets { start: 0 })
    }
}
