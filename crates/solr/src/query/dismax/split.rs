//! The text of an `edismax` query cut at spaces, outside of quotes, before any grammar: which fields are
//! named that may be, what the words of phrases are, and the two texts that are tried: as written, and with
//! all syntax escaped.

use super::user_fields::UserFields;

/// A part of the text.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Part {
    /// A field that the query may name.
    pub field: Option<String>,
    /// As written, with colons escaped unless they follow a field.
    raw: String,
    /// Without sign, field and quotes, its syntax escaped.
    pub value: String,
    /// `+` or `-`.
    pub sign: Option<char>,
    pub quoted: bool,
}

impl Part {
    fn is_word(&self, word: &str) -> bool {
        self.sign.is_none() && !self.quoted && self.value == word
    }

    /// Whether it is a word that operators and ranges are written with.
    pub(super) fn is_keyword(&self) -> bool {
        ["AND", "OR", "NOT", "TO"].iter().any(|word| self.is_word(word))
    }
}

/// What names mean where the text is cut.
pub(super) struct Names<'a> {
    pub user_fields: &'a UserFields,
    /// Whether there is a field, an alias or a nested query of this name.
    pub known: &'a dyn Fn(&str) -> bool,
}

/// The parts of `text`. Quotes that do not pair are read as any other character.
pub(super) fn split(text: &str, names: &Names<'_>) -> Vec<Part> {
    // Tried with quotes first: only at the end of the text is it known that one stays open.
    let quotes_pair = Cutter { text, at: 0, names, quotes: true };
    quotes_pair.parts().unwrap_or_else(|| {
        let plain = Cutter { text, at: 0, names, quotes: false };
        plain.parts().unwrap_or_default()
    })
}

/// The text as written, `and` and `or` between other parts as operators if `lowercase`.
pub(super) fn as_written(parts: &[Part], lowercase: bool) -> String {
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        // `and` at either end joins nothing and is a word.
        let inside = at > 0 && at + 1 < parts.len();
        text.push_str(match &part.raw {
            word if lowercase && inside && word.eq_ignore_ascii_case("and") => "AND",
            word if lowercase && inside && word.eq_ignore_ascii_case("or") => "OR",
            word => word,
        });
        text.push(' ');
    }
    text
}

/// The text with nothing but signs, fields and quotes left of its syntax. What stands before a field is left
/// out.
pub(super) fn escaped(parts: &[Part], user_fields: &UserFields) -> String {
    let mut text = String::new();
    for part in parts {
        text.extend(part.sign);
        if let Some(field) = &part.field {
            text.extend([field.as_str(), ":"]);
        }
        let quote =
            if part.quoted || ["AND", "OR", "NOT"].contains(&part.value.as_str()) { "\"" } else { "" };
        text.push_str(&format!("{quote}{}{quote}", part.value));
        if let Some(boost) = part.field.as_deref().and_then(|field| user_fields.boost(field)) {
            text.push_str(&format!("^{boost}"));
        }
        text.push(' ');
    }
    text
}

/// Whether operators are written that say more than `AND`, which switches a minimum off that comes of `q.op`.
pub(super) fn has_operators(parts: &[Part], lowercase: bool) -> bool {
    parts.iter().any(|part| {
        part.sign.is_some() || part.is_word("OR") || part.is_word("NOT") || (lowercase && part.is_word("or"))
    })
}

struct Cutter<'a> {
    text: &'a str,
    at: usize,
    names: &'a Names<'a>,
    /// Whether quotes open phrases.
    quotes: bool,
}

