//! The bytes of a shard's objects: one envelope for all of them, which says what they are, whose and by whom,
//! and the bodies of groups, fences and manifests. Files of segments have none: a manifest names their size
//! and CRC.
//!
//! Envelope, little-endian: magic `PHLNOBJ\n`, format 4, kind 4, stream 16, epoch 8, number 8 (a slot or a
//! version), nonce 16 (of the opening that wrote it), length of the body 8, CRC-32 of all other bytes 4; the
//! body. ADR 18.

use crate::contract::Watermark;
use crate::{Error, ErrorKind, RECORD_BYTES_MAX, Result};

const MAGIC: [u8; 8] = *b"PHLNOBJ\n";
const FORMAT: u32 = 1;
pub(crate) const ENVELOPE_BYTES: usize = 76;
/// What a record adds to a group, in bytes.
pub(crate) const RECORD_OVERHEAD: usize = 4;
/// What a group adds to its records at most, in bytes.
pub(crate) const GROUP_OVERHEAD: usize = ENVELOPE_BYTES + GROUP_HEADER_BYTES;
const GROUP_HEADER_BYTES: usize = 37;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Epoch = 1,
    Group = 2,
    Fence = 3,
    Manifest = 4,
    Boundary = 5,
    Document = 6,
}

impl Kind {
    fn of(number: u32) -> Option<Self> {
        [Self::Epoch, Self::Group, Self::Fence, Self::Manifest, Self::Boundary, Self::Document]
            .into_iter()
            .find(|kind| *kind as u32 == number)
    }
}

/// Who writes: an opening of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Writer {
    pub stream: [u8; 16],
    pub epoch: u64,
    pub nonce: [u8; 16],
}

/// An object that was read. `epoch` is the epoch that it belongs to: of a fence, the one whose log it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object<'a> {
    pub kind: Kind,
    pub epoch: u64,
    pub number: u64,
    pub body: &'a [u8],
}

/// The bytes of an object of `writer`; `epoch` is the one that it belongs to.
pub(crate) fn encode(kind: Kind, writer: &Writer, epoch: u64, number: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ENVELOPE_BYTES + body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&(kind as u32).to_le_bytes());
    bytes.extend_from_slice(&writer.stream);
    bytes.extend_from_slice(&epoch.to_le_bytes());
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(&writer.nonce);
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    let crc = crc_of(&bytes, body);
    bytes.extend_from_slice(&crc.to_le_bytes());
    bytes.extend_from_slice(body);
    bytes
}

fn crc_of(head: &[u8], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(body);
    hasher.finalize()
}

/// Errors: `Corrupt` where the bytes are not a whole object of this shard; `Invalid` where a newer version of
/// this program wrote them.
pub(crate) fn decode<'a>(key: &str, stream: &[u8; 16], bytes: &'a [u8]) -> Result<Object<'a>> {
    let damaged = |what: &str| Error::corrupt(key, 0, what);
    let (head, body) =
        bytes.split_at_checked(ENVELOPE_BYTES).ok_or_else(|| damaged("it is shorter than an envelope"))?;
    let mut fields = Fields(head);
    let (magic, format, kind) = (fields.array::<8>(), fields.u32(), fields.u32());
    let (owner, epoch, number) = (fields.array::<16>(), fields.u64(), fields.u64());
    let (_nonce, length, crc) = (fields.array::<16>(), fields.u64(), fields.u32());
    let sealed = head.get(..ENVELOPE_BYTES - 4).unwrap_or_default();
    if magic != MAGIC || crc != crc_of(sealed, body) || length != body.len() as u64 {
        return Err(damaged("its CRC is not that of its bytes"));
    }
    if format != FORMAT {
        let message = format!("`{key}` has format {format}; use a newer version of this program");
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    if owner != *stream {
        return Err(damaged("it belongs to another shard"));
    }
    let kind = Kind::of(kind).ok_or_else(|| damaged("it is of a kind that nobody writes"))?;
    Ok(Object { kind, epoch, number, body })
}

/// Reads a body field by field; what is missing reads as zeros, which its CRC has ruled out.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap_or([0; N])
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
}

