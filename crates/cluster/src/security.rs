//! `security.json` as it was read last, so that who lets requests in asks no store for it. In: the documents;
//! out: bytes with their version. What they say is the business of those who read them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwapOption;
use plan::Result;
use store::VersionedBytes;

use crate::catalog::Catalog;

/// The newest that this node knows of.
#[derive(Default)]
pub(crate) struct KnownSecurity {
    newest: ArcSwapOption<VersionedBytes>,
    /// From before the store is asked until the answer is kept: a slow answer must not put an older version
    /// in a newer one's place.
    asking: Mutex<()>,
}

impl KnownSecurity {
    /// `None` where there was none, or nobody looked.
    pub fn newest(&self) -> Option<Arc<VersionedBytes>> {
        self.newest.load_full()
    }

    /// Reads what others may have made of it.
    pub fn refresh(&self, catalog: &Catalog) -> Result<()> {
        let _asking = self.lock();
        self.read(catalog)
    }

    /// Puts a text there, whatever was there.
    pub fn put(&self, catalog: &Catalog, text: &str) -> Result<()> {
        let _asking = self.lock();
        catalog.save_security(text)?;
        self.read(catalog)
    }

    /// The same in place of version `expected` (`None`: of nothing). Errors: `Conflict` when another change
    /// came first.
    pub fn change(&self, catalog: &Catalog, expected: Option<u64>, text: String) -> Result<()> {
        let _asking = self.lock();
        let version = catalog.set_security(expected, &text)?;
        let kept = VersionedBytes { version, bytes: text.into_bytes() };
        self.newest.store(Some(Arc::new(kept)));
        Ok(())
    }

    /// For who has the lock.
    fn read(&self, catalog: &Catalog) -> Result<()> {
        self.newest.store(catalog.versioned_security()?.map(Arc::new));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
