//! Decoders of stored bytes as plain functions over slices, for fuzzers: whatever the bytes, they return. The
//! same code reads a home's files; here there is no disk around it. Used by the targets in `fuzz/` and by
//! tests that feed them torn and flipped bytes of real files.

use crate::log::format::{FileHeader, FileId, Record, find_proof};
use crate::log::scan::read_records;

/// Reads `bytes` as the image of a log file and returns how many records could be read. Never panics.
pub fn log_file(bytes: &[u8]) -> u64 {
    let Some(header) = FileHeader::decode(bytes) else {
        find_proof(bytes, 0, 1);
        return 0;
    };
    let mut count = 0;
    let visited = read_records(bytes, &header, None, &mut |_, _| {
        count += 1;
        Ok(())
    });
    if let Ok(stop) = visited {
        find_proof(bytes.get(stop.offset..).unwrap_or_default(), header.id.salt(&header.stream), count);
    }
    count
}

/// Decodes one record at the start of `bytes` and returns its payload. Never panics.
pub fn log_record(bytes: &[u8]) -> Option<&[u8]> {
    let salt = FileId { epoch: 1, base: 1 }.salt(&[0; 16]);
    Record::decode(bytes, salt).map(|record| record.payload)
}

/// Decodes a manifest's envelope and returns its version and content. Never panics.
pub fn manifest(bytes: &[u8]) -> Option<(u64, &[u8])> {
    crate::manifest::Envelope::decode(bytes).map(|envelope| (envelope.version, envelope.manifest))
}
