//! Where shards are: a site gives for a shard's id either its home, which owns the shard and may write, or
//! its archive, which reads what an owner published and never writes, replays or removes anything.
//!
//! Ids are names, not paths of this machine: a folder, a bucket or a memory may lie behind a site.

use std::sync::Arc;

use crate::{Result, SegmentBytes, SegmentFile, ShardHome};

/// Which shard: the same at every opening.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardId {
    /// Names separated by `/`, such as `films/shard1`: what a person looks for.
    pub path: String,
    /// Whose the bytes are: another for every other shard there ever was, also for one of the same path.
    pub stream: [u8; 16],
}

/// Homes and archives of shards.
pub trait Site: Send + Sync {
    /// Opens the shard as its owner, and creates it where there is none. Either deposes whoever owned it, who
    /// learns so at the next append or publication, or is refused while that one lives: which of both is the
    /// site's to say.
    ///
    /// Errors: `Deposed` when it is refused.
    fn home(&self, id: &ShardId) -> Result<Arc<dyn ShardHome>>;

    /// Whether this shard ever had an owner here, in a home that does not forget it with its folder: then
    /// something of it may be there still, and the id is not free for another one.
    fn is_used(&self, _id: &ShardId) -> Result<bool> {
        Ok(false)
    }

    /// What an owner has published of the shard, to be read beside that owner. Looks at nothing yet.
    fn archive(&self, id: &ShardId) -> Result<Arc<dyn ShardArchive>>;
}

/// The read-only face of a shard. It never writes, replays nothing and removes nothing.
pub trait ShardArchive: Send + Sync {
    /// The newest valid manifest and its version; `None` where nothing was published yet.
    fn newest(&self) -> Result<Option<(u64, Vec<u8>)>>;

    /// The same of one above `version`: what a reader asks again and again. May come late by some calls,
    /// where asking so costs less.
    fn newest_above(&self, version: Option<u64>) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.newest()?.filter(|(newest, _)| Some(*newest) > version))
    }

    /// The bytes of a file that a manifest names; they stay valid after its removal.
    ///
    /// Errors: `NotFound` when it is gone and nobody here has a copy: take the newest manifest. A file that
    /// the newest one names and that is not there is damage. `Corrupt` when it has another size.
    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes>;

    /// Reads the whole file again, and a copy of it that is kept here. Mends nothing.
    ///
    /// Errors: as [`open`](Self::open); `Corrupt` when the bytes are not what the manifest says.
    fn verify(&self, file: &SegmentFile) -> Result<()> {
        file.check(&self.open(file)?)
    }

    /// The copy of a file that is kept here beside what the owner has published, as it is: nothing is
    /// fetched, and its CRC is not looked at. `None` where there is none.
    fn copy(&self, _file: &SegmentFile) -> Result<Option<SegmentBytes>> {
        Ok(None)
    }

    /// Makes ready what [`open`](Self::open) of each would have to fetch, side by side.
    fn fetch(&self, _files: &[SegmentFile]) -> Result<()> {
        Ok(())
    }
}
