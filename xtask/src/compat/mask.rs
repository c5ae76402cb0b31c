//! What in an answer is compared less than exactly, and how: `compat/masks.yaml` for every step, `mask:` for
//! one.
//!
//! A mask is a path pattern and a kind. Paths begin at `status`, `type` or `body` and are parted by `/`; `*`
//! stands for one part, `**` for any number. Owns matching and the kinds; `compare` applies them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// How loosely a part is compared.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Not at all; the part may even be absent.
    Any,
    /// Any value of the same JSON type: a number for a number. Blanked in recordings.
    Volatile,
    /// The same JSON type, and for arrays and objects nothing said about what they hold. Kept in recordings.
    Shape,
    /// Text whose first line is the same: the rest lists a parser's expectations.
    FirstLine,
    /// Text whose numbers agree to 1e-5 and whose other characters are the same: score explanations.
    Prose,
    /// Text that may list alternatives as `(a | b)`: then the same words in any order, since Solr lists them
    /// in the order of a Java hash table; otherwise exactly the same.
    Clauses,
    /// An array with the same members in any order.
    Unordered,
    /// Objects: what Solr has must be there; more is welcome.
    Subset,
}

/// The masks of every step.
pub struct Masks {
    rules: Vec<(String, Kind)>,
}

/// The masks of one step; its own come first, and the first that matches a path counts.
pub struct Rules {
    rules: Vec<(String, Kind)>,
}

impl Masks {
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let rules: BTreeMap<String, Kind> = serde_norway::from_str(&text)
            .with_context(|| format!("cannot understand `{}`", path.display()))?;
        Ok(Self { rules: rules.into_iter().collect() })
    }

    /// The rules of one step: its own come first, and the first that covers a path decides.
    pub fn with_own(&self, own: &BTreeMap<String, Kind>) -> Rules {
        let own = own.iter().map(|(pattern, kind)| (pattern.clone(), *kind));
        Rules { rules: own.chain(self.rules.iter().cloned()).collect() }
    }
}

impl Rules {
    #[cfg(test)]
    pub fn of(rules: &[(&str, Kind)]) -> Self {
        Self { rules: rules.iter().map(|(pattern, kind)| ((*pattern).to_owned(), *kind)).collect() }
    }

    pub fn kind(&self, path: &str) -> Option<Kind> {
        self.rules.iter().find(|(pattern, _)| matches(pattern, path)).map(|(_, kind)| *kind)
    }

    /// Replaces volatile parts by an empty value of their type, and the times in texts.
    pub fn blank(&self, whole: &mut Value) {
        self.blank_at("", whole);
    }

    fn blank_at(&self, path: &str, value: &mut Value) {
        if matches!(self.kind(path), Some(Kind::Volatile | Kind::Any)) {
            *value = empty(value);
            return;
        }
        match value {
            Value::Object(map) => {
                map.iter_mut().for_each(|(key, value)| self.blank_at(&join(path, key), value));
            }
            Value::Array(list) => {
                let items = list.iter_mut().enumerate();
                items.for_each(|(at, value)| self.blank_at(&join(path, &at.to_string()), value));
            }
            Value::String(text) => *text = timeless(text),
            _ => {}
        }
    }
}

pub fn join(path: &str, part: &str) -> String {
    if path.is_empty() { part.to_owned() } else { format!("{path}/{part}") }
}

fn empty(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => Value::Bool(false),
        Value::Number(_) => Value::from(0),
        Value::String(_) => Value::from(""),
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Object(serde_json::Map::new()),
    }
}

/// Text answers (XML, or JSON kept as text) with the digits of QTime and `_version_` replaced by one zero.
pub fn timeless(text: &str) -> String {
    const MARKS: [&str; 4] = ["name=\"QTime\">", "name=\"_version_\">", "\"QTime\":", "\"_version_\":"];
    let mut out = text.to_owned();
    for mark in MARKS {
        let mut from = 0;
        while let Some(at) = out.get(from..).and_then(|rest| rest.find(mark)) {
            let start = from + at + mark.len();
            let digits = out[start..].bytes().take_while(u8::is_ascii_digit).count();
            out.replace_range(start..start + digits, "0");
            from = start + 1;
        }
    }
    out
}

/// Whether a pattern such as `body/**/_version_` covers a path.
pub fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    parts_match(&pattern, &path)
}

fn parts_match(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skipped| parts_match(rest, &path[skipped..])),
        (Some((&part, rest)), Some((&first, others))) => {
            (part == "*" || part == first) && parts_match(rest, others)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let check =
            |pattern, path, expected| assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        check("body/responseHeader/QTime", "body/responseHeader/QTime", true);
        check("body/response/docs/*/score", "body/response/docs/3/score", true);
        check("body/**/_version_", "body/response/docs/0/_version_", true);
        check("body/**/_version_", "body/_version_", true);
        check("body/*", "body/a/b", false);
        check("**", "status", true);
    }

    #[test]
    fn times_in_texts_are_blanked() {
        let xml = r#"<int name="QTime">12</int><long name="_version_">188</long>"#;
        assert_eq!(timeless(xml), r#"<int name="QTime">0</int><long name="_version_">0</long>"#);
        assert_eq!(timeless(r#"{"QTime":3,"x":3}"#), r#"{"QTime":0,"x":3}"#);
    }
}
