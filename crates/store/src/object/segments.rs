//! The files of a shard's segments as objects: each created once, under its name and the epoch in which it
//! was put. Only names of the own epoch and of earlier ones are known here, and so only those are removed: a
//! deposed owner that does not know it cannot take its successor's files away.
//!
//! Files go up side by side. With a cache they are written there first, and go up from there; reading is
//! `files`' business.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::{CacheWriter, FileCache};
use super::client::Created;
use super::files::{ObjectFiles, Placed, missing};
use super::keys::segment_of;
use super::medium::ObjectBytes;
use super::owned::Owned;
use crate::contract::{SegmentFile, SegmentStore, SegmentWriter, Verified, WrittenFile};
use crate::name::check_name;
use crate::{Error, ErrorKind, Result, SegmentBytes};

#[derive(Clone)]
pub(crate) struct ObjectSegments {
    owned: Arc<Owned>,
    files: Arc<ObjectFiles>,
    known: Arc<Mutex<BTreeMap<String, Known>>>,
}

#[derive(Clone, Copy)]
struct Known {
    epoch: u64,
    /// False while nobody knows whether it landed.
    is_there: bool,
}

impl ObjectSegments {
    pub(crate) fn open(owned: Arc<Owned>, cache: Option<Arc<FileCache>>) -> Result<Self> {
        let known = listed(&owned)?;
        let (client, keys) = (Arc::clone(&owned.client), owned.keys.clone());
        let files = Arc::new(ObjectFiles { client, keys, stream: owned.writer.stream, cache });
        Ok(Self { owned, files, known: Arc::new(Mutex::new(known)) })
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn epoch_of(&self, name: &str) -> Result<u64> {
        check_name(name)?;
        let known = self.known().get(name).map(|it| it.epoch);
        // An object that is gone is served, and mended, from its copy.
        known.or_else(|| self.files.epoch_of_copy(name, self.owned.epoch())).ok_or_else(|| missing(name))
    }

    /// The same of one that may have been brought back since this opening listed them.
    fn epoch_now(&self, name: &str) -> Result<u64> {
        let error = match self.epoch_of(name) {
            Err(error) if *error.kind() == ErrorKind::NotFound => error,
            known => return known,
        };
        let found = listed(&self.owned)?.remove(name).ok_or(error)?;
        self.known().insert(name.to_owned(), found);
        Ok(found.epoch)
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
                objects.push((self.owned.keys.segment(name, epoch), bytes.clone()));
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

    /// Begins a copy of a file that is about to be put, in place of one that was and did not land.
    fn begin_copy(&self, cache: &FileCache, name: &str) -> Result<CacheWriter> {
        let key = self.files.cache_key(name, self.owned.epoch());
        cache.forget(&key)?;
        cache.begin(key)
    }

    fn keep_copy(&self, cache: &FileCache, name: &str, bytes: &[u8]) -> Result<()> {
        let mut copy = self.begin_copy(cache, name)?;
        copy.write(bytes).map_err(|source| Error::io("write", std::path::Path::new(name), source))?;
        cache.keep(copy).map(drop)
    }
}

/// What is there of this opening's epoch and of earlier ones.
fn listed(owned: &Owned) -> Result<BTreeMap<String, Known>> {
    let mut known = BTreeMap::new();
    for (key, _) in owned.client.list(&owned.keys.segments())? {
        if let Some((name, epoch)) = segment_of(&key).filter(|(_, epoch)| *epoch <= owned.epoch()) {
            known.insert(name.to_owned(), Known { epoch, is_there: true });
        }
    }
    Ok(known)
}

fn taken(name: &str) -> Error {
    let message = format!("segment file `{name}` exists; segment files are written once");
    Error::new(ErrorKind::Conflict, message)
}

impl SegmentStore for ObjectSegments {
    fn create(&self, name: &str) -> Result<Box<dyn SegmentWriter>> {
        check_name(name)?;
        self.owned.check()?;
        let written = match &self.files.cache {
            Some(cache) => Written::Copy(self.begin_copy(cache, name)?, Arc::clone(cache)),
            None => Written::Held(Vec::new()),
        };
        Ok(Box::new(Writer { segments: self.clone(), name: name.to_owned(), written }))
    }

    fn put_all(&self, files: &[(&str, &[u8])]) -> Result<Vec<SegmentFile>> {
        files.iter().try_for_each(|(name, _)| check_name(name))?;
        let objects: Vec<(String, ObjectBytes)> = files
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), ObjectBytes::copy_from_slice(bytes)))
            .collect();
        self.put_files(&objects)?;
        // Behind the PUTs: what did not land needs no copy, and these are short.
        if let Some(cache) = &self.files.cache {
            files.iter().try_for_each(|(name, bytes)| self.keep_copy(cache, name, bytes))?;
        }
        Ok(files.iter().map(|(name, bytes)| SegmentFile::describe(name, bytes)).collect())
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.files.open(file, self.epoch_of(&file.name)?)
    }

    fn fetch(&self, files: &[SegmentFile]) -> Result<()> {
        let placed = files.iter().map(|file| Ok((file.clone(), self.epoch_of(&file.name)?)));
        self.files.fetch(&placed.collect::<Result<Vec<Placed>>>()?)
    }

    fn verify(&self, file: &SegmentFile) -> Result<Verified> {
        self.files.verify(file, self.epoch_now(&file.name)?)
    }

    fn mend(&self, file: &SegmentFile, bytes: Vec<u8>) -> Result<()> {
        check_name(&file.name)?;
        self.owned.check()?;
        // Of one that is gone, with its copy, nobody knows any more in which epoch it was put.
        let epoch = self.epoch_of(&file.name).unwrap_or(self.owned.epoch());
        self.files.mend(file, epoch, bytes)?;
        self.known().insert(file.name.clone(), Known { epoch, is_there: true });
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.remove_all(&[name.to_owned()])
    }

    fn remove_all(&self, names: &[String]) -> Result<()> {
        names.iter().try_for_each(|name| check_name(name))?;
        self.owned.check()?;
        let files = names.iter().filter_map(|name| Some((name, self.epoch_of(name).ok()?)));
        let files: Vec<(&String, u64)> = files.collect();
        let keys: Vec<String> =
            files.iter().map(|(name, epoch)| self.owned.keys.segment(name, *epoch)).collect();
        self.owned.client.delete_all(&keys)?;
        for (name, epoch) in files {
            self.known().remove(name);
            if let Some(cache) = &self.files.cache {
                cache.forget(&self.files.cache_key(name, epoch))?;
            }
        }
        Ok(())
    }

    fn list(&self) -> Result<Vec<String>> {
        Ok(self.known().keys().cloned().collect())
    }
}

/// A file that goes up once it is whole.
struct Writer {
    segments: ObjectSegments,
    name: String,
    written: Written,
}

/// What is written so far.
enum Written {
    Copy(CacheWriter, Arc<FileCache>),
    Held(Vec<u8>),
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.written {
            Written::Copy(copy, _) => copy.write(bytes)?,
            Written::Held(held) => held.extend_from_slice(bytes),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SegmentWriter for Writer {
    fn finish(self: Box<Self>) -> Result<WrittenFile> {
        let Self { segments, name, written } = *self;
        let (file, bytes) = match written {
            Written::Copy(copy, cache) => (copy.describe(&name), cache.keep(copy)?),
            Written::Held(held) => (SegmentFile::describe(&name, &held), SegmentBytes::from(held)),
        };
        segments.put_files(&[(name, ObjectBytes::from_owner(bytes.clone()))])?;
        Ok(WrittenFile { file, bytes })
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
            ObjectSegments::open(Arc::new(owned), None).unwrap()
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
