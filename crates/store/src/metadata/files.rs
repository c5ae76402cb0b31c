//! Documents as plain files below a folder, under their own names, so that people can read them and earlier
//! releases too.
//!
//! The files say nothing of versions. They are given when a document is first read after the folder was
//! opened, and from a number that the folder keeps of its openings (`.openings`), so that none comes twice.
//! One process has the folder. A file that somebody edits by hand gets a new version when it is next looked
//! at.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::disk::{Disk, Readers, RealDisk, publish_to};
use crate::metadata::watch::Watchers;
use crate::metadata::{Hint, MetadataStore, VersionedBytes, Watch, check_version};
use crate::{ConfigFiles, Error, ErrorKind, Result};

/// Of openings so far. No document has a name that begins with a dot.
const OPENINGS: &str = ".openings";
/// Changes that one opening has numbers for: 2^32.
const CHANGES_BITS: u32 = 32;

/// The documents below one folder.
pub struct MetadataFiles {
    files: ConfigFiles,
    /// Documents that only the owner of the process may read.
    secrets: &'static [&'static str],
    versions: Mutex<Versions>,
    watchers: Watchers,
}

/// What was given out since the folder was opened.
struct Versions {
    last: u64,
    known: HashMap<String, Known>,
    /// Documents whose last change failed half-way: what is there may not outlive a power cut.
    unsettled: HashSet<String>,
}

/// A content, by what tells it from others, and its version. Two contents that agree in both differ by no
/// accident.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Content {
    size: usize,
    crc32: u32,
}

struct Known {
    content: Content,
    version: u64,
}

