//! Where `parhelion store` finds collections, or puts them: a data directory, or a store by its URL. What is
//! asked of either is the same node. Looks at nothing of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use cluster::{CacheSizes, MetadataHomes, Node, NodeConfig, RepairedShard, ThreadScheduler, VerifiedShard};
use store::{LocalSite, Site};

use crate::ambient::{SystemClock, new_uuid};
use crate::object_store::{OpenStore, StorePrices};

/// Where collections lie.
pub(super) enum DataPlace {
    Folder(PathBuf),
    /// With a folder for what only this node writes, which is gone at the end.
    Store(Box<OpenStore>, Scratch),
}

/// A folder that goes when this does.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub fn below(folder: &Path) -> Self {
        Self(folder.join(format!("parhelion-store-{}", new_uuid())))
    }

    pub fn place(&self) -> DataPlace {
        DataPlace::Folder(self.0.clone())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl DataPlace {
    pub fn open(place: &str) -> anyhow::Result<Self> {
        if !place.contains("://") {
            return Ok(DataPlace::Folder(PathBuf::from(place)));
        }
        let scratch = Scratch::below(&std::env::temp_dir());
        let store = OpenStore::open(place, None, StorePrices::default())?;
        Ok(DataPlace::Store(Box::new(store), scratch))
    }

    fn data_dir(&self) -> &Path {
        match self {
            DataPlace::Folder(folder) | DataPlace::Store(_, Scratch(folder)) => folder,
        }
    }

    pub fn parts(&self) -> anyhow::Result<(MetadataHomes, Arc<dyn Site>)> {
        Ok(match self {
            DataPlace::Folder(folder) => (MetadataHomes::files(folder)?, Arc::new(LocalSite::new(folder))),
            DataPlace::Store(store, Scratch(folder)) => (store.documents(folder)?, store.site()),
        })
    }

    /// What is there, owned or only read. Errors: where there is no such folder.
    pub fn node(&self, owns: bool) -> anyhow::Result<Arc<Node>> {
        self.check()?;
        let (homes, site) = self.parts()?;
        let open = if owns { Node::open_at } else { Node::open_reader };
        Ok(open(self.config(owns), homes, site)?)
    }

    /// Owned, of a place that has nothing yet.
    pub fn empty_node(&self) -> anyhow::Result<Arc<Node>> {
        let (homes, site) = self.parts()?;
        Ok(Node::open_at(self.config(true), homes, site)?)
    }

    /// Reads the files of all shards again. See [`Node::verify_at`].
    pub fn verify(&self, told: &mut dyn FnMut(VerifiedShard)) -> anyhow::Result<()> {
        self.check()?;
        let (homes, site) = self.parts()?;
        Ok(Node::verify_at(self.config(false), homes, site, told)?)
    }

    /// Mends the files of shards. See [`Node::repair_at`].
    pub fn repair(&self, of: (Option<&str>, bool)) -> anyhow::Result<Vec<RepairedShard>> {
        self.check()?;
        let (homes, site) = self.parts()?;
        Ok(Node::repair_at(self.config(true), homes, site, of)?)
    }

    fn check(&self) -> anyhow::Result<()> {
        if let DataPlace::Folder(folder) = self
            && !folder.join("collections").is_dir()
        {
            bail!("`{}` is no data directory: it has no folder `collections`", folder.display());
        }
        Ok(())
    }

    fn config(&self, owns: bool) -> NodeConfig {
        let scheduler = Arc::new(ThreadScheduler);
        let shards = match owns {
            true => cluster::engine_shards(CacheSizes::NONE, scheduler),
            // It is looked at once.
            false => cluster::engine_readers(CacheSizes::NONE, scheduler, u64::from(u32::MAX)),
        };
        let data_dir = self.data_dir().to_owned();
        NodeConfig { data_dir, clock: Arc::new(SystemClock), shards, name: "store_solr".to_owned() }
    }
}
