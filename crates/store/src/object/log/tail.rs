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
}

/// By epoch and slot.
#[derive(Default)]
pub(super) struct Tail {
    objects: BTreeMap<(u64, u64), Logged>,
    /// Of those that a replay would read.
    bytes: u64,
    trimmed: Watermark,
}

impl Logged {
    fn is_below(&self, epoch: u64, upto: Watermark) -> bool {
        epoch < upto.epoch || epoch == upto.epoch && self.last.is_some_and(|last| last <= upto.sequence)
    }
}

impl Tail {
    /// Of objects of earlier openings: epoch, slot, bytes.
    pub fn new(objects: &[(u64, u64, u64)]) -> Self {
        let mut tail = Self::default();
        for (epoch, slot, bytes) in objects {
            tail.bytes += bytes;
            tail.objects.insert((*epoch, *slot), Logged { bytes: *bytes, last: None });
        }
        tail
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An object that was written or read, with its last record.
    pub fn add(&mut self, (epoch, slot): (u64, u64), bytes: u64, last: u64) {
        let logged = Logged { bytes, last: Some(last) };
        let counted = |it: &Logged| !it.is_below(epoch, self.trimmed);
        let before = self.objects.get(&(epoch, slot)).filter(|it| counted(it)).map_or(0, |it| it.bytes);
        let now = if counted(&logged) { bytes } else { 0 };
        self.bytes = self.bytes + now - before;
        self.objects.insert((epoch, slot), logged);
    }

    /// A replay begins behind `upto` from now on.
    pub fn trim(&mut self, upto: Watermark) {
        self.trimmed = self.trimmed.max(upto);
        let counted = self.objects.iter().filter(|((epoch, _), it)| !it.is_below(*epoch, self.trimmed));
        self.bytes = counted.map(|(_, it)| it.bytes).sum();
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
        let mut tail = Tail::new(&[(1, 1, 100), (1, 2, 100)]);
        assert_eq!(tail.bytes(), 200);
        tail.add((2, 1), 10, 5);
        tail.add((2, 2), 20, 9);
        tail.trim(Watermark::new(2, 7));
        assert_eq!(tail.bytes(), 20, "an older epoch counts no more, nor does a whole group");
        assert_eq!(tail.take_below(Watermark::new(1, 3)), [], "nobody has read how far they go");
        assert_eq!(tail.take_below(Watermark::new(2, 100)), [(1, 1), (1, 2), (2, 1)]);
        assert_eq!(tail.take_below(Watermark::new(2, 100)), []);
        tail.trim(Watermark::new(2, 9));
        assert_eq!(tail.bytes(), 0);
    }
}
