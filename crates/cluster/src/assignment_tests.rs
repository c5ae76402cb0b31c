//! Members that share documents and homes: who serves what, when one of them is gone, returns, or never was.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use meter::Clock;
use plan::{Commit, Error, ErrorKind, FieldSource, SchemaSource, UpdateBatch, Value};
use store::memory::MemorySite;
use store::metadata::memory::MetadataMemory;
use store::{MetadataStore, Site};
use tempfile::TempDir;

use crate::open_end_tests::{Seconds, real};
use crate::rebuild_tests::{film, schema, update, year};
use crate::replica::ReplicaCounts;
use crate::tests::config;
use crate::{
    Alias, Answering, Carrier, Collection, CreateCollection, Letter, Member, MetadataHomes, Node, NodeConfig,
    OpenShard, Sharding, UpdateContext,
};

/// What members share.
#[derive(Default)]
pub(crate) struct Cluster {
    pub documents: MetadataMemory,
    pub site: MemorySite,
    pub post: Arc<Post>,
}

type Addressee = (Weak<Node>, Arc<Answering>);

/// Members by their ids, as messages find them.
#[derive(Default)]
pub(crate) struct Post(Mutex<HashMap<String, Addressee>>);

impl Carrier for Post {
    fn carry(&self, to: &Member, letter: Letter) -> plan::Result<Vec<u8>> {
        let found = self.0.lock().unwrap().get(&to.id).cloned();
        let gone = || Error::new(ErrorKind::Unavailable, format!("`{}` is gone", to.id));
        let (node, answering) = found.ok_or_else(gone)?;
        answering.answer(&*node.upgrade().ok_or_else(gone)?, &letter.message)
    }
}

impl Cluster {
    pub fn member(&self, folder: &Path, name: &str) -> Arc<Node> {
        self.member_on(folder, name, Arc::new(self.documents.clone()))
    }

    /// The same with shared documents that something stands before.
    pub fn member_on(&self, folder: &Path, name: &str, shared: Arc<dyn MetadataStore>) -> Arc<Node> {
        self.member_at(folder, name, (shared, Arc::new(self.site.clone())))
    }

    /// The same with such a site too.
    pub fn member_at(
        &self,
        folder: &Path,
        name: &str,
        (shared, site): (Arc<dyn MetadataStore>, Arc<dyn Site>),
    ) -> Arc<Node> {
        self.member_with(folder, name, (shared, site), (Arc::new(Seconds::default()), real()))
    }

    /// The same with a clock and shards of one's own.
    pub fn member_with(
        &self,
        folder: &Path,
        name: &str,
        (shared, site): (Arc<dyn MetadataStore>, Arc<dyn Site>),
        (clock, shards): (Arc<dyn Clock>, Arc<dyn OpenShard>),
    ) -> Arc<Node> {
        let config =
            NodeConfig { data_dir: folder.to_owned(), clock, shards, name: format!("{name}:8983_solr") };
        let local = Arc::new(store::MetadataFiles::open(folder, &[]).unwrap());
        let homes = MetadataHomes { shared, local };
        let url = format!("http://{name}:8983");
        let node = Node::open_member(config, homes, site, (url, name, "secret")).unwrap();
        self.connect(&node);
        node.set_carrier(self.post.clone());
        node
    }

    /// The others reach it.
    pub fn connect(&self, node: &Arc<Node>) {
        let addressee = (Arc::downgrade(node), Arc::new(Answering::new(node.clock().clone())));
        self.post.0.lock().unwrap().insert(node.member().id, addressee);
    }

    /// Nobody reaches a member any more.
    pub fn cut_off(&self, name: &str) {
        self.post.0.lock().unwrap().remove(name);
    }

    pub fn two(&self) -> ([TempDir; 2], [Arc<Node>; 2]) {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let nodes = [self.member(folders[0].path(), "a"), self.member(folders[1].path(), "b")];
        let [a, b] = &nodes;
        lives(&[a, b], &[a, b]);
        (folders, nodes)
    }
}

/// Tells `who` that `living` live.
pub(crate) fn lives(who: &[&Arc<Node>], living: &[&Arc<Node>]) {
    let living: Vec<Member> = living.iter().map(|node| node.member()).collect();
    who.iter().for_each(|node| node.set_living(living.clone()));
}

