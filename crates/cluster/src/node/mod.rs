//! The node: all collections that live here, found again at start, made and deleted under one lock, looked up
//! without one by collection or core name.
//!
//! Here are its parts, its opening and the directory of names. What making, deleting and unloading do step by
//! step is `lifecycle`'s, renaming and aliases are `names`'; documents on disk are the catalog's.

mod assignment;
mod births;
mod configsets;
mod editions;
mod follow;
mod gathering;
mod lifecycle;
mod moving;
mod names;
mod placing;
mod reading;
mod repairing;
mod replicas;
mod security;
mod shards;
mod taking_part;

pub use moving::{MovedCollection, NewHouse};
pub use placing::CORES_MAX_PROPERTY;
pub use repairing::{RepairedShard, VerifiedShard};
pub use replicas::ReplicaName;
pub use shards::NewShard;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use meter::{Clock, Meters};
use plan::{AutoCommit, Error, ErrorKind, Join, LikeTerm, MoreLike, Result, Schema};
use store::{FileCopies, LocalSite, ReadOnlyMetadata, ShardId, Site};

use crate::catalog::{Catalog, MetadataHomes};
use crate::collection::{Collection, PinnedCollection};
use crate::collection_documents::{CollectionDocument, FIRST_SHARD};
use crate::configsets::Uploads;
use crate::create::CreateCollection;
use crate::member::{Assignment, Description};
use crate::offload;
use crate::remote::{MemberCopies, ShardAddress};
use crate::replica::Replica;
use crate::security::KnownSecurity;
use crate::shard::{JoinedValues, OpenShard, Peers, ShardPlace, ShardSite};
use crate::state::ClusterState;
use crate::upgrade::upgrade;
use crate::views::Views;

pub struct NodeConfig {
    pub data_dir: PathBuf,
    pub clock: Arc<dyn Clock>,
    pub shards: Arc<dyn OpenShard>,
    /// How this node is called in the cluster, as `host:port_solr`.
    pub name: String,
}

/// Collections by name, and the names under which each may be asked for.
#[derive(Clone, Default)]
struct Directory {
    collections: BTreeMap<String, Arc<Collection>>,
    /// With the number of the shard whose replica it is.
    cores: BTreeMap<String, (Arc<Collection>, usize)>,
    /// What other members serve, or nobody yet, by name.
    elsewhere: BTreeMap<String, Description>,
    state: Arc<ClusterState>,
}

impl Directory {
    fn find(&self, name: &str) -> Option<Arc<Collection>> {
        match self.state.resolve(name) {
            Some(members) if members.len() == 1 => self.own(members.first()?),
            Some(_) => None,
            None => self.own(name),
        }
    }

    /// By its own name, whatever aliases there are.
    fn own(&self, name: &str) -> Option<Arc<Collection>> {
        self.collections.get(name).or_else(|| self.cores.get(name).map(|(of, _)| of)).cloned()
    }

    /// The collections that a text of names stands for: aliases and collections, separated by commas.
    fn members_of(&self, names: &str) -> Vec<String> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.flat_map(|name| self.state.resolve(name).unwrap_or_else(|| vec![name.to_owned()])).collect()
    }

    /// What is served elsewhere, by the name of a collection or core.
    fn described(&self, name: &str) -> Option<&Description> {
        let has_core = |it: &&Description| {
            it.shard_documents()
                .iter()
                .any(|it_has| it.replicas(it_has).iter().any(|(it, _)| it.core == name))
        };
        self.elsewhere.get(name).or_else(|| self.elsewhere.values().find(has_core))
    }

    fn is_taken(&self, name: &str) -> bool {
        self.own(name).is_some() || self.described(name).is_some()
    }

    fn insert(&mut self, collection: Arc<Collection>) {
        self.elsewhere.remove(&collection.name());
        for (number, shard) in collection.shard_documents().into_iter().enumerate() {
            // Replicas answer to their own names, wherever they are: a core is its shard.
            for follower in collection.owners().iter().flat_map(|owners| owners.followers_of(&shard.name)) {
                let replica = Replica::of(&collection.name(), &shard, follower.replica);
                self.cores.insert(replica.core, (collection.clone(), number));
            }
            self.cores.insert(shard.core, (collection.clone(), number));
        }
        self.collections.insert(collection.name(), collection);
    }

    /// Whatever it was called when it came.
    fn take_out(&mut self, collection: &Arc<Collection>) {
        self.collections.retain(|_, it| !Arc::ptr_eq(it, collection));
        self.cores.retain(|_, (it, _)| !Arc::ptr_eq(it, collection));
    }
}

