//! A batch that has a name is applied once, however often it comes, before a restart and behind it, whatever became of the
//! first answer.

use plan::{AtomicOp, BatchId, Durable, ErrorKind, FieldEdit, Modify};

use super::*;

fn count(id: &str) -> Operation {
    let edits = vec![FieldEdit { field: "n_i".into(), op: AtomicOp::Inc, values: vec![Value::Int(1)] }];
    Operation::Modify(Modify {
        id: id.into(),
        root: None,
        edits,
        nested: vec![],
        expect: Expect::Anything,
        conditions: None,
        commit_within_ms: None,
    })
}

/// Four counts in three records, as an id is once in each.
fn named(id: u8) -> UpdateBatch {
    let operations = vec![count("1"), count("2"), count("1"), Operation::Commit(Commit::SOFT), count("1")];
    UpdateBatch { id: Some(BatchId([id; 16])), ..batch(operations) }
}

fn counted(shard: &Shard) -> [Option<Value>; 2] {
    ["1", "2"].map(|id| get(shard, id)?.first("n_i").cloned())
}

#[test]
fn a_batch_that_comes_again_is_answered_and_not_applied() {
    let site = Site::new();
    let mut shard = site.open();
    let first = shard.update(named(1), UpdateContext::default());
    assert!(first.failure.is_none() && first.added.len() == 4);
    for round in 0..4 {
        let again = shard.update(named(1), UpdateContext::default());
        assert_eq!((again.added, again.failure.is_none()), (first.added.clone(), true), "round {round}");
        assert_eq!(counted(&shard), [3, 1].map(|count| Some(Value::Int(count))));
        match round {
            0 => flush(&shard),
            1 => update(&shard, vec![add(film("9", "rot"))]).failure.map_or((), |it| panic!("{it}")),
            _ => {}
        }
        if round > 0 {
            site.disk.kill();
            drop(shard);
            shard = site.open();
        }
    }
    assert!(shard.update(named(2), UpdateContext::default()).failure.is_none());
    assert_eq!(counted(&shard), [6, 2].map(|count| Some(Value::Int(count))));
}

#[test]
fn a_batch_of_another_length_is_not_the_same() {
    let shard = Site::new().open();
    assert!(shard.update(named(1), UpdateContext::default()).failure.is_none());
    let other = UpdateBatch { operations: vec![count("1")], ..named(1) };
    assert_eq!(shard.update(other, UpdateContext::default()).failure.unwrap().kind, ErrorKind::BadRequest);
}

/// Whatever part of it a power cut leaves, sent again it goes on behind that.
#[test]
fn a_batch_goes_on_behind_what_is_logged() {
    let mut kept = [0; 5];
    for seed in 0..60 {
        let site = Site::new();
        let shard = site.open();
        let mut piece = UpdateBatch { durable: Durable::Later, ..named(1) };
        piece.operations.retain(|operation| !matches!(operation, Operation::Commit(_)));
        piece.operations.insert(
            3,
            Operation::Delete { id: "x".repeat(700), expect: Expect::Anything, commit_within_ms: None },
        );
        let again = || UpdateBatch {
            durable: Durable::Own,
            operations: piece.operations.iter().map(copy).collect(),
            ..named(1)
        };
        assert!(
            shard
                .update(UpdateBatch { durable: Durable::Later, ..again() }, UpdateContext::default())
                .failure
                .is_none()
        );
        if seed % 2 == 0 {
            site.disk.fail_sync_after(0);
            let failure = shard.update(batch(vec![delete("other")]), UpdateContext::default()).failure;
            assert_eq!(failure.unwrap().kind, ErrorKind::Unknown);
        } else {
            update(&shard, vec![delete("other")]);
        }
        site.disk.cut_power(seed);
        drop(shard);
        let shard = site.open();
        let count = match get(&shard, "1").and_then(|it| it.first("n_i").cloned()) {
            Some(Value::Int(count)) => count,
            _ => 0,
        };
        kept[usize::try_from(count).unwrap()] += 1;
        let outcome = shard.update(again(), UpdateContext::default());
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        assert_eq!((outcome.added.len(), outcome.deleted.len()), (4, 1));
        assert_eq!(counted(&shard), [3, 1].map(|count| Some(Value::Int(count))), "seed {seed}");
    }
    assert!(kept[0] > 0 && kept[3] > 0, "{kept:?}");
}

fn copy(operation: &Operation) -> Operation {
    match operation {
        Operation::Modify(modify) => Operation::Modify(modify.clone()),
        Operation::Delete { id, .. } => delete(id),
        other => panic!("{other:?}"),
    }
}
