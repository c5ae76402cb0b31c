//! A body as its decoders see it: one piece that is all of it, or one after another. A decoder reads command
//! by command; one that runs out of the piece is taken back and read again when more has come, so that a
//! decoder keeps only where it stands between two commands.

use std::borrow::Cow;

use plan::{Error, ErrorKind, Result};

/// What is at hand of a body.
#[derive(Debug)]
pub struct ContentChunk<'a, T: ?Sized> {
    pub content: &'a T,
    /// Whether nothing follows.
    pub is_last: bool,
}

impl<T: ?Sized> Clone for ContentChunk<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for ContentChunk<'_, T> {}

impl<'a, T: ?Sized> ContentChunk<'a, T> {
    /// All of a body.
    #[cfg(test)]
    pub fn whole(content: &'a T) -> Self {
        Self { content, is_last: true }
    }
}

/// How bytes stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    Latin1,
}

impl Charset {
    /// By its name in lower case.
    pub fn named(name: Option<&str>) -> Result<Self> {
        match name {
            None | Some("utf-8" | "utf8" | "us-ascii" | "ascii") => Ok(Charset::Utf8),
            Some("iso-8859-1" | "latin1" | "iso8859-1") => Ok(Charset::Latin1),
            Some(other) => Err(Error::new(
                ErrorKind::UnsupportedMedia,
                format!("the encoding `{other}` is not supported; send UTF-8"),
            )),
        }
    }

    /// Reads the text of a piece. Gives the bytes that are done with, as `read` does of the text.
    pub fn read(
        self,
        piece: ContentChunk<'_, [u8]>,
        read: impl FnOnce(ContentChunk<'_, str>) -> Result<usize>,
    ) -> Result<usize> {
        let text = self.text(piece);
        let done = read(ContentChunk { content: &text, is_last: piece.is_last })?;
        Ok(self.bytes_of(piece, &text, done))
    }

    /// The text of a piece, without a character that it breaks off in. Bytes that are no UTF-8 become
    /// replacement characters, as in Java.
    fn text<'a>(self, piece: ContentChunk<'a, [u8]>) -> Cow<'a, str> {
        match self {
            Charset::Latin1 => Cow::Owned(piece.content.iter().map(|byte| char::from(*byte)).collect()),
            Charset::Utf8 => {
                let whole = if piece.is_last { piece.content } else { without_broken_end(piece.content) };
                // The lossy conversion walks every byte even where all is well, which the check alone does
                // many at a time.
                std::str::from_utf8(whole).map_or_else(|_| String::from_utf8_lossy(whole), Cow::Borrowed)
            }
        }
    }

    /// How many bytes of the piece the first `text_bytes` of its text stand for.
    fn bytes_of(self, piece: ContentChunk<'_, [u8]>, text: &str, text_bytes: usize) -> usize {
        match self {
            Charset::Latin1 => text.get(..text_bytes).map_or(0, |done| done.chars().count()),
            Charset::Utf8 if text_bytes == text.len() && piece.is_last => piece.content.len(),
            Charset::Utf8 => {
                let (mut bytes, mut left) = (0, text_bytes);
                for chunk in piece.content.utf8_chunks() {
                    let valid = chunk.valid().len();
                    if left <= valid {
                        return bytes + left;
                    }
                    left = left.saturating_sub(valid + char::REPLACEMENT_CHARACTER.len_utf8());
                    bytes += valid + chunk.invalid().len();
                }
                bytes
            }
        }
    }
}

/// Without the first bytes of a character whose last ones have not come.
fn without_broken_end(bytes: &[u8]) -> &[u8] {
    let tail = bytes.get(bytes.len().saturating_sub(3)..).unwrap_or_default();
    let lead = tail.iter().rposition(|byte| *byte >= 0xc0);
    let broken = lead.and_then(|at| tail.get(at..)).filter(|start| {
        let length = match start.first() {
            Some(0xf5..) => 1,
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            _ => 2,
        };
        start.len() < length
    });
    bytes.get(..bytes.len() - broken.map_or(0, <[u8]>::len)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_between_characters() {
        let check = |bytes: &[u8], expected: &str| {
            let piece = ContentChunk { content: bytes, is_last: false };
            let text = Charset::Utf8.text(piece);
            assert_eq!(text, expected, "{bytes:x?}");
            let rest = &bytes[Charset::Utf8.bytes_of(piece, &text, text.len())..];
            assert!(rest.len() < 4, "{bytes:x?}");
        };
        check(b"", "");
        check(b"ab", "ab");
        check("aé".as_bytes(), "aé");
        check(b"a\xc3", "a");
        check(b"a\xe2\x82", "a");
        check("a€".as_bytes(), "a€");
        check(b"a\xf0\x9f\x98", "a");
        check("a😀".as_bytes(), "a😀");
        check(b"\xff\xfe", "\u{fffd}\u{fffd}");
        check(b"\xffab", "\u{fffd}ab");
    }

    #[test]
    fn bytes_are_found_behind_replaced_ones() {
        let check = |charset: Charset, bytes: &[u8], text_bytes: usize, expected: usize| {
            let piece = ContentChunk { content: bytes, is_last: false };
            let text = charset.text(piece);
            assert_eq!(charset.bytes_of(piece, &text, text_bytes), expected, "{bytes:x?} {text_bytes}");
        };
        check(Charset::Utf8, b"abc", 2, 2);
        check(Charset::Utf8, b"a\xffbc", 4, 2);
        check(Charset::Utf8, b"a\xffbc", 5, 3);
        check(Charset::Latin1, b"a\xe9bc", 3, 2);
        assert!(Charset::named(Some("ebcdic")).is_err());
    }
}
