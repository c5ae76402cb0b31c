//! The files of a shard's segments as objects: each created once, under its name and the epoch in which it
//! was put. Only names of the own epoch and of earlier ones are known here, and so only those are removed: a
//! deposed owner that does not know it cannot take its successor's files away.
//!
//! Files go up side by side, and come down whole.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::Created;
use super::keys::segment_of;
use super::medium::ObjectBytes;
use super::owned::Owned;
use crate::contract::{SegmentFile, SegmentStore, SegmentWriter, WrittenFile};
use crate::name::check_name;
use crate::{Error, ErrorKind, Result, SegmentBytes};

#[derive(Clone)]
pub(crate) struct ObjectSegments {
    owned: Arc<Owned>,
    known: Arc<Mutex<BTreeMap<String, Known>>>,
}

#[derive(Clone, Copy)]
struct Known {
    epoch: u64,
    /// False while nobody knows whether it landed.
    is_there: bool,
}

impl ObjectSegments {
    pub(crate) fn open(owned: Arc<Owned>) -> Result<Self> {
        let mut known = BTreeMap::new();
        for (key, _) in owned.client.list(&owned.keys.segments())? {
            if let Some((name, epoch)) = segment_of(&key).filter(|(_, epoch)| *epoch <= owned.epoch()) {
                known.insert(name.to_owned(), Known { epoch, is_there: true });
            }
        }
        Ok(Self { owned, known: Arc::new(Mutex::new(known)) })
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, name: &str) -> Result<String> {
        check_name(name)?;
        let known = self.known().get(name).copied().ok_or_else(|| missing(name))?;
        Ok(self.owned.keys.segment(name, known.epoch))
    }

    fn put_files(&self, files: &[(String, ObjectBytes)]) -> Result<()> {
        self.owned.check()?;
        self.owned.client.check_space(files.iter().map(|(_, bytes)| bytes.len()).sum())?;
        let epoch = self.owned.epoch();
        let mut objects = Vec::with_capacity(files.len());
        {
            let mut known = self.known();
            if let Some((name, _)) =
                files.iter().find(|(name, _)| known.get(name).is_some_and(|it| it.is_there))
            {
                return Err(taken(name));
            }
            for (name, bytes) in files {
                known.insert(name.clone(), Known { epoch, is_there: false });
                objects.push((self.owned.keys.segment(name, epoch), Arc::clone(bytes)));
            }
        }
        let created = self.owned.client.create_all(&objects);
        let mut failure = None;
        for ((name, _), created) in files.iter().zip(created) {
            match created {
                Ok(Created::Ours) => {
                    self.known().insert(name.clone(), Known { epoch, is_there: true });
                }
                Ok(Created::Taken(_)) => failure = Some(taken(name)),
                // No manifest names it: it may be put again, or not.
                Err(error) if *error.kind() == ErrorKind::Unknown => {
                    let message = error.message().to_owned();
                    failure = Some(Error::new(ErrorKind::Retry, message).with_source(error));
                }
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn get(&self, name: &str) -> Result<Vec<u8>> {
        self.owned.client.get(&self.key(name)?)?.ok_or_else(|| missing(name))
    }
}

fn taken(name: &str) -> Error {
    let message = format!("segment file `{name}` exists; segment files are written once");
    Error::new(ErrorKind::Conflict, message)
}

fn missing(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("there is no file `{name}` in the store; check the name"))
}

fn describe(name: &str, bytes: &[u8]) -> SegmentFile {
    SegmentFile { name: name.to_owned(), size: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
}

/// Errors: `Corrupt` where the bytes are not those of the file.
pub(crate) fn check_file(file: &SegmentFile, bytes: &[u8]) -> Result<()> {
    file.check_size(bytes.len() as u64)?;
    let crc32 = crc32fast::hash(bytes);
    if crc32 == file.crc32 {
        return Ok(());
    }
    let what = format!("its CRC is {crc32:08x}, the manifest says {:08x}", file.crc32);
    Err(Error::corrupt(&file.name, 0, &what))
}

impl SegmentStore for ObjectSegments {
    fn create(&self, name: &str) -> Result<Box<dyn SegmentWriter>> {
        check_name(name)?;
        self.owned.check()?;
        Ok(Box::new(Writer { segments: self.clone(), name: name.to_owned(), bytes: Vec::new() }))
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>> {
        files.iter().try_for_each(|(name, _)| check_name(name))?;
        let files_put: Vec<(String, ObjectBytes)> =
            files.iter().map(|(name, bytes)| ((*name).to_owned(), (*bytes).into())).collect();
        self.put_files(&files_put)?;
        Ok(files.iter().map(|(name, bytes)| describe(name, bytes)).collect())
    }

    fn open(&self, name: &str) -> Result<SegmentBytes> {
        Ok(SegmentBytes::from(self.get(name)?))
    }

    fn verify(&self, file: &SegmentFile) -> Result<()> {
        check_file(file, &self.get(&file.name)?)
    }

    fn remove(&self, name: &str) -> Result<()> {
        check_name(name)?;
        self.owned.check()?;
        let Ok(key) = self.key(name) else { return Ok(()) };
        self.owned.client.delete_all(&[key])?;
        self.known().remove(name);
        Ok(())
    }

    fn list(&self) -> Result<Vec<String>> {
        Ok(self.known().keys().cloned().collect())
    }
}

/// A file that is gathered in memory until it is whole.
struct Writer {
    segments: ObjectSegments,
    name: String,
    bytes: Vec<u8>,
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SegmentWriter for Writer {
    fn finish(self: Box<Self>) -> Result<WrittenFile> {
        let Self { segments, name, bytes } = *self;
        let file = describe(&name, &bytes);
        segments.put_files(&[(name, bytes.as_slice().into())])?;
        Ok(WrittenFile { file, bytes: SegmentBytes::from(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::client::{Client, Patience};
    use crate::object::faults::{FaultyMedium, MemoryMedium};
    use crate::object::format::Writer as ObjectWriter;
    use crate::object::keys::Keys;

    /// An opening that was paused before it listed the files meets those of its successors.
    #[test]
    fn files_of_later_epochs_are_nobodys_to_remove() {
        let medium = Arc::new(FaultyMedium::new(Arc::new(MemoryMedium::default())));
        let client = Arc::new(Client::new(medium.clone(), medium, Patience::default()));
        let opened = |epoch| {
            let writer = ObjectWriter { stream: [1; 16], epoch, nonce: [epoch as u8; 16] };
            let owned = Owned::new(Arc::clone(&client), Keys::of(&[1; 16]), writer);
            ObjectSegments::open(Arc::new(owned)).unwrap()
        };
        opened(1).put("earlier.seg", b"1").unwrap();
        let later = opened(3).put("later.seg", b"3").unwrap();
        let paused = opened(2);
        assert_eq!(paused.list().unwrap(), ["earlier.seg"]);
        paused.remove("later.seg").unwrap();
        paused.remove("earlier.seg").unwrap();
        let owner = opened(3);
        assert_eq!(owner.list().unwrap(), ["later.seg"]);
        owner.verify(&later).unwrap();
    }
}
