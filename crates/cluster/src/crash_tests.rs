//! A kill between any two steps: the data directory is copied before and after each change of a document, and
//! a node is opened on each copy. It finds the collection as it was or as it was to be, leaves nothing
//! behind, and does the work again. And a store that fails at each step instead.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use store::metadata::memory::{Failure, MetadataMemory};
use store::metadata::{Hint, MetadataFiles, Watch};
use store::{MetadataStore, Result, VersionedBytes};

use crate::memory::MemoryShards;
use crate::routing::RouterKind;
use crate::shard_tests::new_shard;
use crate::tests::{Noon, config, schema};
use crate::{CreateCollection, MetadataHomes, Node, NodeConfig, Sharding};

/// Passes all on to files, and keeps what a kill would leave.
pub(crate) struct Recording {
    files: MetadataFiles,
    root: PathBuf,
    images: Mutex<Vec<Image>>,
}

/// A data directory as it was before or after a change.
pub(crate) struct Image {
    pub moment: String,
    pub folder: tempfile::TempDir,
}

impl Recording {
    pub fn open(root: &Path) -> Arc<Self> {
        let files = MetadataFiles::open(root, &[]).unwrap();
        Arc::new(Self { files, root: root.to_owned(), images: Mutex::default() })
    }

    pub fn homes(self: &Arc<Self>) -> MetadataHomes {
        MetadataHomes { shared: self.clone(), local: self.clone() }
    }

    /// The images since the last call.
    pub fn take(&self) -> Vec<Image> {
        std::mem::take(&mut *self.images.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn around<T>(&self, name: &str, change: impl FnOnce() -> Result<T>) -> Result<T> {
        self.record(format!("before {name}"));
        let result = change();
        self.record(format!("after {name}"));
        result
    }

    fn record(&self, moment: String) {
        let folder = tempfile::tempdir().unwrap();
        copy(&self.root, folder.path());
        self.images.lock().unwrap_or_else(PoisonError::into_inner).push(Image { moment, folder });
    }
}

impl MetadataStore for Recording {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        self.files.get(name)
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        self.around(name, || self.files.compare_and_set(name, expected, bytes))
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        self.around(name, || self.files.delete(name, expected))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.files.list(folder)
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        self.files.watch(folder, hint)
    }
}

/// Copies a folder; long tails of zeros, as logs reserve them, become holes.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let mut file = File::create(target).unwrap();
        file.write_all(&bytes[..end]).unwrap();
        file.set_len(bytes.len() as u64).unwrap();
    }
}

