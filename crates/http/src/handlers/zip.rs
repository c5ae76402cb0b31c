//! Unpacks a zip archive of text files: what comes out is bounded, names stay below the archive, and each
//! file is held to its checksum. Stored and deflated entries; nothing of zip64, encryption or links, which
//! configsets have no use for.

use std::io::Read as _;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use plan::{Error, Resources, Result, check_name};

const FILES_MAX: usize = 2000;
/// Of all files together, unpacked.
const BYTES_MAX: u64 = 64 << 20;

const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const END_BYTES: usize = 22;
const ENTRY_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;

/// The text files of an archive, by name. Folders are passed over, and what systems leave beside files (names
/// with a leading point, `__MACOSX`). Errors: `BadRequest` for what is no archive, is too large, or has a
/// name that leads out of it.
pub(crate) fn texts(archive: &[u8]) -> Result<Resources> {
    let (count, mut at) = directory(archive)?;
    if count > FILES_MAX {
        return Err(Error::bad_request(format!(
            "the archive has `{count}` files; pack {FILES_MAX} or fewer"
        )));
    }
    let (mut files, mut room) = (Resources::new(), BYTES_MAX);
    for _ in 0..count {
        let entry = ZipEntry::read(archive, at)?;
        at = entry.end;
        if is_passed_over(entry.name) {
            continue;
        }
        check_path(entry.name)?;
        let text = entry.text(archive, room)?;
        // What is left counts for all files together: many small ones can be a bomb too.
        room -= text.len() as u64;
        if files.insert(entry.name.to_owned(), text).is_some() {
            return Err(wrong(&format!("it has `{}` twice", entry.name)));
        }
    }
    Ok(files)
}

/// Errors: a path that is not plain names with `/` between.
pub(crate) fn check_path(path: &str) -> Result<()> {
    path.split('/').try_for_each(|part| check_name("file", part))
}

fn is_passed_over(name: &str) -> bool {
    let hidden = |part: &str| part == "__MACOSX" || (part.starts_with('.') && part != "." && part != "..");
    name.ends_with('/') || name.split('/').any(hidden)
}

/// How many entries there are, and where the first is.
fn directory(archive: &[u8]) -> Result<(usize, usize)> {
    /// A comment of 64 KB may follow.
    const TAIL: usize = END_BYTES + u16::MAX as usize;
    let from = archive.len().saturating_sub(TAIL);
    let tail = archive.get(from..).unwrap_or_default();
    // The last one: a file in the archive may be a zip of its own, with such a mark in it.
    let end = memchr_last(tail, END).ok_or_else(|| wrong("it is empty, cut off, or no zip at all"))?;
    let end = from + end;
    slice(archive, end, END_BYTES)?;
    let (count, start) = (half(archive, end + 10)?, word(archive, end + 16)?);
    if count == usize::from(u16::MAX) || start == u32::MAX as usize {
        return Err(wrong("it is of the form zip64; pack fewer files"));
    }
    Ok((count, start))
}

fn memchr_last(text: &[u8], mark: &[u8]) -> Option<usize> {
    text.windows(mark.len()).rposition(|window| window == mark)
}

struct ZipEntry<'a> {
    name: &'a str,
    deflated: bool,
    checksum: u32,
    packed: usize,
    local: usize,
    /// Where the next entry begins.
    end: usize,
}

impl<'a> ZipEntry<'a> {
    fn read(archive: &'a [u8], at: usize) -> Result<Self> {
        if archive.get(at..at + ENTRY.len()) != Some(ENTRY) {
            return Err(wrong("its directory is damaged"));
        }
        let (flags, method) = (half(archive, at + 8)?, half(archive, at + 10)?);
        let lengths = [half(archive, at + 28)?, half(archive, at + 30)?, half(archive, at + 32)?];
        let name = slice(archive, at + ENTRY_BYTES, lengths[0])?;
        let name = std::str::from_utf8(name).map_err(|_| wrong("it has a name that is not UTF-8"))?;
        if flags & 1 != 0 {
            return Err(wrong(&format!("`{name}` is encrypted; pack it without a password")));
        }
        let deflated = match method {
            0 => false,
            8 => true,
            _ => return Err(wrong(&format!("`{name}` is packed by method `{method}`; use deflate"))),
        };
        Ok(Self {
            name,
            deflated,
            checksum: u32::try_from(word(archive, at + 16)?).unwrap_or_default(),
            packed: word(archive, at + 20)?,
            local: word(archive, at + 42)?,
            end: at + ENTRY_BYTES + lengths.iter().sum::<usize>(),
        })
    }

