//! Shards on a real disk that stand still where a test says so: the next one who writes there tells that he
//! has come, asks a peer who owes an answer, and goes on once the test lets him.
//!
//! A disk that is frozen does the same to the log (`crates/parhelion/tests/delays.rs`); here each place can
//! be stopped by itself, and no root is needed.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cluster::{BackedUp, OpenShard, Shard, ShardPlace, ShardSite};
use plan::Result;
use store::{
    DurabilityWaiter, FencedLog, ManifestStore, ReplayEnd, Room, SegmentBytes, SegmentFile, SegmentStore,
    SegmentWriter, ShardArchive, ShardHome, ShardId, Site, Verified, Watermark,
};

/// Where a shard can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A record gets its place in the log, under the shard's lock.
    Append,
    /// The log is made durable.
    Sync,
    /// A file of a segment is begun.
    Files,
}

#[derive(Default)]
pub struct Stalls {
    closed: Mutex<Option<Closed>>,
    /// What a sync takes: it moves the clock.
    on_sync: Mutex<Option<Arc<dyn Fn() + Send + Sync>>>,
    is_silent: AtomicBool,
    /// How many have waited for a log without an answer.
    unanswered: AtomicU64,
}

struct Closed {
    place: Place,
    arrived: Sender<()>,
    door: UnixStream,
}

/// A place that is closed; open again once this is dropped.
pub struct Stall {
    arrived: Receiver<()>,
    _door: UnixStream,
}

impl Stall {
    /// Waits until somebody stands there.
    pub fn begun(&self) {
        self.arrived.recv().expect("somebody comes");
    }
}

impl Stalls {
    /// Stops the next one who comes to this place.
    pub fn close(&self, place: Place) -> Stall {
        let (sender, arrived) = channel();
        let (door, other) = UnixStream::pair().expect("two sockets");
        *lock(&self.closed) = Some(Closed { place, arrived: sender, door });
        Stall { arrived, _door: other }
    }

    pub fn on_sync(&self, call: Arc<dyn Fn() + Send + Sync>) {
        *lock(&self.on_sync) = Some(call);
    }

    /// Logs do not answer until this is undone, as those of an object store in an outage.
    pub fn silence(&self, is_silent: bool) {
        self.is_silent.store(is_silent, Ordering::SeqCst);
    }

    pub fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::SeqCst)
    }

    fn silent(&self) -> Option<store::Error> {
        self.is_silent.load(Ordering::SeqCst).then(|| {
            self.unanswered.fetch_add(1, Ordering::SeqCst);
            store::Error::new(store::ErrorKind::Unknown, "the store has not answered")
        })
    }

    fn pass(&self, place: Place) {
        let closed = lock(&self.closed).take_if(|closed| closed.place == place);
        if let Some(Closed { arrived, mut door, .. }) = closed {
            door.write_all(b"?").expect("the peer is there");
            arrived.send(()).expect("the test waits");
            // Nothing comes; it ends when the test lets go.
            let _ = door.read(&mut [0]);
        }
        let on_sync = lock(&self.on_sync).clone();
        if let (Place::Sync, Some(on_sync)) = (place, on_sync) {
            on_sync();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens shards whose homes stall.
pub struct StallingShards {
    pub shards: Arc<dyn OpenShard>,
    pub stalls: Arc<Stalls>,
}

impl OpenShard for StallingShards {
    fn open(&self, mut site: ShardSite) -> Result<Arc<dyn Shard>> {
        site.place.site = Arc::new(Stalling { of: site.place.site, stalls: self.stalls.clone() });
        self.shards.open(site)
    }

    fn restore(&self, place: &ShardPlace, image: &BackedUp<'_>) -> Result<()> {
        self.shards.restore(place, image)
    }
}

/// A site, a home or a part of one that stalls.
struct Stalling<T: ?Sized> {
    stalls: Arc<Stalls>,
    of: Arc<T>,
}

impl Site for Stalling<dyn Site> {
    fn home(&self, id: &ShardId) -> store::Result<Arc<dyn ShardHome>> {
        Ok(Arc::new(Stalling { of: self.of.home(id)?, stalls: self.stalls.clone() }))
    }

    fn archive(&self, id: &ShardId) -> store::Result<Arc<dyn ShardArchive>> {
        self.of.archive(id)
    }
}

impl ShardHome for Stalling<dyn ShardHome> {
    fn epoch(&self) -> u64 {
        self.of.epoch()
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        Arc::new(Stalling { of: self.of.log(), stalls: self.stalls.clone() })
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        self.of.manifests()
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::new(Stalling { of: self.of.segments(), stalls: self.stalls.clone() })
    }
}

impl FencedLog for Stalling<dyn FencedLog> {
    fn reserve(&self, bytes: usize) -> store::Result<Room> {
        self.of.reserve(bytes)
    }

    fn append(&self, room: Room, record: &[u8]) -> Watermark {
        self.stalls.pass(Place::Append);
        self.of.append(room, record)
    }

    fn durable(&self) -> Watermark {
        self.of.durable()
    }

    fn wait_durable(&self, at: Watermark) -> store::Result<()> {
        self.stalls.pass(Place::Sync);
        self.stalls.silent().map_or_else(|| self.of.wait_durable(at), Err)
    }

    fn try_wait_durable(&self, at: Watermark) -> Option<store::Result<()>> {
        self.stalls.pass(Place::Sync);
        match self.stalls.silent() {
            Some(error) => Some(Err(error)),
            None => self.of.try_wait_durable(at),
        }
    }

    fn when_durable(&self, at: Watermark, waiter: DurabilityWaiter) {
        self.of.when_durable(at, waiter);
    }

    fn is_waited_for(&self) -> bool {
        self.of.is_waited_for()
    }

    fn is_silent(&self) -> bool {
        self.stalls.is_silent.load(Ordering::SeqCst)
    }

    fn confirm(&self) -> store::Result<()> {
        self.of.confirm()
    }

    fn replay(
        &self,
        after: Option<Watermark>,
        visit: &mut dyn FnMut(Watermark, &[u8]) -> store::Result<()>,
    ) -> store::Result<ReplayEnd> {
        self.of.replay(after, visit)
    }

    fn trim(&self, upto: Watermark) -> store::Result<()> {
        self.of.trim(upto)
    }

    fn bytes(&self) -> u64 {
        self.of.bytes()
    }
}

impl SegmentStore for Stalling<dyn SegmentStore> {
    fn create(&self, name: &str) -> store::Result<Box<dyn SegmentWriter>> {
        self.stalls.pass(Place::Files);
        self.of.create(name)
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> store::Result<Vec<SegmentFile>> {
        self.stalls.pass(Place::Files);
        self.of.put_all(files)
    }

    fn open(&self, file: &SegmentFile) -> store::Result<SegmentBytes> {
        self.of.open(file)
    }

    fn fetch(&self, files: &[SegmentFile]) -> store::Result<()> {
        self.of.fetch(files)
    }

    fn verify(&self, file: &SegmentFile) -> store::Result<Verified> {
        self.of.verify(file)
    }

    fn remove(&self, name: &str) -> store::Result<()> {
        self.of.remove(name)
    }

    fn list(&self) -> store::Result<Vec<String>> {
        self.of.list()
    }
}
