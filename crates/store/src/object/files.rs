//! Segment files as they are read: from the cache where there is one, else from the store. Whatever comes
//! from the store is checked against the manifest's size and CRC before anybody reads it, and looked at once
//! more where it differs: a wrong byte may have come on the way.
//!
//! Long files come in pieces, short ones side by side. Owner and archive read by this alike.

use std::ops::Range;
use std::sync::Arc;

use super::cache::{CacheKey, FileCache};
use super::client::Client;
use super::keys::Keys;
use super::medium::ObjectBytes;
use crate::contract::{SegmentFile, Verified};
use crate::name::check_name;
use crate::{Error, ErrorKind, Result, SegmentBytes};

/// A longer file comes in pieces of this size.
const PIECE_BYTES: u64 = 8 << 20;
/// So much of files, or pieces of one, is in memory at once.
const BATCH_BYTES: u64 = 64 << 20;
/// How often what comes damaged is asked for.
const LOOKS_MAX: usize = 2;

/// A file, and the epoch in which it was put.
pub(crate) type Placed = (SegmentFile, u64);

pub(crate) struct ObjectFiles {
    pub client: Arc<Client>,
    pub keys: Keys,
    pub stream: [u8; 16],
    pub cache: Option<Arc<FileCache>>,
}

impl ObjectFiles {
    pub(crate) fn cache_key(&self, name: &str, epoch: u64) -> CacheKey {
        CacheKey::of(&self.stream, name, epoch)
    }

    /// In which epoch a file was put that is not in the store, where a copy of it is here.
    pub(crate) fn epoch_of_copy(&self, name: &str, epoch_max: u64) -> Option<u64> {
        self.cache.as_ref()?.epoch_of(&self.stream, name, epoch_max)
    }

    /// Errors: `NotFound`, `Corrupt`, `Retry`.
    pub(crate) fn open(&self, file: &SegmentFile, epoch: u64) -> Result<SegmentBytes> {
        let Some(cache) = &self.cache else { return Ok(SegmentBytes::from(self.get(file, epoch)?)) };
        let key = self.cache_key(&file.name, epoch);
        if let Some(bytes) = cache.get(&key, file)? {
            return Ok(bytes);
        }
        let _fetching = cache.begin_fetch();
        match cache.get(&key, file)? {
            Some(bytes) => Ok(bytes),
            None => self.fetch_into(cache, file, epoch),
        }
    }

