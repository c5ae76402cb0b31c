//! Text as it goes into a snippet: as it is, or with what HTML would read as its own written otherwise. Used
//! by every highlighter, for what stands around matches and within them.

/// Appends `text`.
pub(super) fn append(out: &mut String, text: &str, html: bool) {
    if !html {
        return out.push_str(text);
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            '/' => out.push_str("&#x2F;"),
            other => out.push(other),
        }
    }
}
