//! An index that is wrong though its files are whole is found by comparing documents with it: by whoever
//! asks, and by the scrub in its time; and one that is right is not called wrong, whatever became of its
//! schema.

use plan::{Nested, NestedField, Schema};
use store::{SegmentFile, ShardHome};

use super::*;
use crate::IndexSample;
use crate::life::manifest::{FileRecord, Manifest};
use crate::testing::source;

fn sampled(shard: &Shard, documents: u32) -> IndexSample {
    let mut segments = 0;
    let found = shard.sample_index(documents, &mut |_| segments += 1);
    assert_eq!(found.segments, segments);
    found
}

fn flights() -> Vec<Document> {
    let one = |number: i32| {
        let name = format!("flight {}", number % 7);
        let mut fields = vec![
            ("id", vec![text(&format!("{number:03}"))]),
            ("title_t", vec![text(&format!("to {} of {number}", number % 5)), text(&name), text(&name)]),
            ("name_s", vec![text(&name)]),
            ("tags_ss", vec![text("b"), text("a"), text("b")]),
            ("tags_dv", vec![text("d"), text("c"), text("d")]),
            ("none_t", vec![text(""), text("…")]),
            ("none_s", vec![text("")]),
            ("long_sort", vec![text(&"größer ".repeat(400))]),
            ("sort_sort", vec![text(&name)]),
            ("count_i", vec![Value::Int(number % 4)]),
            ("counts_is", vec![Value::Int(9), Value::Int(number), Value::Int(9)]),
            ("big_l", vec![Value::Long(i64::from(number) << 33)]),
            ("real_d", vec![Value::Double(f64::from(number) / -3.0)]),
            ("when_dt", vec![Value::Date(i64::from(number) * 1000)]),
            ("is_b", vec![Value::Bool(number % 2 == 0)]),
            ("place_p", vec![text(&format!("{},{}", number % 80, number % 170))]),
            ("places_ps", vec![text("1,2"), text("0,1")]),
            ("shape_srpt", vec![text("ENVELOPE(1, 2, 4, 3)")]),
            ("words_dpf", vec![text("a|1.5 b a|2")]),
            ("vector_v", (0..5).map(|at| Value::Float((number + at) as f32)).collect()),
        ];
        // Not every document has every field.
        if number % 3 == 0 {
            fields.truncate(12);
        }
        document(&fields)
    };
    (0..60).map(one).collect()
}

#[test]
fn an_index_of_every_kind_of_field_says_what_its_documents_say() {
    let site = Site::new();
    let shard = site.open();
    for batch in flights().chunks(20) {
        update(&shard, batch.iter().cloned().map(add).collect());
        flush(&shard);
    }
    let child = document(&[("id", vec![text("c")]), ("title_t", vec![text("below")])]);
    let child = Nested { id: "c".into(), document: child, children: vec![] };
    let nested = vec![NestedField { name: Some("kids".into()), listed: true, documents: vec![child] }];
    update(&shard, vec![add_block("root".into(), film("root", "above"), nested, Expect::Anything)]);
    update(&shard, vec![delete("003"), modify("004", "count_i", plan::AtomicOp::Inc, vec![Value::Int(5)])]);
    flush(&shard);
    let found = sampled(&shard, 1000);
    assert_eq!((found.differences, found.unknown_segments), (vec![], 0));
    assert!(found.documents >= 61 && found.terms > 1000, "{} {}", found.documents, found.terms);
    let few = sampled(&shard, 2);
    assert_eq!(few.documents, 2 * few.segments);
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    drop(shard);
    let found = sampled(&site.open(), 1000);
    assert_eq!((found.differences, found.segments, found.unknown_segments), (vec![], 1, 0));
}

#[test]
fn a_schema_of_before_is_no_damage() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "Rote Rosen"))]);
    flush(&shard);
    let mut edited = source();
    let text_type = edited.types.iter_mut().find(|it| it.name == "text").unwrap();
    text_type.analyzer.iter_mut().for_each(|it| it.filters.clear());
    shard.set_schema(Arc::new(Schema::build(edited.clone()).unwrap())).unwrap();
    update(&shard, vec![add(film("2", "Rote Rosen"))]);
    flush(&shard);
    let found = sampled(&shard, 10);
    assert_eq!((found.differences, found.segments, found.unknown_segments), (vec![], 2, 1));
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    let found = sampled(&shard, 10);
    assert_eq!((found.differences, found.segments, found.unknown_segments), (vec![], 1, 1));
    drop(shard);
    // A builder that was begun under the one and goes on under the other.
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "Rote Rosen"))]);
    shard.set_schema(Arc::new(Schema::build(edited).unwrap())).unwrap();
    update(&shard, vec![add(film("2", "Rote Rosen"))]);
    flush(&shard);
    assert_eq!(sampled(&shard, 10).differences, []);
}

