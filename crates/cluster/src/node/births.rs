//! How a collection of several members comes to be and ends, as the model `drop_shards` has it. Its
//! assignment, `owner.json`, is what decides: it is claimed first, says that the collection is being made, is
//! served, or is dropped, and is removed last. Each step is a compare-and-set upon what was read, so that
//! whoever was taken for gone in the middle of it, and is not, neither serves what it makes nor removes what
//! is another's by then.
//!
//! In: the steps of `lifecycle`, and what a look at the documents found begun; out: documents and homes. A
//! node that owns all there is has no assignments: there `collection.json` decides.

use std::sync::Arc;

use plan::{Error, ErrorKind, Result};

use super::Node;
use crate::catalog::DocumentVersion;
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::documents::{Versioned, lift};
use crate::owners::{Owners, Stage};
use crate::placement::PlacementState;

/// How often a drop goes over documents that others change meanwhile, as one does that has not heard of it.
pub(super) const ROUNDS_MAX: usize = 10;

impl Node {
    /// Before anything else is made under this key. Returns the version that the making goes on from; `None`
    /// where this node owns all there is. Errors: `Conflict` where another member was first.
    pub(crate) fn claim_key(&self, key: &str, owners: &Owners) -> Result<Option<u64>> {
        if !self.is_member() {
            return Ok(None);
        }
        let making = Owners { stage: Stage::Making, ..owners.clone() };
        self.catalog.set_owners(key, None, &making).map(Some)
    }

    /// The step by which a collection is there, whose documents are. Errors: `Conflict` where another member
    /// took its maker for gone.
    pub(super) fn serve_claimed(&self, key: &str, claim: Option<u64>, owners: &Owners) -> Result<()> {
        claim.map_or(Ok(()), |version| self.catalog.set_owners(key, Some(version), owners).map(drop))
    }

    /// Removes what a making came to that failed; returns what is to be told of it.
    pub(super) fn give_up_making(
        &self,
        key: &str,
        (claimed, made): (&Owners, &[DocumentVersion]),
        failure: Error,
    ) -> Error {
        match self.clear_making(key, claimed, made) {
            Ok(false) => {
                let message = format!("another member took `{key}` over while it was made here; try again");
                Error::new(ErrorKind::Conflict, message).with_source(failure)
            }
            // Where this failed too, the next look at the documents does it.
            Ok(true) | Err(_) => failure,
        }
    }

    /// All of it while the key is this member's; else what it made itself, as it made it, since whoever took
    /// the key over may not have found it. Returns whether the key was this member's.
    fn clear_making(&self, key: &str, claimed: &Owners, made: &[DocumentVersion]) -> Result<bool> {
        let found = self.catalog.owners(key)?.filter(|it| it.value.created_ms == claimed.created_ms);
        match found {
            Some(found) if found.value.lead.id == self.member().id => {
                self.take_to_drop(key, found)?;
                self.finish_drop(key).map(|()| true)
            }
            // It was served, though that was not heard here, and is another's by now.
            Some(found) if found.value.stage == Stage::Served => Ok(false),
            _ => {
                for document in made {
                    match self.catalog.remove_as_looked_at(std::slice::from_ref(document)) {
                        Err(error) if error.kind == ErrorKind::Conflict => {}
                        removed => removed?,
                    }
                }
                self.catalog.remove_folder(key)?;
                self.catalog.remove_placement(key).map(|()| false)
            }
        }
    }

    /// Drops a collection that this member leads. On return none of its homes takes another update.
    pub(super) fn drop_led(&self, collection: &Arc<Collection>) -> Result<()> {
        let entry = collection.entry();
        // So that its folder goes too, should another end this.
        let _ = self.set_state(&entry, PlacementState::Removing);
        // Invariant: the step by which it is gone.
        self.begin_drop(&entry).inspect_err(|error| {
            if error.kind == ErrorKind::Unknown {
                // It may be dropped: nothing more is acknowledged here.
                self.leave(collection);
                let _ = collection.close();
            } else {
                let _ = self.set_state(&entry, PlacementState::Served);
            }
        })?;
        self.leave(collection);
        // It is gone for clients; failing to close must not bring it back.
        let _ = collection.close();
        let left = |error: Error| {
            error.context(format!("`{}` is dropped, and not all of it is removed yet: ", entry.name))
        };
        self.finish_drop(entry.key()).map_err(left)
    }

