//! The configsets that a new collection may start from, by name. Read by the binary at start; a collection copies what
//! it takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{CollectionConfig, Error, Result, SchemaSource};

/// A schema and a config under one name.
#[derive(Clone, Debug)]
pub struct Configset {
    pub schema: SchemaSource,
    pub config: CollectionConfig,
}

#[derive(Clone, Debug, Default)]
pub struct Configsets {
    by_name: BTreeMap<String, Arc<Configset>>,
}

impl Configsets {
    pub fn insert(&mut self, name: impl Into<String>, configset: Configset) {
        self.by_name.insert(name.into(), Arc::new(configset));
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Errors: `BadRequest`, with the names there are.
    pub fn require(&self, name: &str) -> Result<Arc<Configset>> {
        self.by_name.get(name).cloned().ok_or_else(|| {
            let known: Vec<_> = self.names().collect();
            Error::bad_request(format!(
                "Can not find the specified config set: {name}; there are: {}",
                known.join(", ")
            ))
        })
    }
}