/// Where the log of a shard ends: behind the last object of an epoch that has any, or where the log of an
/// epoch begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LogEnd {
    pub epoch: u64,
    /// The last slot of that epoch that has records; 0 before the first.
    pub slot: u64,
    /// CRC-32 of that slot's object, by which the next one is chained to it.
    pub crc: u32,
    /// The last record of all epochs.
    pub last: Watermark,
}

impl LogEnd {
    /// The log of an epoch, before its first record.
    pub(crate) fn before(epoch: u64, last: Watermark) -> Self {
        Self { epoch, slot: 0, crc: 0, last }
    }

    /// The sequence of the next record in this epoch.
    pub(crate) fn next_sequence(&self) -> u64 {
        if self.last.epoch == self.epoch { self.last.sequence + 1 } else { 1 }
    }

    fn to_bytes(self) -> [u8; 36] {
        let mut bytes = [0; 36];
        let fields = [
            self.epoch.to_le_bytes(),
            self.slot.to_le_bytes(),
            self.last.epoch.to_le_bytes(),
            self.last.sequence.to_le_bytes(),
        ];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field);
        }
        bytes[32..].copy_from_slice(&self.crc.to_le_bytes());
        bytes
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        let (epoch, slot) = (fields.u64(), fields.u64());
        let last = Watermark::new(fields.u64(), fields.u64());
        Self { epoch, slot, crc: fields.u32(), last }
    }
}

/// A group of records: what one slot of the log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group<'a> {
    /// CRC-32 of the object in the slot before; 0 in an epoch's first.
    pub before: u32,
    /// The record before the first, of an earlier epoch where it is an epoch's first.
    pub follows: Watermark,
    /// Sequence of the first record.
    pub first: u64,
    pub count: u32,
    raw_bytes: u32,
    is_packed: bool,
    payload: &'a [u8],
}

impl<'a> Group<'a> {
    /// The body of the group that goes behind `end`. Compressed where that makes it smaller.
    pub(crate) fn encode(end: &LogEnd, records: &[Vec<u8>]) -> Vec<u8> {
        let mut raw = Vec::with_capacity(records.iter().map(|record| record.len() + RECORD_OVERHEAD).sum());
        for record in records {
            raw.extend_from_slice(&(record.len() as u32).to_le_bytes());
            raw.extend_from_slice(record);
        }
        let packed = lz4_flex::block::compress(&raw);
        let is_packed = packed.len() < raw.len();
        let payload = if is_packed { &packed } else { &raw };
        let mut body = Vec::with_capacity(GROUP_OVERHEAD + payload.len());
        body.extend_from_slice(&end.crc.to_le_bytes());
        body.extend_from_slice(&end.last.epoch.to_le_bytes());
        body.extend_from_slice(&end.last.sequence.to_le_bytes());
        body.extend_from_slice(&end.next_sequence().to_le_bytes());
        body.extend_from_slice(&(records.len() as u32).to_le_bytes());
        body.extend_from_slice(&(raw.len() as u32).to_le_bytes());
        body.push(u8::from(is_packed));
        body.extend_from_slice(payload);
        body
    }

    pub(crate) fn decode(body: &'a [u8]) -> Self {
        let mut fields = Fields(body);
        let before = fields.u32();
        let follows = Watermark::new(fields.u64(), fields.u64());
        let (first, count, raw_bytes) = (fields.u64(), fields.u32(), fields.u32());
        let is_packed = fields.array::<1>() == [1];
        Self { before, follows, first, count, raw_bytes, is_packed, payload: fields.0 }
    }

    /// Sequence of the last record.
    pub(crate) fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.count)).saturating_sub(1)
    }

    /// Calls `visit` with each record. `None` where the payload is not what `encode` makes.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(u64, &[u8]) -> Result<()>) -> Option<Result<()>> {
        let raw_bytes = self.raw_bytes as usize;
        // Nothing that this program writes is longer: a group of several records is cut long before.
        if raw_bytes > RECORD_BYTES_MAX + RECORD_OVERHEAD {
            return None;
        }
        let unpacked;
        let mut rest = if self.is_packed {
            unpacked = lz4_flex::block::decompress(self.payload, raw_bytes).ok()?;
            &*unpacked
        } else {
            self.payload
        };
        for sequence in self.first..=self.last() {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let (record, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = behind;
            if let Err(error) = visit(sequence, record) {
                return Some(Err(error));
            }
        }
        rest.is_empty().then_some(Ok(()))
    }
}

