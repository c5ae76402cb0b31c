//! Shards that come and go while their collection is served: those that are named. Which shards share hashes
//! is settled when a collection is made.
//!
//! Each change is one change of the collection's document, between two updates. What a crash leaves of a
//! shard that never came to be, or is no more, is a folder that no document names: the next start tells of
//! it, and a shard that is made under that name removes it first.

use std::sync::Arc;

use plan::{Error, ErrorKind, Result, check_name};

use super::Node;
use crate::collection::{Collection, Served, ServedShard};
use crate::collection_documents::shard_folder;
use crate::create::SHARDS_MAX;
use crate::offload;
use crate::replica::core_name;
use crate::routing::{RouterKind, ShardDocument};

impl Node {
    /// Adds a shard of this name. Errors: `BadRequest` where shards share hashes, for a name that is taken or
    /// not allowed.
    pub async fn create_shard(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        name: &str,
    ) -> Result<ShardDocument> {
        let (node, collection, name) = (self.clone(), collection.clone(), name.to_owned());
        offload::update(move || node.add_shard(&collection, &name)).await?
    }

    /// Removes a shard with its documents. Errors: `BadRequest` where shards share hashes, for a name of
    /// none, for the last one.
    pub async fn delete_shard(self: &Arc<Self>, collection: &Arc<Collection>, name: &str) -> Result<()> {
        let (node, collection, name) = (self.clone(), collection.clone(), name.to_owned());
        offload::update(move || node.remove_shard(&collection, &name)).await?
    }

    fn add_shard(&self, collection: &Arc<Collection>, name: &str) -> Result<ShardDocument> {
        let _changing = self.lock();
        if collection.router().kind != RouterKind::Implicit {
            return Err(Error::bad_request("shards can be added only to 'implicit' collections"));
        }
        check_name("shard", name)?;
        let entry = collection.entry();
        if entry.shards().iter().any(|shard| shard.name == name) {
            return Err(Error::bad_request(format!(
                "the collection has a shard `{name}`; choose another name"
            )));
        }
        if entry.shards().len() >= SHARDS_MAX {
            return Err(Error::bad_request(format!("a collection has at most {SHARDS_MAX} shards")));
        }
        let number = entry.replicas + 1;
        let core = core_name(&entry.name, name, (number, entry.leads));
        self.check_free([&core])?;
        let document = ShardDocument { name: name.to_owned(), core, node_number: number + 1, range: None };
        let mut opened = None;
        let exchanged = collection.exchange_shards(self, |served| {
            let folder = shard_folder(&served.edition, name);
            self.discard(collection, &folder)?;
            if self.is_used(&entry, &folder)? {
                // Whatever it held would be back.
                return Err(Error::bad_request(format!(
                    "a shard `{name}` was in this store before; choose another name"
                )));
            }
            let auto_commit = collection.config().auto_commit;
            let shard = self.open_shard(&entry, &folder, collection.schema(), auto_commit)?;
            opened = Some(shard.clone());
            served.documents = served.documents.iter().chain([&document]).cloned().collect();
            served.shards.push(ServedShard::new(shard, folder));
            Ok(())
        });
        exchanged.inspect_err(|_| {
            // Its home is held as long as it is open, and another attempt would not get it.
            let _ = opened.map(|shard| shard.close());
        })?;
        self.take_names_anew(collection);
        Ok(document)
    }

    fn remove_shard(&self, collection: &Arc<Collection>, name: &str) -> Result<()> {
        let _changing = self.lock();
        let entry = collection.entry();
        let found = entry.shards().iter().position(|shard| shard.name == name);
        let at = found.ok_or_else(|| {
            Error::bad_request(format!("No shard with name {name} exists for collection {}", entry.name))
        })?;
        if entry.router.kind != RouterKind::Implicit {
            return Err(Error::bad_request(format!(
                "The slice: {name} is currently active. Only non-active (or custom-hashed) slices can be deleted."
            )));
        }
        if entry.shards().len() == 1 {
            return Err(Error::bad_request(format!(
                "`{name}` is the last shard of `{}`; delete the collection instead",
                entry.name
            )));
        }
        let mut gone = None;
        let exchanged = collection.exchange_shards(self, |served: &mut Served| {
            let left = served.documents.iter().enumerate().filter(|(number, _)| *number != at);
            served.documents = left.map(|(_, shard)| shard.clone()).collect();
            gone = Some(served.shards.remove(at));
            Ok(())
        });
        let Some(ServedShard { shard, folder, .. }) = gone else { return exchanged };
        // Where nobody knows whether it is gone, the next start may be without it: nothing more is
        // acknowledged by it.
        if exchanged.as_ref().err().is_none_or(|error| error.kind == ErrorKind::Unknown) {
            let _ = shard.close();
        }
        exchanged?;
        self.take_names_anew(collection);
        self.discard(collection, &folder)
    }

    /// Removes a folder that no shard has, where there is one; written down first.
    fn discard(&self, collection: &Collection, folder: &str) -> Result<()> {
        let entry = collection.entry();
        let mut placement = self.catalog.placement_of(&entry)?;
        placement.discarded.push(folder.to_owned());
        self.catalog.put_placement(entry.key(), &placement)?;
        self.catalog.sweep(entry.key(), &mut placement)
    }

    fn take_names_anew(&self, collection: &Arc<Collection>) {
        self.leave(collection);
        self.enter(collection.clone());
    }
}
