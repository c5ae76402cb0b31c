//! Solr's wildcards and Lucene's regular expressions, rewritten in the syntax of the automaton library (that
//! of the `regex` crate, anchored at both ends). Facts about the source syntax: Lucene's `RegExp` with all
//! optional operators on, which is how Solr's query parser builds it. Complement `~`, intersection `&` and
//! the empty language `#` have no counterpart and are refused.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use plan::{Error, Result, RootCause};

/// The prefix, when the pattern is literal text with one `*` at its end.
pub(super) fn as_prefix(pattern: &str) -> Option<String> {
    let body = pattern.strip_suffix('*')?;
    (!body.contains(['*', '?', '\\'])).then(|| body.to_owned())
}

/// `*` any run, `?` one character, `\` takes the next literally.
pub(super) fn wildcard(pattern: &str) -> String {
    let mut out = String::from("(?s)");
    let mut chars = pattern.chars();
    while let Some(next) = chars.next() {
        match next {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '\\' => push_literal(&mut out, chars.next().unwrap_or('\\')),
            other => push_literal(&mut out, other),
        }
    }
    out
}

fn push_literal(out: &mut String, literal: char) {
    // Behind a backslash these are ends of words, which an automaton has none of.
    if matches!(literal, '<' | '>') {
        let _ = write!(out, "\\x{:02X}", u32::from(literal));
        return;
    }
    if literal.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(literal);
}

/// Lucene's syntax over a whole term.
pub(super) fn regex(pattern: &str) -> Result<String> {
    let mut out = String::from("(?s)");
    let mut chars = pattern.chars().peekable();
    // Where nothing stands before it that it could repeat, an operator is a character: `(?i)` is no flag.
    let mut at_start = true;
    while let Some(next) = chars.next() {
        match next {
            '?' | '*' | '+' | '{' | '|' if at_start => push_literal(&mut out, next),
            '\\' => escape(&mut chars, &mut out)?,
            '"' => quoted(&mut chars, &mut out, pattern)?,
            '<' => interval(&mut chars, &mut out, pattern)?,
            '[' => class(&mut chars, &mut out, pattern)?,
            '@' => out.push_str(".*"),
            '~' | '&' | '#' => return Err(unsupported(pattern, next)),
            '{' => repetition(&mut chars, &mut out, pattern)?,
            '.' | '?' | '*' | '+' | '|' | '(' | ')' => out.push(next),
            other => push_literal(&mut out, other),
        }
        at_start = matches!(next, '(' | '|') && !at_start || next == '(';
    }
    Ok(out)
}

fn unsupported(pattern: &str, operator: char) -> Error {
    Error::bad_request(format!(
        "the operator `{operator}` of the regular expression `{pattern}` is not supported; write `\\{operator}` for the \
         character itself, or express it with filters"
    ))
}

fn malformed(pattern: &str, what: &str) -> Error {
    Error::bad_request(format!("the regular expression `{pattern}` {what}"))
        .with_root(RootCause::IllegalArgument)
}

fn escape(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<()> {
    match chars.next() {
        Some('d') => out.push_str("[0-9]"),
        Some('D') => out.push_str("[^0-9]"),
        Some('s') => out.push_str("[ \\t\\n\\r]"),
        Some('S') => out.push_str("[^ \\t\\n\\r]"),
        Some('w') => out.push_str("[0-9A-Z_a-z]"),
        Some('W') => out.push_str("[^0-9A-Z_a-z]"),
        Some(letter) if letter.is_ascii_alphabetic() => {
            return Err(Error::bad_request(format!(
                "a regular expression names `\\{letter}`, which is no class; use d, D, s, S, w or W"
            )));
        }
        Some(literal) => push_literal(out, literal),
        None => {
            return Err(Error::bad_request(
                "a regular expression ends in `\\`; name the character it escapes",
            ));
        }
    }
    Ok(())
}

fn quoted(chars: &mut Peekable<Chars<'_>>, out: &mut String, pattern: &str) -> Result<()> {
    out.push_str("(?:");
    loop {
        match chars.next() {
            Some('"') => break,
            Some(literal) => push_literal(out, literal),
            None => return Err(malformed(pattern, "has a `\"` without its partner")),
        }
    }
    out.push(')');
    Ok(())
}

fn class(chars: &mut Peekable<Chars<'_>>, out: &mut String, pattern: &str) -> Result<()> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        match chars.next() {
            Some(']') if !first => break,
            Some('\\') => escape(chars, out)?,
            Some('-') if !first && chars.peek() == Some(&']') => {
                return Err(malformed(pattern, "has a range without its end; write `\\-` for the character"));
            }
            Some('-') => out.push('-'),
            Some(literal) => push_literal(out, literal),
            None => return Err(malformed(pattern, "has a `[` without its `]`")),
        }
        first = false;
    }
    out.push(']');
    Ok(())
}

