//! Records that were appended and are not durable yet, laid out as they will stand in their files, and the
//! file that grows. Space is promised here, before a record is made, so that a full disk refuses before
//! anything has happened; taking space from the disk is `growth`'s. The leader takes the chunks away and
//! writes them (`commit`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Room;
use crate::contract::Watermark;
use crate::log::chunk::Chunk;
use crate::log::format::{FileId, RECORD_HEADER_BYTES};
use crate::log::growth::{Growing, Growth};
use crate::log::options::LogOptions;
use crate::log::shelf::Shelf;

pub(crate) struct Queue {
    last: Watermark,
    growing: Option<Growing>,
    chunks: Vec<Chunk>,
    bytes: usize,
    /// Bytes of room given out and not used yet.
    promised: Arc<AtomicUsize>,
}

impl Queue {
    pub(crate) fn new(epoch: u64) -> Self {
        let last = Watermark::new(epoch, 0);
        Self { last, growing: None, chunks: Vec::new(), bytes: 0, promised: Arc::default() }
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

    /// Bytes of room that is given out.
    pub(crate) fn promised(&self) -> usize {
        // Added to under the log's lock alone; of room given back meanwhile too much is seen at worst.
        self.promised.load(Ordering::Relaxed)
    }

    /// Room for a record of `length` bytes beside all that is promised; else what must be taken from the disk
    /// first.
    pub(crate) fn promise(&self, length: usize, options: &LogOptions) -> Result<Room, Growth> {
        let size = RECORD_HEADER_BYTES + length;
        // All of it, as nobody knows which of those that have room appends first.
        let needed = (self.promised() + size) as u64;
        match &self.growing {
            Some(growing) => growing.promise(needed, options)?,
            None => return Err(Growth::Next { needed }),
        }
        Ok(Room::promise(length, RECORD_HEADER_BYTES, &self.promised))
    }

    /// More space has been taken for the growing file.
    pub(crate) fn extended(&mut self, id: FileId, reserved: u64) {
        if let Some(growing) = self.growing.as_mut().filter(|growing| growing.id == id) {
            growing.reserved = growing.reserved.max(reserved);
        }
    }

    /// Records go to a new file from here on; the file before, for its unused space.
    #[must_use]
    pub(crate) fn begin(&mut self, next: Growing, shelf: &mut Shelf) -> Option<Growing> {
        shelf.begin(next.id);
        self.growing.replace(next)
    }

    /// What the next new file is to be called.
    pub(crate) fn next_file(&self) -> FileId {
        FileId { epoch: self.last.epoch, base: self.last.sequence + 1 }
    }

    /// Adds a record that was promised room.
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
        // What was added begins where the unwritten ends, so chunks of one file are one write again.
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

    /// Gives unused space of the growing file back.
    pub(crate) fn release(&mut self) {
        if let Some(growing) = &self.growing {
            growing.release();
        }
    }
}
