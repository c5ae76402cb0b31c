//! One history: steps drawn from a seed, each answer held against the ledger, and an end at which everything is settled.

use std::fmt;
use std::sync::Arc;

use engine::Shard;
use plan::{Commit, Durable, ErrorKind, UpdateOutcome};
use store::memory::{Fate, MemoryCounts};

use crate::ledger::{BatchFate, Ledger, SentBatch};
use crate::random::Random;
use crate::stage::{PAIRS, Stage, get, search, send};

const STEPS: u64 = 60;

/// What histories reached.
#[derive(Default)]
pub struct Counts {
    medium: MemoryCounts,
    acknowledged: u64,
    unknown: u64,
    refused: u64,
    sent_again: u64,
    gets_unanswered: u64,
    commits_failed: u64,
    kills: u64,
    take_overs: u64,
    zombie_updates: u64,
    merges: u64,
    flushes: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        let Counts { medium, .. } = other;
        let MemoryCounts { groups, answered_late, delayed, failed, deposed, lost_on_the_way, full } = *medium;
        let mine = &mut self.medium;
        for (sum, more) in [
            (&mut mine.groups, groups),
            (&mut mine.answered_late, answered_late),
            (&mut mine.delayed, delayed),
            (&mut mine.failed, failed),
            (&mut mine.deposed, deposed),
            (&mut mine.lost_on_the_way, lost_on_the_way),
            (&mut mine.full, full),
            (&mut self.acknowledged, other.acknowledged),
            (&mut self.unknown, other.unknown),
            (&mut self.refused, other.refused),
            (&mut self.sent_again, other.sent_again),
            (&mut self.gets_unanswered, other.gets_unanswered),
            (&mut self.commits_failed, other.commits_failed),
            (&mut self.kills, other.kills),
            (&mut self.take_overs, other.take_overs),
            (&mut self.zombie_updates, other.zombie_updates),
            (&mut self.merges, other.merges),
            (&mut self.flushes, other.flushes),
        ] {
            *sum += more;
        }
    }

    fn named(&self) -> [(&'static str, u64); 18] {
        let MemoryCounts { groups, answered_late, delayed, failed, deposed, lost_on_the_way, full } =
            self.medium;
        [
            ("groups written", groups),
            ("answered late", answered_late),
            ("delayed", delayed),
            ("failed", failed),
            ("met a newer owner", deposed),
            ("lost on the way", lost_on_the_way),
            ("full", full),
            ("acknowledged", self.acknowledged),
            ("unknown", self.unknown),
            ("refused", self.refused),
            ("sent again", self.sent_again),
            ("gets unanswered", self.gets_unanswered),
            ("commits failed", self.commits_failed),
            ("kills", self.kills),
            ("take-overs", self.take_overs),
            ("updates of a zombie", self.zombie_updates),
            ("merges", self.merges),
            ("flushes", self.flushes),
        ]
    }

    /// Histories that reach no fault of a kind do not count.
    pub fn reached_all(&self) -> bool {
        let missing: Vec<_> = self.named().into_iter().filter(|(_, count)| *count == 0).collect();
        assert!(missing.is_empty(), "never reached: {missing:?}");
        true
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.named().iter().try_for_each(|(name, count)| writeln!(f, "{count:>9} {name}"))
    }
}

/// Lives one history. Panics with what was promised and not kept.
pub fn live(seed: u64) -> Counts {
    let mut history = History::begin(seed);
    for _ in 0..STEPS {
        history.step();
    }
    history.end()
}

struct History {
    random: Random,
    stage: Stage,
    shard: Arc<Shard>,
    ledger: Ledger,
    counts: Counts,
}

impl History {
    fn begin(seed: u64) -> Self {
        let stage = Stage::new();
        let shard = stage.open().expect("a new shard opens");
        let (ledger, counts) = (Ledger::default(), Counts::default());
        Self { random: Random(seed), stage, shard, ledger, counts }
    }

    fn step(&mut self) {
        if self.shard.stats().refused.is_some() && self.random.one_in(2) {
            return self.take_over();
        }
        match self.random.below(30) {
            0..8 => self.send_new(),
            8..11 => self.send_again(),
            11..14 => self.get(),
            14..17 => self.search(),
            17..19 => self.commit(&Commit::SOFT),
            19..21 => self.commit(&Commit::HARD),
            21 => self.commit(&Commit { max_segments: Some(1), ..Commit::SOFT }),
            22..24 => self.turn(),
            24..27 => self.set_fate(),
            27 => self.limit_space(),
            28 => self.kill(),
            _ => self.take_over(),
        }
    }

