//! Collections of several shards, over real ones: documents are found wherever they lie, whatever becomes of
//! the collection; named shards come and go.

use std::sync::Arc;

use meter::Meters;
use plan::{
    Commit, Expect, FieldSelection, Operation, Page, Query, ReplicaChoice, Result, SearchPlan, ShardChoice,
    UpdateBatch, UpdateOutcome, Value,
};

use crate::rebuild_tests::{count, film, open, schema, update, year};
use crate::tests::config;
use crate::{
    BackupPlace, Collection, CreateCollection, GetShards, Intake, NewShard, Node, RebuildState, RestoreTo,
    Sharding, UpdateContext,
};

async fn make(node: &Arc<Node>, name: &str, shards: Sharding) -> Result<Arc<Collection>> {
    let create = CreateCollection::new(name, "_default", schema(), config(1024));
    node.create(CreateCollection { shards, ..create }).await
}

fn hashed(count: usize) -> Sharding {
    Sharding::Hashed { count, field: None }
}

fn named(names: &[&str], field: Option<&str>) -> Sharding {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Sharding::Named { names, field: field.map(str::to_owned) }
}

/// Thirty films of three years.
fn films() -> Vec<Operation> {
    (0..30).map(|number| film(&format!("f{number}"), &format!("{}", 1970 + number % 3))).collect()
}

/// How many documents each shard shows.
fn spread(collection: &Collection) -> Vec<u64> {
    (0..collection.shard_documents().len()).map(|number| collection.shard_stats(number).num_docs).collect()
}

async fn ids(collection: &Collection, choice: ShardChoice) -> Result<Vec<String>> {
    let plan = SearchPlan { page: Page { start: 0, rows: 100 }, ..SearchPlan::count(Query::All) };
    let pinned = collection.pin_shards(&collection.select_shards(&choice, None)?, &ReplicaChoice::default());
    let found = pinned.search(Arc::new(plan), &Meters::default()).await?;
    let mut ids: Vec<_> = found.hits.into_iter().map(|hit| hit.id).collect();
    ids.sort();
    Ok(ids)
}

async fn deleted(collection: &Collection, id: &str, route: Option<&str>) -> UpdateOutcome {
    let route = route.map(str::to_owned);
    let delete = Operation::Delete { id: id.into(), route, expect: Expect::Anything, commit_within_ms: None };
    let batch = UpdateBatch { operations: vec![delete], ..UpdateBatch::default() };
    collection.update(batch, UpdateContext::default()).await
}

#[tokio::test]
async fn documents_lie_where_their_ids_say_and_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let collection = make(&node, "films", hashed(3)).await.unwrap();
    let shown: Vec<_> =
        collection.shard_documents().iter().map(|it| (it.core.clone(), it.node_number)).collect();
    let expected =
        [("films_shard1_replica_n1", 4), ("films_shard2_replica_n2", 5), ("films_shard3_replica_n3", 6)];
    assert_eq!(shown, expected.map(|(core, number)| (core.to_owned(), number)));
    update(&collection, films()).await;
    assert_eq!(year(&collection, "f7").await, Some(Value::Str("1971".into())), "before any commit");
    collection.commit(Commit::HARD).await.unwrap();
    let before = spread(&collection);
    assert!(before.iter().all(|count| *count > 0) && before.iter().sum::<u64>() == 30, "{before:?}");
    assert_eq!(count(&collection).await, 30);
    update(&collection, vec![film("f7", "1999")]).await;
    assert!(deleted(&collection, "f8", None).await.failure.is_none());
    node.close().unwrap();
    drop((node, collection));

    let node = open(folder.path());
    let collection = node.find("films").unwrap();
    let (found, at) = node.find_addressed("films_shard2_replica_n2").unwrap();
    assert!(Arc::ptr_eq(&found, &collection) && at == Some(1));
    assert_eq!(node.find_addressed("films").unwrap().1, None);
    assert_eq!(year(&collection, "f7").await, Some(Value::Str("1999".into())));
    assert_eq!((year(&collection, "f8").await, count(&collection).await), (None, 29));
    node.delete("films").await.unwrap();
    assert!(node.find("films_shard2_replica_n2").is_none());
    assert!(!folder.path().join("collections").join("films").exists());
}

