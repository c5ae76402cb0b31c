//! What a member does about its part, again and again: closes what is another's by now, takes over what is
//! due to it of those who are gone, opens what is its own, and ends what was left half-done. All of it goes
//! by what the documents say, so that whoever comes too late or twice does no harm (models `assign_shards`,
//! `drop_shards`, `rebuild_shards`).
//!
//! In: a look at the documents (`assignment`), and who lives; out: documents that say who has what now, and
//! collections that are open as they say.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use plan::{Error, ErrorKind, Result};

use super::Node;
use super::lifecycle::{OPENINGS_MAX, changed_meanwhile};
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::documents::Versioned;
use crate::owners::{Owned, OwnedCollections, Owners};
use crate::placement::PlacementState;
use crate::replacing::GoneMember;

impl Node {
    /// Closes what is no longer its own, opens what is, takes over what is due to it of those who are gone,
    /// and ends what they or an earlier start of its own left half-made or half-dropped. Returns whether
    /// anything changed. Blocks. Errors: what could not be done, beside what could; it is tried again the
    /// next time.
    pub fn take_part(&self) -> Result<bool, Vec<Error>> {
        let Some(assignment) = &self.assignment else { return Ok(false) };
        let OwnedCollections { there: owned, begun } = {
            let _changing = self.lock();
            self.look_at_others().map_err(|error| vec![error])?
        };
        // Without the lock: the view is made and collections are made and deleted between two of these
        // steps.
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        // What could not be flushed is in the log, which is its new owner's.
        lost.iter().for_each(|collection| drop(collection.close()));
        let (mut changed, mut failures) = (!lost.is_empty(), Vec::new());
        let are_living_known = match assignment.wants_change(&owned, &begun) {
            // Behind the documents that are judged by it: one that came a moment ago may be named there, and
            // not have been told of yet.
            true => assignment.living.read_again().map_err(|error| failures.push(error)).is_ok(),
            false => true,
        };
        let mut due = if are_living_known { assignment.due(&owned) } else { BTreeMap::new() };
        for (key, owned) in &owned {
            let version = owned.owners.as_ref().map(|owners| owners.version);
            let taken = match due.remove(key.as_str()) {
                Some(owners) => self.catalog.set_owners(key, version, &owners).map(|_| Some(owners)),
                None => Ok(None),
            };
            let has_part = assignment.has_part(owned);
            let did = taken.and_then(|taken| {
                let did = (has_part || taken.is_some()) && self.take_up_own(key)?;
                taken.iter().for_each(|owners| self.tell_others(&owned.entry, owners));
                Ok(did || taken.is_some())
            });
            match did {
                Ok(did) => changed |= did,
                // Another was first, or it is gone: the next look says.
                Err(error) if error.kind == ErrorKind::Conflict => changed = true,
                Err(error) => failures.push(error.context(format!("collection `{}`: ", owned.entry.name))),
            }
        }
        changed |= are_living_known && self.replace_gone(&owned, &mut failures);
        let may_end =
            |begun: &Owners| assignment.has_begun(begun) || are_living_known && assignment.may_end(begun);
        for (key, owners) in begun.iter().filter(|(_, owners)| may_end(owners)) {
            match self.end_begun(key) {
                Ok(did) => changed |= did,
                Err(error) if error.kind == ErrorKind::Conflict => changed = true,
                Err(error) => {
                    let begun = format!("what `{}` began of `{key}`: ", owners.lead.name);
                    failures.push(error.context(begun));
                }
            }
        }
        if failures.is_empty() { Ok(changed) } else { Err(failures) }
    }

    /// Has others follow in the place of members that are gone for long; returns whether any does.
    fn replace_gone(&self, owned: &BTreeMap<String, Owned>, failures: &mut Vec<Error>) -> bool {
        let Some(assignment) = &self.assignment else { return false };
        let (living, now_ms) = (assignment.living.list(), self.clock.now_ms());
        if living.is_empty() {
            // Nobody told yet: all would be taken for gone.
            return false;
        }
        assignment.gone.look(owned, &living, now_ms);
        let mut changed = false;
        for (key, after) in assignment.gone.due(&assignment.own.id, owned, (&living, now_ms)) {
            let Some(Owned { entry, owners: Some(before) }) = owned.get(key) else { continue };
            let written = self.catalog.set_owners(key, Some(before.version), &after);
            match written.and_then(|_| self.take_up_own(key)) {
                Ok(_) => self.tell_others(entry, &after),
                // Another change came first, as the taking over of a shard: the next look says what is left.
                Err(error) if error.kind == ErrorKind::Conflict => {}
                Err(error) => failures.push(error.context(format!("collection `{}`: ", entry.name))),
            }
            changed = true;
        }
        changed
    }

