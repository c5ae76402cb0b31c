//! A shard in an object store as those read it who do not own it: the newest manifest and the files that it
//! names. Writes nothing, deletes nothing, contends for nothing. In: a bucket that another node writes, out:
//! a `ShardArchive`. A look asks for the next link of the chain by its name, which costs a tenth of a
//! listing; every so often all links are listed, since one may have come and gone between two looks. Files
//! that it reads may be replaced meanwhile: their owner keeps them for some time (`replaced_files_kept_ms`).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::chain::ChainReader;
use super::files::{ObjectFiles, Placed, missing};
use super::keys::segment_of;
use crate::contract::SegmentFile;
use crate::name::check_name;
use crate::site::ShardArchive;
use crate::{Result, SegmentBytes};

pub(crate) struct ObjectArchive {
    files: ObjectFiles,
    /// In which epoch each file was put, as far as it was asked for.
    epochs: Mutex<BTreeMap<String, u64>>,
    polled: Mutex<Polled>,
}

/// What was seen of the chain.
#[derive(Default)]
struct Polled {
    /// The highest version of a link; 0 before the first look.
    last: u64,
    /// How often it was asked since whether there is a next one.
    asked: u32,
}

/// Every so often all links are listed: the next one may have come and gone between two looks.
const ASKS_MAX: u32 = 16;

impl ObjectArchive {
    pub(crate) fn new(files: ObjectFiles) -> Self {
        Self { files, epochs: Mutex::default(), polled: Mutex::default() }
    }

    fn polled(&self) -> MutexGuard<'_, Polled> {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn epoch_of(&self, name: &str) -> Result<u64> {
        check_name(name)?;
        let known = self.epochs.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        // All of them at once: whoever opens one of a manifest's files opens the others too.
        let listed = self.files.client.list(&self.files.keys.segments())?;
        let listed = listed.iter().filter_map(|(key, _)| segment_of(key));
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        *epochs = listed.map(|(name, epoch)| (name.to_owned(), epoch)).collect();
        let known = epochs.get(name).copied();
        known.or_else(|| self.files.epoch_of_copy(name, u64::MAX)).ok_or_else(|| missing(name))
    }
}

impl ShardArchive for ObjectArchive {
    fn newest(&self) -> Result<Option<(u64, Vec<u8>)>> {
        let ObjectFiles { client, keys, stream, .. } = &self.files;
        let chain = ChainReader { client, keys, stream }.load()?;
        *self.polled() = Polled { last: chain.last, asked: 0 };
        let newest = chain.newest.map(|newest| newest.link);
        Ok(newest.filter(|link| link.content_version > 0).map(|link| (link.content_version, link.content)))
    }

    /// Asks for the next link's name, which costs a tenth of a listing.
    fn newest_above(&self, version: Option<u64>) -> Result<Option<(u64, Vec<u8>)>> {
        let next = {
            let mut polled = self.polled();
            polled.asked += 1;
            (polled.last > 0 && polled.asked < ASKS_MAX).then_some(polled.last + 1)
        };
        let ObjectFiles { client, keys, .. } = &self.files;
        if let Some(next) = next
            && client.get(&keys.manifest(next))?.is_none()
        {
            return Ok(None);
        }
        Ok(self.newest()?.filter(|(newest, _)| Some(*newest) > version))
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.files.open(file, self.epoch_of(&file.name)?)
    }

    fn verify(&self, file: &SegmentFile) -> Result<()> {
        self.files.check(file, self.epoch_of(&file.name)?)
    }

    fn copy(&self, file: &SegmentFile) -> Result<Option<SegmentBytes>> {
        check_name(&file.name)?;
        self.files.copy(file)
    }

    fn fetch(&self, files: &[SegmentFile]) -> Result<()> {
        let placed = files.iter().map(|file| Ok((file.clone(), self.epoch_of(&file.name)?)));
        self.files.fetch(&placed.collect::<Result<Vec<Placed>>>()?)
    }
}
