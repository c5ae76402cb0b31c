//! How collections come to be, leave and return. Each is some steps over documents and folders, in an order
//! by which a crash between any two of them leaves the collection as it was or as it was to be: one step of
//! each decides, and it is a change of one document. What is removed was written down in the placement
//! before.

use std::sync::Arc;

use plan::{Error, ErrorKind, Result, Schema};

use super::Node;
use crate::catalog::{DocumentVersion, path};
use crate::collection::Collection;
use crate::collection_documents::{CollectionDocument, FIRST_SHARD, SavedSchema};
use crate::create::{CreateCollection, is_plain};
use crate::in_use::VersionedSchema;
use crate::owners::Owners;
use crate::placement::{Placement, PlacementState};
use crate::shard::BackedUp;

/// How often shards are opened by a schema that another has replaced by then.
pub(super) const OPENINGS_MAX: usize = 5;

impl Node {
    /// Opens the collections that are to be served, finishes what a crash left half-done, and names what is
    /// not known here.
    pub(super) fn take_up_collections(&self) -> Result<Vec<String>> {
        let mut left_alone = Vec::new();
        for key in self.catalog.keys()? {
            match self.catalog.served(&key)? {
                Some(collection) => {
                    let name = collection.name.clone();
                    let in_context = |error: Error| error.context(format!("collection `{name}`: "));
                    self.take_up(&collection).map_err(in_context)?;
                    let placement = self.catalog.placement_of(&collection)?;
                    left_alone.extend(self.catalog.unknown_folders(&collection, &placement)?);
                }
                None if self.has_ended(&key)? => self.clear_away(&key)?,
                None => left_alone.push(key),
            }
        }
        Ok(left_alone)
    }

    fn take_up(&self, collection: &CollectionDocument) -> Result<()> {
        if self.catalog.placement_of(collection)?.state == PlacementState::Unloaded {
            return Ok(());
        }
        let opened = self.load(collection)?;
        self.set_state(&opened.entry(), PlacementState::Served)?;
        self.enter(opened);
        Ok(())
    }

    /// Whether a key without a collection is written down as one that never came to be, or was deleted; or is
    /// written down and nothing else, as when a release deleted the collection that knows no placements.
    pub(super) fn has_ended(&self, key: &str) -> Result<bool> {
        let Some(placement) = self.catalog.placement(key)? else { return Ok(false) };
        let is_half = matches!(placement.state, PlacementState::Creating | PlacementState::Removing);
        Ok(is_half || !self.catalog.has_folder(key)?)
    }

