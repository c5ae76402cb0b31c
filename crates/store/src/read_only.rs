//! An archive in the form of a home, for who opens a shard and only reads: it loads what an owner has
//! published, replays nothing and takes nothing. What a manifest names is durable, so nobody waits for it.
//! In: an archive of either kind; out: what the engine opens. All that would write is an error by name, which
//! the layers above never provoke: they refuse updates first.

use std::sync::Arc;

use crate::contract::{
    FencedLog, ManifestStore, ReplayEnd, SegmentFile, SegmentStore, SegmentWriter, ShardHome, Verified,
    Watermark,
};
use crate::site::ShardArchive;
use crate::{DurabilityWaiter, Error, ErrorKind, Result, Room, SegmentBytes};

/// See the file's head.
pub struct ReadOnlyHome(Arc<Reading>);

struct Reading(Arc<dyn ShardArchive>);

impl ReadOnlyHome {
    pub fn new(archive: Arc<dyn ShardArchive>) -> Self {
        Self(Arc::new(Reading(archive)))
    }
}

fn read_only() -> Error {
    Error::new(ErrorKind::Failed, "the shard is only read here; its owner takes changes")
}

impl ShardHome for ReadOnlyHome {
    /// Below every owner's.
    fn epoch(&self) -> u64 {
        0
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        Arc::clone(&self.0) as _
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        Arc::clone(&self.0) as _
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::clone(&self.0) as _
    }
}

impl FencedLog for Reading {
    fn reserve(&self, _: usize) -> Result<Room> {
        Err(read_only())
    }

    /// Nobody has room for a record.
    fn append(&self, _: Room, _: &[u8]) -> Watermark {
        Watermark::START
    }

    fn durable(&self) -> Watermark {
        Watermark::START
    }

    fn wait_durable(&self, _: Watermark) -> Result<()> {
        Ok(())
    }

    fn try_wait_durable(&self, _: Watermark) -> Option<Result<()>> {
        Some(Ok(()))
    }

    fn when_durable(&self, _: Watermark, waiter: DurabilityWaiter) {
        waiter(Ok(()));
    }

    fn is_waited_for(&self) -> bool {
        false
    }

    /// A reader is as old as the manifest that it took up last, and says no more.
    fn confirm(&self) -> Result<()> {
        Ok(())
    }

    fn replay(
        &self,
        _: Option<Watermark>,
        _: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<ReplayEnd> {
        Ok(ReplayEnd { records: 0, torn_bytes: 0, end: Watermark::START })
    }

    fn trim(&self, _: Watermark) -> Result<()> {
        Err(read_only())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl ManifestStore for Reading {
    fn load(&self) -> Result<Option<(u64, Vec<u8>)>> {
        self.0.newest()
    }

    fn load_above(&self, version: Option<u64>) -> Result<Option<(u64, Vec<u8>)>> {
        self.0.newest_above(version)
    }

    fn publish(&self, _: Option<u64>, _: &[u8]) -> Result<u64> {
        Err(read_only())
    }
}

impl SegmentStore for Reading {
    fn create(&self, _: &str) -> Result<Box<dyn SegmentWriter>> {
        Err(read_only())
    }

    fn put_all(&self, _: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>> {
        Err(read_only())
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.0.open(file)
    }

    fn fetch(&self, files: &[SegmentFile]) -> Result<()> {
        self.0.fetch(files)
    }

    fn verify(&self, file: &SegmentFile) -> Result<Verified> {
        self.0.verify(file).map(|()| Verified::Sound)
    }

    /// What is no more used here may be so elsewhere.
    fn remove(&self, _: &str) -> Result<()> {
        Err(read_only())
    }

    /// None of them is this reader's.
    fn list(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}
