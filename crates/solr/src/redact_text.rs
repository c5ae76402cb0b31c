//! Secrets by their names, and within a text: `password=y` in local parameters or behind an `&`, and who logs
//! in by a URL (`http://user:pw@host`), also where either is escaped for a URL once more. In: a text that
//! somebody sent; out: the same with `…` in their places. A field of such a name (`password:y`) is a query
//! for what is in the index, and stays: `serve --query-log-drop q` leaves out all of it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

/// What stands for a value that is left out.
pub(crate) const LEFT_OUT: &str = "…";

/// Parts of names whose values are nobody's business.
const SECRET: [&str; 6] = ["password", "passwd", "secret", "token", "credential", "apikey"];

/// Whether values of the name are nobody's business: it has one of the words in it, in upper or lower case,
/// and with `_`, `-` and `.` anywhere. Asked of every parameter of every logged search, so nothing is copied.
pub(crate) fn is_secret(name: &str) -> bool {
    let begins = |at: usize, word: &str| {
        let mut letters = name.as_bytes()[at..].iter().filter(|byte| !matches!(byte, b'_' | b'-' | b'.'));
        word.bytes().all(|wanted| letters.next().is_some_and(|byte| byte.to_ascii_lowercase() == wanted))
    };
    // A name is short, and few begin as one of the words does.
    name.bytes().enumerate().any(|(at, byte)| match byte.to_ascii_lowercase() {
        b'p' | b's' | b't' | b'c' | b'a' => SECRET.iter().any(|word| begins(at, word)),
        _ => false,
    })
}

/// The text without what is secret in it.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    // Of most values this is all that is looked at.
    if memchr2(b'=', b'@', text.as_bytes()).is_none() && !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut secrets = logins(text);
    secrets.extend(assigned(text));
    secrets.retain(|span| !span.is_empty());
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    secrets.sort_by_key(|span| span.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for span in secrets {
        // One may lie within another: a URL in the value of a secret.
        if span.start >= from {
            kept.push_str(&text[from..span.start]);
            kept.push_str(LEFT_OUT);
        }
        from = from.max(span.end);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Values behind `=`, or its escape, whose names are those of secrets.
fn assigned(text: &str) -> Vec<Range<usize>> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    let mut found = Vec::new();
    for sign in ["=", "%3D", "%3d"] {
        for (at, _) in text.match_indices(sign) {
            let before = text[..at].trim_end();
            let name = &before[before.trim_end_matches(is_name).len()..];
            if is_secret(name) {
                let behind = &text[at + sign.len()..];
                let start = text.len() - behind.trim_start().len();
                found.push(value_at(text, start));
            }
        }
    }
    found
}

/// A value in quotes is what stands between them, however it is escaped; any other ends where local
/// parameters, a list of parameters or a call would go on.
fn value_at(text: &str, start: usize) -> Range<usize> {
    let rest = &text[start..];
    let quote = rest.trim_start_matches('\\').chars().next().filter(|char| matches!(char, '"' | '\''));
    let Some(quote) = quote else {
        let ends = |at: &usize| {
            let rest = &rest[*at..];
            rest.starts_with([' ', '\t', '\n', '&', '}', ')', ']', ',', ';', '"', '\''])
                || rest.starts_with("%26")
        };
        let end = (0..rest.len()).filter(|at| rest.is_char_boundary(*at)).find(ends).unwrap_or(rest.len());
        return start..start + end;
    };
    let open = start + rest.find(quote).unwrap_or_default() + 1;
    let mut is_escaped = false;
    let close = text[open..].char_indices().find(|(_, char)| {
        let closes = *char == quote && !is_escaped;
        is_escaped = *char == '\\' && !is_escaped;
        closes
    });
    // An opening quote that was escaped itself is closed by one that is escaped alike.
    let close = match rest.find(quote).unwrap_or_default() {
        0 => close.map(|(at, _)| at),
        escapes => text[open..].find(&rest[..=escapes]),
    };
    open..close.map_or(text.len(), |at| open + at)
}

/// Names and passwords of URLs.
fn logins(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (sign, at_sign) in [("://", "@"), ("%3A%2F%2F", "%40"), ("%3a%2f%2f", "%40")] {
        for (at, _) in text.match_indices(sign) {
            let start = at + sign.len();
            let ends = |char: char| {
                char.is_whitespace() || matches!(char, '/' | '?' | '#' | '&' | '"' | '<' | '>' | '}')
            };
            let authority = text[start..].split(ends).next().unwrap_or_default();
            found.extend(authority.rfind(at_sign).map(|at| start..start + at));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_however_they_are_spelled() {
        for name in ["password", "API_KEY", "x.auth-Token", "client.secret", "aws_credentials", "pass.wd"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["q", "", "pass", "tok", "fq", "sort", "past.words", "p", "ü"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_within_a_text_are_left_out() {
        let check = |text: &str, expected: &str| assert_eq!(without_secrets(text), expected, "{text}");
        check("{!x password=y}z", "{!x password=…}z");
        check("{!x v=$q API_key = 'a \\' b' df=t}z", "{!x v=$q API_key = '…' df=t}z");
        check(r#"{!x password="y"}z"#, r#"{!x password="…"}z"#);
        check(r#"_query_:"{!x token=\"a b\"}c""#, r#"_query_:"{!x token=\"…\"}c""#);
        check(r#"_query_:"{!x token=ab}c""#, r#"_query_:"{!x token=…}c""#);
        check("a&stream.url=http://user:pw@host/x?y", "a&stream.url=http://…@host/x?y");
        check("http://a@b.org http://c:d@e.org", "http://…@b.org http://…@e.org");
        check("http%3A%2F%2Fuser%3Apw%40host%2Fx", "http%3A%2F%2F…%40host%2Fx");
        check("a&password=x&b=1&token%3Dy%26c", "a&password=…&b=1&token%3D…%26c");
        check("password=http://u:p@h", "password=…");
        check("{!x password='open", "{!x password='…");
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "",
            "password:y",
            "{!edismax qf='a b' pf=c}x",
            "a@b.org",
            "http://host/a@b",
            "{!x password=}",
            "5%",
            "tokenizer:x = y",
            "é=ü&{!term f=né}@",
        ] {
            assert_eq!(without_secrets(text), text);
        }
    }
}
