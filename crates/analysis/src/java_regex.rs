//! Regular expressions in Java's syntax, run by `fancy-regex`: look-around, back references, atomic groups
//! and possessive quantifiers work. Rewritten here: Java's POSIX and Unicode class names, intersections are
//! shared syntax. Refused when built: `\G` and `\X`-style grapheme classes. A search that needs more
//! backtracking steps than fancy-regex allows counts as no match.

use std::sync::Arc;

use fancy_regex::{Captures, Regex, RegexBuilder};

/// A compiled expression, cheap to clone.
#[derive(Clone, Debug)]
pub struct JavaRegex {
    search: Arc<Regex>,
    /// The same, bound to both ends of the text.
    whole: Arc<Regex>,
}

/// Compiles a Java pattern; the error is a half sentence that follows the pattern.
pub(crate) fn compile(source: &str) -> Result<JavaRegex, String> {
    compile_with(source, &|builder| builder)
}

fn compile_with(
    source: &str,
    bounds: &dyn Fn(&mut RegexBuilder) -> &mut RegexBuilder,
) -> Result<JavaRegex, String> {
    if source.contains("\\G") || source.contains("\\X") {
        return Err("uses `\\G` or `\\X`, which is not supported; rewrite the pattern without it".to_owned());
    }
    let pattern = translate(source);
    let build = |text: &str| {
        let regex = bounds(&mut RegexBuilder::new(text)).build().map(Arc::new);
        regex.map_err(|reason| format!("is not a pattern we can compile: {reason}"))
    };
    Ok(JavaRegex { search: build(&pattern)?, whole: build(&format!("\\A(?:{pattern})\\z"))? })
}

/// The classes that Java names differently. In Java `\d`, `\w`, `\s` and `\b` without a flag are ASCII only
/// but for `\b`; here they are narrowed likewise.
const RENAMED: [(&str, &str); 20] = [
    ("\\p{Lower}", "[a-z]"),
    ("\\p{Upper}", "[A-Z]"),
    ("\\p{ASCII}", "[\\x00-\\x7f]"),
    ("\\p{Alpha}", "[A-Za-z]"),
    ("\\p{Digit}", "[0-9]"),
    ("\\p{Alnum}", "[A-Za-z0-9]"),
    ("\\p{Punct}", "[!-/:-@\\[-`{-~]"),
    ("\\p{Graph}", "[!-~]"),
    ("\\p{Print}", "[ -~]"),
    ("\\p{Blank}", "[ \\t]"),
    ("\\p{Cntrl}", "[\\x00-\\x1f\\x7f]"),
    ("\\p{XDigit}", "[0-9a-fA-F]"),
    ("\\p{Space}", "[ \\t\\n\\x0b\\f\\r]"),
    ("\\p{javaLowerCase}", "\\p{Lowercase}"),
    ("\\p{javaUpperCase}", "\\p{Uppercase}"),
    ("\\p{javaWhitespace}", "\\s"),
    ("\\p{IsAlphabetic}", "\\p{Alphabetic}"),
    ("\\p{InCombiningDiacriticalMarks}", "[\\x{300}-\\x{36f}]"),
    ("\\p{IsLatin}", "\\p{Latin}"),
    ("\\h", "[ \\t\\x{a0}\\x{1680}\\x{180e}\\x{2000}-\\x{200a}\\x{202f}\\x{205f}\\x{3000}]"),
];

fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 8);
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some((from, to)) = RENAMED.iter().find(|(from, _)| rest.starts_with(from)) {
            out.push_str(to);
            rest = rest.get(from.len()..).unwrap_or_default();
        } else if c == '\\' {
            let escaped = rest.chars().nth(1);
            rest = push_escape(&mut out, escaped, rest);
        } else {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    out
}

/// Writes one escape in fancy-regex's spelling and returns what follows it.
fn push_escape<'a>(out: &mut String, escaped: Option<char>, rest: &'a str) -> &'a str {
    let Some(c) = escaped else {
        out.push_str("\\\\");
        return "";
    };
    let after = rest.get(1 + c.len_utf8()..).unwrap_or_default();
    match c {
        'Q' => return push_quoted(out, after),
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[A-Za-z0-9_]"),
        'W' => out.push_str("[^A-Za-z0-9_]"),
        's' => out.push_str("[ \\t\\n\\x0b\\f\\r]"),
        'S' => out.push_str("[^ \\t\\n\\x0b\\f\\r]"),
        'R' => out.push_str("(?:\\r\\n|[\\n-\\r\\x{85}\\x{2028}\\x{2029}])"),
        'Z' => out.push_str("(?=\\n?\\z)"),
        'e' => out.push_str("\\x1b"),
        'u' if after.len() >= 4 && after.is_char_boundary(4) => {
            out.push_str("\\x{");
            out.push_str(&after[..4]);
            out.push('}');
            return &after[4..];
        }
        other if other.is_ascii_alphanumeric() => {
            out.push('\\');
            out.push(other);
        }
        other => out.push_str(&fancy_regex::escape(other.encode_utf8(&mut [0; 4]))),
    }
    after
}

