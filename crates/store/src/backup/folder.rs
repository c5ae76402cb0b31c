//! Backups in a folder of a disk: files under temporary names, synced, then given their own; a lock of the
//! operating system's, which ends with its process.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::storage::{ChangeLock, Kind, Storage, busy};
use crate::disk::{Disk, FolderLock, Partial, Readers, SegmentBytes, publish, remove_partials};
use crate::{Error, Result};

/// Bytes read at a time.
const READ_BYTES: usize = 1 << 20;

pub(super) struct DiskStorage {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
}

impl ChangeLock for FolderLock {
    fn confirm(&mut self) -> Result<()> {
        Ok(())
    }
}

impl DiskStorage {
    pub fn new(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Self { disk, folder }
    }

    fn folder_of(&self, kind: Kind) -> PathBuf {
        self.folder.join(kind.folder())
    }

    fn path(&self, kind: Kind, name: &str) -> PathBuf {
        self.folder_of(kind).join(name)
    }

    fn sync(&self, folder: &Path) -> Result<()> {
        self.disk.sync_folder(folder).map_err(|source| Error::io("sync", folder, source))
    }
}

impl Storage for DiskStorage {
    fn list(&self, kind: Kind) -> Result<Vec<(String, u64)>> {
        let folder = self.folder_of(kind);
        let entries = match self.disk.list(&folder) {
            Ok(entries) => entries,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            Err(source) => return Err(Error::io("list", &folder, source)),
        };
        let size = |name: &str| self.disk.open(&folder.join(name)).and_then(|file| file.len());
        Ok(entries
            .into_iter()
            .map(|entry| {
                let size = size(&entry.name).unwrap_or_default();
                (entry.name, size)
            })
            .collect())
    }

    fn read(&self, kind: Kind, name: &str) -> Result<Vec<u8>> {
        let path = self.path(kind, name);
        let read = self.disk.open(&path).and_then(|file| file.read_all());
        read.map_err(|source| Error::io("read", &path, source))
    }

    fn visit(&self, (name, _): (&str, u64), visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let path = self.path(Kind::Object, name);
        let object = self.disk.open(&path).map_err(|source| Error::io("open", &path, source))?;
        let (mut buffer, mut at) = (vec![0; READ_BYTES], 0);
        loop {
            let count =
                object.read_full(&mut buffer, at).map_err(|source| Error::io("read", &path, source))?;
            visit(buffer.get(..count).unwrap_or_default())?;
            at += count as u64;
            if count < READ_BYTES {
                return Ok(());
            }
        }
    }

    fn open(&self, (name, _): (&str, u64)) -> Result<SegmentBytes> {
        let path = self.path(Kind::Object, name);
        self.disk.map(&path).map_err(|source| Error::io("open", &path, source))
    }

    fn has(&self, name: &str, size: u64) -> Result<bool> {
        let found = self.disk.open(&self.path(Kind::Object, name)).and_then(|file| file.len());
        Ok(found.is_ok_and(|found| found == size))
    }

    fn write_object(&self, name: &str, bytes: &SegmentBytes) -> Result<()> {
        let folder = self.folder_of(Kind::Object);
        let mut partial = Partial::create(Arc::clone(&self.disk), &folder, name, Readers::Umask)?;
        partial.write(bytes).map_err(|source| Error::io("write", partial.target(), source))?;
        partial.sync()?;
        partial.reveal()
    }

    fn sync_objects(&self) -> Result<()> {
        self.sync(&self.folder_of(Kind::Object))
    }

    fn write_point(&self, name: &str, bytes: &[u8]) -> Result<()> {
        publish(&self.disk, &self.folder_of(Kind::Point), name, bytes)
    }

    fn remove(&self, kind: Kind, names: &[String]) -> Result<()> {
        for name in names {
            let path = self.path(kind, name);
            self.disk.remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
        match kind {
            Kind::Point if !names.is_empty() => self.sync(&self.folder_of(kind)),
            _ => Ok(()),
        }
    }

    /// Makes the folders, and removes what a crash left half-written.
    fn lock(&self) -> Result<Box<dyn ChangeLock>> {
        let folders = [Kind::Object, Kind::Point].map(|kind| self.folder_of(kind));
        for folder in &folders {
            self.disk.create_folders(folder).map_err(|source| Error::io("create", folder, source))?;
        }
        let path = self.folder.join("LOCK");
        let lock = self.disk.lock(&path).map_err(|source| Error::io("lock", &path, source))?;
        let lock = lock.ok_or_else(|| busy(&self.folder.display().to_string()))?;
        folders.iter().try_for_each(|folder| remove_partials(&*self.disk, folder))?;
        Ok(Box::new(lock))
    }
}
