//! The documents that say which collections there are and what they are:
//! `collections/<key>/{collection,schema,config}.json`, aliases and properties (`cluster.json`), uploaded
//! configsets (`configsets/<name>.json`), the cluster's id (`identity.json`) and `security.json` are the
//! shared truth; `placement/<key>.json`
//! says what this node has of a collection. The two are stores of their own, which one node keeps in one
//! folder. `collection.json` is written after all else and deleted before all else: a collection is there as
//! a whole or not. Of several members `owner.json` is written before and removed behind all that, and says
//! whether it is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan::{CollectionConfig, Error, ErrorKind, Resources, Result};
use store::{ConfigFiles, MetadataFiles, MetadataStore, VersionedBytes};

use crate::collection_documents::{CollectionDocument, SavedSchema};
use crate::documents::{Documents, Versioned, decode, lift};
use crate::owners::{Owned, OwnedCollections, Owners};
use crate::placement::{Placement, PlacementState};
use crate::state::{ClusterIdentity, ClusterState, Rename};

pub(crate) const COLLECTIONS: &str = "collections";
const CONFIGSETS: &str = "configsets";
const PLACEMENT: &str = "placement";
/// Of all folders that hold documents.
const SHARD_PREFIX: &str = "shard";
const STATE: &str = "cluster.json";
const IDENTITY: &str = "identity.json";
/// Which member this node is.
const MEMBER: &str = "member.json";
/// By which members know one another.
const SECRET: &str = "secret.json";
const COLLECTION: &str = "collection.json";
const OWNER: &str = "owner.json";
/// Under Solr's name, in Solr's form, so that administrators find it.
const SECURITY: &str = "security.json";

/// Where a node finds its documents.
pub struct MetadataHomes {
    /// What all nodes agree on.
    pub shared: Arc<dyn MetadataStore>,
    /// What only this node writes.
    pub local: Arc<dyn MetadataStore>,
}

impl MetadataHomes {
    /// Both in one folder: a cluster of one.
    pub fn files(data_dir: &Path) -> Result<Self> {
        let files = Arc::new(MetadataFiles::open(data_dir, &[SECURITY]).map_err(lift)?);
        Ok(Self { shared: files.clone(), local: files })
    }
}

/// A document as it was when it was looked at or made.
pub(crate) struct DocumentVersion {
    pub name: String,
    pub version: u64,
}

pub(crate) struct Catalog {
    pub shared: Documents,
    pub local: Documents,
    folders: ConfigFiles,
    root: PathBuf,
}

impl Catalog {
    /// Opens the data directory, creating it if need be.
    pub fn open(data_dir: PathBuf, homes: MetadataHomes) -> Result<Self> {
        let folders = ConfigFiles::open(&data_dir).map_err(lift)?;
        for folder in [COLLECTIONS, CONFIGSETS, PLACEMENT] {
            folders.create_folder(folder).map_err(lift)?;
        }
        let (shared, local) = (Documents::new(homes.shared), Documents::new(homes.local));
        Ok(Self { shared, local, folders, root: data_dir })
    }

    /// All that may be the key of a collection: by its documents, by this node's, by a folder.
    pub fn keys(&self) -> Result<BTreeSet<String>> {
        let placements = self.local.list(PLACEMENT)?;
        let placed = placements.iter().filter_map(|name| name.strip_suffix(".json")).map(str::to_owned);
        let mut keys: BTreeSet<String> = placed.collect();
        // After a crash while a collection was made or deleted any of the three may be there without the
        // others.
        keys.extend(self.shared.list(COLLECTIONS)?);
        keys.extend(self.folder_names(COLLECTIONS)?);
        Ok(keys)
    }

    /// Of them those that have shared documents.
    pub fn shared_keys(&self) -> Result<Vec<String>> {
        self.shared.list(COLLECTIONS)
    }

    /// The shared documents that belong to no collection.
    pub fn common_documents(&self) -> Result<Vec<String>> {
        let configsets = self.shared.list(CONFIGSETS)?.into_iter().map(|name| format!("{CONFIGSETS}/{name}"));
        Ok([STATE, IDENTITY, SECURITY].map(str::to_owned).into_iter().chain(configsets).collect())
    }

    pub fn collection(&self, key: &str) -> Result<Option<CollectionDocument>> {
        Ok(self.shared.get(&path(key, COLLECTION))?.map(|found| found.value))
    }

