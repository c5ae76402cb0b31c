//! Copies of segment files on a local disk, so that a start fetches nothing that is there, and searches read
//! mapped files: one folder for each shard, one file for each object, under a budget. What nobody reads goes
//! first, the longest unused before the others; what is read stays, beyond the budget too.
//!
//! A copy is whole under its name, after a crash as well. It is nobody's only copy: what is lost here is
//! fetched again (`files`), and what is damaged is mended in its place, so that those who have it mapped read
//! the right bytes from then on.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::contract::SegmentFile;
use crate::disk::{Disk, FolderLock, Partial, Readers, RealDisk, SegmentBytes, remove_partials};
use crate::segment::measure;
use crate::{Error, ErrorKind, Result};

/// Where copies are kept, and how many bytes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheOptions {
    pub folder: PathBuf,
    pub bytes_max: u64,
}

/// What a cache holds, and what it did since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheCounts {
    pub files: u64,
    pub bytes: u64,
    pub hits: u64,
    pub misses: u64,
    pub evicted: u64,
    pub mended: u64,
}

pub(crate) struct FileCache {
    disk: Arc<dyn Disk>,
    options: CacheOptions,
    state: Mutex<State>,
    /// Held while files are fetched: two who want the same one fetch it once.
    fetching: Mutex<()>,
    _lock: FolderLock,
}

#[derive(Default)]
struct State {
    files: BTreeMap<CacheKey, Kept>,
    /// Counts uses: which was the longest ago.
    uses: u64,
    counts: CacheCounts,
}

struct Kept {
    size: u64,
    used: u64,
    /// Mapped once somebody has asked for it.
    bytes: Option<SegmentBytes>,
}

/// An object's copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CacheKey {
    /// The shard's folder.
    shard: String,
    name: String,
}

impl CacheKey {
    /// Of a file that was put in an epoch.
    pub(crate) fn of(stream: &[u8; 16], name: &str, epoch: u64) -> Self {
        let shard = stream.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { shard, name: format!("{name}.{epoch:020}") }
    }

    /// The epoch in which a file of this name was put.
    fn epoch_of(&self, name: &str) -> Option<u64> {
        let digits = self.name.strip_prefix(name)?.strip_prefix('.')?;
        digits.parse().ok().filter(|_| digits.len() == 20)
    }
}

impl FileCache {
    pub(crate) fn open(options: CacheOptions) -> Result<Self> {
        Self::open_on(Arc::new(RealDisk), options)
    }

    /// Finds what is there; what a crash left half written goes.
    ///
    /// Errors: `Deposed` while another process has the folder.
    pub(crate) fn open_on(disk: Arc<dyn Disk>, options: CacheOptions) -> Result<Self> {
        let folder = &options.folder;
        disk.create_folders(folder).map_err(|source| Error::io("create", folder, source))?;
        let path = folder.join("LOCK");
        let lock = disk.lock(&path).map_err(|source| Error::io("lock", &path, source))?;
        let lock = lock.ok_or_else(|| {
            let message = format!(
                "the cache `{}` is in use by another process; stop it, or give this one another folder",
                folder.display()
            );
            Error::new(ErrorKind::Deposed, message)
        })?;
        let mut state = State::default();
        let shards = disk.list(folder).map_err(|source| Error::io("list", folder, source))?;
        for shard in shards.into_iter().filter(|it| it.is_folder) {
            let path = folder.join(&shard.name);
            remove_partials(&*disk, &path)?;
            for entry in disk.list(&path).map_err(|source| Error::io("list", &path, source))? {
                let file = path.join(&entry.name);
                let opened = disk.open(&file).and_then(|it| it.len());
                let size = opened.map_err(|source| Error::io("open", &file, source))?;
                let key = CacheKey { shard: shard.name.clone(), name: entry.name };
                state.add(key, Kept { size, used: 0, bytes: None });
            }
        }
        let cache = Self { disk, options, state: Mutex::new(state), fetching: Mutex::default(), _lock: lock };
        cache.evict();
        Ok(cache)
    }

    pub(crate) fn counts(&self) -> CacheCounts {
        self.state().counts
    }

    /// No code that holds this lock panics half-way through a change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be held while files are fetched and put here.
    pub(crate) fn begin_fetch(&self) -> MutexGuard<'_, ()> {
        self.fetching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path_of(&self, key: &CacheKey) -> PathBuf {
        self.options.folder.join(&key.shard).join(&key.name)
    }

