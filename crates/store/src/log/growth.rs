//! The file that records are added to, and how it gets its space: some ahead at a time, and a new file once
//! one is full. All that asks the disk happens outside the log's lock, so that an append never waits for it:
//! a new file gets its space under a temporary name, as its own tells the first record in it, and whoever
//! writes it first gives it that.

use std::path::PathBuf;
use std::sync::Arc;

use crate::disk::{Disk, DiskFile, Readers};
use crate::log::chunk::Chunk;
use crate::log::folder::Folder;
use crate::log::format::{FILE_HEADER_BYTES, FileId};
use crate::log::options::LogOptions;
use crate::{Error, Result};

/// The file that records are added to.
pub(crate) struct Growing {
    pub file: Arc<dyn DiskFile>,
    pub path: PathBuf,
    /// Its name until its first records are durable.
    pub temporary: PathBuf,
    pub id: FileId,
    /// Where the next record goes.
    pub position: u64,
    /// End of the space taken.
    pub reserved: u64,
}

impl Growing {
    /// Whether records of `needed` bytes have their space in this file.
    pub(crate) fn promise(&self, needed: u64, options: &LogOptions) -> Result<(), Growth> {
        let end = self.position + needed;
        // A file without a record takes one of any length: the next file would have no more room for it.
        if self.position > FILE_HEADER_BYTES as u64 && end > options.file_bytes {
            return Err(Growth::Next { needed });
        }
        if end <= self.reserved {
            return Ok(());
        }
        let to = (self.reserved + options.reserve_bytes).min(options.file_bytes).max(end);
        let (id, from) = (self.id, self.reserved);
        Err(Growth::Extend(Extension { id, file: Arc::clone(&self.file), path: self.path.clone(), from, to }))
    }

    pub(crate) fn begin_chunk(&self) -> Chunk {
        let starts = self.position == FILE_HEADER_BYTES as u64;
        let (offset, bytes) =
            if starts { (0, vec![0; FILE_HEADER_BYTES]) } else { (self.position, Vec::new()) };
        let temporary = starts.then(|| self.temporary.clone());
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Chunk { file, path, temporary, id: self.id, offset, bytes, lengths: Vec::new() }
    }

    /// Gives unused space back. Best effort: it is only space, and a file that holds nothing is swept at the
    /// next opening.
    pub(crate) fn release(&self) {
        let _ = self.file.truncate(self.position);
    }
}

/// Space that must be taken before room can be promised.
pub(crate) enum Growth {
    Extend(Extension),
    /// A new file that has this many bytes for records.
    Next {
        needed: u64,
    },
}

/// More space in a file, from its end on.
pub(crate) struct Extension {
    pub id: FileId,
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    from: u64,
    to: u64,
}

impl Extension {
    /// Returns up to where the file has its space now.
    pub(crate) fn take(self) -> Result<u64> {
        let Self { file, path, from, to, .. } = self;
        if let Err(source) = file.reserve(from, to) {
            // A half-taken reservation is zeros behind the last record; give it back to whoever frees space.
            let _ = file.truncate(from);
            return Err(Error::io("reserve space in", &path, source));
        }
        Ok(to)
    }
}

/// A file that has its space and no record yet; removed when it is dropped so.
pub(crate) struct NextFile {
    disk: Arc<dyn Disk>,
    file: Arc<dyn DiskFile>,
    temporary: PathBuf,
    reserved: u64,
    used: bool,
}

impl NextFile {
    /// The `number`th of this opening, with space for records of `needed` bytes.
    pub(crate) fn create(folder: &Folder, number: u64, needed: u64, options: &LogOptions) -> Result<Self> {
        // Such names are swept with the other partials when a home opens.
        let temporary = folder.path.join(format!(".next-{number}.partial"));
        let file = folder
            .disk
            .create(&temporary, Readers::Umask)
            .map_err(|source| Error::io("create", &temporary, source))?;
        let disk = Arc::clone(&folder.disk);
        let mut next = Self { disk, file, temporary, reserved: 0, used: false };
        next.take_space(needed, options)?;
        Ok(next)
    }

    pub(crate) fn has_room(&self, needed: u64) -> bool {
        FILE_HEADER_BYTES as u64 + needed <= self.reserved
    }

    pub(crate) fn take_space(&mut self, needed: u64, options: &LogOptions) -> Result<()> {
        let to = (self.reserved + options.reserve_bytes).min(options.file_bytes);
        let to = to.max(FILE_HEADER_BYTES as u64 + needed);
        self.file
            .reserve(self.reserved, to)
            .map_err(|source| Error::io("reserve space in", &self.temporary, source))?;
        self.reserved = to;
        Ok(())
    }

    /// The file as that of the records from `id` on.
    pub(crate) fn begin(mut self, folder: &Folder, id: FileId) -> Growing {
        self.used = true;
        Growing {
            file: Arc::clone(&self.file),
            path: folder.path_of(id),
            temporary: self.temporary.clone(),
            id,
            position: FILE_HEADER_BYTES as u64,
            reserved: self.reserved,
        }
    }
}

impl Drop for NextFile {
    fn drop(&mut self) {
        if !self.used {
            // Best effort, as above.
            let _ = self.disk.remove_file(&self.temporary);
        }
    }
}
