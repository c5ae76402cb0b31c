//! Shards in folders of the local disk. A home takes the folder's lock, begins a new epoch, and opens log,
//! manifests and segments below it; a second one is refused while the first lives. An archive reads manifests
//! and segments without the lock. Layout: `LOCK`, `epoch/`, `log/`, `manifest/`, `segment/`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::contract::{FencedLog, ManifestStore, SegmentFile, SegmentStore, ShardHome};
use crate::disk::{Disk, FolderLock, RealDisk, SegmentBytes, publish, remove_partials};
use crate::log::format::FileId;
use crate::log::options::LogOptions;
use crate::log::{Folder, LocalLog};
use crate::manifest::{LocalManifests, ManifestFolder};
use crate::name::check_path;
use crate::segment::{LocalSegments, open_file};
use crate::site::{ShardArchive, ShardId, Site};
use crate::{Error, ErrorKind, Result};

/// Epoch files kept; only the newest counts.
const EPOCHS_KEPT: usize = 2;

/// How to open a [`LocalHome`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomeOptions {
    /// Identifies the shard, in every log file and manifest: files of another shard that found their way into
    /// the folder are refused. Must be the same at every opening.
    pub stream: [u8; 16],
    pub log: LogOptions,
}

/// Shards in folders below one.
pub struct LocalSite {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    log: LogOptions,
}

impl LocalSite {
    /// Shards in folders of `folder`, each named as its id's path.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::on(Arc::new(RealDisk), folder.into(), LogOptions::default())
    }

    pub(crate) fn on(disk: Arc<dyn Disk>, folder: PathBuf, log: LogOptions) -> Self {
        Self { disk, folder, log }
    }

    fn folder_of(&self, id: &ShardId) -> Result<PathBuf> {
        check_path(&id.path)?;
        Ok(self.folder.join(&id.path))
    }
}

impl Site for LocalSite {
    fn home(&self, id: &ShardId) -> Result<Arc<dyn ShardHome>> {
        let options = HomeOptions { stream: id.stream, log: self.log.clone() };
        let home = LocalHome::open_on(Arc::clone(&self.disk), &self.folder_of(id)?, &options)?;
        Ok(Arc::new(home))
    }

    fn archive(&self, id: &ShardId) -> Result<Arc<dyn ShardArchive>> {
        Ok(LocalHome::archive_on(Arc::clone(&self.disk), &self.folder_of(id)?, id.stream))
    }
}

/// A shard's folder, read beside its owner.
struct LocalArchive {
    manifests: ManifestFolder,
    segments: PathBuf,
}

impl ShardArchive for LocalArchive {
    fn newest(&self) -> Result<Option<(u64, Vec<u8>)>> {
        self.manifests.load()
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        open_file(&*self.manifests.disk, &self.segments, file)
    }
}

/// One opening of a shard's folder on the local disk.
pub struct LocalHome {
    epoch: u64,
    log: Arc<LocalLog>,
    manifests: Arc<LocalManifests>,
    segments: Arc<LocalSegments>,
}

impl LocalHome {
    pub(crate) fn open_on(disk: Arc<dyn Disk>, folder: &Path, options: &HomeOptions) -> Result<Self> {
        let owner = Arc::new(own(&*disk, folder)?);
        let [epochs, log, manifests, segments] =
            ["epoch", "log", "manifest", "segment"].map(|name| folder.join(name));
        for part in [&epochs, &log, &manifests, &segments] {
            disk.create_folders(part).map_err(|source| Error::io("create", part, source))?;
            remove_partials(&*disk, part)?;
        }
        let log = Folder { disk: Arc::clone(&disk), path: log, stream: options.stream };
        let epoch = begin_epoch(&disk, &epochs, &log)?;
        let log = LocalLog::open(log, epoch, options.log.clone(), Arc::clone(&owner))?;
        Ok(Self {
            epoch,
            log: Arc::new(log),
            manifests: Arc::new(LocalManifests::new(
                ManifestFolder { disk: Arc::clone(&disk), folder: manifests, stream: options.stream },
                Arc::clone(&owner),
            )),
            segments: Arc::new(LocalSegments::new(disk, segments, owner)),
        })
    }
}

impl LocalHome {
    pub(crate) fn archive_on(disk: Arc<dyn Disk>, folder: &Path, stream: [u8; 16]) -> Arc<dyn ShardArchive> {
        let manifests = ManifestFolder { disk, folder: folder.join("manifest"), stream };
        Arc::new(LocalArchive { manifests, segments: folder.join("segment") })
    }
}

impl ShardHome for LocalHome {
    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        Arc::clone(&self.log) as _
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        Arc::clone(&self.manifests) as _
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::clone(&self.segments) as _
    }
}

fn own(disk: &dyn Disk, folder: &Path) -> Result<FolderLock> {
    disk.create_folders(folder).map_err(|source| Error::io("create", folder, source))?;
    let path = folder.join("LOCK");
    let lock = disk.lock(&path).map_err(|source| Error::io("lock", &path, source))?;
    lock.ok_or_else(|| {
        let message = format!(
            "shard folder `{}` is in use by another process; stop it, or give this one another folder",
            folder.display()
        );
        Error::new(ErrorKind::Deposed, message)
    })
}