/// What tells collections apart: their names, and a number of their configurations.
type Named<'a> = &'a [(&'a str, usize)];

fn node_config(folder: &Path) -> NodeConfig {
    NodeConfig {
        data_dir: folder.to_owned(),
        clock: Arc::new(Noon),
        shards: Arc::new(MemoryShards::default()),
        name: "127.0.0.1:8983_solr".into(),
    }
}

fn core(name: &str, clauses: usize) -> CreateCollection {
    let core_name = Some(name.to_owned());
    CreateCollection { core_name, ..CreateCollection::new(name, "_default", schema(), config(clauses)) }
}

/// What a node has, by names and by what tells the collections apart; of those whose shards have names of
/// their own, each shard too.
fn state(node: &Node) -> Vec<(String, usize)> {
    assert_eq!(node.left_alone(), [""; 0]);
    let mut state = Vec::new();
    for collection in node.list() {
        let (name, of) = (collection.name(), collection.config().boolean_clauses_max);
        state.push((name.clone(), of));
        if collection.router().kind == RouterKind::Implicit {
            let shards = collection.shard_documents().into_iter();
            state.extend(shards.map(|shard| (format!("{name}/{}", shard.name), of)));
        }
    }
    state
}

/// What a node that was killed at some moment becomes: opened twice, it is the same, and no folder is without
/// its collection.
fn reopened(image: &Image) -> Arc<Node> {
    let folder = image.folder.path();
    let open = || Node::open(node_config(folder)).unwrap_or_else(|error| panic!("{}: {error}", image.moment));
    let first = state(&open());
    let node = open();
    assert_eq!(state(&node), first, "{}", image.moment);
    let folders = std::fs::read_dir(folder.join("collections")).unwrap().count();
    let placements = std::fs::read_dir(folder.join("placement")).unwrap().count();
    assert_eq!(folders, placements, "{}", image.moment);
    node
}

/// Does `work` on a node that `prepare` made, and on what each kill meanwhile left: its outcome is `before`
/// or `after`, and where it is `before` the work can be done again.
async fn check<P: Future<Output = ()>, W: Future<Output = ()>>(
    prepare: impl Fn(Arc<Node>) -> P,
    work: impl Fn(Arc<Node>) -> W,
    (before, after): (Named<'_>, Named<'_>),
) {
    let owned = |state: Named<'_>| -> Vec<(String, usize)> {
        state.iter().map(|(name, of)| ((*name).to_owned(), *of)).collect()
    };
    let (before, after) = (owned(before), owned(after));
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(folder.path());
    let node = Node::open_on(node_config(folder.path()), recording.homes()).unwrap();
    prepare(node.clone()).await;
    recording.take();
    assert_eq!(state(&node), before);
    work(node.clone()).await;
    assert_eq!(state(&node), after);
    let images = recording.take();
    assert!(images.len() >= 2, "{}", images.len());
    for image in &images {
        let node = reopened(image);
        let found = state(&node);
        if found != after {
            assert_eq!(found, before, "{}", image.moment);
            work(node.clone()).await;
            assert_eq!(state(&node), after, "{}", image.moment);
        }
    }
}

#[tokio::test]
async fn creating() {
    let work = |node: Arc<Node>| async move { drop(node.create(core("films", 7)).await.unwrap()) };
    check(|_| async {}, work, (&[], &[("films", 7)])).await;
}

#[tokio::test]
async fn deleting() {
    let prepare = |node: Arc<Node>| async move { drop(node.create(core("films", 7)).await.unwrap()) };
    let work = |node: Arc<Node>| async move { node.delete("films").await.unwrap() };
    check(prepare, work, (&[("films", 7)], &[])).await;
}

#[tokio::test]
async fn unloading() {
    let prepare = |node: Arc<Node>| async move { drop(node.create(core("films", 7)).await.unwrap()) };
    for delete_documents in [false, true] {
        let work =
            move |node: Arc<Node>| async move { node.unload("films", delete_documents).await.unwrap() };
        check(prepare, work, (&[("films", 7)], &[])).await;
    }
}

#[tokio::test]
async fn loading_again() {
    let prepare = |node: Arc<Node>| async move {
        node.create(core("films", 7)).await.unwrap();
        node.unload("films", false).await.unwrap();
    };
    let work = |node: Arc<Node>| async move {
        assert!(node.load_unloaded("films", Some(core("films", 9))).await.unwrap().is_some());
    };
    check(prepare, work, (&[], &[("films", 9)])).await;
}

#[tokio::test]
async fn renaming() {
    let prepare = |node: Arc<Node>| async move { drop(node.create(core("one", 1)).await.unwrap()) };
    let work = |node: Arc<Node>| async move { node.rename("one", "other").await.unwrap() };
    check(prepare, work, (&[("one", 1)], &[("other", 1)])).await;
}

#[tokio::test]
async fn swapping() {
    let prepare = |node: Arc<Node>| async move {
        node.create(core("one", 1)).await.unwrap();
        node.create(core("two", 2)).await.unwrap();
    };
    let work = |node: Arc<Node>| async move { node.swap("one", "two").await.unwrap() };
    check(prepare, work, (&[("one", 1), ("two", 2)], &[("one", 2), ("two", 1)])).await;
}

async fn two_shards(node: Arc<Node>) {
    let names = ["left", "right"].map(str::to_owned).into();
    let shards = Sharding::Named { names, field: None };
    node.create(CreateCollection { core_name: None, shards, ..core("films", 7) }).await.unwrap();
}

const TWO: Named<'_> = &[("films", 7), ("films/left", 7), ("films/right", 7)];
const THREE: Named<'_> = &[("films", 7), ("films/left", 7), ("films/right", 7), ("films/third", 7)];

#[tokio::test]
async fn creating_with_shards() {
    check(|_| async {}, two_shards, (&[], TWO)).await;
}

#[tokio::test]
async fn adding_a_shard() {
    let work = |node: Arc<Node>| async move {
        let films = node.find("films").unwrap();
        node.create_shard(&films, new_shard("third")).await.unwrap();
    };
    check(two_shards, work, (TWO, THREE)).await;
}

#[tokio::test]
async fn taking_a_shard_away() {
    let prepare = |node: Arc<Node>| async move {
        two_shards(node.clone()).await;
        let films = node.find("films").unwrap();
        node.create_shard(&films, new_shard("third")).await.unwrap();
    };
    let work = |node: Arc<Node>| async move {
        let films = node.find("films").unwrap();
        node.delete_shard(&films, "third").await.unwrap();
    };
    check(prepare, work, (THREE, TWO)).await;
}

/// Documents in memory of which one change to come fails.
struct Failing {
    memory: MetadataMemory,
    /// Changes until the one that fails; below zero, none does.
    left: AtomicI64,
    failure: Failure,
}

impl Failing {
    fn count(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.memory.fail_next([self.failure]);
        }
    }
}

impl MetadataStore for Failing {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        self.memory.get(name)
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        self.count();
        self.memory.compare_and_set(name, expected, bytes)
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        self.count();
        self.memory.delete(name, expected)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.memory.list(folder)
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        self.memory.watch(folder, hint)
    }
}

/// One change fails, in one of the ways in which a store over a network fails: what is refused can be asked
/// for again, what is answered is so after a restart.
#[tokio::test]
async fn a_store_that_fails_once_does_no_harm() {
    const STEPS_MAX: i64 = 10;
    for failure in [Failure::Refused, Failure::AnswerLost, Failure::RequestLost, Failure::Overtaken] {
        for step in 0..STEPS_MAX {
            let folder = tempfile::tempdir().unwrap();
            let memory = MetadataMemory::default();
            let store = Arc::new(Failing { memory: memory.clone(), left: AtomicI64::new(step), failure });
            let homes = |store: Arc<dyn MetadataStore>| MetadataHomes { shared: store.clone(), local: store };
            let node = Node::open_on(node_config(folder.path()), homes(store.clone())).unwrap();
            if node.create(core("films", 7)).await.is_err() {
                assert!(node.find("films").is_none(), "{failure:?} at {step}");
                node.create(core("films", 7)).await.unwrap();
            }
            store.left.store(step, Ordering::Relaxed);
            let _ = node.delete("films").await;
            if node.find("films").is_some() {
                node.delete("films").await.unwrap();
            }
            store.left.store(-1, Ordering::Relaxed);
            node.create(core("books", 8)).await.unwrap();
            drop(node);
            let node = Node::open_on(node_config(folder.path()), homes(Arc::new(memory))).unwrap();
            assert_eq!(state(&node), [("books".to_owned(), 8)], "{failure:?} at {step}");
        }
    }
}
