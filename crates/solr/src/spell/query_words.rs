//! The words of a query that are worth checking, as Solr's `SpellingQueryConverter` picks them: names of
//! fields, operators, numbers behind `^` and the syntax's signs left out, each piece then read by the
//! component's field type.

use std::sync::LazyLock;

use analysis::Token;
use fancy_regex::Regex;
use plan::{Result, SpellWord, WordRole};

/// A piece of a query: its text in UTF-16 units, and where it starts.
struct QueryToken<'a> {
    units: &'a [u16],
    start: usize,
}

/// The words of `query`, read by `analyse`.
pub(super) fn query_words(
    query: &str,
    analyse: &dyn Fn(&str) -> Result<Vec<Token>>,
) -> Result<Vec<SpellWord>> {
    let units: Vec<u16> = query.encode_utf16().collect();
    let has = |signs: &[char]| query.contains(signs);
    let ranges = has(&['[', '{']) && has(&[']', '}']);
    let (mut words, mut last_operator) = (Vec::new(), None::<String>);
    let pieces = pieces(&units);
    let texts: Vec<String> = pieces.iter().map(|piece| String::from_utf16_lossy(piece.units)).collect();
    // `AND NOT` counts as `NOT`.
    let read_as = |at: usize| {
        let text = texts.get(at)?.as_str();
        let piece = pieces.get(at)?;
        let followed = units.get(piece.start..).is_some_and(|rest| {
            rest.len() > 7 && String::from_utf16_lossy(&rest[..7]) == "AND NOT" && at > 0
        });
        Some(if text == "AND" && followed { "NOT" } else { text })
    };
    for (at, piece) in pieces.iter().enumerate() {
        let Some(text) = read_as(at) else { continue };
        if ranges && text == "TO" {
            continue;
        }
        if is_operator(text) {
            last_operator = Some(text.to_owned());
            continue;
        }
        let role = role(&units, piece, read_as(at + 1), last_operator.as_deref());
        let whole = texts.get(at).map_or("", String::as_str);
        words.extend(words_of(whole, &analyse(whole)?, piece.start, role));
    }
    if last_operator.is_some() {
        words.iter_mut().for_each(|word| word.role.in_boolean = true);
    }
    Ok(words)
}

/// The tokens of a text that starts at `start`, as words. Their offsets count bytes of the text.
pub(super) fn words_of(text: &str, tokens: &[Token], start: usize, role: WordRole) -> Vec<SpellWord> {
    // Tokens are nearly in order: each place is counted from the one before.
    let (mut bytes_before, mut units_before) = (0, 0);
    let mut place = |bytes: u32| {
        let bytes = bytes as usize;
        if bytes < bytes_before {
            (bytes_before, units_before) = (0, 0);
        }
        units_before += text.get(bytes_before..bytes).unwrap_or_default().encode_utf16().count();
        bytes_before = bytes;
        start + units_before
    };
    let word = |token: &Token| SpellWord {
        text: token.text.clone(),
        start: place(token.start),
        end: place(token.end),
        increment: token.position_increment,
        role,
    };
    tokens.iter().map(word).collect()
}

fn is_operator(text: &str) -> bool {
    matches!(text, "AND" | "OR" | "NOT")
}

/// By the sign before the word, or by the operators around it: a guess, since the default operator is not
/// known.
fn role(units: &[u16], piece: &QueryToken<'_>, next: Option<&str>, last_operator: Option<&str>) -> WordRole {
    let before = piece.start.checked_sub(1).and_then(|at| units.get(at)).copied();
    let signed = |sign: char| {
        let sign = sign as u16;
        piece.units.first() == Some(&sign) || before == Some(sign)
    };
    let mut role = WordRole::default();
    if signed('-') {
        role.prohibited = true;
    } else if signed('+') {
        role.required = true;
    } else if let Some(next) = next {
        role.before_operator = match last_operator {
            Some(last) => next != last && is_operator(next),
            None => next == "NOT",
        };
    }
    role
}

/// What stands between white space, colons, points, carets and opening brackets, without what ends in a
/// colon.
fn pieces(units: &[u16]) -> Vec<QueryToken<'_>> {
    let names = name_ends(units);
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let name_end = names.get(at).copied().unwrap_or(at);
        if name_end > at && units.get(name_end) == Some(&u16::from(b':')) {
            at = name_end;
        } else if let Some(end) = piece_end(units, at) {
            pieces.extend(units.get(at..end).map(|units| QueryToken { units, start: at }));
            at = end;
        } else {
            at += 1;
        }
    }
    pieces
}

