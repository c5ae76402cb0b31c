//! Versioned documents: the small truths of a cluster (which collections there are, their schemas and
//! configurations) and of a node (which folder it serves). [`MetadataStore`] is what its homes promise,
//! `conformance` the suite that each of them passes: files below a folder ([`MetadataFiles`]), memory with
//! failures on command (`MetadataMemory`), later chains of create-only names in an object store and
//! ZooKeeper's nodes. What the bytes say is the caller's business.

#[cfg(any(test, feature = "faults"))]
pub mod conformance;
mod files;
#[cfg(any(test, feature = "faults"))]
pub mod memory;
mod read_only;
mod watch;

pub use files::MetadataFiles;
pub use read_only::ReadOnlyMetadata;
pub(crate) use watch::Watchers;
pub use watch::{Hint, Watch};

use std::collections::BTreeMap;

use crate::{Error, ErrorKind, Result};

/// A document as it was at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedBytes {
    pub version: u64,
    pub bytes: Vec<u8>,
}

/// Documents by name, each replaced whole or not at all.
///
/// A name is a relative path, parts separated by `/`, each matching `[A-Za-z0-9_.-]+` without a leading dot;
/// else `Invalid`.
///
/// A **version** belongs to one content of one name: no other content of that name ever has it, not after a
/// deletion and not after a restart, and each change gives a greater one. A home may give a content a greater
/// version than it had (the files home does so when it is opened): whoever comes with the older one gets
/// `Conflict` and reads again.
///
/// **Errors of a change** say what became of it. `Conflict`, `Invalid`, `Retry` and `Full`: nothing was
/// changed. Any other kind, `Unknown` above all, leaves that open: the change was made or will never be made,
/// and reading the document again tells which. What a read answers is durable: a home settles what it left
/// open first.
pub trait MetadataStore: Send + Sync {
    /// The newest version; `None` where there is no such document.
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>>;

    /// Puts `bytes` in place of version `expected` (`None`: of nothing) and returns their version, once
    /// durable. `Conflict` when the newest is another: read it and decide again.
    fn compare_and_set(&self, name: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64>;

    /// Deletes the document while it is at version `expected`, durably. `Conflict` when it is not, or is not
    /// there.
    fn delete(&self, name: &str, expected: u64) -> Result<()>;

    /// The names directly below a folder (`""`: the uppermost), in order: of documents, and of the folders
    /// that have some. There may be folders without any; a folder that is not there has none.
    fn list(&self, folder: &str) -> Result<Vec<String>>;

    /// The newest versions of the documents below a folder, however deep, whose names are `wanted`: by name,
    /// each as of a moment behind the call. One that was deleted meanwhile may be missing.
    fn read_below(
        &self,
        folder: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, VersionedBytes>> {
        let mut found = BTreeMap::new();
        for name in self.list(folder)? {
            let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            match self.get(&name)? {
                Some(document) if wanted(&name) => drop(found.insert(name, document)),
                Some(_) => {}
                None => found.append(&mut self.read_below(&name, wanted)?),
            }
        }
        Ok(found)
    }

    /// Calls `hint` after a document in or below a folder may have changed, for as long as the answer lives.
    /// A hint may come for nothing and may fail to come (another process changed the document, the connection
    /// broke): reading and listing again is always right, waiting for a hint alone never is. `hint` may run
    /// on any thread and must return at once.
    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch>;
}

/// Compares as [`MetadataStore::compare_and_set`] does.
pub(crate) fn check_version(name: &str, present: Option<u64>, expected: Option<u64>) -> Result<()> {
    if present == expected {
        return Ok(());
    }
    let say = |version: Option<u64>| version.map_or("absent".to_owned(), |at| format!("at version `{at}`"));
    let message =
        format!("document `{name}` is {}, not {}; read it again and decide", say(present), say(expected));
    Err(Error::new(ErrorKind::Conflict, message))
}
