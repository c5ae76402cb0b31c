//! What a shard's home promises: the traits that the layers above see, and the values that cross them.
//! No implementation and no path lives here; `local` is the home on a disk, and an object store may be
//! another. `conformance` holds the suite that every home must pass.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Result, Room, SegmentBytes};

/// Largest record that [`FencedLog::reserve`] gives room for, in bytes.
pub const RECORD_BYTES_MAX: usize = 64 << 20;

/// Position of a record in the log: the epoch (one per opening of the shard) and the sequence number within
/// it.
///
/// Ordered by epoch, then sequence. Sequences start at 1 in each epoch, epochs at 1 in each home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Watermark {
    pub epoch: u64,
    pub sequence: u64,
}

impl Watermark {
    /// Below every record. A manifest that is carried to another home (a restored backup) starts here again:
    /// positions mean nothing outside the log that gave them.
    pub const START: Self = Self { epoch: 0, sequence: 0 };

    pub fn new(epoch: u64, sequence: u64) -> Self {
        Self { epoch, sequence }
    }

    /// Big-endian, so that bytes sort as watermarks do.
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.epoch) << 64 | u128::from(self.sequence)).to_be_bytes()
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let both = u128::from_be_bytes(bytes);
        Self { epoch: (both >> 64) as u64, sequence: both as u64 }
    }
}

/// Told once whether a record has become durable, on whichever thread found out.
pub type DurabilityWaiter = Box<dyn FnOnce(Result<()>) + Send>;

/// What [`FencedLog::replay`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayEnd {
    /// Records visited.
    pub records: u64,
    /// Bytes after the last whole record that a crash left half-written. None of them was ever acknowledged.
    pub torn_bytes: u64,
    /// The last record of the log, visited or not; [`Watermark::START`] if there never was one.
    pub end: Watermark,
}

/// How a log is doing that lies behind a network. Times in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogFigures {
    /// A group of records begins this long behind the one before at the earliest; 0 while nobody waits
    /// together, and a group goes at once.
    pub window_ms: u64,
    /// How long the last group took to be known there, all attempts together; of one that has no answer, how
    /// long it was waited for.
    pub put_ms: u64,
    /// Groups that landed, since the log was opened.
    pub groups: u64,
    /// What a replay would read: above the newest manifest's watermark.
    pub tail_bytes: u64,
    pub tail_records: u64,
    /// How long ago the first of these was written; of what an earlier opening wrote, was found.
    pub tail_age_ms: u64,
    /// Records that are in memory and not known to be in the store.
    pub pending_bytes: u64,
}

/// The write-ahead log of one shard, with one writer by construction.
///
/// What becomes of a record: *refused*, when [`reserve`](Self::reserve) fails: it was never offered and can
/// never appear; once it is appended, *durable*, when a wait for it succeeds, or *unknown*, when a wait
/// fails, whatever the kind: it may yet appear, here or at the next opening, as a whole and for good, or
/// never.
pub trait FencedLog: Send + Sync {
    /// Makes sure of the space for one record of up to `bytes`. May wait for the medium: call it before the
    /// lock under which the record gets its place.
    ///
    /// Errors: `Invalid` above [`RECORD_BYTES_MAX`]; `Full` when there is no space (a later call may
    /// succeed); `Retry` when the medium does not answer, or a flush has to come first; `Failed`, `Deposed`
    /// or `Corrupt` when this log takes no more records.
    fn reserve(&self, bytes: usize) -> Result<Room>;

    /// Orders `record` after all earlier ones; not yet durable. In memory only, hence fit for the shard's
    /// lock. A record longer than its room is a defect and panics.
    fn append(&self, room: Room, record: &[u8]) -> Watermark;

    /// The last record known to be durable.
    fn durable(&self) -> Watermark;

    /// Blocks until every record up to `at` is durable. Waiters share one sync.
    ///
    /// Errors: `Invalid` for a position never given out; `Full` when the medium could not take the bytes
    /// after all (they stay queued, and the record may still become durable later); `Unknown` when the home
    /// has no answer in its time, and goes on (wait again); `Failed` or `Deposed` when this opening will
    /// never know.
    fn wait_durable(&self, at: Watermark) -> Result<()>;

    /// [`wait_durable`](Self::wait_durable), unless another thread writes at the moment: `None` then, at
    /// once.
    fn try_wait_durable(&self, at: Watermark) -> Option<Result<()>>;

    /// Tells `waiter` once what [`wait_durable`](Self::wait_durable) would return, at once where that is
    /// known. Needs no thread of its own for each who waits; where a home writes on its callers' threads,
    /// somebody has to wait with one, as long as [`is_waited_for`](Self::is_waited_for) says so.
    fn when_durable(&self, at: Watermark, waiter: DurabilityWaiter);

