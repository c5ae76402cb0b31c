//! Words by dictionary, for languages that write without blanks or glue endings to words: the two built-in
//! dictionaries, words that a configset adds, and the search for the likeliest way to cut a text. What a
//! language makes of the words found is its tokenizer's (`tokenizer/japanese`, `tokenizer/korean`).

mod costs;
mod dictionary;
mod lattice;
mod search;
mod sections;
mod user_dictionary;

use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use dictionary::{Dictionary, WordClass, japanese, korean};
pub(crate) use lattice::{Candidate, Link, Word};
pub(crate) use search::{Draft, Language, Search, Trace, Weight, char_at, run_end, units};
pub(crate) use user_dictionary::{JapaneseUserWords, KoreanUserWords, KoreanWord, Segment, USER_WORD_COST};

use crate::chars::category;
use icu_properties::props::GeneralCategory;

/// What a dictionary knows of a token beside its text. Filters of the language read it; it follows the token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Morpheme {
    /// The token comes from no dictionary.
    #[default]
    None,
    /// A known or unknown word of the Japanese dictionary, by its number.
    Japanese(u32),
    /// A word that the configset added: part of speech and reading.
    JapaneseUser(Arc<(String, String)>),
    /// A known or unknown word of the Korean dictionary, by its number.
    Korean(u32),
    /// A part of a Korean word or a word that the configset added: the part of speech.
    KoreanPart(Cow<'static, str>),
}

impl Morpheme {
    /// The part of speech: `名詞-一般` and the like in Japanese, `NNG` and the like in Korean.
    pub(crate) fn part_of_speech(&self) -> Option<&str> {
        match self {
            Morpheme::None => None,
            Morpheme::Japanese(word) => Some(japanese().tag(*word)),
            Morpheme::JapaneseUser(word) => Some(&word.0),
            Morpheme::Korean(word) => Some(korean().tag(*word)),
            Morpheme::KoreanPart(tag) => Some(tag),
        }
    }

    /// The dictionary form of an inflected Japanese word.
    pub(crate) fn base_form(&self, surface: &str) -> Option<String> {
        match self {
            Morpheme::Japanese(word) => japanese().base_form(*word, surface),
            _ => None,
        }
    }

    /// The word in katakana (Japanese) or in Hangul where it is written in Chinese characters (Korean).
    pub(crate) fn reading(&self, surface: &str) -> Option<Cow<'_, str>> {
        match self {
            Morpheme::Japanese(word) => japanese().kana_reading(*word, surface).map(Cow::Owned),
            Morpheme::JapaneseUser(word) => Some(Cow::Borrowed(&word.1)),
            Morpheme::Korean(word) => korean().hangul_reading(*word).map(Cow::Borrowed),
            Morpheme::None | Morpheme::KoreanPart(_) => None,
        }
    }
}

/// What Lucene's tokenizers take for punctuation, blanks and symbols among them. They look at UTF-16 units,
/// so that characters beyond the first plane never are.
pub(crate) fn is_punctuation(c: char) -> bool {
    use GeneralCategory as G;
    c.len_utf16() == 1
        && matches!(
            category(c),
            G::SpaceSeparator
                | G::LineSeparator
                | G::ParagraphSeparator
                | G::Control
                | G::Format
                | G::DashPunctuation
                | G::OpenPunctuation
                | G::ClosePunctuation
                | G::ConnectorPunctuation
                | G::OtherPunctuation
                | G::MathSymbol
                | G::CurrencySymbol
                | G::ModifierSymbol
                | G::OtherSymbol
                | G::InitialPunctuation
                | G::FinalPunctuation
        )
}
