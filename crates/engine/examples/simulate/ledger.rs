//! The log as the model has it: after each record the documents and what is remembered of batches, and how
//! much of it has to survive whatever happens. From that follows what every answer may say. A kill leaves
//! some record as the last: which, the shard says.

use std::collections::{BTreeMap, VecDeque};

use plan::{BatchId, ErrorKind, LogPosition, UpdateOutcome, Version};

use crate::memory::{Answer, Memory};
use crate::model::{Change, Documents, Held};
use crate::predict::{Planned, Prediction, predict};
use crate::promise::{Kept, Promise};

/// A batch as its client sends it, however often.
#[derive(Clone, Debug)]
pub struct SentBatch {
    pub number: usize,
    pub changes: Vec<Change>,
    pub conflicts_skip: bool,
    pub errors_max: Option<u64>,
    /// Where the shard was before the first send.
    pub seen: LogPosition,
    pub fate: BatchFate,
}

/// What its client knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchFate {
    /// It never was sent.
    New,
    Answered,
    Unknown,
    Refused,
}

impl SentBatch {
    pub fn id(&self) -> BatchId {
        BatchId((self.number as u128).to_be_bytes())
    }
}

/// The shard up to a record.
#[derive(Clone, Debug, Default)]
struct LoggedState {
    at: LogPosition,
    /// Whose record it is behind.
    batch: Option<usize>,
    /// The highest that was given to an operation.
    version: Version,
    documents: Documents,
    memory: Memory,
}

/// Documents as they are shown or got: count and version by id.
pub type Shown = BTreeMap<String, (i32, Version)>;

pub struct Ledger {
    /// Behind each record; the first is the empty shard.
    states: Vec<LoggedState>,
    /// The state that was acknowledged.
    acknowledged: usize,
    /// The newest that anybody was told of otherwise.
    told: usize,
    /// The newest that searches showed.
    shown: usize,
    remembered_max: usize,
    pub batches: Vec<SentBatch>,
}

impl Ledger {
    pub fn new(remembered_max: usize) -> Self {
        let states = vec![LoggedState::default()];
        Self { states, acknowledged: 0, told: 0, shown: 0, remembered_max, batches: vec![] }
    }

    fn newest(&self) -> &LoggedState {
        &self.states[self.states.len() - 1]
    }

    pub fn documents(&self) -> &Documents {
        &self.newest().documents
    }

    /// Those that clients may know: each of them was told of by an answer.
    pub fn told_documents(&self) -> &Documents {
        &self.states[self.told.max(self.acknowledged)].documents
    }

    pub fn with_fate(&self, fate: BatchFate) -> Vec<usize> {
        self.batches.iter().filter(|batch| batch.fate == fate).map(|batch| batch.number).collect()
    }

    /// Whether a batch may have been forgotten: nobody can tell any more whether it was applied.
    pub fn is_forgotten(&self, number: usize) -> bool {
        let memory = &self.newest().memory;
        memory.get(number).is_none() && memory.forgotten > self.batches[number].seen
    }

    /// How a send went: what was unknown once stays so until it is answered.
    pub fn note_fate(&mut self, number: usize, fate: BatchFate) {
        let sent = &mut self.batches[number].fate;
        if *sent == BatchFate::New || (*sent == BatchFate::Unknown && fate == BatchFate::Answered) {
            *sent = fate;
        }
    }

    /// A batch was sent: holds the outcome against what has to come of it, and takes its records in. `logged`
    /// is where the shard is now.
    pub fn check_update(
        &mut self,
        number: usize,
        outcome: &UpdateOutcome,
        logged: LogPosition,
    ) -> Kept<Prediction> {
        let batch = self.batches[number].clone();
        let known = self.newest().memory.get(number).cloned();
        let prediction = match self.is_forgotten(number) {
            true => Prediction { failure: Some(ErrorKind::Unknown), ..Prediction::default() },
            false => predict(&batch, known.as_ref(), self.documents()),
        };
        let is_whole = !outcome.failure.as_ref().is_some_and(|it| is_mediums(it.kind));
        let mut answers = Answers::of(outcome);
        for (operation, answer) in known.iter().flat_map(|it| &it.answers) {
            answers.check(&batch.changes[*operation], answer, is_whole)?;
        }
        let mut made = self.count_made(&prediction, logged, is_whole)?;
        for record in &prediction.records {
            let is_in_log = made.is_in_log(record);
            if is_in_log || is_whole {
                self.take_in(&batch, record, is_in_log.then(|| made.next_position()), &mut answers)?;
            }
        }
        answers.check_end()?;
        if is_whole || self.is_forgotten(number) {
            check_refusals(&batch, &prediction, outcome)?;
        }
        Ok(prediction)
    }

