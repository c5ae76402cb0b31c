//! One history: steps drawn from a seed, each answer held against the ledger, and an end at which everything
//! is settled. In: a seed; out: counts, or the promise that was broken and where. A history that failed is
//! run again by its seed alone: nothing in it depends on a thread, a clock or a hash.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use engine::{AppliedUpdate, Shard, UpdateContext};
use plan::{Commit, Durable, ErrorKind, UpdateOutcome};
use store::memory::Fate;

use crate::counts::Counts;
use crate::draw;
use crate::ledger::{BatchFate, Ledger, SentBatch, is_mediums};
use crate::predict::Prediction;
use crate::promise::{Kept, Promise};
use crate::random::Random;
use crate::stage::{REMEMBERED_MAX, Stage, get, search};
use crate::surroundings::Surroundings;

const STEPS: u64 = 60;
/// What homes say to an owner that another has deposed.
const DEPOSED: [&str; 2] = ["deposed", "another owner"];
/// Turns after which a medium without faults has everything shown that is due.
const CALM_TURNS: usize = 4;
/// Between turns in which no task is due but for one that was woken, or that looks after a medium without an
/// answer.
const MOMENT_MS: i64 = 50;
/// How far behind its predecessor's clock that of another opening may be.
const CLOCK_BEHIND_MS: u64 = 5_000;

/// Lives one history, as far as what was promised is kept.
pub fn live(seed: u64, site: Box<dyn Surroundings>) -> Kept<Counts> {
    let mut history = History::begin(seed, site);
    for _ in 0..STEPS {
        history.step()?;
    }
    history.end()
}

struct History {
    random: Random,
    stage: Stage,
    shard: Arc<Shard>,
    ledger: Ledger,
    counts: Counts,
    /// Updates whose clients wait.
    waiting: Vec<(Sent, AppliedUpdate)>,
}

/// An update under way.
struct Sent {
    number: usize,
    durable: Durable,
    /// The state that it left.
    state: usize,
    is_logged: bool,
    told: Prediction,
}

impl History {
    fn begin(seed: u64, site: Box<dyn Surroundings>) -> Self {
        let stage = Stage::new(site);
        let shard = stage.open().expect("a new shard opens");
        let (ledger, counts) = (Ledger::new(REMEMBERED_MAX), Counts::default());
        Self { random: Random(seed), stage, shard, ledger, counts, waiting: vec![] }
    }

    fn step(&mut self) -> Kept {
        self.draw_step()?;
        if self.stage.site.is_dead() { self.kill() } else { self.answer_waiting() }
    }

    fn draw_step(&mut self) -> Kept {
        if self.shard.stats().refused.is_some() && self.random.one_in(2) {
            return self.take_over();
        }
        match self.random.below(36) {
            0..9 => self.send_new(),
            9..12 => self.send_again(),
            12..14 => self.get(),
            14..16 => self.search(),
            16..18 => self.commit(&Commit::SOFT),
            18..20 => self.commit(&Commit::HARD),
            20 => self.commit(&Commit { max_segments: Some(1), ..Commit::SOFT }),
            21..23 => self.turn(),
            23..26 => self.set_fate(),
            26 => self.limit_space(),
            27 => self.calm(),
            28..30 => self.kill(),
            30..32 => self.die_soon(),
            32..34 => self.leave_publication_unanswered(),
            _ => self.take_over(),
        }
    }

    fn draw_batch(&mut self) -> SentBatch {
        let changes = draw::changes(&mut self.random, self.ledger.told_documents(), self.stage.now_ms());
        let errors_max = match self.random.below(3) {
            0 => None,
            1 => Some(self.random.below(3)),
            _ => Some(u64::MAX),
        };
        let (number, conflicts_skip) = (self.ledger.batches.len(), self.random.one_in(5));
        let (seen, fate) = (self.shard.position(), BatchFate::New);
        SentBatch { number, changes, conflicts_skip, errors_max, seen, fate }
    }

    fn send_new(&mut self) -> Kept {
        let batch = self.draw_batch();
        let number = batch.number;
        self.ledger.batches.push(batch);
        let durable = if self.random.one_in(4) { Durable::Later } else { Durable::Own };
        self.send(number, durable)
    }

