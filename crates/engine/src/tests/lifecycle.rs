//! Stories of one shard: what is visible when, what survives, what is refused.

use std::sync::Arc;

use meter::Meters;
use plan::{AtomicOp, Clause, Commit, ErrorKind, Expect, Occur, Operation, Query, Schema, SearchPlan, Value};

use super::*;
use crate::lock::lock;
use crate::testing::source;

#[test]
fn updates_are_gettable_at_once_and_found_after_a_refresh() {
    let shard = Site::new().open();
    update(&shard, vec![add(film("1", "rote rosen")), add(film("2", "blaue rosen"))]);
    assert_eq!(get(&shard, "1").unwrap().first("title_t"), Some(&text("rote rosen")));
    assert!(found(&shard, &Query::All).is_empty() && !shard.stats().current);
    refresh(&shard);
    assert_eq!(found(&shard, &term("title_t", "rosen")), ["1", "2"]);
    assert_eq!(found(&shard, &term("everything", "rote")), ["1"]);
    assert!(shard.stats().current);
    update(&shard, vec![add(film("1", "gelb")), delete("2")]);
    assert_eq!((get(&shard, "2"), found(&shard, &Query::All)), (None, vec!["1".into(), "2".into()]));
    refresh(&shard);
    assert_eq!(
        (found(&shard, &Query::All), found(&shard, &term("title_t", "rote"))),
        (vec!["1".into()], vec![])
    );
}

#[test]
fn versions_rise_with_the_clock_and_never_repeat() {
    let site = Site::new();
    let shard = site.open();
    let outcome =
        update(&shard, vec![add(film("1", "a")), add(film("2", "b")), delete("1"), delete("nobody")]);
    let first = 1_000 << 20;
    assert_eq!(outcome.added, [("1".into(), first), ("2".into(), first + 1)]);
    assert_eq!(outcome.deleted, [("1".into(), -(first + 2)), ("nobody".into(), -(first + 3))]);
    site.clock.advance(1);
    assert_eq!(update(&shard, vec![add(film("1", "a"))]).added[0].1, 1_001 << 20);
    assert_eq!(version_of(&shard, "1"), Some(1_001 << 20));
}

#[test]
fn expectations_follow_solrs_table() {
    let shard = Site::new().open();
    update(&shard, vec![add(film("1", "a"))]);
    let version = version_of(&shard, "1").unwrap();
    let check = |id: &str, expect: i64, message: Option<&str>| {
        let outcome = shard.update(
            batch(vec![add_expecting(film(id, "b"), Expect::from_version(expect))]),
            UpdateContext::default(),
        );
        let failure = outcome.failure.map(|error| (error.kind, error.message));
        assert_eq!(failure, message.map(|it| (ErrorKind::Conflict, it.to_owned())), "{id} {expect}");
    };
    check("1", 7, Some(&format!("version conflict for 1 expected=7 actual={version}")));
    check("1", -1, Some(&format!("version conflict for 1 expected=-1 actual={version}")));
    check("2", 1, Some("version conflict for 2 expected=1 actual=-1"));
    check("2", 7, Some("version conflict for 2 expected=7 actual=-1"));
    check("1", 1, None);
    check("2", -1, None);
    refresh(&shard);
    check("1", version_of(&shard, "1").unwrap(), None);
    check("2", 0, None);
}

#[test]
fn a_conflict_ends_the_batch_or_is_skipped() {
    let shard = Site::new().open();
    let operations = || {
        let conflict = add_expecting(film("9", "x"), Expect::Exists);
        vec![add(film("1", "a")), conflict, add(film("2", "b"))]
    };
    let ended = shard.update(batch(operations()), UpdateContext::default());
    assert_eq!((ended.added.len(), ended.failure.is_some()), (1, true));
    assert!(get(&shard, "1").is_some() && get(&shard, "2").is_none());
    let skipped = shard.update(
        UpdateBatch { operations: operations(), conflicts_skip: true, ..UpdateBatch::default() },
        UpdateContext::default(),
    );
    assert_eq!((skipped.added.len(), skipped.failure.is_none()), (2, true));
}

