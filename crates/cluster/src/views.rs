//! Collections that another member serves, opened here to be read: schema and configuration as the shared
//! documents have them, and shards that are asked by messages. So what one request asks of several
//! collections (searches of them together, joins, searches within hits) does not have to have them all here.
//! They are never changed by this way: updates and edits go to the owner as they came.
//!
//! In: a description of what is served elsewhere; out: a collection of remote shards. What its owner changes
//! is taken up when a shard refuses a plan by its version, and whenever the documents are looked at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meter::Clock;
use plan::{Error, ErrorKind, Result, Schema};

use crate::catalog::Catalog;
use crate::collection::{Collection, Served, ServedShard};
use crate::collection_documents::{CollectionDocument, SavedSchema};
use crate::in_use::VersionedSchema;
use crate::member::Description;
use crate::owners::Owners;
use crate::remote::{Exchange, RemoteShard, ShardReplicas};
use crate::routing::ShardDocument;

pub(crate) struct Views {
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    exchange: Arc<Exchange>,
    /// By key.
    open: Mutex<HashMap<String, View>>,
}

#[derive(Clone)]
struct View {
    entry: Arc<CollectionDocument>,
    owners: Arc<Owners>,
    collection: Arc<Collection>,
}

impl Views {
    pub fn new(catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { catalog, clock, exchange: Arc::default(), open: Mutex::default() })
    }

    /// What messages go by.
    pub fn exchange(&self) -> &Arc<Exchange> {
        &self.exchange
    }

    /// Blocks where it was not asked before. Errors: `Unavailable` where nobody serves it at the moment.
    pub fn of(&self, described: &Description) -> Result<Arc<Collection>> {
        let gone = || {
            let message = format!("nobody serves `{}` at the moment; try again", described.name());
            Error::new(ErrorKind::Unavailable, message)
        };
        let owners = described.owners.as_ref().ok_or_else(gone)?;
        let entry = &described.entry;
        let is_known = |known: &&View| known.owners == *owners && *known.entry == **entry;
        if let Some(known) = self.lock().get(entry.key()).filter(is_known) {
            return Ok(known.collection.clone());
        }
        // Without the lock: who asks for another must not wait for the store.
        let saved = self.catalog.schema(entry.key())?.value;
        let config = self.catalog.config(entry.key())?;
        let served = remote_shards(&self.exchange, owners, entry, &saved)?;
        let schema = Arc::new(Schema::build(saved.source)?.at_version(saved.version));
        let schema = VersionedSchema::new(saved.version, schema);
        let opened = (served, self.clock.now_ms());
        let document = CollectionDocument::clone(entry);
        let collection =
            Arc::new(Collection::new(document, self.catalog.clone(), schema, config.into(), opened));
        let view = View { entry: entry.clone(), owners: owners.clone(), collection: collection.clone() };
        // Where two opened it at once, either is as good: a view holds nothing but two documents.
        self.lock().insert(entry.key().to_owned(), view);
        Ok(collection)
    }

    /// Forgets those without one of these keys, and takes up what was changed of the others.
    pub fn renew(&self, keys: &[&str]) -> Result<()> {
        let open: Vec<View> = {
            let mut open = self.lock();
            open.retain(|key, _| keys.contains(&key.as_str()));
            open.values().cloned().collect()
        };
        for view in open {
            let (saved, config) =
                (self.catalog.schema(view.entry.key())?, self.catalog.config(view.entry.key())?);
            let served = remote_shards(&self.exchange, &view.owners, &view.entry, &saved.value)?;
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
    owners: &Arc<Owners>,
    entry: &CollectionDocument,
    schema: &SavedSchema,
) -> Result<Served> {
    let edition = schema.edition().to_owned();
    let shard = |document: &ShardDocument, folder: String| {
        // Of one that has no part of it all replicas are others'.
        let replicas = ShardReplicas::of((exchange, ""), (owners, entry), (document, &folder));
        let none = || Error::internal("a shard without an owner");
        let shard = RemoteShard::new(replicas.others.clone(), None).ok_or_else(none)?;
        Ok(ServedShard { replicas, ..ServedShard::new(Arc::new(shard), folder) })
    };
    let documents = entry.shards();
    let asked = documents.iter().zip(entry.folders(&edition));
    let shards = asked.map(|(document, folder)| shard(document, folder)).collect::<Result<_>>()?;
    let (router, documents) = (entry.router.clone(), documents.into());
    Ok(Served {
        edition,
        router,
        documents,
        shards,
        owners: Some(owners.clone()),
        lead: None,
        followers: Arc::default(),
    })
}