/// Puts the stored documents of one segment in the place of another's, with a manifest that says so: every
/// checksum is right then, and the index says otherwise than the documents.
fn swap_documents(site: &Site) -> String {
    let home = site.disk.open().unwrap();
    let (version, bytes) = home.manifests().load().unwrap().unwrap();
    let mut manifest = Manifest::from_bytes(&bytes).unwrap();
    let store = home.segments();
    let of = |manifest: &Manifest, at: usize| {
        let stored = |file: &&FileRecord| file.name.ends_with(".store");
        manifest.segments[at].files.iter().find(stored).unwrap().to_file()
    };
    let (wrong, other) = (of(&manifest, 0), of(&manifest, 1));
    let bytes = store.open(&other).unwrap().to_vec();
    store.remove(&wrong.name).unwrap();
    let put: SegmentFile = store.put(&wrong.name, &bytes).unwrap();
    let record = manifest.segments[0].files.iter_mut().find(|it| it.name == wrong.name).unwrap();
    *record = FileRecord::from(&put);
    home.manifests().publish(Some(version), &manifest.to_bytes().unwrap()).unwrap();
    wrong.name.split('.').next().unwrap().to_owned()
}

fn wrong_site() -> (Site, String) {
    let site = Site::new();
    let shard = site.open();
    // The same versions and ids must not be needed to tell them apart, but what has them is found sooner.
    for titles in [["rot", "blau"], ["grün", "gelb"]] {
        let films = titles.iter().enumerate().map(|(at, title)| add(film(&format!("{title}{at}"), title)));
        update(&shard, films.collect());
        flush(&shard);
    }
    drop(shard);
    let segment = swap_documents(&site);
    (site, segment)
}

#[test]
fn an_index_that_is_wrong_with_right_checksums_is_found_at_once() {
    let (mut site, segment) = wrong_site();
    site.config.verify_at_open = true;
    let shard = site.open();
    assert!(shard.losses().is_empty(), "its files are whole");
    let found = sampled(&shard, 5);
    assert_eq!(found.documents, 4);
    assert!(found.differences.iter().all(|it| it.segment == segment), "{:?}", found.differences);
    assert!(found.differences.len() > 1);
    assert_eq!(shard.vital_figures().wrong_segments, 1);
    let told = shard.stats().wrong_index.unwrap();
    assert!(told.contains(&segment), "{told}");
}

#[test]
fn the_scrub_finds_it_in_its_time_and_merges_carry_it_on() {
    let (mut site, segment) = wrong_site();
    site.config.samples_per_hour = 60;
    let shard = site.open();
    let mut minutes = 0;
    shard.core().sample_due();
    shard.core().sample_due();
    assert_eq!(shard.vital_figures().wrong_segments, 0, "nothing is due yet");
    while shard.vital_figures().wrong_segments == 0 {
        assert!(minutes < 60, "half of the documents are wrong");
        site.clock.advance(60_000);
        shard.core().sample_due();
        minutes += 1;
    }
    assert!(shard.stats().wrong_index.unwrap().contains(&segment));
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    assert_eq!(shard.vital_figures().wrong_segments, 1);
    let told = shard.stats().wrong_index.unwrap();
    assert!(!told.contains(&segment), "it is another segment now: {told}");
    update(&shard, vec![delete_by_query(Query::All)]);
    flush(&shard);
    assert_eq!((shard.vital_figures().wrong_segments, shard.stats().wrong_index), (0, None));
}

#[test]
fn a_site_that_samples_nothing_is_left_alone() {
    let (mut site, _) = wrong_site();
    site.config.samples_per_hour = 0;
    let shard = site.open();
    for _ in 0..100 {
        site.clock.advance(3_600_000);
        shard.core().sample_due();
    }
    assert_eq!(shard.vital_figures().wrong_segments, 0);
}
