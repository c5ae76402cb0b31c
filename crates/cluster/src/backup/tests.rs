//! A backup holds what was acknowledged, and comes back as another collection.

use std::path::Path;
use std::sync::Arc;

use meter::Meters;
use plan::{Add, Commit, Document, ErrorKind, Expect, Operation, Query, SearchPlan, UpdateBatch, Value};

use store::BackupBucket;
use store::object::faults::{FaultyMedium, MemoryMedium};

use super::{BackupPlace, BackupRoot, BackupsToDelete, RestoreTo};
use crate::tests::{Noon, config, schema};
use crate::{
    CacheSizes, Collection, CreateCollection, Node, NodeConfig, ThreadScheduler, UpdateContext, engine_shards,
};

const COMMIT: Commit =
    Commit { soft: false, open_searcher: true, expunge_deletes: false, max_segments: None };

fn node(folder: &Path) -> Arc<Node> {
    Node::open(NodeConfig {
        data_dir: folder.join("data"),
        clock: Arc::new(Noon),
        shards: engine_shards(CacheSizes::NONE, Arc::new(ThreadScheduler)),
        name: "127.0.0.1:8983_solr".into(),
    })
    .unwrap()
}

async fn add(collection: &Collection, id: &str) {
    let mut document = Document::default();
    document.fields.push(("id".into(), vec![Value::Str(id.into())]));
    let add = Add {
        id: id.into(),
        document,
        children: vec![],
        expect: Expect::Anything,
        overwrite: true,
        commit_within_ms: None,
        conditions: None,
    };
    let batch = UpdateBatch { operations: vec![Operation::Add(add)], ..UpdateBatch::default() };
    let outcome = collection.update(batch, UpdateContext::default()).await;
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}

async fn count(collection: &Collection) -> u64 {
    collection.search(Arc::new(SearchPlan::count(Query::All)), &Meters::default()).await.unwrap().total
}

#[tokio::test]
async fn what_was_acknowledged_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    check_coming_back(folder.path().join("backups").into()).await;
    let medium = FaultyMedium::new(Arc::new(MemoryMedium::default()));
    let media = (Arc::new(medium.clone()) as _, Arc::new(medium) as _);
    let bucket = BackupBucket::new("memory", media, Arc::new(|| [7; 16]), || 1_000);
    check_coming_back(BackupRoot::Bucket(Arc::new(bucket))).await;
}

async fn check_coming_back(root: BackupRoot) {
    let folder = tempfile::tempdir().unwrap();
    let node = node(folder.path());
    let place = BackupPlace { root, name: "nightly/films".into() };
    let create = |name: &str| CreateCollection::new(name, "_default", schema(), config(7));
    let films = node.create(create("films")).await.unwrap();
    add(&films, "1").await;
    add(&films, "2").await;
    let (first, files, _) = node.back_up(films.clone(), place.clone(), None).await.unwrap();
    assert_eq!((first.id, first.files, first.collection.as_str()), (0, files, "films"));
    add(&films, "3").await;
    let (second, files, _) = node.back_up(films.clone(), place.clone(), None).await.unwrap();
    assert!(second.id == 1 && files < second.files, "{files} of {}", second.files);
    assert_eq!(node.backups(place.clone()).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(node.verify_backup(place.clone(), None).await.unwrap(), second);

    let restore = async |id, name: &str| node.restore(place.clone(), id, RestoreTo::named(name)).await;
    let old = restore(Some(0), "old").await.unwrap();
    let new = restore(None, "new").await.unwrap();
    assert_eq!((count(&old).await, count(&new).await, new.config().boolean_clauses_max), (2, 3, 7));
    add(&new, "4").await;
    new.commit(COMMIT).await.unwrap();
    assert_eq!(count(&new).await, 4);
    assert_eq!(restore(None, "new").await.err().unwrap().kind, ErrorKind::BadRequest);
    assert_eq!(restore(Some(7), "other").await.err().unwrap().kind, ErrorKind::NotFound);
    let error = node.back_up(new.clone(), place.clone(), None).await.unwrap_err();
    assert!(error.message.contains("holds backups of the collection `films`"), "{error}");

    let (gone, _) = node.delete_backups(place.clone(), BackupsToDelete::AllButNewest(1)).await.unwrap();
    assert_eq!(gone, [first]);
    let one = BackupsToDelete::One(0);
    assert_eq!(node.delete_backups(place.clone(), one).await.unwrap_err().kind, ErrorKind::BadRequest);
    assert_eq!(node.verify_backup(place, None).await.unwrap(), second);
}

#[tokio::test]
async fn a_damaged_backup_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let node = node(folder.path());
    let place = BackupPlace { root: folder.path().join("backups").into(), name: "films".into() };
    let films = node.create(CreateCollection::new("films", "_default", schema(), config(7))).await.unwrap();
    add(&films, "1").await;
    node.back_up(films, place.clone(), None).await.unwrap();
    let objects = std::fs::read_dir(folder.path().join("backups/films/object")).unwrap();
    let object = objects.map(|entry| entry.unwrap().path()).max_by_key(|path| path.metadata().unwrap().len());
    let mut bytes = std::fs::read(object.as_ref().unwrap()).unwrap();
    bytes[0] ^= 1;
    std::fs::write(object.unwrap(), bytes).unwrap();
    let restored = node.restore(place.clone(), None, RestoreTo::named("again")).await;
    assert_eq!(restored.err().unwrap().kind, ErrorKind::DataLoss);
    assert_eq!(node.verify_backup(place, None).await.unwrap_err().kind, ErrorKind::DataLoss);
    assert!(node.find("again").is_none() && !folder.path().join("data/collections/again").exists());
}
