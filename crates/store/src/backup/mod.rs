//! Backups of shards in a folder: files by the hash of their content, each there once however many backups
//! hold it, and one record a backup, written last. A crash while backing up leaves files that no record
//! names, and earlier backups whole. What a record describes besides its files is the caller's business. The
//! format is in docs/adr/0009.

mod digest;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::record::{BackupFile, BackupPoint};
use crate::contract::{SegmentFile, SegmentStore};
use crate::disk::{Disk, FolderLock, Partial, Readers, RealDisk, SegmentBytes, publish, remove_partials};
use crate::name::check_path;
use crate::{Error, ErrorKind, Result};
use digest::Digest;

/// Bytes read at a time.
const READ_BYTES: usize = 1 << 20;

/// The backups under one name.
pub struct BackupFolder {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
}

/// What a backup is begun with.
pub struct BackupDraft<'a> {
    pub started_ms: i64,
    /// Handed back by [`BackupFolder::points`] as it is.
    pub description: String,
    /// The bytes are those that the file's size and CRC tell of, or the backup fails.
    pub files: Vec<(SegmentFile, SegmentBytes)>,
    /// When it ended.
    pub now_ms: &'a dyn Fn() -> i64,
}

/// A backup that was made, and what it took beyond the earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupAdded {
    pub point: BackupPoint,
    pub copied_files: u64,
    pub copied_bytes: u64,
}

/// Files that no backup names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Purged {
    pub files: u64,
    pub bytes: u64,
}

impl BackupFolder {
    /// The folder `name` below `root`: relative, each part a name. Nothing is created before the first
    /// backup.
    ///
    /// Errors: `Invalid` for a name that could leave the root.
    pub fn open(root: &Path, name: &str) -> Result<Self> {
        Self::open_on(Arc::new(RealDisk), root, name)
    }

    pub(crate) fn open_on(disk: Arc<dyn Disk>, root: &Path, name: &str) -> Result<Self> {
        check_path(name)?;
        Ok(Self { disk, folder: root.join(name) })
    }

    /// All backups, oldest first; none where there is no folder. Errors: `Corrupt` for a record that is
    /// damaged.
    pub fn points(&self) -> Result<Vec<BackupPoint>> {
        let folder = self.points_folder();
        let mut points = Vec::new();
        for entry in list(&*self.disk, &folder)? {
            if let Some(id) = record::id_of_name(&entry) {
                let path = folder.join(&entry);
                let read = self.disk.open(&path).and_then(|file| file.read_all());
                let bytes = read.map_err(|source| Error::io("read", &path, source))?;
                points.push(BackupPoint::decode(id, &bytes)?);
            }
        }
        points.sort_by_key(|point| point.id);
        Ok(points)
    }

    /// Adds a backup; durable on return.
    ///
    /// Errors: `Retry` while another backup is made or removed here, `Corrupt` when a file is not what its
    /// CRC says.
    pub fn add(&self, draft: BackupDraft<'_>) -> Result<BackupAdded> {
        let _lock = self.lock()?;
        let earlier = self.points()?;
        let known: BTreeMap<_, _> = earlier
            .iter()
            .flat_map(|point| &point.files)
            .map(|file| (file.identity(), file.sha256.clone()))
            .collect();
        let (mut files, mut copied_files, mut copied_bytes) = (Vec::new(), 0, 0);
        for (file, bytes) in &draft.files {
            let identity = (file.name.as_str(), file.size, file.crc32);
            let (backed_up, copied) = self.add_file(file, bytes, known.get(&identity))?;
            files.push(backed_up);
            copied_files += u64::from(copied);
            copied_bytes += if copied { file.size } else { 0 };
        }
        self.sync(&self.objects_folder())?;
        let point = BackupPoint {
            id: earlier.last().map_or(0, |last| last.id + 1),
            started_ms: draft.started_ms,
            ended_ms: (draft.now_ms)(),
            description: draft.description,
            files,
        };
        publish(&self.disk, &self.points_folder(), &record::name(point.id), &point.encode()?)?;
        Ok(BackupAdded { point, copied_files, copied_bytes })
    }

    /// Reads every file of a backup and compares it with its hash. Returns the bytes. Errors: `Corrupt`,
    /// `NotFound`.
    pub fn verify(&self, point: &BackupPoint) -> Result<u64> {
        let mut bytes = 0;
        for file in &point.files {
            self.copy(file, &mut io::sink())?;
            bytes += file.size;
        }
        Ok(bytes)
    }

    /// Copies a backup's files into a shard's home, each compared with its hash on the way. Errors:
    /// `Corrupt`, `NotFound`.
    pub fn restore(&self, point: &BackupPoint, into: &dyn SegmentStore) -> Result<()> {
        for file in &point.files {
            let mut writer = into.create(&file.name)?;
            self.copy(file, &mut writer)?;
            writer.finish()?;
        }
        Ok(())
    }

    /// A backup's files, readable even when it is removed meanwhile; nothing is compared yet. Errors:
    /// `NotFound`.
    pub fn files(&self, point: &BackupPoint) -> Result<Vec<(SegmentFile, SegmentBytes)>> {
        let open = |file: &BackupFile| {
            let path = self.objects_folder().join(&file.sha256);
            let bytes = self.disk.map(&path).map_err(|source| Error::io("open", &path, source))?;
            Ok((SegmentFile { name: file.name.clone(), size: file.size, crc32: file.crc32 }, bytes))
        };
        point.files.iter().map(open).collect()
    }

