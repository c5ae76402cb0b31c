//! Batches drawn from a seed, and what they are to the shard. Ids and counts are few, so that batches meet.
//! In: the seed's randomness and what the shard should hold by now; out: a batch. Whether it will be taken,
//! and what it is told, is `predict`'s.

use plan::{
    Add, AtomicOp, Clause, Commit, Conditions, Document, Durable, Expect, FieldEdit, Modify, Nested,
    NestedField, Occur, Operation, Presence, Query, UpdateBatch, Value,
};

use crate::ledger::SentBatch;
use crate::model::{Change, Documents};
use crate::random::Random;

const PLAIN: u64 = 5;
const ROOTS: u64 = 2;
const BELOW: u64 = 3;
const COUNTS: u64 = 6;
const CHANGES_MAX: u64 = 5;

/// All ids that there are.
pub fn ids() -> Vec<String> {
    let below = (0..ROOTS).flat_map(|root| (0..BELOW).map(move |number| below_id(root, number)));
    (0..PLAIN).map(plain_id).chain((0..ROOTS).map(root_id)).chain(below).collect()
}

fn plain_id(number: u64) -> String {
    format!("p{number}")
}

fn root_id(number: u64) -> String {
    format!("r{number}")
}

fn below_id(root: u64, number: u64) -> String {
    format!("r{root}c{number}")
}

/// The operations of a batch, from a client that knows the documents `told`. What it expects are versions
/// from there: one that nobody was told of may be lost with its record, and be given to another.
pub fn changes(random: &mut Random, told: &Documents, now_ms: i64) -> Vec<Change> {
    let mut draw = Draw { random, told, now_ms };
    let count = 1 + draw.random.below(CHANGES_MAX);
    let mut changes: Vec<Change> = (0..count).map(|_| draw.change()).collect();
    if draw.random.one_in(8) {
        changes.push(Change::Commit);
    }
    changes
}

struct Draw<'a> {
    random: &'a mut Random,
    told: &'a Documents,
    now_ms: i64,
}

impl Draw<'_> {
    fn change(&mut self) -> Change {
        let id = match self.random.one_in(5) {
            true => root_id(self.random.below(ROOTS)),
            false => plain_id(self.random.below(PLAIN)),
        };
        let count = self.count();
        match self.random.below(40) {
            0..14 => Change::Count { expect: self.expect(&id), id, only_present: self.random.one_in(6) },
            14..21 => {
                let ends_ms = self.random.one_in(3).then(|| self.now_ms + self.random.below(40_000) as i64);
                let (expect, only_absent) = (self.expect(&id), self.random.one_in(6));
                Change::Put { id, count, ends_ms, expect, only_absent }
            }
            21..25 => self.block(count),
            25..28 => {
                let root = self.random.below(ROOTS);
                let id = below_id(root, self.random.below(BELOW));
                Change::CountBelow { root: root_id(root), id }
            }
            28..33 => Change::Delete { expect: self.expect(&id), id },
            33..36 => Change::DeleteCount { count },
            36..38 => Change::Replace { id, count },
            38 => Change::Bad { id },
            _ if self.random.one_in(4) => Change::DeleteAll,
            _ => Change::Bad { id },
        }
    }

    fn count(&mut self) -> i32 {
        self.random.below(COUNTS) as i32
    }

    fn block(&mut self, count: i32) -> Change {
        let root = self.random.below(ROOTS);
        let members = self.random.below(BELOW + 1);
        let below = (0..members).map(|number| (below_id(root, number), self.count())).collect();
        Change::Block { root: root_id(root), count, below }
    }

    fn expect(&mut self, id: &str) -> Expect {
        let present = self.told.get(id).map(|held| held.version);
        match (self.random.below(8), present) {
            (0, _) => Expect::Exists,
            (1, _) => Expect::Absent(-1),
            (2, Some(version)) => Expect::Exactly(version),
            // Never a later one, which the batch itself may give.
            (3, Some(version)) => Expect::Exactly(version - 1),
            _ => Expect::Anything,
        }
    }
}

