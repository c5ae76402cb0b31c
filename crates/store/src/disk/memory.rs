//! A disk in memory behind the `Disk` seam, for tests. It keeps apart what a process sees and what has
//! reached the platter, so that a power cut can drop any part of the difference: file contents by sector,
//! lengths, names. It also runs full and fails on command. `faults` is how tests steer it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::disk::{Disk, DiskFile, FolderEntry, FolderLock, Readers, SegmentBytes};

const SECTOR: usize = 512;

/// One life of the disk: from a start to a crash. Whoever still holds it afterwards writes to a ghost.
#[derive(Clone, Default)]
pub(crate) struct World(Arc<Mutex<State>>);

#[derive(Clone, Default)]
pub(crate) struct State {
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    names_durable: BTreeMap<PathBuf, usize>,
    files: Vec<Contents>,
    locks: BTreeSet<PathBuf>,
    pub faults: Faults,
}

/// What goes wrong next.
#[derive(Clone, Default)]
pub(crate) struct Faults {
    /// The sync after this many more fails.
    pub syncs_until_failure: Option<u64>,
    /// The write after this many more stops half-way, with this error.
    pub writes_until_failure: Option<(u64, io::ErrorKind)>,
    /// The sync of a folder after this many more fails with this error.
    pub folder_syncs_until_failure: Option<(u64, io::ErrorKind)>,
    /// The creation of a file after this many more fails.
    pub creates_until_failure: Option<u64>,
    /// Bytes that all files together may have.
    pub capacity: Option<usize>,
    /// Reservations take no space: the writes themselves run out of it.
    pub thin: bool,
    /// Syncs of files so far.
    pub syncs: u64,
}

#[derive(Clone, Default)]
struct Contents {
    seen: Vec<u8>,
    durable: Vec<u8>,
    /// Sectors the next sync will write. A failed sync forgets them, as Linux does.
    dirty: BTreeSet<usize>,
}