    /// The copy, mapped; `None` where there is none of this size.
    pub(crate) fn get(&self, key: &CacheKey, file: &SegmentFile) -> Result<Option<SegmentBytes>> {
        let mut state = self.state();
        state.uses += 1;
        let used = state.uses;
        match state.files.get_mut(key) {
            Some(kept) if kept.size == file.size => {
                kept.used = used;
                if kept.bytes.is_none() {
                    let path = self.path_of(key);
                    match self.disk.map(&path) {
                        Ok(bytes) => kept.bytes = Some(bytes),
                        // Somebody has tidied up here.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(source) => return Err(Error::io("open", &path, source)),
                    }
                }
                if let Some(bytes) = kept.bytes.clone() {
                    state.counts.hits += 1;
                    return Ok(Some(bytes));
                }
            }
            Some(_) => {}
            None => {
                state.counts.misses += 1;
                return Ok(None);
            }
        }
        state.counts.misses += 1;
        drop(state);
        self.forget(key)?;
        Ok(None)
    }

    /// The last epoch up to `epoch_max` of which there is a copy of a file.
    pub(crate) fn epoch_of(&self, stream: &[u8; 16], name: &str, epoch_max: u64) -> Option<u64> {
        let (first, last) = (CacheKey::of(stream, name, 0), CacheKey::of(stream, name, epoch_max));
        let state = self.state();
        state.files.range(first..=last).rev().find_map(|(key, _)| key.epoch_of(name))
    }

    /// Begins a copy: of what is fetched, or of what is about to be put into the store.
    pub(crate) fn begin(&self, key: CacheKey) -> Result<CacheWriter> {
        let folder = self.options.folder.join(&key.shard);
        self.disk.create_folders(&folder).map_err(|source| Error::io("create", &folder, source))?;
        let partial = Partial::create(Arc::clone(&self.disk), &folder, &key.name, Readers::Umask)?;
        Ok(CacheWriter { key, partial, crc: crc32fast::Hasher::new(), size: 0 })
    }

    /// Gives a copy its name; its bytes, mapped.
    pub(crate) fn keep(&self, writer: CacheWriter) -> Result<SegmentBytes> {
        let CacheWriter { key, partial, size, .. } = writer;
        partial.sync()?;
        partial.place()?;
        let path = self.path_of(&key);
        let bytes = self.disk.map(&path).map_err(|source| Error::io("open", &path, source))?;
        let mut state = self.state();
        state.uses += 1;
        let used = state.uses;
        state.add(key, Kept { size, used, bytes: Some(bytes.clone()) });
        drop(state);
        self.evict();
        Ok(bytes)
    }

    /// Errors: `Corrupt` where the copy is not the file; `None` where there is none.
    pub(crate) fn check(&self, key: &CacheKey, file: &SegmentFile) -> Option<Result<()>> {
        self.state().files.get(key)?;
        let path = self.path_of(key);
        let measured = measure(&*self.disk, &path).map_err(|source| Error::io("read", &path, source));
        Some(measured.and_then(|(size, crc32)| file.check_measured(size, crc32)))
    }

    /// Writes the file's bytes over a damaged copy of the same length, where it lies.
    pub(crate) fn mend(&self, key: &CacheKey, bytes: &[u8]) -> Result<()> {
        let path = self.path_of(key);
        let mended = self.disk.open(&path).and_then(|file| {
            file.write_at(bytes, 0)?;
            file.sync()
        });
        mended.map_err(|source| Error::io("mend", &path, source))?;
        self.state().counts.mended += 1;
        Ok(())
    }

    /// Whoever reads it goes on to do so.
    pub(crate) fn forget(&self, key: &CacheKey) -> Result<()> {
        if self.state().remove(key).is_none() {
            return Ok(());
        }
        let path = self.path_of(key);
        match self.disk.remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", &path, error)),
            _ => Ok(()),
        }
    }

    /// Keeps the budget, as far as what nobody reads goes.
    fn evict(&self) {
        let gone = {
            let mut state = self.state();
            let mut gone = Vec::new();
            while state.counts.bytes > self.options.bytes_max {
                let unread = state
                    .files
                    .iter()
                    .filter(|(_, kept)| kept.bytes.as_ref().is_none_or(|bytes| !bytes.is_shared()))
                    .min_by_key(|(_, kept)| kept.used);
                let Some(key) = unread.map(|(key, _)| key.clone()) else { break };
                state.remove(&key);
                state.counts.evicted += 1;
                gone.push(key);
            }
            gone
        };
        for key in gone {
            // Best effort: the next start finds it, and counts it.
            let _ = self.disk.remove_file(&self.path_of(&key));
        }
    }
}

