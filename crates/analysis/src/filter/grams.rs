//! Pieces of words: `nGram` and `edgeNGram`. Sizes count characters. All grams of a token keep its offsets.
//! The tokenizers of the same names are `tokenizer/grams.rs`. Positions are kept, so that a phrase of grams
//! is one of their words; a token that is too short for any gram leaves a hole. Nothing is read but the
//! arguments.

use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::stage::{Ending, Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&N_GRAM, &EDGE_N_GRAM];

const ARGUMENTS: &[&str] = &["minGramSize", "maxGramSize", "preserveOriginal"];

static N_GRAM: FilterDefinition = FilterDefinition::new(
    "nGram",
    "ngram.NGramFilterFactory",
    ARGUMENTS,
    "Gives all pieces of a token of `minGramSize` to `maxGramSize` characters.",
    |args| build(args, false),
);

static EDGE_N_GRAM: FilterDefinition = FilterDefinition::new(
    "edgeNGram",
    "ngram.EdgeNGramFilterFactory",
    ARGUMENTS,
    "Gives the beginnings of a token of `minGramSize` to `maxGramSize` characters.",
    |args| build(args, true),
);

/// The two sizes, checked against each other.
pub(crate) fn sizes(args: &Args<'_>, min: usize, max: usize) -> Result<(usize, usize), Error> {
    if min > max {
        return Err(args.bad("minGramSize", &min.to_string(), "is greater than `maxGramSize`"));
    }
    Ok((min, max))
}

fn build(args: &Args<'_>, edge: bool) -> Result<Box<dyn Filter>, Error> {
    let (min, max) = (args.required_count("minGramSize", 1)?, args.required_count("maxGramSize", 1)?);
    let (min, max) = sizes(args, min, max)?;
    let preserves = args.flag("preserveOriginal", false);
    Ok(Box::new(Grams { rules: Arc::new(Rules { min, max, preserves, edge }), ..Grams::default() }))
}

#[derive(Default)]
struct Rules {
    min: usize,
    max: usize,
    preserves: bool,
    edge: bool,
}

/// The filter with the token whose grams are being given.
#[derive(Default)]
struct Grams {
    rules: Arc<Rules>,
    current: Token,
    /// Byte offsets of the characters of the current token, and its length.
    bounds: Vec<usize>,
    start: usize,
    size: usize,
    active: bool,
    /// Whether the whole token is still to be given.
    original: bool,
    /// Positions of tokens that were too short.
    skipped: u32,
}

impl Grams {
    fn load(&mut self) {
        self.bounds.clear();
        self.bounds.extend(self.current.text.char_indices().map(|(at, _)| at));
        self.bounds.push(self.current.text.len());
        let length = self.bounds.len() - 1;
        self.start = 0;
        self.size = self.rules.min;
        self.active = true;
        // Where its length is within the sizes, the token is among its own grams and is not given twice.
        self.original = self.rules.preserves && (length < self.rules.min || length > self.rules.max);
        // A token too short for any gram leaves its position behind, so that phrases over it keep their
        // distance.
        self.skipped += self.current.position_increment;
    }

    /// Moves to the next gram and returns its bytes.
    fn next_gram(&mut self) -> Option<(usize, usize)> {
        loop {
            let from = *self.bounds.get(self.start)?;
            match self.bounds.get(self.start + self.size) {
                Some(to) if self.size <= self.rules.max => {
                    self.size += 1;
                    return Some((from, *to));
                }
                _ if self.rules.edge => return None,
                _ => {
                    self.start += 1;
                    self.size = self.rules.min;
                    self.bounds.get(self.start + self.size)?;
                }
            }
        }
    }

    fn give(&mut self, span: Option<(usize, usize)>, token: &mut Token) {
        token.copy_from(&self.current);
        if let Some((from, to)) = span {
            token.set_text(self.current.text.get(from..to).unwrap_or_default());
        }
        token.position_increment = std::mem::take(&mut self.skipped);
    }
}

impl Filter for Grams {
    fn reset(&mut self) {
        self.active = false;
        self.skipped = 0;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if !self.active {
                if !input.next(&mut self.current) {
                    return false;
                }
                self.load();
            }
            if let Some(span) = self.next_gram() {
                self.give(Some(span), token);
                return true;
            }
            self.active = false;
            if std::mem::take(&mut self.original) {
                self.give(None, token);
                return true;
            }
        }
    }

    fn finish(&mut self, input: &mut Input<'_>) -> Ending {
        let mut ending = input.finish();
        // As in Lucene, holes that other filters left at the end are forgotten here.
        ending.position_increment = self.skipped;
        ending
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Grams { rules: self.rules.clone(), ..Grams::default() })
    }
}
