//! Tokenizers: text to tokens. One file each, or one for a family; each file holds its definitions. Here is
//! the list of all, from which `registry.rs` finds them by name. A tokenizer sees the text as the char
//! filters left it; offsets into what the sender wrote are made outside (`stage.rs`). No other crate names
//! one.

pub(crate) mod char_runs;
mod classic;
mod grammar;
mod grams;
mod icu;
mod japanese;
pub(crate) mod keyword;
mod korean;
mod path;
mod pattern;
pub(crate) mod standard;
mod thai;
mod url_email;
mod word_break;

use crate::definition::TokenizerDefinition;

/// All of them.
pub(crate) const DEFINITIONS: &[&TokenizerDefinition] = &[
    &char_runs::LETTER,
    &char_runs::WHITESPACE,
    &classic::CLASSIC,
    &grams::EDGE_N_GRAM,
    &grams::N_GRAM,
    &icu::ICU,
    &japanese::JAPANESE,
    &keyword::KEYWORD,
    &korean::KOREAN,
    &path::PATH_HIERARCHY,
    &pattern::PATTERN,
    &pattern::SIMPLE_PATTERN,
    &pattern::SIMPLE_PATTERN_SPLIT,
    &standard::STANDARD,
    &thai::THAI,
    &url_email::UAX29_URL_EMAIL,
];
