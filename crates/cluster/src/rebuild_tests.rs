//! Rebuilding a collection over real shards: nothing is lost while updates go on, a failure and a crash leave
//! what was there, and the way back keeps what came since.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use meter::Clock;
use plan::{
    Add, Commit, Document, Error, Expect, FieldSelection, FieldSource, Operation, SchemaSource, TypeSource,
    UpdateBatch, Value,
};

use crate::crash_tests::Recording;
use crate::tests::config;
use crate::{
    CacheSizes, Collection, CreateCollection, GetShards, Node, NodeConfig, RebuildState, ThreadScheduler,
    UpdateContext, engine_shards,
};

/// Goes on by a millisecond whenever it is looked at.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now_ms(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

pub(crate) fn open(folder: &Path) -> Arc<Node> {
    Node::open(node_config(folder)).unwrap()
}

fn node_config(folder: &Path) -> NodeConfig {
    NodeConfig {
        data_dir: folder.to_owned(),
        clock: Arc::new(Ticking(AtomicI64::new(1_795_255_200_000))),
        shards: engine_shards(CacheSizes::NONE, Arc::new(ThreadScheduler)),
        name: "127.0.0.1:8983_solr".into(),
    }
}

pub(crate) fn schema() -> SchemaSource {
    let kind = |name: &str, class: &str| TypeSource {
        name: name.into(),
        class: class.into(),
        ..TypeSource::default()
    };
    SchemaSource {
        name: "small".into(),
        version: 1.7,
        unique_key: Some("id".into()),
        types: vec![kind("string", "solr.StrField"), kind("pint", "solr.IntPointField")],
        fields: ["id", "year"].map(|name| field(name, "string")).into(),
        ..SchemaSource::default()
    }
}

fn field(name: &str, type_name: &str) -> FieldSource {
    FieldSource { name: name.into(), type_name: type_name.into(), attributes: vec![] }
}

pub(crate) async fn films(node: &Arc<Node>) -> Arc<Collection> {
    node.create(CreateCollection::new("films", "_default", schema(), config(1024))).await.unwrap()
}

pub(crate) fn film(id: &str, year: &str) -> Operation {
    let text = |text: &str| vec![Value::Str(text.to_owned())];
    let document = Document { fields: vec![("id".into(), text(id)), ("year".into(), text(year))] };
    Operation::Add(Add {
        id: id.into(),
        document,
        children: vec![],
        expect: Expect::Anything,
        overwrite: true,
        conditions: None,
        commit_within_ms: None,
    })
}

pub(crate) async fn update(films: &Collection, operations: Vec<Operation>) {
    let outcome =
        films.update(UpdateBatch { operations, ..UpdateBatch::default() }, UpdateContext::default()).await;
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}

/// `year` by numbers.
pub(crate) fn numbers(source: &SchemaSource) -> plan::Result<SchemaSource> {
    let mut source = source.clone();
    source.fields.iter_mut().filter(|it| it.name == "year").for_each(|it| it.type_name = "pint".into());
    Ok(source)
}

/// Waits until no rebuild runs; how it ended.
pub(crate) async fn ended(films: &Collection) -> (RebuildState, String) {
    loop {
        let status = films.rebuild_status().unwrap();
        if status.state != RebuildState::Running {
            return (status.state, status.failure.unwrap_or_default());
        }
        tokio::task::yield_now().await;
    }
}

pub(crate) async fn year(films: &Collection, id: &str) -> Option<Value> {
    let found = films
        .get((&[id.to_owned()], GetShards::default()), &FieldSelection::everything())
        .await
        .unwrap()
        .pop()
        .unwrap();
    found?.1.first("year").cloned()
}

