//! `nGram` and `edgeNGram`: all pieces of a text of given sizes, counted in characters, or those at its
//! beginning. Unlike the filters of these names it cuts the text itself, blanks included, and every piece has
//! a position and offsets of its own. Texts are not read twice: the end of one piece is where the next larger
//! one goes on.

use crate::args::Args;
use crate::definition::TokenizerDefinition;
use crate::error::Error;
use crate::stage::Tokenizer;
use crate::token::{KIND_WORD, Token};

pub(crate) static N_GRAM: TokenizerDefinition = TokenizerDefinition::new(
    "nGram",
    "ngram.NGramTokenizerFactory",
    &["minGramSize", "maxGramSize"],
    "All pieces of `minGramSize` (1) to `maxGramSize` (2) characters.",
    |args| build(args, 2, false),
);

pub(crate) static EDGE_N_GRAM: TokenizerDefinition = TokenizerDefinition::new(
    "edgeNGram",
    "ngram.EdgeNGramTokenizerFactory",
    &["minGramSize", "maxGramSize"],
    "The beginnings of `minGramSize` (1) to `maxGramSize` (1) characters.",
    |args| build(args, 1, true),
);

fn build(args: &Args<'_>, max: i32, edge: bool) -> Result<Box<dyn Tokenizer>, Error> {
    let (min, max) = (args.count("minGramSize", 1, 1)?, args.count("maxGramSize", max, 1)?);
    if min > max {
        return Err(args.bad("minGramSize", &min.to_string(), "is greater than `maxGramSize`"));
    }
    Ok(Box::new(Grams { min, max, edge, start: 0, size: min, end: None }))
}

#[derive(Clone)]
struct Grams {
    min: usize,
    max: usize,
    edge: bool,
    start: usize,
    /// The size of the next piece, and where the one before ended.
    size: usize,
    end: Option<usize>,
}

impl Grams {
    /// Where the piece of the present size ends.
    fn piece_end(&self, text: &str) -> Option<usize> {
        let (from, steps) = match self.end {
            // One step on from the last piece rather than counting from its start: characters have different
            // widths.
            Some(end) => (end, 1),
            None => (self.start, self.size),
        };
        let mut chars = text.get(from..)?.char_indices();
        let (last, c) = chars.nth(steps - 1)?;
        Some(from + last + c.len_utf8())
    }

    fn move_start(&mut self, text: &str) {
        let step = text.get(self.start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        self.start += step;
        self.size = self.min;
        self.end = None;
    }
}

impl Tokenizer for Grams {
    fn reset(&mut self) {
        self.start = 0;
        self.size = self.min;
        self.end = None;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        while self.start < text.len() {
            if self.size <= self.max
                && let Some(end) = self.piece_end(text)
            {
                self.size += 1;
                self.end = Some(end);
                token.set(text, self.start, end, KIND_WORD);
                return true;
            }
            // Not even the smallest piece fits here, so none fits further right.
            if self.edge || self.size == self.min {
                return false;
            }
            self.move_start(text);
        }
        false
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}
