//! Words, and all that stands between them: runs of letters and digits with the punctuation they may hold
//! inside, runs of blanks, runs of one Japanese script, else single characters. Not the words that are
//! indexed, which are the tokenizers': these are what a highlighter may cut at (`hl.bs.type=WORD`), blanks
//! and punctuation among them, so that nothing of a text is lost between two boundaries.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::numbered_chars::{NumberedChars, in_group, is_enclosing, is_format};
use crate::chars::category;

fn is_kanji(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{4e00}'..='\u{9fa5}' | '\u{f900}'..='\u{fa2d}')
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fd}' | '\u{30fe}')
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3094}' | '\u{309d}' | '\u{309e}')
}

fn is_kana_mark(c: char) -> bool {
    matches!(c, '\u{3099}'..='\u{309c}' | '\u{30fb}' | '\u{30fc}')
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    let japanese = is_kanji(c) || is_katakana(c) || is_hiragana(c) || is_kana_mark(c);
    let spacing = category(c) == GeneralCategory::SpacingMark;
    !japanese && (spacing || in_group(c, GeneralCategoryGroup::Letter))
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { in_group(c, GeneralCategoryGroup::Number) }
}

fn is_in_words(c: char) -> bool {
    use GeneralCategory::{ConnectorPunctuation, DashPunctuation};
    matches!(c, '\u{ad}' | '\u{2027}' | '"' | '\'' | '.')
        || matches!(category(c), DashPunctuation | ConnectorPunctuation)
}

fn is_in_numbers(c: char) -> bool {
    matches!(c, '"' | '\'' | ',' | '\u{66b}' | '.')
}

fn is_before_numbers(c: char) -> bool {
    matches!(c, '#' | '.') || (c != '\u{a2}' && category(c) == GeneralCategory::CurrencySymbol)
}

fn is_behind_numbers(c: char) -> bool {
    matches!(c, '%' | '&' | '\u{a2}' | '\u{66a}' | '\u{2030}' | '\u{2031}')
}

fn is_blank(c: char) -> bool {
    c == '\t' || category(c) == GeneralCategory::SpaceSeparator
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{c}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn end(chars: &NumberedChars, from: usize) -> usize {
    let signed = chars.is(from, is_before_numbers) && chars.is(from + 1, is_digit);
    let run = |class: fn(char) -> bool| chars.skip(from, |c| class(c) || is_kana_mark(c));
    // A character that no rule takes is a word alone, but its accents go with it.
    let marked = chars.skip(from + 1, is_enclosing);
    let ends = [
        words(chars, from + usize::from(signed)),
        blanks(chars, from),
        run(is_katakana),
        run(is_hiragana),
        chars.skip(from, is_kanji),
        marked,
    ];
    // The longest of the rules wins, as in the machine that Java compiles from them; their order does not
    // count.
    chars.skip(ends.into_iter().fold(from + 1, usize::max), is_format)
}

/// A run of words and numbers.
fn words(chars: &NumberedChars, from: usize) -> usize {
    let (mut at, mut number) = (from, false);
    loop {
        let inside: fn(char) -> bool = if number { is_in_numbers } else { is_in_words };
        let same: fn(char) -> bool = if number { is_digit } else { is_letter };
        // One character of lookahead: `don't` and `3.14` hold together, the full stop of `end.` stays
        // outside.
        let joined = at > from && chars.is(at, inside) && chars.is(at + 1, same);
        let next = at + usize::from(joined);
        if !chars.is(next, |c| is_letter(c) || is_digit(c)) {
            break;
        }
        number = chars.is(next, is_digit);
        at = chars.skip(next + 1, |c| is_enclosing(c) || is_format(c));
    }
    let danda = |c| matches!(c, '\u{964}' | '\u{965}');
    let ends = at > from && if number { chars.is(at, is_behind_numbers) } else { chars.is(at, danda) };
    at + usize::from(ends)
}

/// Blanks, and the end of a line behind them.
fn blanks(chars: &NumberedChars, from: usize) -> usize {
    let at = chars.skip(from, |c| is_blank(c) || is_enclosing(c));
    if at > from && !chars.is(from, is_blank) {
        return from;
    }
    let at = at + usize::from(chars.get(at) == Some('\r'));
    at + usize::from(chars.is(at, is_line_end))
}
