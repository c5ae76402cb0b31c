//! The node against shards in memory: what survives a restart, what a crash in the middle leaves, who wins a
//! race.

use std::path::Path;
use std::sync::Arc;

use meter::Clock;
use plan::{AutoCommit, CollectionConfig, ErrorKind, FieldSource, SchemaSource, TypeSource};

use crate::memory::{MemoryShards, REFUSED};
use crate::{CreateCollection, Node, NodeConfig, Sharding};

pub(crate) struct Noon;

impl Clock for Noon {
    fn now_ms(&self) -> i64 {
        1_795_255_200_000
    }
}

pub(crate) fn open(folder: &Path) -> plan::Result<Arc<Node>> {
    Node::open(NodeConfig {
        data_dir: folder.to_owned(),
        clock: Arc::new(Noon),
        shards: Arc::new(MemoryShards::default()),
        name: "127.0.0.1:8983_solr".into(),
    })
}

pub(crate) fn schema() -> SchemaSource {
    let kind = TypeSource { name: "string".into(), class: "solr.StrField".into(), ..TypeSource::default() };
    SchemaSource {
        name: "small".into(),
        version: 1.7,
        unique_key: Some("id".into()),
        types: vec![kind],
        fields: vec![field("id")],
        ..SchemaSource::default()
    }
}

fn field(name: &str) -> FieldSource {
    FieldSource { name: name.into(), type_name: "string".into(), attributes: vec![] }
}

pub(crate) fn config(boolean_clauses_max: usize) -> CollectionConfig {
    let auto_commit = AutoCommit {
        flush_after_ms: None,
        flush_after_docs: None,
        flush_opens_searcher: false,
        refresh_after_ms: None,
        refresh_after_docs: None,
    };
    CollectionConfig {
        auto_commit,
        handlers: vec![],
        boolean_clauses_max,
        updates: plan::UpdateProcessing::default(),
        components: plan::Components::default(),
        named: plan::NamedParts::NONE,
        param_sets: vec![],
        prefix_length_min: None,
        slow_query_ms: None,
        score_statistics: plan::ScoreStatistics::default(),
        source: std::sync::Arc::default(),
    }
}

fn films() -> CreateCollection {
    CreateCollection::new("films", "_default", schema(), config(7))
}

#[tokio::test]
async fn collections_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    node.create(films()).await.unwrap();
    let core = CreateCollection { core_name: Some("books".into()), name: "books".into(), ..films() };
    node.create(core).await.unwrap();
    drop(node);

    let node = open(folder.path()).unwrap();
    let names: Vec<_> = node.list().iter().map(|it| (it.name(), it.core_name())).collect();
    let expected = [("books", "books"), ("films", "films_shard1_replica_n1")];
    assert_eq!(names, expected.map(|(name, core)| (name.to_owned(), core.to_owned())));
    let films = node.find("films_shard1_replica_n1").unwrap();
    assert_eq!((&*films.configset(), films.config().boolean_clauses_max), ("_default", 7));
    assert_eq!(films.schema().source, schema());

    node.delete("films").await.unwrap();
    assert!(node.find("films").is_none() && node.find("films_shard1_replica_n1").is_none());
    assert_eq!(node.delete("films").await.unwrap_err().kind, ErrorKind::NotFound);
    drop(node);
    assert_eq!(open(folder.path()).unwrap().list().len(), 1);
}

#[tokio::test]
async fn an_unloaded_core_waits_for_its_return() {
    let folder = tempfile::tempdir().unwrap();
    let core = "films_shard1_replica_n1";
    let node = open(folder.path()).unwrap();
    let born_ms = node.create(films()).await.unwrap().created_ms();
    node.unload(core, false).await.unwrap();
    assert!(node.list().is_empty());
    assert_eq!(node.unload(core, false).await.unwrap_err().kind, ErrorKind::NotFound);
    assert!(node.create(films()).await.err().unwrap().message.contains("unloaded core"));
    drop(node);

    let node = open(folder.path()).unwrap();
    assert!(node.list().is_empty());
    assert!(node.load_unloaded("films", None).await.unwrap().is_none());
    let films_again = node.load_unloaded(core, None).await.unwrap().unwrap();
    assert_eq!((&*films_again.name(), films_again.created_ms()), ("films", born_ms));
    assert_eq!(films_again.config().boolean_clauses_max, 7);
    assert!(node.load_unloaded(core, None).await.unwrap().is_none());

    node.unload("films", true).await.unwrap();
    assert!(!folder.path().join("collections/films/shard1").exists());
    let other = CreateCollection { config: config(9), configset: "other".into(), ..films() };
    let films_again = node.load_unloaded(core, Some(other)).await.unwrap().unwrap();
    assert_eq!((&*films_again.configset(), films_again.config().boolean_clauses_max), ("other", 9));
    drop((films_again, node));
    assert_eq!(open(folder.path()).unwrap().list().len(), 1);
}

/// As release 0.1 left it when it was killed between its two marks: the request was not answered, the
/// collection is served.
#[tokio::test]
async fn a_core_with_both_marks_of_an_earlier_release_is_served() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).unwrap().create(films()).await.unwrap();
    let files = folder.path().join("collections/films");
    std::fs::copy(files.join("collection.json"), files.join("unloaded.json")).unwrap();
    std::fs::remove_dir_all(folder.path().join("placement")).unwrap();
    let node = open(folder.path()).unwrap();
    assert!(node.find("films").is_some() && !files.join("unloaded.json").exists());
    node.delete("films").await.unwrap();
    assert!(!files.exists());
}

