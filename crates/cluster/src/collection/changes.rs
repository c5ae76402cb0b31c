//! What changes a collection's schema and config: each change is on disk before it is in use, one at a time.
//! A schema's files may also be changed for later: saved at once, in use from the next reload on, as Solr's
//! managed resources are.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use plan::{CollectionConfig, Error, ErrorKind, Resources, Result, Schema, SchemaSource};

use store::ShardImage;

use super::{Collection, Served};
use crate::collection_documents::{CollectionDocument, SavedSchema};
use crate::documents::Versioned;
use crate::in_use::VersionedSchema;
use crate::node::Node;
use crate::offload;
use crate::shard::ShardSettings;

impl Collection {
    /// Puts `source` in place of the schema if it still is the one with version `expected`; returns the new
    /// version. Errors: `Conflict` when another change came first (read again, then decide); those of
    /// [`Schema::build`].
    pub async fn change_schema(self: &Arc<Self>, expected: u64, source: SchemaSource) -> Result<u64> {
        let collection = self.clone();
        let change = move || {
            // Without the lock: the lead has this node take it up before it answers.
            let lead = collection.home.served().lead.clone();
            match lead {
                Some(lead) => lead.change_schema(expected, source),
                None => collection.swap_schema(expected, source),
            }
        };
        offload::update(change).await?
    }

    /// Applies `edit` to the schema as it is, again if another change comes in between.
    pub async fn edit_schema(
        self: &Arc<Self>,
        mut edit: impl FnMut(&SchemaSource) -> Result<SchemaSource>,
    ) -> Result<u64> {
        loop {
            let current = self.versioned_schema();
            let source = edit(&current.value.source)?;
            match self.change_schema(current.version, source).await {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                result => return result,
            }
        }
    }

