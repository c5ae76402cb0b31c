//! Query text to tokens, as Solr's `lucene` syntax cuts it: the longest match wins, whitespace and `/*
//! comments */` are skipped, `^` and ranges switch to rules of their own. Borrows from the text; unescaping
//! is `escape.rs`. Knows no grammar (that is `parse.rs`) and no field.

use super::scan::{self, is_space};

/// What a token is. The names in messages are those of Solr's parser, see [`Kind::image`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    And,
    Or,
    Not,
    Plus,
    Minus,
    /// `+`, `-` or `!` before a space: a term of its own.
    BareOperator,
    Open,
    Close,
    Colon,
    Star,
    Caret,
    Quoted,
    Term,
    Tilde,
    Prefix,
    Wildcard,
    Regex,
    RangeOpen,
    RangeOpenExclusive,
    /// `{!…}` with the text behind it, up to a space, a parenthesis, a brace or a caret.
    LocalParams,
    Filter,
    Number,
    RangeTo,
    RangeClose,
    RangeCloseExclusive,
    RangeQuoted,
    RangeWord,
    End,
    /// Nothing matches here: an error as soon as the parser looks.
    Bad,
}

impl Kind {
    /// The name in Solr's syntax errors.
    pub(crate) fn image(self) -> &'static str {
        match self {
            Kind::And => "<AND>",
            Kind::Or => "<OR>",
            Kind::Not => "<NOT>",
            Kind::Plus => "\"+\"",
            Kind::Minus => "\"-\"",
            Kind::BareOperator => "<BAREOPER>",
            Kind::Open => "\"(\"",
            Kind::Close => "\")\"",
            Kind::Colon => "\":\"",
            Kind::Star => "\"*\"",
            Kind::Caret => "\"^\"",
            Kind::Quoted => "<QUOTED>",
            Kind::Term => "<TERM>",
            Kind::Tilde => "<FUZZY_SLOP>",
            Kind::Prefix => "<PREFIXTERM>",
            Kind::Wildcard => "<WILDTERM>",
            Kind::Regex => "<REGEXPTERM>",
            Kind::RangeOpen => "\"[\"",
            Kind::RangeOpenExclusive => "\"{\"",
            Kind::LocalParams => "<LPARAMS>",
            Kind::Filter => "\"filter(\"",
            Kind::Number => "<NUMBER>",
            Kind::RangeTo => "\"TO\"",
            Kind::RangeClose => "\"]\"",
            Kind::RangeCloseExclusive => "\"}\"",
            Kind::RangeQuoted => "<RANGE_QUOTED>",
            Kind::RangeWord => "<RANGE_GOOP>",
            Kind::End | Kind::Bad => "<EOF>",
        }
    }
}

/// A piece of the query, `text` at the byte offset `at`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub at: usize,
}

/// Which rules apply next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain,
    Boost,
    Range,
}

impl Mode {
    fn after(self, kind: Kind) -> Mode {
        match kind {
            Kind::Caret => Mode::Boost,
            Kind::RangeOpen | Kind::RangeOpenExclusive => Mode::Range,
            Kind::Number | Kind::RangeClose | Kind::RangeCloseExclusive => Mode::Plain,
            _ => self,
        }
    }
}

/// How often `{!` may turn out not to open local parameters, which is known only at the end of the text.
/// Beyond it `{` opens a range without a look, so that time stays linear.
const LOOKS_MAX: usize = 64;

/// All tokens of `text`; the last is `End`, or `Bad` where nothing matches.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut all, mut at, mut mode, mut looks) = (Vec::new(), 0, Mode::Plain, LOOKS_MAX);
    loop {
        at = skip(text, at, mode);
        let rest = text.get(at..).unwrap_or_default();
        let (kind, length) = match (rest.is_empty(), mode) {
            (true, _) => (Kind::End, 0),
            (false, Mode::Plain) => plain(rest, &mut looks),
            (false, Mode::Boost) => boost(rest),
            (false, Mode::Range) => range(rest),
        };
        all.push(Token { kind, text: rest.get(..length).unwrap_or_default(), at });
        if matches!(kind, Kind::End | Kind::Bad) {
            return all;
        }
        mode = mode.after(kind);
        at += length;
    }
}

/// Past spaces and, outside ranges, comments, which nest and may stay open. A boost follows its caret at
/// once.
fn skip(text: &str, mut at: usize, mode: Mode) -> usize {
    if mode == Mode::Boost {
        return at;
    }
    loop {
        let rest = text.get(at..).unwrap_or_default();
        match rest.chars().next() {
            Some(space) if is_space(space) => at += space.len_utf8(),
            Some('/') if mode == Mode::Plain && rest.starts_with("/*") => at += scan::comment(rest),
            _ => return at,
        }
    }
}

