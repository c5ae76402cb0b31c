//! Encodings by the names that clients say them with (Java's and those of the Encoding Standard), and bytes
//! read by them: whole texts, as of parameters, and bodies that come in parts, which become UTF-8 on the
//! way.
//!
//! `encoding_rs` knows the tables. What is decided here is where Java, and so Solr, means something else by
//! a name than browsers do: ISO-8859-1 is itself and no windows-1252, US-ASCII ends at 127, UTF-16 looks for
//! a mark of its byte order and is big-endian without one.

use std::borrow::Cow;

use encoding_rs::{
    Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1252, WINDOWS_1254, X_USER_DEFINED,
};
use plan::{Error, ErrorKind};

/// How bytes stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(CharsetKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharsetKind {
    Utf8,
    Ascii,
    /// By its mark, else big-endian.
    Utf16,
    /// Of the encodings that ISO wrote and Windows filled: 80 to 9f are control characters.
    Iso(&'static Encoding),
    Web(&'static Encoding),
}

impl Charset {
    pub const UTF_8: Self = Self(CharsetKind::Utf8);

    /// By its name, whatever the case. `None` for one that is not known. Solr differs: Java knows some more,
    /// as UTF-32 and those of mainframes, and not all of these (`compat/update/encodings.yaml`).
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        // The standard reads UTF-16 as little-endian, as pages on the web are; Java does not.
        if matches!(name.as_str(), "utf-16" | "utf16" | "utf_16") {
            return Some(Self(CharsetKind::Utf16));
        }
        let encoding = match name.as_str() {
            "utf-16be" => UTF_16BE,
            "utf_8" => UTF_8,
            _ => Encoding::for_label(name.as_bytes())?,
        };
        // Neither is an encoding of anything: one decodes all to an error, the other hands bytes through.
        if encoding == REPLACEMENT || encoding == X_USER_DEFINED {
            return None;
        }
        let by_windows = ["1252", "1254", "874"].iter().any(|page| name.contains(page));
        let shared = [WINDOWS_1252, WINDOWS_1254, WINDOWS_874].contains(&encoding);
        Some(Self(match encoding {
            _ if encoding == UTF_8 => CharsetKind::Utf8,
            _ if name.contains("ascii") || name.starts_with("ansi_") => CharsetKind::Ascii,
            _ if shared && !by_windows && !name.contains("8859-11") => CharsetKind::Iso(encoding),
            _ => CharsetKind::Web(encoding),
        }))
    }

    /// A whole text; what stands for no character becomes U+FFFD, as in Java's readers.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        if self == Self::UTF_8 {
            return String::from_utf8_lossy(bytes);
        }
        let mut text = Vec::new();
        Transcoder::of(self).step(bytes, true, &mut text);
        Cow::Owned(String::from_utf8_lossy(&text).into_owned())
    }

    /// A whole text in which every byte stands for something. `None` where one does not.
    pub fn decode_strictly(self, bytes: Vec<u8>) -> Option<String> {
        match self.0 {
            CharsetKind::Utf8 => String::from_utf8(bytes).ok(),
            CharsetKind::Ascii => bytes.is_ascii().then(|| String::from_utf8(bytes).ok())?,
            CharsetKind::Utf16 => {
                let (encoding, mark_bytes) = utf16_by_mark(&bytes);
                strictly(encoding, bytes.get(mark_bytes..)?)
            }
            // Control characters have a meaning in each of their bytes.
            CharsetKind::Iso(_) => Some(self.decode(&bytes).into_owned()),
            CharsetKind::Web(encoding) => strictly(encoding, &bytes),
        }
    }

    /// As messages name it.
    pub fn name(self) -> &'static str {
        match self.0 {
            CharsetKind::Utf8 => "UTF-8",
            CharsetKind::Ascii => "US-ASCII",
            CharsetKind::Utf16 => "UTF-16",
            CharsetKind::Iso(encoding) if encoding == WINDOWS_1252 => "ISO-8859-1",
            CharsetKind::Iso(encoding) if encoding == WINDOWS_1254 => "ISO-8859-9",
            CharsetKind::Iso(_) => "TIS-620",
            CharsetKind::Web(encoding) => encoding.name(),
        }
    }

    /// Whether its characters take two bytes or four, so that no ASCII can be read of it.
    pub(crate) fn is_wide(self) -> bool {
        match self.0 {
            CharsetKind::Utf16 => true,
            CharsetKind::Web(encoding) => encoding == UTF_16BE || encoding == UTF_16LE,
            _ => false,
        }
    }
}

