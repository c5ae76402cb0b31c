//! Bytes of a segment file, mapped into memory or (for disks that cannot map) held there. The one place of
//! this workspace's own code where `unsafe` is needed, hence its own small file. In: an open segment file;
//! out: bytes that tantivy and we read from any thread. Logs are not mapped: they are read once, from
//! beginning to end.
#![allow(unsafe_code)]

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use memmap2::Mmap;
use stable_deref_trait::StableDeref;

/// Shared, immutable bytes at a stable address. Cloning shares them; they outlive the removal of their file.
#[derive(Clone)]
pub struct SegmentBytes(Shared);

#[derive(Clone)]
enum Shared {
    Mapped(Arc<Mmap>),
    Held(Arc<[u8]>),
}

impl SegmentBytes {
    pub(crate) fn map(file: &File) -> io::Result<Self> {
        // SAFETY: the mapped bytes must not change while mapped. Segment files are written under a temporary
        // name and never again once they have their own; the store neither truncates nor overwrites them, but
        // for a damaged copy in a cache, whose wrong bytes are replaced by those that were to be there;
        // removal only unlinks, and the shard's folder lock keeps every other process of ours out. Somebody
        // who edits the data folder by hand while the server runs is outside what any mapping can defend
        // against.
        let map = unsafe { Mmap::map(file) }?;
        Ok(Self(Shared::Mapped(Arc::new(map))))
    }
}

impl SegmentBytes {
    /// Whether anybody else holds these bytes.
    pub(crate) fn is_shared(&self) -> bool {
        match &self.0 {
            Shared::Mapped(map) => Arc::strong_count(map) > 1,
            Shared::Held(bytes) => Arc::strong_count(bytes) > 1,
        }
    }
}

impl AsRef<[u8]> for SegmentBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// For homes without a file to map: an object fetched whole, a disk in memory.
impl From<Vec<u8>> for SegmentBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Shared::Held(bytes.into()))
    }
}

impl Deref for SegmentBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Shared::Mapped(map) => map,
            Shared::Held(bytes) => bytes,
        }
    }
}

// SAFETY: both variants deref to memory behind an `Arc` (a mapping, or a heap slice). Moving or cloning the
// handle moves the pointer, never the bytes, and nothing hands out a `&mut` to them.
unsafe impl StableDeref for SegmentBytes {}

impl fmt::Debug for SegmentBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentBytes({} bytes)", self.len())
    }
}