    /// The same where the collection is there: not while several members make or drop it.
    pub fn served(&self, key: &str) -> Result<Option<CollectionDocument>> {
        let Some(entry) = self.collection(key)? else { return Ok(None) };
        let owners = self.owners(key)?;
        Ok(owners.is_none_or(|owners| owners.value.has_served(&entry)).then_some(entry))
    }

    /// From here on the collection is there, but for several members. Returns the document's version. Errors:
    /// `Conflict` where one is already.
    pub fn create_collection(&self, collection: &CollectionDocument) -> Result<u64> {
        self.shared.set(&path(collection.key(), COLLECTION), None, collection)
    }

    /// Changes the description of a collection. Errors: `NotFound`.
    pub fn change_collection(
        &self,
        key: &str,
        change: impl FnMut(&mut CollectionDocument),
    ) -> Result<CollectionDocument> {
        self.shared.edit(&path(key, COLLECTION), change)
    }

    /// From here on it is not there.
    pub fn remove_collection(&self, key: &str) -> Result<()> {
        self.shared.remove(&path(key, COLLECTION))
    }

    /// What only is of use with a collection.
    pub fn remove_documents(&self, key: &str) -> Result<()> {
        self.shared.remove(&path(key, "schema.json"))?;
        self.shared.remove(&path(key, "config.json"))?;
        // Last: until then nobody else makes a collection of this key.
        self.shared.remove(&path(key, OWNER))
    }

    /// The documents that only are of use with a collection, itself first, with the versions that they have.
    pub fn look_at(&self, key: &str) -> Result<Vec<DocumentVersion>> {
        let mut found = Vec::new();
        for name in [COLLECTION, "schema.json", "config.json"].map(|file| path(key, file)) {
            let version = self.shared.bytes(&name)?.map(|found| found.version);
            found.extend(version.map(|version| DocumentVersion { name, version }));
        }
        Ok(found)
    }

    /// Removes documents as they were looked at. Errors: `Conflict` where one is another by now; it stays.
    pub fn remove_as_looked_at(&self, documents: &[DocumentVersion]) -> Result<()> {
        documents.iter().try_for_each(|it| self.shared.remove_version(&it.name, it.version))
    }

    /// Gives a collection the names that were under way, if it is still there.
    pub fn call(&self, rename: &Rename) -> Result<()> {
        if self.collection(&rename.key)?.is_none() {
            return Ok(());
        }
        self.change_collection(&rename.key, |collection| rename.apply(collection)).map(drop)
    }

    pub fn schema(&self, key: &str) -> Result<Versioned<SavedSchema>> {
        self.shared.require(&path(key, "schema.json"))
    }

    /// Errors: `Conflict` when another change came first.
    pub fn set_schema(&self, key: &str, expected: Option<u64>, schema: &SavedSchema) -> Result<u64> {
        self.shared.set(&path(key, "schema.json"), expected, schema)
    }

    pub fn config(&self, key: &str) -> Result<Versioned<CollectionConfig>> {
        self.shared.require(&path(key, "config.json"))
    }

    /// Errors: `Conflict` when another change came first.
    pub fn set_config(&self, key: &str, expected: Option<u64>, config: &CollectionConfig) -> Result<u64> {
        self.shared.set(&path(key, "config.json"), expected, config)
    }

    /// Aliases and properties; where they never were set, there are none.
    pub fn state(&self) -> Result<(Option<u64>, ClusterState)> {
        let found = self.shared.get(STATE)?;
        Ok(found.map_or_else(Default::default, |found| (Some(found.version), found.value)))
    }

    /// Errors: `Conflict` when another change came first.
    pub fn set_state(&self, expected: Option<u64>, state: &ClusterState) -> Result<u64> {
        self.shared.set(STATE, expected, state)
    }

    /// The cluster's id; `new` becomes that of a cluster that has none.
    pub fn cluster_id(&self, new: &str) -> Result<String> {
        take_id(&self.shared, IDENTITY, new)
    }

    /// The id of this node among the members; `new` becomes that of a node that has none.
    pub fn member_id(&self, new: &str) -> Result<String> {
        take_id(&self.local, MEMBER, new)
    }

    /// What members sign their messages with; `new` becomes that of a cluster that has none.
    pub fn member_secret(&self, new: &str) -> Result<String> {
        take_id(&self.shared, SECRET, new)
    }

    /// Who is to serve a collection and its shards.
    pub fn owners(&self, key: &str) -> Result<Option<Versioned<Owners>>> {
        self.shared.get(&path(key, OWNER))
    }