#[test]
fn what_the_schema_forbids_is_refused() {
    let shard = Site::new().open();
    let check = |field: &str, values: Vec<Value>, part: &str| {
        let document = document(&[("id", vec![text("7")]), (field, values)]);
        let failure = shard
            .update(batch(vec![add(film("1", "a")), add(document)]), UpdateContext::default())
            .failure
            .unwrap();
        assert_eq!(failure.kind, ErrorKind::BadRequest);
        assert!(failure.message.contains(part), "{}", failure.message);
        assert!(get(&shard, "7").is_none() && get(&shard, "1").is_some());
    };
    check("bogus", vec![text("x")], "[doc=7] unknown field 'bogus'");
    check(
        "a_s",
        vec![text("x"), text("y")],
        "[doc=7] multiple values encountered for non multiValued field a_s: [x, y]",
    );
    check("a_s", vec![text(&"x".repeat(40_000))], "immense term in field=\"a_s\"");
    check("n_i", vec![text("x")], "[doc=7] Error adding field 'n_i'='x' msg=For input string: \"x\"");
}

#[test]
fn atomic_updates_edit_the_newest_document() {
    let shard = Site::new().open();
    let inc = || modify("1", "n_i", AtomicOp::Inc, vec![Value::Int(1)]);
    update(&shard, vec![add(film("1", "rote rosen")), inc(), inc()]);
    refresh(&shard);
    update(&shard, vec![inc(), modify("1", "tags_ss", AtomicOp::Add, vec![text("a"), text("b")])]);
    let document = get(&shard, "1").unwrap();
    assert_eq!(document.first("n_i"), Some(&Value::Int(3)));
    assert_eq!(document.get("tags_ss").unwrap(), [text("a"), text("b")]);
    refresh(&shard);
    assert_eq!(found(&shard, &term("everything", "rosen")), ["1"]);
    update(&shard, vec![modify("new", "n_i", AtomicOp::Set, vec![Value::Int(5)])]);
    assert_eq!(get(&shard, "new").unwrap().first("id"), Some(&text("new")));
}

#[test]
fn delete_by_query_sees_what_searches_do_not_yet() {
    let shard = Site::new().open();
    update(&shard, vec![add(film("1", "rot")), add(film("2", "rot blau"))]);
    refresh(&shard);
    update(
        &shard,
        vec![add(film("3", "rot")), delete_by_query(term("title_t", "rot")), add(film("4", "rot"))],
    );
    assert_eq!(found(&shard, &Query::All), ["1", "2"]);
    assert!(get(&shard, "3").is_none() && get(&shard, "4").is_some());
    refresh(&shard);
    assert_eq!(found(&shard, &Query::All), ["4"]);
    update(&shard, vec![add(film("5", "x")), delete_by_query(Query::All)]);
    refresh(&shard);
    assert!(found(&shard, &Query::All).is_empty());
    assert_eq!(shard.stats().segment_count, 0);
}

#[test]
fn documents_merged_before_they_are_shown_are_still_deleted() {
    let shard = Site::new().open();
    for id in ["1", "2", "3"] {
        // Each delete by query seals what is there.
        update(&shard, vec![add(film(id, "rot")), delete_by_query(term("title_t", "nothing"))]);
    }
    assert!(shard.core().merge_once().unwrap());
    update(&shard, vec![delete_by_query(term("title_t", "rot"))]);
    assert_eq!((get(&shard, "2"), found(&shard, &Query::All)), (None, vec![]));
    refresh(&shard);
    assert!(found(&shard, &Query::All).is_empty());
}