/// The collections of the node, as one of them asks for another.
struct Neighbours {
    directory: Weak<ArcSwap<Directory>>,
    views: Arc<Views>,
}

impl Neighbours {
    fn find(&self, collection: &str) -> Result<Arc<Collection>> {
        let directory = self.directory.upgrade();
        let found = directory.map(|it| it.load().find_to_read(&self.views, collection)).transpose()?;
        found
            .flatten()
            .ok_or_else(|| Error::bad_request(format!("Cross-core join: no such core {collection}")))
    }
}

impl Peers for Neighbours {
    fn joined(&self, collection: &str, join: &Join, scored: bool) -> Result<JoinedValues> {
        self.find(collection)?.joined(join, scored)
    }

    fn like_terms(&self, like: &MoreLike) -> Result<Vec<LikeTerm>> {
        let found = like.collections.iter().map(|name| self.find(name)).collect::<Result<Vec<_>>>()?;
        let pinned: Vec<_> = found.iter().map(|collection| collection.pin()).collect();
        match &*pinned {
            [only] => only.chosen_like_terms(like, &Meters::default()),
            several => PinnedCollection::together(several).chosen_like_terms(like, &Meters::default()),
        }
    }
}

pub struct Node {
    name: String,
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    shards: Arc<dyn OpenShard>,
    /// Where the shards' homes are.
    site: Arc<dyn Site>,
    directory: Arc<ArcSwap<Directory>>,
    changing: Mutex<()>,
    uploads: Uploads,
    started_ms: i64,
    left_alone: Vec<String>,
    /// Of one of several members; `None` where this node owns all there is.
    assignment: Option<Assignment>,
    /// What became another's, to be closed.
    lost: Mutex<Vec<Arc<Collection>>>,
    known_security: KnownSecurity,
    /// What is another's, to be read.
    views: Arc<Views>,
}

impl Node {
    /// Opens the data directory and every collection in it. Blocks.
    pub fn open(config: NodeConfig) -> Result<Arc<Self>> {
        let homes = MetadataHomes::files(&config.data_dir)?;
        Self::open_on(config, homes)
    }

    /// The same with documents that are elsewhere than in the data directory. Blocks.
    pub fn open_on(config: NodeConfig, homes: MetadataHomes) -> Result<Arc<Self>> {
        let site = Arc::new(LocalSite::new(&config.data_dir));
        Self::open_at(config, homes, site)
    }

    /// The same with shards that are elsewhere too. Blocks.
    pub fn open_at(config: NodeConfig, homes: MetadataHomes, site: Arc<dyn Site>) -> Result<Arc<Self>> {
        let mut node = Self::begin(config, homes, site)?;
        // Before anything is read: what older releases wrote is put into today's form first.
        upgrade(&node.catalog)?;
        node.take_up_state()?;
        node.left_alone = node.take_up_collections()?;
        Ok(Arc::new(node))
    }

    /// A node that reads what another owns and changes none of it, with shards that are opened so
    /// (`engine_readers`); whoever runs it calls [`follow`](Self::follow) again and again. Blocks.
    pub fn open_reader(config: NodeConfig, homes: MetadataHomes, site: Arc<dyn Site>) -> Result<Arc<Self>> {
        let homes = MetadataHomes { shared: Arc::new(ReadOnlyMetadata::new(homes.shared)), ..homes };
        let node = Arc::new(Self::begin(config, homes, site)?);
        match node.follow() {
            Ok(()) => Ok(node),
            Err(failures) => {
                Err(failures.into_iter().next().unwrap_or_else(|| Error::internal("no failure")))
            }
        }
    }

