//! The record of one backup: a line with the SHA-256 of the rest, and the rest, which is JSON that a person
//! can read.
//!
//! It names the files of a shard by their content (ADR 9) and carries what the caller says of them; where the
//! contents lie and which are still needed is the folder's (`backup`). Decoding meets bytes of anybody: names
//! are checked before they become paths.

use serde::{Deserialize, Serialize};

use super::digest::sha256;
use crate::contract::SegmentFile;
use crate::name::check_name;
use crate::{Error, ErrorKind, Result};

/// The format this version writes and reads.
const FORMAT: u32 = 1;
const SUFFIX: &str = ".backup";

/// One backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupPoint {
    /// Counts up from 0; given out once, as long as any later backup is kept.
    pub id: u64,
    pub started_ms: i64,
    pub ended_ms: i64,
    /// The caller's own.
    pub description: String,
    pub files: Vec<BackupFile>,
}

/// A file of a backup, by its name in the shard and by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    pub name: String,
    /// Bytes.
    pub size: u64,
    pub crc32: u32,
    pub sha256: String,
}

impl BackupFile {
    pub(super) fn new(file: &SegmentFile, sha256: String) -> Self {
        Self { name: file.name.clone(), size: file.size, crc32: file.crc32, sha256 }
    }

    /// A shard's files are written once, and their names are unique.
    pub(super) fn identity(&self) -> (&str, u64, u32) {
        (&self.name, self.size, self.crc32)
    }
}

#[derive(Serialize, Deserialize)]
struct Record<P> {
    format: u32,
    point: P,
}

impl BackupPoint {
    /// Of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let body = serde_json::to_string_pretty(&Record { format: FORMAT, point: self })
            .map_err(|error| Error::new(ErrorKind::Failed, format!("cannot write the record: {error}")))?;
        Ok(format!("{}\n{body}", sha256(body.as_bytes())).into_bytes())
    }

    pub(super) fn decode(id: u64, bytes: &[u8]) -> Result<Self> {
        let damaged = |what: &str| Error::corrupt(&name(id), 0, what);
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
        let (hash, body) = text.split_once('\n').ok_or_else(|| damaged("it has no hash"))?;
        if sha256(body.as_bytes()) != hash {
            return Err(damaged("its hash is another"));
        }
        let record: Record<Self> = serde_json::from_str(body).map_err(|error| damaged(&error.to_string()))?;
        if record.format != FORMAT {
            let message =
                format!("backup `{id}` has format {}; use the version that wrote it", record.format);
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        // Names become paths, here and in the shard that is restored.
        let named = |file: &BackupFile| check_name(&file.name).and_then(|()| check_name(&file.sha256));
        record.point.files.iter().try_for_each(named)?;
        Ok(record.point)
    }
}

pub(super) fn name(id: u64) -> String {
    format!("{id:010}{SUFFIX}")
}

pub(super) fn id_of_name(name_found: &str) -> Option<u64> {
    let id = name_found.strip_suffix(SUFFIX)?.parse().ok()?;
    (name(id) == name_found).then_some(id)
}