pub(crate) fn films(name: &str) -> CreateCollection {
    CreateCollection::new(name, "_default", schema(), config(7))
}

fn owners(node: &Node) -> Vec<(String, String)> {
    let owner = |it: &crate::Description| it.owner().map(|owner| owner.id.clone()).unwrap_or_default();
    node.descriptions().iter().map(|it| (it.name().to_owned(), owner(it))).collect()
}

fn pair(name: &str, owner: &str) -> (String, String) {
    (name.to_owned(), owner.to_owned())
}

#[tokio::test]
async fn each_serves_its_own_and_knows_of_the_others() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    a.create(films("films")).await.unwrap();
    assert_eq!(a.least_loaded(&[]).unwrap().id, "b");
    b.create(films("books")).await.unwrap();
    a.refresh().unwrap();
    for node in [&a, &b] {
        assert_eq!(owners(node), [pair("books", "b"), pair("films", "a")]);
    }
    assert!(a.find("books").is_none() && b.find("films").is_none());
    assert_eq!(b.resolve_described("films_shard1_replica_n1").unwrap()[0].name(), "films");
    // Names are the cluster's.
    assert_eq!(b.create(films("films")).await.err().unwrap().kind, ErrorKind::BadRequest);
    a.set_alias("all", vec!["films".to_owned(), "books".to_owned()]).await.unwrap();
    b.refresh().unwrap();
    assert_eq!(
        b.state().aliases["all"],
        Alias { collections: vec!["films".into(), "books".into()], ..Alias::default() }
    );
    assert_eq!(
        b.set_alias("books_shard1_replica_n1", vec!["films".to_owned()]).await.unwrap_err().kind,
        ErrorKind::BadRequest
    );
    // Nothing changes hands while both live.
    for node in [&a, &b] {
        assert_eq!(node.take_part(), Ok(false));
    }
    b.delete("books").await.unwrap();
    a.refresh().unwrap();
    assert_eq!(owners(&a), [pair("films", "a")]);
}

#[tokio::test]
async fn what_a_gone_member_had_is_served_on_and_its_late_writes_are_refused() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let before = a.create(films("films")).await.unwrap();
    update(&before, vec![film("solaris", "1972")]).await;
    lives(&[&b], &[&b]);
    assert_eq!(b.take_part(), Ok(true));
    let after = b.find("films").unwrap();
    assert_eq!(year(&after, "solaris").await, Some(Value::Str("1972".into())));
    // It lived all the while, and hears of it by its first write.
    let batch = || UpdateBatch { operations: vec![film("late", "1999")], ..UpdateBatch::default() };
    assert!(before.update(batch(), UpdateContext::default()).await.failure.is_some());
    update(&after, vec![film("stalker", "1979")]).await;
    assert_eq!(a.take_part(), Ok(true));
    assert!(a.find("films").is_none());
    assert_eq!(owners(&a), [pair("films", "b")]);
    assert_eq!(a.take_part(), Ok(false));
    assert_eq!(b.take_part(), Ok(false));
    assert_eq!(year(&after, "late").await, None);
    assert_eq!(year(&after, "stalker").await, Some(Value::Str("1979".into())));
}

#[tokio::test]
async fn an_owner_that_was_fenced_by_mistake_opens_again() {
    let cluster = Cluster::default();
    let (folders, [a, b]) = cluster.two();
    a.create(films("films")).await.unwrap();
    lives(&[&b], &[&b]);
    assert_eq!(b.take_part(), Ok(true));
    // What a member does that read the document before: it opens, and finds behind that that it is not the
    // owner.
    let entry = a.catalog().collection("films").unwrap().unwrap();
    assert_eq!(a.load_as(&entry, None).err().unwrap().kind, ErrorKind::Conflict);
    let after = b.find("films").unwrap();
    let batch = UpdateBatch { operations: vec![film("lost", "1999")], ..UpdateBatch::default() };
    assert!(after.update(batch, UpdateContext::default()).await.failure.is_some());
    assert_eq!(b.take_part(), Ok(true));
    let again = b.find("films").unwrap();
    update(&again, vec![film("solaris", "1972")]).await;
    assert_eq!(year(&again, "solaris").await, Some(Value::Str("1972".into())));
    assert_eq!(b.take_part(), Ok(false));
    drop(folders);
}

