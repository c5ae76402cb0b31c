//! The tokens of `surround`: marks, operators in any case with their distances, words, and words cut short.
//! As Lucene's token manager cuts them: the longest wins. In: the text; out: tokens with their places, for
//! the columns of errors. Which may follow which is `grammar.rs`.

/// A token with where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    /// Without quotes and without the star at the end of a prefix.
    pub text: &'a str,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Or,
    And,
    Not,
    Near {
        distance: u32,
        in_order: bool,
    },
    Open,
    Close,
    Comma,
    Colon,
    Caret,
    Number,
    Quoted,
    QuotedPrefix,
    Prefix,
    Truncated,
    Word,
    End,
    /// What begins no token.
    Bad,
}

impl Kind {
    /// As Lucene's errors name it.
    pub(super) fn image(self) -> &'static str {
        match self {
            Kind::Or => "<OR>",
            Kind::And => "<AND>",
            Kind::Not => "<NOT>",
            Kind::Near { in_order: true, .. } => "<W>",
            Kind::Near { .. } => "<N>",
            Kind::Open => "\"(\"",
            Kind::Close => "\")\"",
            Kind::Comma => "\",\"",
            Kind::Colon => "\":\"",
            Kind::Caret => "\"^\"",
            Kind::Number => "<NUMBER>",
            Kind::Quoted => "<QUOTED>",
            Kind::QuotedPrefix => "<TRUNCQUOTED>",
            Kind::Prefix => "<SUFFIXTERM>",
            Kind::Truncated => "<TRUNCTERM>",
            Kind::Word => "<TERM>",
            Kind::End | Kind::Bad => "<EOF>",
        }
    }
}

/// All tokens, an end last.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let start = at + rest.len() - rest.trim_start_matches(BLANKS).len();
        // Behind a caret stands a number; anywhere else digits are a word.
        let weighs = tokens.last().is_some_and(|token| token.kind == Kind::Caret);
        let token = token(text.get(start..).unwrap_or_default(), start, weighs);
        let ended = matches!(token.kind, Kind::End | Kind::Bad);
        at = token.end;
        tokens.push(token);
        if ended {
            return tokens;
        }
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

fn token(rest: &str, start: usize, weighs: bool) -> Token<'_> {
    let of = |kind, from: usize, to: usize, length: usize| {
        let text = rest.get(from..to).unwrap_or_default();
        Token { kind, text, start, end: start + length }
    };
    if weighs {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        return of(if digits > 0 { Kind::Number } else { Kind::Bad }, 0, digits, digits);
    }
    let mark = match rest.chars().next() {
        None => return of(Kind::End, 0, 0, 0),
        Some('(') => Kind::Open,
        Some(')') => Kind::Close,
        Some(',') => Kind::Comma,
        Some(':') => Kind::Colon,
        Some('^') => Kind::Caret,
        Some('"') => {
            let Some(closing) = closing(rest) else { return of(Kind::Bad, 0, 0, 0) };
            let is_prefix = rest.get(closing + 1..).is_some_and(|behind| behind.starts_with('*'));
            let kind = if is_prefix { Kind::QuotedPrefix } else { Kind::Quoted };
            return of(kind, 1, closing, closing + 1 + usize::from(is_prefix));
        }
        Some(_) => return word(rest, start),
    };
    of(mark, 0, 1, 1)
}

/// Where the quote ends that `rest` begins with; none that is empty.
fn closing(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return (at > 1).then_some(at),
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    None
}

fn word(rest: &str, start: usize) -> Token<'_> {
    let ends = |c: char| BLANKS.contains(&c) || matches!(c, ',' | '(' | ')' | ':' | '^' | '"');
    let length = rest.find(ends).unwrap_or(rest.len());
    let text = rest.get(..length).unwrap_or(rest);
    let (kind, text) = match text.find(['*', '?']) {
        Some(0) => (Kind::Bad, ""),
        Some(first) if first + 1 == length && text.ends_with('*') => {
            (Kind::Prefix, text.get(..first).unwrap_or(text))
        }
        Some(_) => (Kind::Truncated, text),
        None => (operator(text).unwrap_or(Kind::Word), text),
    };
    Token { kind, text, start, end: start + length }
}

/// `or`, `and`, `not`, and `w` and `n` behind a number from 2 to 99.
fn operator(word: &str) -> Option<Kind> {
    match word.to_ascii_lowercase().as_str() {
        "or" => return Some(Kind::Or),
        "and" => return Some(Kind::And),
        "not" => return Some(Kind::Not),
        _ => {}
    }
    let number = word.strip_suffix(['w', 'W', 'n', 'N'])?;
    let distance = match number {
        "" => 1,
        // The grammar has one or two digits and no 1: `1w` is a word, `w` alone means 1.
        number => number.parse().ok().filter(|it| (2..=99).contains(it) && !number.starts_with('0'))?,
    };
    Some(Kind::Near { distance, in_order: word.ends_with(['w', 'W']) })
}
