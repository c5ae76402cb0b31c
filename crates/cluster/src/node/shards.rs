//! Shards that come and go while their collection is served: those that are named. Which shards share hashes
//! is settled when a collection is made.
//!
//! Each change is one change of the collection's document, between two updates. What a crash leaves of a
//! shard that never came to be, or is no more, is a folder that no document names: the next start tells of
//! it, and a shard that is made under that name removes it first.

use std::sync::Arc;

use plan::{Error, Result, check_name};

use super::Node;
use crate::collection::Collection;
use crate::collection_documents::{CollectionDocument, shard_folder};
use crate::create::SHARDS_MAX;
use crate::offload;
use crate::owners::Owners;
use crate::replica::{ReplicaCounts, core_name};
use crate::routing::{RouterKind, ShardDocument};

/// A shard to be added.
#[derive(Clone, Debug)]
pub struct NewShard {
    pub name: String,
    /// The members that may have its replicas, by name; any that live where none is named.
    pub nodes: Vec<String>,
    /// As many as the collection's first shard has where nothing is said.
    pub replicas: Option<ReplicaCounts>,
}

impl Node {
    /// Adds a shard. Errors: `BadRequest` where shards share hashes, for a name that is taken or not allowed,
    /// for more replicas than there are members.
    pub async fn create_shard(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        shard: NewShard,
    ) -> Result<ShardDocument> {
        let (node, collection) = (self.clone(), collection.clone());
        let work = move || {
            let document = node.add_shard(&collection, &shard)?;
            // Without the lock: on return it takes updates, whoever has it.
            let Some(owners) = collection.owners() else { return Ok(document) };
            if let Some(owner) = node.other_owner(&owners, &document.name) {
                let opened = node.remote_part(owner, &collection.entry()).take_up();
                opened.map_err(|error| {
                    error.context(format!("the shard is made, and `{}` does not open it yet: ", owner.name))
                })?;
            }
            node.tell_others(&collection.entry(), &owners);
            Ok(document)
        };
        offload::update(work).await?
    }

    /// Removes a shard with its documents. Errors: `BadRequest` where shards share hashes, for a name of
    /// none, for the last one.
    pub async fn delete_shard(self: &Arc<Self>, collection: &Arc<Collection>, name: &str) -> Result<()> {
        let (node, collection, name) = (self.clone(), collection.clone(), name.to_owned());
        let work = move || {
            let before = collection.owners();
            let folder = node.remove_shard(&collection, &name)?;
            // Whoever has it closes it, and takes no update from here on were it not told.
            before.iter().for_each(|owners| node.tell_others(&collection.entry(), owners));
            let _changing = node.lock();
            let entry = collection.entry();
            if node.is_member() {
                node.fence_home(&entry, &folder)?;
            }
            node.discard(&collection, &folder)
        };
        offload::update(work).await?
    }

    fn add_shard(&self, collection: &Arc<Collection>, new: &NewShard) -> Result<ShardDocument> {
        let name = &*new.name;
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
        let folder = shard_folder(&collection.edition(), name);
        self.exchange(collection, |owners| {
            // Named before it is there, so that it is whole in the moment in which it is. A crash between the
            // two leaves names of no shard, which the next attempt replaces.
            owners.forget(name);
            let first = entry.shards().into_iter().next();
            let like_first = || first.map(|first| owners.replica_counts(&entry, &first.name));
            let replicas = new.replicas.or_else(like_first).unwrap_or_default();
            self.place_shard((&entry, name), (&new.nodes, replicas), owners)?;
            self.discard(collection, &folder)?;
            if self.is_used(&entry, &folder)? {
                // Whatever it held would be back.
                return Err(Error::bad_request(format!(
                    "a shard `{name}` was in this store before; choose another name"
                )));
            }
            Ok(entry.shards().into_iter().chain([document.clone()]).collect())
        })?;
        Ok(document)
    }

    /// Returns the folder that it had.
    fn remove_shard(&self, collection: &Arc<Collection>, name: &str) -> Result<String> {
        let _changing = self.lock();
        let entry = collection.entry();
        if !entry.shards().iter().any(|shard| shard.name == name) {
            return Err(Error::bad_request(format!(
                "No shard with name {name} exists for collection {}",
                entry.name
            )));
        }
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
        let folder = shard_folder(&collection.edition(), name);
        self.exchange(collection, |owners| {
            owners.forget(name);
            Ok(entry.shards().into_iter().filter(|shard| shard.name != name).collect())
        })?;
        Ok(folder)
    }

    /// Has the collection have the shards that `change` returns, with whoever it names for them.
    fn exchange(
        &self,
        collection: &Arc<Collection>,
        change: impl FnOnce(&mut Owners) -> Result<Vec<ShardDocument>>,
    ) -> Result<()> {
        let entry = collection.entry();
        let assigned = self.led_at_rest(&entry)?;
        let (schema, auto_commit) = (collection.schema(), collection.config().auto_commit);
        collection.exchange_shards(self, |served| {
            let mut owners = assigned.as_ref().map(|found| found.value.clone()).unwrap_or_default();
            let shards = change(&mut owners)?;
            if let Some(found) = assigned.as_ref().filter(|found| found.value != owners) {
                self.catalog.set_owners(entry.key(), Some(found.version), &owners)?;
            }
            let owners = assigned.is_some().then(|| Arc::new(owners));
            let after = CollectionDocument { shards, ..CollectionDocument::clone(&entry) };
            self.open_edition(&after, &served.edition, (&schema, auto_commit), (owners, Some(served)))
        })?;
        self.replace(Some(collection), collection.clone());
        Ok(())
    }

    /// Removes a folder that no shard has, where there is one; written down first.
    fn discard(&self, collection: &Collection, folder: &str) -> Result<()> {
        let entry = collection.entry();
        let mut placement = self.catalog.placement_of(&entry)?;
        placement.discarded.push(folder.to_owned());
        self.catalog.put_placement(entry.key(), &placement)?;
        self.catalog.sweep(entry.key(), &mut placement)
    }
}