fn strictly(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(Cow::into_owned)
}

/// The byte order that a text in UTF-16 begins with, and how many bytes say so.
fn utf16_by_mark(bytes: &[u8]) -> (&'static Encoding, usize) {
    match bytes {
        [0xff, 0xfe, ..] => (UTF_16LE, 2),
        [0xfe, 0xff, ..] => (UTF_16BE, 2),
        _ => (UTF_16BE, 0),
    }
}

/// The charset of a Content-Type, as it was said.
pub fn of_content_type(content_type: Option<&str>) -> Option<&str> {
    let parameters = content_type?.split(';').skip(1);
    let mut pairs = parameters.filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches('"'))
}

/// What is answered for a name that is not known. Solr differs: it blames itself, with an error 500
/// (`compat/update/encodings.yaml`).
pub fn unknown(name: &str) -> Error {
    Error::new(
        ErrorKind::UnsupportedMedia,
        format!("the encoding `{name}` is not supported; send UTF-8, or one of the Encoding Standard"),
    )
}

/// Reads a body that comes in parts, cut anywhere, and writes it in UTF-8.
pub struct Transcoder(State);

enum State {
    Ascii,
    Iso(&'static Encoding),
    /// The first byte of UTF-16, whose order two tell.
    Utf16(Vec<u8>),
    Decoding(Box<encoding_rs::Decoder>),
    Plain,
    Ended,
}

impl Transcoder {
    pub fn of(charset: Charset) -> Self {
        Self(match charset.0 {
            CharsetKind::Utf8 => State::Plain,
            CharsetKind::Ascii => State::Ascii,
            CharsetKind::Utf16 => State::Utf16(Vec::new()),
            CharsetKind::Iso(encoding) => State::Iso(encoding),
            // A mark in front of UTF-16LE is a character there, as in Java.
            CharsetKind::Web(encoding) => State::Decoding(encoding.new_decoder_without_bom_handling().into()),
        })
    }

    /// Whether bytes stay as they are.
    pub fn is_plain(&self) -> bool {
        matches!(self.0, State::Plain)
    }

