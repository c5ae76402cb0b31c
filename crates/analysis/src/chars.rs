//! Character properties as Java's `Character` class answers them, which Lucene's components are written
//! against. Rust's own methods differ: they map one character to several (`İ`, `ß`) and know other kinds of
//! blanks.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

const CATEGORIES: CodePointMapDataBorrowed<'static, GeneralCategory> =
    CodePointMapData::<GeneralCategory>::new();

/// One character in lower case (Unicode's simple mapping).
#[inline]
pub(crate) fn to_lower(c: char) -> char {
    // The first of several is the simple mapping: `İ` alone has more, and its first is the `i` that Java
    // gives.
    if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) }
}

/// One character in upper case (Unicode's simple mapping): `ß` stays as it is.
pub(crate) fn to_upper(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        // `ß` has two letters in upper case in Rust and none of its own in Java, which maps characters one to
        // one.
        (Some(upper), None) => upper,
        _ => upper_with_iota(c),
    }
}

/// Greek letters with iota subscript have a title-case letter of their own, which is their simple upper case.
fn upper_with_iota(c: char) -> char {
    let code = u32::from(c);
    let upper = match code {
        0x1f80..=0x1faf if code % 16 < 8 => code + 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => code + 9,
        _ => code,
    };
    char::from_u32(upper).unwrap_or(c)
}

/// Lower-cases in place, without allocating as long as no character changes its length in bytes.
#[inline]
pub(crate) fn lower_in_place(text: &mut String) {
    if text.is_ascii() {
        text.make_ascii_lowercase();
    } else {
        *text = text.chars().map(to_lower).collect();
    }
}

/// Java's `Character.isWhitespace`: Unicode's separators but for the no-break spaces, and the control blanks.
#[inline]
pub(crate) fn is_java_whitespace(c: char) -> bool {
    match c {
        // U+001C to U+001F separate files, groups, records and units, and Java counts them as blanks.
        '\t'..='\r' | '\u{1c}'..='\u{20}' => true,
        // The no-break spaces are blanks to Unicode and Rust and none to Java; so is U+0085, a control
        // character.
        '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}' => false,
        other => !other.is_ascii() && other.is_whitespace(),
    }
}

/// Java's `Character.isLetter`.
#[inline]
pub(crate) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphabetic()
    } else {
        GeneralCategoryGroup::Letter.contains(CATEGORIES.get(c))
    }
}

/// Java's `Character.isDigit`.
pub(crate) fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { CATEGORIES.get(c) == GeneralCategory::DecimalNumber }
}

/// The character's general category.
pub(crate) fn category(c: char) -> GeneralCategory {
    CATEGORIES.get(c)
}

/// The value of a decimal digit of any script. Unicode keeps the ten digits of a script together and in
/// order, so the value is the distance to the first of the run.
pub(crate) fn digit_value(c: char) -> Option<u8> {
    if !is_digit(c) {
        return None;
    }
    let code = u32::from(c);
    // The mathematical digits are five alphabets in a row without a gap, so a run of digits does not tell
    // where zero is.
    if (0x1d7ce..=0x1d7ff).contains(&code) {
        return u8::try_from((code - 0x1d7ce) % 10).ok();
    }
    let start = (0..10).take_while(|back| char::from_u32(code - back).is_some_and(is_digit)).last()?;
    u8::try_from(start % 10).ok()
}
