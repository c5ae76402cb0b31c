//! `standard`: words by Unicode's annex 29, as Lucene's StandardTokenizer cuts them and names their types.
//! Han and Hiragana come one character a token, South-East Asian scripts as whole runs, emoji sequences as
//! one token. ASCII letters and digits take a path of their own: this is the inner loop of nearly every
//! index.

use crate::definition::TokenizerDefinition;
use crate::stage::Tokenizer;
use crate::token::{Token, utf16_len};
use crate::tokenizer::word_break::{Class, class_of};

pub(crate) static STANDARD: TokenizerDefinition = TokenizerDefinition::new(
    "standard",
    "standard.StandardTokenizerFactory",
    &["maxTokenLength"],
    "Cuts words by Unicode's rules (annex 29), for any language written with blanks.",
    |args| {
        let units_max = args.count("maxTokenLength", 255, 1)?;
        Ok(Box::new(Standard { units_max, at: 0 }))
    },
);

pub(crate) const ALPHANUM: &str = "<ALPHANUM>";
pub(crate) const NUM: &str = "<NUM>";
pub(crate) const SOUTH_EAST_ASIAN: &str = "<SOUTHEAST_ASIAN>";
pub(crate) const IDEOGRAPHIC: &str = "<IDEOGRAPHIC>";
pub(crate) const HIRAGANA: &str = "<HIRAGANA>";
pub(crate) const KATAKANA: &str = "<KATAKANA>";
pub(crate) const HANGUL: &str = "<HANGUL>";
pub(crate) const EMOJI: &str = "<EMOJI>";

/// The tokenizer; remembers where it is.
#[derive(Clone)]
pub(crate) struct Standard {
    units_max: usize,
    at: usize,
}

/// A piece of the text: where it ends and, if it is a token, its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScannedToken {
    pub(crate) end: usize,
    pub(crate) kind: Option<&'static str>,
}

impl Tokenizer for Standard {
    fn reset(&mut self) {
        self.at = 0;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        loop {
            self.at = skip_ascii(text, self.at);
            if self.at >= text.len() {
                return false;
            }
            let start = self.at;
            let piece = next_limited_piece(text, start, self.units_max);
            self.at = piece.end;
            if let Some(kind) = piece.kind {
                token.set(text, start, piece.end, kind);
                return true;
            }
        }
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}

/// The piece that starts at `start`. Of a token that is too long, what fits is looked at as if the text ended
/// there.
#[inline]
pub(crate) fn next_limited_piece(text: &str, start: usize, units_max: usize) -> ScannedToken {
    if let Some(word) = plain_word(text, start, units_max) {
        return word;
    }
    let piece = next_piece(text, start, units_max);
    if piece.end - start <= units_max || piece.kind.is_none() {
        return piece;
    }
    let long = text.get(start..piece.end).unwrap_or_default();
    if utf16_len(long) <= units_max {
        return piece;
    }
    let cut = start + units_prefix(long, units_max);
    next_piece(text.get(..cut).unwrap_or_default(), start, units_max)
}

/// A word of ASCII letters and digits between blanks: most of most texts, and nothing around it can join it.
#[inline]
fn plain_word(text: &str, start: usize, units_max: usize) -> Option<ScannedToken> {
    let rest = text.as_bytes().get(start..)?;
    let len = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let ends = matches!(rest.get(len), None | Some(b' ' | b'\t' | b'\n' | b'\r'));
    if len == 0 || len > units_max || !ends {
        return None;
    }
    // One letter makes it `<ALPHANUM>`: types tell words from numbers, and `4k` is a word.
    let numeric = rest.iter().take(len).all(u8::is_ascii_digit);
    Some(ScannedToken { end: start + len, kind: Some(if numeric { NUM } else { ALPHANUM }) })
}

/// The length in bytes of the longest prefix of at most `units` UTF-16 units, but at least one character.
pub(crate) fn units_prefix(text: &str, units: usize) -> usize {
    let mut left = units;
    let mut end = 0;
    for c in text.chars() {
        if c.len_utf16() > left && end > 0 {
            break;
        }
        left = left.saturating_sub(c.len_utf16());
        end += c.len_utf8();
    }
    end
}

/// Steps over ASCII that starts no word.
#[inline]
fn skip_ascii(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii() {
            break;
        }
        // `#️⃣` begins with ASCII and is an emoji; all other ASCII that is skipped starts nothing.
        if matches!(byte, b'#' | b'*') && bytes.get(at + 1).is_some_and(|next| !next.is_ascii()) {
            break;
        }
        at += 1;
    }
    at
}