    fn send_new(&mut self) {
        let number = self.ledger.batches.len() as u64;
        let pair = self.random.below(u64::from(PAIRS)) as u8;
        let records = 1 + self.random.below(3) as u8;
        self.ledger.batches.push(SentBatch { number, pair, records, fate: BatchFate::Unknown });
        let durable = if self.random.one_in(4) { Durable::Later } else { Durable::Own };
        let outcome = self.send(number as usize, durable);
        let was_refused = outcome.added.is_empty()
            && outcome.failure.as_ref().is_some_and(|error| error.kind == ErrorKind::Unavailable);
        if was_refused {
            self.counts.refused += 1;
            self.ledger.batches[number as usize].fate = BatchFate::Refused;
        }
    }

    fn send_again(&mut self) {
        let unknown = self.ledger.unknown();
        if !unknown.is_empty() {
            self.counts.sent_again += 1;
            let at = unknown[self.random.below(unknown.len() as u64) as usize];
            self.send(at, Durable::Own);
        }
    }

    fn send(&mut self, at: usize, durable: Durable) -> UpdateOutcome {
        let batch = &mut self.ledger.batches[at];
        let outcome = send(&self.shard, batch.id(), batch.pair, batch.records, durable);
        match (&outcome.failure, durable) {
            (None, Durable::Own) => {
                assert_eq!(
                    outcome.added.len(),
                    2 * usize::from(batch.records),
                    "all is acknowledged or none"
                );
                batch.fate = BatchFate::Acknowledged;
                self.counts.acknowledged += 1;
            }
            _ => self.counts.unknown += 1,
        }
        outcome
    }

    fn get(&mut self) {
        let pair = self.random.below(u64::from(PAIRS)) as u8;
        match get(&self.shard, pair) {
            Ok(counts) => self.ledger.check_get(pair, counts),
            Err(_) => self.counts.gets_unanswered += 1,
        }
    }

    fn search(&mut self) {
        for (pair, counts) in (0..PAIRS).zip(search(&self.shard)) {
            self.ledger.check_search(pair, counts);
        }
    }

    fn commit(&mut self, commit: &Commit) {
        if self.shard.commit(commit).is_err() {
            self.counts.commits_failed += 1;
        }
    }

    fn turn(&mut self) {
        let ms = self.random.below(20_000) as i64;
        self.stage.turn(ms);
    }

    fn set_fate(&mut self) {
        let waits = 1 + self.random.below(3) as u32;
        let fate = match self.random.below(5) {
            0 | 1 => Fate::AnsweredLate { waits },
            2 | 3 => Fate::Delayed { waits },
            _ => Fate::Failed { landed: self.random.one_in(2) },
        };
        self.stage.site.set_fate(&self.stage.id, fate);
    }

    fn limit_space(&mut self) {
        let left = self.random.one_in(2).then(|| self.random.below(2_000) as usize);
        self.stage.site.limit_space(&self.stage.id, left);
    }

    fn kill(&mut self) {
        self.counts.kills += 1;
        let seed = self.random.next();
        self.stage.site.kill(&self.stage.id, seed);
        self.reopen();
    }

    /// Another opens the shard while its owner lives on for a while and does not know.
    fn take_over(&mut self) {
        self.counts.take_overs += 1;
        let zombie = self.shard.clone();
        self.reopen();
        if self.random.one_in(2) {
            return;
        }
        self.counts.zombie_updates += 1;
        let number = self.ledger.batches.len() as u64;
        let pair = self.random.below(u64::from(PAIRS)) as u8;
        let batch = SentBatch { number, pair, records: 1, fate: BatchFate::Unknown };
        let outcome = send(&zombie, batch.id(), pair, 1, Durable::Own);
        assert!(outcome.failure.is_some(), "a deposed owner acknowledges an update");
        self.ledger.batches.push(batch);
        // It has learned of the other now, unless the medium kept it waiting.
        if zombie.stats().refused.is_some_and(|reason| reason.contains("deposed")) {
            let answers = (0..PAIRS).any(|pair| get(&zombie, pair).is_ok());
            assert!(!answers, "an owner that knows it is deposed answers a get");
        }
        let _ = zombie.commit(&Commit::HARD);
    }

    fn reopen(&mut self) {
        let stats = self.shard.stats();
        self.counts.merges += stats.merges;
        self.counts.flushes += stats.flushes;
        self.stage.site.limit_space(&self.stage.id, None);
        self.shard = self.stage.open().expect("a shard opens");
        self.ledger.opened();
    }

    /// The medium behaves from here on, and clients send until they are answered.
    fn end(mut self) -> Counts {
        self.kill();
        for at in self.ledger.unknown() {
            let outcome = self.send(at, Durable::Own);
            assert!(outcome.failure.is_none(), "a medium without faults refuses: {:?}", outcome.failure);
        }
        for _ in 0..2 {
            self.commit(&Commit::SOFT);
            let shown = search(&self.shard);
            for pair in 0..PAIRS {
                let got = get(&self.shard, pair).expect("a get is answered");
                self.ledger.check_end(pair, got);
                self.ledger.check_end(pair, shown[usize::from(pair)]);
            }
            self.kill();
        }
        self.counts.medium = self.stage.site.counts(&self.stage.id);
        self.counts
    }
}
