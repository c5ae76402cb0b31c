//! Documents of one collection that come into another, over real shards: all of them or a share, in place of
//! those that were there, and nothing of it where it cannot be done. Snapshots hold what there was.

use std::sync::Arc;

use plan::{Commit, Value};

use crate::rebuild_tests::{count, film, open, schema, update, year};
use crate::tests::config;
use crate::{BackupPlace, Collection, CreateCollection, HashRange, Intake, Node, RebuildState, RestoreTo};

async fn made(node: &Arc<Node>, name: &str, films: &[(&str, &str)]) -> Arc<Collection> {
    let made = node.create(CreateCollection::new(name, "_default", schema(), config(1024))).await.unwrap();
    if !films.is_empty() {
        update(&made, films.iter().map(|(id, year)| film(id, year)).collect()).await;
    }
    made
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Str(text.into()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_in_takes_the_place_of_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let target = made(&node, "target", &[("a", "old"), ("b", "old")]).await;
    let one = made(&node, "one", &[("b", "one"), ("c", "one")]).await;
    let two = made(&node, "two", &[("c", "two"), ("d", "two")]).await;
    one.commit(Commit::HARD).await.unwrap();
    let all = |from: &Arc<Collection>| Intake::new(from.clone(), |_| true);
    target.take_in(&node, vec![all(&one), all(&two)]).await.unwrap();
    for (id, expected) in [("a", "old"), ("b", "one"), ("c", "two"), ("d", "two")] {
        assert_eq!(year(&target, id).await, text(expected), "{id}");
    }
    assert_eq!([count(&target).await, count(&one).await, count(&two).await], [4, 2, 2]);
    assert!(target.schema_before_rebuild().is_err(), "there was no edit to undo");
    node.close().unwrap();
    drop((target, one, two, node));
    let node = open(folder.path());
    assert_eq!(count(&node.find("target").unwrap()).await, 4);
    node.close().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_are_whole_and_do_not_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let source = made(&node, "source", &[]).await;
    update(&source, (0..500).map(|number| film(&format!("f{number}"), "1972")).collect()).await;
    let mut counts = Vec::new();
    for (number, range) in HashRange::ALL.cut(3).into_iter().enumerate() {
        let part = made(&node, &format!("part{number}"), &[]).await;
        part.take_in(&node, vec![Intake::new(source.clone(), move |id| range.has(id))]).await.unwrap();
        counts.push(count(&part).await);
    }
    assert_eq!(counts.iter().sum::<u64>(), 500);
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    assert_eq!(count(&source).await, 500);
    node.close().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_come_in_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let source = made(&node, "source", &[("a", "not a number")]).await;
    let mut numbers = schema();
    numbers.fields.iter_mut().filter(|it| it.name == "year").for_each(|it| it.type_name = "pint".into());
    let target =
        node.create(CreateCollection::new("target", "_default", numbers, config(1024))).await.unwrap();
    let refused = target.take_in(&node, vec![Intake::new(source.clone(), |_| true)]).await.unwrap_err();
    assert!(refused.message.contains("field `year`"), "{}", refused.message);
    assert_eq!(target.rebuild_status().unwrap().state, RebuildState::Failed);
    assert_eq!([count(&target).await, count(&source).await], [0, 1]);
    // The source's log may be trimmed again, and another attempt is free to begin.
    target.take_in(&node, vec![Intake::new(source.clone(), |_| false)]).await.unwrap();
    node.close().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_holds_what_there_was() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(&folder.path().join("data"));
    let films = made(&node, "films", &[("a", "1972"), ("b", "1975")]).await;
    let first = films.create_snapshot(&node, "first").await.unwrap();
    assert_eq!((first.name.as_str(), first.generation), ("first", 1));
    for (name, expected) in [("first", "already exists"), ("../x", "Invalid snapshot")] {
        let refused = films.create_snapshot(&node, name).await.unwrap_err();
        assert!(refused.message.contains(expected), "{}", refused.message);
    }
    update(&films, vec![film("c", "1979")]).await;
    films.create_snapshot(&node, "second").await.unwrap();
    let place = BackupPlace { root: folder.path().join("backups").into(), name: "films".into() };
    let backed_up =
        async |snapshot: &str| node.back_up(films.clone(), place.clone(), Some(snapshot.into())).await;
    backed_up("first").await.unwrap();
    assert!(
        backed_up("third").await.is_err_and(|error| error.message.contains("there is no snapshot `third`"))
    );
    let restored = node.restore(place.clone(), None, RestoreTo::named("again")).await.unwrap();
    assert_eq!([count(&restored).await, count(&films).await], [2, 3]);
    assert!(films.delete_snapshot("first").await.unwrap() && !films.delete_snapshot("first").await.unwrap());
    node.close().unwrap();
    drop((films, restored, node));
    let node = open(&folder.path().join("data"));
    let kept = node.find("films").unwrap().snapshots().await.unwrap();
    assert_eq!(kept.iter().map(|facts| facts.name.as_str()).collect::<Vec<_>>(), ["second"]);
    node.close().unwrap();
}
