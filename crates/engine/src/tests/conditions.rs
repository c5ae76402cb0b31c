//! Conditions of operations, batches that go on after errors, steps on edited documents, and documents that
//! end.

use std::ops::Bound;

use plan::{
    AtomicOp, Clause, Conditions, Error, FieldEdit, Modify, Occur, Presence, Range, RefusalKind, Result,
    Revision,
};

use super::*;
use crate::EditSteps;

fn conditional(document: Document, conditions: Conditions) -> Operation {
    match add(document) {
        Operation::Add(add) => Operation::Add(Add { conditions: conditions.boxed(), ..add }),
        other => other,
    }
}

fn numbered(id: &str, number: i64) -> Document {
    document(&[("id", vec![text(id)]), ("n_l", vec![Value::Long(number)])])
}

fn set(id: &str, field: &str, value: Value, conditions: Conditions) -> Operation {
    Operation::Modify(Modify {
        id: id.into(),
        root: None,
        edits: vec![FieldEdit { field: field.into(), op: AtomicOp::Set, values: vec![value] }],
        nested: vec![],
        expect: Expect::Anything,
        conditions: conditions.boxed(),
        commit_within_ms: None,
    })
}

fn count(shard: &Shard, query: &Query) -> usize {
    refresh(shard);
    matching_docs(&shard.snapshot(), query).unwrap().iter().map(|(_, docs)| docs.len()).sum()
}

#[test]
fn documents_are_passed_over_by_whether_they_are_there() {
    let shard = Site::new().open();
    let skip =
        || Conditions { presence: Some(Presence { inserts: true, updates: true }), ..Conditions::default() };
    let check = |operation, added| {
        assert_eq!(update(&shard, vec![operation]).added.len(), added);
    };
    check(conditional(film("a", "first"), skip()), 1);
    check(conditional(film("a", "second"), skip()), 0);
    check(set("a", "title_t", text("edited"), skip()), 1);
    check(set("b", "title_t", text("edited"), skip()), 0);
    assert_eq!(count(&shard, &term("title_t", "edited")), 1);
}

#[test]
fn older_revisions_do_not_replace_newer_ones() {
    let shard = Site::new().open();
    let check = |number, ignore_old, added, part: &str| {
        let fields = vec![("n_l".into(), Value::Long(number))];
        let revision = Some(Revision { fields, ignore_old, missing_allowed: false });
        let conditions = Conditions { revision, ..Conditions::default() };
        let outcome = shard
            .update(batch(vec![conditional(numbered("a", number), conditions)]), UpdateContext::default());
        let message = outcome.failure.map(|error| error.message).unwrap_or_default();
        assert!(outcome.added.len() == added && message.contains(part), "{number}: {message}");
        assert_eq!(message.is_empty(), part.is_empty());
    };
    check(5, false, 1, "");
    check(4, false, 0, "user version is not high enough: [4]");
    check(5, true, 0, "");
    refresh(&shard);
    check(6, false, 1, "");
    update(&shard, vec![add(film("a", "bare"))]);
    check(7, false, 0, "has null versionField: n_l");
}

#[test]
fn documents_give_way_to_the_newest_of_their_kind() {
    let shard = Site::new().open();
    let clause = |occur, query| Clause { occur, query };
    let operations = ["1", "2", "3"].map(|id| {
        let clauses =
            vec![clause(Occur::Must, term("title_t", "same")), clause(Occur::MustNot, term("id", id))];
        let replaced = Some(Query::Boolean { clauses, minimum_should_match: 0 });
        conditional(film(id, "same"), Conditions { replaced, ..Conditions::default() })
    });
    update(&shard, operations.into());
    assert_eq!((count(&shard, &Query::All), count(&shard, &term("id", "3"))), (1, 1));
}