    fn count_made(&self, prediction: &Prediction, logged: LogPosition, is_whole: bool) -> Kept<BatchRecords> {
        let before = self.newest().at;
        let count = logged.slot - if before.epoch == logged.epoch { before.slot } else { 0 };
        let planned = prediction.records.len() as u64;
        let more = || format!("a batch that makes {planned} records made {count}");
        Promise::AppliedOnce.demand(count <= planned, more)?;
        let silent = prediction.records.iter().filter(|record| record.is_silent).count() as u64;
        Promise::AsLogged.demand(!is_whole || count + silent >= planned, more)?;
        let unlogged = if is_whole { planned - count } else { 0 };
        Ok(BatchRecords { last: logged, left: count, unlogged })
    }

    /// Without a position it only is to be remembered.
    fn take_in(
        &mut self,
        batch: &SentBatch,
        record: &Planned,
        at: Option<LogPosition>,
        answers: &mut Answers,
    ) -> Kept {
        let mut state = self.newest().clone();
        let mut told: Vec<(usize, Answer)> = vec![];
        for operation in &record.operations {
            let change = &batch.changes[*operation];
            let version = answers.next(change);
            if version != 0 {
                let again = || format!("{change:?} has version {version} behind {}", state.version);
                Promise::VersionsRise.demand(version > state.version, again)?;
                state.version = version;
            }
            change.apply(&mut state.documents, version);
            told.push((*operation, Answer::Done(version)));
        }
        told.extend(record.refused.iter().map(|(operation, kind)| (*operation, Answer::Refused(*kind))));
        match at {
            Some(at) => (state.at, state.batch) = (at, Some(batch.number)),
            None => drop(self.states.pop()),
        }
        state.memory.note(batch.number, state.at, record.done, &told, self.remembered_max);
        self.states.push(state);
        Ok(())
    }

    /// Documents ended, by a record of the shard's own.
    pub fn take_expiry(&mut self, now_ms: i64, logged: LogPosition) -> Kept<bool> {
        let mut state = self.newest().clone();
        if state.at == logged {
            return Ok(false);
        }
        (state.at, state.batch) = (logged, None);
        let before = state.documents.len();
        state.documents.retain(|_, held| held.ends_ms.is_none_or(|ends_ms| ends_ms > now_ms));
        self.states.push(state);
        let ended = self.documents().len() < before;
        Promise::AsLogged
            .demand(ended, || "something was deleted by itself, and nothing had ended".into())?;
        Ok(true)
    }

    pub fn newest_state(&self) -> usize {
        self.states.len() - 1
    }

    /// A batch was acknowledged, whose records were all made before a state.
    pub fn acknowledge(&mut self, number: usize, state: usize) {
        let own = (0..=state).rev().find(|at| self.states[*at].batch == Some(number));
        self.acknowledged = self.acknowledged.max(own.unwrap_or(0));
    }

    /// Those were told why something was not done, which others may be the reason of.
    pub fn tell_judged(&mut self, number: usize, told: &Prediction, state: usize) {
        for operation in &told.judged {
            if let Some(id) = self.batches[number].changes[*operation].group_id().map(str::to_owned) {
                self.tell(&id, state);
            }
        }
    }

    /// Somebody was told how an id stood in a state.
    fn tell(&mut self, id: &str, state: usize) {
        let held = |at: usize| self.states[at].documents.get(id);
        let changed = (1..=state).rev().find(|at| held(*at) != held(*at - 1));
        self.told = self.told.max(changed.unwrap_or(0));
    }

    /// A get was answered by the owner.
    pub fn check_get(&mut self, ids: &[String], got: &[Option<(i32, Version)>]) -> Kept {
        for (id, got) in ids.iter().zip(got) {
            let held = self.documents().get(id).map(|held| (held.count, held.version));
            let other = || format!("a get of `{id}` says {got:?}, and the log has {held:?}");
            Promise::AsLogged.demand(held == *got, other)?;
            self.tell(id, self.states.len() - 1);
        }
        Ok(())
    }

    /// A search was answered.
    pub fn check_search(&mut self, shown: &Shown) -> Kept {
        let is_shown = |state: &LoggedState| shows(&state.documents, shown);
        let Some(at) = (self.shown..self.states.len()).find(|at| is_shown(&self.states[*at])) else {
            let older = self.states.iter().any(is_shown);
            let promise = if older { Promise::ToldStays } else { Promise::AsLogged };
            let what = if older { "older documents than before" } else { "what no record makes" };
            return Err(
                promise.broken(format!("searches show {what}: {shown:?}; newest {:?}", self.documents()))
            );
        };
        self.shown = at;
        self.told = self.told.max(at);
        Ok(())
    }

