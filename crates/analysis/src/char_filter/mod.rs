//! Char filters: text to text before the tokenizer, with the way back to the original offsets. One file each;
//! here is the list, from which `registry.rs` finds them by name. Each sees the whole text and gives it back
//! with a map of offsets, from which snippets mark what the sender wrote. No other crate names one.

mod html_strip;
mod icu_normalizer;
mod iteration_mark;
mod mapping;
mod pattern_replace;

pub use html_strip::strip_html;

use crate::definition::CharFilterDefinition;

/// All of them.
pub(crate) const DEFINITIONS: &[&CharFilterDefinition] = &[
    &html_strip::HTML_STRIP,
    &icu_normalizer::ICU_NORMALIZER,
    &iteration_mark::ITERATION_MARK,
    &mapping::CJK_WIDTH,
    &mapping::MAPPING,
    &mapping::PERSIAN,
    &pattern_replace::PATTERN_REPLACE,
];
