//! What a leader does: completes the headers of a group, writes it, and syncs it: one sync for a group,
//! however many wait, or one for each file where the group runs over the end of one. Runs outside the log's
//! lock.

use crate::contract::Watermark;
use crate::log::chunk::Chunk;
use crate::log::folder::Folder;
use crate::log::format::{ChainPoint, FILE_HEADER_BYTES, FileHeader, RECORD_HEADER_BYTES, RecordHeader};
use crate::{Error, ErrorKind, Result};

pub(crate) struct Outcome {
    /// The last durable record.
    pub durable: ChainPoint,
    /// Chunks that must be written again, first the one that failed.
    pub unwritten: Vec<Chunk>,
    /// `Full` if they may be; with any other kind the log is over.
    pub failure: Option<Error>,
}

/// Chunk after chunk, each synced before the next is written: a file's header promises that all before is
/// durable.
pub(crate) fn commit(folder: &Folder, group: Vec<Chunk>, mut durable: ChainPoint) -> Outcome {
    let mut chunks = group.into_iter();
    while let Some(mut chunk) = chunks.next() {
        let last = seal(folder, &mut chunk, durable);
        match write(folder, &mut chunk) {
            Ok(()) => durable = last,
            Err(error) => {
                let unwritten = std::iter::once(chunk).chain(chunks).collect();
                return Outcome { durable, unwritten, failure: Some(error) };
            }
        }
    }
    Outcome { durable, unwritten: Vec::new(), failure: None }
}

fn write(folder: &Folder, chunk: &mut Chunk) -> Result<()> {
    let path = chunk.path.clone();
    let cannot = |action, source| Error::io(action, &path, source);
    match chunk.file.write_at(&chunk.bytes, chunk.offset).map_err(|source| cannot("write", source)) {
        // A full disk alone does not end the log: nothing was synced yet, and the same bytes may be written
        // again.
        Err(error) if *error.kind() != ErrorKind::Full => return Err(fatal(error)),
        result => result?,
    }
    chunk.file.sync().map_err(|source| fatal(cannot("sync", source)))?;
    // A new file gets its name with its first records in it.
    let Some(temporary) = chunk.temporary.take() else { return Ok(()) };
    folder.disk.rename(&temporary, &path).map_err(|source| fatal(cannot("rename into place", source)))?;
    folder.sync().map_err(fatal)
}

/// A failed sync is never retried, whatever it says: the kernel may have dropped the data and forgotten.
fn fatal(error: Error) -> Error {
    let message =
        format!("{}; this log takes no more records until the shard is opened anew", error.message());
    Error::new(ErrorKind::Failed, message).with_source(error)
}

/// Completes the chunk's headers as successors of `durable`; returns its last record.
fn seal(folder: &Folder, chunk: &mut Chunk, durable: ChainPoint) -> ChainPoint {
    let salt = chunk.id.salt(&folder.stream);
    // The same for all records of a chunk: what had been synced when it was written. By it `scan` tells
    // damage from a torn tail.
    let synced = if durable.at.epoch == chunk.id.epoch { durable.at.sequence } else { 0 };
    let mut last = durable;
    let mut rest = chunk.bytes.as_mut_slice();
    if chunk.offset == 0 {
        let (header, records) = rest.split_at_mut(FILE_HEADER_BYTES);
        let fields = FileHeader { stream: folder.stream, id: chunk.id, previous: durable };
        header.copy_from_slice(&fields.encode());
        rest = records;
    }
    for (sequence, length) in (synced + 1..).zip(&chunk.lengths) {
        let (record, behind) = rest.split_at_mut(RECORD_HEADER_BYTES + *length as usize);
        let header = RecordHeader { previous_crc: last.crc, length: *length, sequence, synced };
        let crc = header.seal(record, salt);
        last = ChainPoint { at: Watermark::new(chunk.id.epoch, sequence), crc };
        rest = behind;
    }
    last
}