impl Cutter<'_> {
    /// `None` when a quote stays open.
    fn parts(mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            self.at += spaces(self.rest());
            if self.rest().is_empty() {
                return Some(parts);
            }
            let part = self.part()?;
            if part.quoted || !part.value.is_empty() {
                parts.push(part);
            }
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn part(&mut self) -> Option<Part> {
        let start = self.at;
        let mut part = Part { sign: self.sign(), ..Part::default() };
        if let Some((before, name)) = self.field() {
            self.at += before + name.len() + 1;
            part.field = Some(name);
        }
        part.quoted = self.quotes && self.rest().starts_with('"');
        if part.quoted {
            self.at += 1;
            part.value = self.phrase()?;
        } else {
            part.value = self.word();
        }
        if part.value.is_empty() && !part.quoted {
            part.value = part.sign.take().map(|sign| format!("\\{sign}")).unwrap_or_default();
        }
        part.raw = self.raw(start, &part);
        Some(part)
    }

    fn sign(&mut self) -> Option<char> {
        let sign = self.rest().chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
        // A sign at the very end stands before nothing.
        if self.rest().len() == 1 {
            return None;
        }
        self.at += 1;
        Some(sign)
    }

    /// The field that comes next, if the query may name it, and how much stands before it.
    fn field(&self) -> Option<(usize, String)> {
        let rest = self.rest();
        let named = rest.trim_start_matches(['(', '+', '-']);
        let end = named.find(|c: char| !(is_name(c) || matches!(c, '-' | '.')))?;
        let (name, behind) = named.split_at_checked(end)?;
        let begun = behind.strip_prefix(':')?.chars().next()?;
        let fits = name.starts_with(is_name) && !is_space(begun);
        // `title: x` and `http://x` are text, not fields: people type colons.
        let allowed = fits && (self.names.known)(name) && self.names.user_fields.allows(name);
        allowed.then(|| (rest.len() - named.len(), name.to_owned()))
    }

    /// Up to the closing quote.
    fn phrase(&mut self) -> Option<String> {
        let mut value = String::new();
        loop {
            match self.take()? {
                '"' => return Some(value),
                '\\' => self.escape(&mut value),
                other => value.push(other),
            }
        }
    }

    /// Up to a space, its syntax escaped.
    fn word(&mut self) -> String {
        let mut value = String::new();
        while let Some(c) = self.rest().chars().next().filter(|c| !is_space(*c)) {
            self.at += c.len_utf8();
            match c {
                '\\' => self.escape(&mut value),
                _ if "!():^[]{}~*?\"+-|&/".contains(c) => value.extend(['\\', c]),
                _ => value.push(c),
            }
        }
        value
    }

    /// A backslash with what it stands before, or before itself at the end of the text.
    fn escape(&mut self, value: &mut String) {
        value.push('\\');
        value.push(self.take().unwrap_or('\\'));
    }

    fn raw(&self, start: usize, part: &Part) -> String {
        let raw = self.text.get(start..self.at).unwrap_or_default();
        match &part.field {
            None if raw == "*:*" => raw.to_owned(),
            None => with_colons_escaped(raw),
            Some(field) => match self.names.user_fields.boost(field) {
                Some(boost) if !raw.contains('^') => format!("{raw}^{boost}"),
                _ => raw.to_owned(),
            },
        }
    }
}

/// Each colon behind a character that is no backslash; of two colons in a row that is the first.
fn with_colons_escaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut before = None;
    for c in raw.chars() {
        let escape = c == ':' && before.is_some_and(|before| before != '\\');
        if escape {
            text.push('\\');
        }
        text.push(c);
        before = if escape { None } else { Some(c) };
    }
    text
}

fn spaces(text: &str) -> usize {
    text.find(|c: char| !is_space(c)).unwrap_or(text.len())
}

/// Java's white space, which holds no space that joins words.
fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{1c}'..='\u{1f}')
        || (c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}'))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, uf: &str) -> (Vec<Part>, UserFields) {
        let user_fields = UserFields::read([uf]).unwrap();
        let known = |name: &str| ["a", "a.b", "b_s", "_query_"].contains(&name);
        let found = split(text, &Names { user_fields: &user_fields, known: &known });
        (found, user_fields)
    }

    #[test]
    fn texts_fall_into_parts() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = parts(text, "*").0.into_iter().map(|part| part.value).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("x  y\tz ", &["x", "y", "z"]);
        check("+x -y", &["x", "y"]);
        check("+ - x", &["\\+", "\\-", "x"]);
        check("x +", &["x", "\\+"]);
        check("a:x (a.b:y) c:z", &["x", "y\\)", "c\\:z"]);
        check("a: x", &["a\\:", "x"]);
        check("\"x y\" z", &["x y", "z"]);
        check("\"x y\"z", &["x y", "z"]);
        check("x\"y z\"", &["x\\\"y", "z\\\""]);
        check("\"x y", &["\\\"x", "y"]);
        check("\"\" x", &["", "x"]);
        check("x\\ y z\\", &["x\\ y", "z\\\\"]);
        check("x\u{a0}y", &["x\u{a0}y"]);
        check("_query_:x", &["_query_\\:x"]);
        check("", &[]);
    }

    #[test]
    fn two_texts_are_tried() {
        let check = |text: &str, uf: &str, written: &str, without_syntax: &str| {
            let (parts, user_fields) = parts(text, uf);
            let found = (as_written(&parts, true), escaped(&parts, &user_fields));
            assert_eq!(found, (written.to_owned(), without_syntax.to_owned()), "{text}");
        };
        check("+x and (y*)", "*", "+x AND (y*) ", "+x and \\(y\\*\\) ");
        check("and x or", "*", "and x or ", "and x or ");
        check("OR (a:x NOT c:y", "*", "OR (a:x NOT c\\:y ", "\"OR\" a:x \"NOT\" c\\:y ");
        check("a:x a:y^2", "a^3", "a:x^3 a:y^2 ", "a:x^3 a:y\\^2^3 ");
        check("c::d *:*", "*", "c\\::d *:* ", "c\\:\\:d \\*\\:\\* ");
        check("\"c:d\"", "*", "\"c\\:d\" ", "\"c:d\" ");
    }
}