    /// Unpacks it, of at most this many bytes.
    fn text(&self, archive: &[u8], room: u64) -> Result<String> {
        if archive.get(self.local..self.local + LOCAL.len()) != Some(LOCAL) {
            return Err(wrong(&format!("`{}` is not where the directory says", self.name)));
        }
        // Its own lengths: the local header's extra field may differ from the directory's.
        let names = half(archive, self.local + 26)? + half(archive, self.local + 28)?;
        let packed = slice(archive, self.local + LOCAL_BYTES + names, self.packed)?;
        let mut bytes = Vec::new();
        let read = if self.deflated {
            // One byte more than there is room for tells too much from just enough, and the sizes of the
            // archive need not be believed.
            DeflateDecoder::new(packed).take(room + 1).read_to_end(&mut bytes)
        } else {
            packed.take(room + 1).read_to_end(&mut bytes)
        };
        read.map_err(|error| wrong(&format!("`{}` cannot be unpacked: {error}", self.name)))?;
        if bytes.len() as u64 > room {
            return Err(Error::bad_request(format!(
                "the archive has more than `{BYTES_MAX}` bytes unpacked; leave large files out"
            )));
        }
        let mut checksum = Crc::new();
        checksum.update(&bytes);
        if checksum.sum() != self.checksum {
            return Err(wrong(&format!("`{}` is damaged: its checksum differs", self.name)));
        }
        String::from_utf8(bytes).map_err(|_| {
            Error::bad_request(format!("`{}` is not text in UTF-8; leave it out of the archive", self.name))
        })
    }
}

fn slice(archive: &[u8], from: usize, length: usize) -> Result<&[u8]> {
    let end = from.checked_add(length);
    end.and_then(|end| archive.get(from..end)).ok_or_else(|| wrong("it is cut off"))
}

fn half(archive: &[u8], at: usize) -> Result<usize> {
    let bytes = slice(archive, at, 2)?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

fn word(archive: &[u8], at: usize) -> Result<usize> {
    let bytes = slice(archive, at, 4)?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

fn wrong(why: &str) -> Error {
    Error::bad_request(format!("cannot unpack the archive: {why}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// An archive of these files; `deflated` packs them.
    fn archive(files: &[(&str, &[u8])], deflated: bool) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, bytes) in files {
            let local = u32::try_from(out.len()).unwrap();
            let mut checksum = Crc::new();
            checksum.update(bytes);
            let packed = if deflated {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            } else {
                bytes.to_vec()
            };
            let method = if deflated { 8u16 } else { 0 };
            let mut facts = Vec::new();
            facts.extend([20, 0, 0, 0]);
            facts.extend(method.to_le_bytes());
            facts.extend([0; 4]);
            facts.extend(checksum.sum().to_le_bytes());
            facts.extend(u32::try_from(packed.len()).unwrap().to_le_bytes());
            facts.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
            facts.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
            facts.extend([0; 2]);
            out.extend(LOCAL.iter().chain(&facts).chain(name.as_bytes()).chain(&packed));
            directory.extend(ENTRY.iter().chain(&[20, 0]).chain(&facts).chain(&[0; 10]));
            directory.extend(local.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let start = u32::try_from(out.len()).unwrap();
        let count = u16::try_from(files.len()).unwrap().to_le_bytes();
        out.extend(&directory);
        out.extend(END.iter().chain(&[0; 4]).chain(&count).chain(&count));
        out.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
        out.extend(start.to_le_bytes());
        out.extend([0; 2]);
        out
    }

    #[test]
    fn texts_come_out_as_they_went_in() {
        let files: [(&str, &[u8]); 4] = [
            ("solrconfig.xml", b"<config/>"),
            ("lang/", b""),
            ("lang/stop.txt", "ünd\n".as_bytes()),
            ("__MACOSX/x", b"\xff"),
        ];
        for deflated in [false, true] {
            let texts = texts(&archive(&files, deflated)).unwrap();
            let shown: Vec<_> = texts.iter().map(|(name, text)| format!("{name}={text}")).collect();
            assert_eq!(shown, ["lang/stop.txt=ünd\n", "solrconfig.xml=<config/>"]);
        }
    }

    #[test]
    fn what_is_hostile_is_refused() {
        let check = |archive: &[u8], expected: &str| {
            let message = texts(archive).unwrap_err().message;
            assert!(message.contains(expected), "{expected}: {message}");
        };
        check(b"", "no zip at all");
        check(b"PK\x05\x06", "cut off");
        for name in ["../evil", "a/../../evil", "/etc/passwd", "a\\b", "a//b", "./a", "a:b"] {
            check(&archive(&[(name, b"x")], true), "Invalid file");
        }
        check(&archive(&[("a", b"\xff")], true), "not text in UTF-8");
        check(&archive(&[("a", b"x"), ("a", b"y")], false), "twice");
        let bomb = vec![b'a'; 65 << 20];
        check(&archive(&[("a", &bomb)], true), "bytes unpacked");
        let many: Vec<(String, &[u8])> = (0..2001).map(|number| (format!("f{number}"), &b""[..])).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
        check(&archive(&many, false), "`2001` files");
        let whole = archive(&[("a", b"some text"), ("b", b"more")], true);
        for end in 0..whole.len() {
            assert!(texts(&whole[..end]).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            drop(texts(&damaged));
        }
    }
}
