//! A shard in an object store as those read it who do not own it: the newest manifest and the files that it
//! names. Writes nothing, deletes nothing, contends for nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::chain::ChainReader;
use super::client::Client;
use super::keys::{Keys, segment_of};
use super::segments::check_file;
use crate::contract::SegmentFile;
use crate::name::check_name;
use crate::site::ShardArchive;
use crate::{Error, ErrorKind, Result, SegmentBytes};

pub(crate) struct ObjectArchive {
    client: Arc<Client>,
    keys: Keys,
    stream: [u8; 16],
    /// In which epoch each file was put, as far as it was asked for.
    epochs: Mutex<BTreeMap<String, u64>>,
}

impl ObjectArchive {
    pub(crate) fn new(client: Arc<Client>, stream: [u8; 16]) -> Self {
        Self { client, keys: Keys::of(&stream), stream, epochs: Mutex::default() }
    }

    fn epoch_of(&self, name: &str) -> Result<Option<u64>> {
        let known = self.epochs.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        if known.is_some() {
            return Ok(known);
        }
        // All of them at once: whoever opens one of a manifest's files opens the others too.
        let listed = self.client.list(&self.keys.segments())?;
        let listed = listed.iter().filter_map(|(key, _)| segment_of(key));
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        *epochs = listed.map(|(name, epoch)| (name.to_owned(), epoch)).collect();
        Ok(epochs.get(name).copied())
    }
}

impl ShardArchive for ObjectArchive {
    fn newest(&self) -> Result<Option<(u64, Vec<u8>)>> {
        let reader = ChainReader { client: &self.client, keys: &self.keys, stream: &self.stream };
        let newest = reader.load()?.newest.map(|newest| newest.link);
        Ok(newest.filter(|link| link.content_version > 0).map(|link| (link.content_version, link.content)))
    }

    fn open(&self, file: &SegmentFile) -> Result<SegmentBytes> {
        check_name(&file.name)?;
        let missing = || {
            let message = format!("there is no file `{}` in the store; take the newest manifest", file.name);
            Error::new(ErrorKind::NotFound, message)
        };
        let epoch = self.epoch_of(&file.name)?.ok_or_else(missing)?;
        let bytes = self.client.get(&self.keys.segment(&file.name, epoch))?.ok_or_else(missing)?;
        check_file(file, &bytes)?;
        Ok(SegmentBytes::from(bytes))
    }
}
