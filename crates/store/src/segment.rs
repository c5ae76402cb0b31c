//! Segment files in a folder: written once under a temporary name, synced, given their name, mapped to be
//! read. Which segments are alive is the manifest's to say; this module only knows files.
//!
//! In: names and bytes from `engine`; out: sizes and checksums for the manifest, and mapped bytes, of which
//! nothing is read before somebody looks. Checking a file reads it through the file, so that a bad sector is
//! an error.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::contract::{SegmentFile, SegmentStore, SegmentWriter, Verified, WrittenFile};
use crate::disk::{Disk, FolderLock, Partial, Readers, SegmentBytes};
use crate::name::check_name;
use crate::{Error, ErrorKind, Result};

/// Bytes read at a time when verifying.
const READ_BYTES: usize = 1 << 20;

pub(crate) struct LocalSegments {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    owner: Arc<FolderLock>,
}

impl LocalSegments {
    pub(crate) fn new(disk: Arc<dyn Disk>, folder: PathBuf, owner: Arc<FolderLock>) -> Self {
        Self { disk, folder, owner }
    }

    fn begin(&self, name: &str) -> Result<Writer> {
        check_name(name)?;
        let partial = Partial::create(Arc::clone(&self.disk), &self.folder, name, Readers::Umask)?;
        Ok(Writer {
            partial,
            name: name.to_owned(),
            crc: crc32fast::Hasher::new(),
            size: 0,
            disk: Arc::clone(&self.disk),
            folder: self.folder.clone(),
            _owner: Arc::clone(&self.owner),
        })
    }

    fn sync_folder(&self) -> Result<()> {
        self.disk.sync_folder(&self.folder).map_err(|source| Error::io("sync", &self.folder, source))
    }
}

impl SegmentStore for LocalSegments {
    fn create(&self, name: &str) -> Result<Box<dyn SegmentWriter>> {
        Ok(Box::new(self.begin(name)?))
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>> {
        let mut writers = Vec::with_capacity(files.len());
        for (name, bytes) in files {
            let mut writer = self.begin(name)?;
            writer.add(bytes).map_err(|source| Error::io("write", writer.partial.target(), source))?;
            writers.push(writer);
        }
        // All are written before the first is synced: the disk sees them together.
        writers.iter().try_for_each(|writer| writer.partial.sync())?;
        let written = writers.into_iter().map(Writer::reveal).collect::<Result<_>>()?;
        self.sync_folder()?;
        Ok(written)
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        open_file(&*self.disk, &self.folder, file)
    }

    fn verify(&self, file: &SegmentFile) -> Result<Verified> {
        check_name(&file.name)?;
        let path = self.folder.join(&file.name);
        let (size, crc32) = measure(&*self.disk, &path).map_err(|source| Error::io("read", &path, source))?;
        file.check_measured(size, crc32)?;
        Ok(Verified::Sound)
    }

    fn remove(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let path = self.folder.join(name);
        match self.disk.remove_file(&path) {
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(|source| Error::io("remove", &path, source)),
        }
    }

    fn list(&self) -> Result<Vec<String>> {
        let entries =
            self.disk.list(&self.folder).map_err(|source| Error::io("list", &self.folder, source))?;
        let finished =
            entries.into_iter().filter(|entry| !entry.is_folder && check_name(&entry.name).is_ok());
        Ok(finished.map(|entry| entry.name).collect())
    }
}

struct Writer {
    partial: Partial,
    name: String,
    crc: crc32fast::Hasher,
    size: u64,
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    _owner: Arc<FolderLock>,
}

impl Writer {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.partial.write(bytes)?;
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// Gives the synced file its name, unless another has it.
    fn reveal(self) -> Result<SegmentFile> {
        // Renaming would replace it. Nobody makes one in between: whoever writes here holds the folder's
        // lock, and gives each file a name of its own.
        if self.disk.open(self.partial.target()).is_ok() {
            let message = format!("segment file `{}` exists; segment files are written once", self.name);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        self.partial.reveal()?;
        Ok(SegmentFile { name: self.name, size: self.size, crc32: self.crc.finalize() })
    }
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SegmentWriter for Writer {
    fn finish(self: Box<Self>) -> Result<WrittenFile> {
        self.partial.sync()?;
        let (disk, folder) = (Arc::clone(&self.disk), self.folder.clone());
        let file = self.reveal()?;
        disk.sync_folder(&folder).map_err(|source| Error::io("sync", &folder, source))?;
        let bytes = map_file(&*disk, &folder, &file.name)?;
        Ok(WrittenFile { file, bytes })
    }
}

/// The bytes of a file that a manifest names.
pub(crate) fn open_file(disk: &dyn Disk, folder: &Path, file: &SegmentFile) -> Result<SegmentBytes> {
    let bytes = map_file(disk, folder, &file.name)?;
    file.check_size(bytes.len() as u64)?;
    Ok(bytes)
}

/// The bytes of a finished file, mapped: none is read before somebody looks at it.
fn map_file(disk: &dyn Disk, folder: &Path, name: &str) -> Result<SegmentBytes> {
    check_name(name)?;
    let path = folder.join(name);
    disk.map(&path).map_err(|source| Error::io("open", &path, source))
}

/// Size and CRC of a file, read through the file rather than a mapping: a bad sector is an error, not a
/// signal.
pub(crate) fn measure(disk: &dyn Disk, path: &Path) -> io::Result<(u64, u32)> {
    let file = disk.open(path)?;
    let mut buffer = vec![0; READ_BYTES];
    let mut crc = crc32fast::Hasher::new();
    let mut size = 0;
    loop {
        let count = file.read_full(&mut buffer, size)?;
        crc.update(buffer.get(..count).unwrap_or_default());
        size += count as u64;
        if count < buffer.len() {
            return Ok((size, crc.finalize()));
        }
    }
}
