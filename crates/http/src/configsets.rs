//! The configsets that a new collection may start from: those that the binary reads at start, by name, and
//! how one is made of its files. A collection copies what it takes.
//!
//! In: files as texts; out: a schema and a config (`solr` reads them) with the files they came from.
//! Configsets that clients upload are the node's (`cluster`); the handlers look among both.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{CollectionConfig, Error, Resources, Result, SchemaSource};

/// What Solr calls the schema's file, newest name first.
const SCHEMA_FILES: [&str; 3] = ["managed-schema.xml", "managed-schema", "schema.xml"];
/// Of all files of a configset together.
const BYTES_MAX: usize = 64 << 20;

/// A schema and a config under one name, and the files that they were read from.
#[derive(Clone, Debug)]
pub struct Configset {
    pub schema: SchemaSource,
    pub config: CollectionConfig,
    pub files: Resources,
}

impl Configset {
    /// Reads it from its files. Errors: `BadRequest` for files that are missing or cannot be read.
    pub fn read(files: &Resources) -> Result<Self> {
        let read = |name: &str| files.get(name).cloned();
        let schema = SCHEMA_FILES.iter().find_map(|name| read(name)).ok_or_else(|| {
            Error::bad_request(format!("there is no schema; add the file `{}`", SCHEMA_FILES[0]))
        })?;
        let schema = solr::schema::load(&schema, &read)?;
        let mut config = solr::config::load(&read)?.config;
        Arc::make_mut(&mut config.source).revision = revision(files);
        Ok(Self { schema, config, files: files.clone() })
    }
}

/// A number that other files do not have (FNV-1a); never 0.
pub(crate) fn revision(files: &Resources) -> u64 {
    let bytes = files.iter().flat_map(|(name, text)| {
        name.bytes().chain([0]).chain((text.len() as u64).to_be_bytes()).chain(text.bytes())
    });
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.max(1)
}

/// Errors: `BadRequest` for files that are too large together.
pub(crate) fn check_size(files: &Resources) -> Result<()> {
    let bytes: usize = files.iter().map(|(name, text)| name.len() + text.len()).sum();
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    Err(Error::bad_request(format!("the configset would have `{bytes}` bytes; {BYTES_MAX} are the most")))
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

    pub fn find(&self, name: &str) -> Option<Arc<Configset>> {
        self.by_name.get(name).cloned()
    }

    /// Errors: `BadRequest`, with the names there are, `others` among them.
    pub fn require(&self, name: &str, others: &[String]) -> Result<Arc<Configset>> {
        self.find(name).ok_or_else(|| {
            let known: Vec<_> = self.names().chain(others.iter().map(String::as_str)).collect();
            Error::bad_request(format!(
                "Can not find the specified config set: {name}; there are: {}",
                known.join(", ")
            ))
        })
    }
}
