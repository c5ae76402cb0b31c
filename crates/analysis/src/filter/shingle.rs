//! Runs of words as one token: `shingle`, `fixedShingle`, `commonGrams`, `commonGramsQuery`, and
//! `hyphenatedWords`, which joins what a line break cut. Holes left by removed tokens are filled with the
//! filler token.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::stop::read_words;
use crate::stage::{Filter, Input};
use crate::token::Token;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] =
    &[&SHINGLE, &FIXED_SHINGLE, &COMMON_GRAMS, &COMMON_GRAMS_QUERY, &HYPHENATED_WORDS];

static SHINGLE: FilterDefinition = FilterDefinition::new(
    "shingle",
    "shingle.ShingleFilterFactory",
    &[
        "minShingleSize",
        "maxShingleSize",
        "outputUnigrams",
        "outputUnigramsIfNoShingles",
        "tokenSeparator",
        "fillerToken",
    ],
    "Gives runs of words as one token beside the words.",
    build_shingle,
);

static FIXED_SHINGLE: FilterDefinition = FilterDefinition::new(
    "fixedShingle",
    "shingle.FixedShingleFilterFactory",
    &["shingleSize", "tokenSeparator", "fillerToken"],
    "Gives runs of exactly `shingleSize` words instead of the words.",
    build_fixed,
);

static COMMON_GRAMS: FilterDefinition = FilterDefinition::new(
    "commonGrams",
    "commongrams.CommonGramsFilterFactory",
    &["words", "format", "ignoreCase"],
    "Adds pairs of words of which one is common.",
    |args| Ok(Box::new(CommonGrams::new(Arc::new(read_words(args)?), false))),
)
.reading(&["words"]);

static COMMON_GRAMS_QUERY: FilterDefinition = FilterDefinition::new(
    "commonGramsQuery",
    "commongrams.CommonGramsQueryFilterFactory",
    &["words", "format", "ignoreCase"],
    "As `commonGrams`, but leaves out the words that pairs cover; for queries.",
    |args| Ok(Box::new(CommonGrams::new(Arc::new(read_words(args)?), true))),
)
.reading(&["words"]);

static HYPHENATED_WORDS: FilterDefinition = FilterDefinition::new(
    "hyphenatedWords",
    "miscellaneous.HyphenatedWordsFilterFactory",
    &[],
    "Joins a token that ends in a hyphen with the next one.",
    |_| Ok(Box::new(Hyphenated)),
);

struct Rules {
    min: usize,
    max: usize,
    unigrams: bool,
    unigrams_if_none: bool,
    separator: String,
    filler: String,
    fixed: bool,
}

fn build_shingle(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let max = args.count("maxShingleSize", 2, 2)?;
    let min = args.count("minShingleSize", 2, 2)?;
    if min > max {
        return Err(args.bad("minShingleSize", &min.to_string(), "is greater than `maxShingleSize`"));
    }
    let rules = Rules {
        min,
        max,
        unigrams: args.flag("outputUnigrams", true),
        unigrams_if_none: args.flag("outputUnigramsIfNoShingles", false),
        separator: args.get("tokenSeparator").unwrap_or(" ").to_owned(),
        filler: args.get("fillerToken").unwrap_or("_").to_owned(),
        fixed: false,
    };
    Ok(Box::new(Shingles::new(Arc::new(rules))))
}

fn build_fixed(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let size = args.count("shingleSize", 2, 2)?;
    let rules = Rules {
        min: size,
        max: size,
        unigrams: false,
        unigrams_if_none: false,
        separator: args.get("tokenSeparator").unwrap_or(" ").to_owned(),
        filler: args.get("fillerToken").unwrap_or("_").to_owned(),
        fixed: true,
    };
    Ok(Box::new(Shingles::new(Arc::new(rules))))
}

impl Rules {
    /// Positions that a run of `size` words spans: without words between, only longer runs span more than
    /// one.
    fn span(&self, size: usize) -> u32 {
        let span = if self.unigrams { size } else { size - self.min + 1 };
        u32::try_from(span).unwrap_or(1)
    }
}

/// A word of the window; fillers stand for removed tokens.
struct Slot {
    token: Token,
    filler: bool,
}

struct Shingles {
    rules: Arc<Rules>,
    window: VecDeque<Slot>,
    /// A token read behind a hole that still has fillers to come before it.
    behind: Option<(Token, u32)>,
    ready: VecDeque<Token>,
    ended: bool,
    shingled: bool,
    skipped: u32,
}

impl Shingles {
    fn new(rules: Arc<Rules>) -> Self {
        Shingles {
            rules,
            window: VecDeque::new(),
            behind: None,
            ready: VecDeque::new(),
            ended: false,
            shingled: false,
            skipped: 0,
        }
    }

    /// Fills the window to the largest size, with fillers for holes.
    fn fill(&mut self, input: &mut Input<'_>) {
        while self.window.len() < self.rules.max && !self.ended {
            let slot = self.next_slot(input);
            self.window.extend(slot);
        }
    }

    fn next_slot(&mut self, input: &mut Input<'_>) -> Option<Slot> {
        let (token, holes) = match self.behind.take() {
            Some(waiting) => waiting,
            None => {
                let mut token = Token::default();
                if !input.next(&mut token) {
                    self.ended = true;
                    return self.trailing_hole(input);
                }
                // No run is longer than `max`, so more fillers than that would only make runs of nothing but
                // fillers.
                let holes = token.position_increment.saturating_sub(1).min(self.rules.max as u32 - 1);
                (token, holes)
            }
        };
        if holes == 0 {
            return Some(Slot { token, filler: false });
        }
        let filler = Token {
            text: self.rules.filler.clone(),
            start: token.start,
            end: token.start,
            ..Token::default()
        };
        self.behind = Some((token, holes - 1));
        Some(Slot { token: filler, filler: true })
    }

