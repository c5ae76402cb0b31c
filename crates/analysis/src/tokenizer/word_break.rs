//! Character classes for finding words: the Word_Break property of Unicode's annex 29, refined by script
//! where Lucene's standard tokenizer makes types of its own (Han, Hiragana, Hangul, South-East Asian scripts,
//! emoji). Planes 0 and 1 are a table filled from ICU4X's data on first use; ASCII needs no table.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use icu_properties::props::{
    EmojiModifier, EmojiModifierBase, ExtendedPictographic, LineBreak, Script, WordBreak,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// What a character means to the standard tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    Other,
    Letter,
    Hangul,
    Hebrew,
    Numeric,
    Katakana,
    /// Joins words and numbers: `_`.
    ExtendNumLet,
    /// Joins letters: `:` and the middle dot.
    MidLetter,
    /// Joins digits: `,` and `;`.
    MidNum,
    /// Joins both: `.`.
    MidNumLet,
    SingleQuote,
    DoubleQuote,
    /// Marks, format characters and joiners: belong to what stands before.
    Extend,
    Han,
    Hiragana,
    SouthEastAsian,
    /// A mark of a South-East Asian script: part of a run, and of a word that it follows.
    SouthEastAsianMark,
    RegionalIndicator,
    Emoji,
}

const TABLE_SIZE: u32 = 0x2_0000;

static TABLE: LazyLock<Box<[Class]>> = LazyLock::new(|| (0..TABLE_SIZE).map(classify_code).collect());

/// The class of a character.
#[inline]
pub(crate) fn class_of(c: char) -> Class {
    let code = u32::from(c);
    match TABLE.get(code as usize) {
        Some(class) => *class,
        // Planes above 1 hold rare ideographs, which are not worth the room of a table.
        None => classify_code(code),
    }
}

fn classify_code(code: u32) -> Class {
    char::from_u32(code).map_or(Class::Other, classify)
}

/// Pictograms of Unicode 16 and before, which Lucene knows; Unicode 17 took the property from some, stars,
/// notes and playing cards among them, and keeps code points for others in reserve.
const PICTOGRAPHS: &[RangeInclusive<u32>] = &[
    0x2388..=0x2388,
    0x2600..=0x2605,
    0x2607..=0x2612,
    0x2614..=0x2685,
    0x2690..=0x2705,
    0x2708..=0x2712,
    0x2763..=0x2767,
    0x1f000..=0x1f0ff,
    0x1f10d..=0x1f10f,
    0x1f12f..=0x1f12f,
    0x1f16c..=0x1f16f,
    0x1f1ad..=0x1f1e5,
    0x1f260..=0x1f265,
    0x1f300..=0x1f53d,
    0x1f546..=0x1f64f,
    0x1f680..=0x1f6ff,
    0x1f774..=0x1f77f,
    0x1f7d5..=0x1f7ff,
    0x1f8ae..=0x1f8ff,
    0x1f90c..=0x1f93a,
    0x1f93c..=0x1f945,
    0x1f947..=0x1faff,
];

fn classify(c: char) -> Class {
    match CodePointMapData::<WordBreak>::new().get(c) {
        // Unicode took the colon out of this class with version 15.1; Lucene 9.12's tokenizer is of an older
        // one.
        _ if c == ':' => Class::MidLetter,
        // Letters by one property and pictograms by another; to Lucene they are emoji.
        _ if matches!(c, 'ℹ' | 'Ⓜ' | '🅰' | '🅱' | '🅾' | '🅿') => Class::Emoji,
        WordBreak::ALetter => letter_class(c),
        WordBreak::HebrewLetter => Class::Hebrew,
        WordBreak::Numeric => Class::Numeric,
        WordBreak::Katakana => Class::Katakana,
        WordBreak::ExtendNumLet => Class::ExtendNumLet,
        WordBreak::MidLetter => Class::MidLetter,
        WordBreak::MidNum => Class::MidNum,
        WordBreak::MidNumLet => Class::MidNumLet,
        WordBreak::SingleQuote => Class::SingleQuote,
        WordBreak::DoubleQuote => Class::DoubleQuote,
        WordBreak::Extend | WordBreak::Format | WordBreak::ZWJ => extend_class(c),
        WordBreak::RegionalIndicator => Class::RegionalIndicator,
        _ => other_class(c),
    }
}

fn letter_class(c: char) -> Class {
    match CodePointMapData::<Script>::new().get(c) {
        Script::Hangul => Class::Hangul,
        _ => Class::Letter,
    }
}

/// Marks of the South-East Asian scripts are part of a run rather than something to skip.
fn extend_class(c: char) -> Class {
    if CodePointSetData::new::<EmojiModifier>().contains(c) {
        return Class::Extend;
    }
    match CodePointMapData::<LineBreak>::new().get(c) {
        LineBreak::ComplexContext => Class::SouthEastAsianMark,
        _ => Class::Extend,
    }
}

fn other_class(c: char) -> Class {
    let script = CodePointMapData::<Script>::new().get(c);
    if script == Script::Han {
        Class::Han
    } else if script == Script::Hiragana {
        Class::Hiragana
    } else if CodePointMapData::<LineBreak>::new().get(c) == LineBreak::ComplexContext {
        Class::SouthEastAsian
    } else if PICTOGRAPHS.iter().any(|range| range.contains(&u32::from(c)))
        || CodePointSetData::new::<ExtendedPictographic>().contains(c)
        || CodePointSetData::new::<EmojiModifierBase>().contains(c)
    {
        Class::Emoji
    } else {
        Class::Other
    }
}