impl World {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process died, the machine lives on: all that was written is there, locks are not.
    pub(crate) fn after_kill(&self) -> Self {
        let state = State { locks: BTreeSet::new(), ..self.state().clone() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// The power failed: of what was not synced, `chance` decides piece by piece what reached the platter.
    pub(crate) fn after_power_cut(&self, chance: &mut dyn FnMut() -> bool) -> Self {
        let before = self.state().clone();
        let files: Vec<_> = before.files.iter().map(|file| file.after_power_cut(chance)).collect();
        let paths: BTreeSet<_> = before.names.keys().chain(before.names_durable.keys()).collect();
        let mut names = BTreeMap::new();
        for path in paths {
            let (seen, durable) = (before.names.get(path), before.names_durable.get(path));
            // Name by name: without a sync of the folder a file system keeps any of its changes and loses any
            // other.
            let survivor = if seen == durable || !chance() { durable } else { seen };
            survivor.map(|id| names.insert(path.clone(), *id));
        }
        let state = State {
            folders: before.folders,
            names_durable: names.clone(),
            names,
            files,
            locks: BTreeSet::new(),
            faults: Faults::default(),
        };
        Self(Arc::new(Mutex::new(state)))
    }
}

impl Contents {
    fn after_power_cut(&self, chance: &mut dyn FnMut() -> bool) -> Self {
        let len = if self.seen.len() != self.durable.len() && chance() {
            self.seen.len()
        } else {
            self.durable.len()
        };
        let mut bytes = self.durable.clone();
        // A length that reached the platter before its contents reads as zeros.
        bytes.resize(len, 0);
        for sector in self.dirty.iter().filter(|_| chance()) {
            copy_sector(&self.seen, &mut bytes, *sector);
        }
        Self { seen: bytes.clone(), durable: bytes, dirty: BTreeSet::new() }
    }

    fn sync(&mut self) {
        self.durable.resize(self.seen.len(), 0);
        for sector in std::mem::take(&mut self.dirty) {
            copy_sector(&self.seen, &mut self.durable, sector);
        }
    }
}

fn copy_sector(from: &[u8], to: &mut [u8], sector: usize) {
    let start = sector * SECTOR;
    let end = (start + SECTOR).min(from.len()).min(to.len());
    if start < end {
        to[start..end].copy_from_slice(&from[start..end]);
    }
}

impl State {
    fn id_of(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.names.keys().cloned().collect()
    }

    /// A file's bytes as the process sees them, to look at or to damage.
    pub(crate) fn bytes_of(&mut self, path: &Path) -> io::Result<&mut Vec<u8>> {
        let id = self.id_of(path)?;
        Ok(&mut self.files[id].seen)
    }

    fn space_left(&self) -> usize {
        let used: usize = self.names.values().map(|id| self.files[*id].seen.len()).sum();
        self.faults.capacity.map_or(usize::MAX, |capacity| capacity.saturating_sub(used))
    }

    /// How many of a write's bytes go through, and the error behind them.
    fn write_budget(&mut self, id: usize, offset: usize, len: usize) -> (usize, Option<io::ErrorKind>) {
        match &mut self.faults.writes_until_failure {
            Some((0, kind)) => {
                let kind = *kind;
                self.faults.writes_until_failure = None;
                return (len / 2, Some(kind));
            }
            Some((left, _)) => *left -= 1,
            None => {}
        }
        let growth = (offset + len).saturating_sub(self.files[id].seen.len());
        let lacking = growth.saturating_sub(self.space_left());
        (len - lacking.min(len), (lacking > 0).then_some(io::ErrorKind::StorageFull))
    }

    fn write(&mut self, id: usize, bytes: &[u8], offset: usize) -> io::Result<()> {
        let (count, error) = self.write_budget(id, offset, bytes.len());
        let file = &mut self.files[id];
        let end = offset + count;
        if file.seen.len() < end {
            file.seen.resize(end, 0);
        }
        file.seen[offset..end].copy_from_slice(&bytes[..count]);
        file.dirty.extend(offset / SECTOR..end.div_ceil(SECTOR));
        error.map_or(Ok(()), |kind| Err(kind.into()))
    }

    fn sync(&mut self, id: usize) -> io::Result<()> {
        self.faults.syncs += 1;
        match &mut self.faults.syncs_until_failure {
            Some(0) => {
                self.faults.syncs_until_failure = None;
                self.files[id].dirty.clear();
                return Err(io::Error::other("input/output error"));
            }
            Some(left) => *left -= 1,
            None => {}
        }
        self.files[id].sync();
        Ok(())
    }
}

impl Disk for World {
    fn create_folders(&self, folder: &Path) -> io::Result<()> {
        self.state().folders.extend(folder.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<FolderLock>> {
        let free = self.state().locks.insert(path.to_owned());
        Ok(free.then(|| Box::new(Held { world: self.clone(), path: path.to_owned() }) as FolderLock))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        let state = self.state();
        if !state.folders.contains(folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let folders = state.folders.iter().map(|path| (path, true));
        let below = folders.chain(state.names.keys().map(|path| (path, false)));
        let below = below.filter(|(path, _)| path.parent() == Some(folder));
        let named = below.filter_map(|(path, is_folder)| {
            Some(FolderEntry { name: path.file_name()?.to_str()?.to_owned(), is_folder })
        });
        let mut entries: Vec<_> = named.collect();
        entries.sort();
        Ok(entries)
    }

    fn create(&self, path: &Path, _readers: Readers) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.state();
        match &mut state.faults.creates_until_failure {
            Some(0) => {
                state.faults.creates_until_failure = None;
                return Err(io::Error::other("no descriptor is free"));
            }
            left => *left = left.map(|left| left - 1),
        }
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let id = state.files.len();
        state.files.push(Contents::default());
        state.names.insert(path.to_owned(), id);
        Ok(Arc::new(MemoryFile { world: self.clone(), id }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let id = self.state().id_of(path)?;
        Ok(Arc::new(MemoryFile { world: self.clone(), id }))
    }

    fn map(&self, path: &Path) -> io::Result<SegmentBytes> {
        Ok(self.state().bytes_of(path)?.clone().into())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let id = state.id_of(from)?;
        state.names.remove(from);
        state.names.insert(to.to_owned(), id);
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.state().names.remove(path).map(|_| ()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.folders.retain(|folder| !folder.starts_with(path));
        state.names.retain(|name, _| !name.starts_with(path));
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut state = self.state();
        match &mut state.faults.folder_syncs_until_failure {
            Some((0, kind)) => {
                let error = io::Error::from(*kind);
                state.faults.folder_syncs_until_failure = None;
                return Err(error);
            }
            Some((left, _)) => *left -= 1,
            None => {}
        }
        let seen = state.names.clone();
        state.names_durable.retain(|path, _| path.parent() != Some(folder));
        state.names_durable.extend(seen.into_iter().filter(|(path, _)| path.parent() == Some(folder)));
        Ok(())
    }
}

/// A folder's lock.
struct Held {
    world: World,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.world.state().locks.remove(&self.path);
    }
}

struct MemoryFile {
    world: World,
    id: usize,
}

impl DiskFile for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.world.state().files[self.id].seen.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.world.state();
        let rest = state.files[self.id].seen.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.world.state().write(self.id, bytes, offset as usize)
    }

    fn reserve(&self, from: u64, to: u64) -> io::Result<()> {
        let mut state = self.world.state();
        if state.faults.thin {
            return Ok(());
        }
        if (to - from) as usize > state.space_left() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        state.files[self.id].seen.resize(to as usize, 0);
        Ok(())
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.world.state().files[self.id].seen.resize(len as usize, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.world.state().sync(self.id)
    }
}
