//! `serve --store` and `--backup-dir`: opens a store by its address, and looks first whether it can be
//! trusted; says what it is asked for and what that costs. What runs its requests lives as long as this.
//!
//! Requests have a runtime of their own: a shard's threads wait for it, and it must never wait for them.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use cluster::{BackupRoot, MetadataHomes};
use http::{StoreCacheFigures, StoreFigures, StoreRequestFigures};
use meter::Clock as _;
use store::object::{
    CacheCounts, CacheOptions, FolderMedium, Medium, NonceSource, ObjectCounts, ObjectOptions, ObjectSite,
    Pacer, RemoteMedium, RuntimePacer, probe,
};
use store::{BackupBucket, MetadataFiles, Site};
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

use crate::ambient::SystemClock;

/// Threads for requests: they wait for the network, and pack nothing.
const THREADS: usize = 2;
/// A month of thirty days.
const MONTH_SECONDS: f64 = 30.0 * 24.0 * 3600.0;

/// Where shards are at home, and what is kept of it here.
#[derive(Clone, Debug, Args)]
pub struct StoreArgs {
    /// Where shards and their descriptions are at home instead of in --data-dir: s3://bucket/prefix,
    /// gs://bucket/prefix, az://container/prefix or file:///folder, with credentials and endpoint from the
    /// environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ...). This node takes over all that lies there, from
    /// whichever had it.
    #[arg(long, value_name = "URL", env = "PARHELION_STORE")]
    pub store: Option<String>,
    /// With --store: how much of --data-dir copies of the store's segment files may take, so that a restart
    /// fetches nothing that is there. What searches read at the moment stays beyond it. 0: no copies, files
    /// are fetched into memory.
    #[arg(long, value_name = "MIB", default_value_t = 32 << 10, env = "PARHELION_STORE_CACHE")]
    pub store_cache: u64,
    /// Read what --store has beside the node that owns it, and own nothing: any number of nodes may. Searches
    /// see what the owner has flushed (its hard commits); changes are refused with 403.
    #[arg(long, requires = "store", env = "PARHELION_READ_ONLY")]
    pub read_only: bool,
    /// With --read-only: how often to look for what the owner has flushed since, in milliseconds; for
    /// collections, schemas and aliases a tenth as often. A look is one request for each shard.
    #[arg(long, value_name = "MS", requires = "read_only", default_value_t = 1_000, env = "PARHELION_FOLLOW", value_parser = clap::value_parser!(u64).range(10..))]
    pub follow: u64,
    /// With --store: what the store takes for 1,000 requests that change or list, and for 1,000 that read,
    /// for the metric STORE.priceAMonth.
    #[arg(long, value_name = "PUT,GET", default_value = "0.005,0.0004", env = "PARHELION_STORE_PRICES")]
    pub store_prices: StorePrices,
}

impl StoreArgs {
    /// Where copies of the store's files are kept, if they are.
    pub fn cache(&self, data_dir: &Path) -> Option<CacheOptions> {
        (self.store_cache > 0).then(|| CacheOptions {
            folder: data_dir.join("store-cache"),
            bytes_max: self.store_cache.saturating_mul(1 << 20),
        })
    }
}

/// For 1,000 requests each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StorePrices {
    change: f64,
    read: f64,
}

impl FromStr for StorePrices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let price =
            |text: &str| text.trim().parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
        let both = text.split_once(',').and_then(|(change, read)| Some((price(change)?, price(read)?)));
        let (change, read) = both.ok_or("give two prices, as in 0.005,0.0004")?;
        Ok(Self { change, read })
    }
}

impl StorePrices {
    /// What this many requests cost in a month, when they came within so many seconds. Deleting is free.
    fn of_month(self, counts: &ObjectCounts, seconds: f64) -> f64 {
        let changes = self.change * (counts.puts + counts.lists) as f64;
        let spent = (changes + self.read * counts.gets as f64) / 1_000.0;
        spent * MONTH_SECONDS / seconds.max(1.0)
    }

    fn figures(self, counts: ObjectCounts, seconds: f64) -> StoreRequestFigures {
        let price_a_month = self.of_month(&counts, seconds);
        let ObjectCounts { puts, gets, lists, deletes, retries, bytes_put, bytes_got } = counts;
        StoreRequestFigures { puts, gets, lists, deletes, retries, bytes_put, bytes_got, price_a_month }
    }
}

/// The way to a store that can be trusted, with the threads of its requests.
struct Connection {
    medium: Arc<dyn Medium>,
    pacer: Arc<dyn Pacer>,
    nonces: NonceSource,
    runtime: Option<Runtime>,
}