    /// `images` are what its shards begin with, in their order; without any they begin empty.
    pub(crate) fn make(&self, create: CreateCollection, images: &[BackedUp<'_>]) -> Result<Arc<Collection>> {
        create.check()?;
        let _changing = self.lock();
        self.finish_renames()?;
        self.look_at_others()?;
        let (router, documents) = (create.shards.router(), create.shard_documents());
        self.check_free(documents.iter().map(|shard| &shard.core).chain([&create.name]))?;
        self.check_not_unloaded(&create.name)?;
        let CreateCollection { name, configset, schema, config, core_name: _, shards: _, nodes, replicas } =
            create;
        Schema::build(schema.clone())?;
        let key = self.free_key(&name)?;
        let created_ms = self.clock.now_ms();
        let given = (key != name).then(|| key.clone());
        let entry = CollectionDocument {
            name,
            core: documents.first().map(|shard| shard.core.clone()).unwrap_or_default(),
            configset,
            created_ms,
            key: given,
            replicas: documents.iter().map(|shard| shard.node_number).max().unwrap_or_default(),
            shards: if is_plain(&router, &documents) { Vec::new() } else { documents },
            router,
            leads: replicas.leads(),
            ..CollectionDocument::default()
        };
        let owners = Owners { created_ms: Some(created_ms), ..self.spread(&entry, &nodes, replicas)? };
        // First: where several make it at once, one does.
        let claim = self.claim_key(&key, &owners)?;
        let placement = Placement::new(&entry, PlacementState::Creating);
        self.catalog.put_placement(&key, &placement)?;
        let mut documents = Vec::new();
        let mut made_document =
            |file: &str, version| documents.push(DocumentVersion { name: path(&key, file), version });
        let made = (|| {
            made_document("schema.json", self.catalog.set_schema(&key, None, &SavedSchema::first(schema))?);
            made_document("config.json", self.catalog.set_config(&key, None, &config)?);
            for (folder, image) in entry.folders(FIRST_SHARD).iter().zip(images) {
                self.shards.restore(&self.place(&entry, folder), image)?;
            }
            let served_by = claim.map(|_| Arc::new(owners.clone()));
            let collection = self.load_as(&entry, served_by.as_ref())?;
            let served = (|| {
                // Invariant: the step that makes it exist; of several members, the last of the two.
                made_document("collection.json", self.catalog.create_collection(&entry)?);
                self.serve_claimed(&key, claim, &owners)
            })();
            // Its homes are held as long as it is open.
            served.inspect_err(|_| drop(collection.close())).map(|()| collection)
        })();
        match made {
            Ok(collection) => {
                // A start does the same where this fails.
                let _ = self.set_state(&entry, PlacementState::Served);
                self.enter(collection.clone());
                Ok(collection)
            }
            Err(error) if claim.is_some() => Err(self.give_up_making(&key, (&owners, &documents), error)),
            Err(error) => {
                // Where this fails too, the next start or the next attempt does it.
                let _ = self.clear_away(&key);
                Err(error)
            }
        }
    }

    /// Makes it, and has all members open the shards that are theirs: on return it takes updates. Blocks.
    /// Errors: one of them did not, and it was deleted again.
    pub(crate) fn make_everywhere(
        &self,
        create: CreateCollection,
        images: &[BackedUp<'_>],
    ) -> Result<Arc<Collection>> {
        let collection = self.make(create, images)?;
        let Some(owners) = collection.owners() else { return Ok(collection) };
        // Without the lock: others may be asking here.
        let opened = self.others_of(&owners).into_iter().try_for_each(|member| {
            let opened = self.remote_part(member, &collection.entry()).take_up();
            opened.map_err(|error| error.context(format!("`{}` does not open its shards: ", member.name)))
        });
        if let Err(error) = opened {
            let gone = self.unmake(&collection.name());
            gone.into_iter().for_each(|gone| self.tell_of(&gone));
            return Err(error);
        }
        Ok(collection)
    }

    pub(super) fn unmake(&self, name: &str) -> Result<Arc<Collection>> {
        let _changing = self.lock();
        self.finish_renames()?;
        let collection = self.own(name)?;
        if self.is_member() {
            return self.drop_led(&collection).map(|()| collection);
        }
        let entry = collection.entry();
        // So that a start after a crash clears away what is left. On a full disk it cannot be written, and
        // deleting is the way out: what a crash leaves then stays and is named.
        let _ = self.set_state(&entry, PlacementState::Removing);
        // Invariant: the step by which it is gone.
        self.catalog.remove_collection(entry.key()).inspect_err(|error| {
            if error.kind == ErrorKind::Unknown {
                // It may be gone at the next start: nothing more is acknowledged here.
                self.leave(&collection);
                let _ = collection.close();
            } else {
                let _ = self.set_state(&entry, PlacementState::Served);
            }
        })?;
        self.leave(&collection);
        // It is gone for clients; failing to close must not bring it back.
        let _ = collection.close();
        self.clear_away(entry.key())?;
        Ok(collection)
    }

    pub(super) fn put_away(&self, name: &str, delete_documents: bool) -> Result<()> {
        let _changing = self.lock();
        self.finish_renames()?;
        let collection = self.own(name)?;
        let entry = collection.entry();
        if collection.owners().is_some_and(|owners| owners.members().len() > 1) {
            return Err(Error::bad_request(format!(
                "the shards of `{}` are on several nodes, which no core of them leaves alone; remove replicas (DELETEREPLICA), or the collection",
                entry.name
            )));
        }
        let mut placement = self.catalog.placement_of(&entry)?;
        placement.state = PlacementState::Unloaded;
        if delete_documents {
            placement.discarded = self.catalog.shard_folders(entry.key())?;
        }
        self.catalog.put_placement(entry.key(), &placement)?;
        self.leave(&collection);
        // What could not be flushed is in the log, where the next opening finds it.
        let _ = collection.close();
        self.catalog.sweep(entry.key(), &mut placement)
    }

    pub(super) fn take_back(
        &self,
        core: &str,
        instead: Option<CreateCollection>,
    ) -> Result<Option<Arc<Collection>>> {
        let _changing = self.lock();
        self.finish_renames()?;
        let Some(mut entry) = self.unloaded_core(core)? else { return Ok(None) };
        self.check_own(&entry)?;
        self.check_free(
            [&entry.name, &entry.core].into_iter().chain(entry.shards.iter().map(|it| &it.core)),
        )?;
        let key = entry.key().to_owned();
        let mut placement = self.catalog.placement_of(&entry)?;
        self.catalog.sweep(&key, &mut placement)?;
        let mut configset = entry.configset.clone();
        if let Some(instead) = instead {
            configset = self.replace_parts(&key, instead)?;
        }
        if self.catalog.shard_folders(&key)?.is_empty() {
            entry.created_ms = self.clock.now_ms();
        }
        // Both are meant until the collection says which: a start in between finds it unloaded, not a new one
        // to be served empty.
        let created_ms = entry.created_ms;
        placement.becomes_ms = Some(created_ms);
        self.catalog.put_placement(&key, &placement)?;
        self.set_birth(&key, None)?;
        let entry = self.catalog.change_collection(&key, |saved| {
            saved.created_ms = created_ms;
            saved.configset.clone_from(&configset);
        })?;
        self.set_birth(&key, Some(created_ms))?;
        let collection = self.load(&entry)?;
        // Invariant: the step by which it is served.
        let mut placement = self.catalog.placement_of(&collection.entry())?;
        (placement.state, placement.created_ms, placement.becomes_ms) =
            (PlacementState::Served, created_ms, None);
        self.catalog.put_placement(&key, &placement)?;
        self.enter(collection.clone());
        Ok(Some(collection))
    }

    /// Gives a collection that is not served another schema and config; returns the name of their configset.
    fn replace_parts(&self, key: &str, instead: CreateCollection) -> Result<String> {
        let CreateCollection { configset, schema, config, .. } = instead;
        Schema::build(schema.clone())?;
        let saved = self.catalog.schema(key)?;
        let schema = SavedSchema { version: saved.value.version + 1, source: schema, ..saved.value };
        self.catalog.set_schema(key, Some(saved.version), &schema)?;
        self.catalog.set_config(key, Some(self.catalog.config(key)?.version), &config)?;
        Ok(configset)
    }

    pub(crate) fn load(&self, entry: &CollectionDocument) -> Result<Arc<Collection>> {
        let owners = self.owners_of(entry.key())?;
        self.load_as(entry, owners.as_ref())
    }

    /// The same for who has these parts of it.
    pub(crate) fn load_as(
        &self,
        entry: &CollectionDocument,
        owners: Option<&Arc<Owners>>,
    ) -> Result<Arc<Collection>> {
        for _ in 0..OPENINGS_MAX {
            let opened = self.load_once(entry.clone(), owners.cloned())?;
            if self.is_newest(entry.key(), opened.versioned_schema().version)? {
                return Ok(opened);
            }
            opened.close()?;
        }
        Err(changed_meanwhile(entry))
    }

    /// Whether this still is the schema, behind the fences of shards that were opened by it: whoever had them
    /// may have answered for a newer one before (model `change_schema`).
    pub(super) fn is_newest(&self, key: &str, version: u64) -> Result<bool> {
        Ok(!self.is_member() || self.catalog.schema(key)?.value.version == version)
    }

    fn load_once(&self, entry: CollectionDocument, owners: Option<Arc<Owners>>) -> Result<Arc<Collection>> {
        let saved = self.catalog.schema(entry.key())?.value;
        let config = self.catalog.config(entry.key())?;
        let written = self.catalog.placement(entry.key())?;
        let mut placement = self.catalog.placement_of(&entry)?;
        placement.settle(&entry, saved.edition());
        if written.as_ref() != Some(&placement) {
            self.catalog.put_placement(entry.key(), &placement)?;
        }
        self.catalog.sweep(entry.key(), &mut placement)?;
        let schema = Arc::new(Schema::build(saved.source.clone())?.at_version(saved.version));
        let beside = (owners, None);
        let served =
            self.open_edition(&entry, &placement.shard, (&schema, config.value.auto_commit), beside)?;
        let schema = VersionedSchema::new(saved.version, schema);
        let opened = (served, self.clock.now_ms());
        Ok(Arc::new(Collection::new(entry, self.catalog.clone(), schema, config.into(), opened)))
    }

    /// Removes what a collection left that is no more, or never was: it is written down as such.
    pub(super) fn clear_away(&self, key: &str) -> Result<()> {
        if self.is_member() {
            return self.finish_drop(key);
        }
        // First: a collection whose making failed with an open end must not be found without its schema.
        self.catalog.remove_collection(key)?;
        self.catalog.remove_documents(key)?;
        self.catalog.remove_folder(key)?;
        self.catalog.remove_placement(key)
    }

    /// A key for a new collection: its name, or the name with a number where anything else is, known or not.
    fn free_key(&self, name: &str) -> Result<String> {
        if self.catalog.served(name)?.is_none() && self.may_clear_away(name)? {
            self.clear_away(name)?;
        }
        let taken = self.catalog.keys()?;
        let numbered = (2..).map(|number| format!("{name}.{number}"));
        let mut keys = std::iter::once(name.to_owned()).chain(numbered);
        keys.find(|key| !taken.contains(key)).ok_or_else(|| Error::internal("no key is free"))
    }

    fn check_not_unloaded(&self, name: &str) -> Result<()> {
        let placement = self.catalog.placement(name)?;
        let is_unloaded = placement.is_some_and(|it| it.state == PlacementState::Unloaded);
        if !is_unloaded || self.catalog.served(name)?.is_none() {
            return Ok(());
        }
        let message = format!(
            "cannot create `{name}`: an unloaded core left its files there; load it with `/admin/cores?action=CREATE&name={name}`"
        );
        Err(Error::bad_request(message))
    }

    /// The unloaded core of this name, whatever its collection's name.
    fn unloaded_core(&self, core: &str) -> Result<Option<CollectionDocument>> {
        for key in self.catalog.keys()? {
            let placement = self.catalog.placement(&key)?;
            if placement.is_none_or(|it| it.state != PlacementState::Unloaded) {
                continue;
            }
            if let Some(found) = self.catalog.collection(&key)?.filter(|found| found.core == core) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    pub(super) fn set_state(&self, entry: &CollectionDocument, state: PlacementState) -> Result<()> {
        let mut placement = self.catalog.placement_of(entry)?;
        if placement.state == state {
            return Ok(());
        }
        placement.state = state;
        self.catalog.put_placement(entry.key(), &placement)
    }
}

pub(super) fn changed_meanwhile(entry: &CollectionDocument) -> Error {
    let message =
        format!("the schema of `{}` changes again and again while it is opened; try again", entry.name);
    Error::new(ErrorKind::Unavailable, message)
}