    /// Whether there are waiters, or something offered has no answer yet, and no thread writes at the moment.
    /// Whoever has waited asks this behind it: records that came while it wrote may have only such waiters.
    fn is_waited_for(&self) -> bool;

    /// Whether the last attempt to write had no answer. Who has waited for one need not wait for the next.
    fn is_silent(&self) -> bool {
        false
    }

    /// Makes sure that nobody else had taken the shard over by some moment after the call began: what this
    /// owner then answers is no older than the call. Takes one look at the medium, where that can change
    /// hands at all; calls of several threads share it.
    ///
    /// Errors: `Deposed` where another owns the shard by now; `Retry` while the medium does not answer;
    /// `Failed` once this opening has ended.
    fn confirm(&self) -> Result<()>;

    /// Calls `visit` for each durable record above `after` (`None`: from the start), in order. Used once, at
    /// open.
    ///
    /// Errors: `Corrupt` when an acknowledged record cannot be read, or records above `after` are missing;
    /// those before it have been visited. An error of `visit` ends the replay and is returned.
    fn replay(
        &self,
        after: Option<Watermark>,
        visit: &mut dyn FnMut(Watermark, &[u8]) -> Result<()>,
    ) -> Result<ReplayEnd>;

    /// Records at or below `upto` are no longer needed. Call it only after a manifest that names a watermark
    /// of at least `upto` was published: a replay from before `upto` fails from then on.
    fn trim(&self, upto: Watermark) -> Result<()>;

    /// Bytes that a replay would have to read: what the flush policy looks at. Within 64 KiB of the truth.
    fn bytes(&self) -> u64;

    /// `None` of a log on a disk of this machine.
    fn figures(&self) -> Option<LogFigures> {
        None
    }
}

/// The chain of manifests: versions 1, 2, 3 …, each created once, the newest being the shard's state.
pub trait ManifestStore: Send + Sync {
    /// The newest valid manifest and its version; `None` for a new shard. A damaged one is passed over:
    /// replay then says whether the log still holds what is missing.
    fn load(&self) -> Result<Option<(u64, Vec<u8>)>>;

    /// [`load`](Self::load) of one above `version`; `None` while there is none that can be read. May come
    /// late by some calls, where asking so costs less.
    fn load_above(&self, version: Option<u64>) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.load()?.filter(|(newest, _)| Some(*newest) > version))
    }

    /// Those before the newest that are kept and can be read, the newest of them first: what a repair may go
    /// back to. Whether their files and the log behind them are still there is not looked at.
    fn older(&self) -> Result<Vec<Vec<u8>>> {
        Ok(Vec::new())
    }

    /// Adds the successor of version `expected` (`None`: of nothing) and returns its version, once durable.
    ///
    /// A manifest may only name a watermark that [`FencedLog::wait_durable`] has returned for, and segments
    /// that [`SegmentStore::put`] has returned. Errors: `Conflict` when the newest is not `expected`: load
    /// again; `Deposed` when another owns the shard; `Full` and `Retry` when nothing was offered; `Unknown`
    /// when it was, and whether it is published is not known: the same bytes with the same `expected` are to
    /// be published again before any others, and succeed where they are the newest already.
    fn publish(&self, expected: Option<u64>, manifest: &[u8]) -> Result<u64>;
}

/// A segment file as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentFile {
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// CRC-32 (IEEE) of the whole file.
    pub crc32: u32,
}

impl SegmentFile {
    /// Errors: `Corrupt` where the file has another size than the manifest says.
    pub(crate) fn check_size(&self, size: u64) -> Result<()> {
        if size == self.size {
            return Ok(());
        }
        let what = format!("it has {size} bytes, the manifest says {}", self.size);
        Err(crate::Error::corrupt(&self.name, size.min(self.size), &what))
    }

    /// Errors: `Corrupt` where these are not the file's bytes.
    pub fn check(&self, bytes: &[u8]) -> Result<()> {
        self.check_measured(bytes.len() as u64, crc32fast::hash(bytes))
    }

    /// The same of a file that was read piece by piece.
    pub(crate) fn check_measured(&self, size: u64, crc32: u32) -> Result<()> {
        self.check_size(size)?;
        if crc32 == self.crc32 {
            return Ok(());
        }
        let what = format!("its CRC is {crc32:08x}, the manifest says {:08x}", self.crc32);
        Err(crate::Error::corrupt(&self.name, 0, &what))
    }

    pub(crate) fn describe(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.to_owned(), size: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
    }
}