/// What ends the log of an epoch: who took over, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The epoch that took over.
    pub by: u64,
    /// Where the log stood.
    pub end: LogEnd,
}

impl Fence {
    pub(crate) fn encode(self) -> Vec<u8> {
        [&self.by.to_le_bytes()[..], &self.end.to_bytes()].concat()
    }

    pub(crate) fn decode(body: &[u8]) -> Self {
        let mut fields = Fields(body);
        Self { by: fields.u64(), end: LogEnd::read(&mut fields) }
    }
}

/// A link of the chain of manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The version under which the content was published first: a new owner publishes it again. 0 where
    /// nothing was published yet.
    pub content_version: u64,
    /// From where the logs of older owners are to be fenced: nothing behind it was trimmed when this was
    /// published, and the logs of all epochs before have fences.
    pub sealed: LogEnd,
    pub content: Vec<u8>,
}

impl Link {
    pub(crate) fn encode(&self) -> Vec<u8> {
        [&self.content_version.to_le_bytes()[..], &self.sealed.to_bytes(), &self.content].concat()
    }

    pub(crate) fn decode(body: &[u8]) -> Self {
        let mut fields = Fields(body);
        let (content_version, sealed) = (fields.u64(), LogEnd::read(&mut fields));
        Self { content_version, sealed, content: fields.0.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITER: Writer = Writer { stream: [3; 16], epoch: 7, nonce: [5; 16] };

    #[test]
    fn an_object_survives_the_round_trip_and_no_flipped_bit() {
        let bytes = encode(Kind::Fence, &WRITER, 6, 12, b"body");
        assert_eq!(bytes.len(), ENVELOPE_BYTES + 4);
        let object = decode("key", &[3; 16], &bytes).unwrap();
        assert_eq!(object, Object { kind: Kind::Fence, epoch: 6, number: 12, body: b"body" });
        for cut in 0..bytes.len() {
            assert!(decode("key", &[3; 16], &bytes[..cut]).is_err(), "cut at {cut}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let kind = decode("key", &[3; 16], &bytes).unwrap_err().kind().clone();
            assert!(matches!(kind, ErrorKind::Corrupt { .. }), "bit {bit}");
        }
        assert!(decode("key", &[4; 16], &bytes).is_err(), "another shard's");
    }

    fn visited(group: &Group<'_>) -> Option<Vec<(u64, Vec<u8>)>> {
        let mut found = Vec::new();
        let visit = &mut |sequence, record: &[u8]| {
            found.push((sequence, record.to_vec()));
            Ok(())
        };
        group.visit(visit)?.ok()?;
        Some(found)
    }

    #[test]
    fn groups_hold_records_packed_or_not() {
        for records in [vec![vec![], vec![7; 5000], vec![1, 2, 3]], vec![vec![9]], vec![vec![]]] {
            let end = LogEnd { epoch: 2, slot: 5, crc: 11, last: Watermark::new(2, 39) };
            let body = Group::encode(&end, &records);
            let group = Group::decode(&body);
            assert_eq!((group.before, group.follows), (11, end.last));
            assert_eq!((group.first, group.last()), (40, 39 + records.len() as u64));
            assert_eq!(visited(&group), Some((40..).zip(records.clone()).collect()));
            for cut in GROUP_HEADER_BYTES..body.len() {
                assert_eq!(visited(&Group::decode(&body[..cut])), None, "cut at {cut}");
            }
        }
        let packed = Group::encode(&LogEnd::before(1, Watermark::START), &[vec![7; 5000]]);
        assert!(packed.len() < 200, "{} bytes", packed.len());
    }

    #[test]
    fn fences_and_links_survive_the_round_trip() {
        let end = LogEnd { epoch: 4, slot: 9, crc: 77, last: Watermark::new(3, 12) };
        assert_eq!(end.next_sequence(), 1, "no record in epoch 4 yet");
        let fence = Fence { by: 5, end };
        assert_eq!(Fence::decode(&fence.encode()), fence);
        let link = Link { content_version: 6, sealed: end, content: b"content".to_vec() };
        assert_eq!(Link::decode(&link.encode()), link);
    }
}