#[tokio::test]
async fn a_member_that_returns_elsewhere_keeps_what_it_had() {
    let cluster = Cluster::default();
    let folder = tempfile::tempdir().unwrap();
    let node = cluster.member(folder.path(), "a");
    lives(&[&node], &[&node]);
    let films = node.create(films("films")).await.unwrap();
    update(&films, vec![film("solaris", "1972")]).await;
    node.close().unwrap();
    drop((films, node));
    let node = cluster.member(folder.path(), "elsewhere");
    assert_eq!(node.member().id, "a");
    // Before it is told who lives it opens its own, and takes nothing.
    assert_eq!(node.take_part(), Ok(true));
    let films = node.find("films").unwrap();
    assert_eq!(year(&films, "solaris").await, Some(Value::Str("1972".into())));
    assert_eq!(node.catalog().owners("films").unwrap().unwrap().value.lead, node.member());
}

#[tokio::test]
async fn members_share_what_the_gone_had_and_what_was_never_anyones() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    for number in 0..6 {
        a.create(films(&format!("c{number}"))).await.unwrap();
    }
    // As a node makes it that owns all there is.
    a.catalog().shared.remove("collections/c0/owner.json").unwrap();
    a.close().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let c = cluster.member(folder.path(), "c");
    let living = [&b, &c];
    lives(&living, &living);
    assert_eq!(b.take_part(), Ok(true));
    assert_eq!(c.take_part(), Ok(true));
    for node in living {
        assert_eq!(node.list().len(), 3);
        assert_eq!(node.take_part(), Ok(false));
    }
}

#[tokio::test]
async fn what_was_unloaded_and_taken_over_is_not_loaded_beside() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    a.create(films("films")).await.unwrap();
    a.unload("films", false).await.unwrap();
    assert_eq!(a.take_part(), Ok(false));
    lives(&[&b], &[&b]);
    assert_eq!(b.take_part(), Ok(true));
    let refused = a.load_unloaded("films_shard1_replica_n1", None).await.err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Conflict, "{refused}");
    assert_eq!(a.take_part(), Ok(false));
    assert_eq!(b.take_part(), Ok(false));
    assert!(b.find("films").is_some());
}

#[tokio::test]
async fn a_name_that_another_makes_is_not_made_twice() {
    let cluster = Cluster::default();
    let (folders, [a, b]) = cluster.two();
    // It began, and its owner.json is all there is.
    a.claim_key("films", &a.member().into()).unwrap();
    let refused = b.create(films("films")).await.err().unwrap();
    assert_eq!(refused.kind, ErrorKind::Conflict, "{refused}");
    assert!(a.catalog().owners("films").unwrap().is_some(), "it is the other's still");
    // A crash in the middle is cleared away by whoever crashed, or once it is gone.
    drop(a);
    let a = cluster.member(folders[0].path(), "a");
    assert_eq!(a.take_part(), Ok(true));
    assert!(a.catalog().owners("films").unwrap().is_none());
    a.claim_key("films", &a.member().into()).unwrap();
    lives(&[&b], &[&b]);
    b.create(films("films")).await.unwrap();
    assert_eq!(owners(&b), [pair("films", "b")]);
}

pub(crate) fn spread(name: &str, shards: usize) -> CreateCollection {
    let nodes = ["a:8983_solr", "b:8983_solr", "c:8983_solr"].map(str::to_owned).to_vec();
    CreateCollection { shards: Sharding::Hashed { count: shards, field: None }, nodes, ..films(name) }
}

/// Of each shard who serves it.
pub(crate) fn shard_owners(node: &Node, name: &str) -> Vec<String> {
    let described = node.resolve_described(name).unwrap().remove(0);
    let shards = described.shard_documents().into_iter();
    shards.map(|shard| described.shard_owner(&shard.name).unwrap().id.clone()).collect()
}

async fn count(collection: &Collection) -> u64 {
    collection.commit(Commit::HARD).await.unwrap();
    crate::rebuild_tests::count(collection).await
}

