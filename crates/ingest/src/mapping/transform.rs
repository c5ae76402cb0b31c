//! What is done to a text on its way to a field, one step at a time. A step gives no value, one, or many.
//!
//! In: steps of the file, compiled once, then texts; out: texts. Types come after (`convert`). Taking the
//! markup out of HTML is here too; it has no parser and takes any text.

use std::collections::BTreeMap;

use regex::Regex;

use crate::config::TransformConfig;

#[derive(Debug)]
pub enum Transform {
    Trim,
    Lower,
    Upper,
    StripHtml,
    Split(String),
    Replace { regex: Regex, with: String },
    Extract(Regex),
    Truncate(usize),
    Lookup { table: BTreeMap<String, String>, otherwise: Option<String> },
}

impl Transform {
    pub fn compile(config: &TransformConfig) -> Result<Self, String> {
        let regex = |text: &str| {
            Regex::new(text).map_err(|error| format!("`{text}` is not a regular expression: {error}"))
        };
        Ok(match config {
            TransformConfig::Trim => Self::Trim,
            TransformConfig::Lower => Self::Lower,
            TransformConfig::Upper => Self::Upper,
            TransformConfig::StripHtml => Self::StripHtml,
            TransformConfig::Split(separator) if separator.is_empty() => {
                return Err("`split` wants a separator that is not empty".to_owned());
            }
            TransformConfig::Split(separator) => Self::Split(separator.clone()),
            TransformConfig::Replace { regex: text, with } => {
                Self::Replace { regex: regex(text)?, with: with.clone() }
            }
            TransformConfig::Extract(text) => Self::Extract(regex(text)?),
            TransformConfig::Truncate(chars) => Self::Truncate(*chars),
            TransformConfig::Lookup { table, otherwise } => {
                Self::Lookup { table: table.clone(), otherwise: otherwise.clone() }
            }
        })
    }

    pub fn apply(&self, text: String) -> Vec<String> {
        match self {
            Self::Trim => vec![text.trim().to_owned()],
            Self::Lower => vec![text.to_lowercase()],
            Self::Upper => vec![text.to_uppercase()],
            Self::StripHtml => vec![strip_html(&text)],
            Self::Split(separator) => {
                let parts = text.split(separator.as_str()).map(str::trim);
                parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
            }
            Self::Replace { regex, with } => vec![regex.replace_all(&text, with.as_str()).into_owned()],
            Self::Extract(regex) => extract(regex, &text).into_iter().collect(),
            Self::Truncate(chars) => vec![text.chars().take(*chars).collect()],
            Self::Lookup { table, otherwise } => {
                vec![table.get(&text).or(otherwise.as_ref()).cloned().unwrap_or(text)]
            }
        }
    }
}

fn extract(regex: &Regex, text: &str) -> Option<String> {
    let found = regex.captures(text)?;
    found.get(1).or_else(|| found.get(0)).map(|part| part.as_str().to_owned())
}

/// Elements whose content is no text.
const HIDDEN: [&str; 4] = ["script", "style", "head", "template"];

/// The text of HTML: tags and comments go, block elements leave a blank, entities of XML and by number become
/// characters. It is not a browser: what is no HTML stays as it is.
pub fn strip_html(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        push_text(&rest[..at], &mut text);
        rest = &rest[at..];
        let after = skip_markup(rest);
        match after {
            // A `<` that opens no tag, such as in `a < b`.
            None => {
                text.push('<');
                rest = &rest[1..];
            }
            Some(after) => {
                text.push(' ');
                rest = after;
            }
        }
    }
    push_text(rest, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What follows the comment, tag or hidden element that `rest` opens with.
fn skip_markup(rest: &str) -> Option<&str> {
    if let Some(comment) = rest.strip_prefix("<!--") {
        return Some(comment.find("-->").map_or("", |end| &comment[end + 3..]));
    }
    let name: String =
        rest[1..].chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if name.is_empty() && !rest[1..].starts_with(['/', '!', '?']) {
        return None;
    }
    let end = rest.find('>')?;
    let after = &rest[end + 1..];
    if !HIDDEN.contains(&name.as_str()) {
        return Some(after);
    }
    let close = format!("</{name}");
    let lower = after.to_ascii_lowercase();
    let Some(at) = lower.find(&close) else { return Some("") };
    Some(after[at..].find('>').map_or("", |end| &after[at + end + 1..]))
}

fn push_text(mut plain: &str, text: &mut String) {
    while let Some(at) = plain.find('&') {
        text.push_str(&plain[..at]);
        plain = &plain[at..];
        // The longest of those known is `&#1114111;`.
        let end = plain.bytes().take(11).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&plain[1..end])?, end))) {
            Some((char, end)) => {
                text.push(char);
                plain = &plain[end + 1..];
            }
            None => {
                text.push('&');
                plain = &plain[1..];
            }
        }
    }
    text.push_str(plain);
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_its_text() {
        for (html, text) in [
            ("<p>Tea &amp; <b>cake</b></p><p>now</p>", "Tea & cake now"),
            ("<SCRIPT>if (a<b) {}</SCRIPT >x<!-- y -->z", "x z"),
            ("a < b && c", "a < b && c"),
            ("&#233;&#x41;&nope;&", "éA&nope;&"),
            ("<style>never closed", ""),
            ("<", "<"),
            ("é<br", "é<br"),
            ("&éééééééééé;", "&éééééééééé;"),
        ] {
            assert_eq!(strip_html(html), text, "{html}");
        }
    }
}