/// A batch as the shard takes it.
pub fn lower(batch: &SentBatch, durable: Durable) -> UpdateBatch {
    UpdateBatch {
        id: Some(batch.id()),
        seen: batch.seen,
        operations: batch.changes.iter().map(operation).collect(),
        conflicts_skip: batch.conflicts_skip,
        errors_max: batch.errors_max,
        durable,
        ..UpdateBatch::default()
    }
}

fn operation(change: &Change) -> Operation {
    match change.clone() {
        Change::Count { id, expect, only_present } => {
            let presence = only_present.then_some(Presence { inserts: false, updates: true });
            let conditions = Conditions { presence, ..Conditions::default() }.boxed();
            Operation::Modify(Modify { expect, conditions, ..count_up(id, "count") })
        }
        Change::CountBelow { root, id } => {
            Operation::Modify(Modify { root: Some(root), ..count_up(id, "count") })
        }
        Change::Put { id, count, ends_ms, expect, only_absent } => {
            let presence = only_absent.then_some(Presence { inserts: true, updates: false });
            let conditions = Conditions { presence, ..Conditions::default() }.boxed();
            let mut document = document(&id, count);
            document.fields.extend(ends_ms.map(|ends_ms| ("ends".into(), vec![Value::Date(ends_ms)])));
            Operation::Add(Add { document, expect, conditions, ..add(id, count) })
        }
        Change::Block { root, count, below } => {
            let nested =
                |(id, count): (String, i32)| Nested { document: document(&id, count), id, children: vec![] };
            let documents = below.into_iter().map(nested).collect();
            let kids = NestedField { name: Some("kids".into()), listed: true, documents };
            Operation::Add(Add { children: vec![kids], ..add(root, count) })
        }
        Change::Replace { id, count } => {
            let own = Query::Term { field: "id".into(), value: Value::Str(id.clone()) };
            let clauses = vec![
                Clause { occur: Occur::Must, query: has_count(count) },
                Clause { occur: Occur::MustNot, query: own },
            ];
            let replaced = Some(Query::Boolean { clauses, minimum_should_match: 0 });
            let conditions = Conditions { replaced, ..Conditions::default() }.boxed();
            Operation::Add(Add { conditions, ..add(id, count) })
        }
        Change::Delete { id, expect } => {
            Operation::Delete { id, route: None, expect, commit_within_ms: None }
        }
        Change::DeleteCount { count } => {
            let (query, text) = (has_count(count), format!("count:{count}"));
            Operation::DeleteByQuery { query, text, commit_within_ms: None }
        }
        Change::DeleteAll => {
            Operation::DeleteByQuery { query: Query::All, text: "*:*".into(), commit_within_ms: None }
        }
        Change::Bad { id } => Operation::Modify(count_up(id, "name")),
        Change::Commit => Operation::Commit(Commit::SOFT),
    }
}

fn has_count(count: i32) -> Query {
    Query::Term { field: "count".into(), value: Value::Int(count) }
}

fn document(id: &str, count: i32) -> Document {
    let fields = vec![("id".into(), vec![Value::Str(id.into())]), ("count".into(), vec![Value::Int(count)])];
    Document { fields }
}

fn add(id: String, count: i32) -> Add {
    Add {
        document: document(&id, count),
        id,
        children: vec![],
        expect: Expect::Anything,
        overwrite: true,
        conditions: None,
        commit_within_ms: None,
    }
}

fn count_up(id: String, field: &str) -> Modify {
    let edits = vec![FieldEdit { field: field.into(), op: AtomicOp::Inc, values: vec![Value::Int(1)] }];
    Modify {
        id,
        root: None,
        edits,
        nested: vec![],
        expect: Expect::Anything,
        conditions: None,
        commit_within_ms: None,
    }
}