pub(crate) async fn count(films: &Collection) -> u64 {
    films.commit(Commit::HARD).await.unwrap();
    films.stats().num_docs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_go_on_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let films = films(&node).await;
    update(&films, (0..2000).map(|number| film(&format!("a{number}"), &number.to_string())).collect()).await;
    films.commit(Commit::HARD).await.unwrap();
    films.start_rebuild(&node, Box::new(numbers)).unwrap();
    assert!(films.start_rebuild(&node, Box::new(numbers)).is_err_and(|it| it.message.contains("is running")));
    let mut sent = 0;
    while films.rebuild_status().unwrap().state == RebuildState::Running || sent < 50 {
        let changed = format!("a{sent}");
        let gone = format!("a{}", 1000 + sent);
        let delete =
            Operation::Delete { id: gone, route: None, expect: Expect::Anything, commit_within_ms: None };
        // Values as the chain types them by the schema of the moment.
        let year = if films.schema().field("year").unwrap().field_type.name == "pint" {
            Value::Int(-7)
        } else {
            Value::Str("-7".into())
        };
        let mut changed = film(&changed, "");
        let mut added = film(&format!("b{sent}"), "");
        for operation in [&mut changed, &mut added] {
            let Operation::Add(add) = operation else { unreachable!() };
            add.document.fields[1].1 = vec![year.clone()];
        }
        let outcome = films
            .update(
                UpdateBatch { operations: vec![changed, added, delete], ..UpdateBatch::default() },
                UpdateContext::default(),
            )
            .await;
        if outcome.failure.is_none() {
            sent += 1;
        }
        if sent == 900 {
            break;
        }
    }
    assert_eq!(ended(&films).await, (RebuildState::Done, String::new()));
    assert_eq!(count(&films).await, 2000);
    let check = async |films: &Collection| {
        for number in [0, sent - 1] {
            assert_eq!(year(films, &format!("a{number}")).await, Some(Value::Int(-7)), "a{number} of {sent}");
            assert_eq!(year(films, &format!("b{number}")).await, Some(Value::Int(-7)), "b{number} of {sent}");
            assert_eq!(year(films, &format!("a{}", 1000 + number)).await, None);
        }
        assert_eq!(year(films, "a1999").await, Some(Value::Int(1999)));
    };
    check(&films).await;
    node.close().unwrap();
    drop((films, node));
    let node = open(folder.path());
    let films = node.find("films").unwrap();
    check(&films).await;
    assert_eq!(count(&films).await, 2000);
    let shards = std::fs::read_dir(folder.path().join("collections/films")).unwrap();
    let shards = shards.filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with("shard"));
    assert_eq!(shards.count(), 1);
    node.close().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_way_back_keeps_what_came_since() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let films = films(&node).await;
    assert!(films.schema_before_rebuild().is_err_and(|it| it.message.contains("nothing to undo")));
    update(&films, vec![film("a", "1972")]).await;
    films.start_rebuild(&node, Box::new(numbers)).unwrap();
    assert_eq!(ended(&films).await.0, RebuildState::Done);
    let mut added = film("b", "");
    if let Operation::Add(add) = &mut added {
        add.document.fields[1].1 = vec![Value::Int(1975)];
    }
    update(&films, vec![added]).await;
    let undone = films.clone();
    films.start_rebuild(&node, Box::new(move |_| undone.schema_before_rebuild())).unwrap();
    assert_eq!(ended(&films).await, (RebuildState::Done, String::new()));
    assert_eq!(films.schema().field("year").unwrap().field_type.name, "string");
    for (id, expected) in [("a", "1972"), ("b", "1975")] {
        assert_eq!(year(&films, id).await, Some(Value::Str(expected.into())));
    }
    node.close().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_and_a_crash_leave_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let films = films(&node).await;
    update(&films, vec![film("a", "1972"), film("b", "unknown")]).await;
    films.start_rebuild(&node, Box::new(numbers)).unwrap();
    let (state, failure) = ended(&films).await;
    assert_eq!(state, RebuildState::Failed);
    assert!(failure.contains("document `b` cannot be rebuilt"), "{failure}");
    let refused = films.start_rebuild(&node, Box::new(|_| Err(Error::bad_request("no schema"))));
    assert_eq!(refused.unwrap_err().message, "no schema");
    assert_eq!(year(&films, "b").await, Some(Value::Str("unknown".into())));
    assert_eq!(count(&films).await, 2);
    node.close().unwrap();
    drop((films, node));
    // What nobody wrote down is not ours to remove, nor to fill.
    let files = folder.path().join("collections/films");
    std::fs::create_dir(files.join("shard-1")).unwrap();
    std::fs::write(files.join("shard-1/junk"), "half a segment").unwrap();
    let node = open(folder.path());
    let films = node.find("films").unwrap();
    films.start_rebuild(&node, Box::new(|source| Ok(source.clone()))).unwrap();
    assert_eq!(ended(&films).await, (RebuildState::Done, String::new()));
    assert_eq!(count(&films).await, 2);
    assert!(files.join("shard-1/junk").exists() && films.folder().ends_with("shard-1.2"));
    node.close().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_between_any_two_steps_leaves_the_old_or_the_new() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(folder.path());
    let node = Node::open_on(node_config(folder.path()), recording.homes()).unwrap();
    let films = films(&node).await;
    update(&films, vec![film("a", "1972"), film("b", "1975")]).await;
    recording.take();
    films.start_rebuild(&node, Box::new(numbers)).unwrap();
    assert_eq!(ended(&films).await, (RebuildState::Done, String::new()));
    node.close().unwrap();
    let mut found = Vec::new();
    for image in recording.take() {
        let node = open(image.folder.path());
        let films = node.find("films").unwrap();
        let rebuilt = films.schema().field("year").unwrap().field_type.name == "pint";
        let expected = if rebuilt { Value::Int(1972) } else { Value::Str("1972".into()) };
        assert_eq!(year(&films, "a").await, Some(expected), "{}", image.moment);
        assert_eq!(count(&films).await, 2, "{}", image.moment);
        let files = std::fs::read_dir(image.folder.path().join("collections/films")).unwrap();
        let shards =
            files.filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with("shard"));
        assert_eq!(shards.count(), 1, "{}", image.moment);
        found.push(rebuilt);
        node.close().unwrap();
    }
    assert!(found.contains(&true) && found.contains(&false) && found.is_sorted(), "{found:?}");
}