/// `\Q…\E` quotes everything between.
fn push_quoted<'a>(out: &mut String, after: &'a str) -> &'a str {
    let (quoted, rest) = after.split_once("\\E").unwrap_or((after, ""));
    out.push_str(&fancy_regex::escape(quoted));
    rest
}

impl JavaRegex {
    /// Compiles an expression that a request brings: a search takes no more than this many steps back. The
    /// error says what is wrong with it.
    pub fn within_steps(source: &str, steps_max: usize) -> Result<Self, String> {
        compile_with(source, &|builder| builder.backtrack_limit(steps_max))
    }

    /// Where the first match from byte `from` on begins and ends.
    pub fn find_at(&self, text: &str, from: usize) -> Option<std::ops::Range<usize>> {
        let found = self.find(text, from)?.get(0)?;
        Some(found.start()..found.end())
    }

    /// Whether some part of the text matches; `None` when the steps back do not suffice to tell.
    pub fn is_found(&self, text: &str) -> Option<bool> {
        self.search.is_match(text).ok()
    }

    /// Whether the whole text matches, as Java's `matches`.
    pub fn matches(&self, text: &str) -> bool {
        self.whole.is_match(text).unwrap_or(false)
    }

    /// The first match at or after a byte offset.
    pub(crate) fn find<'t>(&self, text: &'t str, from: usize) -> Option<Captures<'t>> {
        self.search.captures_from_pos(text, from).ok().flatten()
    }

    /// How many groups there are, the whole match included.
    pub(crate) fn groups(&self) -> usize {
        self.search.captures_len()
    }

    /// The text with all matches replaced, as Java's `replaceAll`.
    pub fn replace_all(&self, text: &str, replacement: &Replacement) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        self.each(text, |captures| {
            if let Some(all) = captures.get(0) {
                out.push_str(text.get(copied..all.start()).unwrap_or_default());
                replacement.expand(captures, &mut out);
                copied = all.end();
            }
        });
        out.push_str(text.get(copied..).unwrap_or_default());
        out
    }

    /// All matches from left to right, empty ones included, as Java's `find` in a loop gives them.
    pub(crate) fn each<'t>(&self, text: &'t str, mut on_match: impl FnMut(&Captures<'t>)) {
        let mut from = 0;
        while from <= text.len() {
            let Some(captures) = self.find(text, from) else { return };
            let Some(all) = captures.get(0) else { return };
            from = if all.end() > all.start() { all.end() } else { next_boundary(text, all.end()) };
            on_match(&captures);
        }
    }
}

/// The character boundary after a byte offset; past the end for the end itself.
fn next_boundary(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// A replacement in Java's syntax: `$1`, `${name}`, `\` guards the next character.
#[derive(Clone, Debug)]
pub struct Replacement(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Group(usize),
    Named(String),
}

impl Replacement {
    /// A replacement that stands for itself.
    pub fn literal(text: &str) -> Self {
        Replacement(vec![Part::Text(text.to_owned())])
    }

    /// Reads a replacement; the error is a half sentence.
    pub fn parse(source: &str, regex: &JavaRegex) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut chars = source.chars().peekable();
        while let Some(c) = chars.next() {
            let part = match c {
                '\\' => Part::Text(chars.next().ok_or("ends with a lone backslash")?.to_string()),
                '$' => parse_group(&mut chars, regex.groups())?,
                other => Part::Text(other.to_string()),
            };
            parts.push(part);
        }
        Ok(Replacement(parts))
    }

    /// Appends the replacement for one match.
    pub(crate) fn expand(&self, captures: &Captures<'_>, out: &mut String) {
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Group(number) => out.push_str(captures.get(*number).map_or("", |group| group.as_str())),
                Part::Named(name) => out.push_str(captures.name(name).map_or("", |group| group.as_str())),
            }
        }
    }
}

/// `$12` is group 12 if there are as many groups, else group 1 followed by `2`.
fn parse_group(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, groups: usize) -> Result<Part, String> {
    if chars.next_if_eq(&'{').is_some() {
        let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
        return Ok(Part::Named(name));
    }
    let mut number =
        chars.next().and_then(|c| c.to_digit(10)).ok_or("has a `$` without a group number")? as usize;
    if number >= groups {
        return Err(format!("names the group {number}, which the pattern does not have"));
    }
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        let longer = number * 10 + digit as usize;
        if longer >= groups {
            break;
        }
        number = longer;
        chars.next();
    }
    Ok(Part::Group(number))
}
