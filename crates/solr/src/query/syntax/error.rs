//! Syntax errors in the words of Solr's parser: what was met, where, what would have fitted. Clients show
//! these messages and tests compare their beginnings. Columns are UTF-16 units, as Java counts. In: the
//! query, a token of `token.rs`, and what `parse.rs` would have taken; out: `plan::Error` with status 400.
//! Errors that know a field or a type are not of the syntax and stand with their parsers.

use plan::{Error, RootCause};

use super::token::{Kind, Token};

/// A query that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct SyntaxError {
    message: String,
}

impl SyntaxError {
    /// A message of its own, not about a place in the text.
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// `token` does not fit here; `expected` are the names of what would.
    pub(crate) fn unexpected(query: &str, token: Token<'_>, expected: &[&str]) -> Self {
        // JavaCC tells lexical errors from those of the grammar, and clients match on either text.
        if token.kind == Kind::Bad {
            return Self::lexical(query, token.at);
        }
        let met = match token.kind {
            Kind::End => "<EOF>".to_owned(),
            Kind::Caret => format!(" {} \"^ \"", Kind::Caret.image()),
            kind => format!(" {} \"{} \"", kind.image(), escaped(token.text)),
        };
        let choices = match expected {
            [one] => format!("Was expecting:\n    {one} ...\n    "),
            many => many.iter().fold("Was expecting one of:\n    ".to_owned(), |mut list, name| {
                list.push_str(name);
                list.push_str(if *name == "<EOF>" { " \n    " } else { " ...\n    " });
                list
            }),
        };
        let column = column(query, token.at);
        Self::parsing(query, &format!("Encountered \"{met}\" at line 1, column {column}.\n{choices}"))
    }

    fn lexical(query: &str, at: usize) -> Self {
        let rest = query.get(at..).unwrap_or_default();
        let boost = query.get(..at).is_some_and(|before| before.ends_with(['^', '=']));
        let state = if boost { "" } else { " (in lexical state 3)" };
        let mut chars = rest.chars();
        let (first, more) = (chars.next().unwrap_or_default(), chars.next().is_some());
        let runs_on = !boost && matches!(first, '"' | '/') && !rest.starts_with("//");
        if !more || runs_on {
            let prefix = if more { format!(" after prefix \"{}\"", escaped(rest)) } else { String::new() };
            let column = column(query, query.len()) + 1;
            let message =
                format!("Lexical error at line 1, column {column}.  Encountered: <EOF>{prefix}{state}");
            return Self::parsing(query, &message);
        }
        let (prefix, offset) = if rest.starts_with("//") { (" after prefix \"/\"", 1) } else { ("", 0) };
        let (column, code) = (column(query, at) + 1 + offset, first as u32);
        let message = format!(
            "Lexical error at line 1, column {column}.  Encountered: '{code}' ({code}),{prefix}{state}"
        );
        Self::parsing(query, &message)
    }

    /// Solr's frame around what its parser says.
    pub(crate) fn parsing(query: &str, message: &str) -> Self {
        Self { message: format!("Cannot parse '{query}': {message}") }
    }

    /// The message without Solr's class name.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<SyntaxError> for Error {
    fn from(error: SyntaxError) -> Self {
        let message = format!("org.apache.solr.search.SyntaxError: {}", error.message);
        Error::bad_request(message).with_root(RootCause::QuerySyntax)
    }
}

fn column(query: &str, at: usize) -> usize {
    query.get(..at).unwrap_or(query).encode_utf16().count()
}

fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            '\'' => shown.push_str("\\'"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            ' '..='~' => shown.push(c),
            other => {
                let mut units = [0; 2];
                for unit in other.encode_utf16(&mut units) {
                    shown.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    shown
}