/// Where a piece that begins at `at` ends: one character that is no separator, then letters, digits, `_` and
/// `-`, at least one. A boost is none.
fn piece_end(units: &[u16], at: usize) -> Option<usize> {
    let (first, length) = character(units, at)?;
    if matches!(first, '^' | '.' | ':' | '(' | ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r') {
        return None;
    }
    let mut end = at + length;
    while let Some((_, length)) = character(units, end).filter(|(next, _)| is_word(*next)) {
        end += length;
    }
    (end > at + length).then_some(end)
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '-')
        || (!character.is_ascii() && is_letter(character))
}

fn is_letter(character: char) -> bool {
    #[allow(clippy::expect_used, reason = "the expression is a constant")]
    static LETTER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{L}").expect("it is an expression"));
    LETTER.is_match(character.encode_utf8(&mut [0; 4])).unwrap_or(false)
}

/// The character at `at`, and how many units it takes.
fn character(units: &[u16], at: usize) -> Option<(char, usize)> {
    let found = char::decode_utf16(units.get(at..)?.iter().copied()).next()?;
    let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((found, found.len_utf16()))
}

/// Of each unit, where the name that it is part of ends; itself where it is of none.
fn name_ends(units: &[u16]) -> Vec<usize> {
    let mut end = units.len();
    let mut ends: Vec<usize> = (0..units.len())
        .rev()
        .map(|at| {
            if !units.get(at).copied().is_some_and(is_name_unit) {
                end = at;
            }
            end
        })
        .collect();
    ends.reverse();
    ends
}

/// A character of XML's names, but for the colon.
fn is_name_unit(unit: u16) -> bool {
    const RANGES: &[(u16, u16)] = &[
        (0x2d, 0x2e),
        (0x30, 0x39),
        (0x41, 0x5a),
        (0x5f, 0x5f),
        (0x61, 0x7a),
        (0xb7, 0xb7),
        (0xc0, 0xd6),
        (0xd8, 0xf6),
        (0xf8, 0x37d),
        (0x37f, 0x1fff),
        (0x2001, 0xd7ff),
        (0xf900, 0xfdcf),
        (0xfdf0, 0xfffd),
    ];
    RANGES.iter().any(|(from, to)| (*from..=*to).contains(&unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expected: &str) {
        let analyse = |text: &str| {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let token = |word: &str| {
                let start = text.find(word).unwrap_or(0);
                let mut token = Token::default();
                token.text.push_str(word);
                token.start = u32::try_from(start).unwrap();
                token.end = u32::try_from(start + word.len()).unwrap();
                token
            };
            Ok(words.map(token).collect())
        };
        let words = query_words(query, &analyse).unwrap();
        let shown = words.iter().map(|word| {
            let role = word.role;
            let flags = [
                (role.prohibited, '-'),
                (role.required, '+'),
                (role.before_operator, '<'),
                (role.in_boolean, '&'),
            ];
            let flags: String = flags.iter().filter(|(on, _)| *on).map(|(_, sign)| *sign).collect();
            format!("{}@{}-{}{flags}", word.text, word.start, word.end)
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{query}");
    }

    /// As Solr 9.10.1 was seen to pick them.
    #[test]
    fn words_are_picked() {
        check("gardn musik", "gardn@0-5 musik@6-11");
        check("+gardn -musik", "gardn@1-6+ musik@8-13-");
        check("name:(soud -musik) AND label:Gardn", "soud@6-10& musik@12-17-& Gardn@29-34&");
        check("soud^2 \"gardn chaire\"~3", "soud@0-4 gardn@8-13 chaire@14-20 3@22-23");
        check("name:[aaaa TO bbbb] sold:12", "aaaa@6-10 bbbb@14-18 12@25-27");
        check("{!edismax qf=name}soundprof", "edismax@2-9 qf@10-12 name@13-17 soundprof@18-27");
        check("étud 東亰 𝒳𝒳 x", "étud@0-4 東亰@5-7 𝒳𝒳@8-12");
        check("a AND bb OR cc NOT dd", "bb@6-8<& cc@12-14<& dd@19-21&");
        check("aa AND NOT bb", "aa@0-2<& bb@11-13&");
        check("", "");
    }

    #[test]
    fn long_names_take_no_time() {
        let query = format!("{}:x{}", "a".repeat(100_000), ".b".repeat(100_000));
        check(&query, "");
    }
}