#[test]
fn batches_go_on_after_as_many_errors_as_they_may_have() {
    let operations = || {
        vec![
            add_expecting(film("a", "conflict"), Expect::Exists),
            set("b", "title_t", text("x"), Conditions { in_place: true, ..Conditions::default() }),
            add(film("c", "fine")),
            add_expecting(film("d", "conflict"), Expect::Exists),
            Operation::Delete { id: "e".into(), route: None, expect: Expect::Exists, commit_within_ms: None },
            add(film("f", "fine")),
        ]
    };
    let check = |errors_max: Option<u64>, refused: &str, added: usize, fails: bool| {
        let shard = Site::new().open();
        let outcome =
            shard.update(UpdateBatch { errors_max, ..batch(operations()) }, UpdateContext::default());
        let found: Vec<_> = outcome.refused.iter().map(|it| it.of.as_str()).collect();
        assert_eq!((found.join(" ").as_str(), outcome.added.len()), (refused, added), "{errors_max:?}");
        assert_eq!(outcome.failure.is_some(), fails, "{errors_max:?}");
        assert!(outcome.refused.iter().all(|it| (it.kind == RefusalKind::Delete) == (it.of == "e")));
    };
    check(None, "", 0, true);
    check(Some(u64::MAX), "a b d e", 2, false);
    check(Some(4), "a b d e", 2, false);
    check(Some(3), "a b d e", 1, true);
    check(Some(0), "a", 0, true);
}

/// Gives every document a title.
struct Titling;

impl EditSteps for Titling {
    fn take(&self, id: &str, mut document: Document) -> Result<Document> {
        if id == "bad" {
            return Err(Error::bad_request("no title for this one"));
        }
        document.replace(&"title_t".into(), vec![text("titled")]);
        Ok(document)
    }
}

#[test]
fn edited_documents_are_finished_whole() {
    let shard = Site::new().open();
    let titled = |operation| {
        let context = UpdateContext { edit_steps: Some(Arc::new(Titling)), ..UpdateContext::default() };
        shard.update(batch(vec![operation]), context).failure
    };
    let edit = |id| set(id, "n_l", Value::Long(1), Conditions::default());
    update(&shard, vec![add(film("a", "first"))]);
    for id in ["a", "new"] {
        assert!(titled(edit(id)).is_none());
    }
    assert!(titled(edit("bad")).is_some());
    assert_eq!((count(&shard, &term("title_t", "titled")), count(&shard, &Query::All)), (2, 2));
}

#[test]
fn documents_end_when_the_clock_says_so() {
    let site = Site::new();
    let shard = site.open();
    shard.set_expiries(&[("d_dt".to_owned(), 10)]);
    let ending = |id: &str, at_ms| document(&[("id", vec![text(id)]), ("d_dt", vec![Value::Date(at_ms)])]);
    update(&shard, vec![add(ending("soon", 5_000)), add(ending("late", 500_000)), add(film("never", "x"))]);
    refresh(&shard);
    let living = |query: &Query| {
        matching_docs(&shard.snapshot(), query).unwrap().iter().map(|(_, docs)| docs.len()).sum::<usize>()
    };
    let check = |now_ms, expected| {
        shard.tick(now_ms).unwrap();
        assert_eq!(living(&Query::All), expected, "{now_ms}");
    };
    check(9_000, 3);
    check(11_000, 2);
    // A configuration that says the same again does not begin the period anew.
    shard.set_expiries(&[("d_dt".to_owned(), 10), ("other_dt".to_owned(), 20)]);
    update(&shard, vec![add(ending("between", 12_000))]);
    refresh(&shard);
    check(15_000, 3);
    check(21_000, 2);
    check(600_000, 1);
    let ended = Range { field: "d_dt".into(), lower: Bound::Unbounded, upper: Bound::Unbounded };
    assert_eq!(living(&Query::Range(ended)), 0);
}

/// What was deleted because it ended is shown in the end, though the medium keeps the first refresh waiting.
#[test]
fn an_end_is_shown_though_its_refresh_failed() {
    use store::Site as _;
    use store::memory::{Fate, MemorySite};
    let site = MemorySite::default();
    let id = store::ShardId { path: "films".into(), stream: [1; 16] };
    let clock = Arc::new(StillClock::at(1_000));
    let shard = Shard::open(site.home(&id).unwrap(), Arc::new(schema()), config(), clock).unwrap();
    shard.set_expiries(&[("d_dt".to_owned(), 10)]);
    update(&shard, vec![add(document(&[("id", vec![text("1")]), ("d_dt", vec![Value::Date(5_000)])]))]);
    refresh(&shard);
    site.set_fate(&id, Fate::AnsweredLate { waits: 1 });
    assert!(shard.tick(11_000).is_err());
    assert_eq!(shard.snapshot().num_docs(), 1);
    shard.tick(12_000).unwrap();
    assert_eq!(shard.snapshot().num_docs(), 0);
}
