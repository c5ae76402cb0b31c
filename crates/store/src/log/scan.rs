//! Reads the records of one file image, and at opening decides where the log ends: `survey`.
//!
//! What cannot be read is a *torn tail* if it was never acknowledged, and *damage* if it was. A group of
//! records is written only after the group before it was synced, and every record carries the last sequence
//! that was durable then (`synced`). So an unreadable record with sequence s had been acknowledged exactly if
//! some later record says `synced >= s`, or a later file has a header (written only once everything before is
//! durable). Without such proof only the last group can be affected, and a crash explains it: sectors of an
//! unsynced group reach the disk in any order. Known limit: damage inside the very last group of a log, with
//! nothing written or opened since, looks torn as well.

use crate::contract::Watermark;
use crate::log::folder::{Folder, Link};
use crate::log::format::{ChainPoint, FILE_HEADER_BYTES, FileHeader, FileId, Record, StreamId, find_proof};
use crate::{Error, Result};

/// What a reader does with each record of the chain, readable ones only.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(Watermark, &[u8]) -> Result<()>;

/// Where reading a file stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The last record read, or what the header says came before the file.
    pub chain: ChainPoint,
    /// Just behind it.
    pub offset: usize,
    /// Where the last group begins: all before it was synced before it was written.
    pub group: usize,
}

/// Visits the records of a file until `until`, or until the next record in the chain cannot be read.
pub(crate) fn read_records(
    image: &[u8],
    header: &FileHeader,
    until: Option<Watermark>,
    visit: Visit<'_>,
) -> Result<Stop> {
    let salt = header.id.salt(&header.stream);
    let mut stop = Stop { chain: header.previous, offset: FILE_HEADER_BYTES, group: FILE_HEADER_BYTES };
    let mut sequence = header.id.base;
    let mut synced = None;
    while until != Some(stop.chain.at) {
        let rest = image.get(stop.offset..).unwrap_or_default();
        let next = Record::decode(rest, salt)
            .filter(|next| next.header.sequence == sequence && next.header.previous_crc == stop.chain.crc);
        let Some(record) = next else { break };
        if synced != Some(record.header.synced) {
            (synced, stop.group) = (Some(record.header.synced), stop.offset);
        }
        stop.chain = ChainPoint { at: Watermark::new(header.id.epoch, sequence), crc: record.crc };
        stop.offset += record.header.size();
        sequence += 1;
        visit(stop.chain.at, record.payload)?;
    }
    Ok(stop)
}

/// The end of a log, as found at opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Survey {
    pub end: ChainPoint,
    pub torn_bytes: u64,
}

/// Finds the end of the log, and makes what it found durable: bytes that a killed process wrote but did not
/// sync are about to be replayed, and must not vanish afterwards.
pub(crate) fn survey(folder: &Folder, links: &[Link]) -> Result<Survey> {
    let last = links.iter().rposition(|link| link.header.is_some());
    let (after, mut survey) = match last.and_then(|at| links.get(at)?.header) {
        None => (links, Survey::default()),
        Some(header) => {
            let after = last.and_then(|at| links.get(at + 1..)).unwrap_or_default();
            (after, survey_last(folder, &header, after)?)
        }
    };
    for link in after {
        let image = folder.read(link.id)?;
        survey.torn_bytes += used_bytes(&image) as u64;
        if find_proof(&image, link.id.salt(&folder.stream), link.id.base).is_some() {
            return Err(Error::corrupt(
                &link.id.file_name(),
                0,
                "its header cannot be read, its records can",
            ));
        }
    }
    Ok(survey)
}

/// `after` are files without a readable header, behind the last file that has one.
fn survey_last(folder: &Folder, header: &FileHeader, after: &[Link]) -> Result<Survey> {
    let image = folder.read(header.id)?;
    let stop = read_records(&image, header, None, &mut |_, _| Ok(()))?;
    let missing = next_sequence(header.id, stop.chain.at);
    let rest = image.get(stop.offset..).unwrap_or_default();
    let mut proven = proves(rest, header.id, &folder.stream, missing);
    for link in after.iter().filter(|link| link.id.epoch == header.id.epoch && missing < link.id.base) {
        proven = proven || proves(&folder.read(link.id)?, link.id, &folder.stream, missing);
    }
    if proven {
        return Err(Error::corrupt(&header.id.file_name(), stop.offset as u64, &unreadable(missing)));
    }
    settle(folder, header.id, &image, stop)?;
    let torn_bytes = used_bytes(rest) as u64;
    Ok(Survey { end: stop.chain, torn_bytes })
}

fn proves(image: &[u8], id: FileId, stream: &StreamId, sequence: u64) -> bool {
    find_proof(image, id.salt(stream), sequence).is_some()
}

/// Writes the last group once more and syncs it. The first write may have been synced by nobody, or by a sync
/// that failed, after which a kernel may hold the pages for clean and a second sync for done.
fn settle(folder: &Folder, id: FileId, image: &[u8], stop: Stop) -> Result<()> {
    let from = if stop.group == FILE_HEADER_BYTES { 0 } else { stop.group };
    let group = image.get(from..stop.offset).unwrap_or_default();
    let (file, path) = folder.open(id)?;
    file.write_at(group, from as u64).map_err(|source| Error::io("write", &path, source))?;
    file.sync().map_err(|source| Error::io("sync", &path, source))?;
    folder.sync()
}

/// The first sequence of the file `id` that was not read.
fn next_sequence(id: FileId, read: Watermark) -> u64 {
    if read.epoch == id.epoch { read.sequence.saturating_add(1) } else { id.base }
}

pub(crate) fn unreadable(sequence: u64) -> String {
    format!("record {sequence}, which had been acknowledged, cannot be read")
}

/// Length up to the last byte that is not zero: what lies behind is unused reservation.
fn used_bytes(image: &[u8]) -> usize {
    image.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}
