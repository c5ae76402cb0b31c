//! The bytes of a log file: its header and its records, encoded and decoded. Pure functions over slices;
//! reading files and deciding what damage means is `scan` and `replay`. The format is described in
//! `docs/adr/0002-log-and-manifest-format.md`; all integers are little-endian.
//!
//! A decoder meets arbitrary bytes: it never panics and never allocates by a length it read.

use crate::contract::{RECORD_BYTES_MAX, Watermark};

/// What sets one log apart from another, so that files copied between shards are refused.
pub(crate) type StreamId = [u8; 16];

pub(crate) const FILE_HEADER_BYTES: usize = 72;
pub(crate) const RECORD_HEADER_BYTES: usize = 32;
const MAGIC: [u8; 8] = *b"PHLNLOG\n";
const FORMAT: u32 = 1;

/// Where a file stands in the log; also its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId {
    pub epoch: u64,
    /// Sequence of the first record.
    pub base: u64,
}

impl FileId {
    pub(crate) fn file_name(self) -> String {
        format!("{:020}-{:020}.log", self.epoch, self.base)
    }

    pub(crate) fn from_file_name(name: &str) -> Option<Self> {
        let (epoch, base) = name.strip_suffix(".log")?.split_once('-')?;
        let id = Self { epoch: epoch.parse().ok()?, base: base.parse().ok()? };
        (id.base > 0 && id.file_name() == name).then_some(id)
    }

    pub(crate) fn first(self) -> Watermark {
        Watermark::new(self.epoch, self.base)
    }

    /// Start value of every record's CRC in this file: a record of another file or another log never
    /// verifies. Derived from the name, so that records can be checked even where the header is damaged.
    pub(crate) fn salt(self, stream: &StreamId) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(stream);
        hasher.update(&self.epoch.to_le_bytes());
        hasher.update(&self.base.to_le_bytes());
        hasher.finalize()
    }
}

/// A record and its CRC: what the next record, or the next file, must say it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ChainPoint {
    pub at: Watermark,
    pub crc: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHeader {
    pub stream: StreamId,
    pub id: FileId,
    /// The record before this file's first. A header is written only when that record is durable.
    pub previous: ChainPoint,
}

impl FileHeader {
    pub(crate) fn encode(&self) -> [u8; FILE_HEADER_BYTES] {
        let mut bytes = [0; FILE_HEADER_BYTES];
        let mut put = Put { bytes: &mut bytes, at: 0 };
        put.bytes(&MAGIC);
        put.bytes(&FORMAT.to_le_bytes());
        put.bytes(&0u32.to_le_bytes());
        put.bytes(&self.stream);
        put.bytes(&self.id.epoch.to_le_bytes());
        put.bytes(&self.id.base.to_le_bytes());
        put.bytes(&self.previous.at.epoch.to_le_bytes());
        put.bytes(&self.previous.at.sequence.to_le_bytes());
        put.bytes(&self.previous.crc.to_le_bytes());
        let crc = crc32fast::hash(put.written());
        put.bytes(&crc.to_le_bytes());
        bytes
    }

    /// `None` unless the bytes begin with a whole header of this format version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..FILE_HEADER_BYTES)?;
        let (body, crc) = bytes.split_at(FILE_HEADER_BYTES - 4);
        let mut take = Take(body);
        let (magic, format, _reserved) = (take.array::<8>()?, take.u32()?, take.u32()?);
        if magic != MAGIC || format != FORMAT || Take(crc).u32()? != crc32fast::hash(body) {
            return None;
        }
        let stream = take.array()?;
        let id = FileId { epoch: take.u64()?, base: take.u64()? };
        let at = Watermark::new(take.u64()?, take.u64()?);
        Some(Self { stream, id, previous: ChainPoint { at, crc: take.u32()? } })
    }
}

/// A record's header without its CRC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordHeader {
    /// CRC of the record before, across files and epochs.
    pub previous_crc: u32,
    /// Payload bytes.
    pub length: u32,
    pub sequence: u64,
    /// Last sequence of this epoch that was durable when this record was written. It is what tells damage
    /// from a torn tail: an unreadable record at or below a later record's `synced` had been acknowledged.
    pub synced: u64,
}

impl RecordHeader {
    /// Writes the header into the first bytes of `record`, whose payload is already in place, and returns its
    /// CRC.
    pub(crate) fn seal(&self, record: &mut [u8], salt: u32) -> u32 {
        let mut put = Put { bytes: record, at: 4 };
        put.bytes(&self.previous_crc.to_le_bytes());
        put.bytes(&self.length.to_le_bytes());
        put.bytes(&0u32.to_le_bytes());
        put.bytes(&self.sequence.to_le_bytes());
        put.bytes(&self.synced.to_le_bytes());
        let crc = salted(salt, &record[4..]);
        record[..4].copy_from_slice(&crc.to_le_bytes());
        crc
    }

    pub(crate) fn size(&self) -> usize {
        RECORD_HEADER_BYTES + self.length as usize
    }

