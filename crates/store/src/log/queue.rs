//! Records that were appended and are not durable yet, laid out as they will stand in their files, and the file that
//! grows. Space is reserved here, before a record is accepted, so that a full disk refuses an append and leaves
//! everything as it was. The leader takes the chunks away and writes them (`commit`).

use std::path::PathBuf;
use std::sync::Arc;

use crate::contract::Watermark;
use crate::disk::{DiskFile, Readers};
use crate::log::LogOptions;
use crate::log::folder::Folder;
use crate::log::format::{FILE_HEADER_BYTES, FileId, RECORD_HEADER_BYTES};
use crate::log::shelf::Shelf;
use crate::{Error, Result};

/// Neighbouring bytes of one file, headers blank.
pub(crate) struct Chunk {
    pub file: Arc<dyn DiskFile>,
    pub path: PathBuf,
    pub id: FileId,
    /// Offset in the file; 0 means that the file's header comes first.
    pub offset: u64,
    pub bytes: Vec<u8>,
    /// Payload length of each record.
    pub lengths: Vec<u32>,
}

/// The file that records are added to.
struct Growing {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    id: FileId,
    /// Where the next record goes.
    position: u64,
    /// End of the space taken.
    reserved: u64,
}

pub(crate) struct Queue {
    last: Watermark,
    growing: Option<Growing>,
    chunks: Vec<Chunk>,
    bytes: usize,
}

impl Queue {
    pub(crate) fn new(epoch: u64) -> Self {
        Self { last: Watermark::new(epoch, 0), growing: None, chunks: Vec::new(), bytes: 0 }
    }

    /// The last record accepted.
    pub(crate) fn last(&self) -> Watermark {
        self.last
    }

    /// Bytes that wait to be written.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where the next record goes in its file.
    pub(crate) fn position(&self) -> u64 {
        self.growing.as_ref().map_or(0, |growing| growing.position)
    }

    /// Makes sure that a record of `length` bytes has its place on the disk, in a new file if the last is full.
    pub(crate) fn make_room(
        &mut self,
        folder: &Folder,
        options: &LogOptions,
        shelf: &mut Shelf,
        length: usize,
    ) -> Result<()> {
        let size = (RECORD_HEADER_BYTES + length) as u64;
        match &mut self.growing {
            Some(growing) if growing.has_room(size, options) => growing.reserve(size, options),
            _ => {
                let id = FileId { epoch: self.last.epoch, base: self.last.sequence + 1 };
                let next = Growing::create(folder, options, id, size)?;
                self.release();
                shelf.begin(id);
                self.growing = Some(next);
                Ok(())
            }
        }
    }

    /// Adds a record, for which `make_room` has made room.
    pub(crate) fn push(&mut self, record: &[u8]) -> Watermark {
        self.last.sequence += 1;
        let Some(growing) = &mut self.growing else { return self.last };
        if self.chunks.last().is_none_or(|chunk| chunk.id != growing.id) {
            self.chunks.push(growing.begin_chunk());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            let before = chunk.bytes.len();
            chunk.bytes.resize(before + RECORD_HEADER_BYTES, 0);
            chunk.bytes.extend_from_slice(record);
            chunk.lengths.push(record.len() as u32);
            self.bytes += RECORD_HEADER_BYTES + record.len();
            growing.position = chunk.offset + chunk.bytes.len() as u64;
        }
        self.last
    }

    /// All that waits, in order of the log.
    pub(crate) fn take(&mut self) -> Vec<Chunk> {
        self.bytes = 0;
        std::mem::take(&mut self.chunks)
    }

    /// What could not be written goes before what was added meanwhile.
    pub(crate) fn put_back(&mut self, unwritten: Vec<Chunk>) {
        let added = std::mem::replace(&mut self.chunks, unwritten);
        for chunk in added {
            match self.chunks.last_mut() {
                Some(last) if last.id == chunk.id => {
                    last.bytes.extend_from_slice(&chunk.bytes);
                    last.lengths.extend_from_slice(&chunk.lengths);
                }
                _ => self.chunks.push(chunk),
            }
        }
        self.bytes = self.chunks.iter().map(|chunk| chunk.bytes.len()).sum();
    }

    /// Gives unused space of the growing file back. Best effort: it is only space.
    pub(crate) fn release(&mut self) {
        if let Some(growing) = &self.growing {
            let _ = growing.file.truncate(growing.position);
        }
    }
}

impl Growing {
    fn create(folder: &Folder, options: &LogOptions, id: FileId, size: u64) -> Result<Self> {
        let path = folder.path_of(id);
        let file =
            folder.disk.create(&path, Readers::Umask).map_err(|source| Error::io("create", &path, source))?;
        let position = FILE_HEADER_BYTES as u64;
        let mut growing = Self { file, path, id, position, reserved: 0 };
        growing.reserve(size, options).inspect_err(|_| {
            // Best effort: an empty file is passed over by replay, but would be in the way of the next attempt.
            let _ = folder.remove(id);
        })?;
        Ok(growing)
    }

    fn has_room(&self, size: u64, options: &LogOptions) -> bool {
        self.position == FILE_HEADER_BYTES as u64 || self.position + size <= options.file_bytes
    }

    fn reserve(&mut self, size: u64, options: &LogOptions) -> Result<()> {
        let need = self.position + size;
        if need <= self.reserved {
            return Ok(());
        }
        let to = (self.reserved + options.reserve_bytes).min(options.file_bytes).max(need);
        if let Err(source) = self.file.reserve(self.reserved, to) {
            // A half-taken reservation is zeros behind the last record; give it back to whoever frees space.
            let _ = self.file.truncate(self.reserved);
            return Err(Error::io("reserve space in", &self.path, source));
        }
        self.reserved = to;
        Ok(())
    }

    fn begin_chunk(&self) -> Chunk {
        let starts = self.position == FILE_HEADER_BYTES as u64;
        let (offset, bytes) =
            if starts { (0, vec![0; FILE_HEADER_BYTES]) } else { (self.position, Vec::new()) };
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Chunk { file, path, id: self.id, offset, bytes, lengths: Vec::new() }
    }
}
