//! In which encoding a body of text comes: by the charset of its Content-Type; XML without one says it
//! itself, by its first bytes and its declaration (appendix F of the XML specification). What reads bodies
//! reads UTF-8 alone: whoever takes a body from the wire passes it through here first, as it arrives.

use plan::{Error, Result};

use crate::charset::{Charset, Transcoder, unknown};

/// How far into a body the declaration of XML is looked for: in UTF-16 it is twice as long.
const DECLARATION_BYTES_MAX: usize = 400;

/// A body on its way to UTF-8.
pub struct BodyEncoding(Progress);

enum Progress {
    /// XML whose declaration has not come whole.
    Unknown(Vec<u8>),
    Known(Transcoder),
}

impl BodyEncoding {
    /// Of a body whose encoding a header says.
    pub(crate) fn of(charset: Charset) -> Self {
        Self(Progress::Known(Transcoder::of(charset)))
    }

    /// Of XML, by its declaration.
    pub(crate) fn of_xml() -> Self {
        Self(Progress::Unknown(Vec::new()))
    }

    /// Whether bytes stay as they are, as far as is known with `head`, the first that came. Most bodies are
    /// UTF-8 and say so in their first bytes: those are never copied.
    pub fn is_plain(&self, head: &[u8], is_last: bool) -> bool {
        match &self.0 {
            Progress::Known(transcoder) => transcoder.is_plain(),
            Progress::Unknown(before) if before.is_empty() => {
                matches!(xml_charset(head, is_last), Ok(Some(Charset::UTF_8)))
            }
            Progress::Unknown(_) => false,
        }
    }

    /// Appends to `out` what a part stands for; `is_last` says that nothing follows. At most three bytes
    /// come of each. Errors: `BadRequest` for a declaration that names no known encoding, or another than
    /// the one it is written in.
    pub fn step(&mut self, part: &[u8], is_last: bool, out: &mut Vec<u8>) -> Result<()> {
        let transcoder = match &mut self.0 {
            Progress::Known(transcoder) => {
                transcoder.step(part, is_last, out);
                return Ok(());
            }
            Progress::Unknown(head) => {
                head.extend_from_slice(part);
                let Some(charset) = xml_charset(head, is_last)? else { return Ok(()) };
                let mut transcoder = Transcoder::of(charset);
                transcoder.step(head, is_last, out);
                transcoder
            }
        };
        self.0 = Progress::Known(transcoder);
        Ok(())
    }
}

/// The encoding of XML that begins so; `None` while its declaration may go on.
fn xml_charset(head: &[u8], is_last: bool) -> Result<Option<Charset>> {
    // Two bytes tell the width of characters, with a mark of their order or with the `<` that XML begins
    // with.
    let wide = match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Charset::named("utf-16"),
        [0, b'<', ..] => Charset::named("utf-16be"),
        [b'<', 0, ..] => Charset::named("utf-16le"),
        [] | [0 | 0xff | 0xfe | b'<'] if !is_last => return Ok(None),
        _ => None,
    };
    let first = head.get(..DECLARATION_BYTES_MAX).unwrap_or(head);
    // Half a character would look like one that no declaration has.
    let first = if wide.is_some() { first.get(..first.len() & !1).unwrap_or(first) } else { first };
    let text = wide.unwrap_or(Charset::UTF_8).decode(first);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let may_go_on = !is_last && head.len() < DECLARATION_BYTES_MAX && !text.contains("?>");
    if may_go_on && (text.starts_with(START) || START.starts_with(text)) {
        return Ok(None);
    }
    let Some(name) = declared(text) else { return Ok(Some(wide.unwrap_or(Charset::UTF_8))) };
    let charset = Charset::named(name).ok_or_else(|| Error::bad_request(unknown(name).message))?;
    // Read by the declaration, such a body would be gibberish without an error.
    match wide {
        Some(found) if charset.is_wide() => Ok(Some(found)),
        None if !charset.is_wide() => Ok(Some(charset)),
        _ => Err(Error::bad_request(format!(
            "the XML declaration says `{name}`, and is written in another encoding; correct it, or send the charset \
             in the Content-Type"
        ))),
    }
}

const START: &str = "<?xml";

/// The encoding that the declaration names.
fn declared(text: &str) -> Option<&str> {
    let declaration = text.strip_prefix(START)?.split("?>").next()?;
    let (_, after) = declaration.split_once("encoding")?;
    let quoted = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    quoted.get(1..)?.split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, to_bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn xml_says_its_encoding() {
        let check = |bytes: &[u8], expected: &str| {
            for cut in 0..=bytes.len() {
                let (mut encoding, mut out) = (BodyEncoding::of_xml(), Vec::new());
                let done = encoding
                    .step(&bytes[..cut], false, &mut out)
                    .and_then(|()| encoding.step(&bytes[cut..], true, &mut out));
                let found = done.map_or_else(|error| error.message, |()| String::from_utf8(out).unwrap());
                assert!(found.contains(expected), "{cut}: {found}");
            }
        };
        check(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>", "<a>é</a>");
        check(b"<?xml version=\"1.0\" encoding = \"windows-1251\" ?><a>\xef</a>", "<a>п</a>");
        check("<a>é</a>".as_bytes(), "<a>é</a>");
        check("\u{feff}<?xml version='1.0'?><a>é</a>".as_bytes(), "<a>é</a>");
        check(b"<?xml encoding='bogus'?><a/>", "`bogus` is not supported");
        check(b"<?xml encoding='UTF-16'?><a/>", "is written in another");
        let text = "<?xml version='1.0' encoding='UTF-16'?><a>日本</a>";
        check(&utf16(text, u16::to_be_bytes), "<a>日本</a>");
        check(&utf16(text, u16::to_le_bytes), "<a>日本</a>");
        check(&utf16(&format!("\u{feff}{text}"), u16::to_le_bytes), "<a>日本</a>");
        check(&utf16(&text.replace("UTF-16", "UTF-8"), u16::to_le_bytes), "is written in another");
        check(&utf16("<a>日本</a>", u16::to_be_bytes), "<a>日本</a>");
        let long = format!("<?xml {}", " ".repeat(2 * DECLARATION_BYTES_MAX));
        check(long.as_bytes(), "<?xml   ");
    }

    #[test]
    fn utf_8_is_known_by_its_first_bytes() {
        let check = |head: &[u8], expected: bool| {
            assert_eq!(BodyEncoding::of_xml().is_plain(head, false), expected, "{head:?}");
        };
        check(b"<add>", true);
        check(b"<?xml version='1.0' encoding='utf-8'?>", true);
        check(b"<?xml version='1.0'?><add>", true);
        check(b"<?xml version='1.0'", false);
        check(b"<", false);
        check(b"<?xml encoding='latin1'?>", false);
    }
}
