//! The chain of manifests in a folder: one file per version, created once, whole or not at all. What a
//! manifest says is `engine`'s business. The last few versions are kept, so that a damaged newest one leaves
//! something to start from.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::contract::ManifestStore;
use crate::disk::{Disk, FolderLock, Readers, stage};
use crate::log::format::StreamId;
use crate::{Error, ErrorKind, Result};

/// Versions kept, the newest included.
const KEPT: usize = 4;
const MAGIC: [u8; 8] = *b"PHLNMAN\n";
const FORMAT: u32 = 1;
const ENVELOPE_BYTES: usize = 48;

/// How often a reader looks again when the manifests it listed are gone by the time it reads them.
const LOOKS_MAX: usize = 8;

/// The manifests of a folder, to be read by owner and others alike.
pub(crate) struct ManifestFolder {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) folder: PathBuf,
    pub(crate) stream: StreamId,
}

impl ManifestFolder {
    /// Ascending.
    fn versions(&self) -> Result<Vec<u64>> {
        let entries = match self.disk.list(&self.folder) {
            // Nobody has owned the shard yet.
            Err(source) if source.kind() == io::ErrorKind::NotFound => Vec::new(),
            listed => listed.map_err(|source| Error::io("list", &self.folder, source))?,
        };
        let mut versions: Vec<u64> =
            entries.iter().filter_map(|entry| version_of_name(&entry.name)).collect();
        versions.sort_unstable();
        Ok(versions)
    }

    fn read(&self, version: u64) -> Result<Option<Vec<u8>>> {
        let path = self.folder.join(file_name(version));
        // Mapped rather than opened: an archive may not be allowed to write.
        let bytes = self.disk.map(&path).map_err(|source| Error::io("read", &path, source))?;
        let Some(envelope) = Envelope::decode(&bytes).filter(|envelope| envelope.version == version) else {
            return Ok(None);
        };
        if envelope.stream != self.stream {
            return Err(Error::corrupt(&file_name(version), 0, "it belongs to another shard"));
        }
        Ok(Some(envelope.manifest.to_vec()))
    }

    /// The newest valid manifest and its version.
    pub(crate) fn load(&self) -> Result<Option<(u64, Vec<u8>)>> {
        for _ in 0..LOOKS_MAX {
            match self.look() {
                // Its owner has published and removed since the folder was listed.
                Err(error) if *error.kind() == ErrorKind::NotFound => {}
                result => return result,
            }
        }
        Err(Error::new(ErrorKind::Retry, "manifests come and go faster than they can be read; try again"))
    }

    fn look(&self) -> Result<Option<(u64, Vec<u8>)>> {
        for version in self.versions()?.into_iter().rev() {
            if let Some(manifest) = self.read(version)? {
                return Ok(Some((version, manifest)));
            }
        }
        Ok(None)
    }
}

pub(crate) struct LocalManifests {
    files: ManifestFolder,
    publishing: Mutex<()>,
    _owner: Arc<FolderLock>,
}

impl LocalManifests {
    pub(crate) fn new(files: ManifestFolder, owner: Arc<FolderLock>) -> Self {
        Self { files, publishing: Mutex::new(()), _owner: owner }
    }

    fn remove_old(&self, versions: &[u64]) {
        let old = versions.len().saturating_sub(KEPT);
        for version in versions.iter().take(old) {
            // Best effort: the next publication tries again.
            let _ = self.files.disk.remove_file(&self.files.folder.join(file_name(*version)));
        }
    }
}

impl ManifestStore for LocalManifests {
    fn load(&self) -> Result<Option<(u64, Vec<u8>)>> {
        self.files.load()
    }

    fn older(&self) -> Result<Vec<Vec<u8>>> {
        let _publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |version: u64| self.files.read(version).transpose();
        let found = self.files.versions()?.into_iter().rev().filter_map(read);
        found.skip(1).collect()
    }

    fn publish(&self, expected: Option<u64>, manifest: &[u8]) -> Result<u64> {
        let _publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = self.load().map_err(unoffered)?;
        let mut versions = self.files.versions().map_err(unoffered)?;
        let version = match newest {
            // Offered before, and the answer was unknown. Written anew all the same: a sync of what a failed
            // one has left may promise what the disk does not have.
            Some((version, offered)) if Some(version) > expected && offered == manifest => version,
            newest if newest.as_ref().map(|(version, _)| *version) != expected => {
                return Err(conflict(newest.map(|(version, _)| version), expected));
            }
            // Behind a damaged one too: a version is never given out twice.
            _ => {
                versions.push(versions.last().copied().unwrap_or(0).saturating_add(1));
                versions.last().copied().unwrap_or_default()
            }
        };
        let ManifestFolder { disk, folder, stream } = &self.files;
        let envelope = Envelope { stream: *stream, version, manifest }.encode();
        let staged =
            stage(Readers::Umask, disk, folder, &file_name(version), &envelope).map_err(unoffered)?;
        staged.place().map_err(unresolved)?;
        self.remove_old(&versions);
        Ok(version)
    }
}

/// Before the manifest has its name nothing has happened: whatever failed (no descriptor is free, say) may go
/// well the next time.
fn unoffered(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Failed => Error::new(ErrorKind::Retry, error.message().to_owned()).with_source(error),
        _ => error,
    }
}