    /// Errors: `Conflict` when another change came first.
    pub fn set_owners(&self, key: &str, expected: Option<u64>, owners: &Owners) -> Result<u64> {
        self.shared.set(&path(key, OWNER), expected, owners)
    }

    /// Errors: `Conflict` when another change came first.
    pub fn remove_owners(&self, key: &str, version: u64) -> Result<()> {
        self.shared.remove_version(&path(key, OWNER), version)
    }

    /// All collections that there are, by key, with who is to serve them, and those on their way.
    pub fn owned(&self) -> Result<OwnedCollections> {
        let documents = self.shared.read_below(COLLECTIONS, |file| [COLLECTION, OWNER].contains(&file))?;
        let key_of = |name: &String| Some(name.strip_prefix(COLLECTIONS)?.split('/').nth(1)?.to_owned());
        let keys: BTreeSet<String> = documents.keys().filter_map(key_of).collect();
        let mut found = OwnedCollections::default();
        for key in keys {
            let of = |file: &str| documents.get(&path(&key, file));
            let entry =
                of(COLLECTION).map(|it| decode::<CollectionDocument>(&path(&key, COLLECTION), &it.bytes));
            let owners = of(OWNER).map(|owners| {
                let value: Owners = decode(&path(&key, OWNER), &owners.bytes)?;
                Ok::<_, Error>(Versioned { version: owners.version, value })
            });
            let (entry, owners) = (entry.transpose()?, owners.transpose()?);
            let is_there =
                |entry: &CollectionDocument| owners.as_ref().is_none_or(|it| it.value.has_served(entry));
            if let Some(entry) = entry.filter(is_there) {
                found.there.insert(key, Owned { entry, owners });
            } else if let Some(owners) = owners {
                found.begun.insert(key, owners.value);
            }
        }
        Ok(found)
    }

    /// Who may do what, as text; `None` where there is no such document.
    pub fn security(&self) -> Result<Option<String>> {
        self.shared.text(SECURITY)
    }

    pub fn versioned_security(&self) -> Result<Option<VersionedBytes>> {
        self.shared.bytes(SECURITY)
    }

    /// Errors: `Conflict` when another change came first.
    pub fn set_security(&self, expected: Option<u64>, text: &str) -> Result<u64> {
        self.shared.set_bytes(SECURITY, expected, text.as_bytes())
    }

    pub fn save_security(&self, text: &str) -> Result<()> {
        self.shared.put_text(SECURITY, text)
    }

    /// All uploaded configsets with their files.
    pub fn configsets(&self) -> Result<BTreeMap<String, Resources>> {
        let documents = self.shared.read_below(CONFIGSETS, |_| true)?;
        let of = |(document, found): (&String, &VersionedBytes)| {
            let name = document.strip_prefix(CONFIGSETS)?.strip_prefix('/')?.strip_suffix(".json")?;
            Some(decode(document, &found.bytes).map(|files| (name.to_owned(), files)))
        };
        documents.iter().filter_map(of).collect()
    }

    /// The files of an uploaded configset.
    pub fn configset(&self, name: &str) -> Result<Option<Versioned<Resources>>> {
        self.shared.get(&configset(name))
    }

    /// Errors: `Conflict` when another change came first.
    pub fn set_configset(&self, name: &str, expected: Option<u64>, files: &Resources) -> Result<u64> {
        self.shared.set(&configset(name), expected, files)
    }

    pub fn remove_configset(&self, name: &str) -> Result<()> {
        self.shared.remove(&configset(name))
    }

    /// What this node wrote down of a collection.
    pub fn placement(&self, key: &str) -> Result<Option<Placement>> {
        Ok(self.local.get(&placement(key))?.map(|found| found.value))
    }

    /// The placement of a collection that is there; of one that this node has not written down, that its
    /// first edition is served, which [`Placement::settle`] sets right.
    pub fn placement_of(&self, collection: &CollectionDocument) -> Result<Placement> {
        let known = self.placement(collection.key())?;
        let same = known.filter(|known| known.is_of(collection));
        Ok(same.unwrap_or_else(|| Placement::new(collection, PlacementState::Served)))
    }

    pub fn put_placement(&self, key: &str, value: &Placement) -> Result<()> {
        self.local.put(&placement(key), value)
    }

    pub fn remove_placement(&self, key: &str) -> Result<()> {
        self.local.remove(&placement(key))
    }

