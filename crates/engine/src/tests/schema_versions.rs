//! Plans and batches name the version of the schema that they were resolved against: a shard that has another
//! refuses them with nothing done, unless only additions lie between; and its schema does not change under a
//! batch.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use meter::Meters;
use plan::partial::LikeWords;
use plan::{
    BatchId, ErrorKind, FieldSource, Join, MoreLike, Result, Schema, SearchPlan, TermsPlan, VectorsPlan,
    WordsPlan,
};

use super::*;
use crate::EditSteps;
use crate::testing::source;

fn field(name: &str, type_name: &str) -> FieldSource {
    FieldSource { name: name.into(), type_name: type_name.into(), attributes: vec![] }
}

/// Version 1 is as declared, 2 adds a field, 3 gives it another type.
fn versions() -> [Arc<Schema>; 3] {
    let mut edited = source();
    let first = Schema::build(edited.clone()).unwrap().at_version(1);
    edited.fields.push(field("year", "string"));
    let second = Schema::build(edited.clone()).unwrap().succeeding(&first, 2);
    edited.fields.pop();
    edited.fields.push(field("year", "pint"));
    let third = Schema::build(edited).unwrap().succeeding(&second, 3);
    [first, second, third].map(Arc::new)
}

fn open(schema: &Arc<Schema>) -> Arc<Shard> {
    let site = Site::new();
    let home = Arc::new(site.disk.open().unwrap());
    Shard::open(home, schema.clone(), site.config.clone(), site.clock.clone()).unwrap()
}

fn at(version: u64, operations: Vec<Operation>) -> UpdateBatch {
    UpdateBatch { schema_version: Some(version), ..batch(operations) }
}

/// What becomes of each kind of plan that was resolved against a version.
fn asked(shard: &Shard, version: u64) -> Vec<Result<()>> {
    let schema_version = Some(version);
    let (meters, search) =
        (Meters::default(), SearchPlan { schema_version, ..SearchPlan::count(Query::All) });
    let join = Join {
        collection: None,
        schema_version,
        query: Query::All,
        from: "id".into(),
        to: "id".into(),
        score: None,
    };
    let terms = TermsPlan {
        schema_version,
        field: "id".into(),
        lower: None,
        upper: None,
        prefix: None,
        expressions: vec![],
        among: None,
        count_min: 0,
        count_max: None,
        limit: None,
        by_count: false,
        occurrences: false,
        depth: plan::CutDepth::Page,
    };
    let words = WordsPlan { schema_version, field: "id".into(), exact: vec![], near: vec![] };
    let vectors = VectorsPlan { schema_version, places: vec![], fields: None, count_documents: false };
    let (of, choice) = (plan::LikeSource::Text(String::new()), plan::LikeChoice::default());
    let like = MoreLike { schema_version, collections: vec![], of, fields: vec![], choice };
    vec![
        shard.pin().search(&search, &meters).map(drop),
        shard.pin().why_not(&search, "1", &meters).map(drop),
        shard.pin().explain_other(&search, &Query::All, 1, &meters).map(drop),
        shard.joined(&join, false, None).map(drop),
        shard.terms(&terms).map(drop),
        shard.pin().words(&words, &meters).map(drop),
        shard.pin().vectors(&vectors).map(drop),
        shard.pin().like_words(&like).map(drop),
        shard.pin().like_counts(&like, &LikeWords::default()).map(drop),
        shard
            .update(at(version, vec![add(film("1", "rot"))]), UpdateContext::default())
            .failure
            .map_or(Ok(()), Err),
    ]
}

#[test]
fn what_was_resolved_against_another_schema_is_refused() {
    let [first, second, third] = versions();
    let shard = open(&first);
    let check = |expected: [bool; 4]| {
        for (version, admitted) in (1..).zip(expected) {
            for (kind, result) in asked(&shard, version).into_iter().enumerate() {
                let result = result.map_err(|error| error.kind);
                let expected = if admitted { Ok(()) } else { Err(ErrorKind::SchemaChanged) };
                assert_eq!(result, expected, "kind {kind} at version {version}");
            }
        }
    };
    check([true, false, false, false]);
    shard.set_schema(second).unwrap();
    check([true, true, false, false]);
    shard.set_schema(third).unwrap();
    check([false, false, true, false]);
}