/// New segments for the same documents: nothing but the files differ, a crash or a failure aside.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn renewed_segments_hold_the_same_documents() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let films = films(&node).await;
    let digest = |films: &Collection| films.content_digests().unwrap().pop().unwrap().1;
    let empty = digest(&films);
    update(&films, (0..300).map(|number| film(&format!("a{number}"), "1970")).collect()).await;
    films.commit(Commit::HARD).await.unwrap();
    // A second segment, dead documents in the first, and what is in the log alone.
    update(&films, (0..100).map(|number| film(&format!("a{number}"), "1971")).collect()).await;
    let before = digest(&films);
    assert_eq!(before.documents(), 300);
    films.commit(Commit::HARD).await.unwrap();
    assert_eq!(digest(&films), before, "how documents lie in segments does not count");
    let segments = films.stats().segment_count;
    let (renewed, of) = (films.clone(), node.clone());
    tokio::task::spawn_blocking(move || renewed.renew(&of)).await.unwrap().unwrap();
    assert_eq!(digest(&films), before);
    assert!(films.stats().segment_count < segments, "made anew");
    assert!(films.schema_before_rebuild().is_err(), "there was no edit to undo");
    update(&films, vec![film("a0", "1971")]).await;
    let after = digest(&films);
    assert!(after != before && after.documents() == 300, "the version is another");
    assert_ne!(after, empty);
    node.close().unwrap();
    drop((films, node));
    let node = open(folder.path());
    assert_eq!(digest(&node.find("films").unwrap()), after);
}
