//! What histories reached: a report in which something is missing tested less than it says. Filled by
//! `history.rs` and by the medium, added up over all histories by `main.rs`, which prints them under the
//! verdict.

use std::fmt;

use crate::ledger::{BatchFate, SentBatch};
use crate::model::Change;
use crate::predict::Prediction;
use crate::surroundings::NamedCounts;

/// How often each thing happened.
#[derive(Default)]
pub struct Counts {
    /// What went wrong at the medium.
    pub medium: NamedCounts,
    pub acknowledged: u64,
    pub unknown: u64,
    pub refused: u64,
    pub awaited: u64,
    pub sent_again: u64,
    pub answered_again: u64,
    pub deletes_by_query: u64,
    pub blocks: u64,
    pub replacing: u64,
    /// Operations that were refused or passed over for how their document stands.
    pub judged: u64,
    /// Batches with several refusals.
    pub tolerated: u64,
    pub silent_records: u64,
    pub expiries: u64,
    pub gets_unanswered: u64,
    pub commits_failed: u64,
    pub calms: u64,
    pub kills: u64,
    pub take_overs: u64,
    pub clocks_behind: u64,
    pub zombie_updates: u64,
    pub merges: u64,
    pub flushes: u64,
}

impl Counts {
    /// A batch was sent.
    pub fn send(&mut self, fate: BatchFate, batch: &SentBatch, told: &Prediction) {
        match fate {
            BatchFate::Answered => self.acknowledged += 1,
            BatchFate::Refused => self.refused += 1,
            BatchFate::Unknown | BatchFate::New => self.unknown += 1,
        }
        let count = |kind: fn(&Change) -> bool| batch.changes.iter().filter(|it| kind(it)).count() as u64;
        self.deletes_by_query += count(|it| matches!(it, Change::DeleteCount { .. } | Change::DeleteAll));
        self.blocks += count(|it| matches!(it, Change::Block { .. } | Change::CountBelow { .. }));
        self.replacing += count(|it| matches!(it, Change::Replace { .. }));
        self.judged += told.judged.len() as u64;
        self.tolerated += u64::from(told.refused.len() > 1);
        self.silent_records += told.records.iter().filter(|record| record.is_silent).count() as u64;
    }

    fn fields(&mut self) -> Vec<(&'static str, &mut u64)> {
        let medium = self.medium.iter_mut().map(|(name, count)| (*name, count));
        let own = [
            ("updates awaited without a thread", &mut self.awaited),
            ("acknowledged", &mut self.acknowledged),
            ("unknown", &mut self.unknown),
            ("refused", &mut self.refused),
            ("sent again", &mut self.sent_again),
            ("sent again though answered", &mut self.answered_again),
            ("deletes by query", &mut self.deletes_by_query),
            ("blocks", &mut self.blocks),
            ("documents in place of their like", &mut self.replacing),
            ("judged by how a document stands", &mut self.judged),
            ("batches with several refusals", &mut self.tolerated),
            ("records that only remember", &mut self.silent_records),
            ("expiries", &mut self.expiries),
            ("gets unanswered", &mut self.gets_unanswered),
            ("commits failed", &mut self.commits_failed),
            ("calms", &mut self.calms),
            ("kills", &mut self.kills),
            ("take-overs", &mut self.take_overs),
            ("clocks behind those before", &mut self.clocks_behind),
            ("updates of a zombie", &mut self.zombie_updates),
            ("merges", &mut self.merges),
            ("flushes", &mut self.flushes),
        ];
        medium.chain(own).collect()
    }

    pub fn add(&mut self, mut other: Counts) {
        if self.medium.is_empty() {
            self.medium = other.medium.iter().map(|(name, _)| (*name, 0)).collect();
        }
        for ((_, sum), (_, more)) in self.fields().into_iter().zip(other.fields()) {
            *sum += *more;
        }
    }

    /// What no history reached.
    pub fn missing(&mut self) -> Vec<&'static str> {
        let fields = self.fields().into_iter();
        fields.filter(|(_, count)| **count == 0).map(|(name, _)| name).collect()
    }

    /// A line for each.
    pub fn report(&mut self) -> Report {
        Report(self.fields().into_iter().map(|(name, count)| (name, *count)).collect())
    }
}

pub struct Report(NamedCounts);

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, count)| writeln!(f, "{count:>9} {name}"))
    }
}
