//! Names change at once and for good, also where the process dies in the middle.

use std::sync::Arc;

use plan::ErrorKind;

use crate::tests::{config, open, schema};
use crate::{CreateCollection, Node};

fn core(name: &str, clauses: usize) -> CreateCollection {
    let core_name = Some(name.to_owned());
    CreateCollection { core_name, ..CreateCollection::new(name, "_default", schema(), config(clauses)) }
}

/// Names with what tells the collections apart.
fn named(node: &Node) -> Vec<(String, usize)> {
    node.list().iter().map(|it| (it.name(), it.config().boolean_clauses_max)).collect()
}

async fn two(folder: &std::path::Path) -> Arc<Node> {
    let node = open(folder).unwrap();
    node.create(core("one", 1)).await.unwrap();
    node.create(core("two", 2)).await.unwrap();
    node
}

#[tokio::test]
async fn cores_change_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let node = two(folder.path()).await;
    let before = node.find("one").unwrap().moment();
    node.swap("one", "two").await.unwrap();
    assert_eq!(named(&node), [("one".to_owned(), 2), ("two".to_owned(), 1)]);
    assert_ne!(node.find("two").unwrap().moment(), before);
    node.rename("two", "three").await.unwrap();
    // The name is free again, the folder is not.
    node.create(core("two", 3)).await.unwrap();
    node.create(core("four", 4)).await.unwrap();
    node.rename("four", "five").await.unwrap();
    let expected =
        [("five", 4), ("one", 2), ("three", 1), ("two", 3)].map(|(name, of)| (name.to_owned(), of));
    assert_eq!(named(&node), expected);
    assert_eq!(node.rename("one", "five").await.unwrap_err().kind, ErrorKind::BadRequest);
    assert_eq!(node.rename("one", "../x").await.unwrap_err().kind, ErrorKind::BadRequest);
    assert_eq!(node.rename("nobody", "x").await.unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(node.swap("one", "nobody").await.unwrap_err().kind, ErrorKind::NotFound);
    drop(node);

    let node = open(folder.path()).unwrap();
    assert_eq!(named(&node), expected);
    node.delete("three").await.unwrap();
    drop(node);
    assert_eq!(named(&open(folder.path()).unwrap()).len(), 3);
}

/// As after a kill when one of two has its new name.
#[tokio::test]
async fn a_crash_while_swapping_is_made_good() {
    let folder = tempfile::tempdir().unwrap();
    let node = two(folder.path()).await;
    let mark = folder.path().join("collections/two/collection.json");
    let before = std::fs::read(&mark).unwrap();
    node.swap("one", "two").await.unwrap();
    drop(node);
    std::fs::write(&mark, before).unwrap();
    let state = r#"{"renames": [
        {"folder": "one", "name": "two", "core": "two"},
        {"folder": "two", "name": "one", "core": "one"},
        {"folder": "gone", "name": "x", "core": "x"}
    ]}"#;
    std::fs::write(folder.path().join("cluster.json"), state).unwrap();
    let node = open(folder.path()).unwrap();
    assert_eq!(named(&node), [("one".to_owned(), 2), ("two".to_owned(), 1)]);
    node.swap("one", "two").await.unwrap();
    drop(node);
    assert_eq!(named(&open(folder.path()).unwrap()), [("one".to_owned(), 1), ("two".to_owned(), 2)]);
}

#[tokio::test]
async fn aliases_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let node = two(folder.path()).await;
    node.create(CreateCollection::new("films", "_default", schema(), config(3))).await.unwrap();
    node.set_alias("movies", vec!["films".into()]).await.unwrap();
    node.set_alias("all", vec!["movies".into(), "one".into()]).await.unwrap();
    for (name, members, part) in [
        ("one", "two", "a core has this name"),
        ("x", "nobody", "'nobody' is not an existing"),
        ("../x", "one", "Invalid alias"),
    ] {
        let error = node.set_alias(name, vec![members.into()]).await.unwrap_err();
        assert!(error.kind == ErrorKind::BadRequest && error.message.contains(part), "{error}");
    }
    let taken = CreateCollection::new("movies", "_default", schema(), config(3));
    assert!(node.create(taken).await.err().unwrap().message.contains("alias already exists"));
    let films = node.find("films").unwrap();
    let version = films.state_version();
    let values = [("shelf".to_owned(), Some("2".to_owned())), ("none".to_owned(), None)].into();
    node.set_properties(&films, (values, None)).await.unwrap();
    assert_eq!(films.state_version(), version + 1);
    drop((films, node));

    let node = open(folder.path()).unwrap();
    assert_eq!(node.find("movies").unwrap().properties()["shelf"], "2");
    assert!(node.find("all").is_none());
    let found: Vec<_> = node.resolve("all, two,movies").unwrap().iter().map(|it| it.name()).collect();
    assert_eq!(found, ["films", "one", "two"]);
    assert_eq!(node.resolve("all,nobody").err().unwrap().kind, ErrorKind::NotFound);
}
