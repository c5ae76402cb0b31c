//! Collections that another member serves, opened here to be read: schema and configuration as the shared
//! documents have them, and shards that are asked by messages. So what one request asks of several
//! collections (searches of them together, joins, searches within hits) does not have to have them all here.
//! They are never changed by this way: updates and edits go to the owner as they came.
//!
//! In: a description of what is served elsewhere; out: a collection of remote shards. What its owner changes
//! is taken up when a shard refuses a plan by its version, and whenever the documents are looked at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use meter::Clock;
use plan::{Error, ErrorKind, Result, Schema};

use super::{Directory, Node};
use crate::catalog::Catalog;
use crate::collection::{Collection, Served, ServedShard};
use crate::collection_documents::{CollectionDocument, SavedSchema};
use crate::in_use::VersionedSchema;
use crate::member::{Description, Member};
use crate::offload;
use crate::remote::{Carrier, Exchange, Hosted, RemoteShard, ShardAddress};
use crate::shard::Shard;

pub(super) struct Views {
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    exchange: OnceLock<Arc<Exchange>>,
    /// By key.
    open: Mutex<HashMap<String, View>>,
}

#[derive(Clone)]
struct View {
    entry: Arc<CollectionDocument>,
    owner: Member,
    collection: Arc<Collection>,
}

impl Views {
    pub fn new(catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { catalog, clock, exchange: OnceLock::new(), open: Mutex::default() })
    }

    /// What a name stands for alone, if it is served elsewhere. Errors: `Unavailable` where nobody serves it
    /// at the moment.
    fn find(&self, directory: &Directory, name: &str) -> Result<Option<Arc<Collection>>> {
        match &*directory.members_of(name) {
            [one] => directory.described(one).map(|described| self.of(described)).transpose(),
            _ => Ok(None),
        }
    }

    fn of(&self, described: &Description) -> Result<Arc<Collection>> {
        let gone = || {
            let message = format!("nobody serves `{}` at the moment; try again", described.name());
            Error::new(ErrorKind::Unavailable, message)
        };
        let (owner, exchange) = (described.owner().ok_or_else(gone)?, self.exchange.get().ok_or_else(gone)?);
        let entry = &described.entry;
        let is_known = |known: &&View| known.owner == *owner && *known.entry == **entry;
        if let Some(known) = self.lock().get(entry.key()).filter(is_known) {
            return Ok(known.collection.clone());
        }
        // Without the lock: who asks for another must not wait for the store.
        let saved = self.catalog.schema(entry.key())?.value;
        let config = self.catalog.config(entry.key())?;
        let served = remote_shards(exchange, owner, entry, &saved);
        let schema = Arc::new(Schema::build(saved.source)?.at_version(saved.version));
        let schema = VersionedSchema::new(saved.version, schema);
        let opened = (served, self.clock.now_ms());
        let document = CollectionDocument::clone(entry);
        let collection =
            Arc::new(Collection::new(document, self.catalog.clone(), schema, config.into(), opened));
        let view = View { entry: entry.clone(), owner: owner.clone(), collection: collection.clone() };
        self.lock().insert(entry.key().to_owned(), view);
        Ok(collection)
    }

    /// Forgets those that are no longer served elsewhere, and takes up what was changed of the others.
    pub fn renew(&self, directory: &Directory) -> Result<()> {
        let keys: Vec<_> = directory.elsewhere.values().map(|it| it.entry.key().to_owned()).collect();
        let Some(exchange) = self.exchange.get() else { return Ok(()) };
        let open: Vec<View> = {
            let mut open = self.lock();
            open.retain(|key, _| keys.contains(key));
            open.values().cloned().collect()
        };
        for view in open {
            let (saved, config) =
                (self.catalog.schema(view.entry.key())?, self.catalog.config(view.entry.key())?);
            let served = remote_shards(exchange, &view.owner, &view.entry, &saved.value);
            view.collection.follow(saved.value, config, served)?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, View>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remote_shards(
    exchange: &Arc<Exchange>,
    owner: &Member,
    entry: &CollectionDocument,
    schema: &SavedSchema,
) -> Served {
    let edition = schema.edition().to_owned();
    let shard = |folder: String| {
        let (collection, created_ms) = (entry.key().to_owned(), entry.created_ms);
        let address = ShardAddress { collection, created_ms, folder: folder.clone() };
        let shard: Arc<dyn Shard> = Arc::new(RemoteShard::new(exchange.clone(), owner.clone(), address));
        ServedShard { shard, folder }
    };
    let shards = entry.folders(&edition).into_iter().map(shard).collect();
    Served { edition, router: entry.router.clone(), documents: entry.shards().into(), shards }
}

impl Node {
    /// What takes messages to the other members; set once, before any is asked.
    pub fn set_carrier(&self, carrier: Arc<dyn Carrier>) {
        let _ = self.views.exchange.set(Exchange::new(carrier));
    }

    /// To be read alone: by the name of a collection, a core, or an alias of one collection, whoever serves
    /// it. Blocks where that is another and it was not asked before. Errors: `Unavailable` where nobody
    /// serves it at the moment.
    pub fn find_to_read(&self, name: &str) -> Result<Option<Arc<Collection>>> {
        self.directory.load().find_to_read(&self.views, name)
    }

    /// A collection to be read that a description names, whoever serves it. As [`Node::find_to_read`].
    pub fn described_to_read(&self, described: &Description) -> Result<Arc<Collection>> {
        match self.find_own(described.name()) {
            Some(own) => Ok(own),
            None => offload::compute(|| self.views.of(described)),
        }
    }

    /// Takes up what others changed of the collections that they serve and this node has read.
    pub async fn renew_views(self: &Arc<Self>) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.views.renew(&node.directory.load())).await?
    }
}

impl Directory {
    pub(super) fn find_to_read(&self, views: &Views, name: &str) -> Result<Option<Arc<Collection>>> {
        match self.find(name) {
            Some(own) => Ok(Some(own)),
            None => offload::compute(|| views.find(self, name)),
        }
    }
}

impl Hosted for Node {
    fn shard(&self, address: &ShardAddress) -> Result<Arc<dyn Shard>> {
        let is_it = |it: &Arc<Collection>| {
            let entry = it.entry();
            entry.key() == address.collection && entry.created_ms == address.created_ms
        };
        let collection = self.list().into_iter().find(is_it).ok_or_else(|| {
            let message = format!("`{}` is not served here, or not yet; try again", address.collection);
            Error::new(ErrorKind::Unavailable, message)
        })?;
        // A rebuild put others in the place of those that were there.
        let moved = || Error::new(ErrorKind::SchemaChanged, "the shard was rebuilt; ask the one of today");
        collection.shard_of_folder(&address.folder).ok_or_else(moved)
    }
}
