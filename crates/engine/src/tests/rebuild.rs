//! Rebuilding into a shard beside: what stood there, what came meanwhile, blocks, and values turned into
//! another type.

use plan::{Nested, NestedField, SchemaSource};

use super::*;

/// The test's schema, where the strings `*_s` are whole numbers.
fn other_schema() -> plan::Schema {
    let mut source: SchemaSource = crate::testing::source();
    for field in source.dynamic_fields.iter_mut().filter(|field| field.name == "*_s") {
        field.type_name = "pint".into();
    }
    plan::Schema::build(source).unwrap()
}

fn open_empty(schema: plan::Schema) -> (Site, Arc<Shard>) {
    let site = Site::new();
    let home = Arc::new(site.disk.open().unwrap());
    let shard = Shard::open(home, Arc::new(schema), site.config.clone(), site.clock.clone()).unwrap();
    (site, shard)
}

fn numbered(id: &str, number: &str) -> Operation {
    add(document(&[("id", vec![text(id)]), ("number_s", vec![text(number)])]))
}

#[test]
fn documents_and_what_came_meanwhile_are_there_under_the_other_schema() {
    let site = Site::new();
    let old = site.open();
    update(&old, (0..600).map(|number| numbered(&format!("a{number}"), &number.to_string())).collect());
    flush(&old);
    update(&old, vec![numbered("b", "7"), delete("a1")]);
    let (_target_site, target) = open_empty(other_schema());
    let at = old.export(&mut |record| target.import(record, None)).unwrap();
    // Meanwhile, with a flush that would otherwise trim the log.
    update(&old, vec![numbered("a2", "2000"), delete("a3"), numbered("c", "8")]);
    flush(&old);
    update(&old, vec![delete_by_query(term("number_s", "4"))]);
    // A piece of a request that goes on in the other shard.
    let piece = UpdateBatch { durable: plan::Durable::Later, ..batch(vec![numbered("d", "9")]) };
    assert!(old.update(piece, UpdateContext::default()).failure.is_none());
    let reached = old.export_since(at, &mut |record| target.import(record, None)).unwrap();
    assert!(reached > at);
    assert_eq!(old.export_since(reached, &mut |_| panic!("nothing is left")).unwrap(), reached);
    old.end_export();
    flush(&target);
    refresh(&old);
    let (all, expected) = (found(&target, &Query::All), found(&old, &Query::All));
    assert_eq!((all.len(), &all), (600, &expected));
    for id in ["a0", "a2", "b", "c", "d"] {
        assert_eq!(version_of(&target, id), version_of(&old, id), "{id}");
    }
    let number = get(&target, "a2").unwrap();
    assert_eq!(number.first("number_s"), Some(&Value::Int(2000)));
    let query = Query::Term { field: "number_s".into(), value: Value::Int(2000) };
    assert_eq!(found(&target, &query), ["a2"]);
}

#[test]
fn blocks_stay_blocks() {
    let site = Site::new();
    let old = site.open();
    let child = |id: &str| Nested { id: id.into(), document: film(id, "solaris"), children: vec![] };
    let below = |ids: &[&str]| {
        vec![NestedField { name: None, listed: true, documents: ids.iter().map(|id| child(id)).collect() }]
    };
    for (root, children) in [("r1", &["c1", "c2"][..]), ("r2", &["c3"])] {
        let block = add_block(root.into(), film(root, "root"), below(children), Expect::Anything);
        update(&old, vec![block]);
    }
    update(&old, vec![add(film("plain", "solaris"))]);
    refresh(&old);
    let (site, target) = open_empty(schema());
    old.export(&mut |record| target.import(record, None)).unwrap();
    flush(&target);
    assert_eq!(found(&target, &Query::All), found(&old, &Query::All));
    update(&target, vec![delete("r1")]);
    refresh(&target);
    assert_eq!(found(&target, &Query::All), ["c3", "plain", "r2"]);
    // What was imported and flushed is there after the process ends.
    site.disk.kill();
    drop(target);
    let again = site.open();
    assert_eq!(found(&again, &Query::All).len(), 3);
}

#[test]
fn a_value_that_cannot_be_stops_the_rebuild() {
    let site = Site::new();
    let old = site.open();
    update(&old, vec![numbered("x", "seven")]);
    let (_target_site, target) = open_empty(other_schema());
    let error = old.export(&mut |record| target.import(record, None)).unwrap_err();
    assert!(error.message.contains("document `x` cannot be rebuilt: field `number_s`"), "{}", error.message);
    old.end_export();
    refresh(&old);
    assert_eq!(found(&old, &Query::All), ["x"]);
}
