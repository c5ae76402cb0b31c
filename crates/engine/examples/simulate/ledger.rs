//! What clients know: which batches were acknowledged, refused or left unknown, and what was ever told of a document. From that
//! follows what every later answer may say.

use std::collections::BTreeMap;

use plan::BatchId;

/// Batches add one to both documents of a pair, in each of their records.
pub struct SentBatch {
    pub number: u64,
    pub pair: u8,
    /// Records of the log that it makes: the pair is counted up once in each.
    pub records: u8,
    pub fate: BatchFate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchFate {
    Acknowledged,
    Unknown,
    Refused,
}

impl SentBatch {
    pub fn id(&self) -> BatchId {
        BatchId(u128::from(self.number).to_be_bytes())
    }
}

#[derive(Default)]
pub struct Ledger {
    pub batches: Vec<SentBatch>,
    /// The highest count that anybody was ever told of a pair.
    told: BTreeMap<u8, i64>,
    /// The same of searches alone, which may lag behind gets.
    shown: BTreeMap<u8, i64>,
}

impl Ledger {
    fn sum(&self, pair: u8, fate: BatchFate) -> i64 {
        let of_pair = self.batches.iter().filter(|batch| batch.pair == pair && batch.fate == fate);
        of_pair.map(|batch| i64::from(batch.records)).sum()
    }

    pub fn unknown(&self) -> Vec<usize> {
        let unknown = |(at, batch): (usize, &SentBatch)| (batch.fate == BatchFate::Unknown).then_some(at);
        self.batches.iter().enumerate().filter_map(unknown).collect()
    }

    /// A get was answered by the owner.
    pub fn check_get(&mut self, pair: u8, counts: [i64; 2]) {
        self.check_possible("a get", pair, counts);
        let (least, told) = (self.sum(pair, BatchFate::Acknowledged), self.told.entry(pair).or_default());
        assert!(counts[0] >= least, "pair {pair}: a get says {}, acknowledged were {least}", counts[0]);
        assert!(counts[0] >= *told, "pair {pair}: a get says {}, and {told} was told before", counts[0]);
        *told = counts[0];
    }

    /// Another opening, which shows all that anybody was told before.
    pub fn opened(&mut self) {
        self.shown.clone_from(&self.told);
    }

    /// A search was answered.
    pub fn check_search(&mut self, pair: u8, counts: [i64; 2]) {
        self.check_possible("a search", pair, counts);
        let told = self.told.entry(pair).or_default();
        let shown = self.shown.entry(pair).or_default();
        assert!(
            counts[0] >= *shown,
            "pair {pair}: a search shows {}, and {shown} was shown before",
            counts[0]
        );
        *shown = counts[0];
        *told = counts[0].max(*told);
    }

    fn check_possible(&self, who: &str, pair: u8, counts: [i64; 2]) {
        let most = self.sum(pair, BatchFate::Acknowledged) + self.sum(pair, BatchFate::Unknown);
        assert!(counts[0] == counts[1], "pair {pair}: {who} tells half of a record: {counts:?}");
        assert!(counts[0] <= most, "pair {pair}: {who} says {}, at most {most} were sent", counts[0]);
    }

    /// Everything was sent until it was acknowledged.
    pub fn check_end(&self, pair: u8, counts: [i64; 2]) {
        let expected = self.sum(pair, BatchFate::Acknowledged);
        assert!(counts == [expected; 2], "pair {pair}: in the end it has {counts:?} instead of {expected}");
    }
}