    /// Removes backups, then the files that none of the others names. Errors: `NotFound` for an id that is
    /// none, before anything is removed.
    pub fn remove(&self, ids: &[u64]) -> Result<Purged> {
        let _lock = self.lock()?;
        let known: BTreeSet<u64> = self.points()?.iter().map(|point| point.id).collect();
        if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no backup `{unknown}`; list them first"),
            ));
        }
        let folder = self.points_folder();
        for id in ids {
            let path = folder.join(record::name(*id));
            self.disk.remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
        if !ids.is_empty() {
            self.sync(&folder)?;
        }
        self.purge()
    }

    /// Removes the files that no backup names.
    fn purge(&self) -> Result<Purged> {
        let points = self.points()?;
        let named: BTreeSet<&str> =
            points.iter().flat_map(|point| &point.files).map(|file| file.sha256.as_str()).collect();
        let folder = self.objects_folder();
        remove_partials(&*self.disk, &folder)?;
        let mut purged = Purged::default();
        for name in list(&*self.disk, &folder)?.iter().filter(|name| !named.contains(name.as_str())) {
            let path = folder.join(name);
            let size = self.disk.open(&path).and_then(|file| file.len()).unwrap_or_default();
            self.disk.remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
            purged.files += 1;
            purged.bytes += size;
        }
        Ok(purged)
    }

    /// The file as a record names it, and whether its bytes had to be copied. `known` is the hash that an
    /// earlier backup has of the same file.
    fn add_file(
        &self,
        file: &SegmentFile,
        bytes: &SegmentBytes,
        known: Option<&String>,
    ) -> Result<(BackupFile, bool)> {
        if let Some(sha256) = known.filter(|sha256| self.has(sha256, file.size)) {
            return Ok((BackupFile::new(file, sha256.clone()), false));
        }
        let mut digest = Digest::default();
        bytes.chunks(READ_BYTES).for_each(|part| digest.update(part));
        let sha256 = digest.check(&file.name, file.size, file.crc32)?;
        let copied = !self.has(&sha256, file.size);
        if copied {
            self.write(&sha256, bytes)?;
        }
        Ok((BackupFile::new(file, sha256), copied))
    }

    fn write(&self, sha256: &str, bytes: &[u8]) -> Result<()> {
        let mut partial =
            Partial::create(Arc::clone(&self.disk), &self.objects_folder(), sha256, Readers::Umask)?;
        partial.write(bytes).map_err(|source| Error::io("write", partial.target(), source))?;
        partial.sync()?;
        partial.reveal()
    }

    fn has(&self, sha256: &str, size: u64) -> bool {
        let found = self.disk.open(&self.objects_folder().join(sha256)).and_then(|file| file.len());
        found.is_ok_and(|found| found == size)
    }

    /// Writes the file's bytes to `to` and fails when they are not those that were backed up.
    fn copy(&self, file: &BackupFile, to: &mut dyn io::Write) -> Result<()> {
        let path = self.objects_folder().join(&file.sha256);
        let object = self.disk.open(&path).map_err(|source| Error::io("open", &path, source))?;
        let (mut digest, mut buffer, mut at) = (Digest::default(), vec![0; READ_BYTES], 0);
        loop {
            let count =
                object.read_full(&mut buffer, at).map_err(|source| Error::io("read", &path, source))?;
            let part = buffer.get(..count).unwrap_or_default();
            digest.update(part);
            to.write_all(part).map_err(|source| Error::io("write a copy of", &path, source))?;
            at += count as u64;
            if count < READ_BYTES {
                break;
            }
        }
        let found = digest.check(&file.name, file.size, file.crc32)?;
        if found == file.sha256 { Ok(()) } else { Err(Error::corrupt(&file.name, 0, "its hash is another")) }
    }

    /// Held while something is added or removed; makes the folders.
    fn lock(&self) -> Result<FolderLock> {
        for folder in [self.objects_folder(), self.points_folder()] {
            self.disk.create_folders(&folder).map_err(|source| Error::io("create", &folder, source))?;
        }
        let path = self.folder.join("LOCK");
        let lock = self.disk.lock(&path).map_err(|source| Error::io("lock", &path, source))?;
        let lock = lock.ok_or_else(|| {
            let folder = self.folder.display();
            Error::new(
                ErrorKind::Retry,
                format!("backups in `{folder}` are being changed; try again when that is done"),
            )
        })?;
        remove_partials(&*self.disk, &self.objects_folder())?;
        remove_partials(&*self.disk, &self.points_folder())?;
        Ok(lock)
    }

    fn sync(&self, folder: &Path) -> Result<()> {
        self.disk.sync_folder(folder).map_err(|source| Error::io("sync", folder, source))
    }

    fn objects_folder(&self) -> PathBuf {
        self.folder.join("object")
    }

    fn points_folder(&self) -> PathBuf {
        self.folder.join("point")
    }
}

/// Names in a folder; none where there is no folder.
fn list(disk: &dyn Disk, folder: &Path) -> Result<Vec<String>> {
    match disk.list(folder) {
        Ok(entries) => Ok(entries.into_iter().map(|entry| entry.name).collect()),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(vec![]),
        Err(source) => Err(Error::io("list", folder, source)),
    }
}

#[cfg(test)]
mod tests;