/// The piece that starts at `start`. Scanning stops soon after `units_max` units: the rest would be cut off.
#[inline]
pub(crate) fn next_piece(text: &str, start: usize, units_max: usize) -> ScannedToken {
    let Some(first) = char_at(text, start) else { return ScannedToken { end: text.len(), kind: None } };
    match class_of(first) {
        Class::Letter
        | Class::Hangul
        | Class::Hebrew
        | Class::Numeric
        | Class::Katakana
        | Class::ExtendNumLet => {
            if let Some(end) = keycap_end(text, start, first) {
                return ScannedToken { end, kind: Some(EMOJI) };
            }
            // At most three bytes a unit, and room for the marks behind the last one: enough to know that the
            // word is too long.
            let bytes_max = start.saturating_add(units_max.saturating_mul(3)).saturating_add(64);
            Word::new(text, start).scan(bytes_max)
        }
        Class::Han => one(text, start, first, IDEOGRAPHIC),
        Class::Hiragana => one(text, start, first, HIRAGANA),
        Class::SouthEastAsian | Class::SouthEastAsianMark => run(text, start),
        Class::RegionalIndicator | Class::Emoji | Class::Other | Class::Extend => emoji(text, start, first),
        _ => ScannedToken { end: start + first.len_utf8(), kind: None },
    }
}

#[inline]
fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        Some(_) => text.get(at..)?.chars().next(),
        None => None,
    }
}

/// One character with the marks that follow it.
fn one(text: &str, start: usize, first: char, kind: &'static str) -> ScannedToken {
    ScannedToken { end: skip_extends(text, start + first.len_utf8()), kind: Some(kind) }
}

/// A run of South-East Asian characters.
fn run(text: &str, start: usize) -> ScannedToken {
    let mut end = start;
    while let Some(c) = char_at(text, end) {
        if !matches!(class_of(c), Class::SouthEastAsian | Class::SouthEastAsianMark | Class::Extend) {
            break;
        }
        end += c.len_utf8();
    }
    ScannedToken { end, kind: Some(SOUTH_EAST_ASIAN) }
}

#[inline]
fn skip_extends(text: &str, mut at: usize) -> usize {
    while let Some(c) = char_at(text, at) {
        if c.is_ascii() || !is_extend(c) {
            break;
        }
        at += c.len_utf8();
    }
    at
}

/// Marks of South-East Asian scripts are of a class of their own but extend other characters likewise.
fn is_extend(c: char) -> bool {
    matches!(class_of(c), Class::Extend | Class::SouthEastAsianMark)
}

const VARIATION_EMOJI: char = '\u{fe0f}';
const VARIATION_TEXT: char = '\u{fe0e}';
const JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// An emoji sequence, or a single character that is no part of a word.
fn emoji(text: &str, start: usize, first: char) -> ScannedToken {
    let after = start + first.len_utf8();
    let class = class_of(first);
    if class == Class::RegionalIndicator {
        let second = skip_extends(text, after);
        return match char_at(text, second).filter(|c| class_of(*c) == Class::RegionalIndicator) {
            Some(c) => one(text, second, c, EMOJI),
            None => ScannedToken { end: after, kind: None },
        };
    }
    match emoji_element(text, start) {
        Some(end) => ScannedToken { end: skip_extends(text, joined(text, end)), kind: Some(EMOJI) },
        None => match keycap_end(text, start, first) {
            Some(end) => ScannedToken { end, kind: Some(EMOJI) },
            None => ScannedToken { end: after, kind: None },
        },
    }
}

/// A pictogram with its modifier, variation selector and tags; a text pictogram needs the selector.
fn emoji_element(text: &str, start: usize) -> Option<usize> {
    let first = char_at(text, start)?;
    let mut end = start + first.len_utf8();
    if !is_emoji(first) || char_at(text, end) == Some(VARIATION_TEXT) {
        return None;
    }
    while let Some(c) = char_at(text, end).filter(|c| is_emoji_suffix(*c)) {
        end += c.len_utf8();
    }
    Some(end)
}

/// Elements joined by zero-width joiners.
fn joined(text: &str, mut end: usize) -> usize {
    while char_at(text, end) == Some(JOINER) {
        let next = end + JOINER.len_utf8();
        match char_at(text, next).map(class_of) {
            Some(Class::Emoji) => {}
            _ => break,
        }
        let Some(c) = char_at(text, next) else { break };
        end = emoji_element(text, next).unwrap_or(next + c.len_utf8());
    }
    end
}

fn is_emoji(c: char) -> bool {
    class_of(c) == Class::Emoji || is_modifier(c)
}

fn is_modifier(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c)
}

fn is_emoji_suffix(c: char) -> bool {
    c == VARIATION_EMOJI || c == KEYCAP || is_modifier(c) || ('\u{e0020}'..='\u{e007f}').contains(&c)
}

/// `#`, `*` or a digit with the keycap mark, with or without a selector before it, is an emoji.
#[inline]
fn keycap_end(text: &str, start: usize, first: char) -> Option<usize> {
    let after = start + first.len_utf8();
    if text.as_bytes().get(after).is_none_or(u8::is_ascii) {
        return None;
    }
    if !first.is_ascii_digit() && first != '#' && first != '*' {
        return None;
    }
    let mark = if char_at(text, after) == Some(VARIATION_EMOJI) {
        after + VARIATION_EMOJI.len_utf8()
    } else {
        after
    };
    (char_at(text, mark) == Some(KEYCAP)).then(|| mark + KEYCAP.len_utf8())
}

