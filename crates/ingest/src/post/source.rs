//! One text file as a document: where it lies, what it is written in, how large, when changed, and its text.
//!
//! In: a path and the name under which it is shown; out: a document for the batcher, or why the file was
//! passed over. What is no UTF-8 counts as binary.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use plan::format_instant;
use serde::Serialize;

use super::crates::CrateInfo;
use super::language::language_of;

/// Files above this are data, not sources.
const SIZE_MAX: u64 = 16 << 20;

/// A document as it is sent; the field names are the collection's.
#[derive(Clone, Debug, Serialize)]
pub struct SourceFile {
    pub id: String,
    pub path: String,
    pub name: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub package: Option<CrateInfo>,
    pub language: &'static str,
    /// Bytes.
    pub size: u64,
    /// ISO-8601 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    pub text: String,
}

/// Why a file was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    Binary,
    TooLarge,
    Unreadable,
}

/// Reads `path`; `shown` is the path as the document bears it, and its id.
pub fn read_source(path: &Path, shown: &str, package: Option<CrateInfo>) -> Result<SourceFile, SkipReason> {
    let facts = fs::metadata(path).map_err(|_| SkipReason::Unreadable)?;
    if facts.len() > SIZE_MAX {
        return Err(SkipReason::TooLarge);
    }
    let bytes = fs::read(path).map_err(|_| SkipReason::Unreadable)?;
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Err(SkipReason::Binary);
    }
    let text = String::from_utf8(bytes).map_err(|_| SkipReason::Binary)?;
    let since_epoch = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(SourceFile {
        id: shown.to_owned(),
        path: shown.to_owned(),
        package,
        language: language_of(&name),
        name,
        size: facts.len(),
        modified: since_epoch.and_then(|age| i64::try_from(age.as_millis()).ok()).map(format_instant),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_and_binary_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("main.rs");
        fs::write(&path, "fn main() {}").unwrap();
        let source = read_source(&path, "src/main.rs", None).unwrap();
        assert_eq!((source.language, source.size, source.text.as_str()), ("Rust", 12, "fn main() {}"));
        assert_eq!((source.id.as_str(), source.name.as_str()), ("src/main.rs", "main.rs"));
        for bytes in [&b"a\0b"[..], &[0xff, 0xfe]] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(read_source(&path, "x", None).unwrap_err(), SkipReason::Binary);
        }
        assert_eq!(read_source(&folder.path().join("none"), "x", None).unwrap_err(), SkipReason::Unreadable);
    }
}