/// Makes an epoch above all earlier ones, durable before anything is written in it.
fn begin_epoch(disk: &Arc<dyn Disk>, folder: &Path, log: &Folder) -> Result<u64> {
    let entries = disk.list(folder).map_err(|source| Error::io("list", folder, source))?;
    let mut begun: Vec<u64> = entries.iter().filter_map(|entry| entry.name.parse().ok()).collect();
    begun.sort_unstable();
    let logged = log.ids()?.last().map_or(0, |id: &FileId| id.epoch);
    let epoch = begun.last().copied().unwrap_or(0).max(logged).saturating_add(1);
    publish(disk, folder, &format!("{epoch:020}"), &[])?;
    for old in begun.iter().rev().skip(EPOCHS_KEPT - 1) {
        // Best effort: only the newest counts.
        let _ = disk.remove_file(&folder.join(format!("{old:020}")));
    }
    Ok(epoch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{
        AppendRecord, FaultySite, SecondOpening, TestSite, check_faults, check_home, records,
    };
    use crate::faults::MemoryDisk;

    /// Small enough that the suite rolls files, reserves and syncs early many times over.
    fn small() -> HomeOptions {
        let log = LogOptions { file_bytes: 8 << 10, reserve_bytes: 1 << 10, pending_bytes_max: 4 << 10 };
        HomeOptions { log, ..HomeOptions::default() }
    }

    /// Everything in one file, as in a shard that is flushed often.
    fn roomy() -> HomeOptions {
        let log = LogOptions { reserve_bytes: 64 << 10, ..LogOptions::default() };
        HomeOptions { log, ..HomeOptions::default() }
    }

    struct Folder(#[expect(dead_code, reason = "removed when dropped")] tempfile::TempDir, LocalSite);

    fn shard() -> ShardId {
        ShardId { path: "films/shard1".into(), stream: [0; 16] }
    }

    impl TestSite for Folder {
        fn open(&self) -> Result<Arc<dyn ShardHome>> {
            self.1.home(&shard())
        }

        fn archive(&self) -> Arc<dyn ShardArchive> {
            self.1.archive(&shard()).unwrap()
        }

        fn second_opening(&self) -> SecondOpening {
            SecondOpening::Refused
        }
    }

    impl TestSite for MemoryDisk {
        fn open(&self) -> Result<Arc<dyn ShardHome>> {
            Ok(Arc::new(MemoryDisk::open(self)?))
        }

        fn archive(&self) -> Arc<dyn ShardArchive> {
            MemoryDisk::archive(self)
        }

        fn second_opening(&self) -> SecondOpening {
            SecondOpening::Refused
        }
    }

    impl FaultySite for MemoryDisk {
        fn cut_power(&self, seed: u64) {
            MemoryDisk::cut_power(self, seed);
        }

        fn fail_next_sync(&self) {
            self.fail_sync_after(0);
        }

        fn set_full(&self, full: bool) {
            self.limit_space(full.then(|| self.space_used() + 1500));
        }
    }

    fn folder(options: HomeOptions) -> Box<dyn TestSite> {
        let folder = tempfile::tempdir().unwrap();
        let site = LocalSite::on(Arc::new(RealDisk), folder.path().join("data"), options.log);
        Box::new(Folder(folder, site))
    }

    #[test]
    fn a_folder_conforms() {
        check_home(&|| folder(HomeOptions::default()));
        check_home(&|| folder(small()));
    }

    #[test]
    fn a_folder_in_memory_conforms_and_survives_faults() {
        check_home(&|| Box::new(MemoryDisk::new(small())));
        check_faults(&|| Box::new(MemoryDisk::new(roomy())));
        check_faults(&|| Box::new(MemoryDisk::new(small())));
    }

    #[test]
    fn a_second_opener_is_told_which_folder() {
        let parent = tempfile::tempdir().unwrap();
        let site = LocalSite::new(parent.path());
        let _home = site.home(&shard()).unwrap();
        let error = site.home(&shard()).err().unwrap();
        assert_eq!(error.kind(), &ErrorKind::Deposed);
        assert!(error.message().contains("films/shard1"), "{error}");
    }

    #[test]
    fn no_shard_lies_outside_its_site() {
        let parent = tempfile::tempdir().unwrap();
        let site = LocalSite::new(parent.path());
        for path in ["", "..", "../films", "/films", "films//shard1"] {
            let id = ShardId { path: path.into(), stream: [0; 16] };
            assert_eq!(site.home(&id).err().unwrap().kind(), &ErrorKind::Invalid, "{path}");
            assert_eq!(site.archive(&id).err().unwrap().kind(), &ErrorKind::Invalid, "{path}");
        }
    }

    #[test]
    fn another_shards_files_are_refused() {
        let disk = MemoryDisk::default();
        let home = disk.open().unwrap();
        let at = home.log().append_record(b"mine").unwrap();
        home.log().wait_durable(at).unwrap();
        home.manifests().publish(None, b"mine").unwrap();
        drop(home);
        let disk = disk.with_options(HomeOptions { stream: [1; 16], ..HomeOptions::default() });
        let home = disk.open().unwrap();
        let corrupt = |error: Error| matches!(error.kind(), ErrorKind::Corrupt { .. });
        assert!(corrupt(records(&home, None).unwrap_err()));
        assert!(corrupt(home.log().append_record(b"theirs").unwrap_err()));
        assert!(corrupt(home.manifests().load().unwrap_err()));
    }

    #[test]
    fn partials_of_a_killed_process_are_swept() {
        let disk = MemoryDisk::default();
        let home = disk.open().unwrap();
        let _writer = home.segments().create("a.seg").unwrap();
        disk.kill();
        let home = disk.open().unwrap();
        home.segments().put("a.seg", b"whole").unwrap();
        assert!(disk.paths().iter().all(|path| !path.to_string_lossy().contains("partial")));
    }
}