    /// Has others follow where a member was gone for so long; never where nothing is said.
    pub fn replace_gone_after(&self, after_ms: Option<i64>) {
        self.assignment.iter().for_each(|assignment| assignment.gone.set_after(after_ms));
    }

    /// Who has replicas and does not live, as this member saw it.
    pub fn gone_members(&self) -> Vec<GoneMember> {
        self.assignment.as_ref().map(|assignment| assignment.gone.list()).unwrap_or_default()
    }

    /// Whether anything that it serves is to be opened anew: another fenced it, as far as was heard, or what
    /// it lacked is whole again. Asks nobody.
    pub fn has_shards_to_open(&self) -> bool {
        self.is_member() && self.list().iter().any(|collection| collection.wants_opening())
    }

    /// Opens a collection of which it has a part, if it is not open, and sees to it that what is open is
    /// what the documents say: shards that became its own, or another's, or were deposed; schema and
    /// configuration. Returns whether anything changed.
    pub(super) fn take_up_own(&self, key: &str) -> Result<bool> {
        // What is opened beside a rebuild takes updates that it does not see (model `rebuild_shards`).
        if self.list().iter().any(|it| it.entry().key() == key && it.is_rebuilding()) {
            return Ok(false);
        }
        self.take_up_as_named(key)
    }

    /// The same of a collection that is rebuilt here, by whoever rebuilds it.
    pub(super) fn take_up_as_named(&self, key: &str) -> Result<bool> {
        let Some(assignment) = &self.assignment else { return Ok(false) };
        let _changing = self.lock();
        let served = self.list().into_iter().find(|collection| collection.entry().key() == key);
        let wants_opening = served.as_ref().is_some_and(|collection| collection.wants_opening());
        // Behind what made it deposed, so that nobody opens what became another's.
        let Some(entry) = self.catalog.collection(key)? else { return Ok(false) };
        let is_own = |it: &Owners| it.has_served(&entry) && it.has(&assignment.own.id);
        let Some(found) = self.catalog.owners(key)?.filter(|it| is_own(&it.value)) else { return Ok(false) };
        if self.is_unloaded(&entry)? {
            return Ok(false);
        }
        let is_rebuilt_here = served.as_ref().is_some_and(|served| served.is_rebuilding());
        // Who follows goes on to do so until its lead, whoever that is by then, has ended it.
        let is_lead = found.value.lead.id == assignment.own.id;
        let found = match found.value.rebuilding {
            Some(_) if is_lead && !is_rebuilt_here => self.end_rebuilding(&entry, &found)?,
            _ => found,
        };
        let Versioned { version, value: mut owners } = found;
        let here = owners.at(&assignment.own);
        if owners != here {
            // It returned at another address.
            self.catalog.set_owners(key, Some(version), &here)?;
            owners = here;
        }
        match served.filter(|it| it.entry().created_ms == entry.created_ms) {
            None => {
                let opened = self.load(&entry)?;
                self.set_state(&opened.entry(), PlacementState::Served)?;
                self.enter(opened);
                Ok(true)
            }
            Some(served) => self.take_up_changes(&served, entry, (owners, wants_opening)),
        }
    }

    fn take_up_changes(
        &self,
        collection: &Arc<Collection>,
        entry: CollectionDocument,
        (owners, wants_opening): (Owners, bool),
    ) -> Result<bool> {
        let (owners, before) = (Some(Arc::new(owners)), collection.served());
        for _ in 0..OPENINGS_MAX {
            let (saved, config) =
                (self.catalog.schema(entry.key())?.value, self.catalog.config(entry.key())?);
            let are_alike = collection.owners() == owners;
            let is_led_here = collection.lead_elsewhere().is_none();
            let is_known = *collection.entry() == entry
                && collection.versioned_schema().version == saved.version
                && collection.versioned_config().version == config.version;
            // What it leads it changes itself.
            if are_alike && !wants_opening && (is_led_here || is_known) {
                return Ok(false);
            }
            let (schema, auto_commit) = (collection.succeeded_by(&saved)?, config.value.auto_commit);
            let beside = (owners.clone(), Some(&*before));
            let served = self.open_edition(&entry, saved.edition(), (&schema, auto_commit), beside)?;
            if !self.is_newest(entry.key(), saved.version)? {
                served.close_all_but(&before);
                continue;
            }
            collection.take_up((entry, saved), config, served)?;
            // Names and cores may be others.
            self.replace(Some(collection), collection.clone());
            return Ok(true);
        }
        Err(changed_meanwhile(&entry))
    }
}
