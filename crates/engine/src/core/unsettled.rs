//! Which ids the records concern that the log does not hold for good yet. What the shard's state says of them
//! is what the next update is judged and merged by, in the order of the log, but nobody is told of it before
//! it is durable.

use std::collections::VecDeque;

use store::Watermark;

/// The records appended and not known to be durable, in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct Unsettled {
    records: VecDeque<UnsettledRecord>,
}

#[derive(Debug)]
struct UnsettledRecord {
    at: Watermark,
    concerned: Concerned,
}

/// The ids that a record is about, by their hash.
#[derive(Debug)]
pub(crate) enum Concerned {
    /// A list to be searched from end to end, as it is made for every group and asked for seldom: a thousand
    /// take 0.3 µs.
    Ids(Box<[u64]>),
    All,
}

impl Unsettled {
    /// A record was appended; `durable` is how far the log is known to be so.
    pub(crate) fn note(&mut self, at: Watermark, concerned: Concerned, durable: Watermark) {
        self.forget(durable);
        self.records.push_back(UnsettledRecord { at, concerned });
    }

    /// Records up to here are durable.
    pub(crate) fn forget(&mut self, durable: Watermark) {
        let settled = self.records.partition_point(|record| record.at <= durable);
        self.records.drain(..settled);
    }

    /// The last record that concerns an id.
    pub(crate) fn last_of(&self, hash: u64) -> Option<Watermark> {
        let concerns = |record: &&UnsettledRecord| match &record.concerned {
            Concerned::Ids(hashes) => hashes.contains(&hash),
            Concerned::All => true,
        };
        self.records.iter().rev().find(concerns).map(|record| record.at)
    }

    pub(crate) fn last(&self) -> Option<Watermark> {
        self.records.back().map(|record| record.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_of_an_id_counts_until_it_is_durable() {
        let at = |sequence| Watermark::new(1, sequence);
        let ids = |hashes: &[u64]| Concerned::Ids(hashes.into());
        let mut unsettled = Unsettled::default();
        assert_eq!(unsettled.last(), None);
        unsettled.note(at(1), ids(&[7, 8]), Watermark::START);
        unsettled.note(at(2), ids(&[8]), Watermark::START);
        let found = |unsettled: &Unsettled| [7, 8, 9].map(|hash| unsettled.last_of(hash));
        assert_eq!(found(&unsettled), [Some(at(1)), Some(at(2)), None]);
        unsettled.note(at(3), Concerned::All, at(1));
        assert_eq!(found(&unsettled), [Some(at(3)); 3]);
        unsettled.forget(at(3));
        assert_eq!((found(&unsettled), unsettled.last()), ([None; 3], None));
    }
}