impl Connection {
    /// Blocks. Errors: as [`OpenStore::open`]'s.
    fn open(url: &str) -> anyhow::Result<Self> {
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
        Ok(Self { medium, pacer: Arc::new(RuntimePacer::new(handle)), nonces, runtime: Some(runtime) })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Not waited for: it may be dropped on a thread that must not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub struct OpenStore {
    site: ObjectSite,
    _connection: Connection,
    prices: StorePrices,
    opened: Instant,
}

/// Where backups lie: a folder, or a bucket by its URL.
pub struct OpenBackups {
    root: BackupRoot,
    _connection: Option<Connection>,
}

impl OpenBackups {
    /// Blocks. `file://` is the folder. Errors: as [`OpenStore::open`]'s, of a bucket.
    pub fn open(location: &str) -> anyhow::Result<Self> {
        let folder = location.strip_prefix("file://").unwrap_or(location);
        if !folder.contains("://") {
            // Clients may name it in full.
            let root = BackupRoot::Folder(std::path::absolute(folder)?);
            return Ok(Self { root, _connection: None });
        }
        let connection = Connection::open(location)?;
        let Connection { medium, pacer, nonces, .. } = &connection;
        let way = (Arc::clone(medium), Arc::clone(pacer));
        let bucket = BackupBucket::new(location, way, Arc::clone(nonces), || SystemClock.now_ms());
        Ok(Self { root: BackupRoot::Bucket(Arc::new(bucket)), _connection: Some(connection) })
    }

    pub fn root(&self) -> BackupRoot {
        self.root.clone()
    }
}

/// Errors: where one of the two URLs lies below the other: a store's objects are nobody's business but its
/// owner's.
pub fn check_apart(store: &str, backups: &str) -> anyhow::Result<()> {
    let [store, backups] = [store, backups].map(|url| format!("{}/", url.trim_end_matches('/')));
    if store.starts_with(&backups) || backups.starts_with(&store) {
        bail!("backups are to lie in a bucket or below a prefix of their own, apart from --store");
    }
    Ok(())
}

impl OpenStore {
    /// Blocks. Errors: where there is no such store, where it does not answer, where it does not keep what a
    /// shard needs.
    pub fn open(url: &str, cache: Option<CacheOptions>, prices: StorePrices) -> anyhow::Result<Self> {
        let connection = Connection::open(url)?;
        let Connection { medium, pacer, nonces, .. } = &connection;
        let options = ObjectOptions { cache, ..ObjectOptions::default() };
        let site = ObjectSite::new(Arc::clone(medium), Arc::clone(pacer), Arc::clone(nonces), options)?;
        Ok(Self { site, _connection: connection, prices, opened: Instant::now() })
    }

    /// What is asked of the store from now on, for metrics.
    pub fn figures(&self) -> impl Fn() -> StoreFigures + Send + Sync + use<> {
        let (site, prices, opened) = (self.site.clone(), self.prices, self.opened);
        move || {
            let seconds = opened.elapsed().as_secs_f64();
            let kinds = site.counts_by_kind().into_iter();
            let kinds = kinds.map(|(kind, counts)| (kind.name(), prices.figures(counts, seconds))).collect();
            let cache = site.cache_counts().map(|counts| {
                let CacheCounts { files, bytes, hits, misses, evicted, mended } = counts;
                StoreCacheFigures { files, bytes, hits, misses, evicted, mended }
            });
            StoreFigures { all: prices.figures(site.counts(), seconds), kinds, cache }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_lie_apart_from_shards() {
        let check = |backups, is_apart: bool| {
            assert_eq!(check_apart("s3://bucket/shards/", backups).is_ok(), is_apart, "{backups}");
        };
        check("s3://bucket/shards", false);
        check("s3://bucket/shards/backups", false);
        check("s3://bucket", false);
        check("s3://bucket/shards2", true);
        check("s3://other/shards", true);
        check("/srv/backups", true);
    }

    #[test]
    fn a_price_is_that_of_a_month() {
        let prices: StorePrices = "0.005, 0.0004".parse().unwrap();
        // Ten PUTs a second are 25.92 million in a month.
        let counts = ObjectCounts { puts: 600, ..ObjectCounts::default() };
        assert!((prices.of_month(&counts, 60.0) - 129.6).abs() < 1e-6);
        let counts = ObjectCounts { gets: 600, deletes: 5, ..ObjectCounts::default() };
        assert!((prices.of_month(&counts, 60.0) - 10.368).abs() < 1e-6);
        for text in ["", "1", "1,x", "-1,2", "inf,1"] {
            assert!(text.parse::<StorePrices>().is_err(), "{text}");
        }
    }
}
