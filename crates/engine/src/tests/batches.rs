//! A batch that has a name is applied once, however often it comes, before a restart and behind it, whatever
//! became of the first answer.

use plan::{AtomicOp, BatchId, Durable, ErrorKind, Query};

use super::*;

fn count(id: &str) -> Operation {
    modify(id, "n_i", AtomicOp::Inc, vec![Value::Int(1)])
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
            Operation::Delete {
                id: "x".repeat(700),
                route: None,
                expect: Expect::Anything,
                commit_within_ms: None,
            },
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

/// Sends a batch twice, with what `between` does in between, and once more behind a kill: it is told the
/// same, and what is there stays as it is.
fn check_again(site: &Site, operations: &[Operation], before: &[Operation], between: &[Operation]) {
    let named = || UpdateBatch {
        id: Some(BatchId([7; 16])),
        errors_max: Some(u64::MAX),
        ..batch(operations.to_vec())
    };
    let shard = site.open();
    update(&shard, before.to_vec());
    let first = shard.update(named(), UpdateContext::default());
    update(&shard, between.to_vec());
    refresh(&shard);
    let there = found(&shard, &Query::All);
    let check = |shard: &Shard| {
        assert_eq!(shard.update(named(), UpdateContext::default()), first);
        refresh(shard);
        assert_eq!(found(shard, &Query::All), there);
    };
    check(&shard);
    for is_flushed in [false, true] {
        let shard = if is_flushed { site.open() } else { shard.clone() };
        if is_flushed {
            flush(&shard);
        }
        drop(shard);
        site.disk.kill();
        check(&site.open());
        site.disk.kill();
    }
}

#[test]
fn what_was_refused_is_refused_again_and_never_done() {
    let conflict = || add_expecting(film("1", "rot"), Expect::Absent(-1));
    let before = [add(film("1", "rot"))];
    // At the end, before others, and alone: once nothing is in the way any more.
    for operations in
        [vec![add(film("2", "rot")), conflict()], vec![conflict(), add(film("2", "rot"))], vec![conflict()]]
    {
        check_again(&Site::new(), &operations, &before, &[delete("1")]);
    }
}

#[test]
fn a_delete_by_query_is_done_once_whether_it_found_something_or_not() {
    let blue = [delete_by_query(term("title_t", "blau"))];
    for before in [vec![], vec![add(film("1", "blau"))]] {
        check_again(&Site::new(), &blue, &before, &[add(film("2", "blau"))]);
    }
}

#[test]
fn what_was_passed_over_is_passed_over_again() {
    let presence = Some(plan::Presence { inserts: true, updates: false });
    let conditions = plan::Conditions { presence, ..plan::Conditions::default() }.boxed();
    let Operation::Add(one) = add(film("1", "blau")) else { panic!("an add") };
    let only_absent = [Operation::Add(Add { conditions, ..one })];
    check_again(&Site::new(), &only_absent, &[add(film("1", "rot"))], &[delete("1")]);
}

/// A batch that ends with a refusal has ended, though nothing is in its way any more.
#[test]
fn a_batch_that_ended_does_not_go_on() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    let operations = || vec![add_expecting(film("1", "blau"), Expect::Absent(-1)), add(film("2", "rot"))];
    let named = || UpdateBatch { id: Some(BatchId([7; 16])), ..batch(operations()) };
    for _ in 0..2 {
        let outcome = shard.update(named(), UpdateContext::default());
        assert_eq!((outcome.failure.unwrap().kind, outcome.added), (ErrorKind::Conflict, vec![]));
        update(&shard, vec![delete("1")]);
    }
    assert!(get(&shard, "2").is_none());
}

#[test]
fn a_document_and_what_gives_way_to_it_are_one_record() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "same"))]);
    let clause = |occur, query| plan::Clause { occur, query };
    let clauses = vec![
        clause(plan::Occur::Must, term("title_t", "same")),
        clause(plan::Occur::MustNot, term("id", "2")),
    ];
    let replaced = Some(Query::Boolean { clauses, minimum_should_match: 0 });
    let conditions = plan::Conditions { replaced, ..plan::Conditions::default() }.boxed();
    let Operation::Add(one) = add(film("2", "same")) else { panic!("an add") };
    let before = shard.position();
    update(&shard, vec![Operation::Add(Add { conditions, ..one })]);
    assert_eq!(shard.position().slot, before.slot + 1);
    drop(shard);
    site.disk.kill();
    assert_eq!(found(&site.open(), &Query::All), ["2"]);
}

#[test]
fn what_is_known_is_answered_by_a_shard_that_takes_no_more() {
    let shard = Site::new().open();
    let first = shard.update(named(1), UpdateContext::default());
    shard.core().refuse_updates("the test says so");
    assert_eq!(shard.update(named(1), UpdateContext::default()), first);
    let other = shard.update(named(2), UpdateContext::default()).failure.unwrap();
    assert_eq!(other.kind, ErrorKind::Unavailable);
}

#[test]
fn what_may_have_been_forgotten_is_unknown_and_not_applied() {
    let mut site = Site::new();
    site.config.batches_kept = 2;
    let shard = site.open();
    let send = |id: u8, seen| shard.update(UpdateBatch { seen, ..named(id) }, UpdateContext::default());
    let first = shard.position();
    for id in 1..=3 {
        assert!(send(id, first).failure.is_none());
    }
    let there = counted(&shard);
    assert_eq!(send(1, first).failure.unwrap().kind, ErrorKind::Unknown);
    assert!(send(2, first).failure.is_none(), "it is remembered");
    assert_eq!(
        send(4, first).failure.unwrap().kind,
        ErrorKind::Unknown,
        "it may have been, for all one knows"
    );
    assert_eq!(counted(&shard), there);
    assert!(send(5, shard.position()).failure.is_none());
}

/// Panics while a document is edited.
struct Panicking;

impl crate::EditSteps for Panicking {
    fn take(&self, _: &str, _: Document) -> plan::Result<Document> {
        panic!("on purpose")
    }
}

#[test]
fn a_batch_whose_thread_panicked_may_come_again() {
    let shard = Site::new().open();
    let context = UpdateContext { edit_steps: Some(Arc::new(Panicking)), ..UpdateContext::default() };
    let update = std::panic::AssertUnwindSafe(|| shard.update(named(1), context));
    std::panic::catch_unwind(update).unwrap_err();
    assert!(shard.update(named(1), UpdateContext::default()).failure.is_none());
    assert_eq!(counted(&shard), [3, 1].map(|count| Some(Value::Int(count))));
}

#[test]
fn a_shard_in_the_place_of_another_knows_its_batches() {
    let (old_site, site) = (Site::new(), Site::new());
    let old = old_site.open();
    let seen = old.position();
    let first = old.update(named(1), UpdateContext::default());
    let target = site.open();
    old.export(&mut |record| target.import(record, None)).unwrap();
    target.inherit_batches(&old.remembered_batches());
    flush(&target);
    drop(target);
    site.disk.kill();
    let target = site.open();
    let again = target.update(UpdateBatch { seen, ..named(1) }, UpdateContext::default());
    assert_eq!((again, counted(&target)), (first, counted(&old)));
    assert!(target.position() > old.position());
}