#[test]
fn acknowledged_updates_survive_a_kill() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot")), add(film("2", "blau"))]);
    flush(&shard);
    update(
        &shard,
        vec![add(film("3", "rot")), delete("2"), modify("1", "n_i", AtomicOp::Inc, vec![Value::Int(4)])],
    );
    update(&shard, vec![delete_by_query(term("title_t", "nothing")), add(film("4", "x"))]);
    let versions: Vec<_> = ["1", "2", "3", "4"].map(|id| version_of(&shard, id)).into();
    site.disk.kill();
    drop(shard);
    let shard = site.open();
    assert_eq!(["1", "2", "3", "4"].map(|id| version_of(&shard, id)).to_vec(), versions);
    assert_eq!(found(&shard, &Query::All), ["1", "3", "4"]);
    assert_eq!(get(&shard, "1").unwrap().first("n_i"), Some(&Value::Int(4)));
    let next = update(&shard, vec![add(film("5", "x"))]).added[0].1;
    assert!(next > versions.into_iter().flatten().max().unwrap());
}

#[test]
fn a_flush_leaves_nothing_to_replay() {
    let site = Site::new();
    let shard = site.open();
    for number in 0..5 {
        update(&shard, vec![add(film(&number.to_string(), "rot"))]);
        refresh(&shard);
    }
    update(&shard, vec![delete("0")]);
    flush(&shard);
    let stats = shard.stats();
    assert_eq!((stats.ram_bytes, stats.num_docs, stats.segment_count), (0, 4, 1));
    update(&shard, vec![delete("1")]);
    flush(&shard);
    shard.close().unwrap();
    assert!(shard.update(batch(vec![delete("2")]), UpdateContext::default()).failure.is_some());
    drop(shard);
    let shard = site.open();
    assert_eq!(found(&shard, &Query::All), ["2", "3", "4"]);
    assert_eq!(shard.stats().ram_bytes, 0);
}

#[test]
fn a_flush_that_opens_no_searcher_shows_nothing() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    refresh(&shard);
    let quiet = Commit { open_searcher: false, ..Commit::HARD };
    for id in ["1", "2", "3"] {
        update(&shard, vec![add(film(id, "blau"))]);
        shard.commit(&quiet).unwrap();
    }
    assert_eq!(
        (found(&shard, &term("title_t", "rot")), found(&shard, &Query::All)),
        (vec!["1".into()], vec!["1".into()])
    );
    assert_eq!(get(&shard, "1").unwrap().first("title_t"), Some(&text("blau")));
    refresh(&shard);
    assert_eq!(found(&shard, &term("title_t", "blau")), ["1", "2", "3"]);
    site.disk.kill();
    drop(shard);
    assert_eq!(found(&site.open(), &term("title_t", "blau")), ["1", "2", "3"]);
}