    /// One that was answered as well: a network may bring a request twice.
    fn send_again(&mut self) -> Kept {
        let answered = self.random.one_in(3);
        let fate = if answered { BatchFate::Answered } else { BatchFate::Unknown };
        let those = self.ledger.with_fate(fate);
        if those.is_empty() {
            return Ok(());
        }
        if answered {
            self.counts.answered_again += 1;
        } else {
            self.counts.sent_again += 1;
        }
        let at = those[self.random.below(those.len() as u64) as usize];
        self.send(at, Durable::Own)
    }

    fn send(&mut self, number: usize, durable: Durable) -> Kept {
        let before = self.shard.position();
        let batch = draw::lower(&self.ledger.batches[number], durable);
        let applied = self.shard.apply(batch, UpdateContext::default());
        let logged = self.shard.position();
        let told = self.ledger.check_update(number, applied.so_far(), logged)?;
        let sent =
            Sent { number, durable, state: self.ledger.newest_state(), is_logged: before != logged, told };
        if self.random.one_in(3) {
            self.counts.awaited += 1;
            // As a server does, which lets the thread write that has applied, where nobody writes.
            let applied = if self.random.one_in(2) { applied.lead() } else { applied };
            self.waiting.push((sent, applied));
            return Ok(());
        }
        self.finish(&sent, &applied.wait())
    }

    /// A client has its answer.
    fn finish(&mut self, sent: &Sent, outcome: &UpdateOutcome) -> Kept {
        let Sent { number, durable, state, is_logged, told } = sent;
        let fate = match outcome.failure.as_ref().map(|error| error.kind).filter(|kind| is_mediums(*kind)) {
            None if *durable == Durable::Own => BatchFate::Answered,
            Some(ErrorKind::Unavailable) if !is_logged => BatchFate::Refused,
            _ => BatchFate::Unknown,
        };
        self.counts.send(fate, &self.ledger.batches[*number], told);
        self.ledger.note_fate(*number, fate);
        if outcome.failure.as_ref().is_none_or(|error| !is_mediums(error.kind)) {
            self.ledger.tell_judged(*number, told, *state);
            if *durable == Durable::Own {
                self.ledger.acknowledge(*number, *state);
            }
        }
        Ok(())
    }

    /// Gives the answers that are there to those who wait without a thread.
    fn answer_waiting(&mut self) -> Kept {
        let mut context = Context::from_waker(Waker::noop());
        for (sent, mut applied) in std::mem::take(&mut self.waiting) {
            match Pin::new(&mut applied).poll(&mut context) {
                Poll::Ready(outcome) => self.finish(&sent, &outcome)?,
                Poll::Pending => self.waiting.push((sent, applied)),
            }
        }
        Ok(())
    }

    fn get(&mut self) -> Kept {
        let mut ids = draw::ids();
        ids.retain(|_| self.random.one_in(3));
        match get(&self.shard, &ids) {
            Ok(got) => self.ledger.check_get(&ids, &got)?,
            Err(_) => self.counts.gets_unanswered += 1,
        }
        Ok(())
    }

    fn search(&mut self) -> Kept {
        self.ledger.check_search(&search(&self.shard))
    }

    fn commit(&mut self, commit: &Commit) -> Kept {
        if self.shard.commit(commit).is_err() {
            self.counts.commits_failed += 1;
            return Ok(());
        }
        self.ledger.check_current(&search(&self.shard), Promise::ShownInTime)
    }

    /// Time passes, and the shard's tasks take their turns. Documents that have ended go by themselves.
    fn turn(&mut self) -> Kept {
        let ms = self.random.below(20_000) as i64;
        self.turn_by(ms)
    }

    fn turn_by(&mut self, ms: i64) -> Kept {
        self.stage.turn(ms);
        self.counts.expiries +=
            u64::from(self.ledger.take_expiry(self.stage.now_ms(), self.shard.position())?);
        Ok(())
    }

    /// The medium behaves for a while: what is due is done.
    fn calm(&mut self) -> Kept {
        self.stage.site.calm();
        for _ in 0..CALM_TURNS {
            self.turn_by(MOMENT_MS)?;
            self.answer_waiting()?;
        }
        let unanswered = || format!("{} updates wait for a medium that answers", self.waiting.len());
        Promise::AnsweredInTime.demand(self.waiting.is_empty(), unanswered)?;
        for _ in 0..CALM_TURNS {
            self.turn_by(20_000)?;
        }
        if self.shard.stats().refused.is_none() {
            self.counts.calms += 1;
            self.ledger.check_current(&search(&self.shard), Promise::ShownInTime)?;
        }
        Ok(())
    }