    /// Puts what `edit` makes of the config in its place, one edit after the other.
    pub async fn edit_config<E: From<Error> + Send + 'static>(
        self: &Arc<Self>,
        edit: impl FnOnce(&CollectionConfig) -> Result<CollectionConfig, E> + Send + 'static,
    ) -> Result<(), E> {
        let collection = self.clone();
        let work = move || {
            let _changing = collection.lock();
            // Read under the lock: edits come one after the other, and none has to decide again.
            let present = collection.config.load_full();
            let value = edit(&present.value)?;
            let version =
                collection.catalog.set_config(collection.entry().key(), Some(present.version), &value)?;
            collection.adopt_config(Versioned { version, value });
            Ok(())
        };
        offload::update(work).await?
    }

    /// Reads schema and config from their files again.
    pub async fn reload(self: &Arc<Self>) -> Result<()> {
        let collection = self.clone();
        offload::update(move || collection.reread()).await?
    }

    /// The schema as it is saved: the one in use, with the files that wait for a reload.
    pub fn saved_schema(&self) -> SchemaSource {
        let mut source = self.schema.load().value.source.clone();
        if let Some(files) = self.pending.load_full() {
            source.resources = Resources::clone(&files);
        }
        source
    }

    /// Whether files wait for a reload.
    pub fn has_pending_files(&self) -> bool {
        self.pending.load().is_some()
    }

    /// Saves the files that `edit` makes of the saved schema's; they are in use from the next reload on.
    /// `None` saves nothing.
    pub async fn edit_files(
        self: &Arc<Self>,
        edit: impl FnOnce(&SchemaSource) -> Result<Option<Resources>> + Send + 'static,
    ) -> Result<()> {
        let collection = self.clone();
        let work = move || {
            let _changing = collection.lock();
            let mut source = collection.saved_schema();
            let Some(files) = edit(&source)? else { return Ok(()) };
            source.resources = files;
            let version = collection.schema.load().version;
            let entry = collection.entry();
            let before = collection.catalog.schema(entry.key())?;
            // Under the version in use, for nothing was resolved by these files yet; the reload gives them
            // one of their own.
            let saved = SavedSchema { version, source, ..before.value };
            collection.catalog.set_schema(entry.key(), Some(before.version), &saved)?;
            collection.pending.store(Some(Arc::new(saved.source.resources)));
            Ok(())
        };
        offload::update(work).await?
    }

    /// Everything acknowledged so far, and the schema and config it is under.
    pub(crate) fn capture(&self) -> Result<(Vec<ShardImage>, SavedSchema, CollectionConfig)> {
        // Documents, schema and config of one moment: no change of the latter comes in between. Each shard
        // has a moment of its own.
        let _changing = self.lock();
        let images = self.shards().iter().map(|shard| shard.capture()).collect::<Result<_>>()?;
        let version = self.schema.load().version;
        let schema = SavedSchema { version, ..SavedSchema::first(self.saved_schema()) };
        Ok((images, schema, CollectionConfig::clone(&self.config())))
    }

    /// Whether the file of a health check is there: whether the collection says that it is in service.
    pub async fn has_health_file(self: &Arc<Self>, file: &str) -> Result<bool> {
        let (collection, file) = (self.clone(), file.to_owned());
        offload::update(move || collection.catalog.has_health_file(collection.entry().key(), &file)).await?
    }

    /// Makes the file of a health check with a text, or removes it. Errors: `BadRequest` for a name that is
    /// not allowed.
    pub async fn set_health_file(self: &Arc<Self>, file: &str, text: Option<String>) -> Result<()> {
        let (collection, file) = (self.clone(), file.to_owned());
        let work = move || {
            let entry = collection.entry();
            match text {
                Some(text) => collection.catalog.write_health_file(entry.key(), &file, &text),
                None => collection.catalog.remove_health_file(entry.key(), &file),
            }
        };
        offload::update(work).await?
    }

    /// Changes its description, which counts as a change of its state.
    pub(crate) fn change_entry(&self, mut change: impl FnMut(&mut CollectionDocument)) -> Result<()> {
        let _changing = self.lock();
        let entry = self.catalog.change_collection(self.entry().key(), |entry| {
            change(entry);
            entry.changes += 1;
        })?;
        self.put_entry(entry);
        self.changes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// What its description says counts from now on.
    fn put_entry(&self, entry: CollectionDocument) {
        self.home.set_read_only(entry.read_only);
        self.entry.store(Arc::new(entry));
    }

    /// Puts other shards in the place of those that are served, between two updates: what `open` makes of
    /// them, which must not be without any. The collection's document decides. Tells nobody.
    pub(crate) fn exchange_shards(
        &self,
        node: &Node,
        open: impl FnOnce(&Served) -> Result<Served>,
    ) -> Result<()> {
        let last = self.rebuild_status();
        self.claim_change(node, 0)?;
        let exchanged = (|| {
            let _changing = self.lock();
            let _alone = self.home.alone();
            let before = self.home.served_full();
            let served = open(&before)?;
            let changed = self.catalog.change_collection(self.entry().key(), |entry| {
                entry.shards = served.documents.to_vec();
                entry.core = served.documents.first().map(|shard| shard.core.clone()).unwrap_or_default();
                let numbers = served.documents.iter().map(|shard| shard.node_number);
                entry.replicas = numbers.chain([entry.replicas]).max().unwrap_or_default();
                entry.changes += 1;
            });
            let entry = changed.inspect_err(|error| {
                // Its home is held as long as it is open, and another attempt would not get it.
                served.close_all_but(&before);
                if error.kind == ErrorKind::Unknown {
                    // The next start may be without a shard: nothing more is acknowledged by it.
                    before.close_all_but(&served);
                }
            })?;
            served.configure_own(&ShardSettings::of(&self.config()));
            self.entry.store(Arc::new(entry));
            self.home.put(served);
            before.close_all_but(&self.home.served());
            self.changes.fetch_add(1, Ordering::Release);
            Ok(())
        })();
        self.end_claim(last);
        exchanged
    }

    pub(crate) fn swap_schema(&self, expected: u64, source: SchemaSource) -> Result<u64> {
        let _changing = self.lock();
        let before = self.catalog.schema(self.entry().key())?;
        self.catch_up(&before.value)?;
        let current = self.schema.load().version;
        if current != expected {
            let message = format!(
                "schema of `{}` is at version `{current}`, not `{expected}`; read it again",
                self.name()
            );
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        let schema = self.successor(source, expected + 1)?;
        let mut saved =
            SavedSchema { version: expected + 1, source: schema.source.clone(), ..before.value.clone() };
        let pending = self.pending_beside(&saved.source.resources);
        if let Some(files) = &pending {
            saved.source.resources.clone_from(files);
        }
        // The document before the engine: what a crash finds between the two is taken up at the next start.
        // The other way round there would be documents under a schema that is nowhere.
        let version = self.catalog.set_schema(self.entry().key(), Some(before.version), &saved)?;
        self.adopt_schema(schema).map_err(|(error, adopted)| {
            // The engine refused it: the document must not say otherwise after a restart. If this write fails
            // too, the first error is still the one to tell. Where one of several shards has it already, its
            // number is used up: the document stays, and the next change or start gives it to all.
            if !adopted {
                let _ = self.catalog.set_schema(self.entry().key(), Some(version), &before.value);
            }
            error
        })?;
        self.pending.store(pending.map(Arc::new));
        Ok(saved.version)
    }

    /// Takes up a schema that another writer saved, which would else be in the way of every change here.
    fn catch_up(&self, saved: &SavedSchema) -> Result<()> {
        if saved.version == self.schema.load().version {
            return Ok(());
        }
        let schema = self.successor(saved.source.clone(), saved.version)?;
        self.adopt_schema(schema).map_err(|(error, _)| error)
    }

    /// The files that wait for a reload, and those that a new schema brings.
    fn pending_beside(&self, brought: &Resources) -> Option<Resources> {
        let mut files = Resources::clone(&*self.pending.load_full()?);
        let current = self.schema.load();
        let known = &current.value.source.resources;
        let new = brought.iter().filter(|(name, _)| !known.contains_key(*name));
        files.extend(new.map(|(name, text)| (name.clone(), text.clone())));
        Some(files)
    }

    fn reread(&self) -> Result<()> {
        let _changing = self.lock();
        let entry = self.entry();
        let mut saved = self.catalog.schema(entry.key())?;
        self.adopt_config(self.catalog.config(entry.key())?);
        let present = self.versioned_schema();
        let mut schema = self.successor(saved.value.source.clone(), saved.value.version)?;
        // Files that waited for the reload, or that somebody edited: what was resolved by the old ones must
        // not pass for resolved by the new, so that they get a number of their own.
        if schema.lineage.version == present.version && schema.source != present.value.source {
            saved.value.version += 1;
            self.catalog.set_schema(entry.key(), Some(saved.version), &saved.value)?;
            schema = self.successor(saved.value.source, saved.value.version)?;
        }
        self.adopt_schema(schema).map_err(|(error, _)| error)?;
        self.pending.store(None);
        Ok(())
    }

    /// The engine first: no document may use a field before the engine knows it. Beside the error stands
    /// whether some shard knows it by then.
    fn adopt_schema(&self, schema: Arc<Schema>) -> Result<(), (Error, bool)> {
        self.home.served().set_schema(&schema)?;
        self.schema.store(Arc::new(VersionedSchema::new(schema.lineage.version, schema)));
        // Last: an answer that is kept under the new count was made under the new schema.
        self.changes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// The schema that a document says, as it follows the one in use.
    pub(crate) fn succeeded_by(&self, saved: &SavedSchema) -> Result<Arc<Schema>> {
        match saved.version == self.schema.load().version {
            true => Ok(self.schema()),
            false => self.successor(saved.source.clone(), saved.version),
        }
    }

    /// A schema as the version that follows the one in use.
    fn successor(&self, source: SchemaSource, version: u64) -> Result<Arc<Schema>> {
        Ok(Arc::new(Schema::build(source)?.succeeding(&self.schema.load().value, version)))
    }

    /// Takes up what its lead made of it, and shards that changed hands: `served` is what is to be in
    /// service.
    pub(crate) fn take_up(
        &self,
        (entry, saved): (CollectionDocument, SavedSchema),
        config: Versioned<CollectionConfig>,
        served: Served,
    ) -> Result<()> {
        let _changing = self.lock();
        let before = self.home.served_full();
        if saved.version != self.schema.load().version {
            let schema = self.successor(saved.source, saved.version)?;
            // The shards before the requests: as in a change that is made here.
            served.set_own_schema(&schema)?;
            self.schema.store(Arc::new(VersionedSchema::new(saved.version, schema)));
        }
        if config.version != self.config.load().version {
            served.configure_own(&ShardSettings::of(&config.value));
            self.config.store(Arc::new(config.into()));
        }
        {
            // Between two updates: none is in a shard that is about to be closed.
            let _alone = self.home.alone();
            self.home.put(served);
        }
        self.put_entry(entry);
        self.changes.fetch_add(1, Ordering::Release);
        before.close_all_but(&self.home.served());
        Ok(())
    }

    /// Takes up what whoever serves it made of it; this node only reads it.
    pub(crate) fn follow(
        &self,
        saved: SavedSchema,
        config: Versioned<CollectionConfig>,
        served: Served,
    ) -> Result<()> {
        let _changing = self.lock();
        let version = saved.version;
        // As a new one, without the lineage of the last: no plan of before is asked of these shards.
        if version != self.schema.load().version || served.edition != self.edition() {
            let schema = Arc::new(Schema::build(saved.source)?.at_version(version));
            self.home.put(served);
            self.schema.store(Arc::new(VersionedSchema::new(version, schema)));
        }
        if config.version != self.config.load().version {
            self.config.store(Arc::new(config.into()));
        }
        Ok(())
    }

    /// Waits for the end of a change that is on its way. While the shard has taken up a schema and the
    /// collection has not yet, requests are resolved against the one and refused by the other; who was
    /// refused waits here, and finds both alike.
    pub(crate) fn await_change(&self) {
        drop(self.lock());
    }

    /// How often schema, config or shards were replaced.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Whoever looks what other members changed, one at a time.
    pub(crate) fn looking(&self) -> std::sync::MutexGuard<'_, ()> {
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn adopt_config(&self, config: Versioned<CollectionConfig>) {
        self.home.served().configure(&ShardSettings::of(&config.value));
        self.config.store(Arc::new(config.into()));
        self.changes.fetch_add(1, Ordering::Release);
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
