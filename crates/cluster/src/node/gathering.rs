//! All shards of a collection with its lead for a while, as a rebuild needs them: it reads each shard and
//! puts another in its place, all in one step, which only who has all of them open can hold updates up for.
//! What the spread was stands in the assignment meanwhile, so that whoever leads the collection, were it
//! after a crash, brings it back (model `rebuild_shards`).

use std::sync::Arc;

use plan::{Error, ErrorKind, Result};

use super::Node;
use super::births::{ROUNDS_MAX, changed_by_others};
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::documents::Versioned;
use crate::owners::Owners;

impl Node {
    /// Makes all shards of a collection its lead's, which this member has to be. Returns the version of the
    /// document that says so. Errors: `Conflict` where another leads it, or changed who has what at the same
    /// time.
    pub(crate) fn gather_shards(&self, collection: &Arc<Collection>) -> Result<Option<u64>> {
        let entry = collection.entry();
        let Some(mut before) = self.led(&entry)? else { return Ok(None) };
        if before.value.rebuilding.is_some() {
            // Of an earlier rebuild, which could not give them back.
            before = self.end_rebuilding(&entry, &before)?;
        }
        let gathered = before.value.gathered(&entry);
        let version = self.catalog.set_owners(entry.key(), Some(before.version), &gathered)?;
        self.take_up_as_named(entry.key())
            .inspect_err(|_| drop(self.spread_shards_again(collection, version)))?;
        self.tell_others(&entry, &before.value);
        Ok(Some(version))
    }

    /// Brings back who had which part, if it still is as this rebuild gathered it. Errors: what could not be
    /// written, which the next look does.
    pub(crate) fn spread_shards_again(&self, collection: &Arc<Collection>, gathered: u64) -> Result<()> {
        let entry = collection.entry();
        let Some(found) = self.led(&entry)?.filter(|it| it.version == gathered) else { return Ok(()) };
        let owners = found.value.spread_again();
        self.catalog.set_owners(entry.key(), Some(gathered), &owners)?;
        self.take_up_as_named(entry.key())?;
        self.tell_others(&entry, &owners);
        Ok(())
    }

    /// Behind a reading of the document that the rebuild is accepted in, ahead of what it copies last:
    /// nobody else has opened the shards since, and whoever does from here on changes that document first.
    /// By its version: another may have led it meanwhile, rebuilt it, and be gone. Errors: `Conflict`.
    pub(crate) fn check_gathered(&self, entry: &CollectionDocument, gathered: Option<u64>) -> Result<()> {
        let Some(found) = self.led(entry)? else { return Ok(()) };
        if Some(found.version) == gathered {
            return Ok(());
        }
        let message = format!("`{}` changed hands while it was rebuilt; rebuild it again", entry.name);
        Err(Error::new(ErrorKind::Conflict, message))
    }

    /// Of a rebuild of which nobody knows whether it was accepted. What is open here may be of an edition
    /// that is served no more: all of it is closed, and opened again as one of a rebuild that is another's,
    /// once that is settled.
    pub(crate) fn leave_rebuilding(&self, collection: &Arc<Collection>) {
        if !self.is_member() {
            return;
        }
        {
            let _changing = self.lock();
            self.leave(collection);
            let _ = collection.close();
        }
        // Where this fails too, the next look does it.
        let _ = self.take_up_as_named(collection.entry().key());
    }

    /// Of a collection that this member leads and whose rebuild is another process's, or was: it comes to
    /// nothing, or has come to all, before anything is opened. Returns who has which part then.
    pub(super) fn end_rebuilding(
        &self,
        entry: &CollectionDocument,
        found: &Versioned<Owners>,
    ) -> Result<Versioned<Owners>> {
        self.touch_schema(entry.key())?;
        let value = found.value.spread_again();
        let version = self.catalog.set_owners(entry.key(), Some(found.version), &value)?;
        Ok(Versioned { version, value })
    }

    /// Writes the schema's document as it is: whoever was to change it upon an earlier reading fails.
    fn touch_schema(&self, key: &str) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let found = self.catalog.schema(key)?;
            match self.catalog.set_schema(key, Some(found.version), &found.value) {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                touched => return touched.map(drop),
            }
        }
        Err(changed_by_others(key))
    }

    /// The same of one that is not being rebuilt, for whoever changes who has what: what a rebuild gives
    /// back is what it noted. Errors: `Conflict` while it is.
    pub(crate) fn led_at_rest(&self, entry: &CollectionDocument) -> Result<Option<Versioned<Owners>>> {
        let found = self.led(entry)?;
        if found.as_ref().is_some_and(|it| it.value.rebuilding.is_some()) {
            let message =
                format!("`{}` is being rebuilt, all of it on one node; wait for its end", entry.name);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        Ok(found)
    }

    /// Who has which part of a collection that this member is to lead; `None` where this node owns all there
    /// is. Errors: `NotFound` where it is no more, `Conflict` where another leads it.
    pub(super) fn led(&self, entry: &CollectionDocument) -> Result<Option<Versioned<Owners>>> {
        if !self.is_member() {
            return Ok(None);
        }
        let found = self.catalog.owners(entry.key())?.filter(|it| it.value.has_served(entry));
        let found = found.ok_or_else(|| super::unknown(&entry.name))?;
        if found.value.lead.id == self.member().id {
            return Ok(Some(found));
        }
        let message = format!("`{}` is led by `{}`; ask that node", entry.name, found.value.lead.name);
        Err(Error::new(ErrorKind::Conflict, message))
    }
}
