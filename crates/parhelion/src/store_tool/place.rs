//! Where `parhelion store` finds collections, or puts them: a data directory, or a store by its URL. What is
//! asked of either is the same node. Looks at nothing of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use cluster::{CacheSizes, MetadataHomes, Node, NodeConfig, ThreadScheduler};
use store::{LocalSite, Site};

use crate::ambient::{SystemClock, new_uuid};
use crate::object_store::{OpenStore, StorePrices};

/// Where collections lie.
pub(super) enum DataPlace {
    Folder(PathBuf),
    /// With a folder for what only this node writes, which is gone at the end.
    Store(OpenStore, Scratch),
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
        Ok(DataPlace::Store(OpenStore::open(place, None, StorePrices::default())?, scratch))
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
        if let DataPlace::Folder(folder) = self
            && !folder.join("collections").is_dir()
        {
            bail!("`{}` is no data directory: it has no folder `collections`", folder.display());
        }
        let (homes, site) = self.parts()?;
        let scheduler = Arc::new(ThreadScheduler);
        let shards = match owns {
            true => cluster::engine_shards(CacheSizes::NONE, scheduler),
            // It is looked at once.
            false => cluster::engine_readers(CacheSizes::NONE, scheduler, u64::from(u32::MAX)),
        };
        let data_dir = self.data_dir().to_owned();
        let config =
            NodeConfig { data_dir, clock: Arc::new(SystemClock), shards, name: "store_solr".to_owned() };
        let open = if owns { Node::open_at } else { Node::open_reader };
        Ok(open(config, homes, site)?)
    }
}