    /// A search that has to show everything.
    pub fn check_current(&mut self, shown: &Shown, promise: Promise) -> Kept {
        let lacks = || format!("searches show {shown:?}, and the log has {:?}", self.documents());
        promise.demand(shows(self.documents(), shown), lacks)?;
        // Behind it there may be records that change nothing, which nobody has seen.
        let differs = |state: &LoggedState| state.documents != *self.documents();
        self.shown = self.states.iter().rposition(differs).map_or(0, |before| before + 1);
        self.told = self.told.max(self.shown);
        Ok(())
    }

    /// Another opening: which record was the last, and what its searches show.
    pub fn check_opening(&mut self, logged: LogPosition, shown: &Shown) -> Kept {
        let Some(last) = self.states.iter().rposition(|state| state.at == logged) else {
            return Err(Promise::AsLogged.broken(format!("the log ends at {logged:?}, which no update made")));
        };
        let lost = || {
            format!("the log ends at {logged:?}; {:?} was acknowledged", self.states[self.acknowledged].at)
        };
        Promise::AcknowledgedStays.demand(last >= self.acknowledged, lost)?;
        let lost = || format!("the log ends at {logged:?}; {:?} was told of", self.states[self.told].at);
        Promise::ToldStays.demand(last >= self.told, lost)?;
        self.states.truncate(last + 1);
        // What an opening shows has been told to nobody yet, but it is durable.
        self.check_current(shown, Promise::AsLogged)
    }
}

/// The records that a batch has made.
struct BatchRecords {
    /// Where the last is.
    last: LogPosition,
    left: u64,
    /// Those that only remember, and are not there.
    unlogged: u64,
}

impl BatchRecords {
    fn is_in_log(&mut self, record: &Planned) -> bool {
        if record.is_silent && self.unlogged > 0 {
            self.unlogged -= 1;
            return false;
        }
        self.left > 0
    }

    fn next_position(&mut self) -> LogPosition {
        self.left -= 1;
        LogPosition { epoch: self.last.epoch, slot: self.last.slot - self.left }
    }
}

/// What is told of operations, by kind and in their order.
struct Answers {
    added: VecDeque<Version>,
    deleted: VecDeque<Version>,
    deleted_by_query: VecDeque<Version>,
}

impl Answers {
    fn of(outcome: &UpdateOutcome) -> Self {
        let versions = |list: &[(String, Version)]| list.iter().map(|(_, version)| version.abs()).collect();
        Self {
            added: versions(&outcome.added),
            deleted: versions(&outcome.deleted),
            deleted_by_query: versions(&outcome.deleted_by_query),
        }
    }

    fn list(&mut self, change: &Change) -> &mut VecDeque<Version> {
        match change {
            Change::Delete { .. } => &mut self.deleted,
            Change::DeleteCount { .. } | Change::DeleteAll => &mut self.deleted_by_query,
            _ => &mut self.added,
        }
    }

    /// 0 where nothing is told: the shard's documents say so soon.
    fn next(&mut self, change: &Change) -> Version {
        self.list(change).pop_front().unwrap_or(0)
    }

    /// Where the medium failed, nobody is told: what was done before may be missing.
    fn check(&mut self, change: &Change, answer: &Answer, is_told: bool) -> Kept {
        let Answer::Done(version) = answer else { return Ok(()) };
        let list = self.list(change);
        if !is_told && list.front() != Some(version) {
            return Ok(());
        }
        let again = list.pop_front();
        let other = || format!("{change:?} was told {version}, and then {again:?}");
        Promise::AnsweredAlike.demand(again == Some(*version), other)
    }

    fn check_end(&self) -> Kept {
        let left = self.added.len() + self.deleted.len() + self.deleted_by_query.len();
        Promise::AnsweredAlike
            .demand(left == 0, || format!("{left} operations more are told of than were done"))
    }
}

fn check_refusals(batch: &SentBatch, prediction: &Prediction, outcome: &UpdateOutcome) -> Kept {
    let told: Vec<(&str, ErrorKind)> =
        outcome.refused.iter().map(|it| (it.of.as_str(), it.error.kind)).collect();
    let id = |operation: usize| batch.changes[operation].refused_id();
    let expected: Vec<(&str, ErrorKind)> =
        prediction.refused.iter().map(|(at, kind)| (id(*at), *kind)).collect();
    let other = || format!("refusals are {told:?} instead of {expected:?}");
    Promise::AnsweredAlike.demand(told == expected, other)?;
    let failure = outcome.failure.as_ref().map(|error| error.kind);
    let other = || format!("it ends with {failure:?} instead of {:?}", prediction.failure);
    Promise::AnsweredAlike.demand(failure == prediction.failure, other)
}

/// Of the medium, not of an operation.
pub fn is_mediums(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unavailable | ErrorKind::Unknown)
}

fn shows(documents: &Documents, shown: &Shown) -> bool {
    let figures = |held: &Held| (held.count, held.version);
    documents.len() == shown.len() && documents.iter().all(|(id, held)| shown.get(id) == Some(&figures(held)))
}