#[test]
fn a_batch_that_is_refused_did_nothing_and_one_that_was_applied_is_answered_for() {
    let [_, second, third] = versions();
    let shard = open(&second);
    let named = || UpdateBatch { id: Some(BatchId([1; 16])), ..at(2, vec![add(film("1", "rot"))]) };
    let first = shard.update(named(), UpdateContext::default());
    assert!(first.failure.is_none());
    shard.set_schema(third).unwrap();
    let again = shard.update(named(), UpdateContext::default());
    assert_eq!((again.added, again.failure), (first.added, None));
    let late = at(2, vec![delete("1"), add(film("2", "rot")), Operation::Commit(Commit::SOFT)]);
    let refused = shard.update(late, UpdateContext::default());
    assert_eq!(refused.failure.unwrap().kind, ErrorKind::SchemaChanged);
    assert!(refused.added.is_empty() && refused.deleted.is_empty());
    assert!(get(&shard, "1").is_some() && get(&shard, "2").is_none());
    assert_eq!(found(&shard, &Query::All), ["1"]);
}

/// Asks, in the middle of a batch, whether the schema could be changed now.
struct Between {
    shard: Arc<Shard>,
    added: Arc<Schema>,
    asked: AtomicU32,
}

impl EditSteps for Between {
    fn take(&self, _: &str, document: Document) -> Result<Document> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(self.shard.core().resolved_by.try_write().is_err(), "an edit comes between");
        // An addition may: it would wait for itself here if it had to.
        self.shard.set_schema(self.added.clone()).unwrap();
        Ok(document)
    }
}

fn edit() -> Operation {
    modify("1", "n_i", plan::AtomicOp::Inc, vec![Value::Int(1)])
}

/// What a schema adds by itself, a default say, has no place in the layout that a group began with.
#[test]
fn an_addition_within_a_group_refuses_no_document() {
    let [first, ..] = versions();
    let mut edited = source();
    edited.fields.push(FieldSource {
        attributes: vec![("default".into(), "none".into())],
        ..field("origin", "string")
    });
    let added = Arc::new(Schema::build(edited).unwrap().succeeding(&first, 2));
    let shard = open(&first);
    let steps = Arc::new(Between { shard: shard.clone(), added, asked: AtomicU32::new(0) });
    let context = UpdateContext { edit_steps: Some(steps), ..UpdateContext::default() };
    let outcome = shard.update(at(1, vec![edit(), add(film("2", "rot")), add(film("3", "rot"))]), context);
    assert_eq!((outcome.failure, outcome.added.len()), (None, 3));
    assert_eq!(get(&shard, "3").unwrap().get("origin"), Some(&[Value::Str("none".into())][..]));
}

/// Edits the same document by itself, once, while another edit of it is being prepared.
struct Meddling {
    shard: Arc<Shard>,
    edits: Mutex<Vec<Operation>>,
}

impl EditSteps for Meddling {
    fn take(&self, _: &str, document: Document) -> Result<Document> {
        let edits = std::mem::take(&mut *self.edits.lock().unwrap());
        if !edits.is_empty() {
            update(&self.shard, edits);
        }
        Ok(document)
    }
}

/// An edit is made again because its document has changed, and that has a field by now which nobody had met
/// when the edit's group began.
#[test]
fn an_edit_made_again_meets_fields_that_others_have_added() {
    let [first, ..] = versions();
    let shard = open(&first);
    update(&shard, vec![add(film("1", "rot"))]);
    let fresh = modify("1", "fresh_s", plan::AtomicOp::Set, vec![text("new")]);
    let steps = Arc::new(Meddling { shard: shard.clone(), edits: Mutex::new(vec![fresh]) });
    let context = UpdateContext { edit_steps: Some(steps), ..UpdateContext::default() };
    let operations = vec![edit(), add(film("2", "rot")), delete("3")];
    let outcome = shard.update(UpdateBatch { id: Some(BatchId([1; 16])), ..batch(operations) }, context);
    assert_eq!((outcome.failure, outcome.added.len(), outcome.deleted.len()), (None, 2, 1));
    let edited = get(&shard, "1").unwrap();
    assert_eq!((edited.first("n_i"), edited.first("fresh_s")), (Some(&Value::Int(1)), Some(&text("new"))));
}

#[test]
fn only_additions_come_between_the_groups_of_a_batch() {
    let [first, second, third] = versions();
    let shard = open(&first);
    let steps = Arc::new(Between { shard: shard.clone(), added: second, asked: AtomicU32::new(0) });
    let context = UpdateContext { edit_steps: Some(steps.clone()), ..UpdateContext::default() };
    // One id is once in each group: two groups.
    let outcome = shard.update(at(1, vec![edit(), edit()]), context);
    assert_eq!((outcome.failure, outcome.added.len()), (None, 2));
    assert!(steps.asked.load(Ordering::Relaxed) >= 2);
    assert!(shard.core().resolved_by.try_write().is_ok());
    shard.set_schema(third).unwrap();
}