#[test]
fn merges_change_no_answer() {
    let site = Site::new();
    let shard = site.open();
    for round in 0..10 {
        // Each round brings a field that older segments do not know.
        let document = document(&[
            ("id", vec![text(&format!("{}", round % 7))]),
            (&format!("f{round}_t"), vec![text(&format!("word{round}"))]),
            ("title_t", vec![text("rot")]),
        ]);
        update(&shard, vec![add(document)]);
        refresh(&shard);
        if round == 5 {
            flush(&shard);
        }
        shard.core().merge_once().unwrap();
    }
    assert!(shard.stats().merges > 0 && shard.stats().segment_count < 7, "{:?}", shard.stats());
    assert_eq!(found(&shard, &term("title_t", "rot")), ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(found(&shard, &term("f9_t", "word9")), ["2"]);
    assert!(found(&shard, &term("f2_t", "word2")).is_empty());
    let down = Commit { max_segments: Some(1), ..Commit::HARD };
    shard.commit(&down).unwrap();
    assert_eq!((shard.stats().segment_count, shard.stats().deleted_docs), (1, 0));
    drop(shard);
    let shard = site.open();
    assert_eq!(found(&shard, &Query::All).len(), 7);
    assert_eq!(found(&shard, &term("f9_t", "word9")), ["2"]);
}

/// Scores must not depend on when a merge dropped the dead.
#[test]
fn statistics_after_a_merge_are_those_of_the_living() {
    let tagged = |id: usize| {
        let tags = (0..=id % 4).map(|tag| text(&format!("tag{}", (id + tag) % 5))).collect();
        let kind = id.is_multiple_of(3).then(|| ("kind_s", vec![text("a")]));
        let fields = [("id", vec![text(&id.to_string())]), ("tags_ss", tags)].into_iter().chain(kind);
        add(document(&fields.collect::<Vec<_>>()))
    };
    let statistics = |shard: &Shard| {
        let queries = [term("tags_ss", "tag1"), term("kind_s", "a"), term("id", "1")];
        let clauses = queries.map(|query| Clause { occur: Occur::Should, query }).into();
        let query = Query::Boolean { clauses, minimum_should_match: 0 };
        let plan = SearchPlan { scores: true, ..SearchPlan::count(query) };
        shard.pin().statistics(&plan, &Meters::default()).unwrap()
    };
    let (merged, fresh) = (Site::new().open(), Site::new().open());
    update(&merged, (0..40).map(tagged).collect());
    refresh(&merged);
    update(&merged, (0..40).filter(|id| id % 7 < 2).map(|id| delete(&id.to_string())).collect());
    merged.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    update(&fresh, (0..40).filter(|id| id % 7 >= 2).map(tagged).collect());
    refresh(&fresh);
    assert_eq!(statistics(&merged), statistics(&fresh));
}

#[test]
fn expunging_rewrites_what_holds_the_dead() {
    let shard = Site::new().open();
    update(&shard, (0..20).map(|id| add(film(&id.to_string(), "rot"))).collect());
    refresh(&shard);
    update(&shard, vec![delete("3")]);
    refresh(&shard);
    assert_eq!(shard.stats().deleted_docs, 1);
    shard.commit(&Commit { expunge_deletes: true, ..Commit::SOFT }).unwrap();
    assert_eq!((shard.stats().deleted_docs, shard.stats().num_docs), (0, 19));
}

#[test]
fn deadlines_are_met_by_ticks() {
    let mut site = Site::new();
    site.config.auto_commit.refresh_after_ms = Some(1_000);
    site.config.auto_commit.flush_after_ms = Some(15_000);
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    shard.tick(1_999).unwrap();
    assert!(found(&shard, &Query::All).is_empty());
    shard.tick(2_000).unwrap();
    assert_eq!(found(&shard, &Query::All), ["1"]);
    let mut soon = film("2", "rot");
    soon.fields.truncate(2);
    update(
        &shard,
        vec![Operation::Add(Add {
            id: "2".into(),
            document: soon,
            children: vec![],
            expect: Expect::Anything,
            overwrite: true,
            conditions: None,
            commit_within_ms: Some(10),
        })],
    );
    shard.tick(1_010).unwrap();
    assert_eq!(found(&shard, &Query::All), ["1", "2"]);
    assert!(shard.stats().ram_bytes > 0);
    shard.tick(16_000).unwrap();
    assert_eq!((shard.stats().ram_bytes, shard.stats().flushes), (0, 1));
}

/// Lengths and postings of a field lie in segments of its time only.
#[test]
fn a_field_is_looked_for_in_segments_of_before_it() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(document(&[("id", vec![text("1")])]))]);
    flush(&shard);
    let mut grown = source();
    grown.fields.push(plan::FieldSource {
        name: "newt".into(),
        type_name: "text".into(),
        attributes: vec![],
    });
    shard.set_schema(Arc::new(Schema::build(grown).unwrap())).unwrap();
    update(&shard, vec![add(document(&[("id", vec![text("2")]), ("newt", vec![text("a pond")])]))]);
    flush(&shard);
    assert_eq!(found(&shard, &Query::Exists { field: "newt".into() }), ["2"]);
    assert_eq!(found(&shard, &term("newt", "pond")), ["2"]);
}

#[test]
fn a_changed_schema_takes_effect_and_keeps_the_past() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(document(&[("id", vec![text("1")]), ("name_s", vec![text("Kakadu")])]))]);
    flush(&shard);
    let mut changed = source();
    changed.fields.push(plan::FieldSource {
        name: "name_s".into(),
        type_name: "text".into(),
        attributes: vec![],
    });
    shard.set_schema(Arc::new(Schema::build(changed).unwrap())).unwrap();
    update(&shard, vec![add(document(&[("id", vec![text("2")]), ("name_s", vec![text("Roter Kakadu")])]))]);
    refresh(&shard);
    assert_eq!(found(&shard, &term("name_s", "kakadu")), ["2"]);
    assert_eq!(get(&shard, "1").unwrap().first("name_s"), Some(&text("Kakadu")));
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    assert_eq!(found(&shard, &term("name_s", "kakadu")), ["2"]);
}

