//! Small named files below one folder: where a node keeps its collections' configuration. Each file is
//! replaced whole or not at all. What the files say is the caller's business; names that could leave the
//! folder are refused here.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::disk::{Disk, Readers, RealDisk, publish_to};
use crate::name::{check_name, check_path};
use crate::{Error, Result};

/// Files and folders below a root. Paths are relative, parts separated by `/`, each matching
/// `[A-Za-z0-9_.-]+` without a leading dot; anything else is `Invalid`.
pub struct ConfigFiles {
    disk: Arc<dyn Disk>,
    root: PathBuf,
    writing: Mutex<()>,
}

/// A name in a folder of [`ConfigFiles`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigEntry {
    pub name: String,
    pub is_folder: bool,
}

impl ConfigFiles {
    /// Opens the folder `root`, creating it if need be.
    pub fn open(root: &Path) -> Result<Self> {
        Self::open_on(Arc::new(RealDisk), root)
    }

    pub(crate) fn open_on(disk: Arc<dyn Disk>, root: &Path) -> Result<Self> {
        disk.create_folders(root).map_err(|source| Error::io("create", root, source))?;
        Ok(Self { disk, root: root.to_owned(), writing: Mutex::new(()) })
    }

    /// The whole file; `NotFound` when there is none.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        check_path(path)?;
        let path = self.root.join(path);
        let read = self.disk.open(&path).and_then(|file| file.read_all());
        read.map_err(|source| Error::io("read", &path, source))
    }

    /// Creates or replaces a file and the folders above it, durable on return. A crash leaves the old or the
    /// new.
    pub fn write_atomic(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.write(Readers::Umask, path, bytes)
    }

    /// The same for a file that nobody else on the machine may read.
    pub fn write_secret(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.write(Readers::Owner, path, bytes)
    }

    fn write(&self, readers: Readers, path: &str, bytes: &[u8]) -> Result<()> {
        check_path(path)?;
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.root.join(folder);
        self.disk.create_folders(&folder).map_err(|source| Error::io("create", &folder, source))?;
        // A crash may have left a partial of this name, and nobody else writes now.
        let _ = self.disk.remove_file(&folder.join(format!(".{name}.partial")));
        publish_to(readers, &self.disk, &folder, name, bytes)
    }

    /// Creates a folder and those above it; one that exists is fine.
    pub fn create_folder(&self, path: &str) -> Result<()> {
        check_path(path)?;
        let folder = self.root.join(path);
        self.disk.create_folders(&folder).map_err(|source| Error::io("create", &folder, source))
    }

    /// What is in a folder, by name; `""` is the root. `NotFound` when there is no such folder.
    pub fn list(&self, folder: &str) -> Result<Vec<ConfigEntry>> {
        if !folder.is_empty() {
            check_path(folder)?;
        }
        let folder = self.root.join(folder);
        let entries = self.disk.list(&folder).map_err(|source| Error::io("list", &folder, source))?;
        let named = entries.into_iter().filter(|entry| check_name(&entry.name).is_ok());
        Ok(named.map(|entry| ConfigEntry { name: entry.name, is_folder: entry.is_folder }).collect())
    }

    /// Makes durable which names the folder of a path has.
    pub(crate) fn sync_folder_of(&self, path: &str) -> Result<()> {
        check_path(path)?;
        let folder = self.root.join(path.rsplit_once('/').map_or("", |(folder, _)| folder));
        match self.disk.sync_folder(&folder) {
            // No folder, no name in it.
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(|source| Error::io("sync", &folder, source)),
        }
    }

    /// Removes a file, or a folder with all below it, durably. Removing what is not there succeeds.
    pub fn remove(&self, path: &str) -> Result<()> {
        check_path(path)?;
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.root.join(path);
        let removed = match self.disk.list(&path) {
            Ok(_) => self.disk.remove_folder(&path),
            Err(_) => self.disk.remove_file(&path),
        };
        match removed {
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
            result => result.map_err(|source| Error::io("remove", &path, source))?,
        }
        let parent = path.parent().unwrap_or(&self.root);
        self.disk.sync_folder(parent).map_err(|source| Error::io("sync", parent, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::faults::MemoryDisk;

    fn names(files: &ConfigFiles, folder: &str) -> Vec<String> {
        let entries = files.list(folder).unwrap().into_iter();
        entries.map(|entry| if entry.is_folder { entry.name + "/" } else { entry.name }).collect()
    }

    fn check_files(files: &ConfigFiles) {
        assert_eq!(names(files, ""), [""; 0]);
        files.write_atomic("films/schema.xml", b"one").unwrap();
        files.write_atomic("films/schema.xml", b"two").unwrap();
        files.write_atomic("films/lang/stopwords_en.txt", b"the").unwrap();
        files.write_atomic("node.toml", b"").unwrap();
        files.create_folder("empty").unwrap();
        assert_eq!(files.read("films/schema.xml").unwrap(), b"two");
        assert_eq!(names(files, ""), ["empty/", "films/", "node.toml"]);
        assert_eq!(names(files, "films"), ["lang/", "schema.xml"]);
        files.remove("films").unwrap();
        files.remove("films").unwrap();
        files.remove("node.toml").unwrap();
        assert_eq!(names(files, ""), ["empty/"]);
        let check = |result: Result<()>, want: ErrorKind| assert_eq!(result.unwrap_err().kind(), &want);
        check(files.read("films/schema.xml").map(|_| ()), ErrorKind::NotFound);
        check(files.list("films").map(|_| ()), ErrorKind::NotFound);
        check(files.read("../secret").map(|_| ()), ErrorKind::Invalid);
        check(files.list("/etc").map(|_| ()), ErrorKind::Invalid);
        check(files.write_atomic("a/../../b", b""), ErrorKind::Invalid);
        check(files.write_atomic(".hidden", b""), ErrorKind::Invalid);
        check(files.remove(""), ErrorKind::Invalid);
        check(files.create_folder("a//b"), ErrorKind::Invalid);
    }

    #[test]
    fn a_folder_and_a_disk_in_memory_behave_alike() {
        let folder = tempfile::tempdir().unwrap();
        check_files(&ConfigFiles::open(&folder.path().join("config")).unwrap());
        check_files(&MemoryDisk::default().open_config().unwrap());
    }

    #[test]
    fn a_secret_is_its_owners() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let files = ConfigFiles::open(folder.path()).unwrap();
        files.write_atomic("open", b"one").unwrap();
        files.write_secret("secret", b"one").unwrap();
        let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("secret"), 0o600);
        assert_ne!(mode("open") & 0o400, 0);
        // Whatever it was before.
        files.write_secret("open", b"two").unwrap();
        assert_eq!((mode("open"), files.read("open").unwrap().as_slice()), (0o600, &b"two"[..]));
    }

    #[test]
    fn a_crash_leaves_the_old_or_the_new() {
        for seed in 0..64 {
            let disk = MemoryDisk::default();
            disk.open_config().unwrap().write_atomic("a/b.json", &[1; 2000]).unwrap();
            disk.fail_sync_after(0);
            assert!(disk.open_config().unwrap().write_atomic("a/b.json", &[2; 3000]).is_err());
            disk.cut_power(seed);
            let files = disk.open_config().unwrap();
            assert_eq!(files.read("a/b.json").unwrap(), [1; 2000]);
            files.write_atomic("a/b.json", &[3; 4000]).unwrap();
            disk.cut_power(seed);
            assert_eq!(disk.open_config().unwrap().read("a/b.json").unwrap(), [3; 4000]);
        }
    }
}