    fn set_fate(&mut self) -> Kept {
        let waits = 1 + self.random.below(3) as u32;
        let fate = match self.random.below(5) {
            0 | 1 => Fate::AnsweredLate { waits },
            2 | 3 => Fate::Delayed { waits },
            _ => Fate::Failed { landed: self.random.one_in(2) },
        };
        self.stage.site.fail_next(fate);
        Ok(())
    }

    fn limit_space(&mut self) -> Kept {
        let left = self.random.one_in(2).then(|| self.random.below(2_000) as usize);
        self.stage.site.limit_space(left);
        Ok(())
    }

    /// The process dies in the middle of what it does next: between two groups of the log, a file and its
    /// manifest, that and the trim.
    fn die_soon(&mut self) -> Kept {
        self.stage.site.die_after(1 + self.random.below(12) as u32);
        Ok(())
    }

    fn leave_publication_unanswered(&mut self) -> Kept {
        let landed = self.random.one_in(2);
        self.stage.site.fail_publication(landed);
        Ok(())
    }

    fn kill(&mut self) -> Kept {
        self.counts.kills += 1;
        let seed = self.random.next();
        self.stage.site.kill(seed);
        self.reopen()
    }

    /// Another opens the shard while its owner lives on for a while and does not know.
    fn take_over(&mut self) -> Kept {
        self.counts.take_overs += 1;
        let zombie = self.shard.clone();
        self.reopen()?;
        if self.random.one_in(2) {
            return Ok(());
        }
        self.counts.zombie_updates += 1;
        let mut batch = self.draw_batch();
        batch.changes.retain(|change| change.is_certain());
        let changes = !batch.changes.is_empty();
        let outcome = zombie.update(draw::lower(&batch, Durable::Own), UpdateContext::default());
        self.ledger.batches.push(batch);
        let refused = || "a deposed owner acknowledges an update".to_owned();
        Promise::DeposedIsSilent.demand(outcome.failure.is_some() || !changes, refused)?;
        // It has learned of the other now, unless the medium kept it waiting.
        let is_of_another = |reason: String| DEPOSED.iter().any(|words| reason.contains(words));
        if zombie.stats().refused.is_some_and(is_of_another) {
            let answered = draw::ids().into_iter().find(|id| get(&zombie, std::slice::from_ref(id)).is_ok());
            let answers = || format!("an owner that knows it is deposed answers a get of {answered:?}");
            Promise::DeposedIsSilent.demand(answered.is_none(), answers)?;
        }
        let _ = zombie.commit(&Commit::HARD);
        Ok(())
    }

    fn reopen(&mut self) -> Kept {
        // Who has no answer by now never gets one.
        self.answer_waiting()?;
        for (sent, _) in std::mem::take(&mut self.waiting) {
            self.ledger.note_fate(sent.number, BatchFate::Unknown);
        }
        let stats = self.shard.stats();
        self.counts.merges += stats.merges;
        self.counts.flushes += stats.flushes;
        self.stage.site.limit_space(None);
        if self.random.one_in(3) {
            self.stage.set_clock_back(self.random.below(CLOCK_BEHIND_MS) as i64);
            self.counts.clocks_behind += 1;
        }
        self.shard = self.stage.open().expect("a shard opens");
        self.ledger.check_opening(self.shard.position(), &search(&self.shard))
    }

    /// The medium behaves from here on, and clients send until they are answered.
    fn end(mut self) -> Kept<Counts> {
        self.kill()?;
        for number in self.ledger.with_fate(BatchFate::Unknown) {
            self.send(number, Durable::Own)?;
            self.shard.commit(&Commit::SOFT).map_err(|error| Promise::Serves.broken(error.message))?;
            self.answer_waiting()?;
            let is_answered = self.ledger.batches[number].fate == BatchFate::Answered;
            let unanswered = || format!("batch {number} is not answered by a medium without faults");
            Promise::Serves.demand(is_answered || self.ledger.is_forgotten(number), unanswered)?;
        }
        for _ in 0..2 {
            self.shard.commit(&Commit::SOFT).map_err(|error| Promise::Serves.broken(error.message))?;
            self.ledger.check_current(&search(&self.shard), Promise::ShownInTime)?;
            let got =
                get(&self.shard, &draw::ids()).map_err(|error| Promise::Serves.broken(error.message))?;
            self.ledger.check_get(&draw::ids(), &got)?;
            self.kill()?;
        }
        self.counts.medium = self.stage.site.counts();
        Ok(self.counts)
    }
}