    /// Tokens removed at the end of the text leave fillers too.
    fn trailing_hole(&mut self, input: &mut Input<'_>) -> Option<Slot> {
        let ending = input.finish();
        let count = ending.position_increment.min(self.rules.max as u32 - 1);
        for _ in 0..count {
            let token = Token {
                text: self.rules.filler.clone(),
                start: ending.offset,
                end: ending.offset,
                ..Token::default()
            };
            self.window.push_back(Slot { token, filler: true });
        }
        None
    }

    /// Queues the tokens that start at the first word of the window.
    fn queue(&mut self) {
        let rules = self.rules.clone();
        let Some(first) = self.window.front() else { return };
        let first_filler = first.filler;
        let mut increment = 1 + self.skipped;
        let available = self.window.len();
        if (rules.unigrams || self.alone()) && !first_filler {
            let token = Token { position_increment: increment, ..first.token.clone() };
            self.ready.push_back(token);
            increment = 0;
        }
        for size in rules.min..=rules.max.min(available) {
            let Some(shingle) = self.join(size, increment) else { continue };
            self.ready.push_back(shingle);
            self.shingled = true;
            increment = 0;
        }
        self.skipped = increment;
        if increment == 0 {
            self.skipped = 0;
        }
        self.window.pop_front();
    }

    /// Whether a single word stands alone and may be given although words are not.
    fn alone(&self) -> bool {
        self.rules.unigrams_if_none && !self.shingled && self.ended && self.window.len() < self.rules.min
    }

    /// The first `size` words of the window as one token, unless they are all fillers.
    fn join(&self, size: usize, increment: u32) -> Option<Token> {
        let slots = || self.window.iter().take(size);
        let starts_with_filler = self.window.front().is_some_and(|slot| slot.filler);
        // Lucene's two filters disagree here: `shingle` may begin with a filler, `fixedShingle` never does.
        if slots().all(|slot| slot.filler) || self.rules.fixed && starts_with_filler {
            return None;
        }
        let texts: Vec<&str> = slots().map(|slot| slot.token.text.as_str()).collect();
        let first = self.window.front()?;
        let last = slots().rev().find(|slot| !(self.rules.fixed && slot.filler))?;
        Some(Token {
            text: texts.join(&self.rules.separator),
            start: first.token.start,
            end: last.token.end,
            position_increment: increment,
            position_length: self.rules.span(size),
            kind: Cow::Borrowed("shingle"),
            ..Token::default()
        })
    }
}

impl Filter for Shingles {
    fn reset(&mut self) {
        *self = Shingles::new(self.rules.clone());
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                *token = ready;
                return true;
            }
            self.fill(input);
            if self.window.is_empty() {
                return false;
            }
            self.queue();
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Shingles::new(self.rules.clone()))
    }
}

const GRAM: &str = "gram";

/// Pairs of words of which one is common.
struct CommonGrams {
    words: Arc<WordSet>,
    /// Whether words that a pair covers are left out.
    for_queries: bool,
    last: Option<Token>,
    last_was_paired: bool,
    ready: VecDeque<Token>,
    ended: bool,
}

impl CommonGrams {
    fn new(words: Arc<WordSet>, for_queries: bool) -> Self {
        CommonGrams {
            words,
            for_queries,
            last: None,
            last_was_paired: false,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    fn pair(&self, first: &Token, second: &Token) -> Option<Token> {
        let common = self.words.contains(&first.text) || self.words.contains(&second.text);
        common.then(|| Token {
            text: format!("{}_{}", first.text, second.text),
            start: first.start,
            end: second.end,
            position_increment: 0,
            position_length: 2,
            kind: Cow::Borrowed(GRAM),
            ..Token::default()
        })
    }

    /// Queues what the arrival of a token, or the end, decides about the one before.
    fn queue(&mut self, arrived: Option<Token>) {
        let Some(last) = self.last.take() else {
            self.last = arrived;
            return;
        };
        let gram = arrived.as_ref().and_then(|arrived| self.pair(&last, arrived));
        let paired = gram.is_some();
        // The last word of a text is covered by the pair before it, so a query leaves it out although it
        // begins none.
        let covered = self.for_queries && (paired || self.last_was_paired && arrived.is_none());
        match gram {
            Some(gram) if covered => {
                let position_increment = last.position_increment;
                self.ready.push_back(Token { position_increment, position_length: 1, ..gram });
            }
            Some(gram) => self.ready.extend([last, gram]),
            None if covered => {}
            None => self.ready.push_back(last),
        }
        self.last_was_paired = paired;
        self.last = arrived;
    }
}

impl Filter for CommonGrams {
    fn reset(&mut self) {
        *self = CommonGrams::new(self.words.clone(), self.for_queries);
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                *token = ready;
                return true;
            }
            if self.ended {
                return false;
            }
            if input.next(token) {
                self.queue(Some(token.clone()));
            } else {
                self.ended = true;
                self.queue(None);
            }
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(CommonGrams::new(self.words.clone(), self.for_queries))
    }
}

struct Hyphenated;

impl Filter for Hyphenated {
    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if !input.next(token) {
            return false;
        }
        let mut following = Token::default();
        // At the end of a text nothing follows, and the hyphen stays.
        while token.text.ends_with('-') && input.next(&mut following) {
            token.text.pop();
            token.text.push_str(&following.text);
            token.end = following.end;
        }
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Hyphenated)
    }
}
