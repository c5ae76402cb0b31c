//! What backups ask of the place they lie in, be it a folder of a disk (`folder`) or a bucket (`bucket`):
//! files below two folders, `object` and `point`, and that one at a time changes them. What the files are and
//! which of them go is `mod.rs`'s.

use crate::disk::SegmentBytes;
use crate::{Error, ErrorKind, Result};

/// The two kinds of files, each in a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file's bytes, by the hash of its content.
    Object,
    /// The record of a backup.
    Point,
}

impl Kind {
    pub fn folder(self) -> &'static str {
        match self {
            Kind::Object => "object",
            Kind::Point => "point",
        }
    }
}

/// Held while backups are added or removed; nobody else does so until it is dropped.
pub(super) trait ChangeLock: Send {
    /// Makes sure that it is still held. Errors: `Retry` where another has it by now.
    fn confirm(&mut self) -> Result<()>;
}

/// Where the backups of one name lie.
pub(super) trait Storage: Send + Sync {
    /// Names with sizes in bytes; none where there is no such folder.
    fn list(&self, kind: Kind) -> Result<Vec<(String, u64)>>;

    /// All bytes. Errors: `NotFound`.
    fn read(&self, kind: Kind, name: &str) -> Result<Vec<u8>>;

    /// The bytes of an object that is to have this size, piece by piece; of a longer one perhaps no more.
    /// Errors: `NotFound`, and those of `visit`.
    fn visit(&self, object: (&str, u64), visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;

    /// The bytes of an object, which stay readable when it is removed. Errors: `NotFound`.
    fn open(&self, object: (&str, u64)) -> Result<SegmentBytes>;

    /// Whether there is an object of this name and size.
    fn has(&self, name: &str, size: u64) -> Result<bool>;

    /// Writes an object, in the place of one of its name if there is one: that has another size.
    fn write_object(&self, name: &str, bytes: &SegmentBytes) -> Result<()>;

    /// Makes sure that the objects that were written outlive a power cut.
    fn sync_objects(&self) -> Result<()>;

    /// Writes a record, durably. Errors: `Retry` where there is one of its name.
    fn write_point(&self, name: &str, bytes: &[u8]) -> Result<()>;

    /// Removes them, durably where they are points.
    fn remove(&self, kind: Kind, names: &[String]) -> Result<()>;

    /// Errors: `Retry` while another holds it.
    fn lock(&self) -> Result<Box<dyn ChangeLock>>;
}

pub(super) fn busy(place: &str) -> Error {
    Error::new(
        ErrorKind::Retry,
        format!("backups in `{place}` are being changed; try again when that is done"),
    )
}