#[tokio::test]
async fn a_request_may_mean_some_shards() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let collection = make(&node, "films", hashed(2)).await.unwrap();
    update(&collection, ["a!1", "a!2", "b!1"].map(|id| film(id, "1970")).into()).await;
    collection.commit(Commit::SOFT).await.unwrap();
    let check = async |choice: ShardChoice, expected: &[&str]| {
        assert_eq!(ids(&collection, choice.clone()).await.unwrap(), expected, "{choice:?}");
    };
    check(ShardChoice::All, &["a!1", "a!2", "b!1"]).await;
    check(ShardChoice::Routed("a!".into()), &["a!1", "a!2"]).await;
    check(ShardChoice::Routed("b!,a!".into()), &["a!1", "a!2", "b!1"]).await;
    check(ShardChoice::Named(vec!["shard1".into()]), &["b!1"]).await;
    check(ShardChoice::Addressed, &["b!1"]).await;
    let unknown = ids(&collection, ShardChoice::Named(vec!["zz".into()])).await.unwrap_err();
    assert_eq!(unknown.message, "no active servers hosting shard: zz");
}

/// On any nodes, with as many replicas as the others have.
pub(crate) fn new_shard(name: &str) -> NewShard {
    NewShard { name: name.to_owned(), nodes: Vec::new(), replicas: None }
}

#[tokio::test]
async fn named_shards_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let collection = make(&node, "films", named(&["a", "b"], Some("year"))).await.unwrap();
    update(&collection, vec![film("1", "a"), film("2", "b"), film("3", "b")]).await;
    let nowhere = collection
        .update(
            UpdateBatch { operations: vec![film("4", "c")], ..UpdateBatch::default() },
            UpdateContext::default(),
        )
        .await;
    assert_eq!(nowhere.failure.unwrap().message, "No shard called =c; there are `a`, `b`");
    // What a crash left of an earlier attempt is not the new shard's.
    std::fs::create_dir_all(folder.path().join("collections/films/shard1_c/left")).unwrap();
    let made = node.create_shard(&collection, new_shard("c")).await.unwrap();
    assert!(!folder.path().join("collections/films/shard1_c/left").exists());
    assert_eq!((&*made.core, made.node_number), ("films_c_replica_n5", 6));
    assert!(node.create_shard(&collection, new_shard("c")).await.is_err());
    update(&collection, vec![film("4", "c")]).await;
    collection.commit(Commit::HARD).await.unwrap();
    assert_eq!(spread(&collection), [1, 2, 1]);
    // An id alone says nothing of its shard: all are asked.
    assert_eq!(year(&collection, "3").await, Some(Value::Str("b".into())));
    assert!(deleted(&collection, "3", None).await.failure.is_none());
    node.close().unwrap();
    drop((node, collection));
    std::fs::create_dir_all(folder.path().join("collections/films/shard1_lost")).unwrap();

    let node = open(folder.path());
    assert_eq!(node.left_alone(), ["films/shard1_lost"]);
    let collection = node.find("films").unwrap();
    collection.commit(Commit::SOFT).await.unwrap();
    assert_eq!(spread(&collection), [1, 1, 1]);
    node.delete_shard(&collection, "b").await.unwrap();
    assert_eq!((spread(&collection), year(&collection, "2").await), (vec![1, 1], None));
    assert!(node.find_addressed("films_b_replica_n2").is_none());
    assert!(!folder.path().join("collections/films/shard1_b").exists());
    assert_eq!(ids(&collection, ShardChoice::Routed("c".into())).await.unwrap(), ["4"]);
    for (name, message) in [("zz", "No shard with name zz exists"), ("a", ""), ("c", "is the last shard")] {
        let result = node.delete_shard(&collection, name).await;
        assert_eq!(result.is_ok(), message.is_empty(), "{name}");
        assert!(result.err().is_none_or(|error| error.message.contains(message)));
    }
    let shared = make(&node, "shared", hashed(2)).await.unwrap();
    assert!(
        node.create_shard(&shared, new_shard("x")).await.is_err()
            && node.delete_shard(&shared, "shard1").await.is_err()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_makes_all_shards_anew_and_keeps_what_comes_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let collection = make(&node, "films", hashed(3)).await.unwrap();
    update(&collection, films()).await;
    let same = Box::new(|source: &plan::SchemaSource| Ok(source.clone()));
    collection.start_rebuild(&node, same).unwrap();
    update(&collection, vec![film("late", "1980")]).await;
    while collection.rebuild_status().unwrap().state == RebuildState::Running {
        tokio::task::yield_now().await;
    }
    assert_eq!(collection.rebuild_status().unwrap().failure, None);
    collection.commit(Commit::SOFT).await.unwrap();
    assert_eq!((count(&collection).await, spread(&collection).len()), (31, 3));
    assert_eq!(year(&collection, "late").await, Some(Value::Str("1980".into())));
    node.close().unwrap();
    drop((node, collection));
    let node = open(folder.path());
    let collection = node.find("films").unwrap();
    assert_eq!(count(&collection).await, 31);
    assert_eq!(node.left_alone(), [] as [&str; 0]);
    assert!(!folder.path().join("collections/films/shard1_shard2").exists(), "the old edition stays");

    // Documents of another collection come to the shards that are theirs.
    let other = make(&node, "other", hashed(2)).await.unwrap();
    other.take_in(&node, vec![Intake::new(collection, |_| true)]).await.unwrap();
    other.commit(Commit::SOFT).await.unwrap();
    assert_eq!(count(&other).await, 31);
    update(&other, vec![film("late", "1981")]).await;
    other.commit(Commit::SOFT).await.unwrap();
    assert_eq!(count(&other).await, 31, "an id lies in two shards");
}

