//! Shards at home in an object store: a bucket of S3, GCS or Azure, or a folder that is used like one. A
//! second opening deposes the first, wherever that runs; whoever owns the shard next needs nothing but the
//! store. The protocol is `docs/protocol.md`'s, its reasons are ADR 12 and ADR 18.
//!
//! From the bottom: `medium` is single attempts, `folder` and `remote` are media; `client` tries again;
//! `keys` and `format` say how objects are called and what is in them; `chain` reads manifests, `takeover`
//! makes an owner, `shared_look` lets many ask at once whether it still is one; `log`, `manifests`,
//! `segments` and `retained` are the parts of its home; `archive` reads beside it; both read files by
//! `files`, which keeps copies in `cache`; `probe` says whether a store can be trusted with all that.

mod archive;
mod cache;
mod chain;
pub(crate) mod client;
#[cfg(any(test, feature = "faults"))]
pub mod faults;
mod files;
mod folder;
mod format;
#[cfg(test)]
mod history_tests;
mod keys;
mod log;
mod manifests;
mod medium;
mod metadata;
mod owned;
mod probe;
mod remote;
mod retained;
mod seeded_bugs;
mod segments;
mod shared_look;
mod takeover;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::Result;
use crate::contract::{FencedLog, ManifestStore, SegmentStore, ShardHome};
use crate::name::check_path;
use crate::site::{ShardArchive, ShardId, Site};
use archive::ObjectArchive;
use cache::FileCache;
pub use cache::{CacheCounts, CacheOptions};
use client::Client;
pub use client::{ObjectCounts, Patience};
use files::ObjectFiles;
pub use folder::FolderMedium;
use keys::Keys;
pub use keys::ObjectKind;
use log::ObjectLog;
pub use log::ObjectLogOptions;
use manifests::ObjectManifests;
pub use medium::{Attempt, Failure, FailureKind, Medium, NonceSource, ObjectBytes, Pacer};
pub use metadata::ObjectMetadata;
pub use probe::{ProbeFinding, ProbeVerdict, probe};
pub use remote::{RemoteMedium, RuntimePacer};
use retained::Retained;
use segments::ObjectSegments;
use takeover::{Contender, TakenOver};

/// How homes in an object store wait, gather and bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectOptions {
    pub patience: Patience,
    pub log: ObjectLogOptions,
    /// Without one, files are fetched whole into memory whenever they are opened.
    pub cache: Option<CacheOptions>,
}

/// Shards in an object store.
#[derive(Clone)]
pub struct ObjectSite {
    client: Arc<Client>,
    log: ObjectLogOptions,
    cache: Option<Arc<FileCache>>,
    nonces: NonceSource,
}

impl ObjectSite {
    /// Errors: those of the cache's folder, among them `Deposed` while another process has it.
    pub fn new(
        medium: Arc<dyn Medium>,
        pacer: Arc<dyn Pacer>,
        nonces: NonceSource,
        options: ObjectOptions,
    ) -> Result<Self> {
        let ObjectOptions { patience, log, cache } = options;
        let cache = cache.map(FileCache::open).transpose()?.map(Arc::new);
        Ok(Self { client: Arc::new(Client::new(medium, pacer, patience)), log, cache, nonces })
    }

    /// The documents in the same store.
    pub fn metadata(&self) -> ObjectMetadata {
        ObjectMetadata::new(Arc::clone(&self.client), Arc::clone(&self.nonces))
    }

    /// What was asked of the store for all shards.
    pub fn counts(&self) -> ObjectCounts {
        self.client.counts()
    }

    /// The same by what the objects are for.
    pub fn counts_by_kind(&self) -> impl IntoIterator<Item = (ObjectKind, ObjectCounts)> + use<> {
        self.client.counts_by_kind()
    }

    /// What the cache did for all shards; `None` where there is none.
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        self.cache.as_ref().map(|cache| cache.counts())
    }
}

impl Site for ObjectSite {
    fn home(&self, id: &ShardId) -> Result<Arc<dyn ShardHome>> {
        check_path(&id.path)?;
        let contender = Contender {
            client: Arc::clone(&self.client),
            keys: Keys::of(&id.stream),
            stream: id.stream,
            nonce: (self.nonces)(),
            note: id.path.clone(),
        };
        Ok(Arc::new(ObjectHome::new(contender.take_over()?, &self.log, self.cache.clone())?))
    }

    fn is_used(&self, id: &ShardId) -> Result<bool> {
        Ok(!self.client.list(&Keys::of(&id.stream).epochs())?.is_empty())
    }

    fn archive(&self, id: &ShardId) -> Result<Arc<dyn ShardArchive>> {
        check_path(&id.path)?;
        let (client, keys) = (Arc::clone(&self.client), Keys::of(&id.stream));
        let files = ObjectFiles { client, keys, stream: id.stream, cache: self.cache.clone() };
        Ok(Arc::new(ObjectArchive::new(files)))
    }
}

/// One opening of a shard in an object store.
struct ObjectHome {
    epoch: u64,
    log: Arc<ObjectLog>,
    manifests: Arc<ObjectManifests>,
    segments: Arc<ObjectSegments>,
}

impl ObjectHome {
    fn new(taken: TakenOver, options: &ObjectLogOptions, cache: Option<Arc<FileCache>>) -> Result<Self> {
        let TakenOver { owned, version, oldest, boundary, link, logged, damage } = taken;
        let (owned, epoch) = (Arc::new(owned), link.sealed.epoch);
        let retained = Arc::new(Retained::new(oldest, version, boundary));
        let found = (logged.as_slice(), link.sealed);
        let log = ObjectLog::new(Arc::clone(&owned), Arc::clone(&retained), options.clone(), found, damage);
        let log = Arc::new(log);
        let segments = Arc::new(ObjectSegments::open(Arc::clone(&owned), cache)?);
        let manifests = Arc::new(ObjectManifests::new(owned, retained, Arc::clone(&log), version, link));
        Ok(Self { epoch, log, manifests, segments })
    }
}

impl ShardHome for ObjectHome {
    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        Arc::clone(&self.log) as _
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        Arc::clone(&self.manifests) as _
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::clone(&self.segments) as _
    }
}
