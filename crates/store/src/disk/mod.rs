//! The seam between the store and the file system: the few operations that log, manifests, segments and
//! configuration need, in `std::io` terms. `real` is the operating system; `memory` (tests only) is a disk in
//! memory that can lose power, fill up and fail. Nothing above this seam touches `std::fs`.

mod mapping;
#[cfg(any(test, feature = "faults"))]
pub(crate) mod memory;
mod publish;
mod real;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use mapping::SegmentBytes;
pub(crate) use publish::{Partial, publish, publish_to, remove_partials, stage};
pub(crate) use real::RealDisk;

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FolderEntry {
    pub name: String,
    pub is_folder: bool,
}

/// Who may read a file that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Whom the process's umask lets.
    Umask,
    /// The process's user alone.
    Owner,
}

/// Held while a folder belongs to this process; dropping it gives the folder back.
pub(crate) type FolderLock = Box<dyn std::any::Any + Send + Sync>;

/// Names change durably only with [`sync_folder`](Disk::sync_folder); contents only with [`DiskFile::sync`].
pub(crate) trait Disk: Send + Sync {
    /// Creates the folder and its missing parents, durably.
    fn create_folders(&self, folder: &Path) -> io::Result<()>;
    /// `None` when somebody else holds it.
    fn lock(&self, path: &Path) -> io::Result<Option<FolderLock>>;
    /// Sorted by name. Names that are not UTF-8 are passed over: the store never writes one.
    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>>;
    /// `AlreadyExists` when there is one.
    fn create(&self, path: &Path, readers: Readers) -> io::Result<Arc<dyn DiskFile>>;
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    fn map(&self, path: &Path) -> io::Result<SegmentBytes>;
    /// Replaces `to` if it exists.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes the folder and all below it.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

pub(crate) trait DiskFile: Send + Sync {
    fn len(&self) -> io::Result<u64>;
    /// Reads up to `buffer.len()` bytes; 0 at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all of `bytes`; an error may leave a part of them written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Extends the file with zeros from `from` (its end) to `to`, taking the space now so that writes there
    /// do not run out of it.
    fn reserve(&self, from: u64, to: u64) -> io::Result<()>;
    fn truncate(&self, len: u64) -> io::Result<()>;
    fn sync(&self) -> io::Result<()>;
}

impl dyn DiskFile {
    /// Fills `buffer` from `offset` as far as the file goes; returns the bytes read.
    pub(crate) fn read_full(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.read_at(rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    pub(crate) fn read_all(&self) -> io::Result<Vec<u8>> {
        let len = usize::try_from(self.len()?).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut bytes = vec![0; len];
        let filled = self.read_full(&mut bytes, 0)?;
        bytes.truncate(filled);
        Ok(bytes)
    }
}
