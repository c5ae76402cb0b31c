//! Documents of others, as a node has them that only reads (`serve --read-only`). Reads, lists and watches go
//! to the home that is handed in; changes end here, so that no code above has to ask which kind of node it
//! runs on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Hint, MetadataStore, VersionedBytes, Watch};
use crate::{Error, ErrorKind, Result};

/// Passes reads on and refuses changes, with `Invalid`: nothing was changed.
pub struct ReadOnlyMetadata(Arc<dyn MetadataStore>);

impl ReadOnlyMetadata {
    pub fn new(documents: Arc<dyn MetadataStore>) -> Self {
        Self(documents)
    }
}

fn refused(name: &str) -> Error {
    let message = format!("`{name}` is only read here; change it where its collection is owned");
    Error::new(ErrorKind::Invalid, message)
}

impl MetadataStore for ReadOnlyMetadata {
    fn get(&self, name: &str) -> Result<Option<VersionedBytes>> {
        self.0.get(name)
    }

    fn compare_and_set(&self, name: &str, _: Option<u64>, _: &[u8]) -> Result<u64> {
        Err(refused(name))
    }

    fn delete(&self, name: &str, _: u64) -> Result<()> {
        Err(refused(name))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>> {
        self.0.list(folder)
    }

    fn read_below(
        &self,
        folder: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, VersionedBytes>> {
        self.0.read_below(folder, wanted)
    }

    fn watch(&self, folder: &str, hint: Hint) -> Result<Watch> {
        self.0.watch(folder, hint)
    }
}
