//! A place in the text of a function: identifiers, numbers, quoted texts and plain arguments, cut as Solr
//! cuts them, with its messages. Positions in messages are UTF-16 units, as Java counts. In: the text; out:
//! words and numbers, or Solr's syntax error with the position. What a word means is `parse.rs`' and each
//! function's.

use plan::{Error, RootCause, Value};

use super::failure::Failure;
use crate::query::java_float;
use crate::query::syntax::SyntaxError;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Bytes read so far.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.text.len());
    }

    /// The next character that is no space, which stays.
    pub(super) fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    /// Takes `wanted` if it comes next.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: char) -> Result<(), SyntaxError> {
        if self.take(wanted) {
            return Ok(());
        }
        let message = format!("Expected '{wanted}' at position {} in '{}'", self.position(), self.text);
        Err(SyntaxError::plain(message))
    }

    /// Where the cursor stands, for messages.
    pub(super) fn position(&self) -> usize {
        self.text.get(..self.at).unwrap_or(self.text).encode_utf16().count()
    }

    /// Whether arguments go on.
    pub(super) fn has_more(&mut self) -> bool {
        !matches!(self.peek(), None | Some(')'))
    }

    /// Between two arguments: a comma, unless the list ends.
    pub(super) fn delimiter(&mut self) -> Result<(), SyntaxError> {
        if self.has_more() { self.expect(',') } else { Ok(()) }
    }

    pub(super) fn identifier(&mut self) -> Result<&'a str, SyntaxError> {
        self.peek();
        let rest = self.rest();
        let starts = |c: char| c.is_alphabetic() || c == '_';
        if !rest.starts_with(starts) {
            let message = format!("Expected identifier at pos {} str='{}'", self.position(), self.text);
            return Err(SyntaxError::plain(message));
        }
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
        let word = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or(rest);
        self.at += word.len();
        Ok(word)
    }

    /// A whole number, or with a point or an exponent one in double precision. Solr differs: what is neither
    /// is an error 500 there; here whatever cannot be read is the client's
    /// (`compat/query/function_syntax.yaml`).
    pub(super) fn number(&mut self) -> Result<Value, Failure> {
        self.peek();
        let rest = self.rest();
        let part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let word = rest.get(..rest.find(|c| !part(c)).unwrap_or(rest.len())).unwrap_or(rest);
        self.at += word.len();
        // By how it is written, as in Solr: `1` is a long and `1.0` a double, which decides whether a
        // division is whole.
        let real = word.contains(['.', 'e', 'E']);
        let number =
            if real { java_float(word).map(Value::Double) } else { word.parse().ok().map(Value::Long) };
        number.ok_or_else(|| not_a_number(word).into())
    }

    /// A text in quotes, which come next.
    pub(super) fn quoted(&mut self) -> Result<String, SyntaxError> {
        self.peek();
        let start = self.position();
        let rest = self.rest();
        let mut chars = rest.char_indices();
        let delimiter = chars.next().map(|(_, quote)| quote);
        let mut value = String::new();
        while let Some((offset, c)) = chars.next() {
            if Some(c) == delimiter {
                self.at += offset + c.len_utf8();
                return Ok(value);
            }
            value.push(if c == '\\' { escaped(&mut chars).unwrap_or('\\') } else { c });
        }
        let message = format!("Missing end quote for string at pos {start} str='{}'", self.text);
        Err(SyntaxError::plain(message))
    }

    /// Up to the next comma, parenthesis or space.
    pub(super) fn word(&mut self) -> Result<&'a str, SyntaxError> {
        let rest = self.rest();
        let Some(end) = rest.find(|c: char| c == ')' || c == ',' || c.is_whitespace()) else {
            let start = self.position();
            let message = format!("Missing end to unquoted value starting at {start} str='{}'", self.text);
            return Err(SyntaxError::plain(message));
        };
        self.at += end;
        Ok(rest.get(..end).unwrap_or(rest))
    }

    /// As Solr shows a place in messages.
    pub(super) fn shown(&self) -> String {
        format!("'{}', pos={}", self.text, self.position())
    }
}

/// What stands behind a backslash.
fn escaped(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let (_, c) = chars.next()?;
    Some(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let digits: String = chars.by_ref().take(4).map(|(_, digit)| digit).collect();
            let code = u32::from_str_radix(&digits, 16).ok();
            code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        other => other,
    })
}

pub(super) fn not_a_number(text: &str) -> Error {
    Error::bad_request(format!("For input string: \"{text}\"")).with_root(RootCause::NumberFormat)
}
