//! Where a line may end: behind a word with what sticks to it and the blanks that follow. One of the kinds of
//! boundaries of `mod.rs`, as the JDK cuts. Knows only characters and their classes (`numbered_chars.rs`), no
//! fonts and no widths: where a line may end, not where it should. Highlighters ask for it with
//! `hl.bs.type=LINE`.

use icu_properties::props::GeneralCategory as G;

use super::numbered_chars::{NumberedChars, is_enclosing, is_format};
use crate::chars::category;

fn is_break(c: char) -> bool {
    matches!(c, '\u{3}' | '\t' | '\n' | '\u{c}' | '\u{2028}' | '\u{2029}')
}

/// Characters that forbid a break.
fn is_glue(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{f0c}' | '\u{2007}' | '\u{2011}' | '\u{202f}' | '\u{feff}')
}

fn is_ignored(c: char) -> bool {
    is_format(c) || (category(c) == G::Control && !is_break(c) && c != '\r')
}

fn is_blank(c: char) -> bool {
    category(c) == G::SpaceSeparator && !is_glue(c)
}

fn is_dash(c: char) -> bool {
    (c == '\u{ad}' || category(c) == G::DashPunctuation) && !is_glue(c)
}

/// What sticks to the word behind it.
fn is_before(c: char) -> bool {
    matches!(c, '"' | '\'')
        || (c != '\u{a2}'
            && matches!(category(c), G::CurrencySymbol | G::OpenPunctuation | G::InitialPunctuation))
}

/// What sticks to the word before it.
fn is_behind(c: char) -> bool {
    match c {
        '"' | '!' | '%' | '.' | ',' | ':' | ';' | '?' => true,
        _ if c.is_ascii() => category(c) == G::ClosePunctuation,
        '\u{a2}' | '\u{b0}' | '\u{66a}' | '\u{2030}'..='\u{2034}' | '\u{2103}' | '\u{2105}' | '\u{2109}' => {
            true
        }
        '\u{3001}' | '\u{3002}' | '\u{3005}' | '\u{3099}'..='\u{309e}' | '\u{30fc}'..='\u{30fe}' => true,
        'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ' => true,
        'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' | 'ヮ' | 'ヵ' | 'ヶ' => true,
        '\u{ff01}' | '\u{ff05}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' => true,
        _ => matches!(category(c), G::ClosePunctuation | G::FinalPunctuation),
    }
}

/// Characters that are words of their own.
fn is_kanji(c: char) -> bool {
    let block = matches!(c, '\u{4e00}'..='\u{9fa5}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{fa2d}')
        || matches!(c, '\u{fa30}'..='\u{fa6a}' | '\u{3041}'..='\u{3094}' | '\u{30a1}'..='\u{30fa}');
    block && !is_behind(c)
}

fn is_digit(c: char) -> bool {
    matches!(category(c), G::DecimalNumber | G::OtherNumber)
}

/// Any other character.
fn is_plain(c: char) -> bool {
    let special = is_break(c) || is_blank(c) || is_dash(c) || is_kanji(c) || is_glue(c) || c == '\r';
    !special && !is_before(c) && !is_behind(c) && !matches!(c, '\u{964}' | '\u{965}')
}

pub(super) fn end(chars: &NumberedChars, from: usize) -> usize {
    let mut at = word(chars, from);
    loop {
        let glued = chars.skip(at, is_blank);
        let behind = chars.skip(glued, is_glue);
        let joined = match chars.get(at) {
            _ if behind > glued => behind + usize::from(chars.is(behind, is_blank)),
            Some('$' | '\'') => at + 1,
            _ => break,
        };
        at = word(chars, joined);
    }
    at = chars.skip(at, is_blank);
    at = chars.skip(at, |c| is_enclosing(c) || is_ignored(c));
    // Java's rules treat an empty pair of brackets as one sign, so that `f()` is not broken before them.
    if chars.get(at) == Some('(') && chars.get(at + 1) == Some(')') {
        at = chars.skip(at + 2, is_behind);
    }
    at += usize::from(chars.get(at) == Some('\r'));
    at + usize::from(chars.is(at, is_break))
}

/// What precedes a word, its core, what follows it; any of them may be missing.
fn word(chars: &NumberedChars, from: usize) -> usize {
    let core = chars.skip(from, is_before);
    // Between ideographs a line may break anywhere, so each is a word; letters break only between words.
    let plain = match chars.get(core) {
        Some(c) if is_kanji(c) => core + 1,
        _ => chars.skip(core, is_plain),
    };
    let at = plain.max(number(chars, from));
    let dashes = chars.skip(at, is_dash);
    if dashes > at { dashes } else { chars.skip(at, is_behind) }
}

fn number(chars: &NumberedChars, from: usize) -> usize {
    let first = chars.skip(from, |c| is_before(c) || is_dash(c));
    let mut at = chars.skip(first, is_digit);
    if at == first {
        return from;
    }
    while chars.is(at, |c| matches!(c, '.' | ',')) && chars.is(at + 1, is_digit) {
        at = chars.skip(at + 1, is_digit);
    }
    at
}
