//! Collections of several members that are made and dropped while somebody is taken for gone, or has not
//! heard of it: what is there at the end is whole, and nothing is acknowledged that goes with a drop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plan::{ErrorKind, UpdateBatch, Value};
use store::metadata::memory::MetadataMemory;
use store::metadata::{Hint, Watch};
use store::{Error, ErrorKind as StoreErrorKind, MetadataStore, Result, VersionedBytes};
use tempfile::{TempDir, tempdir};

use crate::assignment_tests::{Cluster, films, lives, spread};
use crate::owners::Stage;
use crate::rebuild_tests::{film, update, year};
use crate::{Node, UpdateContext};

type Hook = Box<dyn FnOnce() + Send>;

/// Documents before a change of which, as a test names it, something else happens.
pub(crate) struct Interrupted {
    pub memory: MetadataMemory,
    armed: Mutex<Option<(String, Hook)>>,
    /// Whether the next reading fails.
    pub is_away: AtomicBool,
}

impl Interrupted {
    pub fn arm(&self, change: &str, hook: impl FnOnce() + Send + 'static) {
        *self.armed.lock().unwrap() = Some((change.to_owned(), Box::new(hook)));
    }

    pub fn was_interrupted(&self) -> bool {
        self.armed.lock().unwrap().is_none()
    }

    fn before(&self, kind: &str, name: &str) {
        let change = format!("{kind} {name}");
        let armed =
            self.armed.lock().unwrap_or_else(PoisonError::into_inner).take_if(|(it, _)| *it == change);
        // Without the lock: what happens changes documents too.
        if let Some((_, hook)) = armed {
            hook();
        }
    }
}

impl MetadataStore for Interrupted {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        if self.is_away.swap(false, Ordering::Relaxed) {
            return Err(Error::new(StoreErrorKind::Retry, "as told"));
        }
        self.memory.get(name)
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        self.before(if expected.is_some() { "change" } else { "make" }, name);
        self.memory.compare_and_set(name, expected, bytes)
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        self.before("delete", name);
        self.memory.delete(name, expected)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.memory.list(folder)
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        self.memory.watch(folder, hint)
    }
}

/// A member that is interrupted, and another.
pub(crate) struct Pair {
    cluster: Cluster,
    pub documents: Arc<Interrupted>,
    pub a: Arc<Node>,
    pub b: Arc<Node>,
    _folders: [TempDir; 2],
}

pub(crate) fn pair() -> Pair {
    let cluster = Cluster::default();
    let folders = [tempdir().unwrap(), tempdir().unwrap()];
    let documents = Arc::new(Interrupted {
        memory: cluster.documents.clone(),
        armed: Mutex::default(),
        is_away: AtomicBool::default(),
    });
    let a = cluster.member_on(folders[0].path(), "a", documents.clone());
    let b = cluster.member_on(folders[1].path(), "b", Arc::new(cluster.documents.clone()));
    // Births are by clocks, which differ.
    (0..1_000).for_each(|_| _ = b.clock().now_ms());
    lives(&[&a, &b], &[&a, &b]);
    Pair { cluster, documents, a, b, _folders: folders }
}

/// The first member is taken for gone, and the other ends what that began, and makes it anew or does not.
fn overtake(b: &Arc<Node>, makes_anew: bool) -> impl FnOnce() + Send + 'static {
    let b = b.clone();
    move || {
        lives(&[&b], &[&b]);
        assert_eq!(b.take_part(), Ok(true));
        assert!(b.descriptions().is_empty());
        if makes_anew {
            b.make(films("films"), &[]).unwrap();
        }
    }
}

/// What is there of the collection is the second member's, or nothing.
async fn check_end(Pair { cluster, a, b, documents, _folders }: Pair, is_there: bool, step: &str) {
    assert!(documents.was_interrupted(), "{step}");
    lives(&[&a, &b], &[&a, &b]);
    assert!(a.take_part().is_ok() && a.list().is_empty(), "{step}");
    assert_eq!(b.take_part(), Ok(false), "{step}");
    let left = cluster.documents.list("collections").unwrap();
    assert_eq!(left.is_empty(), !is_there, "{step}: {left:?}");
    if is_there {
        let films = b.find("films").unwrap();
        update(&films, vec![film("solaris", "1972")]).await;
        assert_eq!(year(&films, "solaris").await, Some(Value::Str("1972".into())), "{step}");
        assert_eq!(cluster.documents.list("collections/films").unwrap().len(), 4, "{step}");
    } else {
        a.create(films("films")).await.unwrap();
    }
}

const DOCUMENTS: [&str; 4] = ["schema.json", "config.json", "collection.json", "owner.json"];

