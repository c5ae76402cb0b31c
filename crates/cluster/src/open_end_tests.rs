//! Changes whose end nobody tells: the store of documents takes the one that decides, or loses it, and is
//! away from then on. Whatever is acknowledged meanwhile, and whatever the next start finds, must not depend
//! on which of both it was.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use meter::Clock;
use plan::{ErrorKind, UpdateBatch, Value};
use store::metadata::memory::{Failure, MetadataMemory};
use store::metadata::{Hint, Watch};
use store::{MetadataStore, Result, VersionedBytes};

use crate::memory::MemoryShards;
use crate::rebuild_tests::{film, schema, update, year};
use crate::tests::config;
use crate::{
    CacheSizes, Collection, CreateCollection, MetadataHomes, Node, NodeConfig, OpenShard, RebuildState,
    ThreadScheduler, UpdateContext, engine_shards,
};

/// Documents in memory, which fall silent with a change of the document that a test names.
#[derive(Default)]
struct Silent {
    memory: MetadataMemory,
    /// The document, and whether its change lands.
    armed: Mutex<Option<(&'static str, bool)>>,
    is_silent: AtomicBool,
}

impl Silent {
    fn arm(&self, name: &'static str, lands: bool) {
        *self.armed.lock().unwrap_or_else(PoisonError::into_inner) = Some((name, lands));
    }

    fn around<T>(&self, name: &str, change: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((_, lands)) = armed.take_if(|(armed, _)| *armed == name) else {
            drop(armed);
            return change();
        };
        self.memory.fail_next([if lands { Failure::AnswerLost } else { Failure::RequestLost }]);
        let result = change();
        self.memory.set_unreachable(true);
        self.is_silent.store(true, Ordering::Relaxed);
        result
    }

    /// It is there again.
    fn speak(&self) {
        assert!(self.is_silent.swap(false, Ordering::Relaxed), "the change that a test is about was made");
        self.memory.set_unreachable(false);
    }
}

impl MetadataStore for Silent {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        self.memory.get(name)
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        self.around(name, || self.memory.compare_and_set(name, expected, bytes))
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        self.around(name, || self.memory.delete(name, expected))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.memory.list(folder)
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        self.memory.watch(folder, hint)
    }
}

/// Goes on by a second whenever it is looked at.
pub(crate) struct Seconds(AtomicI64);

impl Default for Seconds {
    fn default() -> Self {
        Self(AtomicI64::new(1_795_255_200_000))
    }
}

impl Clock for Seconds {
    fn now_ms(&self) -> i64 {
        self.0.fetch_add(1_000, Ordering::Relaxed)
    }
}

fn open(folder: &Path, store: &Arc<Silent>, shards: Arc<dyn OpenShard>) -> Arc<Node> {
    let name = "127.0.0.1:8983_solr".to_owned();
    let clock = Arc::new(Seconds::default());
    let config = NodeConfig { data_dir: folder.to_owned(), clock, shards, name };
    let homes = MetadataHomes { shared: store.clone(), local: store.clone() };
    Node::open_on(config, homes).unwrap()
}

pub(crate) fn real() -> Arc<dyn OpenShard> {
    engine_shards(CacheSizes::NONE, Arc::new(ThreadScheduler))
}

async fn films(node: &Arc<Node>) -> Arc<Collection> {
    node.create(core(7)).await.unwrap()
}

/// A core that is called as its collection is.
fn core(clauses: usize) -> CreateCollection {
    let core_name = Some("films".to_owned());
    CreateCollection { core_name, ..CreateCollection::new("films", "_default", schema(), config(clauses)) }
}

