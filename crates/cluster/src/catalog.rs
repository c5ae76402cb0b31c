//! The files that say which collections exist: `collections/<folder>/{schema,config,collection}.json`. The last is the
//! mark: written after all else and removed before all else, so that a crash leaves a whole collection or none. A core that
//! was unloaded keeps its files under another mark, `unloaded.json`, until it is created again. Beside them the configsets that
//! clients uploaded: `configsets/<name>.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use plan::{CollectionConfig, Error, ErrorKind, Resources, Result, SchemaSource};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::ConfigFiles;

use crate::state::{ClusterState, Rename};

const ROOT: &str = "collections";
const CONFIGSETS: &str = "configsets";
/// The folder that a collection's documents are in before any rebuild.
pub(crate) const FIRST_SHARD: &str = "shard1";
/// Of all folders that hold documents.
const SHARD_PREFIX: &str = "shard";
/// Beside the collections.
const STATE: &str = "cluster.json";
/// Under Solr's name, in Solr's form, so that administrators find it.
const SECURITY: &str = "security.json";
const MARK: &str = "collection.json";
/// Says the same of a core that is not served. Where both are, the collection is served.
const UNLOADED: &str = "unloaded.json";

/// What the mark says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub name: String,
    pub core: String,
    pub configset: String,
    pub created_ms: i64,
    /// Where its files are when that is not its name: it was renamed, or another had its name first.
    #[serde(default)]
    pub folder: Option<String>,
    /// What clients set for it.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
    /// How often the above was changed.
    #[serde(default)]
    pub changes: u32,
}

impl Entry {
    pub fn folder(&self) -> &str {
        self.folder.as_deref().unwrap_or(&self.name)
    }
}

/// The schema with the number of changes it went through.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedSchema {
    pub version: u64,
    pub source: SchemaSource,
    /// The folder of the shard that holds the documents; `None` is the first that a collection has.
    #[serde(default)]
    pub shard: Option<String>,
    /// The schema before the last rebuild, which can be undone.
    #[serde(default)]
    pub before: Option<SchemaSource>,
}

impl SavedSchema {
    pub fn first(source: SchemaSource) -> Self {
        Self { version: 0, source, shard: None, before: None }
    }

    pub fn folder(&self) -> &str {
        self.shard.as_deref().unwrap_or(FIRST_SHARD)
    }
}

pub(crate) struct Catalog {
    files: ConfigFiles,
    root: PathBuf,
}

impl Catalog {
    /// Opens the data directory, creating it if need be.
    pub fn open(data_dir: PathBuf) -> Result<Self> {
        let files = ConfigFiles::open(&data_dir).map_err(lift)?;
        files.create_folder(ROOT).map_err(lift)?;
        files.create_folder(CONFIGSETS).map_err(lift)?;
        Ok(Self { files, root: data_dir })
    }

