//! The operating system's file system behind the `Disk` seam: positional reads and writes, `fallocate`,
//! `fdatasync`, `flock`, and syncs of folders after names change.
//!
//! The one place that calls the system; errors go up as they are, and what a failure means for a log or a
//! manifest is decided there. Tests use `memory` instead.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FallocateFlags, FlockOperation};
use rustix::io::Errno;

use crate::disk::{Disk, DiskFile, FolderEntry, FolderLock, Readers, SegmentBytes};

pub(crate) struct RealDisk;

impl Disk for RealDisk {
    fn create_folders(&self, folder: &Path) -> io::Result<()> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        let parent = parent_of(folder);
        self.create_folders(parent)?;
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            // Also where another has just made it, who may not have synced its name yet.
            _ => self.sync_folder(parent),
        }
    }

    fn lock(&self, path: &Path) -> io::Result<Option<FolderLock>> {
        // A lock of the kernel's: it ends with the process however that ends, and no stale file keeps a home
        // closed.
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            if let Ok(name) = entry.file_name().into_string() {
                entries.push(FolderEntry { name, is_folder });
            }
        }
        entries.sort();
        Ok(entries)
    }

    fn create(&self, path: &Path, readers: Readers) -> io::Result<Arc<dyn DiskFile>> {
        let mode = match readers {
            Readers::Umask => 0o666,
            Readers::Owner => 0o600,
        };
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path)?;
        Ok(Arc::new(RealFile(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Arc::new(RealFile(file)))
    }

    fn map(&self, path: &Path) -> io::Result<SegmentBytes> {
        SegmentBytes::map(&File::open(path)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir_all(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()
    }
}

fn parent_of(folder: &Path) -> &Path {
    folder.parent().unwrap_or(Path::new(""))
}

struct RealFile(File);

impl DiskFile for RealFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn reserve(&self, from: u64, to: u64) -> io::Result<()> {
        match rustix::fs::fallocate(&self.0, FallocateFlags::empty(), from, to.saturating_sub(from)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => write_zeros(&self.0, from, to),
            Err(error) => Err(error.into()),
            Ok(()) => Ok(()),
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// Takes the space on file systems that cannot reserve it, as far as they keep a written block's place.
fn write_zeros(file: &File, from: u64, to: u64) -> io::Result<()> {
    static BLOCK: [u8; 64 << 10] = [0; 64 << 10];
    let mut at = from;
    while at < to {
        let count = (to - at).min(BLOCK.len() as u64) as usize;
        file.write_all_at(&BLOCK[..count], at)?;
        at += count as u64;
    }
    Ok(())
}
