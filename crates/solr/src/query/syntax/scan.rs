//! How far each kind of token reaches: lengths in bytes from the start of the rest of the text. The character
//! classes are those of Solr's query grammar. Pure scanning; what the pieces mean is `token.rs`' and
//! `parse.rs`' business.

/// Solr's whitespace: the four of ASCII and the ideographic space.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{3000}')
}

/// Whether a term may start with `c` unescaped.
fn starts_term(c: char) -> bool {
    !is_space(c) && !"+-!():^[]\"{}~*?\\/".contains(c)
}

/// Whether a term may go on with `c` unescaped.
fn continues_term(c: char) -> bool {
    starts_term(c) || matches!(c, '-' | '+' | '/' | '!')
}

pub(crate) struct Word {
    pub length: usize,
    /// Unescaped `*` and `?`.
    pub wildcards: usize,
    pub ends_with_star: bool,
}

/// A term, perhaps with wildcards.
pub(crate) fn word(rest: &str) -> Word {
    let mut word = Word { length: 0, wildcards: 0, ends_with_star: false };
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        let wild = matches!(c, '*' | '?');
        let escaped = if c == '\\' { chars.next() } else { None };
        let fits = if at == 0 { starts_term(c) } else { continues_term(c) };
        if !fits && !wild && escaped.is_none() {
            break;
        }
        word.wildcards += usize::from(wild);
        word.ends_with_star = c == '*';
        let (last_at, last) = escaped.unwrap_or((at, c));
        word.length = last_at + last.len_utf8();
    }
    word
}

/// Digits, perhaps with a point and digits behind it.
pub(crate) fn number(rest: &str) -> usize {
    let whole = digits(rest);
    let fraction = match rest.get(whole..).and_then(|rest| rest.strip_prefix('.')) {
        Some(behind) if whole > 0 => digits(behind),
        _ => 0,
    };
    if fraction > 0 { whole + 1 + fraction } else { whole }
}

fn digits(rest: &str) -> usize {
    rest.bytes().take_while(u8::is_ascii_digit).count()
}

/// `"…"` with `\` escaping any character; `None` when it does not end.
pub(crate) fn quoted(rest: &str) -> Option<usize> {
    quoted_by(rest, '"')
}

fn quoted_by(rest: &str, quote: char) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()?),
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The quoted bound of a range: at least one character, `\"` does not end it.
pub(crate) fn range_quoted(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('"')?;
    let mut before = ' ';
    for (at, c) in body.char_indices() {
        // `""` is no bound of a range in Solr's grammar, which wants a character.
        if c == '"' && before != '\\' && at > 0 {
            return Some(at + 2);
        }
        before = c;
    }
    None
}

/// `/…/`; a slash behind a backslash ends it only when no other does.
pub(crate) fn regex(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('/')?;
    // `//` and `/*` are no regular expressions: the latter opens a comment.
    if body.starts_with(['*', '/']) {
        return None;
    }
    let (mut end, mut before) = (None, ' ');
    for (at, c) in body.char_indices() {
        if c == '/' {
            end = Some(at + 2);
            // Not at once: if no other slash follows, this one ends it after all, as Solr's longest match has
            // it.
            if before != '\\' {
                break;
            }
        }
        before = c;
    }
    end
}

/// `/* … */`, nested, to the end of the text when it stays open.
pub(crate) fn comment(rest: &str) -> usize {
    let (mut depth, mut at, bytes) = (0usize, 0, rest.as_bytes());
    while let Some(pair) = bytes.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// `{!…}` and the text behind it; `None` when the braces do not close.
pub(crate) fn local_params(rest: &str) -> Option<usize> {
    let mut at = local_params_block(rest, 0)?;
    while rest.get(at..).unwrap_or_default().starts_with("{!") {
        match local_params_block(rest, at) {
            Some(end) => at = end,
            None => break,
        }
    }
    let tail = rest.get(at..).unwrap_or_default();
    // Within a query the text behind the braces is one word, however long it is at the top.
    let length = tail.find([')', ' ', '\t', '\n', '{', '^']).unwrap_or(tail.len());
    Some(at + length)
}

/// The end of the block at `start`: the first `}` that no quoted value holds.
fn local_params_block(rest: &str, start: usize) -> Option<usize> {
    let mut at = start + 2;
    loop {
        let tail = rest.get(at..)?;
        match tail.find(['=', '}']) {
            Some(found) if tail.as_bytes().get(found) == Some(&b'}') => return Some(at + found + 1),
            Some(found) => at += found + 1,
            None => return None,
        }
        let value = rest.get(at..)?;
        if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\''))
            && let Some(length) = quoted_by(value, quote)
        {
            at += length;
        }
    }
}
