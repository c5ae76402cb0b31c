//! A data directory that release 0.1.0 made, and left by a kill, opens as it was: `upgrade/release-0.1.0` was
//! written by its binary over HTTP. It has a collection whose schema was edited and whose documents were
//! rebuilt, with an alias and a snapshot; a core that was renamed, with a document that only its log has; one
//! that was unloaded; an uploaded configset, a property of the cluster and a `security.json`.

use std::path::Path;
use std::sync::Arc;

use cluster::{CacheSizes, Collection, GetShards, Node, NodeConfig, ThreadScheduler, engine_shards};
use meter::Clock;
use plan::{Commit, FieldSelection, Value};

struct Noon;

impl Clock for Noon {
    fn now_ms(&self) -> i64 {
        1_795_482_000_000
    }
}

fn open(folder: &Path) -> Arc<Node> {
    let node = Node::open(NodeConfig {
        data_dir: folder.to_owned(),
        clock: Arc::new(Noon),
        shards: engine_shards(CacheSizes::NONE, Arc::new(ThreadScheduler)),
        name: "127.0.0.1:8983_solr".into(),
    });
    node.unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

async fn text(collection: &Collection, id: &str, field: &str) -> Option<Value> {
    let found = collection
        .get((&[id.to_owned()], GetShards::default()), &FieldSelection::everything())
        .await
        .unwrap();
    found.into_iter().next()??.1.first(field).cloned()
}

fn str(text: &str) -> Option<Value> {
    Some(Value::Str(text.into()))
}

async fn check(node: &Arc<Node>) {
    let names: Vec<_> = node.list().iter().map(|it| (it.name(), it.core_name())).collect();
    let expected = [("films", "films_shard1_replica_n1"), ("novels", "novels")];
    assert_eq!(names, expected.map(|(name, core)| (name.to_owned(), core.to_owned())));
    assert_eq!(node.left_alone(), [""; 0]);
    let films = node.find("movies").unwrap();
    assert_eq!((films.name(), films.versioned_schema().version), ("films".into(), 2));
    assert!(films.folder().ends_with("collections/films/shard-2"));
    assert!(films.schema().field("shelf").is_some());
    films.commit(Commit::HARD).await.unwrap();
    assert_eq!(films.stats().num_docs, 3);
    assert_eq!(text(&films, "3", "shelf").await, str("B4"));
    assert_eq!(films.snapshots().await.unwrap()[0].name, "first");
    let novels = node.find("novels").unwrap();
    assert_eq!(text(&novels, "b2", "name_t").await, str("not committed"));
    assert_eq!(node.state().properties["urlScheme"], "http");
    assert_eq!(node.configset_names(), ["small"]);
    assert!(node.configset("small").unwrap()["managed-schema.xml"].contains("uniqueKey"));
    assert!(node.security().unwrap().unwrap().contains("RuleBasedAuthorizationPlugin"));
}

#[tokio::test]
async fn a_data_directory_of_release_0_1_0_opens_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/release-0.1.0");
    copy(&made, folder.path());
    for _ in 0..2 {
        let node = open(folder.path());
        check(&node).await;
        node.close().unwrap();
    }
    let node = open(folder.path());
    assert!(node.find("old").is_none());
    let old = node.load_unloaded("old_shard1_replica_n1", None).await.unwrap().unwrap();
    assert_eq!(text(&old, "o1", "name_t").await, str("Metropolis"));
    node.delete("films").await.unwrap();
    node.close().unwrap();
    drop((old, node));
    let node = open(folder.path());
    assert_eq!(node.list().iter().map(|it| it.name()).collect::<Vec<_>>(), ["novels", "old"]);
    assert_eq!(node.left_alone(), [""; 0]);
}

/// What a crash of the earlier release left half-made, or a hand put there, is nobody's to delete.
#[tokio::test]
async fn what_is_not_known_stays() {
    let folder = tempfile::tempdir().unwrap();
    let strange = folder.path().join("collections/strange");
    std::fs::create_dir_all(strange.join("shard1")).unwrap();
    std::fs::write(strange.join("schema.json"), "{}").unwrap();
    let node = open(folder.path());
    assert_eq!(node.left_alone(), ["strange"]);
    node.close().unwrap();
    assert!(strange.join("schema.json").exists() && strange.join("shard1").exists());
}
