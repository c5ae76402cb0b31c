//! A file that is damaged in the store and in its owner's cache is mended from another member's copy, when
//! its turn to be read again comes and when the shard is opened; what no member has whole is mended by the
//! next means, or named as lost.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use engine::{Priority, Scheduler, Task, TaskHandle};
use meter::Clock;
use plan::Commit;
use store::object::faults::{FaultyMedium, MemoryMedium};
use store::object::{CacheOptions, Medium as _, ObjectOptions, ObjectSite};
use tempfile::TempDir;

use crate::assignment_tests::{Cluster, followed, lives, thirty};
use crate::rebuild_tests::update;
use crate::shard::Shard;
use crate::{CacheSizes, Collection, Node, ThreadScheduler, engine_shards};

const WEEK_MS: i64 = 7 * 24 * 3600 * 1000;

/// Moves when it is told to.
struct Watch(AtomicI64);

impl Clock for Watch {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs all but what reads files again and what follows a leader: those come when a test says so.
#[derive(Default)]
struct ByHand(Mutex<Vec<(&'static str, Weak<dyn Task>)>>);

impl std::fmt::Debug for ByHand {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ByHand")
    }
}

struct NeverRun;

impl TaskHandle for NeverRun {
    fn wake(&self) {}

    fn stop(&self) {}
}

impl Scheduler for ByHand {
    fn start(
        &self,
        name: &'static str,
        priority: Priority,
        task: &Arc<dyn Task>,
    ) -> plan::Result<Arc<dyn TaskHandle>> {
        if !["merge", "follow"].contains(&name) {
            return ThreadScheduler.start(name, priority, task);
        }
        self.0.lock().unwrap().push((name, Arc::downgrade(task)));
        Ok(Arc::new(NeverRun))
    }
}

struct Member {
    node: Arc<Node>,
    tasks: Arc<ByHand>,
    cache: PathBuf,
}

/// Members over one bucket, each with a cache of its own.
struct Bucket {
    cluster: Cluster,
    objects: Arc<MemoryMedium>,
    clock: Arc<Watch>,
    folder: TempDir,
    made: Arc<AtomicU64>,
}

impl Bucket {
    fn new() -> Self {
        Self {
            cluster: Cluster::default(),
            objects: Arc::default(),
            clock: Arc::new(Watch(AtomicI64::new(1_795_255_200_000))),
            folder: tempfile::tempdir().unwrap(),
            made: Arc::default(),
        }
    }

    /// With an empty cache, whether it was there before or not.
    fn member(&self, name: &str) -> Member {
        let cache = self.folder.path().join(format!("cache{}", self.made.fetch_add(1, Ordering::Relaxed)));
        let medium = Arc::new(FaultyMedium::new(self.objects.clone()));
        let nonces = self.made.clone();
        let nonce = move || u128::from(nonces.fetch_add(1, Ordering::Relaxed)).to_le_bytes();
        let options = ObjectOptions {
            cache: Some(CacheOptions { folder: cache.clone(), bytes_max: 1 << 30 }),
            ..ObjectOptions::default()
        };
        let site = ObjectSite::new(medium.clone(), medium, Arc::new(nonce), options).unwrap();
        let tasks = Arc::new(ByHand::default());
        let data = self.folder.path().join(name);
        std::fs::create_dir_all(&data).unwrap();
        let node = self.cluster.member_with(
            &data,
            name,
            (Arc::new(self.cluster.documents.clone()), Arc::new(site)),
            (self.clock.clone(), engine_shards(CacheSizes::NONE, tasks.clone())),
        );
        Member { node, tasks, cache }
    }

    /// Keys of all segment files, in order.
    fn files(&self) -> Vec<String> {
        let listed = self.objects.list("shards/").unwrap().into_iter().map(|(key, _)| key);
        listed.filter(|key| key.contains("/segment/")).collect()
    }

    fn flip(&self, key: &str) {
        self.objects.damage(key, |bytes| flip(bytes));
    }
}

fn flip(bytes: &mut [u8]) {
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
}

fn name_of(key: &str) -> &str {
    key.split("/segment/").nth(1).unwrap().split('/').next().unwrap()
}

impl Member {
    /// Where its copy of an object is.
    fn copy_of(&self, key: &str) -> PathBuf {
        let folders = std::fs::read_dir(&self.cache).unwrap().map(|it| it.unwrap().path());
        let files = folders.filter(|it| it.is_dir()).flat_map(|it| std::fs::read_dir(it).unwrap());
        let mut paths = files.map(|it| it.unwrap().path());
        let starts = format!("{}.", name_of(key));
        paths.find(|it| it.file_name().unwrap().to_str().unwrap().starts_with(&starts)).unwrap()
    }

    /// In its place, so that those who have it mapped read it so.
    fn flip_copy(&self, key: &str) {
        let path = self.copy_of(key);
        let mut bytes = std::fs::read(&path).unwrap();
        flip(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    }

    fn films(&self) -> Arc<Collection> {
        self.node.find("films").unwrap()
    }

    fn shard(&self) -> Arc<dyn Shard> {
        self.films().served().own_shard("shard1").unwrap()
    }

    /// What comes beside merges comes now, and once more so much later.
    fn turn(&self, bucket: &Bucket, later_ms: i64) {
        let tasks: Vec<_> = self.tasks.0.lock().unwrap().clone();
        let merges = tasks.iter().filter(|(name, _)| *name == "merge");
        for task in merges.filter_map(|(_, task)| task.upgrade()) {
            task.turn();
            bucket.clock.0.fetch_add(later_ms, Ordering::Relaxed);
            task.turn();
        }
    }

    /// Reads all files of the shard again.
    fn read_again(&self, bucket: &Bucket) {
        bucket.files().iter().for_each(|_| self.turn(bucket, WEEK_MS));
    }
}

/// A shard that `a` leads and `b` and `c` follow, with thirty documents that were flushed.
async fn three() -> (Bucket, [Member; 3]) {
    let bucket = Bucket::new();
    let members = ["a", "b", "c"].map(|name| bucket.member(name));
    let [a, b, c] = &members;
    lives(&[&a.node, &b.node, &c.node], &[&a.node, &b.node, &c.node]);
    let films = a.node.create(followed("films", 2)).await.unwrap();
    update(&films, thirty("x")).await;
    films.commit(Commit::HARD).await.unwrap();
    (bucket, members)
}

/// `a` comes back with an empty cache, and opens what is its own; with whom it reaches by then.
fn restarted(bucket: &Bucket, [a, b, c]: [Member; 3], reaches: bool) -> [Member; 3] {
    drop(a);
    let a = bucket.member("a");
    if reaches {
        lives(&[&a.node, &b.node, &c.node], &[&a.node, &b.node, &c.node]);
    }
    assert_eq!(a.node.take_part(), Ok(true));
    [a, b, c]
}

#[tokio::test]
async fn what_is_read_again_is_mended_from_a_followers_copy() {
    let (bucket, [a, b, c]) = three().await;
    let files = bucket.files();
    assert!(files.len() > 4, "{files:?}");
    let before: Vec<_> = files.iter().map(|key| bucket.objects.get(key).unwrap()).collect();
    for key in &files {
        bucket.flip(key);
        a.flip_copy(key);
        // One that is damaged too is passed over.
        b.flip_copy(key);
    }
    a.read_again(&bucket);
    assert_eq!(a.shard().vital_figures().damaged_files, 0);
    for (key, before) in files.iter().zip(&before) {
        assert_eq!(bucket.objects.get(key).unwrap(), *before, "{key}");
        assert_eq!(std::fs::read(a.copy_of(key)).unwrap(), *before, "{key}");
    }
    // Where nobody has it whole it is told, and stays as it is.
    let key = &files[0];
    bucket.flip(key);
    a.flip_copy(key);
    c.flip_copy(key);
    a.read_again(&bucket);
    assert_eq!(a.shard().vital_figures().damaged_files, 1);
    // Nor does anybody ask whoever is gone.
    c.flip_copy(key);
    lives(&[&a.node], &[&a.node, &b.node]);
    a.read_again(&bucket);
    assert_eq!(a.shard().vital_figures().damaged_files, 1);
    lives(&[&a.node], &[&a.node, &b.node, &c.node]);
    a.read_again(&bucket);
    assert_eq!(a.shard().vital_figures().damaged_files, 0);
}

#[tokio::test]
async fn a_shard_is_opened_whole_by_a_followers_copy() {
    let (bucket, members) = three().await;
    let files = bucket.files();
    let before: Vec<_> = files.iter().map(|key| bucket.objects.get(key).unwrap()).collect();
    // Each in its way.
    for (at, key) in files.iter().enumerate() {
        match at % 2 {
            0 => bucket.objects.delete(key).unwrap(),
            _ => bucket.flip(key),
        }
    }
    let [a, ..] = restarted(&bucket, members, true);
    assert!(a.shard().losses().is_empty(), "{}", a.shard().losses());
    assert_eq!(a.films().stats().num_docs, 30);
    let names = |keys: &[String]| keys.iter().map(|key| name_of(key).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&bucket.files()), names(&files));
    for (key, before) in bucket.files().iter().zip(&before) {
        assert_eq!(bucket.objects.get(key).unwrap(), *before, "{key}");
    }
    update(&a.films(), thirty("y")).await;
    a.films().commit(Commit::HARD).await.unwrap();
    assert_eq!(a.films().stats().num_docs, 60);
}

#[tokio::test]
async fn what_no_member_has_whole_is_healed_by_an_older_manifest_or_named() {
    for newer in [true, false] {
        let (bucket, members) = three().await;
        let older = bucket.files();
        update(&members[0].films(), thirty("y")).await;
        members[0].films().commit(Commit::HARD).await.unwrap();
        let files = bucket.files();
        let key = files.iter().find(|key| older.contains(key) != newer).unwrap();
        bucket.flip(key);
        members[1].flip_copy(key);
        members[2].flip_copy(key);
        let [a, ..] = restarted(&bucket, members, true);
        let losses = a.shard().losses();
        match newer {
            true => {
                assert!(losses.is_empty(), "the log has them: {losses}");
                assert_eq!(a.films().stats().num_docs, 60);
            }
            false => {
                let [segment] = &losses.segments[..] else { panic!("{losses}") };
                assert_eq!((segment.documents, &*segment.files[0].0), (30, name_of(key)));
                assert_eq!(a.films().stats().num_docs, 30);
            }
        }
    }
}

/// As at the start of a process, which opens its shards before it knows who lives.
#[tokio::test]
async fn what_was_lost_is_asked_for_again_until_somebody_has_it() {
    let (bucket, members) = three().await;
    let files = bucket.files();
    let [first, .., last] = &files[..] else { panic!("{files:?}") };
    bucket.objects.delete(first).unwrap();
    bucket.flip(last);
    let [a, b, c] = restarted(&bucket, members, false);
    assert_eq!(a.shard().losses().documents(), 30);
    assert_eq!(a.films().stats().num_docs, 0);
    a.turn(&bucket, 10_000);
    assert!(!a.node.has_shards_to_open(), "nobody has it yet");
    assert_eq!(a.node.take_part(), Ok(false));
    lives(&[&a.node, &b.node, &c.node], &[&a.node, &b.node, &c.node]);
    a.turn(&bucket, 9_999);
    assert!(!a.node.has_shards_to_open(), "it is not due");
    a.turn(&bucket, 1);
    assert!(a.node.has_shards_to_open());
    assert_eq!(a.node.take_part(), Ok(true));
    assert!(a.shard().losses().is_empty(), "{}", a.shard().losses());
    assert_eq!(a.films().stats().num_docs, 30);
    update(&a.films(), thirty("y")).await;
    a.films().commit(Commit::HARD).await.unwrap();
    assert_eq!(a.films().stats().num_docs, 60);
    assert!(!a.node.has_shards_to_open());
    assert_eq!(a.node.take_part(), Ok(false));
}