impl State {
    fn add(&mut self, key: CacheKey, kept: Kept) {
        self.remove(&key);
        self.counts.files += 1;
        self.counts.bytes += kept.size;
        self.files.insert(key, kept);
    }

    fn remove(&mut self, key: &CacheKey) -> Option<Kept> {
        let kept = self.files.remove(key)?;
        self.counts.files -= 1;
        self.counts.bytes -= kept.size;
        Some(kept)
    }
}

/// A copy that is being written, gone when it is dropped.
pub(crate) struct CacheWriter {
    key: CacheKey,
    partial: Partial,
    crc: crc32fast::Hasher,
    size: u64,
}

impl CacheWriter {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.partial.write(bytes)?;
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// What was written so far, as a manifest names it.
    pub(crate) fn describe(&self, name: &str) -> SegmentFile {
        SegmentFile { name: name.to_owned(), size: self.size, crc32: self.crc.clone().finalize() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::memory::World;

    const STREAM: [u8; 16] = [3; 16];

    fn key(name: &str) -> CacheKey {
        CacheKey::of(&STREAM, name, 1)
    }

    fn cache(disk: &World, bytes_max: u64) -> FileCache {
        FileCache::open_on(Arc::new(disk.clone()), CacheOptions { folder: "cache".into(), bytes_max })
            .unwrap()
    }

    fn keep(cache: &FileCache, name: &str, bytes: &[u8]) -> (SegmentFile, SegmentBytes) {
        let mut writer = cache.begin(key(name)).unwrap();
        writer.write(bytes).unwrap();
        let file = writer.describe(name);
        (file, cache.keep(writer).unwrap())
    }

    #[test]
    fn what_nobody_reads_goes_first_and_the_longest_unused_before_others() {
        let disk = World::default();
        let cache = cache(&disk, 25);
        let (a, read) = keep(&cache, "a", &[1; 10]);
        let (b, _) = keep(&cache, "b", &[2; 10]);
        assert!(cache.get(&key("b"), &b).unwrap().is_some());
        let (c, _) = keep(&cache, "c", &[3; 10]);
        assert!(cache.get(&key("b"), &b).unwrap().is_none(), "the only one that nobody reads");
        drop(read);
        assert!(cache.get(&key("c"), &c).unwrap().is_some());
        keep(&cache, "d", &[4; 10]);
        assert!(cache.get(&key("a"), &a).unwrap().is_none(), "unused for longer than c");
        assert!(cache.get(&key("c"), &c).unwrap().is_some());
        let counts = cache.counts();
        assert_eq!((counts.files, counts.bytes, counts.evicted), (2, 20, 2));
    }

    #[test]
    fn a_restart_finds_what_was_kept_and_nothing_half_written() {
        let disk = World::default();
        let first = cache(&disk, 100);
        let (a, _) = keep(&first, "a", b"whole");
        let mut half = first.begin(key("b")).unwrap();
        half.write(b"half").unwrap();
        let disk = disk.after_power_cut(&mut || false);
        let second = cache(&disk, 100);
        assert_eq!(&*second.get(&key("a"), &a).unwrap().unwrap(), b"whole");
        assert_eq!(second.counts().files, 1);
        let other = SegmentFile { size: 4, ..a };
        assert!(second.get(&key("a"), &other).unwrap().is_none(), "of another size");
        assert_eq!(second.counts().files, 0);
    }

    #[test]
    fn a_folder_has_one_cache() {
        let disk = World::default();
        let _first = cache(&disk, 100);
        let options = CacheOptions { folder: "cache".into(), bytes_max: 100 };
        let error = FileCache::open_on(Arc::new(disk), options).err().unwrap();
        assert_eq!(error.kind(), &ErrorKind::Deposed);
    }
}