/// A word while it is scanned.
struct Word<'a> {
    text: &'a str,
    start: usize,
    /// How far the scan is; the word may always end there.
    at: usize,
    last: Class,
    seen: Seen,
}

/// Which classes a word holds; they decide its type.
#[derive(Clone, Copy, Default)]
struct Seen {
    letter: bool,
    hangul: bool,
    numeric: bool,
    katakana: bool,
    joined: bool,
}

impl<'a> Word<'a> {
    fn new(text: &'a str, start: usize) -> Self {
        Word { text, start, at: start, last: Class::ExtendNumLet, seen: Seen::default() }
    }

    #[inline]
    fn scan(mut self, bytes_max: usize) -> ScannedToken {
        loop {
            self.ascii_run();
            let Some(c) = char_at(self.text, self.at) else { break };
            if self.at > bytes_max || !self.step(c) {
                break;
            }
        }
        match self.seen.kind() {
            Some(kind) => ScannedToken { end: self.at, kind: Some(kind) },
            None => self.joiners_only(),
        }
    }

    /// A run of underscores is no word; what it seemed to join may start one.
    fn joiners_only(&self) -> ScannedToken {
        let run = self.text.get(self.start..).unwrap_or_default();
        let length = run.find(|c| class_of(c) != Class::ExtendNumLet).unwrap_or(run.len());
        ScannedToken { end: self.start + length, kind: None }
    }

    /// Letters and digits join each other freely.
    #[inline]
    fn ascii_run(&mut self) {
        // Katakana and Latin letters do not join, so the run ends the word, and `step` has to see its first
        // letter.
        if self.last == Class::Katakana {
            return;
        }
        let bytes = self.text.as_bytes();
        let start = self.at;
        while let Some(byte) = bytes.get(self.at).filter(|byte| byte.is_ascii_alphanumeric()) {
            let digit = byte.is_ascii_digit();
            self.seen.numeric |= digit;
            self.seen.letter |= !digit;
            self.at += 1;
        }
        if self.at > start {
            let digit = bytes.get(self.at - 1).is_some_and(u8::is_ascii_digit);
            self.last = if digit { Class::Numeric } else { Class::Letter };
        }
    }

    /// Takes the next character if it belongs to the word.
    fn step(&mut self, c: char) -> bool {
        let class = class_of(c);
        let takes = match (self.last, class) {
            (_, Class::Extend | Class::SouthEastAsianMark) => {
                self.at += c.len_utf8();
                return true;
            }
            (_, Class::ExtendNumLet) => true,
            (Class::Katakana | Class::ExtendNumLet, Class::Katakana) => true,
            (Class::Katakana | Class::Other, _) => false,
            (_, Class::Letter | Class::Hangul | Class::Hebrew | Class::Numeric) => true,
            _ => return self.step_over(c, class),
        };
        if takes {
            self.take(c, class);
        }
        takes
    }

    fn take(&mut self, c: char, class: Class) {
        match class {
            Class::Letter | Class::Hebrew => self.seen.letter = true,
            Class::Hangul => self.seen.hangul = true,
            Class::Numeric => self.seen.numeric = true,
            Class::Katakana => self.seen.katakana = true,
            _ => self.seen.joined = true,
        }
        self.last = class;
        self.at += c.len_utf8();
    }

    /// Takes a character that joins two others (`can't`, `1,000`) together with the one after it.
    fn step_over(&mut self, c: char, class: Class) -> bool {
        let next_at = skip_extends(self.text, self.at + c.len_utf8());
        let next = char_at(self.text, next_at).map(|next| (next, class_of(next)));
        if let Some((next, next_class)) = next
            && joins(self.last, class, next_class)
        {
            self.at = next_at;
            self.seen.joined = true;
            self.take(next, next_class);
            return true;
        }
        // Rule WB7a: in Hebrew an apostrophe ends abbreviations and belongs to them, though nothing joins it.
        if self.last == Class::Hebrew && class == Class::SingleQuote {
            self.at = next_at;
            self.seen.joined = true;
            self.last = Class::Other;
        }
        false
    }
}

fn joins(before: Class, middle: Class, after: Class) -> bool {
    let letter = |class| matches!(class, Class::Letter | Class::Hangul | Class::Hebrew);
    match middle {
        Class::MidLetter => letter(before) && letter(after),
        Class::MidNum => before == Class::Numeric && after == Class::Numeric,
        Class::MidNumLet | Class::SingleQuote => {
            letter(before) && letter(after) || before == Class::Numeric && after == Class::Numeric
        }
        Class::DoubleQuote => before == Class::Hebrew && after == Class::Hebrew,
        _ => false,
    }
}

impl Seen {
    fn kind(self) -> Option<&'static str> {
        match (self.letter, self.hangul, self.numeric, self.katakana) {
            (true, ..) => Some(ALPHANUM),
            (_, true, false, false) if !self.joined => Some(HANGUL),
            (_, true, ..) => Some(ALPHANUM),
            (_, _, true, false) => Some(NUM),
            (_, _, false, true) if !self.joined => Some(KATAKANA),
            (_, _, _, true) => Some(ALPHANUM),
            _ => None,
        }
    }
}
