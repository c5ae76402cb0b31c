//! Cutting a term into words and numbers for the word delimiter filters: what kind a character is, where one
//! part ends and the next begins, and the English possessive that is dropped on the way. Kinds are bits, so
//! that a character can be of several: two neighbours with a bit in common belong together.

use icu_properties::props::GeneralCategory;
use rustc_hash::FxHashMap;

use crate::chars::category;

pub(crate) const LOWER: u8 = 1;
pub(crate) const UPPER: u8 = 2;
pub(crate) const ALPHA: u8 = LOWER | UPPER;
pub(crate) const DIGIT: u8 = 4;
pub(crate) const ALPHANUM: u8 = ALPHA | DIGIT;
/// Punctuation between parts.
pub(crate) const DELIMITER: u8 = 8;

pub(crate) fn is_alpha(kind: u8) -> bool {
    kind & ALPHA != 0
}

pub(crate) fn is_digit(kind: u8) -> bool {
    kind & DIGIT != 0
}

/// The kinds of characters, with the exceptions of a `types` file.
#[derive(Default)]
pub(crate) struct CharTypes {
    exceptions: FxHashMap<char, u8>,
}

impl CharTypes {
    /// Reads a line of a `types` file: `$ => DIGIT`, `\u002C => ALPHA`.
    pub(crate) fn read_rule(&mut self, line: &str) -> Result<(), String> {
        let bad = || format!("cannot read the type rule `{line}`; write `character => TYPE`");
        let (left, right) = line.rsplit_once("=>").ok_or_else(bad)?;
        let kind = match right.trim() {
            "LOWER" => LOWER,
            "UPPER" => UPPER,
            "ALPHA" => ALPHA,
            "DIGIT" => DIGIT,
            "ALPHANUM" => ALPHANUM,
            "SUBWORD_DELIM" => DELIMITER,
            other => return Err(format!("unknown type `{other}` in the type rule `{line}`")),
        };
        let unescaped = unescape(left.trim()).ok_or_else(bad)?;
        let mut chars = unescaped.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => self.exceptions.insert(only, kind),
            _ => return Err(bad()),
        };
        Ok(())
    }

    fn kind(&self, c: char) -> u8 {
        if !self.exceptions.is_empty()
            && let Some(kind) = self.exceptions.get(&c)
        {
            return *kind;
        }
        default_kind(c)
    }
}

/// Lucene's own table for Latin-1, general categories above, and characters outside the basic plane as both
/// letters and digits because Java sees them as halves.
fn default_kind(c: char) -> u8 {
    use GeneralCategory as G;
    match c {
        'a'..='z' => return LOWER,
        'A'..='Z' => return UPPER,
        '0'..='9' => return DIGIT,
        '\u{aa}' | '\u{ba}' => return LOWER,
        '\u{10000}'.. => return ALPHANUM,
        _ => {}
    }
    match category(c) {
        G::UppercaseLetter => UPPER,
        G::LowercaseLetter => LOWER,
        _ if c < '\u{100}' => DELIMITER,
        G::TitlecaseLetter | G::ModifierLetter | G::OtherLetter => ALPHA,
        G::NonspacingMark | G::EnclosingMark | G::SpacingMark => ALPHA,
        G::DecimalNumber | G::LetterNumber | G::OtherNumber => DIGIT,
        _ => DELIMITER,
    }
}

/// Java-like escapes: `\\`, `\n`, `\t`, `\r`, `\b`, `\f`, `\uXXXX`; any other character guarded is itself.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let digits: String = chars.by_ref().take(4).collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(out)
}

/// A word or a number within a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: u8,
}

/// How terms are cut.
pub(crate) struct Splitter {
    pub(crate) types: CharTypes,
    pub(crate) on_case_change: bool,
    pub(crate) on_numerics: bool,
    pub(crate) drops_possessive: bool,
}

/// A character with its place and kind.
#[derive(Clone, Copy)]
struct Unit {
    at: usize,
    c: char,
    kind: u8,
}

impl Splitter {
    /// Whether the term is one part from end to end.
    pub(crate) fn is_single(&self, term: &str) -> bool {
        let mut last = None;
        for c in term.chars() {
            let kind = self.types.kind(c);
            if kind & DELIMITER != 0 || last.is_some_and(|last| self.breaks(last, kind)) {
                return false;
            }
            last = Some(kind);
        }
        last.is_some()
    }

    /// The parts of a term.
    pub(crate) fn split(&self, term: &str) -> Vec<Part> {
        let units: Vec<Unit> =
            term.char_indices().map(|(at, c)| Unit { at, c, kind: self.types.kind(c) }).collect();
        let delimits = |unit: &Unit| unit.kind & DELIMITER != 0;
        let end = units.iter().rposition(|unit| !delimits(unit)).map_or(0, |last| last + 1);
        let units = units.get(..end).unwrap_or_default();
        let place = |index: usize| units.get(index).map_or_else(|| end_of(units), |unit| unit.at);
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(unit) = units.get(at) {
            if delimits(unit) {
                at += 1;
                continue;
            }
            let first = at;
            at = self.part_end(units, first);
            parts.push(Part { start: place(first), end: place(at), kind: part_kind(unit.kind) });
            if at + 1 < end && self.possessive_at(units, at + 2) {
                at += 2;
            }
        }
        parts
    }

    fn part_end(&self, units: &[Unit], first: usize) -> usize {
        let mut last = units.get(first).map_or(0, |unit| unit.kind);
        let mut at = first + 1;
        while let Some(unit) = units.get(at) {
            if self.breaks(last, unit.kind) {
                break;
            }
            last = unit.kind;
            at += 1;
        }
        at
    }

    fn breaks(&self, last: u8, kind: u8) -> bool {
        if last & kind != 0 {
            return false;
        }
        let alphas = is_alpha(last) && is_alpha(kind);
        if alphas && (!self.on_case_change || last & UPPER != 0) {
            return false;
        }
        let mixed = is_alpha(last) && is_digit(kind) || is_digit(last) && is_alpha(kind);
        self.on_numerics || !mixed
    }

    /// Whether the characters before `end` are a letter, an apostrophe and an s.
    fn possessive_at(&self, units: &[Unit], end: usize) -> bool {
        if !self.drops_possessive || end < 3 {
            return false;
        }
        let unit = |back: usize| units.get(end - back);
        unit(2).is_some_and(|unit| unit.c == '\'')
            && unit(1).is_some_and(|unit| unit.c == 's' || unit.c == 'S')
            && unit(3).is_some_and(|unit| is_alpha(unit.kind))
            && units.get(end).is_none_or(|unit| unit.kind & DELIMITER != 0)
    }
}

fn end_of(units: &[Unit]) -> usize {
    units.last().map_or(0, |unit| unit.at + unit.c.len_utf8())
}

/// A part is a word, a number, or, of characters that are both, both.
fn part_kind(kind: u8) -> u8 {
    if kind == LOWER || kind == UPPER { ALPHA } else { kind }
}