/// An edit that adds a field.
pub(crate) fn with_field(name: &'static str) -> impl FnMut(&SchemaSource) -> plan::Result<SchemaSource> {
    move |source| {
        let mut source = source.clone();
        let (name, type_name) = (name.into(), "string".into());
        source.fields.push(FieldSource { name, type_name, attributes: vec![] });
        Ok(source)
    }
}

pub(crate) fn thirty(prefix: &str) -> Vec<plan::Operation> {
    (0..30).map(|at| film(&format!("{prefix}{at}"), "1972")).collect()
}

#[tokio::test]
async fn shards_of_one_collection_are_on_several_members_and_any_of_them_coordinates() {
    let cluster = Cluster::default();
    let (folders, [a, b]) = cluster.two();
    let led = a.create(spread("films", 2)).await.unwrap();
    let part = b.find("films").unwrap();
    for node in [&a, &b] {
        assert_eq!(shard_owners(node, "films"), ["a", "b"]);
        assert_eq!(node.take_part(), Ok(false));
    }
    assert!(led.lead_elsewhere().is_none());
    assert_eq!(part.lead_elsewhere().unwrap().id, "a");
    update(&led, thirty("led")).await;
    update(&part, thirty("part")).await;
    for collection in [&led, &part] {
        assert_eq!(count(collection).await, 60);
        assert_eq!(year(collection, "led7").await, Some(Value::Str("1972".into())));
        assert!((1..60).contains(&collection.shard_stats(0).num_docs));
        assert_eq!(collection.stats().num_docs, 60);
    }
    // A change of the schema is the lead's, and known to both before it is answered, whoever asked.
    for (at, collection) in [&led, &part].into_iter().enumerate() {
        let name = ["shelf", "room"][at];
        collection.edit_schema(with_field(name)).await.unwrap();
        for known in [&led, &part] {
            assert!(known.schema().source.fields.iter().any(|field| field.name == name), "{name}");
        }
    }
    assert_eq!(led.versioned_schema().version, part.versioned_schema().version);
    update(&part, thirty("late")).await;
    assert_eq!(count(&led).await, 90);
    assert_eq!(b.unload("films", false).await.unwrap_err().kind, ErrorKind::BadRequest);
    a.delete("films").await.unwrap();
    assert!(b.list().is_empty() && b.descriptions().is_empty());
    let led = a.create(spread("films", 3)).await.unwrap();
    let part = b.find("films").unwrap();
    assert_eq!(count(&part).await, 0);
    // One starts again: it opens its part, and the others ask it there.
    update(&led, thirty("x")).await;
    b.close().unwrap();
    drop((b, part));
    let failed = UpdateBatch { operations: thirty("y"), ..UpdateBatch::default() };
    assert!(led.update(failed, UpdateContext::default()).await.failure.is_some());
    let b = cluster.member(folders[1].path(), "b");
    lives(&[&a, &b], &[&a, &b]);
    assert_eq!(b.take_part(), Ok(true));
    update(&b.find("films").unwrap(), thirty("y")).await;
    for node in [&a, &b] {
        assert_eq!(count(&node.find("films").unwrap()).await, 60);
    }
}

#[tokio::test]
async fn parts_of_a_gone_member_go_to_those_that_live() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let folder = tempfile::tempdir().unwrap();
    let c = cluster.member(folder.path(), "c");
    lives(&[&a, &b, &c], &[&a, &b, &c]);
    let led = a.create(spread("films", 3)).await.unwrap();
    let before = b.find("films").unwrap();
    assert_eq!(shard_owners(&c, "films"), ["a", "b", "c"]);
    update(&led, thirty("x")).await;
    // One that serves a part, and may be there all the while: the lead gives its part to another.
    lives(&[&a, &c], &[&a, &c]);
    assert_eq!(a.take_part(), Ok(true));
    assert_eq!(c.take_part(), Ok(false), "it was told");
    assert_eq!(shard_owners(&c, "films"), ["a", "a", "c"]);
    for node in [&a, &c] {
        assert_eq!(count(&node.find("films").unwrap()).await, 30);
    }
    let lost = UpdateBatch { operations: thirty("lost"), ..UpdateBatch::default() };
    let told = before.update(lost, UpdateContext::default()).await;
    assert!(told.failure.is_some(), "the shard that it had is another's");
    assert_eq!(b.take_part(), Ok(true));
    assert!(b.find("films").is_none());
    // The lead: another becomes it.
    lives(&[&b, &c], &[&b, &c]);
    for node in [&b, &c] {
        assert!(node.take_part().is_ok());
    }
    for node in [&b, &c] {
        node.refresh().unwrap();
        assert!(node.take_part().is_ok());
    }
    assert_eq!(owners(&b), owners(&c));
    assert!(shard_owners(&b, "films").iter().all(|owner| owner != "a"));
    let found = [&b, &c].into_iter().find_map(|node| node.find("films")).unwrap();
    for at in 0..30 {
        assert_eq!(year(&found, &format!("x{at}")).await, Some(Value::Str("1972".into())));
    }
    // Of the other batch what came to the shards of those that live.
    assert!((31..60).contains(&count(&found).await));
}

