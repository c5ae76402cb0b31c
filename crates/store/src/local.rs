//! A shard's home in a folder of the local disk: takes the folder's lock, begins a new epoch, and opens log, manifests
//! and segments below it. Layout: `LOCK`, `epoch/`, `log/`, `manifest/`, `segment/`.

use std::path::Path;
use std::sync::Arc;

use crate::contract::{FencedLog, ManifestStore, SegmentStore, ShardHome};
use crate::disk::{Disk, FolderLock, RealDisk, publish, remove_partials};
use crate::log::format::FileId;
use crate::log::{Folder, LocalLog, LogOptions};
use crate::manifest::LocalManifests;
use crate::segment::LocalSegments;
use crate::{Error, ErrorKind, Result};

/// Epoch files kept; only the newest counts.
const EPOCHS_KEPT: usize = 2;

/// How to open a [`LocalHome`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomeOptions {
    /// Identifies the shard, in every log file and manifest: files of another shard that found their way into the
    /// folder are refused. Must be the same at every opening.
    pub stream: [u8; 16],
    pub log: LogOptions,
}

/// One opening of a shard's folder on the local disk.
pub struct LocalHome {
    epoch: u64,
    log: Arc<LocalLog>,
    manifests: Arc<LocalManifests>,
    segments: Arc<LocalSegments>,
}

impl LocalHome {
    /// Opens or creates the home in `folder`, with default options.
    ///
    /// Errors: `Fenced` when another process, or another opening in this one, owns the folder.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, &HomeOptions::default())
    }

    pub fn open_with(folder: &Path, options: &HomeOptions) -> Result<Self> {
        Self::open_on(Arc::new(RealDisk), folder, options)
    }

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
                Arc::clone(&disk),
                manifests,
                options.stream,
                Arc::clone(&owner),
            )),
            segments: Arc::new(LocalSegments::new(disk, segments, owner)),
        })
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
        Error::new(ErrorKind::Fenced, message)
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
    use crate::conformance::{FaultySite, Site, check_faults, check_home, records};
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

    struct Folder(tempfile::TempDir, HomeOptions);

    impl Site for Folder {
        fn open(&self) -> Result<Box<dyn ShardHome>> {
            let home = LocalHome::open_with(&self.0.path().join("data/shard1"), &self.1)?;
            Ok(Box::new(home))
        }
    }

    impl Site for MemoryDisk {
        fn open(&self) -> Result<Box<dyn ShardHome>> {
            Ok(Box::new(MemoryDisk::open(self)?))
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

    fn folder(options: HomeOptions) -> Box<dyn Site> {
        Box::new(Folder(tempfile::tempdir().unwrap(), options))
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
        let path = parent.path().join("films_shard1");
        let _home = LocalHome::open(&path).unwrap();
        let error = LocalHome::open(&path).err().unwrap();
        assert_eq!(error.kind(), &ErrorKind::Fenced);
        assert!(error.message().contains("films_shard1"), "{error}");
    }

    #[test]
    fn another_shards_files_are_refused() {
        let disk = MemoryDisk::default();
        let home = disk.open().unwrap();
        let at = home.log().append(b"mine").unwrap();
        home.log().wait_durable(at).unwrap();
        home.manifests().publish(None, b"mine").unwrap();
        drop(home);
        let disk = disk.with_options(HomeOptions { stream: [1; 16], ..HomeOptions::default() });
        let home = disk.open().unwrap();
        let corrupt = |error: Error| matches!(error.kind(), ErrorKind::Corrupt { .. });
        assert!(corrupt(records(&home, None).unwrap_err()));
        assert!(corrupt(home.log().append(b"theirs").unwrap_err()));
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
