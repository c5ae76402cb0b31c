//! Backups of shards in a folder or a bucket: files by the hash of their content, each there once however
//! many backups hold it, and one record a backup, written last. A crash while backing up leaves files that no
//! record names, and earlier backups whole. What a record describes besides its files is the caller's
//! business. The format is in docs/adr/0009.

mod bucket;
mod digest;
mod folder;
mod record;
mod storage;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use self::bucket::BackupBucket;
pub use self::record::{BackupFile, BackupPoint};
use crate::contract::{SegmentFile, SegmentStore};
use crate::disk::{Disk, RealDisk, SegmentBytes};
use crate::name::check_path;
use crate::{Error, ErrorKind, Result};
use bucket::BucketStorage;
use digest::Digest;
use folder::DiskStorage;
use storage::{ChangeLock, Kind, Storage};

/// Bytes hashed at a time.
const READ_BYTES: usize = 1 << 20;

/// The backups under one name, in a folder or a bucket.
pub struct BackupFolder {
    storage: Box<dyn Storage>,
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
        Ok(Self { storage: Box::new(DiskStorage::new(disk, root.join(name))) })
    }

    /// The folder `name` of a bucket, with the same layout. Asks nothing of it yet.
    ///
    /// Errors: `Invalid` for a name that is none.
    pub fn open_in(bucket: &Arc<BackupBucket>, name: &str) -> Result<Self> {
        check_path(name)?;
        Ok(Self { storage: Box::new(BucketStorage::new(Arc::clone(bucket), name)) })
    }

    /// All backups, oldest first; none where there is no folder. Errors: `Corrupt` for a record that is
    /// damaged.
    pub fn points(&self) -> Result<Vec<BackupPoint>> {
        let mut points = Vec::new();
        for (entry, _) in self.storage.list(Kind::Point)? {
            if let Some(id) = record::id_of_name(&entry) {
                points.push(BackupPoint::decode(id, &self.storage.read(Kind::Point, &entry)?)?);
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
        let mut lock = self.storage.lock()?;
        let earlier = self.points()?;
        let known: BTreeMap<_, _> = earlier
            .iter()
            .flat_map(|point| &point.files)
            .map(|file| (file.identity(), file.sha256.clone()))
            .collect();
        let (mut files, mut copied_files, mut copied_bytes) = (Vec::new(), 0, 0);
        for (file, bytes) in &draft.files {
            lock.confirm()?;
            let identity = (file.name.as_str(), file.size, file.crc32);
            let (backed_up, copied) = self.add_file(file, bytes, known.get(&identity))?;
            files.push(backed_up);
            copied_files += u64::from(copied);
            copied_bytes += if copied { file.size } else { 0 };
        }
        self.storage.sync_objects()?;
        let point = BackupPoint {
            id: earlier.last().map_or(0, |last| last.id + 1),
            started_ms: draft.started_ms,
            ended_ms: (draft.now_ms)(),
            description: draft.description,
            files,
        };
        lock.confirm()?;
        self.storage.write_point(&record::name(point.id), &point.encode()?)?;
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
            let bytes = self.storage.open((&file.sha256, file.size))?;
            Ok((SegmentFile { name: file.name.clone(), size: file.size, crc32: file.crc32 }, bytes))
        };
        point.files.iter().map(open).collect()
    }

    /// Removes backups, then the files that none of the others names. Errors: `NotFound` for an id that is
    /// none, before anything is removed.
    pub fn remove(&self, ids: &[u64]) -> Result<Purged> {
        let mut lock = self.storage.lock()?;
        let known: BTreeSet<u64> = self.points()?.iter().map(|point| point.id).collect();
        if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no backup `{unknown}`; list them first"),
            ));
        }
        let names: Vec<String> = ids.iter().map(|id| record::name(*id)).collect();
        self.storage.remove(Kind::Point, &names)?;
        self.purge(&mut *lock)
    }

    /// Removes the files that no backup names.
    fn purge(&self, lock: &mut dyn ChangeLock) -> Result<Purged> {
        let points = self.points()?;
        let named: BTreeSet<&str> =
            points.iter().flat_map(|point| &point.files).map(|file| file.sha256.as_str()).collect();
        let found = self.storage.list(Kind::Object)?.into_iter();
        let gone: Vec<(String, u64)> = found.filter(|(name, _)| !named.contains(name.as_str())).collect();
        let purged =
            Purged { files: gone.len() as u64, bytes: gone.iter().map(|(_, bytes)| bytes).sum::<u64>() };
        lock.confirm()?;
        self.storage.remove(Kind::Object, &gone.into_iter().map(|(name, _)| name).collect::<Vec<_>>())?;
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
        if let Some(sha256) = known
            && self.storage.has(sha256, file.size)?
        {
            return Ok((BackupFile::new(file, sha256.clone()), false));
        }
        let mut digest = Digest::default();
        bytes.chunks(READ_BYTES).for_each(|part| digest.update(part));
        let sha256 = digest.check(&file.name, file.size, file.crc32)?;
        let copied = !self.storage.has(&sha256, file.size)?;
        if copied {
            self.storage.write_object(&sha256, bytes)?;
        }
        Ok((BackupFile::new(file, sha256), copied))
    }

    /// Writes the file's bytes to `to` and fails when they are not those that were backed up.
    fn copy(&self, file: &BackupFile, to: &mut dyn io::Write) -> Result<()> {
        let mut digest = Digest::default();
        self.storage.visit((&file.sha256, file.size), &mut |part| {
            digest.update(part);
            to.write_all(part).map_err(|source| Error::io("write a copy of", Path::new(&file.name), source))
        })?;
        let found = digest.check(&file.name, file.size, file.crc32)?;
        if found == file.sha256 { Ok(()) } else { Err(Error::corrupt(&file.name, 0, "its hash is another")) }
    }
}

#[cfg(test)]
mod tests;