/// `{n}`, `{n,}` or `{n,m}` behind what it repeats.
fn repetition(chars: &mut Peekable<Chars<'_>>, out: &mut String, pattern: &str) -> Result<()> {
    out.push('{');
    loop {
        match chars.next() {
            Some('}') => break,
            Some(next) if next.is_ascii_digit() || next == ',' => out.push(next),
            _ => return Err(malformed(pattern, "has a `{` that is not `{n}`, `{n,}` or `{n,m}`")),
        }
    }
    out.push('}');
    Ok(())
}

/// `<n-m>`: a decimal number between the two; with bounds of equal width, exactly as many digits.
fn interval(chars: &mut Peekable<Chars<'_>>, out: &mut String, pattern: &str) -> Result<()> {
    const COUNT_MAX: u64 = 10_000;
    let mut body = String::new();
    loop {
        match chars.next() {
            Some('>') => break,
            Some(other) => body.push(other),
            None => return Err(malformed(pattern, "has a `<` without its `>`")),
        }
    }
    let (low, high) = body.split_once('-').unwrap_or((&body, ""));
    let (Ok(first), Ok(last)) = (low.parse::<u64>(), high.parse::<u64>()) else {
        return Err(malformed(pattern, "names an interval that is not `<number-number>`"));
    };
    let (first, last) = (first.min(last), first.max(last));
    if last - first > COUNT_MAX {
        return Err(malformed(pattern, "names an interval of more than 10000 numbers; use a range query"));
    }
    let width = if low.len() == high.len() { low.len() } else { 0 };
    out.push_str(if width > 0 { "(?:" } else { "(?:0*(?:" });
    for number in first..=last {
        let separator = if number > first { "|" } else { "" };
        let _ = write!(out, "{separator}{number:0width$}");
    }
    out.push_str(if width > 0 { ")" } else { "))" });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tantivy_fst::{Automaton, Regex};

    fn matches(expression: &str, text: &str) -> bool {
        let automaton = Regex::new(expression).unwrap();
        let state = text.bytes().fold(automaton.start(), |state, byte| automaton.accept(&state, byte));
        automaton.is_match(&state)
    }

    #[test]
    fn wildcards_match_whole_terms() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(matches(&wildcard(pattern), text), expected, "{pattern} {text}");
        };
        check("a*c", "abbc", true);
        check("a*c", "ac", true);
        check("a?c", "aéc", true);
        check("a?c", "ac", false);
        check(r"a\*c", "a*c", true);
        check(r"a\*c", "abc", false);
        check("a.c", "abc", false);
        check("a*\nc", "a\n\nc", true);
    }

    #[test]
    fn expressions_follow_lucene() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(matches(&regex(pattern).unwrap(), text), expected, "{pattern} {text}");
        };
        check("ab+", "abbb", true);
        check("ab+", "xabbb", false);
        check("^a$", "a", false);
        check("^a$", "^a$", true);
        check("a|b", "b", true);
        check("(ab){2,3}", "abab", true);
        check("[a-c]x", "bx", true);
        check("[^a-c]x", "bx", false);
        check(r#""a.b""#, "a.b", true);
        check(r#""a.b""#, "axb", false);
        check("@", "anything", true);
        check("v<8-11>", "v10", true);
        check("v<8-11>", "v12", false);
        check("<01-12>", "7", false);
        check(r"\d+", "123", true);
        check(r"a\.b", "a.b", true);
        check(r"a\<b\>", "a<b>", true);
        check("[<>a]+", "<a>", true);
        check("a>", "a>", true);
        check("(?i)abc", "ABC", false);
        check("(?i)abc", "?iabc", true);
        check("+", "+", true);
    }

    #[test]
    fn what_has_no_counterpart_is_refused() {
        for pattern in [
            "a~b",
            "a&b",
            "c#",
            "[a",
            "\"a",
            "<1-",
            "<a-b>",
            "<1-99999>",
            "a\\",
            "a{x}",
            "[a-]",
            r"\b",
            r"\Qa\E",
        ] {
            assert!(regex(pattern).is_err(), "{pattern}");
        }
    }
}