#[tokio::test]
async fn a_backup_holds_all_shards() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    for (name, shards) in
        [("films", hashed(3)), ("named", named(&["1970", "1971", "1972"], Some("year"))), ("one", hashed(1))]
    {
        let collection = make(&node, name, shards).await.unwrap();
        update(&collection, films()).await;
        collection.commit(Commit::SOFT).await.unwrap();
        let place = BackupPlace { root: folder.path().join("backups").into(), name: name.to_owned() };
        let (facts, ..) = node.back_up(collection.clone(), place.clone(), None).await.unwrap();
        assert_eq!(facts.shards.len(), collection.shard_documents().len());
        node.verify_backup(place.clone(), None).await.unwrap();
        let restored = node.restore(place, None, RestoreTo::named(&format!("{name}_again"))).await.unwrap();
        assert_eq!((spread(&restored), count(&restored).await), (spread(&collection), 30), "{name}");
        assert_eq!(restored.router(), collection.router());
        let snapshot = collection.create_snapshot(&node, "before").await.unwrap();
        assert_eq!(snapshot.shards.len(), collection.shard_documents().len());
    }
}

#[tokio::test]
async fn each_operation_of_a_batch_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let collection = make(&node, "films", hashed(3)).await.unwrap();
    let batch = UpdateBatch { operations: films(), ..UpdateBatch::default() };
    let outcome = collection.update(batch, UpdateContext::default()).await;
    let told: Vec<_> = outcome.added.iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(told, (0..30).map(|number| format!("f{number}")).collect::<Vec<_>>());
    let fields = FieldSelection::everything();
    let found = collection.get((&told, GetShards::default()), &fields).await.unwrap();
    assert!(found.iter().all(Option::is_some));
}
