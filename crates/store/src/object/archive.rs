//! A shard in an object store as those read it who do not own it: the newest manifest and the files that it
//! names. Writes nothing, deletes nothing, contends for nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

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
}

impl ObjectArchive {
    pub(crate) fn new(files: ObjectFiles) -> Self {
        Self { files, epochs: Mutex::default() }
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
        epochs.get(name).copied().ok_or_else(|| missing(name))
    }
}

impl ShardArchive for ObjectArchive {
    fn newest(&self) -> Result<Option<(u64, Vec<u8>)>> {
        let ObjectFiles { client, keys, stream, .. } = &self.files;
        let newest = ChainReader { client, keys, stream }.load()?.newest.map(|newest| newest.link);
        Ok(newest.filter(|link| link.content_version > 0).map(|link| (link.content_version, link.content)))
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        self.files.open(file, self.epoch_of(&file.name)?)
    }

    fn fetch(&self, files: &[SegmentFile]) -> Result<()> {
        let placed = files.iter().map(|file| Ok((file.clone(), self.epoch_of(&file.name)?)));
        self.files.fetch(&placed.collect::<Result<Vec<Placed>>>()?)
    }
}
