//! Manifests and segment files of a home in memory. Whatever writes asks first whether it still owns the
//! shard.
//!
//! Behaves as a medium over a network may: a publication can stay without an answer, and land or not land
//! later, as the test that owns the site has said (`memory`). Reading asks nobody, as an archive does.

use std::io;

use super::medium::{Opening, Shared};
use crate::contract::{ManifestStore, SegmentFile, SegmentStore, SegmentWriter, Verified, WrittenFile};
use crate::name::check_name;
use crate::site::ShardArchive;
use crate::{Error, ErrorKind, Result, SegmentBytes};

pub(super) struct Files {
    pub(super) shared: Shared,
    pub(super) opening: Opening,
}

/// A shard as somebody else reads it.
pub(super) struct MemoryArchive(pub(super) Shared);

impl Shared {
    fn newest(&self) -> Option<(u64, Vec<u8>)> {
        self.medium().manifests.last().cloned()
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        let name = &file.name;
        check_name(name)?;
        let missing =
            || Error::new(ErrorKind::NotFound, format!("there is no file `{name}`; check the name"));
        let bytes = self.medium().segments.get(name).cloned().ok_or_else(missing)?;
        file.check_size(bytes.len() as u64)?;
        Ok(bytes)
    }
}

impl ShardArchive for MemoryArchive {
    fn newest(&self) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.0.newest())
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.0.open(file)
    }
}

impl ManifestStore for Files {
    fn load(&self) -> Result<Option<(u64, Vec<u8>)>> {
        Ok(self.shared.newest())
    }

    fn publish(&self, expected: Option<u64>, manifest: &[u8]) -> Result<u64> {
        let mut medium = self.shared.medium();
        self.opening.check(&mut medium)?;
        // As a folder: what is offered is written first, and only then is it seen that it is there.
        medium.check_room(manifest.len())?;
        let newest = medium.manifests.last().map(|(version, _)| *version);
        if newest > expected && medium.manifests.last().is_some_and(|(_, bytes)| bytes == manifest) {
            medium.counts.published_again += 1;
            return Ok(newest.unwrap_or_default());
        }
        if newest != expected {
            let message = format!("the newest manifest is {newest:?}, not {expected:?}; load it");
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        medium.take(manifest.len())?;
        let version = newest.unwrap_or(0) + 1;
        medium.manifest_under_way = None;
        match medium.unanswered_publication.take() {
            None => {
                medium.manifests.push((version, manifest.to_vec()));
                return Ok(version);
            }
            Some(true) => medium.manifests.push((version, manifest.to_vec())),
            Some(false) => medium.manifest_under_way = Some((version, manifest.to_vec())),
        }
        medium.counts.unpublished += 1;
        Err(Error::new(ErrorKind::Unknown, "the medium has not answered; publish it again"))
    }
}

impl Files {
    fn write(&self, name: &str, bytes: Vec<u8>) -> Result<WrittenFile> {
        let mut medium = self.shared.medium();
        self.opening.check(&mut medium)?;
        if medium.segments.contains_key(name) {
            let message = format!("segment file `{name}` exists; segment files are written once");
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        medium.take(bytes.len())?;
        let file = SegmentFile::describe(name, &bytes);
        let bytes = SegmentBytes::from(bytes);
        medium.segments.insert(name.to_owned(), bytes.clone());
        Ok(WrittenFile { file, bytes })
    }
}

impl SegmentStore for Files {
    fn create(&self, name: &str) -> Result<Box<dyn SegmentWriter>> {
        check_name(name)?;
        let files = Self { shared: self.shared.clone(), opening: self.opening };
        Ok(Box::new(MemoryWriter { files, name: name.to_owned(), bytes: Vec::new() }))
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>> {
        files.iter().try_for_each(|(name, _)| check_name(name))?;
        files.iter().map(|(name, bytes)| Ok(self.write(name, bytes.to_vec())?.file)).collect()
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.shared.open(file)
    }

    fn verify(&self, file: &SegmentFile) -> Result<Verified> {
        file.check(&self.shared.open(file)?)?;
        Ok(Verified::Sound)
    }

    fn remove(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let mut medium = self.shared.medium();
        self.opening.check(&mut medium)?;
        medium.segments.remove(name);
        Ok(())
    }

    fn list(&self) -> Result<Vec<String>> {
        Ok(self.shared.medium().segments.keys().cloned().collect())
    }
}

struct MemoryWriter {
    files: Files,
    name: String,
    bytes: Vec<u8>,
}

impl io::Write for MemoryWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SegmentWriter for MemoryWriter {
    fn finish(self: Box<Self>) -> Result<WrittenFile> {
        let Self { files, name, bytes } = *self;
        files.write(&name, bytes)
    }
}
