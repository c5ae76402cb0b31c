//! Faults on command, for the tests of this crate and of those above: a disk in memory that loses power, dies
//! with its process, fills up, fails a sync or a write, or flips a bit. Deterministic: what a power cut
//! spares is drawn from a seed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::disk::Disk;
use crate::disk::memory::World;
use crate::{BackupFolder, ConfigFiles, HomeOptions, LocalHome, MetadataFiles, Result, ShardArchive};

/// A disk with one shard's home in it, which survives the crashes of its homes.
///
/// After a crash the homes opened earlier keep writing to a ghost of the disk; open a new one.
#[derive(Default)]
pub struct MemoryDisk {
    world: Mutex<World>,
    options: HomeOptions,
}

impl MemoryDisk {
    pub fn new(options: HomeOptions) -> Self {
        Self { world: Mutex::default(), options }
    }

    /// The same disk, opened otherwise from now on.
    #[must_use]
    pub fn with_options(self, options: HomeOptions) -> Self {
        Self { options, ..self }
    }

    pub fn open(&self) -> Result<LocalHome> {
        LocalHome::open_on(Arc::new(self.world()), Path::new("shard"), &self.options)
    }

    /// The shard as somebody else reads it.
    pub fn archive(&self) -> Arc<dyn ShardArchive> {
        LocalHome::archive_on(Arc::new(self.world()), Path::new("shard"), self.options.stream)
    }

    pub fn open_config(&self) -> Result<ConfigFiles> {
        ConfigFiles::open_on(Arc::new(self.world()), Path::new("config"))
    }

    pub fn open_metadata(&self) -> Result<MetadataFiles> {
        let disk: Arc<dyn Disk> = Arc::new(self.world());
        MetadataFiles::open_on(&disk, Path::new("metadata"), &[])
    }

    pub fn open_backups(&self, name: &str) -> Result<BackupFolder> {
        BackupFolder::open_on(Arc::new(self.world()), Path::new("backups"), name)
    }

    /// The process dies; all it wrote stays, synced or not.
    pub fn kill(&self) {
        self.replace(World::after_kill);
    }

    /// The power fails; `seed` decides, sector by sector and name by name, what of the unsynced survives.
    pub fn cut_power(&self, seed: u64) {
        let mut state = seed;
        self.replace(|world| world.after_power_cut(&mut || split_mix(&mut state) & 1 == 1));
    }

    /// `good` more syncs of files succeed, then one fails and loses what it should have written.
    pub fn fail_sync_after(&self, good: u64) {
        self.world().state().faults.syncs_until_failure = Some(good);
    }

    /// `good` more syncs of folders succeed, then one fails with `kind`.
    pub fn fail_folder_sync_after(&self, good: u64, kind: io::ErrorKind) {
        self.world().state().faults.folder_syncs_until_failure = Some((good, kind));
    }

    /// `good` more files are created, then one is not.
    pub fn fail_create_after(&self, good: u64) {
        self.world().state().faults.creates_until_failure = Some(good);
    }

    /// `good` more writes succeed, then one stops half-way with `kind`.
    pub fn fail_write_after(&self, good: u64, kind: io::ErrorKind) {
        self.world().state().faults.writes_until_failure = Some((good, kind));
    }

    /// All files together may have this many bytes; `None` lifts the limit.
    pub fn limit_space(&self, bytes: Option<usize>) {
        self.world().state().faults.capacity = bytes;
    }

    /// Reservations succeed without taking space, as on a thin or copy-on-write volume.
    pub fn reserve_nothing(&self) {
        self.world().state().faults.thin = true;
    }

    /// Bytes that all files together have.
    pub fn space_used(&self) -> usize {
        let world = self.world();
        let mut state = world.state();
        let paths = state.paths();
        paths.iter().filter_map(|path| state.bytes_of(path).map(|bytes| bytes.len()).ok()).sum()
    }

    /// Syncs of files since the disk was made or last lost power.
    pub fn syncs(&self) -> u64 {
        self.world().state().faults.syncs
    }

    /// Every file, sorted.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.world().state().paths()
    }

    /// Changes a file's bytes behind the store's back.
    pub fn damage(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let world = self.world();
        let mut state = world.state();
        change(state.bytes_of(path)?);
        Ok(())
    }

    fn world(&self) -> World {
        self.world.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, next: impl FnOnce(&World) -> World) {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        *world = next(&world);
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough to pick sectors.
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
