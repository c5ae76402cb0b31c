//! A folder that is used like an object store (`file://`): for tests, and for trials on one host. A key is a
//! path below it. An object is written under a temporary name, synced, and given its own by a hard link,
//! which fails where that name is taken: renaming would replace it. So it works where links and syncs do,
//! hence not on every network file system.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::medium::{Attempt, Failure, FailureKind, Medium, ObjectBytes};

pub struct FolderMedium {
    root: PathBuf,
    /// Temporary names of this process.
    staged: AtomicU64,
    syncs: bool,
}

impl FolderMedium {
    /// The folder is made when something is put into it.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), staged: AtomicU64::new(0), syncs: true }
    }

    /// One that outlives its processes and no power cut: for suites in which no power is cut.
    #[cfg(any(test, feature = "faults"))]
    pub fn unsynced(root: impl Into<PathBuf>) -> Self {
        Self { syncs: false, ..Self::new(root) }
    }

    fn path_of(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// Writes the bytes under a temporary name of that folder, durably.
    fn stage(&self, folder: &Path, bytes: &[u8]) -> Attempt<PathBuf> {
        self.create_folders(folder).map_err(|error| unoffered("create", folder, &error))?;
        loop {
            let number = self.staged.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".{}-{number}.partial", std::process::id()));
            let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                // Left by an earlier process of that number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened.map_err(|error| unoffered("create", &path, &error))?,
            };
            let written = file.write_all(bytes).and_then(|()| self.sync(&file));
            return match written {
                Ok(()) => Ok(path),
                Err(error) => {
                    // Best effort: nobody reads such names.
                    let _ = fs::remove_file(&path);
                    Err(unoffered("write", &path, &error))
                }
            };
        }
    }

    /// Creates a folder and its missing parents, durably.
    fn create_folders(&self, folder: &Path) -> io::Result<()> {
        if folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.create_folders(parent)?;
            match fs::create_dir(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => self.sync_folder(parent)?,
            }
        }
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        self.sync(&File::open(folder)?)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        if self.syncs { file.sync_all() } else { Ok(()) }
    }
}

impl Medium for FolderMedium {
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        let path = self.path_of(key);
        let folder = path.parent().unwrap_or(&self.root);
        // Looked at first only to save the writing: it is the link that decides.
        let linked = if path.exists() {
            Err(io::Error::from(io::ErrorKind::AlreadyExists))
        } else {
            let staged = self.stage(folder, bytes)?;
            let linked = fs::hard_link(&staged, &path);
            let _ = fs::remove_file(&staged);
            linked
        };
        match linked {
            // Whoever made it may not have synced the folder: who reads it next relies on it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.sync_folder(folder).map_err(|error| unanswered("sync", folder, &error))?;
                Err(Failure::new(FailureKind::Exists, format!("`{}` exists", path.display())))
            }
            Err(error) => Err(unoffered("link", &path, &error)),
            // It has its name; whether a crash would find it is open.
            Ok(()) => self.sync_folder(folder).map_err(|error| unanswered("sync", folder, &error)),
        }
    }

    fn get(&self, key: &str) -> Attempt<Vec<u8>> {
        let path = self.path_of(key);
        fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(FailureKind::Missing, error.to_string()),
            _ => unanswered("read", &path, &error),
        })
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>> {
        let path = self.path_of(key);
        let read = |range: &Range<u64>| {
            let mut file = File::open(&path)?;
            file.seek(io::SeekFrom::Start(range.start))?;
            let mut bytes = Vec::new();
            file.take(range.end - range.start).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(FailureKind::Missing, error.to_string()),
            _ => unanswered("read", &path, &error),
        };
        ranges.iter().map(|range| read(range).map_err(failed)).collect()
    }

    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        let path = self.path_of(key);
        let folder = path.parent().unwrap_or(&self.root);
        let staged = self.stage(folder, bytes)?;
        let placed = fs::rename(&staged, &path).and_then(|()| self.sync_folder(folder));
        placed.map_err(|error| unanswered("replace", &path, &error))
    }

    fn delete(&self, key: &str) -> Attempt<()> {
        let path = self.path_of(key);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unanswered("remove", &path, &error)),
            _ => Ok(()),
        }
    }

    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>> {
        let mut found = Vec::new();
        let folder = self.path_of(prefix);
        walk(&folder, prefix.trim_end_matches('/'), &mut found)
            .map_err(|error| unanswered("list", &folder, &error))?;
        found.sort_unstable();
        Ok(found)
    }

    fn name(&self) -> String {
        format!("file://{}", self.root.display())
    }

    fn space_left(&self) -> Option<u64> {
        let found = self.root.ancestors().find_map(|folder| rustix::fs::statvfs(folder).ok())?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, u64)>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let key = format!("{prefix}/{name}");
        match entry.metadata() {
            Ok(it) if it.is_dir() => walk(&entry.path(), &key, found)?,
            Ok(it) => found.push((key, it.len())),
            // Deleted since the folder was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Of a failure before the object had its name.
fn unoffered(action: &str, path: &Path, error: &io::Error) -> Failure {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FailureKind::Full,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => FailureKind::Refused,
        _ => FailureKind::Unanswered,
    };
    Failure::new(kind, format!("cannot {action} `{}`: {error}", path.display()))
}

fn unanswered(action: &str, path: &Path, error: &io::Error) -> Failure {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => FailureKind::Refused,
        _ => FailureKind::Unanswered,
    };
    Failure::new(kind, format!("cannot {action} `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_once_and_listed_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let medium = FolderMedium::new(folder.path().join("bucket"));
        assert_eq!(medium.list("shards/").unwrap(), []);
        let bytes: ObjectBytes = b"first".as_slice().into();
        medium.create("shards/a/2", &bytes).unwrap();
        medium.create("shards/a/1", &bytes).unwrap();
        medium.create("shards/ab", &bytes).unwrap();
        let taken = medium.create("shards/a/2", &b"second".as_slice().into()).unwrap_err();
        assert_eq!(taken.kind, FailureKind::Exists);
        assert_eq!(medium.get("shards/a/2").unwrap(), b"first");
        assert_eq!(
            medium.list("shards/a/").unwrap(),
            [("shards/a/1".to_owned(), 5), ("shards/a/2".to_owned(), 5)]
        );
        medium.delete("shards/a/1").unwrap();
        medium.delete("shards/a/1").unwrap();
        assert_eq!(medium.get("shards/a/1").unwrap_err().kind, FailureKind::Missing);
        assert_eq!(medium.list("shards/").unwrap().len(), 2);
        assert!(medium.space_left().is_some_and(|left| left > 0));
    }

    #[test]
    fn one_of_many_creates_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let medium = FolderMedium::new(folder.path());
        for round in 0..8 {
            let won: usize = std::thread::scope(|scope| {
                let create = |number: u8| medium.create(&format!("a/{round}"), &vec![number].into());
                let threads: Vec<_> =
                    (0..8).map(|number| scope.spawn(move || create(number).is_ok())).collect();
                threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
            });
            assert_eq!(won, 1);
        }
    }
}
