//! Records that were appended and are not durable: in memory, in order, cut into groups. A group that was
//! offered keeps its bytes and its slot until it is known what became of it. When a group is cut, and what
//! the store answered, is `mod.rs`'s. The bytes stay the same for every try, since a try whose answer was
//! lost may have landed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Room;
use crate::contract::Watermark;
use crate::object::format::{GROUP_OVERHEAD, Group, Kind, LogEnd, RECORD_OVERHEAD};
use crate::object::medium::ObjectBytes;
use crate::object::owned::Owned;

pub(super) struct Queue {
    /// The last sequence given out.
    last: u64,
    records: VecDeque<Vec<u8>>,
    bytes: usize,
    promised: Arc<AtomicUsize>,
}

/// A group on its way into a slot.
#[derive(Clone)]
pub(super) struct Offer {
    pub bytes: ObjectBytes,
    /// Where the log stands once it is there.
    pub end: LogEnd,
    pub records: u64,
    /// Of its records.
    pub raw_bytes: usize,
}

impl Queue {
    pub fn new() -> Self {
        Self { last: 0, records: VecDeque::new(), bytes: 0, promised: Arc::default() }
    }

    pub fn last(&self) -> u64 {
        self.last
    }

    /// Of records that are in no group yet, with what a group adds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn promised(&self) -> usize {
        self.promised.load(Ordering::Relaxed)
    }

    /// Room for a record that may become a group of its own.
    pub fn promise(&self, bytes: usize) -> Room {
        Room::promise(bytes, RECORD_OVERHEAD + GROUP_OVERHEAD, &self.promised)
    }

    pub fn push(&mut self, record: &[u8]) -> u64 {
        self.bytes += record.len() + RECORD_OVERHEAD + GROUP_OVERHEAD;
        self.records.push_back(record.to_vec());
        self.last += 1;
        self.last
    }

    /// The first records, at most `bytes_max` of them unless one alone is longer.
    pub fn take(&mut self, bytes_max: usize) -> Vec<Vec<u8>> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while let Some(record) = self.records.front() {
            let more = record.len() + RECORD_OVERHEAD;
            if !taken.is_empty() && bytes + more > bytes_max {
                break;
            }
            bytes += more;
            self.bytes -= more + GROUP_OVERHEAD;
            taken.extend(self.records.pop_front());
        }
        taken
    }
}

impl Offer {
    /// The records behind `end` as the object of the next slot.
    pub fn new(owned: &Owned, end: &LogEnd, records: &[Vec<u8>]) -> Self {
        let (slot, first) = (end.slot + 1, end.next_sequence());
        let body = Group::encode(end, records);
        let bytes = owned.encode(Kind::Group, slot, &body);
        let raw_bytes = records.iter().map(Vec::len).sum();
        let records = records.len() as u64;
        let last = Watermark::new(end.epoch, first + records - 1);
        let end = LogEnd { epoch: end.epoch, slot, crc: crc32fast::hash(&bytes), last };
        Self { bytes, end, records, raw_bytes }
    }
}
