//! Tokenizers: text to tokens. One file each, or one for a family; each file holds its definitions.

pub(crate) mod char_runs;
mod grams;
pub(crate) mod keyword;
mod path;
mod pattern;
pub(crate) mod standard;
mod thai;
mod word_break;

use crate::registry::Definition;
use crate::stage::Tokenizer;

pub(crate) type TokenizerDefinition = Definition<dyn Tokenizer>;

/// All of them.
pub(crate) const DEFINITIONS: &[&TokenizerDefinition] = &[
    &char_runs::LETTER,
    &char_runs::WHITESPACE,
    &grams::EDGE_N_GRAM,
    &grams::N_GRAM,
    &keyword::KEYWORD,
    &path::PATH_HIERARCHY,
    &pattern::PATTERN,
    &pattern::SIMPLE_PATTERN,
    &pattern::SIMPLE_PATTERN_SPLIT,
    &standard::STANDARD,
    &thai::THAI,
];
