//! URL-encoded parameters, from a query string or a form body: `%XX`, `+` for a space. They are UTF-8 unless
//! a query string says another encoding by its own key `ie`, a form by the charset of its Content-Type;
//! bytes that stand for nothing in it are a bad request, in Solr's words. In: bytes; out: pairs.

use plan::{Error, Result};

use super::Params;
use crate::charset::{Charset, unknown};

/// The key by which a query string says its encoding. It is no parameter: no handler sees it.
const INPUT_ENCODING: &[u8] = b"ie";

/// Reads a query string, `a=1&b=2`. A name without `=` has the empty value; empty pieces are skipped.
/// Errors: `BadRequest`.
pub fn parse_form(encoded: &[u8]) -> Result<Params> {
    read_pairs(encoded, input_encoding(encoded)?, true)
}

/// Reads a form that was posted, in the charset that its header names. Errors: as [`parse_form`], also where
/// the form itself says its encoding.
pub fn parse_posted_form(encoded: &[u8], charset: Option<&str>) -> Result<Params> {
    read_pairs(encoded, charset.map_or(Ok(Charset::UTF_8), named)?, false)
}

fn named(name: &str) -> Result<Charset> {
    Charset::named(name).ok_or_else(|| Error::bad_request(unknown(name).message))
}

/// The encoding that a query string names, wherever it does.
fn input_encoding(encoded: &[u8]) -> Result<Charset> {
    // Every request passes here, and next to none says it.
    let longest = "%69%65=".len();
    let mut found = None;
    for piece in encoded.split(|byte| *byte == b'&') {
        let Some(end) = piece.iter().take(longest).position(|byte| *byte == b'=') else { continue };
        let (name, value) = piece.split_at(end);
        if unescaped(name).is_ok_and(|name| name == INPUT_ENCODING) {
            if found.is_some() {
                return Err(Error::bad_request("Query string invalid: duplicate 'ie' (input encoding) key."));
            }
            let value = unescaped(value.get(1..).unwrap_or_default())?;
            found = Some(named(&String::from_utf8_lossy(&value))?);
        }
    }
    Ok(found.unwrap_or(Charset::UTF_8))
}

fn read_pairs(encoded: &[u8], charset: Charset, names_encoding: bool) -> Result<Params> {
    let mut params = Params::default();
    let mut at = 0;
    for piece in encoded.split(|byte| *byte == b'&') {
        let mut halves = piece.splitn(2, |byte| *byte == b'=');
        let (name, value) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
        if !piece.is_empty() {
            let value_at = at + name.len() + 1;
            let name = unescaped(name)?;
            match (name == INPUT_ENCODING, names_encoding) {
                (true, true) => {}
                (true, false) => return Err(Error::bad_request(NO_KEY_IN_FORMS)),
                (false, _) => {
                    params.push(text(name, charset, at)?, text(unescaped(value)?, charset, value_at)?);
                }
            }
        }
        at += piece.len() + 1;
    }
    Ok(params)
}

const NO_KEY_IN_FORMS: &str = "Key 'ie' (input encoding) cannot be used in POSTed application/x-www-form-urlencoded \
    form data. To set the input encoding of POSTed form data, use the 'Content-Type' header and provide a charset!";

fn unescaped(text: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => digit(rest.next())? << 4 | digit(rest.next())?,
            plain => *plain,
        });
    }
    Ok(bytes)
}

/// `at` is where `bytes` stood in the whole, for messages. Solr differs: what is wrong with a query string
/// is told on a page of its servlet container (`compat/update/encodings.yaml`).
fn text(bytes: Vec<u8>, charset: Charset, at: usize) -> Result<String> {
    charset.decode_strictly(bytes).ok_or_else(|| {
        Error::bad_request(format!(
            "URLDecoder: Invalid character encoding detected after position {at} of query string / form data (while parsing as {})",
            charset.name()
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
        check("q=caf%E9&ie=ISO-8859-1&x", &[("q", "café"), ("x", "")]);
        check("%69e=windows-1251&q=%EF", &[("q", "п")]);
        check("i=1&e=2&iet=3", &[("i", "1"), ("e", "2"), ("iet", "3")]);
    }

    #[test]
    fn a_form_has_the_charset_of_its_header() {
        let check = |encoded: &[u8], charset: Option<&str>, expected: &str| {
            let found = parse_posted_form(encoded, charset).map_or_else(
                |error| error.message,
                |params| params.by_name("q").unwrap_or_default().to_owned(),
            );
            assert!(found.contains(expected), "{found}");
        };
        check(b"q=caf%E9", Some("ISO-8859-1"), "café");
        check(b"q=caf\xe9", Some("latin1"), "café");
        check(b"q=caf%E9", None, "position 2 of query string / form data (while parsing as UTF-8)");
        check(b"q=%C3%A9&ie=UTF-8", None, "Key 'ie' (input encoding) cannot be used");
        check(b"q=1", Some("bogus"), "`bogus` is not supported");
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
        check(b"ie=Shift_JIS&q=%93", "(while parsing as Shift_JIS)");
        check(b"ie=utf-8&ie=utf-8", "duplicate 'ie'");
        check(b"ie=", "`` is not supported");
    }
}
