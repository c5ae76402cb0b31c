//! Local parameters, `{!type k=v k='v' k=$param}rest`: cut off the front of a query, read into pairs, with
//! `$` looked up in the request. What a parser does with them is its own business. Positions in messages are
//! those of Solr's parser. Which parsers read local parameters at all is `parsers.rs`': to `dismax` braces
//! are text.

use crate::params::Params;

use super::syntax::SyntaxError;

/// Pairs in order; a name may repeat. The word without `=` is the pair `type`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalParams {
    pairs: Vec<(String, String)>,
}

impl LocalParams {
    pub(crate) const NONE: Self = Self { pairs: Vec::new() };

    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Values of `name` cut at commas, as `tag` and `ex` hold them.
    pub fn list(&self, name: &str) -> Vec<String> {
        let parts = self.all(name).flat_map(|value| value.split(','));
        parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// As Solr shows parameters in messages: `a=1&b=2`.
    pub(crate) fn shown(&self) -> String {
        let pairs: Vec<_> = self.pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("&")
    }

    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

/// Splits `text` into its local parameters and the rest; without `{!` there are none.
pub fn split_local_params<'a>(text: &'a str, params: &Params) -> Result<(LocalParams, &'a str), SyntaxError> {
    if !text.starts_with("{!") {
        return Ok((LocalParams::default(), text));
    }
    let mut reader = LocalParamsReader { text, at: 2 };
    let mut local = LocalParams::default();
    loop {
        // Anything may stand behind the brace, even nothing: `{!term f=id}` asks for the empty text.
        if reader.peek() == Some('}') {
            return Ok((local, text.get(reader.at + 1..).unwrap_or_default()));
        }
        let name = reader.name()?;
        if reader.peek() != Some('=') {
            // `{!dismax}` is short for `{!type=dismax}`.
            local.pairs.push(("type".to_owned(), name));
            continue;
        }
        reader.at += 1;
        let dereference = reader.peek() == Some('$');
        reader.at += usize::from(dereference);
        let value = reader.value()?;
        if dereference {
            // A parameter that was not sent leaves no pair at all, and the default holds; one that was sent
            // twice leaves two.
            local.pairs.extend(params.all_by_name(&value).map(|found| (name.clone(), found.to_owned())));
        } else {
            local.pairs.push((name, value));
        }
    }
}

struct LocalParamsReader<'a> {
    text: &'a str,
    at: usize,
}

impl LocalParamsReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next character that is no space, which stays.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let (skipped, first) = (rest.len() - trimmed.len(), trimmed.chars().next());
        self.at += skipped;
        first
    }

    fn name(&mut self) -> Result<String, SyntaxError> {
        self.peek();
        let rest = self.rest();
        let starts = |c: char| c.is_alphabetic() || c == '_' || c == '$';
        let end = rest.find(|c: char| !(starts(c) || c.is_numeric() || c == '.')).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default().to_owned();
        if !name.starts_with(starts) {
            return Err(self.error(&format!("Expected identifier at pos {}", self.at)));
        }
        self.at += end;
        Ok(name)
    }

    fn value(&mut self) -> Result<String, SyntaxError> {
        if let Some(quote) = self.peek().filter(|c| matches!(c, '"' | '\'')) {
            return self.quoted(quote);
        }
        let rest = self.rest();
        let Some(end) = rest.find(|c: char| c == '}' || c.is_whitespace()) else {
            return Err(self.error(&format!("Missing end to unquoted value starting at {}", self.at)));
        };
        let value = rest.get(..end).unwrap_or_default().to_owned();
        self.at += end;
        Ok(value)
    }

    fn quoted(&mut self, quote: char) -> Result<String, SyntaxError> {
        let start = self.at;
        let mut chars = self.rest().char_indices().skip(1);
        let mut value = String::new();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at = start + offset + 1;
                return Ok(value);
            }
            let plain = if c == '\\' { chars.next().map_or('\\', |(_, next)| control(next)) } else { c };
            value.push(plain);
        }
        Err(self.error(&format!("Missing end quote for string at pos {start}")))
    }

    fn error(&self, what: &str) -> SyntaxError {
        SyntaxError::plain(format!("{what} str='{}'", self.text))
    }
}

/// What `\c` stands for in a quoted value.
fn control(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_params_come_off_the_front() {
        let mut params = Params::default();
        params.push("p", "one");
        params.push("p", "two");
        let check = |text: &str, expected: &[(&str, &str)], rest: &str| {
            let (local, found) = split_local_params(text, &params).unwrap();
            let pairs: Vec<_> =
                local.pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            assert_eq!((pairs.as_slice(), found), (expected, rest), "{text}");
        };
        check("plain", &[], "plain");
        check("{!term f=a_s}x y", &[("type", "term"), ("f", "a_s")], "x y");
        check("{!  lucene   df=a  }  x", &[("type", "lucene"), ("df", "a")], "  x");
        check("{!v='it\\'s' w=\"}\"}", &[("v", "it's"), ("w", "}")], "");
        check("{!must=$p}", &[("must", "one"), ("must", "two")], "");
        check("{!v=$nope}x", &[], "x");
        check("{!v=}", &[("v", "")], "");
        check("{!}x", &[], "x");
    }

    #[test]
    fn errors_say_where() {
        let check = |text: &str, expected: &str| {
            let error = split_local_params(text, &Params::default()).unwrap_err();
            assert_eq!(error.message(), format!("{expected} str='{text}'"));
        };
        check("{!lucene", "Expected identifier at pos 8");
        check("{!=x}", "Expected identifier at pos 2");
        check("{!a-b=c}x", "Expected identifier at pos 3");
        check("{!key=x", "Missing end to unquoted value starting at 6");
        check("{!v='x", "Missing end quote for string at pos 4");
    }
}
