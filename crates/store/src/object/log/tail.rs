//! The objects of the log that may still be there, and how much of them a replay would read. What is below
//! the newest manifest's watermark counts no more, and is deleted once no manifest that is kept needs it. In:
//! what was offered and landed, and manifests as they come out; out: what may be deleted, and how long a
//! restart would read, by which flushes become due.

use std::collections::BTreeMap;

use crate::contract::Watermark;

/// An object of the log.
#[derive(Debug, Clone, Copy)]
struct Logged {
    bytes: u64,
    /// Its last record; not known of what an earlier opening wrote before it is read.
    last: Option<u64>,
    records: u64,
    /// When it was written, or found.
    at_ms: u64,
}

/// An object of the log that was written or read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landed {
    /// Epoch and slot.
    pub at: (u64, u64),
    pub bytes: u64,
    pub last: u64,
    pub records: u64,
}

/// By epoch and slot.
#[derive(Default)]
pub(super) struct Tail {
    objects: BTreeMap<(u64, u64), Logged>,
    unflushed: Unflushed,
    trimmed: Watermark,
}

/// What a replay would read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unflushed {
    pub bytes: u64,
    /// As far as they were ever read or written here.
    pub records: u64,
    /// When the first of them was written, or found.
    pub oldest_ms: Option<u64>,
}

impl Unflushed {
    fn plus(self, (bytes, records): (u64, u64), at_ms: u64) -> Self {
        Self {
            bytes: self.bytes + bytes,
            records: self.records + records,
            oldest_ms: self.oldest_ms.or(Some(at_ms)),
        }
    }
}

impl Logged {
    fn is_below(&self, epoch: u64, upto: Watermark) -> bool {
        epoch < upto.epoch || epoch == upto.epoch && self.last.is_some_and(|last| last <= upto.sequence)
    }
}

impl Tail {
    /// Of objects of earlier openings: epoch, slot, bytes.
    pub fn new(objects: &[(u64, u64, u64)], now_ms: u64) -> Self {
        let mut tail = Self::default();
        for (epoch, slot, bytes) in objects {
            tail.unflushed = tail.unflushed.plus((*bytes, 0), now_ms);
            tail.objects
                .insert((*epoch, *slot), Logged { bytes: *bytes, last: None, records: 0, at_ms: now_ms });
        }
        tail
    }

    pub fn unflushed(&self) -> Unflushed {
        self.unflushed
    }

    /// Bytes and records that a replay would read of an object.
    fn counted(&self, epoch: u64, it: &Logged) -> (u64, u64) {
        if it.is_below(epoch, self.trimmed) {
            return (0, 0);
        }
        let is_cut = epoch == self.trimmed.epoch;
        let left = it.last.filter(|_| is_cut).map_or(u64::MAX, |last| last - self.trimmed.sequence);
        (it.bytes, it.records.min(left))
    }

    /// An object that was written, or was read again.
    pub fn add(&mut self, landed: Landed, now_ms: u64) {
        let Landed { at, bytes, last, records } = landed;
        let before = self.objects.get(&at).copied();
        let at_ms = before.map_or(now_ms, |it| it.at_ms);
        let logged = Logged { bytes, last: Some(last), records, at_ms };
        let (bytes, records) = self.counted(at.0, &logged);
        let (bytes_before, records_before) = before.map_or((0, 0), |it| self.counted(at.0, &it));
        self.unflushed.bytes -= bytes_before;
        self.unflushed.records -= records_before;
        if bytes > 0 {
            self.unflushed = self.unflushed.plus((bytes, records), at_ms);
        }
        self.objects.insert(at, logged);
    }

    /// A replay begins behind `upto` from now on.
    pub fn trim(&mut self, upto: Watermark) {
        self.trimmed = self.trimmed.max(upto);
        self.unflushed = Unflushed::default();
        for ((epoch, _), it) in &self.objects {
            let counted = self.counted(*epoch, it);
            if counted.0 > 0 {
                self.unflushed = self.unflushed.plus(counted, it.at_ms);
            }
        }
    }

    /// Takes off the objects that hold nothing above `upto`: epoch and slot.
    pub fn take_below(&mut self, upto: Watermark) -> Vec<(u64, u64)> {
        let upto = upto.min(self.trimmed);
        self.objects.extract_if(.., |(epoch, _), it| it.is_below(*epoch, upto)).map(|(at, _)| at).collect()
    }

    /// All that was written in slots up to `slot` of the last epoch, and in earlier ones.
    pub fn keys(&self) -> Vec<(u64, u64)> {
        self.objects.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_replay_reads_is_counted_until_it_is_trimmed() {
        let mut tail = Tail::new(&[(1, 1, 100), (1, 2, 100)], 3);
        let check = |tail: &Tail, bytes, records, oldest_ms| {
            assert_eq!(tail.unflushed(), Unflushed { bytes, records, oldest_ms });
        };
        check(&tail, 200, 0, Some(3));
        tail.add(Landed { at: (2, 1), bytes: 10, last: 5, records: 5 }, 10);
        tail.add(Landed { at: (2, 2), bytes: 20, last: 9, records: 4 }, 20);
        tail.add(Landed { at: (1, 1), bytes: 100, last: 7, records: 7 }, 30);
        check(&tail, 230, 16, Some(3));
        tail.trim(Watermark::new(2, 7));
        // An older epoch counts no more, nor does a whole group; of one that is cut, what is above.
        check(&tail, 20, 2, Some(20));
        assert_eq!(tail.take_below(Watermark::new(1, 3)), [], "nobody has read how far they go");
        assert_eq!(tail.take_below(Watermark::new(2, 100)), [(1, 1), (1, 2), (2, 1)]);
        assert_eq!(tail.take_below(Watermark::new(2, 100)), []);
        tail.trim(Watermark::new(2, 9));
        check(&tail, 0, 0, None);
    }
}
