//! Members whose documents and homes say different things: who was named answers for a shard only while its
//! home is its own.

use std::sync::{Arc, Mutex};

use plan::{Error, ErrorKind};
use store::memory::MemorySite;
use store::{Result, ShardArchive, ShardHome, ShardId, Site};

use crate::assignment_tests::{Cluster, lives, spread, thirty, with_field};
use crate::owners::Owners;
use crate::rebuild_tests::update;
use crate::{Collection, Node};

/// The folder of the second shard, which is the second member's.
const SECOND: &str = "shard1_shard2";

/// What a member does that read the documents long ago: it opens a shard of the collection that is another's.
fn fence(cluster: &Cluster, node: &Node, folder: &str) {
    let entry = node.catalog().collection("films").unwrap().unwrap();
    drop(cluster.site.home(&node.place(&entry, folder).id).unwrap());
}

#[tokio::test]
async fn a_fenced_owner_opens_its_shard_again_before_it_answers_for_a_schema() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let led = a.create(spread("films", 2)).await.unwrap();
    let part = b.find("films").unwrap();
    fence(&cluster, &b, SECOND);
    // It has not heard of it, and looks when it is asked.
    assert!(!part.wants_opening());
    led.edit_schema(with_field("shelf")).await.unwrap();
    update(&part, thirty("x")).await;
    assert_eq!(b.take_part(), Ok(false));
    // The lead's own: nobody knows by which schema the other goes.
    fence(&cluster, &a, "shard1");
    let refused = led.edit_schema(with_field("room")).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Unavailable, "{refused}");
    assert!(a.has_shards_to_open());
    assert_eq!(a.take_part(), Ok(true));
    led.edit_schema(with_field("door")).await.unwrap();
    update(&led, thirty("y")).await;
}

#[tokio::test]
async fn who_lives_is_read_again_before_anything_is_taken() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    a.create(spread("films", 2)).await.unwrap();
    let claimed = Owners { created_ms: Some(1), ..a.member().into() };
    a.claim_key("books", &claimed).unwrap();
    let lead = |key: &str| b.catalog().owners(key).unwrap().map(|found| found.value.lead.id);
    // As it was told before the other came; what it is told when it asks.
    lives(&[&b], &[&b]);
    let unknown = Error::new(ErrorKind::Unavailable, "nobody answers");
    let answers = Mutex::new(vec![Ok(vec![b.member()]), Ok(vec![a.member(), b.member()]), Err(unknown)]);
    let told = Arc::downgrade(&b);
    b.set_census(Box::new(move || {
        let living = answers.lock().unwrap().pop().expect("asked where nothing is to be taken")?;
        told.upgrade().unwrap().set_living(living);
        Ok(())
    }));
    let failures = b.take_part().unwrap_err();
    assert_eq!(failures.iter().map(|it| it.kind).collect::<Vec<_>>(), [ErrorKind::Unavailable]);
    assert_eq!(b.take_part(), Ok(false));
    assert_eq!(b.take_part(), Ok(false), "who lives is known, and is not asked for");
    assert_eq!((lead("films").as_deref(), lead("books").as_deref()), (Some("a"), Some("a")));
    lives(&[&b], &[&b]);
    assert_eq!(b.take_part(), Ok(true));
    assert_eq!((lead("films").as_deref(), lead("books")), (Some("b"), None));
    assert_eq!(b.take_part(), Ok(false), "nothing is left to take");
}

#[tokio::test]
async fn who_serves_a_shard_no_more_does_not_answer_for_it() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let led = a.create(spread("films", 2)).await.unwrap();
    // By another lead, of which this one has not heard.
    let owners = a.catalog().owners("films").unwrap().unwrap();
    let mut to_a = owners.value.clone();
    to_a.shards.clear();
    a.catalog().set_owners("films", Some(owners.version), &to_a).unwrap();
    let refused = led.edit_schema(with_field("shelf")).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Unavailable, "{refused}");
    assert_eq!(a.take_part(), Ok(true));
    led.edit_schema(with_field("room")).await.unwrap();
    update(&led, thirty("x")).await;
    lives(&[&b], &[&a, &b]);
    assert_eq!(b.take_part(), Ok(true));
    assert!(b.find("films").is_none());
}

/// Homes, before the next fence of one of which something else happens.
struct Overtaken {
    site: MemorySite,
    armed: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Site for Overtaken {
    fn home(&self, id: &ShardId) -> Result<Arc<dyn ShardHome>> {
        let armed = self.armed.lock().unwrap().take();
        armed.into_iter().for_each(|hook| hook());
        self.site.home(id)
    }

    fn archive(&self, id: &ShardId) -> Result<Arc<dyn ShardArchive>> {
        self.site.archive(id)
    }
}

#[tokio::test]
async fn who_opens_a_shard_has_the_schema_that_its_former_owner_answered_for() {
    let cluster = Cluster::default();
    let (folders, [a, b]) = cluster.two();
    a.create(spread("films", 2)).await.unwrap();
    b.close().unwrap();
    drop(b);
    let site = Arc::new(Overtaken { site: cluster.site.clone(), armed: Mutex::default() });
    let shared = Arc::new(cluster.documents.clone());
    let b = cluster.member_at(folders[1].path(), "b", (shared, site.clone()));
    lives(&[&a, &b], &[&a, &b]);
    // As a lead writes it whom another answers, which has the shard's home until it is fenced.
    let change_before_the_fence = |name: &'static str| {
        let a = a.clone();
        *site.armed.lock().unwrap() = Some(Box::new(move || {
            let saved = a.catalog().schema("films").unwrap();
            let mut changed = saved.value;
            changed.source = with_field(name)(&changed.source).unwrap();
            changed.version += 1;
            a.catalog().set_schema("films", Some(saved.version), &changed).unwrap();
        }));
    };
    let knows = |part: &Collection, name: &str| {
        assert!(site.armed.lock().unwrap().is_none(), "{name}");
        assert!(part.schema().source.fields.iter().any(|field| field.name == name), "{name}");
    };
    change_before_the_fence("shelf");
    assert_eq!(b.take_part(), Ok(true));
    let part = b.find("films").unwrap();
    knows(&part, "shelf");
    fence(&cluster, &b, SECOND);
    assert!(part.shard_of_folder(SECOND).unwrap().confirm_owner().is_err());
    change_before_the_fence("room");
    assert_eq!(b.take_part(), Ok(true));
    knows(&part, "room");
    assert_eq!(b.take_part(), Ok(false));
}