    /// Removes the folders that a placement has discarded, and forgets them.
    pub fn sweep(&self, key: &str, placement: &mut Placement) -> Result<()> {
        if placement.discarded.is_empty() {
            return Ok(());
        }
        for shard in &placement.discarded {
            self.folders.remove(&path(key, shard)).map_err(lift)?;
        }
        // Only once the folders are gone: after a crash in between they are still noted, and swept again.
        placement.discarded.clear();
        self.put_placement(key, placement)
    }

    /// The folders with documents that this node has of a collection, whether they are served or not.
    pub fn shard_folders(&self, key: &str) -> Result<Vec<String>> {
        let names = self.folder_names(&path(key, ""))?;
        Ok(names.into_iter().filter(|name| name.starts_with(SHARD_PREFIX)).collect())
    }

    /// Those of them that are written down nowhere, as a crash of a release left them that wrote none down.
    pub fn unknown_folders(
        &self,
        collection: &CollectionDocument,
        placement: &Placement,
    ) -> Result<Vec<String>> {
        let key = collection.key();
        let Placement { state: _, created_ms: _, becomes_ms: _, shard, building, discarded } = placement;
        let editions = [Some(shard), building.as_ref()].into_iter().flatten();
        let known: Vec<String> = editions.flat_map(|edition| collection.folders(edition)).collect();
        let is_known = |folder: &String| known.contains(folder) || discarded.contains(folder);
        let folders = self.shard_folders(key)?.into_iter();
        Ok(folders.filter(|folder| !is_known(folder)).map(|folder| format!("{key}/{folder}")).collect())
    }

    /// Whether there is a folder of this key.
    pub fn has_folder(&self, key: &str) -> Result<bool> {
        Ok(self.folder_names(COLLECTIONS)?.iter().any(|folder| folder == key))
    }

    /// Removes all that this node has of a collection.
    pub fn remove_folder(&self, key: &str) -> Result<()> {
        self.folders.remove(&path(key, "")).map_err(lift)
    }

    pub fn shard_folder(&self, key: &str, shard: &str) -> PathBuf {
        self.folder(key).join(shard)
    }

    /// The same as the path of a shard's id, in the site of this node's data.
    pub fn shard_path(key: &str, shard: &str) -> String {
        path(key, shard)
    }

    /// Where all of a collection is.
    pub fn folder(&self, key: &str) -> PathBuf {
        self.root.join(COLLECTIONS).join(key)
    }

    /// Whether a health check's file is there.
    pub fn has_health_file(&self, key: &str, file: &str) -> Result<bool> {
        Ok(self.local.text(&health(key, file))?.is_some())
    }

    pub fn write_health_file(&self, key: &str, file: &str, text: &str) -> Result<()> {
        self.local.put_text(&health(key, file), text)
    }

    pub fn remove_health_file(&self, key: &str, file: &str) -> Result<()> {
        self.local.remove(&health(key, file))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    fn folder_names(&self, folder: &str) -> Result<Vec<String>> {
        let found = match self.folders.list(folder) {
            Err(error) if *error.kind() == store::ErrorKind::NotFound => return Ok(Vec::new()),
            found => found.map_err(lift)?,
        };
        Ok(found.into_iter().filter(|found| found.is_folder).map(|found| found.name).collect())
    }
}

/// A document that, once made, says the same for ever.
fn take_id(documents: &Documents, name: &str, new: &str) -> Result<String> {
    if let Some(found) = documents.get::<ClusterIdentity>(name)? {
        return Ok(found.value.id);
    }
    match documents.set(name, None, &ClusterIdentity { id: new.to_owned() }) {
        Ok(_) => Ok(new.to_owned()),
        Err(error) if error.kind == ErrorKind::Conflict => {
            Ok(documents.require::<ClusterIdentity>(name)?.value.id)
        }
        Err(error) => Err(error),
    }
}

pub(crate) fn path(key: &str, file: &str) -> String {
    let folder = format!("{COLLECTIONS}/{key}");
    if file.is_empty() { folder } else { format!("{folder}/{file}") }
}

fn configset(name: &str) -> String {
    format!("{CONFIGSETS}/{name}.json")
}

fn placement(key: &str) -> String {
    format!("{PLACEMENT}/{key}.json")
}

/// In a folder of their own: no name can hit another file.
fn health(key: &str, file: &str) -> String {
    path(key, &format!("health/{file}"))
}