    /// The fields as they stand, unchecked but for the bounds every header keeps.
    fn read(bytes: &[u8]) -> Option<(u32, Self)> {
        let mut take = Take(bytes);
        let crc = take.u32()?;
        let (previous_crc, length, reserved) = (take.u32()?, take.u32()?, take.u32()?);
        let header = Self { previous_crc, length, sequence: take.u64()?, synced: take.u64()? };
        let fine = reserved == 0 && header.synced < header.sequence && length as usize <= RECORD_BYTES_MAX;
        fine.then_some((crc, header))
    }
}

/// A whole, verified record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub header: RecordHeader,
    pub crc: u32,
    pub payload: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at the start of `bytes`, if one stands there whole. Whether it is the *next* one is the
    /// caller's question: compare `sequence` and `previous_crc`.
    pub(crate) fn decode(bytes: &'a [u8], salt: u32) -> Option<Self> {
        let (crc, header) = RecordHeader::read(bytes)?;
        let bytes = bytes.get(..header.size())?;
        let payload = bytes.get(RECORD_HEADER_BYTES..)?;
        (salted(salt, bytes.get(4..)?) == crc).then_some(Self { header, crc, payload })
    }
}

/// Offset of the first record within `bytes` that proves `sequence` was durable when it was written.
pub(crate) fn find_proof(bytes: &[u8], salt: u32, sequence: u64) -> Option<usize> {
    let used = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    // A proof's payload may end in zeros, so only where it starts is bounded by the last byte that is not
    // one.
    (0..used).find(|at| {
        let rest = bytes.get(*at..).unwrap_or_default();
        let plausible = RecordHeader::read(rest).is_some_and(|(_, header)| {
            header.synced >= sequence && header.sequence - sequence <= bytes.len() as u64
        });
        plausible && Record::decode(rest, salt).is_some()
    })
}

fn salted(salt: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(salt);
    hasher.update(bytes);
    hasher.finalize()
}

/// Fills a header of fixed size; its callers' sizes are constants, so running over is a bug and panics.
struct Put<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Put<'_> {
    fn bytes(&mut self, field: &[u8]) {
        self.bytes[self.at..self.at + field.len()].copy_from_slice(field);
        self.at += field.len();
    }

    fn written(&self) -> &[u8] {
        &self.bytes[..self.at]
    }
}

/// Reads fields off the front of a slice.
struct Take<'a>(&'a [u8]);

impl Take<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: FileId = FileId { epoch: 3, base: 17 };

    fn record(payload: &[u8], header: RecordHeader) -> Vec<u8> {
        let mut bytes = vec![0; RECORD_HEADER_BYTES];
        bytes.extend_from_slice(payload);
        header.seal(&mut bytes, ID.salt(&[7; 16]));
        bytes
    }

    #[test]
    fn file_names() {
        let check =
            |name: &str, want: Option<FileId>| assert_eq!(FileId::from_file_name(name), want, "{name}");
        check(&ID.file_name(), Some(ID));
        check("00000000000000000003-00000000000000000017.log", Some(ID));
        check("3-17.log", None);
        check("00000000000000000003-00000000000000000000.log", None);
        check("00000000000000000003-00000000000000000017.log.partial", None);
        check("", None);
    }

    #[test]
    fn header_survives_the_round_trip_and_no_flipped_bit() {
        let previous = ChainPoint { at: Watermark::new(2, 5), crc: 99 };
        let header = FileHeader { stream: [7; 16], id: ID, previous };
        let bytes = header.encode();
        assert_eq!(FileHeader::decode(&bytes), Some(header));
        assert_eq!(FileHeader::decode(&bytes[..FILE_HEADER_BYTES - 1]), None);
        for bit in 0..FILE_HEADER_BYTES * 8 {
            let mut bytes = bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(FileHeader::decode(&bytes), None, "bit {bit}");
        }
    }

    #[test]
    fn record_survives_the_round_trip_and_no_flipped_bit() {
        let header = RecordHeader { previous_crc: 5, length: 3, sequence: 18, synced: 17 };
        let bytes = record(b"abc", header);
        let salt = ID.salt(&[7; 16]);
        let decoded = Record::decode(&bytes, salt).unwrap();
        assert_eq!((decoded.header, decoded.payload), (header, b"abc".as_slice()));
        assert_eq!(Record::decode(&bytes, salt ^ 1), None, "another file's record");
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::decode(&bytes, salt), None, "bit {bit}");
        }
    }

    #[test]
    fn zeros_are_no_record() {
        assert_eq!(Record::decode(&[0; 256], 0), None);
        assert_eq!(find_proof(&[0; 256], 0, 1), None);
    }

    #[test]
    fn proof_is_a_later_record_that_knew_the_sequence_durable() {
        let header = RecordHeader { previous_crc: 5, length: 0, sequence: 20, synced: 18 };
        let mut bytes = vec![0xff; 33];
        bytes.extend(record(b"", header));
        bytes.extend([0; 40]);
        let check = |sequence, want| assert_eq!(find_proof(&bytes, ID.salt(&[7; 16]), sequence), want);
        check(17, Some(33));
        check(18, Some(33));
        check(19, None);
    }
}