    fn begin_drop(&self, entry: &CollectionDocument) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let found = self.catalog.owners(entry.key())?.filter(|it| it.value.has_served(entry));
            let Versioned { version, value } = found.ok_or_else(|| super::unknown(&entry.name))?;
            if value.lead.id != self.member().id {
                let message = format!("`{}` is led by `{}` now; try again", entry.name, value.lead.name);
                return Err(Error::new(ErrorKind::Unavailable, message));
            }
            let value = Owners { created_ms: Some(entry.created_ms), ..value };
            match self.take_to_drop(entry.key(), Versioned { version, value }) {
                // A part of it changed hands.
                Err(error) if error.kind == ErrorKind::Conflict => {}
                dropped => return dropped,
            }
        }
        Err(changed_by_others(entry.key()))
    }

    /// Ends what was begun under a key, by this member or by one that is gone. Returns whether there was
    /// anything.
    pub(super) fn end_begun(&self, key: &str) -> Result<bool> {
        // What this member itself is at has the lock.
        let _changing = self.lock();
        let Some(found) = self.catalog.owners(key)? else { return Ok(false) };
        // Behind it: what was served when it was read has its document still, or the compare-and-set fails.
        let entry = self.catalog.collection(key)?;
        if let Some(entry) = entry.filter(|_| found.value.stage == Stage::Served) {
            // Else a release made it anew, where it was unloaded, that knows nothing of births.
            let is_known = found.value.is_of(&entry);
            return if is_known {
                Ok(false)
            } else {
                self.set_birth(key, Some(entry.created_ms)).map(|()| true)
            };
        }
        self.take_to_drop(key, found)?;
        self.finish_drop(key)?;
        Ok(true)
    }

    /// Whether a key without a collection is left of one that never came to be, or was dropped, and nobody is
    /// at it; on return it is this member's to clear away. Errors: `Conflict` where another member is.
    pub(super) fn may_clear_away(&self, key: &str) -> Result<bool> {
        let Some(assignment) = &self.assignment else { return self.has_ended(key) };
        let Some(found) = self.catalog.owners(key)? else {
            let has_ended = self.has_ended(key)?;
            if has_ended {
                let dropped = Owners { stage: Stage::Dropped, ..assignment.own.clone().into() };
                self.catalog.set_owners(key, None, &dropped)?;
            }
            return Ok(has_ended);
        };
        let lead = &found.value.lead;
        if lead.id != assignment.own.id && assignment.living.has(lead) {
            let message = format!("`{key}` is being made or deleted by `{}`; try again", lead.name);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        self.take_to_drop(key, found)?;
        Ok(true)
    }

    /// Whoever is at it otherwise fails from here on.
    fn take_to_drop(&self, key: &str, found: Versioned<Owners>) -> Result<()> {
        let Versioned { version, value } = found;
        let dropped = Owners { lead: self.member(), stage: Stage::Dropped, ..value };
        self.catalog.set_owners(key, Some(version), &dropped).map(drop)
    }

    /// Removes what is left of a collection that this member drops.
    pub(super) fn finish_drop(&self, key: &str) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let documents = self.catalog.look_at(key)?;
            // Behind that look: what was found lay there while it was this member's to remove. Were it the
            // other way round, another could finish this drop in between, and what is found be the next
            // collection's.
            let Some(found) = self.catalog.owners(key)? else { return Ok(()) };
            if found.value.lead.id != self.member().id || found.value.stage != Stage::Dropped {
                let message = format!("`{key}` is dropped by `{}` by now; try again", found.value.lead.name);
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            self.fence_homes(key, &found.value)?;
            match self.catalog.remove_as_looked_at(&documents) {
                // One that has not heard of the drop added a shard, or exchanged the edition: another home.
                Err(error) if error.kind == ErrorKind::Conflict => continue,
                removed => removed?,
            }
            self.catalog.remove_folder(key)?;
            self.catalog.remove_placement(key)?;
            // Last: until then nobody else makes a collection of this key.
            return self.catalog.remove_owners(key, found.version);
        }
        let message =
            format!("the documents of `{key}` were changed by others {ROUNDS_MAX} times in a row; try again");
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    /// Deposes whoever has a shard of a dropped collection open: one that was not told acknowledges no update
    /// that would go with it. Whoever opens one behind this finds that it is dropped.
    fn fence_homes(&self, key: &str, dropped: &Owners) -> Result<()> {
        // Without its document an earlier attempt was here, or nobody ever served it.
        let Some(entry) = self.catalog.collection(key)?.filter(|entry| dropped.is_of(entry)) else {
            return Ok(());
        };
        let schema = match self.catalog.schema(key) {
            Err(error) if error.kind == ErrorKind::NotFound => return Ok(()),
            found => found?.value,
        };
        entry.folders(schema.edition()).iter().try_for_each(|folder| self.fence_home(&entry, folder))
    }

    /// Deposes whoever has a shard open that is dropped.
    pub(super) fn fence_home(&self, entry: &CollectionDocument, folder: &str) -> Result<()> {
        let place = self.place(entry, folder);
        match place.site.home(&place.id) {
            // By one that opened it later, and so finds that it is dropped.
            Err(error) if *error.kind() == store::ErrorKind::Deposed => Ok(()),
            opened => opened.map(drop).map_err(lift),
        }
    }

    /// Behind the fences of shards that were just opened. Errors: `Conflict` where another is named for one
    /// of them, or the collection is dropped, or another: whoever drops it may have fenced the homes before.
    pub(super) fn check_named<'a>(
        &self,
        entry: &CollectionDocument,
        shards: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let Some(assignment) = &self.assignment else { return Ok(()) };
        let owners = self.catalog.owners(entry.key())?.map(|found| found.value);
        let is_own =
            owners.filter(|it| it.stage != Stage::Dropped && it.is_of(entry)).is_some_and(|owners| {
                shards.into_iter().all(|shard| owners.of_shard(shard).id == assignment.own.id)
            });
        if is_own {
            return Ok(());
        }
        let message = format!(
            "`{}` became another member's, or was dropped, while it was opened; try again",
            entry.name
        );
        Err(Error::new(ErrorKind::Conflict, message))
    }

    /// Errors: `Conflict` where another member took the collection over, as while it was unloaded here.
    pub(super) fn check_own(&self, entry: &CollectionDocument) -> Result<()> {
        let Some(assignment) = &self.assignment else { return Ok(()) };
        let message = match self.catalog.owners(entry.key())?.map(|found| found.value) {
            Some(owners) if owners.lead.id != assignment.own.id => {
                format!("`{}` is served by `{}` now", entry.name, owners.lead.name)
            }
            Some(owners) if !owners.has_served(entry) => format!("`{}` is being dropped", entry.name),
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Conflict, message))
    }

    /// Of which birth a collection is that is made anew without its documents: of any while its own document
    /// is about to say so.
    pub(super) fn set_birth(&self, key: &str, created_ms: Option<i64>) -> Result<()> {
        if !self.is_member() {
            return Ok(());
        }
        let Some(found) = self.catalog.owners(key)? else { return Ok(()) };
        let owners = Owners { created_ms, ..found.value };
        self.catalog.set_owners(key, Some(found.version), &owners).map(drop)
    }
}

pub(super) fn changed_by_others(key: &str) -> Error {
    let message =
        format!("the documents of `{key}` were changed by others {ROUNDS_MAX} times in a row; try again");
    Error::new(ErrorKind::Unavailable, message)
}