#[test]
fn duplicates_on_request() {
    let shard = Site::new().open();
    let beside = |title: &str| {
        Operation::Add(Add {
            id: "1".into(),
            document: film("1", title),
            children: vec![],
            expect: Expect::Anything,
            overwrite: false,
            conditions: None,
            commit_within_ms: None,
        })
    };
    update(&shard, vec![beside("a"), beside("b")]);
    refresh(&shard);
    update(&shard, vec![beside("c")]);
    refresh(&shard);
    assert_eq!(found(&shard, &Query::All), ["1", "1", "1"]);
    update(&shard, vec![beside("d"), add(film("1", "e"))]);
    refresh(&shard);
    assert_eq!(found(&shard, &Query::All), ["1"]);
}

#[test]
fn two_threads_update_while_others_refresh_flush_and_merge() {
    let site = Site::new();
    let shard = site.open();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let shard = &shard;
            scope.spawn(move || {
                for round in 0..60 {
                    let counter = modify("shared", "n_i", AtomicOp::Inc, vec![Value::Int(1)]);
                    update(shard, vec![add(film(&format!("{thread}-{}", round % 20), "rot")), counter]);
                }
            });
        }
        scope.spawn(|| {
            for round in 0..20 {
                if round % 5 == 0 {
                    flush(&shard);
                } else {
                    refresh(&shard);
                }
                shard.core().merge_once().unwrap();
            }
        });
    });
    assert_eq!(get(&shard, "shared").unwrap().first("n_i"), Some(&Value::Int(120)));
    refresh(&shard);
    assert_eq!(found(&shard, &Query::All).len(), 41);
    site.disk.kill();
    drop(shard);
    let shard = site.open();
    assert_eq!(found(&shard, &Query::All).len(), 41);
    assert_eq!(get(&shard, "shared").unwrap().first("n_i"), Some(&Value::Int(120)));
}

/// A flush takes its cut, a merge of the same segments ends, and the flush goes on with segments that are
/// there no more.
#[test]
fn a_merge_between_cut_and_flush_doubles_nothing() {
    let shard = Site::new().open();
    for id in ["a", "b"] {
        update(&shard, vec![add(film(id, "solaris"))]);
        refresh(&shard);
    }
    let core = shard.core();
    let mut cut = {
        let _maintenance = lock(&core.maintenance);
        core.cut().unwrap()
    };
    core.merge_down_to(1).unwrap();
    core.gather_unpersisted(&mut cut).unwrap();
    update(&shard, vec![add(film("a", "solaris"))]);
    refresh(&shard);
    assert_eq!(found(&shard, &term("title_t", "solaris")), ["a", "b"]);
    flush(&shard);
    assert_eq!(shard.stats().num_docs, 2);
}

/// What died after the cut stays in what the flush writes: the log may still lose why it died.
#[test]
fn a_flush_removes_nothing_that_died_after_its_cut() {
    let shard = Site::new().open();
    for id in ["a", "b"] {
        update(&shard, vec![add(film(id, "solaris")), add(film(&format!("{id}2"), "stalker"))]);
        refresh(&shard);
    }
    let core = shard.core();
    let mut cut = {
        let _maintenance = lock(&core.maintenance);
        core.cut().unwrap()
    };
    update(&shard, vec![add(film("a", "mirror"))]);
    refresh(&shard);
    core.gather_unpersisted(&mut cut).unwrap();
    let documents: u32 = cut.segments.iter().map(|(segment, _)| segment.max_doc).sum();
    assert_eq!(documents, 4);
    assert_eq!(found(&shard, &term("title_t", "solaris")), ["b"]);
}
