//! What the manifest chain keeps of a shard: its segments, its layout, and where in the log the segments end;
//! besides, the batches that are remembered. JSON, so that a person can read it; the store adds the checksum.
//!
//! Written by `flush`, read by `recovery` and, detached from the log, by whoever restores a backup. Knows
//! names, sizes and checksums of files and none of their contents.

use std::sync::Arc;

use plan::{BatchId, Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use store::{SegmentFile, Watermark};
use tantivy::index::SegmentId;

use crate::core::batches::{BatchOutcome, Batches};
use crate::layout::Slot;
use crate::layout::indexed_by::IndexedBy;
use crate::segment::{Persisted, Segment};

/// The format this version writes. Since 2, numbers of one value a document have no terms (docs/adr/0005); 3
/// adds the schema's version and the batches that are remembered, which readers of 2 pass over.
const FORMAT: u32 = 3;
/// The oldest whose readers understand it.
const READER_FORMAT_MIN: u32 = 2;
/// The oldest it reads.
const FORMAT_READ_MIN: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    /// Oldest format whose readers understand this one.
    pub(crate) reader_format_min: u32,
    pub(crate) log: LogPosition,
    pub(crate) version_max: i64,
    pub(crate) layout: LayoutRecord,
    pub(crate) segments: Vec<SegmentRecord>,
    /// When the newest change in here was made, in milliseconds since 1970.
    pub(crate) modified_ms: i64,
    /// The newest schema that an operation in here was resolved against; 0 where it is not known.
    #[serde(default)]
    pub(crate) schema_version: u64,
    /// Batches that are remembered, oldest first.
    #[serde(default)]
    batches: Vec<BatchRecord>,
    /// The highest position of a batch that is remembered no more.
    #[serde(default)]
    batches_forgotten: LogPosition,
    /// Epochs of the logs before this one.
    #[serde(default)]
    epochs_before: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BatchRecord {
    id: [u8; 16],
    outcome: BatchOutcome,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogPosition {
    pub(crate) epoch: u64,
    pub(crate) sequence: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LayoutRecord {
    pub(crate) generation: u64,
    pub(crate) slots: Vec<Slot>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SegmentRecord {
    pub(crate) id: SegmentId,
    pub(crate) max_doc: u32,
    pub(crate) files: Vec<FileRecord>,
    pub(crate) marks: Option<MarksRecord>,
    /// What its documents were indexed by; readers of before pass over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) indexed_by: Option<Arc<IndexedBy>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) crc32: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MarksRecord {
    pub(crate) file: FileRecord,
    pub(crate) dead: u32,
}

impl Manifest {
    pub(crate) fn new(
        log: Watermark,
        version_max: i64,
        layout: LayoutRecord,
        segments: Vec<SegmentRecord>,
    ) -> Self {
        let log = LogPosition { epoch: log.epoch, sequence: log.sequence };
        Self {
            format: FORMAT,
            reader_format_min: READER_FORMAT_MIN,
            log,
            version_max,
            layout,
            segments,
            modified_ms: 0,
            schema_version: 0,
            batches: Vec::new(),
            batches_forgotten: LogPosition::default(),
            epochs_before: 0,
        }
    }

    pub(crate) fn batches(&self) -> Batches {
        let LogPosition { epoch, sequence } = self.batches_forgotten;
        let kept = self.batches.iter().map(|record| (BatchId(record.id), record.outcome.clone()));
        Batches::restore(kept, (plan::LogPosition { epoch, slot: sequence }, self.epochs_before))
    }

    pub(crate) fn set_batches(&mut self, batches: &Batches) {
        let record =
            |(BatchId(id), outcome): (BatchId, &BatchOutcome)| BatchRecord { id, outcome: outcome.clone() };
        self.batches = batches.iter().map(record).collect();
        let plan::LogPosition { epoch, slot } = batches.forgotten;
        self.batches_forgotten = LogPosition { epoch, sequence: slot };
        self.epochs_before = batches.epochs_before;
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self)
            .map_err(|error| Error::internal("cannot write the manifest").with_source(error))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = |error: serde_json::Error| {
            let message = "the shard's manifest cannot be read; restore it from a copy";
            Error::new(ErrorKind::DataLoss, message).with_source(error)
        };
        let manifest: Self = serde_json::from_slice(bytes).map_err(damaged)?;
        // Not `format`: a newer format that older readers may pass over says so here, so that going back a
        // release stays possible.
        if manifest.reader_format_min > FORMAT {
            let message = format!(
                "the shard was written by a newer version (format {}); use that version or a later one",
                manifest.format
            );
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        if manifest.format < FORMAT_READ_MIN {
            let message = format!(
                "the shard was written by an older version (format {}), which this one cannot read; index its \
                 documents anew",
                manifest.format
            );
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        Ok(manifest)
    }

    pub(crate) fn watermark(&self) -> Watermark {
        Watermark::new(self.log.epoch, self.log.sequence)
    }

    /// For another home, whose log is another, and to which nobody sends a batch again.
    pub(crate) fn detached(self) -> Self {
        let (batches, batches_forgotten) = (Vec::new(), LogPosition::default());
        Self { log: LogPosition::default(), batches, batches_forgotten, epochs_before: 0, ..self }
    }

    /// All files that belong to it.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FileRecord> {
        self.segments.iter().flat_map(SegmentRecord::files)
    }

    /// Names of all files that belong to it.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| file.name.as_str())
    }
}

impl SegmentRecord {
    pub(crate) fn new(segment: &Segment, persisted: &Persisted) -> Self {
        let marks = persisted.marks.as_ref();
        let marks = marks.map(|(file, dead)| MarksRecord { file: file.into(), dead: *dead });
        Self {
            id: segment.id,
            max_doc: segment.max_doc,
            files: persisted.files.iter().map(FileRecord::from).collect(),
            marks,
            indexed_by: segment.indexed_by().cloned(),
        }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &FileRecord> {
        self.files.iter().chain(self.marks.iter().map(|marks| &marks.file))
    }

    /// How many of its documents are not dead.
    pub(crate) fn living(&self) -> u64 {
        u64::from(self.max_doc.saturating_sub(self.marks.as_ref().map_or(0, |marks| marks.dead)))
    }

    pub(crate) fn persisted(&self) -> Persisted {
        Persisted {
            files: self.files.iter().map(FileRecord::to_file).collect(),
            marks: self.marks.as_ref().map(|marks| (marks.file.to_file(), marks.dead)),
        }
    }
}

impl FileRecord {
    /// Of a file that is in memory.
    pub(crate) fn of(name: String, bytes: &[u8]) -> Self {
        Self { name, size: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
    }

    /// Whether these are its bytes.
    pub(crate) fn is_of(&self, bytes: &[u8]) -> bool {
        self.size == bytes.len() as u64 && self.crc32 == crc32fast::hash(bytes)
    }

    pub(crate) fn to_file(&self) -> SegmentFile {
        SegmentFile { name: self.name.clone(), size: self.size, crc32: self.crc32 }
    }
}

impl From<&SegmentFile> for FileRecord {
    fn from(file: &SegmentFile) -> Self {
        Self { name: file.name.clone(), size: file.size, crc32: file.crc32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        let file = FileRecord { name: "a.term".into(), size: 3, crc32: 9 };
        let id = SegmentId::from_uuid_string("0123456789abcdef0123456789abcdef").unwrap();
        let marks = MarksRecord { file: FileRecord { name: "a.1.dead".into(), ..file.clone() }, dead: 1 };
        let segment =
            SegmentRecord { id, max_doc: 2, files: vec![file], marks: Some(marks), indexed_by: None };
        let layout = LayoutRecord { generation: 4, slots: vec![] };
        Manifest::new(Watermark::new(3, 17), 1 << 60, layout, vec![segment])
    }

    #[test]
    fn manifests_come_back() {
        let manifest = sample();
        let read = Manifest::from_bytes(&manifest.to_bytes().unwrap()).unwrap();
        assert_eq!(read, manifest);
        assert_eq!(read.watermark(), Watermark::new(3, 17));
        assert_eq!(read.file_names().collect::<Vec<_>>(), ["a.term", "a.1.dead"]);
        let record = &read.segments[0];
        let persisted = record.persisted();
        assert_eq!(persisted.files.iter().map(FileRecord::from).collect::<Vec<_>>(), record.files);
        assert_eq!(
            persisted.marks.map(|(file, dead)| (FileRecord::from(&file), dead)),
            record.marks.as_ref().map(|marks| (marks.file.clone(), marks.dead))
        );
    }

    #[test]
    fn other_formats_are_refused() {
        let check = |format: u32, told: &str| {
            let other = Manifest { format, reader_format_min: format, ..sample() };
            let error = Manifest::from_bytes(&other.to_bytes().unwrap()).unwrap_err();
            assert!(error.message.contains(told), "{error}");
        };
        check(9, "newer version");
        check(1, "older version");
        assert_eq!(Manifest::from_bytes(b"{").unwrap_err().kind, ErrorKind::DataLoss);
    }
}
