//! A body as its decoders see it: one piece that is all of it, or one after another. A decoder reads command
//! by command; one that runs out of the piece is taken back and read again when more has come, so that a
//! decoder keeps only where it stands between two commands.

use plan::{Error, Result};

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

/// What is made of bytes that are no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Replacement characters, as Java's readers make them.
    Replaced,
    /// An error, as XML has it where no header says the encoding: then it said itself that it is UTF-8.
    Refused,
}

impl Malformed {
    /// Reads the text of a piece. Gives the bytes that are done with, as `read` does of the text.
    pub fn read(
        self,
        piece: ContentChunk<'_, [u8]>,
        read: impl FnOnce(ContentChunk<'_, str>) -> Result<usize>,
    ) -> Result<usize> {
        let whole = if piece.is_last { piece.content } else { without_broken_end(piece.content) };
        // The lossy conversion walks every byte even where all is well, which the check alone does many at a
        // time.
        match (std::str::from_utf8(whole), self) {
            (Ok(text), _) => read(ContentChunk { content: text, is_last: piece.is_last }),
            (Err(_), Malformed::Replaced) => {
                let text = String::from_utf8_lossy(whole);
                let done = read(ContentChunk { content: &text, is_last: piece.is_last })?;
                Ok(bytes_of(piece, &text, done))
            }
            (Err(malformed), Malformed::Refused) => {
                let valid = whole.get(..malformed.valid_up_to()).unwrap_or_default();
                let text = std::str::from_utf8(valid).unwrap_or_default();
                // Commands that end before are done, as a parser meets them first.
                read(ContentChunk { content: text, is_last: false })?;
                let byte = whole.get(valid.len()).copied().unwrap_or_default();
                Err(Error::bad_request(format!(
                    "Invalid UTF-8 byte 0x{byte:02x} in XML that names no other encoding; declare the one it has"
                )))
            }
        }
    }
}

/// How many bytes of the piece the first `text_bytes` of its text stand for.
fn bytes_of(piece: ContentChunk<'_, [u8]>, text: &str, text_bytes: usize) -> usize {
    if text_bytes == text.len() && piece.is_last {
        return piece.content.len();
    }
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

    /// The text of a piece, and the bytes that its first `text_bytes` stand for.
    fn read(malformed: Malformed, bytes: &[u8], text_bytes: usize) -> (String, Result<usize>) {
        let mut seen = String::new();
        let done = malformed.read(ContentChunk { content: bytes, is_last: false }, |text| {
            text.content.clone_into(&mut seen);
            Ok(text_bytes.min(seen.len()))
        });
        (seen, done)
    }

    #[test]
    fn pieces_end_between_characters() {
        let check = |bytes: &[u8], expected: &str| {
            let (text, done) = read(Malformed::Replaced, bytes, usize::MAX);
            assert_eq!(text, expected, "{bytes:x?}");
            assert!(bytes.len() - done.unwrap() < 4, "{bytes:x?}");
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
        let check = |bytes: &[u8], text_bytes: usize, expected: usize| {
            let (_, done) = read(Malformed::Replaced, bytes, text_bytes);
            assert_eq!(done.unwrap(), expected, "{bytes:x?} {text_bytes}");
        };
        check(b"abc", 2, 2);
        check(b"a\xffbc", 4, 2);
        check(b"a\xffbc", 5, 3);
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_refused_behind_what_is() {
        let (text, done) = read(Malformed::Refused, b"ab\xe9cccc", usize::MAX);
        assert_eq!(text, "ab");
        assert!(done.unwrap_err().message.contains("0xe9"));
        assert!(read(Malformed::Refused, b"ab\xc3", usize::MAX).1.is_ok());
    }
}
