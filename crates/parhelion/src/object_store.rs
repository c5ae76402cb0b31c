//! `serve --store`: opens a store by its address, and looks first whether it can be trusted. What runs its
//! requests lives as long as this.
//!
//! Requests have a runtime of their own: a shard's threads wait for it, and it must never wait for them.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use cluster::MetadataHomes;
use store::object::{
    FolderMedium, Medium, NonceSource, ObjectOptions, ObjectSite, RemoteMedium, RuntimePacer, probe,
};
use store::{MetadataFiles, Site};
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

/// Threads for requests: they wait for the network, and pack nothing.
const THREADS: usize = 2;

pub struct OpenStore {
    site: ObjectSite,
    runtime: Option<Runtime>,
}

impl OpenStore {
    /// Blocks. Errors: where there is no such store, where it does not answer, where it does not keep what a
    /// shard needs.
    pub fn open(url: &str) -> anyhow::Result<Self> {
        let mut runtime = Builder::new_multi_thread();
        runtime.worker_threads(THREADS).thread_name("store").enable_all();
        let runtime = runtime.build().context("cannot start the threads for the store's requests")?;
        let handle = runtime.handle().clone();
        let medium: Arc<dyn Medium> = match url.strip_prefix("file://") {
            Some(folder) => Arc::new(FolderMedium::new(folder)),
            None => Arc::new(RemoteMedium::open(url, handle.clone())?),
        };
        let nonces: NonceSource = Arc::new(|| Uuid::new_v4().into_bytes());
        probe(&*medium, nonces())?.check(&format!("`{url}`"))?;
        let site =
            ObjectSite::new(medium, Arc::new(RuntimePacer::new(handle)), nonces, ObjectOptions::default());
        Ok(Self { site, runtime: Some(runtime) })
    }

    pub fn site(&self) -> Arc<dyn Site> {
        Arc::new(self.site.clone())
    }

    /// What all nodes agree on lies in the store; what only this one writes, in its data directory.
    pub fn documents(&self, data_dir: &Path) -> anyhow::Result<MetadataHomes> {
        let local = Arc::new(MetadataFiles::open(data_dir, &[])?);
        Ok(MetadataHomes { shared: Arc::new(self.site.metadata()), local })
    }
}

impl Drop for OpenStore {
    fn drop(&mut self) {
        // Not waited for: it may be dropped on a thread that must not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