/// From then on nobody knows whether a crash would find it, whatever the cause: not even of a full disk.
fn unresolved(error: Error) -> Error {
    let message =
        format!("{}; whether the manifest is published is not known, publish it again", error.message());
    Error::new(ErrorKind::Unknown, message).with_source(error)
}

fn conflict(newest: Option<u64>, expected: Option<u64>) -> Error {
    let name = |version: Option<u64>| version.map_or("none".to_owned(), |version| format!("`{version}`"));
    let message =
        format!("the newest manifest is {}, not {}; load it and decide again", name(newest), name(expected));
    Error::new(ErrorKind::Conflict, message)
}

fn file_name(version: u64) -> String {
    format!("{version:020}.manifest")
}

fn version_of_name(name: &str) -> Option<u64> {
    let version = name.strip_suffix(".manifest")?.parse().ok()?;
    (file_name(version) == name).then_some(version)
}

/// What a manifest file holds: magic, format, stream, version, length, CRC-32 of all but itself, the
/// manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub stream: StreamId,
    pub version: u64,
    pub manifest: &'a [u8],
}

impl<'a> Envelope<'a> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(ENVELOPE_BYTES + self.manifest.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&self.stream);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&(self.manifest.len() as u64).to_le_bytes());
        let crc = crc_of(&bytes, self.manifest);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(self.manifest);
        bytes
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (head, manifest) = bytes.split_at_checked(ENVELOPE_BYTES)?;
        let (body, crc) = head.split_at_checked(ENVELOPE_BYTES - 4)?;
        let (magic, rest) = body.split_first_chunk::<8>()?;
        let (format, rest) = rest.split_first_chunk::<4>()?;
        let (stream, rest) = rest.split_first_chunk::<16>()?;
        let (version, rest) = rest.split_first_chunk::<8>()?;
        let (length, _) = rest.split_first_chunk::<8>()?;
        let whole = *magic == MAGIC
            && u32::from_le_bytes(*format) == FORMAT
            && u64::from_le_bytes(*length) == manifest.len() as u64
            && crc_of(body, manifest).to_le_bytes() == crc;
        whole.then_some(Self { stream: *stream, version: u64::from_le_bytes(*version), manifest })
    }
}

fn crc_of(head: &[u8], manifest: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(manifest);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShardHome;
    use crate::faults::MemoryDisk;

    #[test]
    fn envelope_survives_the_round_trip_and_no_flipped_bit() {
        let envelope = Envelope { stream: [3; 16], version: 7, manifest: b"segments" };
        let bytes = envelope.encode();
        assert_eq!(Envelope::decode(&bytes), Some(envelope));
        for cut in 0..bytes.len() {
            assert_eq!(Envelope::decode(&bytes[..cut]), None, "cut at {cut}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Envelope::decode(&bytes), None, "bit {bit}");
        }
    }

    fn files(disk: &MemoryDisk) -> Vec<PathBuf> {
        let ours = |path: &PathBuf| path.extension().is_some_and(|end| end == "manifest");
        disk.paths().into_iter().filter(ours).collect()
    }

    #[test]
    fn a_damaged_newest_is_passed_over_and_its_version_never_reused() {
        let disk = MemoryDisk::default();
        let chain = disk.open().unwrap().manifests();
        let first = chain.publish(None, b"first").unwrap();
        let second = chain.publish(Some(first), b"second").unwrap();
        disk.damage(&files(&disk)[1], |bytes| bytes[50] ^= 1).unwrap();
        assert_eq!(chain.load().unwrap(), Some((first, b"first".to_vec())));
        let third = chain.publish(Some(first), b"third").unwrap();
        assert!(third > second);
        assert_eq!(chain.load().unwrap(), Some((third, b"third".to_vec())));
    }

    #[test]
    fn a_publication_without_an_answer_is_made_again() {
        let disk = MemoryDisk::default();
        let chain = disk.open().unwrap().manifests();
        let first = chain.publish(None, b"first").unwrap();
        disk.fail_create_after(0);
        let failure = chain.publish(Some(first), b"second").unwrap_err();
        assert_eq!(failure.kind(), &ErrorKind::Retry, "nothing was offered: {failure}");
        for kind in [io::ErrorKind::Other, io::ErrorKind::StorageFull] {
            disk.fail_folder_sync_after(0, kind);
            let failure = chain.publish(Some(first), b"second").unwrap_err();
            assert_eq!(failure.kind(), &ErrorKind::Unknown, "{failure}");
        }
        let other = chain.publish(Some(first), b"another").unwrap_err();
        assert_eq!(other.kind(), &ErrorKind::Conflict);
        let second = chain.publish(Some(first), b"second").unwrap();
        assert_eq!(second, first + 1);
        disk.cut_power(1);
        let chain = disk.open().unwrap().manifests();
        assert_eq!(chain.load().unwrap(), Some((second, b"second".to_vec())));
    }

    #[test]
    fn old_versions_go() {
        let disk = MemoryDisk::default();
        let chain = disk.open().unwrap().manifests();
        let last = (0..20).fold(None, |version, _| Some(chain.publish(version, b"x").unwrap()));
        assert_eq!(last, Some(20));
        assert_eq!(files(&disk).len(), KEPT);
    }
}
