//! Takes secrets out of text that leaves the machine: what stands behind names of secrets, logins in URLs, bearer tokens. Errs on
//! the side of taking out too much; what a secret looks like without a name nobody can know.

/// Parts of names that have secrets behind them.
const SECRETS: [&str; 11] = [
    "password",
    "passwd",
    "pwd",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "private_key",
];
/// What stands in their place.
const MARK: &str = "[redacted]";

/// Line by line; lines stay lines.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.contains("-----BEGIN") && line.contains("PRIVATE KEY") {
            out.push_str("[redacted private key]\n");
            // Up to its end, or to that of the text.
            lines.by_ref().find(|line| line.contains("-----END"));
            continue;
        }
        out.push_str(&redact_line(line));
    }
    out
}

fn redact_line(line: &str) -> String {
    let line = without_logins(line);
    // Lower-casing may change lengths of other scripts; names of secrets are ASCII.
    let lower = line.to_ascii_lowercase();
    let first = SECRETS
        .iter()
        .chain(&["bearer ", "basic "])
        .filter_map(|name| Some((lower.find(name)?, *name)))
        .min();
    let Some((at, name)) = first else { return line };
    let Some((head, tail)) = line.split_at_checked(at + name.len()) else { return line };
    // A scheme has its value right behind it; a name may go on.
    let (kept, rest) = if name.ends_with(' ') { ("", tail) } else { behind_separator(tail) };
    let end = value_end(rest);
    let Some((value, rest)) = rest.split_at_checked(end) else { return line };
    let mark = if value.trim().is_empty() { value } else { MARK };
    format!("{head}{kept}{mark}{}", redact_line(rest))
}

/// The rest of the name, and what stands between a name and its value: `=`, `:`, quotes, blanks.
fn behind_separator(text: &str) -> (&str, &str) {
    let name = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c))).unwrap_or(text.len());
    let after = text.get(name..).unwrap_or_default();
    let gap = after.find(|c: char| !" \t=:'\"".contains(c)).unwrap_or(after.len());
    text.split_at_checked(name + gap).unwrap_or((text, ""))
}

/// A value ends at a blank, a quote, or what parts parameters and members; the scheme of an authorization belongs to it.
fn value_end(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let scheme = ["bearer ", "basic "]
        .iter()
        .find(|scheme| lower.starts_with(*scheme))
        .map_or(0, |scheme| scheme.len());
    let rest = text.get(scheme..).unwrap_or_default();
    scheme + rest.find(|c: char| c.is_whitespace() || "\"'&,;}<>)".contains(c)).unwrap_or(rest.len())
}

/// `scheme://user:password@host` without the login.
fn without_logins(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((head, tail)) = rest.split_once("://") {
        let authority =
            tail.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c)).unwrap_or(tail.len());
        let login = tail.get(..authority).and_then(|authority| authority.rfind('@'));
        out.push_str(head);
        out.push_str("://");
        rest = match login {
            Some(at) => {
                out.push_str(MARK);
                tail.get(at..).unwrap_or_default()
            }
            None => tail,
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_the_rest_stays() {
        for (text, expected) in [
            ("password=hunter2 user=bob", "password=[redacted] user=bob"),
            ("--db-password hunter2 --port 1", "--db-password [redacted] --port 1"),
            ("{\"apiKey\": \"abc\", \"a\": 1}", "{\"apiKey\": \"[redacted]\", \"a\": 1}"),
            ("Authorization: Bearer abc.def\nx", "Authorization: [redacted]\nx"),
            ("curl -H 'x: bearer abc'", "curl -H 'x: bearer [redacted]'"),
            ("postgres://bob:pw@db:5432/a?x=1", "postgres://[redacted]@db:5432/a?x=1"),
            ("http://a/b@c", "http://a/b@c"),
            ("q=1&token=t&rows=2 passwd=p", "q=1&token=[redacted]&rows=2 passwd=[redacted]"),
            ("SECRET_TOKEN=x", "SECRET_TOKEN=[redacted]"),
            (
                "a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nb",
                "a\n[redacted private key]\nb",
            ),
            ("the password", "the password"),
            ("nothing here", "nothing here"),
        ] {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_secret_behind_a_name_survives(
            before in "[a-z ]{0,9}", name in "(DB_)?(password|Secret|api_key|TOKEN)", separator in "(=|: |\": \"| )",
            secret in "[A-Z0-9]{12}", after in "( [a-z]{0,9})?",
        ) {
            let text = redact(&format!("{before} {name}{separator}{secret}{after}"));
            proptest::prop_assert!(!text.contains(&secret), "{text}");
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,80}(://|password|=|@|İ){0,4}\\PC{0,20}") {
            let _ = redact(&text);
        }
    }
}
