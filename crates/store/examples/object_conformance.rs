//! The suites that every home passes, over a store by its address: the probe, then `check_home` and
//! `check_faults`, each on shards of their own below the address, with PUTs that are lost, landed without an
//! answer or late. By hand, for it needs a server and leaves what it wrote:
//!
//! ```text
//! AWS_ENDPOINT_URL=http://127.0.0.1:9000 AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_REGION=us-east-1 \
//!   cargo run -p store --features faults --example object_conformance -- s3://peers/conformance-1
//! ```
#![allow(clippy::print_stdout)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use store::conformance::{FaultySite, SecondOpening, TestSite, check_faults, check_home};
use store::metadata::conformance::check_metadata;
use store::object::faults::{FaultyMedium, PutFault};
use store::object::{FolderMedium, Medium, ObjectOptions, ObjectSite, RemoteMedium, probe};
use store::{Result, ShardArchive, ShardHome, ShardId, Site};

/// One shard after another below the address.
static SHARDS: AtomicU64 = AtomicU64::new(0);
static NONCES: AtomicU64 = AtomicU64::new(0);

fn nonce() -> [u8; 16] {
    let number = u128::from(NONCES.fetch_add(1, Ordering::Relaxed));
    (number << 32 | u128::from(std::process::id())).to_le_bytes()
}

struct Bucket {
    medium: Mutex<FaultyMedium>,
    id: ShardId,
}

impl Bucket {
    fn new(inner: Arc<dyn Medium>) -> Self {
        let number = SHARDS.fetch_add(1, Ordering::Relaxed);
        let mut stream = [0; 16];
        stream[..8].copy_from_slice(&number.to_be_bytes());
        stream[8..12].copy_from_slice(&std::process::id().to_be_bytes());
        let id = ShardId { path: format!("conformance/shard{number}"), stream };
        Self { medium: Mutex::new(FaultyMedium::new(inner)), id }
    }

    fn medium(&self) -> FaultyMedium {
        self.medium.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn site(&self) -> ObjectSite {
        let medium = Arc::new(self.medium());
        ObjectSite::new(medium.clone(), medium, Arc::new(nonce), ObjectOptions::default()).expect("no cache")
    }
}

impl TestSite for Bucket {
    fn open(&self) -> Result<Arc<dyn ShardHome>> {
        self.site().home(&self.id)
    }

    fn archive(&self) -> Arc<dyn ShardArchive> {
        self.site().archive(&self.id).expect("a path")
    }

    fn second_opening(&self) -> SecondOpening {
        SecondOpening::Deposes
    }
}

impl FaultySite for Bucket {
    fn cut_power(&self, seed: u64) {
        let mut medium = self.medium.lock().unwrap_or_else(PoisonError::into_inner);
        *medium = medium.kill(seed);
    }

    fn fail_next_sync(&self) {
        self.medium().set_next(PutFault::Refused { landed: true });
    }

    fn set_full(&self, full: bool) {
        self.medium().limit_space(full.then_some(1500));
    }
}

fn main() -> Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "file:///nowhere".to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let handle = runtime.handle().clone();
    let open = |url: &str| -> Result<Arc<dyn Medium>> {
        Ok(match url.strip_prefix("file://") {
            Some(folder) => Arc::new(FolderMedium::new(folder)),
            None => Arc::new(RemoteMedium::open(url, handle.clone())?),
        })
    };
    let medium = open(&url)?;
    println!("{}", medium.name());
    let verdict = probe(&*medium, nonce())?;
    println!("probe: {verdict:?}");
    verdict.check(&url)?;
    check_home(&|| Box::new(Bucket::new(Arc::clone(&medium))));
    println!("check_home: passed");
    check_faults(&|| Box::new(Bucket::new(Arc::clone(&medium))));
    println!("check_faults: passed");
    check_metadata(&|| {
        let number = SHARDS.fetch_add(1, Ordering::Relaxed);
        let medium = open(&format!("{url}/documents{number}")).expect("an address");
        let bucket = Bucket::new(medium);
        Box::new(move || Box::new(bucket.site().metadata()))
    });
    println!("check_metadata: passed");
    Ok(())
}
