//! The folder of a log: which files it holds, their headers, their bytes. Knows names and headers; records
//! are read by `scan`.
//!
//! A file of another shard, or under another name than it was written, is damage here already. Which files
//! may go is decided by `shelf`; which of them end the log, by `scan`.

use std::path::PathBuf;
use std::sync::Arc;

use crate::disk::{Disk, DiskFile};
use crate::log::format::{FILE_HEADER_BYTES, FileHeader, FileId, StreamId};
use crate::{Error, Result};

#[derive(Clone)]
pub(crate) struct Folder {
    pub disk: Arc<dyn Disk>,
    pub path: PathBuf,
    pub stream: StreamId,
}

/// A file of the log, and what its header says. Without a header it is either a reservation in which nothing
/// became durable before a crash, or damaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub id: FileId,
    pub header: Option<FileHeader>,
    /// Bytes, unused reservation included.
    pub size: u64,
}

impl Folder {
    /// All files, in the order of the log.
    pub(crate) fn links(&self) -> Result<Vec<Link>> {
        self.ids()?.into_iter().map(|id| self.link(id)).collect()
    }

    pub(crate) fn ids(&self) -> Result<Vec<FileId>> {
        let entries = self.disk.list(&self.path).map_err(|source| Error::io("list", &self.path, source))?;
        let mut ids: Vec<_> =
            entries.iter().filter_map(|entry| FileId::from_file_name(&entry.name)).collect();
        ids.sort();
        Ok(ids)
    }

    fn link(&self, id: FileId) -> Result<Link> {
        let (file, path) = self.open(id)?;
        let mut bytes = [0; FILE_HEADER_BYTES];
        file.read_full(&mut bytes, 0).map_err(|source| Error::io("read", &path, source))?;
        let size = file.len().map_err(|source| Error::io("measure", &path, source))?;
        let header = FileHeader::decode(&bytes);
        match header {
            Some(header) if header.stream != self.stream => {
                Err(Error::corrupt(&id.file_name(), 0, "it belongs to another shard's log"))
            }
            Some(header) if header.id != id => {
                Err(Error::corrupt(&id.file_name(), 0, "it was written under another name"))
            }
            _ => Ok(Link { id, header, size }),
        }
    }

    pub(crate) fn open(&self, id: FileId) -> Result<(Arc<dyn DiskFile>, PathBuf)> {
        let path = self.path_of(id);
        let file = self.disk.open(&path).map_err(|source| Error::io("open", &path, source))?;
        Ok((file, path))
    }

    pub(crate) fn read(&self, id: FileId) -> Result<Vec<u8>> {
        let (file, path) = self.open(id)?;
        file.read_all().map_err(|source| Error::io("read", &path, source))
    }

    pub(crate) fn remove(&self, id: FileId) -> Result<()> {
        let path = self.path_of(id);
        self.disk.remove_file(&path).map_err(|source| Error::io("remove", &path, source))
    }

    pub(crate) fn sync(&self) -> Result<()> {
        self.disk.sync_folder(&self.path).map_err(|source| Error::io("sync", &self.path, source))
    }

    pub(crate) fn path_of(&self, id: FileId) -> PathBuf {
        self.path.join(id.file_name())
    }
}