#[tokio::test]
async fn a_deletion_with_an_open_end_acknowledges_no_more() {
    for lands in [false, true] {
        let (folder, store) = (tempfile::tempdir().unwrap(), Arc::new(Silent::default()));
        let node = open(folder.path(), &store, real());
        let before = films(&node).await;
        update(&before, vec![film("a", "1972")]).await;
        store.arm("collections/films/collection.json", lands);
        assert_eq!(node.delete("films").await.unwrap_err().kind, ErrorKind::Unknown, "lands: {lands}");
        assert!(node.find("films").is_none());
        let batch = UpdateBatch { operations: vec![film("b", "1975")], ..UpdateBatch::default() };
        assert!(before.update(batch, UpdateContext::default()).await.failure.is_some(), "lands: {lands}");
        drop((before, node));
        store.speak();
        let node = open(folder.path(), &store, real());
        match node.find("films") {
            Some(films) => {
                assert!(!lands);
                assert_eq!(year(&films, "a").await, Some(Value::Str("1972".into())));
            }
            None => assert!(lands && !folder.path().join("collections/films").exists()),
        }
        assert_eq!(node.left_alone(), [""; 0]);
        node.close().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_with_an_open_end_acknowledges_no_more() {
    for lands in [false, true] {
        let (folder, store) = (tempfile::tempdir().unwrap(), Arc::new(Silent::default()));
        let node = open(folder.path(), &store, real());
        let before = films(&node).await;
        update(&before, vec![film("a", "1972")]).await;
        store.arm("collections/films/schema.json", lands);
        let numbers = |source: &plan::SchemaSource| {
            let mut source = source.clone();
            let fields = source.fields.iter_mut().filter(|field| field.name == "year");
            fields.for_each(|field| field.type_name = "pint".into());
            Ok(source)
        };
        before.start_rebuild(&node, Box::new(numbers)).unwrap();
        while before.rebuild_status().unwrap().state == RebuildState::Running {
            tokio::task::yield_now().await;
        }
        assert_eq!(before.rebuild_status().unwrap().state, RebuildState::Failed);
        let batch = UpdateBatch { operations: vec![film("b", "1975")], ..UpdateBatch::default() };
        assert!(before.update(batch, UpdateContext::default()).await.failure.is_some(), "lands: {lands}");
        drop((before, node));
        store.speak();
        let node = open(folder.path(), &store, real());
        let films = node.find("films").unwrap();
        let expected = if lands { Value::Int(1972) } else { Value::Str("1972".into()) };
        assert_eq!(year(&films, "a").await, Some(expected));
        assert_eq!(year(&films, "b").await, None, "it was refused");
        assert_eq!(node.left_alone(), [""; 0]);
        node.close().unwrap();
    }
}

/// Names that were under way when the store failed are given before anything else changes, and never again.
#[tokio::test]
async fn a_rename_that_failed_half_way_undoes_no_later_one() {
    let (folder, store) = (tempfile::tempdir().unwrap(), Arc::new(Silent::default()));
    let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
    films(&node).await;
    store.arm("collections/films/collection.json", false);
    node.rename("films", "movies").await.unwrap_err();
    assert!(node.find("films").is_some());
    store.speak();
    node.set_alias("both", vec!["films".into()]).await.unwrap_err();
    assert!(node.find("films").is_none() && node.find("movies").is_some());
    node.delete("movies").await.unwrap();
    films(&node).await;
    drop(node);
    let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
    assert!(node.find("films").is_some() && node.find("movies").is_none());
}

/// A core that was unloaded with its documents is not served before it is asked for, whatever a crash leaves
/// of the asking.
#[tokio::test]
async fn a_core_whose_loading_broke_off_stays_unloaded() {
    for document in ["collections/films/collection.json", "collections/films/config.json"] {
        for lands in [false, true] {
            let (folder, store) = (tempfile::tempdir().unwrap(), Arc::new(Silent::default()));
            let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
            films(&node).await;
            node.unload("films", true).await.unwrap();
            store.arm(document, lands);
            assert!(node.load_unloaded("films", Some(core(9))).await.is_err());
            drop(node);
            store.speak();
            let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
            assert!(node.find("films").is_none(), "{document} lands: {lands}");
            assert!(node.load_unloaded("films", None).await.unwrap().is_some());
        }
    }
}

/// A release that knows no placements deleted what this one had unloaded.
#[tokio::test]
async fn what_an_earlier_release_deleted_blocks_no_name() {
    let (folder, store) = (tempfile::tempdir().unwrap(), Arc::new(Silent::default()));
    let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
    films(&node).await;
    node.unload("films", false).await.unwrap();
    drop(node);
    for document in ["collection", "schema", "config"] {
        let name = format!("collections/films/{document}.json");
        let version = store.get(&name).unwrap().unwrap().version;
        store.delete(&name, version).unwrap();
    }
    let _ = std::fs::remove_dir_all(folder.path().join("collections/films"));
    let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
    assert_eq!(node.left_alone(), [""; 0]);
    assert_eq!(films(&node).await.name(), "films");
}

/// Release 0.1 wrote down nowhere what a rebuild fills: what a crash left of one is named, and stays.
#[tokio::test]
async fn folders_that_nobody_wrote_down_are_named() {
    let (folder, store) = (tempfile::tempdir().unwrap(), Arc::new(Silent::default()));
    let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
    films(&node).await;
    drop(node);
    let stray = folder.path().join("collections/films/shard-2");
    std::fs::create_dir_all(&stray).unwrap();
    let node = open(folder.path(), &store, Arc::new(MemoryShards::default()));
    assert_eq!(node.left_alone(), ["films/shard-2"]);
    assert!(stray.exists() && node.find("films").is_some());
}