    /// Puts into the cache what is not there yet. Without one there is nothing to do: whoever opens a file
    /// fetches it.
    pub(crate) fn fetch(&self, files: &[Placed]) -> Result<()> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let _fetching = cache.begin_fetch();
        let mut short: Vec<&Placed> = Vec::new();
        for placed in files {
            let (file, epoch) = placed;
            check_name(&file.name)?;
            if cache.get(&self.cache_key(&file.name, *epoch), file)?.is_some() {
                continue;
            }
            if file.size > PIECE_BYTES {
                self.fetch_into(cache, file, *epoch)?;
                continue;
            }
            if short.iter().map(|(file, _)| file.size).sum::<u64>() + file.size > BATCH_BYTES {
                self.fetch_short(cache, &std::mem::take(&mut short))?;
            }
            short.push(placed);
        }
        self.fetch_short(cache, &short)
    }

    fn fetch_short(&self, cache: &FileCache, files: &[&Placed]) -> Result<()> {
        let keys: Vec<_> = files.iter().map(|(file, epoch)| self.keys.segment(&file.name, *epoch)).collect();
        for ((file, epoch), found) in files.iter().zip(self.client.get_all(&keys)?) {
            let bytes = match found {
                Some(bytes) if file.check(&bytes).is_ok() => bytes,
                _ => self.get(file, *epoch)?,
            };
            let mut writer = cache.begin(self.cache_key(&file.name, *epoch))?;
            writer.write(&bytes).map_err(|source| cannot_keep(file, source))?;
            cache.keep(writer)?;
        }
        Ok(())
    }

    /// The caller fetches alone (`FileCache::begin_fetch`).
    fn fetch_into(&self, cache: &FileCache, file: &SegmentFile, epoch: u64) -> Result<SegmentBytes> {
        for look in 1.. {
            let mut writer = cache.begin(self.cache_key(&file.name, epoch))?;
            self.each_batch(file, epoch, &mut |piece| {
                writer.write(piece).map_err(|source| cannot_keep(file, source))
            })?;
            let found = writer.describe(&file.name);
            match file.check_measured(found.size, found.crc32) {
                Ok(()) => return cache.keep(writer),
                Err(error) if look == LOOKS_MAX => return Err(error),
                Err(_) => {}
            }
        }
        Err(missing(&file.name))
    }

    /// The file's bytes from the store, in order.
    fn each_batch(
        &self,
        file: &SegmentFile,
        epoch: u64,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let key = self.keys.segment(&file.name, epoch);
        if file.size == 0 {
            // No range lies in it; it is asked for all the same, for it may be gone.
            return self.client.get(&key)?.map(drop).ok_or_else(|| missing(&file.name));
        }
        for batch in pieces_of(file.size).chunks((BATCH_BYTES / PIECE_BYTES) as usize) {
            let found = self.client.get_ranges(&key, batch)?.ok_or_else(|| missing(&file.name))?;
            found.iter().try_for_each(|piece| take(piece))?;
        }
        Ok(())
    }

    /// The whole file from the store.
    fn get(&self, file: &SegmentFile, epoch: u64) -> Result<Vec<u8>> {
        check_name(&file.name)?;
        let key = self.keys.segment(&file.name, epoch);
        for look in 1.. {
            let bytes = self.client.get(&key)?.ok_or_else(|| missing(&file.name))?;
            match file.check(&bytes) {
                Ok(()) => return Ok(bytes),
                Err(error) if look == LOOKS_MAX => return Err(error),
                Err(_) => {}
            }
        }
        Err(missing(&file.name))
    }

    /// Looks at both copies; a damaged one is mended from the other.
    ///
    /// Errors: `Corrupt` where neither is whole.
    pub(crate) fn verify(&self, file: &SegmentFile, epoch: u64) -> Result<Verified> {
        check_name(&file.name)?;
        let cached = self.cache.as_ref().and_then(|cache| {
            let key = self.cache_key(&file.name, epoch);
            Some((cache, cache.check(&key, file)?, key))
        });
        let stored = self.check_stored(file, epoch);
        let is_damage =
            |error: &Error| matches!(error.kind(), ErrorKind::Corrupt { .. } | ErrorKind::NotFound);
        match (cached, stored) {
            (None, stored) => stored.map(|()| Verified::Sound),
            (Some((_, Ok(()), _)), Ok(())) => Ok(Verified::Sound),
            (Some((cache, Err(_), key)), Ok(())) => {
                self.mend_copy(cache, &key, file, epoch)?;
                Ok(Verified::Mended)
            }
            (Some((cache, Ok(()), key)), Err(error)) if is_damage(&error) => {
                let bytes = cache.get(&key, file)?.ok_or(error)?;
                let object = ObjectBytes::from_owner(bytes);
                self.client.replace(&self.keys.segment(&file.name, epoch), &object)?;
                self.check_stored(file, epoch)?;
                Ok(Verified::Mended)
            }
            (Some(_), Err(error)) => Err(error),
        }
    }

    /// Puts bytes from elsewhere, which are the file's, into the store, and mends the copy from there.
    pub(crate) fn mend(&self, file: &SegmentFile, epoch: u64, bytes: Vec<u8>) -> Result<()> {
        check_name(&file.name)?;
        file.check(&bytes)?;
        self.client.replace(&self.keys.segment(&file.name, epoch), &ObjectBytes::from(bytes))?;
        self.verify(file, epoch).map(drop)
    }

    /// The newest copy that the cache has of a file, whether it is whole or not.
    pub(crate) fn copy(&self, file: &SegmentFile) -> Result<Option<SegmentBytes>> {
        let Some(cache) = &self.cache else { return Ok(None) };
        let Some(epoch) = self.epoch_of_copy(&file.name, u64::MAX) else { return Ok(None) };
        cache.get(&self.cache_key(&file.name, epoch), file)
    }

    /// Looks at both copies, and leaves them as they are.
    pub(crate) fn check(&self, file: &SegmentFile, epoch: u64) -> Result<()> {
        check_name(&file.name)?;
        let cached = self.cache.as_ref();
        cached.and_then(|cache| cache.check(&self.cache_key(&file.name, epoch), file)).transpose()?;
        self.check_stored(file, epoch)
    }

    fn check_stored(&self, file: &SegmentFile, epoch: u64) -> Result<()> {
        for look in 1.. {
            let (mut size, mut crc) = (0, crc32fast::Hasher::new());
            self.each_batch(file, epoch, &mut |piece| {
                size += piece.len() as u64;
                crc.update(piece);
                Ok(())
            })?;
            match file.check_measured(size, crc.finalize()) {
                Err(error) if look == LOOKS_MAX => return Err(error),
                Err(_) => {}
                sound => return sound,
            }
        }
        Ok(())
    }

    fn mend_copy(&self, cache: &FileCache, key: &CacheKey, file: &SegmentFile, epoch: u64) -> Result<()> {
        // One of another length is mapped so by those who read it: they keep theirs, the next get another.
        let bytes = self.get(file, epoch)?;
        match cache.get(key, file)? {
            Some(_) => cache.mend(key, &bytes),
            None => Ok(()),
        }
    }
}

fn pieces_of(size: u64) -> Vec<Range<u64>> {
    (0..size.div_ceil(PIECE_BYTES))
        .map(|piece| piece * PIECE_BYTES..size.min((piece + 1) * PIECE_BYTES))
        .collect()
}

pub(crate) fn missing(name: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("there is no file `{name}` in the store; take the newest manifest"),
    )
}

fn cannot_keep(file: &SegmentFile, source: std::io::Error) -> Error {
    Error::io("write the copy of", std::path::Path::new(&file.name), source)
}