/// What [`SegmentStore::verify`] found of a file that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    Sound,
    /// One of several copies was damaged, and is whole again.
    Mended,
}

/// A shard's segments of one moment, to be put into another home: a manifest that begins at
/// [`Watermark::START`], and the files that it names, which stay readable.
pub struct ShardImage {
    pub manifest: Vec<u8>,
    pub files: Vec<(SegmentFile, SegmentBytes)>,
}

/// Write-once files. Names match `[A-Za-z0-9_.-]+`, without a leading dot.
pub trait SegmentStore: Send + Sync {
    /// Begins a file that is too large to be built in memory. Nothing is visible before
    /// [`SegmentWriter::finish`]; a writer dropped earlier leaves nothing. Writes are not buffered: wrap it
    /// where they are small.
    fn create(&self, name: &str) -> Result<Box<dyn SegmentWriter>>;

    /// Writes all files, durable on return: one sync each and one of the folder. On an error some may exist;
    /// they are unreferenced, and removing them is the caller's ordinary clean-up. `Conflict` for a name that
    /// exists.
    fn put_all(&self, files: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>>;

    /// [`put_all`](Self::put_all) of one file.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<SegmentFile> {
        let mut files = self.put_all(&[(name, bytes)])?;
        files.pop().ok_or_else(|| crate::Error::new(crate::ErrorKind::Failed, "the store wrote no file"))
    }

    /// The file's bytes, which stay valid after [`remove`](Self::remove).
    ///
    /// Errors: `NotFound` when it is gone; `Corrupt` when it has another size. Whether the bytes are those
    /// that were written is looked at where they were fetched, and by [`verify`](Self::verify).
    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes>;

    /// Makes ready what [`open`](Self::open) of each would have to fetch, side by side.
    fn fetch(&self, _files: &[SegmentFile]) -> Result<()> {
        Ok(())
    }

    /// Reads the file again, every copy of it that this home knows, and compares size and CRC. A damaged copy
    /// is mended from one that is not: `Corrupt` when there is none, `NotFound` when the file is gone.
    fn verify(&self, file: &SegmentFile) -> Result<Verified>;

    /// Puts the file's bytes, which came from elsewhere, in the place of copies that are damaged or gone.
    ///
    /// Errors: `Corrupt` where these are not the file's bytes; `Failed` of a home that has one copy of each
    /// file, and no others that could have another.
    fn mend(&self, file: &SegmentFile, _bytes: Vec<u8>) -> Result<()> {
        let message = format!("`{}` has one copy here; restore the shard from a backup", file.name);
        Err(crate::Error::new(crate::ErrorKind::Failed, message))
    }

    /// Removing what is not there succeeds. Others may read the shard (an archive, an older snapshot): remove
    /// late.
    fn remove(&self, name: &str) -> Result<()>;

    /// [`remove`](Self::remove) of each; on an error some may be left.
    fn remove_all(&self, names: &[String]) -> Result<()> {
        let mut removed = Ok(());
        for name in names {
            removed = removed.and(self.remove(name));
        }
        removed
    }

    /// Names of all finished files, sorted.
    fn list(&self) -> Result<Vec<String>>;
}

/// A segment file being written.
pub trait SegmentWriter: io::Write + Send {
    /// Makes the file durable and visible, and gives it back to be read: nobody opens what was just written.
    fn finish(self: Box<Self>) -> Result<WrittenFile>;
}

/// A file that was just written.
#[derive(Debug, Clone)]
pub struct WrittenFile {
    pub file: SegmentFile,
    pub bytes: SegmentBytes,
}

/// One opening of a shard's home. It owns the shard until the home and all three parts are dropped, or until
/// another opening deposes it, which its next look, append or publication is told.
pub trait ShardHome: Send + Sync {
    /// This opening's epoch, larger than that of every earlier opening.
    fn epoch(&self) -> u64;
    fn log(&self) -> Arc<dyn FencedLog>;
    fn manifests(&self) -> Arc<dyn ManifestStore>;
    fn segments(&self) -> Arc<dyn SegmentStore>;
}

#[cfg(test)]
mod tests {
    use super::Watermark;

    #[test]
    fn watermark_bytes_sort_as_watermarks() {
        let ordered =
            [Watermark::START, Watermark::new(0, 300), Watermark::new(1, 2), Watermark::new(256, 0)];
        for pair in ordered.windows(2) {
            assert!(pair[0] < pair[1]);
            assert!(pair[0].to_bytes() < pair[1].to_bytes());
        }
        for watermark in ordered {
            assert_eq!(Watermark::from_bytes(watermark.to_bytes()), watermark);
        }
    }
}