fn plain(rest: &str, looks: &mut usize) -> (Kind, usize) {
    let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
    match first {
        '+' | '-' | '!' => operator(rest, first),
        '(' => (Kind::Open, 1),
        ')' => (Kind::Close, 1),
        ':' => (Kind::Colon, 1),
        '[' => (Kind::RangeOpen, 1),
        '{' if rest.starts_with("{!") && *looks > 0 => match scan::local_params(rest) {
            Some(length) => (Kind::LocalParams, length),
            None => {
                // A range may open with `{!`; that it did is known only at the end, so looks are counted.
                *looks -= 1;
                (Kind::RangeOpenExclusive, 1)
            }
        },
        '{' => (Kind::RangeOpenExclusive, 1),
        '^' => (Kind::Caret, if rest.starts_with("^=") { 2 } else { 1 }),
        '"' => scan::quoted(rest).map_or((Kind::Bad, 0), |length| (Kind::Quoted, length)),
        '~' => (Kind::Tilde, 1 + scan::number(rest.get(1..).unwrap_or_default())),
        '/' => scan::regex(rest).map_or((Kind::Bad, 0), |length| (Kind::Regex, length)),
        _ => word(rest),
    }
}

fn operator(rest: &str, first: char) -> (Kind, usize) {
    match rest.chars().nth(1) {
        Some(space) if is_space(space) => (Kind::BareOperator, 1 + space.len_utf8()),
        _ if first == '+' => (Kind::Plus, 1),
        _ if first == '-' => (Kind::Minus, 1),
        _ => (Kind::Not, 1),
    }
}

fn word(rest: &str) -> (Kind, usize) {
    let found = scan::word(rest);
    let image = rest.get(..found.length).unwrap_or_default();
    let kind = match image {
        "" => Kind::Bad,
        "AND" | "&&" => Kind::And,
        "OR" | "||" => Kind::Or,
        "NOT" => Kind::Not,
        "*" => Kind::Star,
        "filter" if rest.get(found.length..).unwrap_or_default().starts_with('(') => {
            return (Kind::Filter, found.length + 1);
        }
        _ if found.wildcards == 0 => Kind::Term,
        _ if found.wildcards == 1 && found.ends_with_star => Kind::Prefix,
        _ => Kind::Wildcard,
    };
    (kind, found.length)
}

fn boost(rest: &str) -> (Kind, usize) {
    let sign = usize::from(rest.starts_with('-'));
    match scan::number(rest.get(sign..).unwrap_or_default()) {
        0 => (Kind::Bad, 0),
        digits => (Kind::Number, sign + digits),
    }
}

fn range(rest: &str) -> (Kind, usize) {
    match rest.chars().next() {
        Some(']') => return (Kind::RangeClose, 1),
        Some('}') => return (Kind::RangeCloseExclusive, 1),
        _ => {}
    }
    let word = rest.find([' ', ']', '}']).unwrap_or(rest.len());
    match scan::range_quoted(rest) {
        // The longest match wins: `"a"b` is a word with quotes in it.
        Some(quoted) if quoted >= word => (Kind::RangeQuoted, quoted),
        // Only alone: `TOMORROW` is a bound.
        _ if rest.get(..word) == Some("TO") => (Kind::RangeTo, word),
        _ => (Kind::RangeWord, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fall_into_tokens() {
        let check = |text: &str, expected: &[(Kind, &str)]| {
            let found = tokens(text);
            let pairs: Vec<_> =
                found.iter().take(found.len() - 1).map(|token| (token.kind, token.text)).collect();
            assert_eq!(pairs, expected, "{text}");
        };
        check("a b", &[(Kind::Term, "a"), (Kind::Term, "b")]);
        check("a!b", &[(Kind::Term, "a!b")]);
        check("a:b*", &[(Kind::Term, "a"), (Kind::Colon, ":"), (Kind::Prefix, "b*")]);
        check("*:*", &[(Kind::Star, "*"), (Kind::Colon, ":"), (Kind::Star, "*")]);
        check("*a a?b **", &[(Kind::Wildcard, "*a"), (Kind::Wildcard, "a?b"), (Kind::Wildcard, "**")]);
        check(
            "AND ANDx || ||b",
            &[(Kind::And, "AND"), (Kind::Term, "ANDx"), (Kind::Or, "||"), (Kind::Term, "||b")],
        );
        check(
            "- a -b",
            &[(Kind::BareOperator, "- "), (Kind::Term, "a"), (Kind::Minus, "-"), (Kind::Term, "b")],
        );
        check(
            "a~0.7^=2",
            &[(Kind::Term, "a"), (Kind::Tilde, "~0.7"), (Kind::Caret, "^="), (Kind::Number, "2")],
        );
        check("/a\\/b/ c", &[(Kind::Regex, "/a\\/b/"), (Kind::Term, "c")]);
        check(
            "[\"a b\" TO TOx}",
            &[
                (Kind::RangeOpen, "["),
                (Kind::RangeQuoted, "\"a b\""),
                (Kind::RangeTo, "TO"),
                (Kind::RangeWord, "TOx"),
                (Kind::RangeCloseExclusive, "}"),
            ],
        );
        check("{!term f='}'}x y", &[(Kind::LocalParams, "{!term f='}'}x"), (Kind::Term, "y")]);
        check("filter(a)", &[(Kind::Filter, "filter("), (Kind::Term, "a"), (Kind::Close, ")")]);
        check("a /* b /* c */ */ d /* e", &[(Kind::Term, "a"), (Kind::Term, "d")]);
        check("a\\ b\\", &[(Kind::Term, "a\\ b")]);
    }
}