    /// The collections found, by name. What a crash left half-made or half-deleted is removed.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for found in self.files.list(ROOT).map_err(lift)? {
            match self.read::<Entry>(&found.name, MARK) {
                Ok(entry) => entries.push(entry),
                Err(error) if error.kind == ErrorKind::NotFound => {
                    if self.unloaded(&found.name)?.is_some() {
                        continue;
                    }
                    self.files.remove(&path(&found.name, "")).map_err(lift)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    pub fn schema(&self, name: &str) -> Result<SavedSchema> {
        self.read(name, "schema.json")
    }

    pub fn config(&self, name: &str) -> Result<CollectionConfig> {
        self.read(name, "config.json")
    }

    pub fn save_schema(&self, name: &str, schema: &SavedSchema) -> Result<()> {
        self.write(name, "schema.json", schema)
    }

    pub fn save_config(&self, name: &str, config: &CollectionConfig) -> Result<()> {
        self.write(name, "config.json", config)
    }

    /// Makes the collection exist: from here on a restart finds it.
    pub fn mark(&self, entry: &Entry) -> Result<()> {
        self.write(entry.folder(), MARK, entry)
    }

    /// Makes it not exist: what is left is rubbish that [`Catalog::sweep`] or the next start removes.
    pub fn unmark(&self, name: &str) -> Result<()> {
        self.files.remove(&path(name, MARK)).map_err(lift)
    }

    /// Takes it out of service and keeps its files.
    pub fn unload(&self, entry: &Entry) -> Result<()> {
        self.write(entry.folder(), UNLOADED, entry)?;
        self.unmark(entry.folder())
    }

    /// What a core of this folder was when it was unloaded, if it was.
    pub fn unloaded(&self, name: &str) -> Result<Option<Entry>> {
        match self.read::<Entry>(name, UNLOADED) {
            Ok(entry) => Ok(Some(entry)),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The unloaded core of this name, whatever its collection's name.
    pub fn unloaded_core(&self, core: &str) -> Result<Option<Entry>> {
        for found in self.files.list(ROOT).map_err(lift)? {
            if let Some(entry) = self.unloaded(&found.name)?.filter(|entry| entry.core == core) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Puts it into service again.
    pub fn mark_again(&self, entry: &Entry) -> Result<()> {
        self.mark(entry)?;
        self.files.remove(&path(entry.folder(), UNLOADED)).map_err(lift)
    }

    /// A folder for a new collection: its name, or the name with a number where another collection's files are.
    pub fn free_folder(&self, name: &str) -> Result<String> {
        let mut folder = name.to_owned();
        let mut number = 2;
        while self.has_mark(&folder)? || self.unloaded(&folder)?.is_some() {
            folder = format!("{name}.{number}");
            number += 1;
        }
        Ok(folder)
    }

    fn has_mark(&self, folder: &str) -> Result<bool> {
        match self.read::<Entry>(folder, MARK) {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Gives a folder's collection the names that were under way, if it is still there.
    pub fn call(&self, rename: &Rename) -> Result<()> {
        match self.read::<Entry>(&rename.folder, MARK) {
            Ok(mut entry) => {
                rename.apply(&mut entry);
                self.mark(&entry)
            }
            Err(error) if error.kind == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What is kept for the node as a whole; what is not there is empty.
    pub fn state(&self) -> Result<ClusterState> {
        match self.files.read(STATE) {
            Ok(bytes) => decode(STATE, &bytes),
            Err(error) if *error.kind() == store::ErrorKind::NotFound => Ok(ClusterState::default()),
            Err(error) => Err(lift(error)),
        }
    }

    pub fn save_state(&self, state: &ClusterState) -> Result<()> {
        self.files.write_atomic(STATE, &encode(STATE, state)?).map_err(lift)
    }

    /// Who may do what, as text; `None` where there is no such file.
    pub fn security(&self) -> Result<Option<String>> {
        match self.files.read(SECURITY) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|failure| {
                let message =
                    format!("cannot read `{SECURITY}`: it is not UTF-8; restore the file from a copy");
                Error::new(ErrorKind::DataLoss, message).with_source(failure)
            }),
            Err(error) if *error.kind() == store::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(lift(error)),
        }
    }

    pub fn save_security(&self, text: &str) -> Result<()> {
        self.files.write_secret(SECURITY, text.as_bytes()).map_err(lift)
    }

    /// Deletes its shards' folders but the one of this name, if any.
    pub fn sweep_shards(&self, name: &str, keep: Option<&str>) -> Result<()> {
        for shard in self.shards(name)?.iter().filter(|shard| Some(shard.as_str()) != keep) {
            self.files.remove(&path(name, shard)).map_err(lift)?;
        }
        Ok(())
    }

    pub fn has_shard(&self, name: &str) -> Result<bool> {
        Ok(!self.shards(name)?.is_empty())
    }

    fn shards(&self, name: &str) -> Result<Vec<String>> {
        let found = self.files.list(&path(name, "")).map_err(lift)?;
        let shards =
            found.into_iter().filter(|found| found.is_folder && found.name.starts_with(SHARD_PREFIX));
        Ok(shards.map(|found| found.name).collect())
    }

    pub fn sweep(&self, name: &str) -> Result<()> {
        self.files.remove(&path(name, "")).map_err(lift)
    }

    pub fn shard_folder(&self, name: &str, shard: &str) -> PathBuf {
        self.folder(name).join(shard)
    }

    /// The same as the path of a shard's id, in the site of this node's data.
    pub fn shard_path(name: &str, shard: &str) -> String {
        format!("{ROOT}/{name}/{shard}")
    }

    /// Where all of a collection is.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.join(ROOT).join(name)
    }

    /// Whether a health check's file is there.
    pub fn has_health_file(&self, name: &str, file: &str) -> Result<bool> {
        match self.files.read(&health_path(name, file)) {
            Ok(_) => Ok(true),
            Err(error) if *error.kind() == store::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(lift(error)),
        }
    }

    pub fn write_health_file(&self, name: &str, file: &str, text: &str) -> Result<()> {
        self.files.write_atomic(&health_path(name, file), text.as_bytes()).map_err(lift)
    }

    pub fn remove_health_file(&self, name: &str, file: &str) -> Result<()> {
        self.files.remove(&health_path(name, file)).map_err(lift)
    }

    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// The uploaded configsets, by name.
    pub fn configsets(&self) -> Result<BTreeMap<String, Arc<Resources>>> {
        let mut configsets = BTreeMap::new();
        for found in self.files.list(CONFIGSETS).map_err(lift)? {
            if let Some(name) = found.name.strip_suffix(".json") {
                let files = self.read_at(&format!("{CONFIGSETS}/{}", found.name))?;
                configsets.insert(name.to_owned(), Arc::new(files));
            }
        }
        Ok(configsets)
    }

    pub fn save_configset(&self, name: &str, files: &Resources) -> Result<()> {
        self.write_at(&format!("{CONFIGSETS}/{name}.json"), files)
    }

    pub fn remove_configset(&self, name: &str) -> Result<()> {
        self.files.remove(&format!("{CONFIGSETS}/{name}.json")).map_err(lift)
    }

    fn read<T: DeserializeOwned>(&self, name: &str, file: &str) -> Result<T> {
        self.read_at(&path(name, file))
    }

    fn read_at<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        decode(path, &self.files.read(path).map_err(lift)?)
    }

    fn write<T: Serialize>(&self, name: &str, file: &str, value: &T) -> Result<()> {
        self.write_at(&path(name, file), value)
    }

    fn write_at<T: Serialize>(&self, path: &str, value: &T) -> Result<()> {
        self.files.write_atomic(path, &encode(path, value)?).map_err(lift)
    }
}

fn decode<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|failure| {
        let message = format!("cannot read `{path}`: {failure}; restore the file from a copy");
        Error::new(ErrorKind::DataLoss, message).with_source(failure)
    })
}

fn encode<T: Serialize>(path: &str, value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(value)
        .map_err(|failure| Error::internal(format!("cannot encode `{path}`: {failure}")))
}

fn path(name: &str, file: &str) -> String {
    let folder = format!("{ROOT}/{name}");
    if file.is_empty() { folder } else { format!("{folder}/{file}") }
}

/// In a folder of their own: no name can hit another file.
fn health_path(name: &str, file: &str) -> String {
    path(name, &format!("health/{file}"))
}

/// The store's kinds as the caller's actions.
pub(crate) fn lift(error: store::Error) -> Error {
    let kind = match error.kind() {
        store::ErrorKind::Corrupt { .. } => ErrorKind::DataLoss,
        store::ErrorKind::NotFound => ErrorKind::NotFound,
        store::ErrorKind::Conflict => ErrorKind::Conflict,
        store::ErrorKind::Invalid => ErrorKind::BadRequest,
        store::ErrorKind::Unknown => ErrorKind::Unknown,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, error.message().to_owned()).with_source(error)
}
