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
    /// Makes all shards of a collection its lead's, which this member has to be, and those that follow them
    /// nobody's. Errors: `Conflict` where another leads it, or changed who has what at the same time.
    pub(crate) fn gather_shards(&self, collection: &Arc<Collection>) -> Result<()> {
        let entry = collection.entry();
        let Some(found) = self.led(&entry)? else { return Ok(()) };
        if found.value.rebuilding.is_none() {
            let gathered = found.value.gathered(&entry);
            self.catalog.set_owners(entry.key(), Some(found.version), &gathered)?;
        }
        self.take_up_own(entry.key())?;
        self.tell_others(&entry, &found.value);
        Ok(())
    }

    /// Brings back who had which part. Errors: another leads it by now, which does so itself; what could not
    /// be written, which the next look does.
    pub(crate) fn spread_shards_again(&self, collection: &Arc<Collection>) -> Result<()> {
        let entry = collection.entry();
        let Some(found) = self.led(&entry)?.filter(|it| it.value.rebuilding.is_some()) else {
            return Ok(());
        };
        let owners = found.value.spread_again();
        self.catalog.set_owners(entry.key(), Some(found.version), &owners)?;
        self.take_up_own(entry.key())?;
        self.tell_others(&entry, &owners);
        Ok(())
    }

    /// Behind a reading of the document that the rebuild is accepted in, ahead of what it copies last:
    /// nobody else can have opened the shards since, and whoever does from here on changes that document
    /// first. Errors: `Conflict` where another leads the collection by now.
    pub(crate) fn check_gathered(&self, entry: &CollectionDocument) -> Result<()> {
        let Some(found) = self.led(entry)? else { return Ok(()) };
        match found.value.rebuilding {
            Some(_) => Ok(()),
            None => Err(Error::new(
                ErrorKind::Conflict,
                format!("`{}` was spread over its nodes again; start the rebuild anew", entry.name),
            )),
        }
    }

    /// Of a collection that this member leads and whose rebuild is another process's, or was: it comes to
    /// nothing, or has come to all, before anything is opened. Returns who has which part then.
    pub(super) fn end_rebuilding(
        &self,
        entry: &CollectionDocument,
        found: Versioned<Owners>,
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