pub(crate) fn followed(name: &str, copies: usize) -> CreateCollection {
    let replicas = ReplicaCounts { nrt: copies + 1, ..ReplicaCounts::default() };
    CreateCollection { replicas, ..films(name) }
}

/// Who leads the first shard, and who follows.
fn replicas(node: &Node) -> (String, Vec<String>) {
    let described = node.resolve_described("films").unwrap().remove(0);
    let shard = described.shard_documents().remove(0);
    let mut members = described.replicas(&shard).into_iter().map(|(_, member)| member.id);
    (members.next().unwrap(), members.collect())
}

#[tokio::test]
async fn a_follower_leads_when_its_leader_is_gone_and_the_one_before_follows() {
    let cluster = Cluster::default();
    let (folders, [a, b]) = cluster.two();
    let folder = tempfile::tempdir().unwrap();
    let c = cluster.member(folder.path(), "c");
    lives(&[&a, &b, &c], &[&a, &b, &c]);
    let refused = a.create(followed("films", 3)).await.err().unwrap();
    assert_eq!(refused.kind, ErrorKind::BadRequest, "{refused}");
    let led = a.create(followed("films", 1)).await.unwrap();
    c.refresh().unwrap();
    assert_eq!(replicas(&c), ("a".into(), vec!["b".into()]));
    assert!(c.find("films").is_none());
    let copy = b.find("films").unwrap();
    // Behind a commit both show it, whoever was asked, and neither was flushed.
    for (collection, prefix) in [(&led, "led"), (&copy, "copy")] {
        update(collection, thirty(prefix)).await;
        collection.commit(Commit::SOFT).await.unwrap();
        assert_eq!(
            (led.stats().num_docs, copy.stats().num_docs),
            if prefix == "led" { (30, 30) } else { (60, 60) }
        );
    }
    assert_eq!(a.unload("films", false).await.unwrap_err().kind, ErrorKind::BadRequest);
    // Gone without a flush: what was acknowledged is in the log.
    update(&led, thirty("late")).await;
    cluster.post.0.lock().unwrap().remove("a");
    assert_eq!(copy.stats().num_docs, 60, "searches go on");
    lives(&[&b, &c], &[&b, &c]);
    for node in [&c, &b, &c] {
        assert!(node.take_part().is_ok());
    }
    assert_eq!(replicas(&c), ("b".into(), vec!["a".into()]));
    assert_eq!(count(&b.find("films").unwrap()).await, 90);
    let zombie = UpdateBatch { operations: thirty("zombie"), ..UpdateBatch::default() };
    assert!(led.update(zombie, UpdateContext::default()).await.failure.is_some());
    // It returns, and follows.
    drop((led, a));
    let a = cluster.member(folders[0].path(), "a");
    lives(&[&a, &b, &c], &[&a, &b, &c]);
    assert_eq!(a.take_part(), Ok(true));
    let copy = a.find("films").unwrap();
    copy.commit(Commit::SOFT).await.unwrap();
    assert_eq!(copy.stats().num_docs, 90);
    update(&copy, thirty("new")).await;
    copy.commit(Commit::SOFT).await.unwrap();
    assert_eq!(copy.stats().num_docs, 120);
    b.delete("films").await.unwrap();
    a.refresh().unwrap();
    assert!(a.list().is_empty() && a.descriptions().is_empty());
}