    /// With nothing taken up yet.
    fn begin(config: NodeConfig, homes: MetadataHomes, site: Arc<dyn Site>) -> Result<Self> {
        let NodeConfig { data_dir, clock, shards, name } = config;
        let started_ms = clock.now_ms();
        let catalog = Arc::new(Catalog::open(data_dir, homes)?);
        Ok(Self {
            name,
            views: Views::new(catalog.clone(), clock.clone()),
            uploads: Uploads::open(&catalog)?,
            catalog,
            clock,
            shards,
            site,
            directory: Arc::default(),
            changing: Mutex::new(()),
            started_ms,
            left_alone: Vec::new(),
            assignment: None,
            lost: Mutex::default(),
            known_security: KnownSecurity::default(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn data_dir(&self) -> &Path {
        self.catalog.root()
    }

    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// For tests that look at what is kept.
    #[cfg(test)]
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The keys of what was found at the start and belongs to no collection that is known here: their files
    /// stay as they are.
    pub fn left_alone(&self) -> &[String] {
        &self.left_alone
    }

    pub fn started_ms(&self) -> i64 {
        self.started_ms
    }

    /// By the name of a collection, a core, or an alias of one collection.
    pub fn find(&self, name: &str) -> Option<Arc<Collection>> {
        self.directory.load().find(name)
    }

    /// By its own name or a core's, whatever aliases there are.
    pub fn find_own(&self, name: &str) -> Option<Arc<Collection>> {
        self.directory.load().own(name)
    }

    /// As [`Node::find`], with the number of the shard whose core is called so; `None` beside the collection
    /// where the name is its own or an alias.
    pub fn find_addressed(&self, name: &str) -> Option<(Arc<Collection>, Option<usize>)> {
        let directory = self.directory.load();
        let is_core =
            !directory.collections.contains_key(name) && !directory.state.aliases.contains_key(name);
        match directory.cores.get(name).filter(|_| is_core) {
            Some((collection, number)) => Some((collection.clone(), Some(*number))),
            None => Some((directory.find(name)?, None)),
        }
    }

    /// All collections, by name.
    pub fn list(&self) -> Vec<Arc<Collection>> {
        self.directory.load().collections.values().cloned().collect()
    }

    /// Makes a collection. Errors: `BadRequest` for a name that is taken or not allowed, a bad schema, too
    /// many shards.
    pub async fn create(self: &Arc<Self>, create: CreateCollection) -> Result<Arc<Collection>> {
        let node = self.clone();
        offload::update(move || node.make_everywhere(create, &[])).await?
    }

    /// Deletes a collection with its documents. Errors: `NotFound`.
    pub async fn delete(self: &Arc<Self>, name: &str) -> Result<()> {
        let (node, name) = (self.clone(), name.to_owned());
        let work = move || {
            let collection = node.unmake(&name)?;
            // They close what they have of it; whoever cannot be told finds out by itself.
            node.tell_of(&collection);
            Ok(())
        };
        offload::update(work).await?
    }

    /// Stops serving a collection and keeps its files, without its documents if `delete_documents`. Errors:
    /// `NotFound`.
    pub async fn unload(self: &Arc<Self>, name: &str, delete_documents: bool) -> Result<()> {
        let (node, name) = (self.clone(), name.to_owned());
        offload::update(move || node.put_away(&name, delete_documents)).await?
    }

    /// Serves an unloaded core again, as it was or with another schema and config; `None` when there is no
    /// such core.
    pub async fn load_unloaded(
        self: &Arc<Self>,
        core: &str,
        instead: Option<CreateCollection>,
    ) -> Result<Option<Arc<Collection>>> {
        let (node, core) = (self.clone(), core.to_owned());
        offload::update(move || node.take_back(&core, instead)).await?
    }

    /// Reads a collection's schema and config again. Errors: `NotFound`.
    pub async fn reload(&self, name: &str) -> Result<()> {
        self.find(name).ok_or_else(|| unknown(name))?.reload().await
    }

    /// Flushes and closes every shard. The first error is returned, after all were tried. Blocks.
    pub fn close(&self) -> Result<()> {
        let _changing = self.lock();
        // Collected before an error is looked at, so that one shard that cannot close keeps none of the
        // others open.
        let closed: Vec<_> = self.list().iter().map(|collection| collection.close()).collect();
        closed.into_iter().collect()
    }

    fn check_free<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Result<()> {
        let directory = self.directory.load();
        for name in names {
            if directory.is_taken(name) {
                return Err(Error::bad_request(format!("collection already exists: {name}")));
            }
            if directory.state.aliases.contains_key(name) {
                return Err(Error::bad_request(format!("collection alias already exists: {name}")));
            }
        }
        Ok(())
    }

    fn own(&self, name: &str) -> Result<Arc<Collection>> {
        self.directory.load().own(name).ok_or_else(|| unknown(name))
    }

    /// Makes it unknown to clients.
    fn leave(&self, collection: &Arc<Collection>) {
        let mut directory = Directory::clone(&self.directory.load());
        directory.take_out(collection);
        self.directory.store(Arc::new(directory));
    }

    fn shard_site(
        &self,
        entry: &CollectionDocument,
        folder: &str,
        schema: Arc<Schema>,
        auto_commit: AutoCommit,
    ) -> ShardSite {
        let (directory, views) = (Arc::downgrade(&self.directory), self.views.clone());
        let peers = Arc::new(Neighbours { directory, views });
        let (place, clock) = (self.place(entry, folder), self.clock.clone());
        ShardSite { place, schema, auto_commit, clock, peers, copies: self.copies(entry, folder) }
    }

    /// Where the shard of a folder of a collection lives.
    pub(crate) fn place(&self, entry: &CollectionDocument, folder: &str) -> ShardPlace {
        self.place_of(&ShardAddress::of(entry, folder))
    }

    /// The same by the shard's address, whether there is such a collection or not.
    fn place_of(&self, address: &ShardAddress) -> ShardPlace {
        let path = Catalog::shard_path(&address.collection, &address.folder);
        ShardPlace { site: self.site.clone(), id: ShardId { path, stream: stream(address) } }
    }

    /// Who else may have files of a shard; `None` where this node is alone.
    fn copies(&self, entry: &CollectionDocument, folder: &str) -> Option<Arc<dyn FileCopies>> {
        let own_id = self.assignment.as_ref()?.own.id.clone();
        let (exchange, clock) = (self.views.exchange().clone(), self.clock.clone());
        let address = ShardAddress::of(entry, folder);
        Some(Arc::new(MemberCopies { exchange, own_id, address, clock }))
    }

    /// Whether a folder's name stands for a shard that was there before, where shards outlive their folders.
    pub(crate) fn is_used(&self, entry: &CollectionDocument, folder: &str) -> Result<bool> {
        let ShardPlace { site, id } = self.place(entry, folder);
        site.is_used(&id).map_err(crate::documents::lift)
    }

    fn enter(&self, collection: Arc<Collection>) {
        self.replace(None, collection);
    }

    /// In one step: there is no moment in which clients find neither. It may be the same by other names.
    fn replace(&self, before: Option<&Arc<Collection>>, collection: Arc<Collection>) {
        let mut directory = Directory::clone(&self.directory.load());
        before.into_iter().for_each(|before| directory.take_out(before));
        directory.insert(collection);
        self.directory.store(Arc::new(directory));
    }

    /// Collections are neither made nor deleted meanwhile.
    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Folder and time of birth: a collection made again in an old folder is another, and so is a shard that was
/// rebuilt. The hash is FNV-1a, which no release of anything changes.
fn stream(ShardAddress { collection, created_ms, folder }: &ShardAddress) -> [u8; 16] {
    let rebuilt = if folder == FIRST_SHARD { "" } else { folder };
    let hash = collection.bytes().chain(rebuilt.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut stream = [0; 16];
    let (born, name) = stream.split_at_mut(8);
    born.copy_from_slice(&created_ms.to_be_bytes());
    name.copy_from_slice(&hash.to_be_bytes());
    stream
}

fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("Could not find collection : {name}"))
}