/// A collection whose documents somebody took away, and one whose key another's files have.
#[tokio::test]
async fn what_is_not_known_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    node.create(films()).await.unwrap();
    drop(node);
    let files = folder.path().join("collections/films");
    std::fs::remove_file(files.join("collection.json")).unwrap();
    let node = open(folder.path()).unwrap();
    assert_eq!((node.left_alone(), node.list().len()), (&["films".to_owned()][..], 0));
    assert!(files.join("schema.json").exists() && files.join("config.json").exists());
    node.create(films()).await.unwrap();
    assert!(folder.path().join("collections/films.2/collection.json").exists());
}

#[tokio::test]
async fn a_config_that_another_changed_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    let films = node.create(films()).await.unwrap();
    let edit = |films: Arc<crate::Collection>, clauses: usize| async move {
        films.edit_config(move |_| Ok::<_, plan::Error>(config(clauses))).await
    };
    edit(films.clone(), 8).await.unwrap();
    let file = folder.path().join("collections/films/config.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace(": 8", ": 88")).unwrap();
    assert_eq!(edit(films.clone(), 9).await.unwrap_err().kind, ErrorKind::Conflict);
    films.reload().await.unwrap();
    assert_eq!(films.config().boolean_clauses_max, 88);
    edit(films.clone(), 9).await.unwrap();
    assert_eq!(films.config().boolean_clauses_max, 9);
}

#[tokio::test]
async fn a_damaged_file_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).unwrap().create(films()).await.unwrap();
    std::fs::write(folder.path().join("collections/films/schema.json"), b"{").unwrap();
    let error = open(folder.path()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::DataLoss);
    assert!(error.message.contains("films"), "{error}");
}

fn hashed(name: &str, count: usize) -> CreateCollection {
    CreateCollection { name: name.into(), shards: Sharding::Hashed { count, field: None }, ..films() }
}

fn named(name: &str, shards: &[&str]) -> CreateCollection {
    let names = shards.iter().map(|name| (*name).to_owned()).collect();
    CreateCollection { name: name.into(), shards: Sharding::Named { names, field: None }, ..films() }
}

#[tokio::test]
async fn what_cannot_be_made_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    node.create(films()).await.unwrap();
    let taken_core = CreateCollection { core_name: Some("films".into()), name: "other".into(), ..films() };
    for (create, part) in [
        (films(), "already exists"),
        (taken_core, "already exists"),
        (CreateCollection { name: "../x".into(), ..films() }, "Invalid collection"),
        (hashed("many", 65), "use at most 64"),
        (hashed("none", 0), "numShards must be > 0"),
        (CreateCollection { core_name: Some("two".into()), ..hashed("two", 2) }, "a core has one shard"),
        (named("odd", &["a/b"]), "Invalid shard"),
    ] {
        let error = node.create(create).await.err().unwrap();
        assert_eq!(error.kind, ErrorKind::BadRequest);
        assert!(error.message.contains(part), "{error}");
    }
    let broken = SchemaSource { unique_key: Some("nope".into()), ..schema() };
    let create = CreateCollection { name: "broken".into(), schema: broken, ..films() };
    assert!(node.create(create).await.is_err());
    assert!(!folder.path().join("collections/broken").exists());
}

#[tokio::test]
async fn the_first_schema_change_wins() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    let films = node.create(films()).await.unwrap();
    let with = |name: &str| SchemaSource { fields: vec![field("id"), field(name)], ..schema() };

    let version = films.versioned_schema().version;
    assert_eq!(films.change_schema(version, with("a")).await.unwrap(), version + 1);
    let error = films.change_schema(version, with("b")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert!(films.schema().field("a").is_some() && films.schema().field("b").is_none());

    let edit = |source: &SchemaSource| {
        let mut source = source.clone();
        source.fields.push(field("c"));
        Ok(source)
    };
    films.edit_schema(edit).await.unwrap();
    drop((films, node));
    let films = open(folder.path()).unwrap().find("films").unwrap();
    assert!(films.schema().field("a").is_some() && films.schema().field("c").is_some());
    assert_eq!(films.versioned_schema().version, version + 2);
}

#[tokio::test]
async fn files_of_a_schema_wait_for_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    let films = node.create(films()).await.unwrap();
    let file = |text: &str| [("words".to_owned(), text.to_owned())].into_iter();
    let in_use = |films: &crate::Collection| films.schema().source.resources.get("words").cloned();

    films.edit_files(move |_| Ok(Some(file("one").collect()))).await.unwrap();
    films.edit_files(|_| Ok(None)).await.unwrap();
    assert_eq!((in_use(&films), films.has_pending_files()), (None, true));
    assert_eq!(films.saved_schema().resources["words"], "one");
    // A change of the schema in between keeps what waits, waiting.
    let grown = SchemaSource { fields: vec![field("id"), field("a")], ..schema() };
    films.change_schema(films.versioned_schema().version, grown).await.unwrap();
    assert_eq!((in_use(&films), films.has_pending_files()), (None, true));
    films.reload().await.unwrap();
    assert_eq!((in_use(&films).as_deref(), films.has_pending_files()), (Some("one"), false));
    assert!(films.schema().field("a").is_some());

    films.edit_files(move |_| Ok(Some(file("two").collect()))).await.unwrap();
    drop((films, node));
    let films = open(folder.path()).unwrap().find("films").unwrap();
    assert_eq!(in_use(&films).as_deref(), Some("two"));
}

#[tokio::test]
async fn a_schema_that_the_shard_refuses_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path()).unwrap();
    let films = node.create(films()).await.unwrap();
    let refused = SchemaSource { name: REFUSED.into(), ..schema() };
    assert!(films.change_schema(films.versioned_schema().version, refused).await.is_err());
    assert_eq!(films.schema().source, schema());
    films.reload().await.unwrap();
    assert_eq!(films.schema().source, schema());
}
