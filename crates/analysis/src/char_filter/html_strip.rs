//! `htmlStrip`: takes tags, comments, scripts and styles out of HTML and decodes character entities. A tag
//! that breaks the line for a reader leaves a line break, an inline tag (`<b>`) leaves nothing, so that the
//! words around it join as they do on screen. Broken HTML is read as browsers do: what is no tag is text.
//! Entity names are those of HTML 4 (`data/html_entities.txt`: name, code point).

use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::definition::CharFilterDefinition;
use crate::offsets::{Filtered, Rewriter};
use crate::stage::CharFilter;

pub(crate) static HTML_STRIP: CharFilterDefinition = CharFilterDefinition::new(
    "htmlStrip",
    "charfilter.HTMLStripCharFilterFactory",
    &["escapedTags"],
    "Takes the tags out of HTML, but for those in `escapedTags`, and decodes entities.",
    |args| {
        let escaped = args.list("escapedTags").into_iter().map(str::to_ascii_lowercase).collect();
        Ok(Box::new(HtmlStrip { escaped: Arc::new(escaped) }))
    },
);

static ENTITIES: LazyLock<FxHashMap<&'static str, char>> = LazyLock::new(|| {
    let lines = include_str!("../../data/html_entities.txt").lines().filter_map(|line| line.split_once(' '));
    lines
        .filter_map(|(name, code)| Some((name, char::from_u32(u32::from_str_radix(code, 16).ok()?)?)))
        .collect()
});

/// Tags within a line; all others break it.
const INLINE: &str = "a abbr acronym b basefont bdo big cite code dfn em font i img input kbd label q s samp select \
    small span strike strong sub sup textarea tt u var";

/// Elements whose content is no text.
const SILENT: [&str; 2] = ["script", "style"];

struct HtmlStrip {
    escaped: Arc<FxHashSet<String>>,
}

/// The text of HTML.
pub fn strip_html(text: &str) -> String {
    HtmlStrip { escaped: Arc::default() }.filter(text).text
}

/// Something in the text that is not text.
struct Markup<'a> {
    source: &'a str,
    /// Bytes at its start that nothing stands for.
    silent: usize,
    replacement: String,
}

impl<'a> Markup<'a> {
    fn new(source: &'a str, replacement: impl Into<String>) -> Self {
        Markup { source, silent: 0, replacement: replacement.into() }
    }
}

impl CharFilter for HtmlStrip {
    fn filter(&self, text: &str) -> Filtered {
        let mut out = Rewriter::default();
        let mut kept = 0;
        let mut at = 0;
        while let Some(skip) = text.get(at..).and_then(|rest| rest.find(['<', '&'])) {
            at += skip;
            let rest = text.get(at..).unwrap_or_default();
            let Some(markup) = self.markup(rest) else {
                // Not markup after all (`a < b`, `AT&T`): it is kept as text, and the search goes on right
                // behind it.
                at += 1;
                continue;
            };
            out.keep(text.get(kept..at).unwrap_or_default());
            let (before, source) = markup.source.split_at(markup.silent);
            // Two replacements for one markup: `<![CDATA[` must vanish before its content, or the content's
            // offsets would begin at the bracket.
            out.replace(before, "");
            out.replace(source, &markup.replacement);
            at += markup.source.len();
            kept = at;
        }
        out.keep(text.get(kept..).unwrap_or_default());
        out.finish()
    }
}

impl HtmlStrip {
    fn markup<'a>(&self, rest: &'a str) -> Option<Markup<'a>> {
        if rest.starts_with('&') {
            return entity(rest);
        }
        declaration(rest).or_else(|| self.tag(rest))
    }

    /// `<name …>`, `</name>`, and for scripts and styles all up to their end.
    fn tag<'a>(&self, rest: &'a str) -> Option<Markup<'a>> {
        let body = rest.get(1..)?;
        let closing = body.starts_with('/');
        let name_text = body.strip_prefix('/').unwrap_or(body);
        let name_len = name_text.find(|c: char| !is_name(c)).unwrap_or(name_text.len());
        let name = name_text.get(..name_len)?.to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':')
            || self.escaped.contains(&name)
        {
            return None;
        }
        // A tag that the text breaks off in is still a tag, as for browsers.
        let mut end = if name_len == name_text.len() { rest.len() } else { tag_end(rest)? };
        // `<script/>` has no content to skip; a lone `</script>` ends nothing and is an ordinary tag.
        if SILENT.contains(&name.as_str()) && !closing && !rest.get(..end)?.ends_with("/>") {
            end = silent_end(rest, end, &name);
        }
        let inline = INLINE.split_whitespace().any(|known| known == name);
        Some(Markup::new(rest.get(..end)?, if inline { "" } else { "\n" }))
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.')
}

/// Where a tag ends; a `>` within quotes does not end it, nor is a second `<` allowed outside of them.
fn tag_end(rest: &str) -> Option<usize> {
    let mut quote = None;
    let mut after_equals = false;
    for (at, c) in rest.char_indices().skip(1) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '>') => return Some(at + 1),
            (None, '<') => return None,
            // Only behind `=`: in `<p don't>` the apostrophe opens nothing, or the rest of the page would be
            // one tag.
            (None, '"' | '\'') if after_equals => quote = Some(c),
            _ => {}
        }
        after_equals = c == '=' || after_equals && c.is_whitespace();
    }
    None
}

/// Where `</script>` ends, or the end of the text without one.
fn silent_end(rest: &str, from: usize, name: &str) -> usize {
    let closing = format!("</{name}");
    let lowered = rest.get(from..).unwrap_or_default().to_ascii_lowercase();
    let Some(at) = lowered.find(&closing) else { return rest.len() };
    let tail = from + at;
    tail + rest.get(tail..).and_then(|text| text.find('>')).map_or(rest.len() - tail, |end| end + 1)
}

/// Comments, declarations, processing instructions and CDATA sections.
fn declaration(rest: &str) -> Option<Markup<'_>> {
    let until = |start: &str, end: &str| {
        let body = rest.strip_prefix(start)?;
        Some(start.len() + body.find(end)? + end.len())
    };
    if let Some(body) = rest.strip_prefix("<![CDATA[") {
        let end = body.find("]]>")?;
        let replacement = body.get(..end)?.to_owned();
        return Some(Markup { source: rest.get(..9 + end + 3)?, silent: 9, replacement });
    }
    let end = until("<!--", "-->").or_else(|| until("<?", ">")).or_else(|| until("<!", ">"))?;
    Some(Markup::new(rest.get(..end)?, ""))
}

/// `&amp;`, `&#65;`, `&#x41;`; the semicolon may be missing after a number.
fn entity(rest: &str) -> Option<Markup<'_>> {
    let body = rest.get(1..)?;
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix, prefix) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16, 3),
            None => (number, 10, 2),
        };
        let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let code = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
        // Halves of surrogate pairs and numbers beyond Unicode are no characters, yet stood for one on the
        // page.
        let c = char::from_u32(code).unwrap_or('\u{fffd}');
        let semicolon = usize::from(digits.get(length..)?.starts_with(';'));
        return Some(Markup::new(rest.get(..prefix + length + semicolon)?, c));
    }
    let length = body.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(body.len());
    let c = ENTITIES.get(body.get(..length)?)?;
    // Named entities need it: `&copy=1` in a link is text.
    body.get(length..)?.strip_prefix(';')?;
    Some(Markup::new(rest.get(..length + 2)?, *c))
}
