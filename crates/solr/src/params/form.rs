//! URL-encoded parameters, from a query string or a form body: UTF-8 text in `%XX`, `+` for a space. Anything
//! else is a bad request, in Solr's words. In: bytes; out: pairs. Both the query string and the form body go
//! through it, so that a name means the same in either.

use plan::{Error, Result};

use super::Params;

/// Reads `a=1&b=2`. A name without `=` has the empty value; empty pieces are skipped.
pub fn parse_form(encoded: &[u8]) -> Result<Params> {
    let mut params = Params::default();
    let mut at = 0;
    for piece in encoded.split(|byte| *byte == b'&') {
        let mut halves = piece.splitn(2, |byte| *byte == b'=');
        let (name, value) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
        if !piece.is_empty() {
            params.push(decode(name, at)?, decode(value, at + name.len() + 1)?);
        }
        at += piece.len() + 1;
    }
    Ok(params)
}

/// `at` is where `text` stands in the whole, for messages.
fn decode(text: &[u8], at: usize) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => digit(rest.next())? << 4 | digit(rest.next())?,
            plain => *plain,
        });
    }
    String::from_utf8(bytes).map_err(|_| {
        Error::bad_request(format!(
            "URLDecoder: Invalid character encoding detected after position {at} of query string / form data (while parsing as UTF-8)"
        ))
    })
}

fn digit(byte: Option<&u8>) -> Result<u8> {
    let Some(byte) = byte else {
        return Err(Error::bad_request("URLDecoder: Incomplete trailing escape (%) pattern"));
    };
    let shown = char::from(*byte);
    let value = shown.to_digit(16).and_then(|value| u8::try_from(value).ok());
    value.ok_or_else(|| {
        Error::bad_request(format!("URLDecoder: Invalid digit ({shown}) in escape (%) pattern"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_decoded() {
        let check = |encoded: &str, expected: &[(&str, &str)]| {
            let params = parse_form(encoded.as_bytes()).unwrap();
            let pairs: Vec<_> =
                params.pairs().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(pairs, expected, "{encoded}");
        };
        check("q=a+b%3Ac&fq=%C3%A9", &[("q", "a b:c"), ("fq", "é")]);
        check("a=1=2&&b", &[("a", "1=2"), ("b", "")]);
        check("", &[]);
        check("q=é", &[("q", "é")]);
    }

    #[test]
    fn broken_escapes_are_refused() {
        let check = |encoded: &[u8], part: &str| {
            let error = parse_form(encoded).unwrap_err();
            assert!(error.message.contains(part), "{error}");
        };
        check(b"q=%", "Incomplete trailing escape");
        check(b"q=%a", "Incomplete trailing escape");
        check(b"q=%zz", "Invalid digit (z)");
        check(b"x=1&q=%ff", "after position 6");
    }
}