    /// Appends to `out` what a part stands for; `is_last` says that nothing follows. At most three bytes
    /// come of each. What comes behind the last part is passed over.
    pub fn step(&mut self, part: &[u8], is_last: bool, out: &mut Vec<u8>) {
        match &mut self.0 {
            State::Plain => out.extend_from_slice(part),
            State::Ended => return,
            State::Ascii => {
                let text =
                    part.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' });
                text.for_each(|character| push(character, out));
            }
            State::Iso(encoding) => {
                let encoding = *encoding;
                for byte in part {
                    // One byte is one character in all of them, so that a part may end anywhere.
                    match byte {
                        0x80..=0x9f => push(char::from(*byte), out),
                        _ => {
                            let text = encoding.decode_without_bom_handling(std::slice::from_ref(byte)).0;
                            out.extend_from_slice(text.as_bytes());
                        }
                    }
                }
            }
            State::Utf16(head) => {
                head.extend_from_slice(part);
                if head.len() < 2 && !is_last {
                    return;
                }
                let head = std::mem::take(head);
                let (encoding, mark_bytes) = utf16_by_mark(&head);
                self.0 = State::Decoding(encoding.new_decoder_without_bom_handling().into());
                return self.step(head.get(mark_bytes..).unwrap_or_default(), is_last, out);
            }
            State::Decoding(decoder) => decode_part(decoder, part, is_last, out),
        }
        if is_last {
            self.0 = State::Ended;
        }
    }
}

fn push(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn decode_part(decoder: &mut encoding_rs::Decoder, part: &[u8], is_last: bool, out: &mut Vec<u8>) {
    let (mut rest, mut buffer) = (part, [0; 4096]);
    loop {
        let (result, read, written, _) = decoder.decode_to_utf8(rest, &mut buffer, is_last);
        out.extend_from_slice(buffer.get(..written).unwrap_or_default());
        rest = rest.get(read..).unwrap_or_default();
        if result == encoding_rs::CoderResult::InputEmpty {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_they_mean_in_java() {
        let check = |name: &str, bytes: &[u8], expected: &str| {
            let charset = Charset::named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(charset.decode(bytes), expected, "{name}");
        };
        check("UTF-8", b"a\xc3\xa9\xff", "aé\u{fffd}");
        check("iso-8859-1", b"\xe9\x80\x93", "é\u{80}\u{93}");
        check("Latin1", b"\x9f", "\u{9f}");
        check("windows-1252", b"\xe9\x80\x93", "é€“");
        check("ISO-8859-9", b"\xfd\x80", "ı\u{80}");
        check("windows-1254", b"\xfd\x80", "ı€");
        check("us-ascii", b"a\xe9", "a\u{fffd}");
        check("utf-16", b"\xff\xfea\0", "a");
        check("utf-16", b"\xfe\xff\0a", "a");
        check("utf-16", b"\0a\0b", "ab");
        check("utf-16", b"", "");
        check("utf-16", b"a", "\u{fffd}");
        check("utf-16le", b"\xff\xfea\0", "\u{feff}a");
        check("Shift_JIS", b"\x93\xfa\x96\x7b", "日本");
        check("windows-1251", b"\xef\xf0\xe8", "при");
        for name in ["bogus", "", "replacement", "x-user-defined", "utf-7", "utf-32"] {
            assert_eq!(Charset::named(name), None, "{name}");
        }
    }

    #[test]
    fn parts_are_cut_anywhere() {
        for (name, bytes) in [
            ("utf-16", b"\xff\xfea\0\x3d\xd8\x00\xde".as_slice()),
            ("shift_jis", b"a\x93\xfa\x96\x7b"),
            ("iso-2022-jp", b"a\x1b$BF|K\\\x1b(Bz"),
            ("gb18030", b"\xd6\xd0\x81\x30\x81\x30"),
            ("iso-8859-1", b"\xe9\x80a"),
        ] {
            let charset = Charset::named(name).unwrap();
            let expected = charset.decode(bytes).into_owned();
            for cut in 0..=bytes.len() {
                let (mut transcoder, mut out) = (Transcoder::of(charset), Vec::new());
                transcoder.step(&bytes[..cut], false, &mut out);
                transcoder.step(&bytes[cut..], true, &mut out);
                transcoder.step(b"", true, &mut out);
                assert_eq!(String::from_utf8(out).unwrap(), expected, "{name} {cut}");
            }
        }
    }

    #[test]
    fn what_stands_for_nothing_is_found() {
        let check = |name: &str, bytes: &[u8], expected: Option<&str>| {
            let found = Charset::named(name).unwrap().decode_strictly(bytes.to_vec());
            assert_eq!(found.as_deref(), expected, "{name}");
        };
        check("utf-8", b"\xff", None);
        check("us-ascii", b"\xe9", None);
        check("shift_jis", b"\x93", None);
        check("utf-16", b"\0a\0", None);
        check("utf-16", b"\0a", Some("a"));
        check("latin1", b"\xe9", Some("é"));
    }
}
