//! Files that a merge replaced are removed beside flushes: a store may take its time for hundreds of them
//! (two nodes that had fought for one for an hour left a minute's worth, 2026-11-27), and no commit waits for
//! that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use plan::Query;
use store::{
    FencedLog, ManifestStore, SegmentBytes, SegmentFile, SegmentStore, SegmentWriter, ShardHome, Verified,
};

use super::*;

/// For a test that fails: one that succeeds waits for nothing.
const STUCK: Duration = Duration::from_secs(120);

/// Segment files whose removal tells that it has begun, and goes on when the test says so.
struct GatedFiles {
    files: Arc<dyn SegmentStore>,
    gate: Arc<Gate>,
}

struct Gate {
    is_shut: AtomicBool,
    arrived: Sender<Vec<String>>,
    let_go: Mutex<Receiver<()>>,
}

impl SegmentStore for GatedFiles {
    fn create(&self, name: &str) -> store::Result<Box<dyn SegmentWriter>> {
        self.files.create(name)
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> store::Result<Vec<SegmentFile>> {
        self.files.put_all(files)
    }

    fn open(&self, file: &SegmentFile) -> store::Result<SegmentBytes> {
        self.files.open(file)
    }

    fn fetch(&self, files: &[SegmentFile]) -> store::Result<()> {
        self.files.fetch(files)
    }

    fn verify(&self, file: &SegmentFile) -> store::Result<Verified> {
        self.files.verify(file)
    }

    fn remove(&self, name: &str) -> store::Result<()> {
        self.remove_all(&[name.to_owned()])
    }

    fn remove_all(&self, names: &[String]) -> store::Result<()> {
        if self.gate.is_shut.load(Ordering::SeqCst) {
            self.gate.arrived.send(names.to_vec()).unwrap();
            self.gate.let_go.lock().unwrap().recv().unwrap();
        }
        self.files.remove_all(names)
    }

    fn list(&self) -> store::Result<Vec<String>> {
        self.files.list()
    }
}

struct GatedHome {
    home: store::LocalHome,
    gate: Arc<Gate>,
}

impl ShardHome for GatedHome {
    fn epoch(&self) -> u64 {
        self.home.epoch()
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        self.home.log()
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        self.home.manifests()
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::new(GatedFiles { files: self.home.segments(), gate: self.gate.clone() })
    }
}

/// Whoever removes files stands at the gate, and a commit goes through meanwhile.
fn check(name: &str, kept_ms: i64, remove: impl Fn(&Shard) + Send + Sync) {
    let mut site = Site::new();
    site.config.replaced_files_kept_ms = kept_ms;
    let ((arrived, arrivals), (let_go, held)) = (channel(), channel());
    let gate = Arc::new(Gate { is_shut: AtomicBool::new(false), arrived, let_go: Mutex::new(held) });
    let home = Arc::new(GatedHome { home: site.disk.open().unwrap(), gate: gate.clone() });
    let shard = Shard::open(home, Arc::new(schema()), site.config.clone(), site.clock.clone()).unwrap();
    for id in ["1", "2"] {
        update(&shard, vec![add(film(id, "rot"))]);
        flush(&shard);
    }
    // With files that are kept for a while this replaces them, and does not remove them yet.
    gate.is_shut.store(kept_ms == 0, Ordering::SeqCst);
    if kept_ms > 0 {
        merge_all(&shard);
        site.clock.advance(kept_ms);
        gate.is_shut.store(true, Ordering::SeqCst);
    }
    thread::scope(|scope| {
        let removing = scope.spawn(|| remove(&shard));
        let names = arrivals.recv_timeout(STUCK).expect("somebody removes what was replaced");
        let (done, is_done) = channel();
        let committing = scope.spawn(|| {
            let done = done;
            update(&shard, vec![add(film("3", "rot"))]);
            flush(&shard);
            done.send(()).unwrap();
        });
        let went_on = is_done.recv_timeout(STUCK).is_ok();
        let listed = shard.core().store.list().unwrap();
        gate.is_shut.store(false, Ordering::SeqCst);
        let_go.send(()).unwrap();
        removing.join().unwrap();
        committing.join().unwrap();
        assert!(went_on, "{name}: the commit has waited for the removal");
        assert!(!names.is_empty() && names.iter().all(|file| listed.contains(file)), "{name}: {names:?}");
        let left = shard.core().store.list().unwrap();
        assert!(!names.iter().any(|file| left.contains(file)), "{name}: {names:?} of {left:?}");
        assert_eq!(found(&shard, &Query::All), ["1", "2", "3"], "{name}");
    });
}

fn merge_all(shard: &Shard) {
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
}

#[test]
fn a_commit_passes_the_removal_of_replaced_files() {
    check("a commit removes", 0, merge_all);
    // The clock stands at 1,000.
    check("the shard's task removes", 10, |shard| shard.tick(0).unwrap());
}
