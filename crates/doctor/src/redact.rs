//! Takes secrets out of text that leaves the machine: what stands behind names of secrets, logins in URLs,
//! bearer tokens. Errs on the side of taking out too much; what a secret looks like without a name nobody can
//! know.

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
/// Of an authorization, with the blank before the value.
const SCHEMES: [&str; 2] = ["bearer ", "basic "];
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

/// From left to right, each name looked for once and from where it was left: a log is handed in by whoever
/// writes it, and a line of megabytes full of names must take no stack and no quadratic time.
fn redact_line(line: &str) -> String {
    let line = without_logins(line);
    // Lower-casing may change lengths of other scripts; names of secrets are ASCII.
    let lower = line.to_ascii_lowercase();
    let mut names: Vec<SecretName<'_>> =
        SECRETS.iter().chain(&SCHEMES).map(|name| SecretName::new(name)).collect();
    let (mut out, mut at, mut searched) = (String::with_capacity(line.len()), 0, 0);
    while let Some((found, name)) = names.iter_mut().filter_map(|name| name.next_from(&lower, searched)).min()
    {
        // A scheme has its value right behind it; a name may go on.
        let name_end = found + name.len();
        let behind = line.get(name_end..).unwrap_or_default();
        let kept = if name.ends_with(' ') { 0 } else { behind_separator(behind) };
        let value = name_end + kept;
        let end = value + value_end(line.get(value..).unwrap_or_default());
        out.push_str(line.get(at..value).unwrap_or_default());
        let text = line.get(value.max(at)..end).unwrap_or_default();
        out.push_str(if text.trim().is_empty() { text } else { MARK });
        at = at.max(end);
        // What was taken for a value may be the next name: `token password: x`.
        searched = value;
    }
    out.push_str(line.get(at..).unwrap_or_default());
    out
}

/// A name and where it stands next.
struct SecretName<'n> {
    name: &'n str,
    next: Option<usize>,
    searched: bool,
}

impl<'n> SecretName<'n> {
    fn new(name: &'n str) -> Self {
        Self { name, next: None, searched: false }
    }

    fn next_from(&mut self, lower: &str, at: usize) -> Option<(usize, &'n str)> {
        if !self.searched || self.next.is_some_and(|next| next < at) {
            self.next = lower.get(at..).and_then(|rest| rest.find(self.name)).map(|found| at + found);
            self.searched = true;
        }
        Some((self.next?, self.name))
    }
}

/// How long the rest of the name is, with what stands between a name and its value: `=`, `:`, quotes, blanks.
fn behind_separator(text: &str) -> usize {
    let name = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c))).unwrap_or(text.len());
    let after = text.get(name..).unwrap_or_default();
    name + after.find(|c: char| !" \t=:'\"".contains(c)).unwrap_or(after.len())
}

/// A value ends at a blank, a quote, or what parts parameters and members; the scheme of an authorization
/// belongs to it.
fn value_end(text: &str) -> usize {
    let begins =
        |scheme: &&&str| text.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    let scheme = SCHEMES.iter().find(begins).map_or(0, |scheme| scheme.len());
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
            ("pwd password: x", "pwd [redacted] [redacted]"),
            ("the password", "the password"),
            ("nothing here", "nothing here"),
        ] {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_full_of_names_is_read_once() {
        // 8 MB, as much as is taken of a log: each name a step, none a call deeper.
        let line = "token=abc;".repeat(800_000);
        assert_eq!(redact(&line), "token=[redacted];".repeat(800_000));
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
