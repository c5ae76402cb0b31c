//! Reading the chain of manifests and the boundary below which its names are free again. Creating a link is
//! `manifests`' and `takeover`'s business; both ask here, behind the create, whether the name that they used
//! was still a new one.

use super::client::Client;
use super::format::{Kind, Link, decode};
use super::keys::{Keys, number_of};
use crate::{Error, ErrorKind, Result};

/// How often a reader looks again when the manifests it listed are gone by the time it reads them.
const LOOKS_MAX: usize = 8;

/// A shard's objects, as anybody may read them.
#[derive(Clone, Copy)]
pub(crate) struct ChainReader<'a> {
    pub client: &'a Client,
    pub keys: &'a Keys,
    pub stream: &'a [u8; 16],
}

/// The chain as it was at one moment.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// The highest version that is there, valid or not; 0 where there is none.
    pub last: u64,
    /// The lowest version that is there.
    pub first: u64,
    pub newest: Option<Newest>,
}

/// The newest valid link.
#[derive(Debug)]
pub(crate) struct Newest {
    /// Of the owner that published it.
    pub epoch: u64,
    pub link: Link,
}

impl ChainReader<'_> {
    /// A damaged link is passed over: a replay then says whether the log still holds what is missing.
    pub(crate) fn load(self) -> Result<Chain> {
        for _ in 0..LOOKS_MAX {
            if let Some(chain) = self.look()? {
                return Ok(chain);
            }
        }
        Err(Error::new(ErrorKind::Retry, "manifests come and go faster than they can be read; try again"))
    }

    /// `None` where what was listed was collected before it was read.
    fn look(self) -> Result<Option<Chain>> {
        let listed = self.client.list(&self.keys.manifests())?;
        let versions: Vec<u64> = listed.iter().filter_map(|(key, _)| number_of(key)).collect();
        let (Some(first), Some(last)) = (versions.first().copied(), versions.last().copied()) else {
            return Ok(Some(Chain::default()));
        };
        for version in versions.into_iter().rev() {
            let Some(bytes) = self.client.get(&self.keys.manifest(version))? else { return Ok(None) };
            if let Some(newest) = self.decode(version, &bytes)? {
                return Ok(Some(Chain { last, first, newest: Some(newest) }));
            }
        }
        Ok(Some(Chain { last, first, newest: None }))
    }

    /// All links that are there and valid, the newest first. Asked by their owner, who alone collects them.
    pub(crate) fn links(self) -> Result<Vec<Link>> {
        let listed = self.client.list(&self.keys.manifests())?;
        let mut links = Vec::new();
        for version in listed.iter().rev().filter_map(|(key, _)| number_of(key)) {
            let Some(bytes) = self.client.get(&self.keys.manifest(version))? else { continue };
            links.extend(self.decode(version, &bytes)?.map(|found| found.link));
        }
        Ok(links)
    }

    fn decode(self, version: u64, bytes: &[u8]) -> Result<Option<Newest>> {
        match decode(&self.keys.manifest(version), self.stream, bytes) {
            Ok(object) if object.kind == Kind::Manifest && object.number == version => {
                Ok(Some(Newest { epoch: object.epoch, link: Link::decode(object.body) }))
            }
            Ok(_) => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::Corrupt { .. }) => Ok(None),
            // Of a newer version of this program: to pass it over would be to go back.
            Err(error) => Err(error),
        }
    }

    /// The lowest version that counts: names below were given free; 0 where none was.
    ///
    /// Asked behind the creation of a manifest: whoever was away for long may have filled a name that a later
    /// owner has collected, and believe in it.
    pub(crate) fn boundary(self) -> Result<u64> {
        let listed = self.client.list(&self.keys.boundaries())?;
        Ok(listed.iter().filter_map(|(key, _)| number_of(key)).max().unwrap_or(0))
    }
}