#[tokio::test]
async fn a_maker_that_was_taken_for_gone_serves_nothing() {
    for file in DOCUMENTS {
        for makes_anew in [false, true] {
            let kind = if file == "owner.json" { "change" } else { "make" };
            let step = format!("{kind} collections/films/{file}");
            let pair = pair();
            pair.documents.arm(&step, overtake(&pair.b, makes_anew));
            let refused = pair.a.create(films("films")).await.err().unwrap();
            assert_eq!(refused.kind, ErrorKind::Conflict, "{step}: {refused}");
            check_end(pair, makes_anew, &step).await;
        }
    }
}

#[tokio::test]
async fn a_dropper_that_was_taken_for_gone_removes_nothing_of_the_next() {
    for file in DOCUMENTS {
        for makes_anew in [false, true] {
            let step = format!("delete collections/films/{file}");
            let pair = pair();
            pair.a.create(films("films")).await.unwrap();
            pair.documents.arm(&step, overtake(&pair.b, makes_anew));
            // Where all is gone by then, that is what was asked.
            let dropped = pair.a.delete("films").await;
            assert_eq!(dropped.is_ok(), !makes_anew, "{step}: {dropped:?}");
            check_end(pair, makes_anew, &step).await;
        }
    }
}

#[tokio::test]
async fn the_next_lead_goes_on_with_a_drop() {
    let Pair { cluster, a, b, .. } = pair();
    a.create(spread("films", 2)).await.unwrap();
    let mut owners = a.catalog().owners("films").unwrap().unwrap();
    owners.value.stage = Stage::Dropped;
    a.catalog().set_owners("films", Some(owners.version), &owners.value).unwrap();
    // It may be at it still.
    assert_eq!(b.take_part(), Ok(true), "it closes its part");
    assert!(b.descriptions().is_empty());
    assert_eq!(b.create(films("films")).await.err().unwrap().kind, ErrorKind::Conflict);
    assert_eq!(cluster.documents.list("collections/films").unwrap().len(), 4);
    lives(&[&b], &[&b]);
    assert_eq!(b.take_part(), Ok(true));
    assert_eq!(cluster.documents.list("collections").unwrap(), [""; 0]);
    assert_eq!(a.take_part(), Ok(true), "so does the former lead");
    assert!(a.list().is_empty());
}

#[tokio::test]
async fn an_owner_that_was_not_told_of_a_drop_acknowledges_nothing_behind_it() {
    let Pair { cluster, a, b, .. } = pair();
    a.create(spread("films", 2)).await.unwrap();
    let part = b.find("films").unwrap();
    let (entry, owners) = (part.entry(), part.owners());
    let shard = part.shard_of_folder("shard1_shard2").unwrap();
    let write = |id: &str| {
        let batch = UpdateBatch { operations: vec![film(id, "1972")], ..UpdateBatch::default() };
        shard.update(batch, UpdateContext::default()).wait().failure
    };
    assert_eq!(write("solaris"), None);
    cluster.cut_off("b");
    a.delete("films").await.unwrap();
    assert!(write("stalker").is_some());
    // Nor does one that opens it by what it read before.
    let (schema, auto_commit) = (part.schema(), part.config().auto_commit);
    let late = b.open_edition(&entry, "shard1", (&schema, auto_commit), (owners, None));
    assert_eq!(late.err().unwrap().kind, ErrorKind::Conflict);
    assert_eq!(b.take_part(), Ok(true));
    assert!(b.list().is_empty());
}

#[tokio::test]
async fn assignments_of_an_earlier_release_are_of_what_is_served() {
    let Pair { cluster, a, .. } = pair();
    let films = a.create(films("films")).await.unwrap();
    let name = "collections/films/owner.json";
    let write = |text: &str| {
        let version = cluster.documents.get(name).unwrap().unwrap().version;
        cluster.documents.compare_and_set(name, Some(version), text.as_bytes()).unwrap();
    };
    let url = a.member().url;
    write(&format!(r#"{{"id": "a", "name": "a:8983_solr", "url": "{url}"}}"#));
    a.refresh().unwrap();
    assert!(a.find("films").is_some());
    // It was unloaded, and made anew by a release that left this as it was.
    write(&format!(
        r#"{{"id": "a", "name": "a:8983_solr", "url": "{url}", "created_ms": 1, "stage": "served"}}"#
    ));
    assert_eq!(a.take_part(), Ok(true));
    assert_eq!(a.take_part(), Ok(true));
    assert_eq!(a.take_part(), Ok(false));
    assert_eq!(a.find("films").unwrap().created_ms(), films.created_ms());
    assert_eq!(a.catalog().owners("films").unwrap().unwrap().value.created_ms, Some(films.created_ms()));
    a.delete("films").await.unwrap();
    assert_eq!(cluster.documents.list("collections").unwrap(), [""; 0]);
}
