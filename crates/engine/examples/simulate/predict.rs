//! What becomes of a batch on a shard in a known state, if the medium lets it: which records it makes, and
//! what its operations are told. In the words of the engine: operations go in groups in which each id is
//! once; a group is a record, up to what is refused.

use std::collections::BTreeSet;

use plan::ErrorKind;

use crate::ledger::SentBatch;
use crate::memory::{Answer, Remembered};
use crate::model::{Change, Documents, Verdict};

/// A record of the log, and what it says of its batch.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// The operations that it holds.
    pub operations: Vec<usize>,
    /// Those that were refused since the record before.
    pub refused: Vec<(usize, ErrorKind)>,
    /// Behind the last operation that it covers.
    pub done: usize,
    /// Whether it only remembers: the documents are the same without it.
    pub is_silent: bool,
}

/// What becomes of a batch.
#[derive(Debug, Default)]
pub struct Prediction {
    pub records: Vec<Planned>,
    /// All that are refused, those that were before among them.
    pub refused: Vec<(usize, ErrorKind)>,
    /// What ends it.
    pub failure: Option<ErrorKind>,
    /// What was not done for how its document stands.
    pub judged: Vec<usize>,
}

/// `documents` are those before it, and after it with all versions 0: versions are the shard's to give.
pub fn predict(batch: &SentBatch, known: Option<&Remembered>, documents: &Documents) -> Prediction {
    let mut run =
        Run { batch, documents: documents.clone(), told: Prediction::default(), open: Planned::default() };
    run.open.done = known.map_or(0, |it| it.done);
    let mut judged = run.open.done;
    let ended = run.remembered(known).and_then(|()| run.all(&mut judged));
    if let Err(kind) = ended {
        run.told.failure = Some(kind);
    }
    // What no record covers has one of its own.
    if judged > run.open.done {
        run.close(vec![], judged);
    }
    run.told
}

struct Run<'a> {
    batch: &'a SentBatch,
    documents: Documents,
    told: Prediction,
    /// What is known since the last record, whose `done` it has.
    open: Planned,
}

impl Run<'_> {
    fn remembered(&mut self, known: Option<&Remembered>) -> Result<(), ErrorKind> {
        let Some(known) = known else { return Ok(()) };
        for (operation, answer) in &known.answers {
            if let Answer::Refused(kind) = answer {
                self.count(*operation, *kind)?;
            }
        }
        Ok(())
    }

    /// An operation is refused for how its document stands; an error when that ends the batch.
    fn refuse(&mut self, operation: usize, kind: ErrorKind) -> Result<(), ErrorKind> {
        self.told.judged.push(operation);
        self.count(operation, kind)
    }

    fn count(&mut self, operation: usize, kind: ErrorKind) -> Result<(), ErrorKind> {
        let Some(most) = self.batch.errors_max else { return Err(kind) };
        self.told.refused.push((operation, kind));
        if self.told.refused.len() as u64 > most { Err(self.told.refused[0].1) } else { Ok(()) }
    }

    /// A record is made.
    fn close(&mut self, operations: Vec<usize>, done: usize) {
        let (refused, is_silent) = (std::mem::take(&mut self.open.refused), operations.is_empty());
        self.told.records.push(Planned { operations, refused, done, is_silent });
        self.open.done = done;
    }

    fn all(&mut self, judged: &mut usize) -> Result<(), ErrorKind> {
        let mut next = self.open.done;
        while next < self.batch.changes.len() {
            let change = &self.batch.changes[next];
            match change {
                Change::Commit => next += 1,
                Change::DeleteCount { .. } | Change::DeleteAll => {
                    let before = self.documents.len();
                    change.apply(&mut self.documents, 0);
                    self.close(vec![next], next + 1);
                    let is_silent = *change != Change::DeleteAll && before == self.documents.len();
                    self.told.records.iter_mut().last().into_iter().for_each(|it| it.is_silent = is_silent);
                    next += 1;
                }
                _ => next = self.group(next, judged)?,
            }
        }
        Ok(())
    }

    /// Returns where what follows begins.
    fn group(&mut self, first: usize, judged: &mut usize) -> Result<usize, ErrorKind> {
        let changes = &self.batch.changes;
        let end = first + group_length(&changes[first..]);
        let early = (first..end).find_map(|at| Some((at, changes[at].is_refused_early(&self.documents)?)));
        let mut record = Vec::new();
        let behind = early.map_or(end, |(at, _)| at);
        for (at, change) in changes.iter().enumerate().take(behind).skip(first) {
            match change.judge(&self.documents, self.batch.conflicts_skip) {
                Verdict::Done => {
                    change.apply(&mut self.documents, 0);
                    record.push(at);
                }
                Verdict::PassedOver => {
                    self.told.judged.push(at);
                    *judged = at + 1;
                }
                Verdict::Refused(kind) => {
                    self.end_record(&mut record);
                    self.open.refused.push((at, kind));
                    *judged = at + 1;
                    self.refuse(at, kind)?;
                }
            }
        }
        self.end_record(&mut record);
        let Some((at, kind)) = early else { return Ok(end) };
        self.open.refused.push((at, kind));
        *judged = at + 1;
        self.refuse(at, kind)?;
        Ok(at + 1)
    }

    fn end_record(&mut self, record: &mut Vec<usize>) {
        if let Some(last) = record.last().copied() {
            self.close(std::mem::take(record), last + 1);
        }
    }
}

fn group_length(changes: &[Change]) -> usize {
    let mut ids = BTreeSet::new();
    let is_alone = |change: &Change| matches!(change, Change::Replace { .. });
    let fits = |at: usize, change: &Change| {
        let joins = at == 0 || !is_alone(change) && !is_alone(&changes[0]);
        joins && change.group_id().is_some_and(|id| ids.insert(id.to_owned()))
    };
    let mut fits = fits;
    changes.iter().enumerate().take_while(|(at, change)| fits(*at, change)).count()
}