impl MetadataFiles {
    /// Opens the folder `root`, creating it if need be. Files of the names in `secrets` are written for their
    /// owner alone.
    pub fn open(root: &Path, secrets: &'static [&'static str]) -> Result<Self> {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        Self::open_on(&disk, root, secrets)
    }

    pub(crate) fn open_on(
        disk: &Arc<dyn Disk>,
        root: &Path,
        secrets: &'static [&'static str],
    ) -> Result<Self> {
        let files = ConfigFiles::open_on(disk.clone(), root)?;
        let opening = count_opening(disk, root)?;
        let versions =
            Versions { last: opening << CHANGES_BITS, known: HashMap::new(), unsettled: HashSet::new() };
        Ok(Self { files, secrets, versions: Mutex::new(versions), watchers: Watchers::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Versions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it answers is durable, also after a change that failed.
    fn read(&self, versions: &mut Versions, name: &str) -> Result<Option<VersionedBytes>> {
        let bytes = match self.files.read(name) {
            Ok(bytes) => Some(bytes),
            Err(error) if *error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if versions.unsettled.contains(name) {
            match &bytes {
                // Written anew: a sync that failed may have dropped what it should have written, and say
                // nothing the next time.
                Some(bytes) => self.write(name, bytes)?,
                None => self.files.sync_folder_of(name)?,
            }
            versions.unsettled.remove(name);
        }
        if bytes.is_none() {
            versions.known.remove(name);
        }
        Ok(bytes.map(|bytes| VersionedBytes { version: versions.of(name, &bytes), bytes }))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        if self.secrets.contains(&name) {
            self.files.write_secret(name, bytes)
        } else {
            self.files.write_atomic(name, bytes)
        }
    }

    /// What a change that failed has come to, by what is there now. A file gets its name, or loses it, before
    /// its folder is synced: a failure of that sync, of whatever kind, leaves the change seen and not yet
    /// durable.
    fn outcome(&self, versions: &mut Versions, (name, wanted): (&str, Option<&[u8]>), error: Error) -> Error {
        let present = match self.files.read(name) {
            Ok(bytes) => Some(bytes),
            Err(error) if *error.kind() == ErrorKind::NotFound => None,
            Err(_) => return versions.unsettle(name, error),
        };
        match error.kind() {
            _ if present.as_deref() == wanted => versions.unsettle(name, error),
            // Of the temporary file. To a caller a conflict means another version, and to try again at once.
            ErrorKind::Conflict => {
                Error::new(ErrorKind::Failed, error.message().to_owned()).with_source(error)
            }
            _ => error,
        }
    }

    /// Compares under the lock that all changes take.
    fn check(&self, versions: &mut Versions, name: &str, expected: Option<u64>) -> Result<()> {
        let present = self.read(versions, name)?.map(|found| found.version);
        check_version(name, present, expected)
    }
}

impl MetadataStore for MetadataFiles {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        self.read(&mut self.lock(), name)
    }

    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64> {
        // Held over the write: the version that is compared is the one that is replaced.
        let mut versions = self.lock();
        self.check(&mut versions, name, expected)?;
        // A new number even if the write fails: it may have landed all the same.
        versions.known.remove(name);
        self.write(name, bytes).map_err(|error| self.outcome(&mut versions, (name, Some(bytes)), error))?;
        let version = versions.of(name, bytes);
        // Hints come without the lock: whoever gets one may read at once.
        drop(versions);
        self.watchers.tell(name);
        Ok(version)
    }

    fn delete(&self, name: &str, expected: u64) -> Result<()> {
        let mut versions = self.lock();
        self.check(&mut versions, name, Some(expected))?;
        self.files.remove(name).map_err(|error| self.outcome(&mut versions, (name, None), error))?;
        versions.known.remove(name);
        drop(versions);
        self.watchers.tell(name);
        Ok(())
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        match self.files.list(folder) {
            Ok(entries) => Ok(entries.into_iter().map(|entry| entry.name).collect()),
            Err(error) if *error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        Ok(self.watchers.add(folder, hint))
    }
}

impl Versions {
    /// The version of a content that was found or written; a new one unless it is the last known.
    fn of(&mut self, name: &str, bytes: &[u8]) -> u64 {
        let content = Content { size: bytes.len(), crc32: crc32fast::hash(bytes) };
        if let Some(known) = self.known.get(name).filter(|known| known.content == content) {
            return known.version;
        }
        self.last += 1;
        self.known.insert(name.to_owned(), Known { content, version: self.last });
        self.last
    }

    /// The next read makes durable what it finds; until then nobody knows what became of the change.
    fn unsettle(&mut self, name: &str, error: Error) -> Error {
        self.unsettled.insert(name.to_owned());
        Error::new(ErrorKind::Unknown, error.message().to_owned()).with_source(error)
    }
}

/// The number of this opening, kept before it is used.
fn count_opening(disk: &Arc<dyn Disk>, root: &Path) -> Result<u64> {
    let path = root.join(OPENINGS);
    let before = match disk.open(&path).and_then(|file| file.read_all()) {
        Ok(bytes) => parse_openings(&bytes)?,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => 0,
        Err(source) => return Err(Error::io("read", &path, source)),
    };
    let _ = disk.remove_file(&root.join(format!(".{OPENINGS}.partial")));
    match publish_to(Readers::Umask, disk, root, OPENINGS, format!("{}\n", before + 1).as_bytes()) {
        // On a full disk reads go on. Another opening may then count the same, which matters to nobody who is
        // still there.
        Err(error) if *error.kind() != ErrorKind::Full => Err(error),
        _ => Ok(before + 1),
    }
}

fn parse_openings(bytes: &[u8]) -> Result<u64> {
    let number = std::str::from_utf8(bytes).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let message = "what is in it is no number; delete the file, so that versions begin anew";
    number.map(u64::from).ok_or_else(|| Error::corrupt(OPENINGS, 0, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::MemoryDisk;
    use crate::metadata::conformance::check_metadata;

    #[test]
    fn files_keep_the_contract() {
        check_metadata(&|| {
            let folder = tempfile::tempdir().unwrap();
            Box::new(move || Box::new(MetadataFiles::open(folder.path(), &[]).unwrap()))
        });
    }

    #[test]
    fn an_edit_by_hand_is_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let files = MetadataFiles::open(folder.path(), &[]).unwrap();
        let first = files.compare_and_set("a/b.json", None, b"one").unwrap();
        std::fs::write(folder.path().join("a/b.json"), b"two").unwrap();
        let stale = files.compare_and_set("a/b.json", Some(first), b"three").unwrap_err();
        assert_eq!(stale.kind(), &ErrorKind::Conflict);
        let found = files.get("a/b.json").unwrap().unwrap();
        assert!(found.bytes == b"two" && found.version > first);
        std::fs::remove_file(folder.path().join("a/b.json")).unwrap();
        assert!(files.compare_and_set("a/b.json", None, b"two").unwrap() > found.version);
    }

    #[test]
    fn a_power_cut_leaves_the_old_or_the_new() {
        for seed in 0..64 {
            let disk = MemoryDisk::default();
            let files = disk.open_metadata().unwrap();
            let old = files.compare_and_set("a", None, &[1; 2000]).unwrap();
            disk.fail_sync_after(0);
            files.compare_and_set("a", Some(old), &[2; 3000]).unwrap_err();
            // Half of the time somebody reads what became of it, and it stays so.
            let seen = (seed % 2 == 0).then(|| files.get("a").unwrap().unwrap());
            disk.cut_power(seed);
            let files = disk.open_metadata().unwrap();
            let found = files.get("a").unwrap().unwrap();
            assert!([vec![1; 2000], vec![2; 3000]].contains(&found.bytes), "torn");
            if let Some(seen) = seen {
                assert!(found.bytes == seen.bytes && found.version > seen.version);
            }
            files.compare_and_set("a", Some(found.version), &[3; 10]).unwrap();
            disk.cut_power(seed);
            assert_eq!(disk.open_metadata().unwrap().get("a").unwrap().unwrap().bytes, [3; 10]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_is_its_owners() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let files = MetadataFiles::open(folder.path(), &["key"]).unwrap();
        files.compare_and_set("key", None, b"k").unwrap();
        let mode = folder.path().join("key").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_count_of_openings_stops_the_start() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(OPENINGS), b"many").unwrap();
        let error = MetadataFiles::open(folder.path(), &[]).err().unwrap();
        assert!(error.message().contains("delete the file"), "{error}");
    }
}
